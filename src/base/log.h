// Lines for the operator on standard error: "2024-01-02T03:04:05.006Z WARN message". Thread-safe.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace millstream {

enum class LogLevel : int { debug, info, warn, error, off };

void set_log_level(LogLevel level);  // default: warn
LogLevel log_level();
void write_log(LogLevel level, std::string_view message);

template <typename... Args>
void log_info(fmt::format_string<Args...> f, Args&&... args) {
  if (log_level() <= LogLevel::info) {
    write_log(LogLevel::info, fmt::format(f, std::forward<Args>(args)...));
  }
}
template <typename... Args>
void log_warn(fmt::format_string<Args...> f, Args&&... args) {
  if (log_level() <= LogLevel::warn) {
    write_log(LogLevel::warn, fmt::format(f, std::forward<Args>(args)...));
  }
}
template <typename... Args>
void log_error(fmt::format_string<Args...> f, Args&&... args) {
  write_log(LogLevel::error, fmt::format(f, std::forward<Args>(args)...));
}

}  // namespace millstream
