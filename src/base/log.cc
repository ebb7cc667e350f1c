#include "base/log.h"

#include <atomic>
#include <cstdio>

#include "base/clock.h"
#include "base/text.h"

namespace millstream {
namespace {

std::atomic<LogLevel> current_level{LogLevel::warn};

const char* name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "DEBUG";
    case LogLevel::info:
      return "INFO";
    case LogLevel::warn:
      return "WARN";
    default:
      return "ERROR";
  }
}

}  // namespace

void set_log_level(LogLevel level) { current_level = level; }
LogLevel log_level() { return current_level; }

void write_log(LogLevel level, std::string_view message) {
  const std::string line =
      fmt::format("{} {} {}\n", iso_utc_ms(SystemClock().now_ms()), name_of(level), message);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace millstream
