// Settings: what an operator may change about the service when it starts, under Spark's names
// (`--conf KEY=VALUE`). Immutable once the server runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::connect {

using Milliseconds = std::chrono::milliseconds;

struct Settings {
  Milliseconds session_timeout{std::chrono::minutes(60)};  // negative: never
  Milliseconds session_maintenance{std::chrono::seconds(30)};
  Milliseconds detached_timeout{std::chrono::minutes(5)};
  Milliseconds stream_duration_max{std::chrono::minutes(2)};  // 0: no limit
  std::int64_t stream_bytes_max = std::int64_t{1} << 30;      // 0: no limit
  std::int64_t retry_buffer_bytes = std::int64_t{10} << 20;   // kept behind the last response sent
  std::int64_t message_bytes_max = std::int64_t{128} << 20;   // of a request
};

// Keys that are not of this list, and values that are no duration or size, are errors that name
// them.
Result<Settings> parse_settings(const std::map<std::string, std::string>& conf);
std::vector<std::string> setting_names();  // sorted

// "5m", "100ms", "-1", "2h": as Spark's time settings; without a unit, milliseconds.
std::optional<Milliseconds> parse_duration(std::string_view text);

}  // namespace millstream::connect
