#include "connect/settings.h"

#include <algorithm>

#include "base/text.h"

namespace millstream::connect {
namespace {

const std::map<std::string, Milliseconds Settings::*>& durations() {
  static const std::map<std::string, Milliseconds Settings::*> all = {
      {"spark.connect.session.manager.defaultSessionTimeout", &Settings::session_timeout},
      {"spark.connect.session.manager.maintenanceInterval", &Settings::session_maintenance},
      {"spark.connect.execute.manager.detachedTimeout", &Settings::detached_timeout},
      {"spark.connect.execute.reattachable.senderMaxStreamDuration",
       &Settings::stream_duration_max},
  };
  return all;
}

const std::map<std::string, std::int64_t Settings::*>& sizes() {
  static const std::map<std::string, std::int64_t Settings::*> all = {
      {"spark.connect.execute.reattachable.senderMaxStreamSize", &Settings::stream_bytes_max},
      {"spark.connect.execute.reattachable.observerRetryBufferSize", &Settings::retry_buffer_bytes},
      {"spark.connect.grpc.maxInboundMessageSize", &Settings::message_bytes_max},
  };
  return all;
}

// A session's setting whose value at the server's start stands for the default.
constexpr std::string_view report_interval = "spark.connect.progress.reportInterval";

Status bad_value(const std::string& key, const std::string& value, const char* what) {
  return Status::invalid("--conf {}={}: this is no {}", key, value, what);
}

}  // namespace

std::optional<Milliseconds> parse_duration(std::string_view text) {
  static const std::map<std::string, double> units = {
      {"us", 0.001}, {"", 1},         {"ms", 1},        {"s", 1000},
      {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
  const std::string lower = to_lower(trim(text));
  const std::size_t digits = lower.find_first_not_of("0123456789", lower.starts_with('-') ? 1 : 0);
  const std::string number = lower.substr(0, digits);
  const auto count = parse_int64(number);
  const auto unit = units.find(digits == std::string::npos ? "" : lower.substr(digits));
  if (!count || unit == units.end()) return std::nullopt;
  return Milliseconds(static_cast<std::int64_t>(static_cast<double>(*count) * unit->second));
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names{std::string(report_interval)};
  for (const auto& [name, member] : durations()) names.push_back(name);
  for (const auto& [name, member] : sizes()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<Settings> parse_settings(const std::map<std::string, std::string>& conf) {
  Settings settings;
  for (const auto& [key, value] : conf) {
    if (const auto duration = durations().find(key);
        duration != durations().end() || key == report_interval) {
      const auto parsed = parse_duration(value);
      if (!parsed) return bad_value(key, value, "duration: say it as 500ms, 30s, 5m or 1h");
      if (duration != durations().end()) settings.*(duration->second) = *parsed;
    } else if (const auto size = sizes().find(key); size != sizes().end()) {
      const auto parsed = parse_bytes(value);
      if (!parsed) return bad_value(key, value, "size: say it as 512k, 128m or 1g");
      settings.*(size->second) = *parsed;
    } else {
      return Status::invalid(
          "--conf {}: the server has no such setting. It has {}. A session's settings are set by "
          "its program, with spark.conf.set",
          key, join(setting_names(), ", "));
    }
  }
  return settings;
}

}  // namespace millstream::connect
