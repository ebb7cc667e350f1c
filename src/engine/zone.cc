#include "engine/zone.h"

#include <arrow/vendored/datetime.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace millstream::engine {

namespace date = arrow_vendored::date;

namespace {

constexpr std::int64_t micros = 1000000;

std::int64_t floor_seconds(std::int64_t value) {
  const std::int64_t quotient = value / micros;
  return quotient - (value % micros < 0 ? 1 : 0);
}

std::optional<int> two_digits(std::string_view* text) {
  std::size_t count = 0;
  int value = 0;
  while (count < 2 && count < text->size() && (*text)[count] >= '0' && (*text)[count] <= '9')
    value = value * 10 + ((*text)[count++] - '0');
  if (count == 0) return std::nullopt;
  text->remove_prefix(count);
  return value;
}

// "+8", "+08:00", "-0330", "+08:00:30".
std::optional<std::int32_t> parse_offset(std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  int parts[3] = {0, 0, 0};
  for (int i = 0; i < 3 && !text.empty(); ++i) {
    if (i > 0 && text[0] == ':') text.remove_prefix(1);
    const auto part = two_digits(&text);
    if (!part) return std::nullopt;
    parts[i] = *part;
  }
  if (!text.empty() || parts[0] > 18 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  return sign * (parts[0] * 3600 + parts[1] * 60 + parts[2]);
}

// Java's short names of regions.
std::string_view long_name(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"ACT", "Australia/Darwin"},
      {"AET", "Australia/Sydney"},
      {"AGT", "America/Argentina/Buenos_Aires"},
      {"ART", "Africa/Cairo"},
      {"AST", "America/Anchorage"},
      {"BET", "America/Sao_Paulo"},
      {"BST", "Asia/Dhaka"},
      {"CAT", "Africa/Harare"},
      {"CNT", "America/St_Johns"},
      {"CST", "America/Chicago"},
      {"CTT", "Asia/Shanghai"},
      {"EAT", "Africa/Addis_Ababa"},
      {"ECT", "Europe/Paris"},
      {"IET", "America/Indiana/Indianapolis"},
      {"IST", "Asia/Kolkata"},
      {"JST", "Asia/Tokyo"},
      {"MIT", "Pacific/Apia"},
      {"NET", "Asia/Yerevan"},
      {"NST", "Pacific/Auckland"},
      {"PLT", "Asia/Karachi"},
      {"PNT", "America/Phoenix"},
      {"PRT", "America/Puerto_Rico"},
      {"PST", "America/Los_Angeles"},
      {"SST", "Pacific/Guadalcanal"},
      {"VST", "Asia/Ho_Chi_Minh"},
  };
  for (const auto& [short_name, region] : names) {
    if (name == short_name) return region;
  }
  return name;
}

std::optional<std::int32_t> fixed_offset(std::string_view name) {
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT") return 0;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (name.starts_with(prefix)) return parse_offset(name.substr(prefix.size()));
  }
  return parse_offset(name);
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
  const auto info = zone->get_info(date::sys_seconds(std::chrono::seconds(utc_seconds)));
  last = {region, info.begin.time_since_epoch().count(), info.end.time_since_epoch().count(),
          static_cast<std::int32_t>(info.offset.count())};
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
    if (const auto fixed = fixed_offset(name)) {
      zone->fixed_ = *fixed;
    } else {
      try {
        zone->region_ = date::locate_zone(key);
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
  TRY_ASSIGN(last, zones->find(long_name(name)));
  last_name = name;
  return last;
}

std::int32_t Zone::offset_seconds(std::int64_t utc_micros) const {
  return region_ == nullptr ? fixed_ : span_at(region_, floor_seconds(utc_micros)).offset;
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
  const auto info = zone->get_info(date::local_seconds(std::chrono::seconds(seconds)));
  return local_micros - info.first.offset.count() * micros;
}

}  // namespace millstream::engine
