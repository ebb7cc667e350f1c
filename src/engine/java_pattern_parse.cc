// Reading by a Java pattern.
#include <algorithm>

#include "base/text.h"
#include "engine/java_pattern.h"
#include "engine/text.h"
#include "engine/zone_names.h"

namespace millstream::engine {
namespace {

constexpr std::int64_t second = 1000000;
constexpr std::int64_t day = 86400 * second;

}  // namespace

// What a text has said so far.
struct JavaPattern::Fields {
  std::optional<std::int64_t> year, month, dom, doy, hour, half_hour, clock_hour, half_clock,
      minute, seconds;
  std::optional<int> half;  // 0 AM, 1 PM
  std::optional<int> weekday;
  bool before_christ = false;
  std::int64_t micros = 0;
  std::string zone;
  std::string problem;  // a field out of range
};

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a name of at least `shortest` letters in any case; `full`: the whole name, else its first
// three letters.
template <std::size_t N>
std::optional<std::size_t> take_name(std::string_view text, std::size_t* at,
                                     const std::array<std::string_view, N>& names, bool full) {
  for (std::size_t i = 0; i < N; ++i) {
    const auto name = full ? names[i] : names[i].substr(0, 3);
    if (!equals_ignore_case(text.substr(*at, name.size()), name)) continue;
    *at += name.size();
    return i;
  }
  return std::nullopt;
}

// An id, "Europe/Paris"; for the letter z also a name, "CET", if that is longer.
bool take_zone(std::string_view text, char letter, bool full, std::size_t* at, std::string* zone) {
  std::size_t end = *at;
  while (end < text.size() && text[end] != ' ' && text[end] != ']') ++end;
  const std::string_view id = text.substr(*at, end - *at);
  const std::size_t size = !id.empty() && Zone::find(id).ok() ? id.size() : 0;
  std::optional<NamedZone> named;
  if (letter == 'z') named = zone_called(text.substr(*at), full);
  if (named && named->name.size() >= size) {
    *zone = named->zone;
    *at += named->name.size();
    return true;
  }
  *zone = id;
  *at += size;
  return size > 0;
}

// "+08:00", "-0330", "Z".
bool take_offset(std::string_view text, std::size_t* at, bool zulu, std::string* zone) {
  if (*at < text.size() && zulu && (text[*at] == 'Z' || text[*at] == 'z')) {
    ++*at;
    zone->assign(1, 'Z');
    return true;
  }
  std::size_t end = *at;
  if (end >= text.size() || (text[end] != '+' && text[end] != '-')) return false;
  ++end;
  while (end < text.size() && (is_digit(text[end]) || (text[end] == ':' && end + 1 < text.size() &&
                                                       is_digit(text[end + 1]))))
    ++end;
  *zone = std::string(text.substr(*at, end - *at));
  if (!Zone::find(*zone).ok()) return false;
  *at = end;
  return true;
}

}  // namespace

bool JavaPattern::parse_item(std::string_view text, std::size_t* at, std::size_t index,
                             Fields* f) const {
  const Item& item = items_[index];
  if (item.letter == '\0') {
    if (!equals_ignore_case(text.substr(*at, item.literal.size()), item.literal)) return false;
    *at += item.literal.size();
    return true;
  }
  static const auto fixed = [](const Item& i) {
    return i.letter != '\0' && ((i.count == 2 && std::string_view("MLdhKkHms").find(i.letter) !=
                                                     std::string_view::npos) ||
                                (i.letter == 'D' && i.count == 3));
  };
  const bool name = (item.letter == 'M' || item.letter == 'L') && item.count >= 3;
  if (name || item.letter == 'E') {
    const bool full = item.count == 4;
    const auto found =
        name ? take_name(text, at, month_names, full) : take_name(text, at, weekday_names, full);
    if (!found) return false;
    if (name) {
      f->month = static_cast<std::int64_t>(*found) + 1;
    } else {
      f->weekday = static_cast<int>(*found);
    }
    return true;
  }
  if (item.letter == 'a' || item.letter == 'G') {
    const auto two = text.substr(*at, 2);
    const std::string_view first = item.letter == 'a' ? "AM" : "AD";
    const std::string_view other = item.letter == 'a' ? "PM" : "BC";
    const bool is_other = equals_ignore_case(two, other);
    if (!is_other && !equals_ignore_case(two, first)) return false;
    if (item.letter == 'a') {
      f->half = is_other ? 1 : 0;
    } else {
      f->before_christ = is_other;
    }
    *at += 2;
    return true;
  }
  if (item.letter == 'X' || item.letter == 'x' || item.letter == 'Z') {
    return take_offset(text, at, item.letter == 'X' || (item.letter == 'Z' && item.count == 5),
                       &f->zone);
  }
  if (item.letter == 'O') {
    if (!equals_ignore_case(text.substr(*at, 3), "GMT")) return false;
    *at += 3;
    f->zone.assign(1, 'Z');
    if (*at >= text.size() || (text[*at] != '+' && text[*at] != '-')) return true;
    return take_offset(text, at, false, &f->zone);
  }
  if (item.letter == 'V' || item.letter == 'z') {
    return take_zone(text, item.letter, item.count == 4, at, &f->zone);
  }
  std::size_t digits = 0;
  while (*at + digits < text.size() && is_digit(text[*at + digits])) ++digits;
  if (item.letter == 'S') {
    digits = std::min(digits, static_cast<std::size_t>(item.count));
    if (digits == 0) return false;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < 6; ++i) value = value * 10 + (i < digits ? text[*at + i] - '0' : 0);
    f->micros = value;
    *at += digits;
    return true;
  }
  std::size_t least = 1;
  std::size_t most = 18;
  std::size_t sign = 0;
  if (fixed(item) || (item.letter == 'y' && item.count == 2)) {
    least = most = static_cast<std::size_t>(item.count);
  } else if (item.letter == 'y') {
    least = static_cast<std::size_t>(item.count);
    if (*at < text.size() && text[*at] == '+' && item.count >= 4) {
      sign = 1;
      digits = 0;
      while (*at + 1 + digits < text.size() && is_digit(text[*at + 1 + digits])) ++digits;
      if (digits <= 4) return false;
    } else if (item.count == 4) {
      // More digits than the pad need a sign, unless the next numbers claim theirs.
      most = 18;
    }
  }
  if (most > least || !fixed(item)) {
    // Numbers of fixed width that follow at once keep their digits.
    std::size_t reserved = 0;
    for (std::size_t next = index + 1; next < items_.size() && fixed(items_[next]); ++next)
      reserved += static_cast<std::size_t>(items_[next].count);
    if (most > least && reserved > 0 && digits > reserved)
      digits = std::max(least, digits - reserved);
  }
  const std::size_t take = std::min(digits, most);
  if (take < least) return false;
  if (item.letter == 'y' && item.count == 4 && sign == 0 && take > 4) return false;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < take; ++i) value = value * 10 + (text[*at + sign + i] - '0');
  *at += sign + take;
  switch (item.letter) {
    case 'y':
      f->year = item.count == 2 ? 2000 + value : value;
      break;
    case 'M':
    case 'L':
      f->month = value;
      break;
    case 'd':
      f->dom = value;
      break;
    case 'D':
      f->doy = value;
      break;
    case 'H':
      f->hour = value;
      break;
    case 'K':
      f->half_hour = value;
      break;
    case 'k':
      f->clock_hour = value;
      break;
    case 'h':
      f->half_clock = value;
      break;
    case 'm':
      f->minute = value;
      break;
    case 's':
      f->seconds = value;
      break;
    default:
      return false;
  }
  return true;
}

bool JavaPattern::parse_items(std::string_view text, std::size_t* at, std::size_t first,
                              std::size_t last, Fields* fields) const {
  for (std::size_t i = first; i < last; ++i) {
    if (items_[i].letter == ']') continue;
    if (items_[i].letter != '[') {
      if (!parse_item(text, at, i, fields)) return false;
      continue;
    }
    std::size_t close = i + 1;
    for (int depth = 1; close < last; ++close) {
      if (items_[close].letter == '[') ++depth;
      if (items_[close].letter == ']' && --depth == 0) break;
    }
    std::size_t inner = *at;
    Fields kept = *fields;
    if (parse_items(text, &inner, i + 1, close, fields)) {
      *at = inner;
    } else {
      *fields = kept;
    }
    i = close;
  }
  return true;
}

Result<JavaPattern::Parsed> JavaPattern::parse(std::string_view text, const Zone& zone) const {
  Fields f;
  std::size_t at = 0;
  Parsed out;
  const std::string shown = fmt::format("{}{}", text.substr(0, 64), text.size() > 64 ? "..." : "");
  if (!parse_items(text, &at, 0, items_.size(), &f)) {
    out.problem = fmt::format("Text '{}' could not be parsed at index {}", shown, at);
    return out;
  }
  if (at < text.size()) {
    out.problem =
        fmt::format("Text '{}' could not be parsed, unparsed text found at index {}", shown, at);
    return out;
  }
  const auto range = [&](const std::optional<std::int64_t>& value, std::int64_t low,
                         std::int64_t high, std::string_view name) {
    if (!value || (*value >= low && *value <= high) || !out.problem.empty()) return;
    out.problem = fmt::format(
        "Text '{}' could not be parsed: Invalid value for {} (valid values {} - {}): {}", shown,
        name, low, high, *value);
  };
  range(f.month, 1, 12, "MonthOfYear");
  if (f.dom && (*f.dom < 1 || *f.dom > 31) && out.problem.empty()) {
    out.problem = fmt::format(
        "Text '{}' could not be parsed: Invalid value for DayOfMonth (valid values 1 - 28/31): {}",
        shown, *f.dom);
  }
  if (f.doy && (*f.doy < 1 || *f.doy > 366) && out.problem.empty()) {
    out.problem = fmt::format(
        "Text '{}' could not be parsed: Invalid value for DayOfYear (valid values 1 - 365/366): {}",
        shown, *f.doy);
  }
  range(f.hour, 0, 23, "HourOfDay");
  range(f.clock_hour, 1, 24, "ClockHourOfDay");
  range(f.half_hour, 0, 11, "HourOfAmPm");
  range(f.half_clock, 1, 12, "ClockHourOfAmPm");
  range(f.minute, 0, 59, "MinuteOfHour");
  range(f.seconds, 0, 59, "SecondOfMinute");
  if (!out.problem.empty()) return out;
  std::int64_t year = f.year.value_or(1970);
  if (f.before_christ) year = 1 - year;
  const auto month = static_cast<int>(f.month.value_or(1));
  const auto dom = static_cast<int>(f.dom.value_or(1));
  std::int64_t days = 0;
  if (f.doy && !f.month && !f.dom) {
    days = days_of_civil(year, 1, 1) + *f.doy - 1;
  } else if (dom > days_in_month(year, month)) {
    out.problem =
        dom == 29 ? fmt::format(
                        "Text '{}' could not be parsed: Invalid date 'February 29' as '{}' is not "
                        "a leap year",
                        shown, year)
                  : fmt::format("Text '{}' could not be parsed: Invalid date '{} {}'", shown,
                                to_upper(month_names[static_cast<std::size_t>(month - 1)]), dom);
    return out;
  } else {
    days = days_of_civil(year, month, dom);
  }
  if (f.weekday && weekday_of(days) != *f.weekday) {
    out.problem = fmt::format(
        "Text '{}' could not be parsed: Conflict found: the day of the week is not that of the "
        "date",
        shown);
    return out;
  }
  std::int64_t hour = f.hour.value_or(f.clock_hour ? *f.clock_hour % 24 : 0);
  if (f.half_clock || f.half_hour)
    hour = (f.half_clock ? *f.half_clock % 12 : *f.half_hour) + 12 * f.half.value_or(0);
  const std::int64_t local =
      days * day + ((hour * 60 + f.minute.value_or(0)) * 60 + f.seconds.value_or(0)) * second +
      f.micros;
  if (f.zone.empty()) {
    out.utc_micros = zone.from_local(local);
    return out;
  }
  TRY_ASSIGN(const Zone* own, Zone::find(f.zone));
  out.utc_micros = own->from_local(local);
  return out;
}

}  // namespace millstream::engine
