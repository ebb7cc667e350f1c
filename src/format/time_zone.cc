// Time zones by Spark's names, over the tz library that Arrow carries and the system's zone files.
#include <arrow/vendored/datetime.h>

#include "base/zone_name.h"
#include "format/datetime_text.h"

namespace millstream::format {

namespace date = arrow_vendored::date;

TimeZone TimeZone::fixed(std::int64_t offset_seconds) {
  TimeZone zone;
  zone.fixed_ = offset_seconds;
  return zone;
}

Result<TimeZone> TimeZone::find(std::string_view name) {
  const ZoneName parsed = parse_zone_name(name);
  if (parsed.offset_seconds) return fixed(*parsed.offset_seconds);
  try {
    TimeZone zone;
    zone.region_ = date::locate_zone(parsed.region);
    return zone;
  } catch (const std::exception&) {
    return Status::invalid("'{}' is not a time zone", name);
  }
}

std::int64_t TimeZone::offset_at(std::int64_t epoch_seconds) const {
  if (region_ == nullptr) return fixed_;
  const auto& zone = *static_cast<const date::time_zone*>(region_);
  return zone.get_info(date::sys_seconds(std::chrono::seconds(epoch_seconds))).offset.count();
}

std::int64_t TimeZone::offset_of_local(std::int64_t local_seconds) const {
  if (region_ == nullptr) return fixed_;
  if (local_seconds >= known_from_ && local_seconds < known_to_) return known_offset_;
  const auto& zone = *static_cast<const date::time_zone*>(region_);
  const auto info = zone.get_info(date::local_seconds(std::chrono::seconds(local_seconds)));
  // A day away from both ends no gap or overlap is in reach.
  constexpr std::int64_t margin = 86'400;
  known_offset_ = info.first.offset.count();
  known_from_ = info.first.begin.time_since_epoch().count() + margin;
  known_to_ = info.first.end.time_since_epoch().count() - margin;
  return known_offset_;
}

}  // namespace millstream::format
