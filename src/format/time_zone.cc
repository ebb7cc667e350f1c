// Time zones by Spark's names, over the tz library that Arrow carries and the system's zone files.
#include <arrow/vendored/datetime.h>

#include "base/zone_name.h"
#include "base/zone_year.h"
#include "format/datetime_text.h"

namespace millstream::format {

namespace date = arrow_vendored::date;

namespace {

// What to take off a time beyond the zone files, to look it up in a year that stands for its own.
std::int64_t shift_of(const date::time_zone& zone, std::int64_t seconds) {
  if (seconds < zone_files_end) return 0;
  const auto info = zone.get_info(date::sys_seconds(std::chrono::seconds(zone_files_last_summer)));
  const bool changes_for_ever = info.end.time_since_epoch().count() < zone_files_end;
  return changes_for_ever ? year_that_stands_for(seconds).shift : 0;
}

}  // namespace

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
  const std::int64_t known = epoch_seconds - shift_of(zone, epoch_seconds);
  return zone.get_info(date::sys_seconds(std::chrono::seconds(known))).offset.count();
}

std::int64_t TimeZone::offset_of_local(std::int64_t local_seconds) const {
  if (region_ == nullptr) return fixed_;
  if (local_seconds >= known_from_ && local_seconds < known_to_) return known_offset_;
  const auto& zone = *static_cast<const date::time_zone*>(region_);
  const std::int64_t shift = shift_of(zone, local_seconds);
  const auto info = zone.get_info(date::local_seconds(std::chrono::seconds(local_seconds - shift)));
  if (shift != 0) return info.first.offset.count();
  // A day away from both ends no gap or overlap is in reach.
  constexpr std::int64_t margin = 86'400;
  known_offset_ = info.first.offset.count();
  known_from_ = info.first.begin.time_since_epoch().count() + margin;
  known_to_ = info.first.end.time_since_epoch().count() - margin;
  return known_offset_;
}

}  // namespace millstream::format
