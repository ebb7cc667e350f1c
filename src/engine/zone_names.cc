#include "engine/zone_names.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <span>

#include "base/text.h"

namespace millstream::engine {
namespace {

struct Names {
  std::string_view zone;
  std::string_view standard;
  std::string_view daylight;
  std::string_view standard_full;
  std::string_view daylight_full;
};

#define MS_CENTRAL_EUROPE \
  "CET", "CEST", "Central European Standard Time", "Central European Summer Time"

constexpr std::array known = {
    Names{"UTC", "UTC", "UTC", "Coordinated Universal Time", "Coordinated Universal Time"},
    Names{"Etc/UTC", "UTC", "UTC", "Coordinated Universal Time", "Coordinated Universal Time"},
    Names{"GMT", "GMT", "GMT", "Greenwich Mean Time", "Greenwich Mean Time"},
    Names{"America/New_York", "EST", "EDT", "Eastern Standard Time", "Eastern Daylight Time"},
    Names{"America/Chicago", "CST", "CDT", "Central Standard Time", "Central Daylight Time"},
    Names{"America/Denver", "MST", "MDT", "Mountain Standard Time", "Mountain Daylight Time"},
    Names{"America/Los_Angeles", "PST", "PDT", "Pacific Standard Time", "Pacific Daylight Time"},
    Names{"Europe/London", "GMT", "BST", "Greenwich Mean Time", "British Summer Time"},
    Names{"Europe/Paris", MS_CENTRAL_EUROPE},
    Names{"Europe/Berlin", MS_CENTRAL_EUROPE},
    Names{"Europe/Madrid", MS_CENTRAL_EUROPE},
    Names{"Europe/Rome", MS_CENTRAL_EUROPE},
    Names{"Europe/Amsterdam", MS_CENTRAL_EUROPE},
    Names{"Europe/Zurich", MS_CENTRAL_EUROPE},
    Names{"Asia/Tokyo", "JST", "JDT", "Japan Standard Time", "Japan Daylight Time"},
    Names{"Asia/Kolkata", "IST", "IST", "India Standard Time", "India Standard Time"},
};

#undef MS_CENTRAL_EUROPE

#include "engine/zone_names_read.inc"

}  // namespace

std::optional<NamedZone> zone_called(std::string_view text, bool full) {
  const auto names = full ? std::span<const NamedZone>(full_names) : short_names;
  std::optional<NamedZone> longest;
  for (const NamedZone& known_name : names) {
    const std::string_view name = known_name.name;
    if ((!longest || name.size() > longest->name.size()) &&
        equals_ignore_case(text.substr(0, name.size()), name))
      longest = known_name;
  }
  return longest;
}

std::optional<std::string> zone_display_name(std::string_view zone, bool daylight, bool full) {
  for (const Names& names : known) {
    if (names.zone != zone) continue;
    return std::string(daylight ? (full ? names.daylight_full : names.daylight)
                                : (full ? names.standard_full : names.standard));
  }
  // A fixed offset is called by itself.
  if (zone.starts_with('+') || zone.starts_with('-')) return std::string(zone);
  return std::nullopt;
}

std::string gmt_offset(std::int32_t offset_seconds, bool full) {
  if (offset_seconds == 0) return "GMT";
  const int value = std::abs(offset_seconds);
  std::string out = offset_seconds < 0 ? "GMT-" : "GMT+";
  out += full ? fmt::format("{:02}:{:02}", value / 3600, value / 60 % 60)
              : fmt::format("{}", value / 3600);
  if (!full && value % 3600 != 0) out += fmt::format(":{:02}", value / 60 % 60);
  if (value % 60 != 0) out += fmt::format(":{:02}", value % 60);
  return out;
}

}  // namespace millstream::engine
