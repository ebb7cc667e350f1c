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

// The zone that the longest name at the start of `text` means to Java, capitals or not; nothing:
// there is no name.
struct NamedZone {
  std::string_view name;
  std::string_view zone;
};
std::optional<NamedZone> zone_called(std::string_view text, bool full);

// "GMT", "GMT-4", "GMT+5:30"; `full`: "GMT-04:00".
std::string gmt_offset(std::int32_t offset_seconds, bool full);

}  // namespace millstream::engine
