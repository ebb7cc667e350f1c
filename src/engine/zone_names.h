// What Java calls time zones in English: the pattern letters z and zzzz. Only zones whose names are
// known here have one. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millstream::engine {

// `zone`: an id; `daylight`: whether its summer time holds. Nothing: not known.
std::optional<std::string> zone_display_name(std::string_view zone, bool daylight, bool full);

// "GMT", "GMT-4", "GMT+5:30"; `full`: "GMT-04:00".
std::string gmt_offset(std::int32_t offset_seconds, bool full);

}  // namespace millstream::engine
