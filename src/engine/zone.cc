#include "engine/zone.h"

#include <arrow/vendored/datetime.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/zone_name.h"
#include "base/zone_year.h"

namespace millstream::engine {

namespace date = arrow_vendored::date;

namespace {

constexpr std::int64_t micros = 1000000;

std::int64_t floor_seconds(std::int64_t value) {
  const std::int64_t quotient = value / micros;
  return quotient - (value % micros < 0 ? 1 : 0);
}

// Whether the clock is still changed in the last year that is known.
bool changes_for_ever(const date::time_zone* zone) {
  const auto info = zone->get_info(date::sys_seconds(std::chrono::seconds(zone_files_last_summer)));
  return info.end.time_since_epoch().count() < zone_files_end;
}

ZoneYear year_at(const date::time_zone* zone, std::int64_t seconds) {
  if (seconds < zone_files_end || !changes_for_ever(zone)) return {};
  return year_that_stands_for(seconds);
}

// The offset that holds from `begin` to `end` (UTC seconds); the last one looked up, for each
// thread.
struct Span {
  const void* region = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int32_t offset = 0;
};

const Span& span_at(const void* region, std::int64_t utc_seconds) {
  thread_local Span last;
  if (last.region == region && utc_seconds >= last.begin && utc_seconds < last.end) return last;
  const auto* zone = static_cast<const date::time_zone*>(region);
  const ZoneYear year = year_at(zone, utc_seconds);
  const auto info =
      zone->get_info(date::sys_seconds(std::chrono::seconds(utc_seconds - year.shift)));
  std::int64_t begin = info.begin.time_since_epoch().count();
  std::int64_t end = info.end.time_since_epoch().count();
  if (year.shift != 0) {
    begin = std::max(begin + year.shift, year.begin);
    end = std::min(end + year.shift, year.end);
  }
  last = {region, begin, end, static_cast<std::int32_t>(info.offset.count())};
  return last;
}

}  // namespace

class Zones {
 public:
  Result<const Zone*> find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const std::string key(name);
    if (const auto known = zones_.find(key); known != zones_.end()) return known->second.get();
    auto zone = std::make_unique<Zone>();
    const ZoneName parsed = parse_zone_name(name);
    if (parsed.offset_seconds) {
      zone->fixed_ = *parsed.offset_seconds;
    } else {
      try {
        zone->region_ = date::locate_zone(parsed.region);
      } catch (const std::exception&) {
        return Status::error("INVALID_TIMEZONE", {{"timeZone", key}});
      }
    }
    return zones_.emplace(key, std::move(zone)).first->second.get();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Zone>> zones_;
};

Result<const Zone*> Zone::find(std::string_view name) {
  static auto* zones = new Zones();
  thread_local std::string last_name;
  thread_local const Zone* last = nullptr;
  if (last != nullptr && last_name == name) return last;
  TRY_ASSIGN(last, zones->find(name));
  last_name = name;
  return last;
}

std::int32_t Zone::offset_seconds(std::int64_t utc_micros) const {
  return region_ == nullptr ? fixed_ : span_at(region_, floor_seconds(utc_micros)).offset;
}

bool Zone::is_daylight(std::int64_t utc_micros) const {
  if (region_ == nullptr) return false;
  const auto* zone = static_cast<const date::time_zone*>(region_);
  const std::int64_t seconds = floor_seconds(utc_micros);
  const std::int64_t shift = year_at(zone, seconds).shift;
  const auto info = zone->get_info(date::sys_seconds(std::chrono::seconds(seconds - shift)));
  return info.save.count() != 0;
}

std::int64_t Zone::to_local(std::int64_t utc_micros) const {
  return utc_micros + offset_seconds(utc_micros) * micros;
}

std::int64_t Zone::from_local(std::int64_t local_micros) const {
  if (region_ == nullptr) return local_micros - fixed_ * micros;
  const auto* zone = static_cast<const date::time_zone*>(region_);
  const std::int64_t seconds = floor_seconds(local_micros);
  // Well inside a span that maps to itself there is only one answer.
  const Span& span = span_at(region_, seconds);
  const std::int64_t guess = seconds - span.offset;
  constexpr std::int64_t day = 86400;
  if (guess >= span.begin + day && guess < span.end - day)
    return local_micros - span.offset * micros;
  const std::int64_t shift = year_at(zone, seconds).shift;
  const auto info = zone->get_info(date::local_seconds(std::chrono::seconds(seconds - shift)));
  return local_micros - info.first.offset.count() * micros;
}

}  // namespace millstream::engine
