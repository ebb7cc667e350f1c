// Time zones by Spark's names, over the tz library that Arrow carries and the system's zone files.
#include <arrow/vendored/datetime.h>

#include <map>

#include "base/text.h"
#include "format/datetime_text.h"

namespace millstream::format {
namespace {

namespace date = arrow_vendored::date;

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// h, hh, hh:mm, hh:mm:ss, hhmm, hhmmss, with one digit where Java would want two.
std::optional<std::int64_t> parse_offset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const std::int64_t sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  std::int64_t parts[3] = {0, 0, 0};
  std::size_t count = 0;
  if (text.find(':') != std::string_view::npos) {
    for (const auto& part : split(text, ':')) {
      if (count == 3 || part.empty() || part.size() > 2) return std::nullopt;
      for (const char c : part) {
        if (!is_digit(c)) return std::nullopt;
        parts[count] = parts[count] * 10 + (c - '0');
      }
      ++count;
    }
  } else {
    for (const char c : text) {
      if (!is_digit(c)) return std::nullopt;
    }
    if (text.size() > 6 || text.size() == 3 || text.size() == 5) return std::nullopt;
    if (text.size() == 1) {
      parts[0] = text[0] - '0';
    } else {
      for (std::size_t i = 0; i < text.size(); i += 2)
        parts[i / 2] = (text[i] - '0') * 10 + (text[i + 1] - '0');
    }
  }
  if (parts[1] > 59 || parts[2] > 59) return std::nullopt;
  const std::int64_t seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
  if (seconds > 18 * 3600) return std::nullopt;
  return sign * seconds;
}

// java.time.ZoneId.SHORT_IDS.
const std::map<std::string_view, std::string_view>& short_ids() {
  static const std::map<std::string_view, std::string_view> ids = {
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
      {"EST", "-05:00"},
      {"MST", "-07:00"},
      {"HST", "-10:00"},
  };
  return ids;
}

}  // namespace

TimeZone TimeZone::fixed(std::int64_t offset_seconds) {
  TimeZone zone;
  zone.fixed_ = offset_seconds;
  return zone;
}

Result<TimeZone> TimeZone::find(std::string_view name) {
  const auto given = name;
  if (const auto short_id = short_ids().find(name); short_id != short_ids().end())
    name = short_id->second;
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT" || name == "Etc/UTC")
    return fixed(0);
  std::string_view offset = name;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size()) {
      offset = name.substr(prefix.size());
      break;
    }
  }
  if (const auto seconds = parse_offset(offset)) return fixed(*seconds);
  try {
    TimeZone zone;
    zone.region_ = date::locate_zone(name);
    return zone;
  } catch (const std::exception&) {
    return Status::invalid("'{}' is not a time zone", given);
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
