#include "engine/java_pattern.h"

#include <array>
#include <unordered_map>

#include "base/text.h"
#include "engine/text.h"

namespace millstream::engine {
namespace {

constexpr std::array<std::string_view, 12> months = {"January", "February", "March",     "April",   "May",      "June",
                                                     "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> weekdays = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

constexpr std::int64_t second = 1000000;
constexpr std::int64_t day = 86400 * second;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Status unrecognized(std::string_view pattern) {
  return Status::error("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
                       {{"pattern", "'" + std::string(pattern) + "'"},
                        {"config", "\"spark.sql.legacy.timeParserPolicy\""},
                        {"docroot", "https://spark.apache.org/docs/latest"}});
}

std::string offset_text(std::int32_t offset, bool colon, bool minutes, bool seconds) {
  const char sign = offset < 0 ? '-' : '+';
  const int value = std::abs(offset);
  std::string out = fmt::format("{}{:02}", sign, value / 3600);
  if (minutes) out += fmt::format("{}{:02}", colon ? ":" : "", value / 60 % 60);
  if (seconds && value % 60 != 0) out += fmt::format("{}{:02}", colon ? ":" : "", value % 60);
  return out;
}

// X, x and Z by their counts.
std::string zone_offset(char letter, int count, std::int32_t offset) {
  if (letter == 'X' && offset == 0) return "Z";
  if (letter == 'Z') return count == 5 ? (offset == 0 ? "Z" : offset_text(offset, true, true, true)) : offset_text(offset, false, true, false);
  switch (count) {
    case 1:
      return offset_text(offset, false, offset % 3600 != 0, false);
    case 2:
      return offset_text(offset, false, true, false);
    case 3:
      return offset_text(offset, true, true, false);
    case 4:
      return offset_text(offset, false, true, true);
    default:
      return offset_text(offset, true, true, true);
  }
}

struct Clock {
  Civil date;
  std::int64_t days;
  int hour;
  int minute;
  int second_of_minute;
  std::int64_t micros;
};

Clock clock_of(std::int64_t local) {
  const std::int64_t days = floor_div(local, day);
  const std::int64_t rest = local - days * day;
  const auto seconds = static_cast<int>(rest / second);
  return {civil_of_days(days), days, seconds / 3600, seconds / 60 % 60, seconds % 60, rest % second};
}

int weekday_of(std::int64_t days) { return static_cast<int>(((days + 3) % 7 + 7) % 7); }  // Monday 0

std::string number(std::int64_t value, int width) { return fmt::format("{:0{}}", value, width); }

std::string year_text(std::int64_t year, int count) {
  const std::int64_t of_era = year > 0 ? year : 1 - year;
  if (count == 2) return number(of_era % 100, 2);
  std::string out = number(of_era, count);
  return count >= 4 && static_cast<int>(out.size()) > count ? "+" + out : out;
}

}  // namespace

Result<std::shared_ptr<const JavaPattern>> JavaPattern::compile(std::string_view text, bool for_parsing) {
  auto made = std::make_shared<JavaPattern>();
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      std::size_t end = i;
      while (end < text.size() && text[end] == c) ++end;
      if (std::string_view("YWwuec").find(c) != std::string_view::npos) {
        return Status::error("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN", {{"c", std::string(1, c)}});
      }
      if (std::string_view("GyDMLdQqEFahKkHmsSVzOXxZ").find(c) == std::string_view::npos) return unrecognized(text);
      const int count = static_cast<int>(end - i);
      const int most = c == 'y' ? 6 : c == 'S' ? 9 : c == 'E' || c == 'M' || c == 'L' || c == 'G' ? 4 : c == 'D' ? 3 : c == 'X' || c == 'x' || c == 'Z' ? 5 : c == 'z' || c == 'Q' || c == 'q' || c == 'O' ? 4 : c == 'a' || c == 'F' ? 1 : 2;
      if (count > most) return unrecognized(text);
      if (std::string_view("QqFzO").find(c) != std::string_view::npos && for_parsing) {
        return Status::unsupported("the date pattern letter {} is not supported when reading", c);
      }
      made->items_.push_back({c, count, {}});
      i = end;
      continue;
    }
    std::string literal;
    if (c == '\'') {
      ++i;
      if (i < text.size() && text[i] == '\'') {
        literal = "'";
        ++i;
      } else {
        while (true) {
          if (i >= text.size()) return unrecognized(text);
          if (text[i] == '\'') {
            ++i;
            if (i >= text.size() || text[i] != '\'') break;
          }
          literal += text[i++];
        }
      }
    } else if (c == '[' || c == ']') {
      depth += c == '[' ? 1 : -1;
      if (depth < 0) return unrecognized(text);
      made->items_.push_back({c, 0, {}});
      ++i;
      continue;
    } else if (c == '{' || c == '}' || c == '#') {
      return unrecognized(text);
    } else {
      literal = c;
      ++i;
    }
    made->items_.push_back({'\0', 0, literal});
  }
  return std::shared_ptr<const JavaPattern>(made);
}

Result<std::shared_ptr<const JavaPattern>> JavaPattern::get(std::string_view text, bool for_parsing) {
  constexpr std::size_t kept_max = 64;
  thread_local std::unordered_map<std::string, std::shared_ptr<const JavaPattern>> kept[2];
  thread_local std::shared_ptr<const JavaPattern> last[2];
  thread_local std::string last_text[2];
  const std::size_t kind = for_parsing ? 1 : 0;
  if (last[kind] != nullptr && last_text[kind] == text) return last[kind];
  auto& patterns = kept[kind];
  auto found = patterns.find(std::string(text));
  if (found == patterns.end()) {
    if (patterns.size() >= kept_max) patterns.clear();
    TRY_ASSIGN(auto made, compile(text, for_parsing));
    found = patterns.emplace(std::string(text), std::move(made)).first;
  }
  last[kind] = found->second;
  last_text[kind] = std::string(text);
  return found->second;
}

Result<std::string> JavaPattern::format(std::int64_t utc_micros, const Zone& zone, std::string_view zone_name) const {
  const Clock clock = clock_of(zone.to_local(utc_micros));
  std::string out;
  for (const auto& item : items_) {
    const int n = item.count;
    switch (item.letter) {
      case '\0':
        out += item.literal;
        break;
      case 'G':
        out += clock.date.year > 0 ? (n == 4 ? "Anno Domini" : "AD") : (n == 4 ? "Before Christ" : "BC");
        break;
      case 'y':
        out += year_text(clock.date.year, n);
        break;
      case 'M':
      case 'L': {
        const auto name = months[static_cast<std::size_t>(clock.date.month - 1)];
        out += n <= 2 ? number(clock.date.month, n) : std::string(n == 3 ? name.substr(0, 3) : name);
        break;
      }
      case 'd':
        out += number(clock.date.day, n);
        break;
      case 'D':
        out += number(clock.days - days_of_civil(clock.date.year, 1, 1) + 1, n);
        break;
      case 'Q':
      case 'q': {
        const int quarter = (clock.date.month + 2) / 3;
        static constexpr std::array<std::string_view, 4> names = {"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"};
        out += n <= 2 ? number(quarter, n) : n == 3 ? fmt::format("Q{}", quarter) : std::string(names[static_cast<std::size_t>(quarter - 1)]);
        break;
      }
      case 'E': {
        const auto name = weekdays[static_cast<std::size_t>(weekday_of(clock.days))];
        out += n == 4 ? name : name.substr(0, 3);
        break;
      }
      case 'F':
        out += number((clock.date.day - 1) % 7 + 1, n);
        break;
      case 'a':
        out += clock.hour < 12 ? "AM" : "PM";
        break;
      case 'h':
        out += number((clock.hour + 11) % 12 + 1, n);
        break;
      case 'K':
        out += number(clock.hour % 12, n);
        break;
      case 'k':
        out += number((clock.hour + 23) % 24 + 1, n);
        break;
      case 'H':
        out += number(clock.hour, n);
        break;
      case 'm':
        out += number(clock.minute, n);
        break;
      case 's':
        out += number(clock.second_of_minute, n);
        break;
      case 'S':
        out += fmt::format("{:06}000", clock.micros).substr(0, static_cast<std::size_t>(n));
        break;
      case 'V':
        out += zone_name;
        break;
      case 'X':
      case 'x':
      case 'Z':
        if (item.letter == 'Z' && n == 4) return Status::unsupported("the date pattern ZZZZ is not supported");
        out += zone_offset(item.letter, n, zone.offset_seconds(utc_micros));
        break;
      case '[':
      case ']':
        break;
      default:
        return Status::unsupported("the date pattern letter {} is not supported", item.letter);
    }
  }
  return out;
}

// What a text has said so far.
struct JavaPattern::Fields {
  std::optional<std::int64_t> year, month, dom, doy, hour, half_hour, clock_hour, half_clock, minute, seconds;
  std::optional<int> half;  // 0 AM, 1 PM
  std::optional<int> weekday;
  bool before_christ = false;
  std::int64_t micros = 0;
  std::string zone;
  std::string problem;  // a field out of range
};

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a name of at least `shortest` letters in any case; `full`: the whole name, else its first three letters.
template <std::size_t N>
std::optional<std::size_t> take_name(std::string_view text, std::size_t* at, const std::array<std::string_view, N>& names, bool full) {
  for (std::size_t i = 0; i < N; ++i) {
    const auto name = full ? names[i] : names[i].substr(0, 3);
    if (!equals_ignore_case(text.substr(*at, name.size()), name)) continue;
    *at += name.size();
    return i;
  }
  return std::nullopt;
}

// "+08:00", "-0330", "Z".
bool take_offset(std::string_view text, std::size_t* at, bool zulu, std::string* zone) {
  if (*at < text.size() && zulu && (text[*at] == 'Z' || text[*at] == 'z')) {
    ++*at;
    *zone = "Z";
    return true;
  }
  std::size_t end = *at;
  if (end >= text.size() || (text[end] != '+' && text[end] != '-')) return false;
  ++end;
  while (end < text.size() && (is_digit(text[end]) || (text[end] == ':' && end + 1 < text.size() && is_digit(text[end + 1])))) ++end;
  *zone = std::string(text.substr(*at, end - *at));
  if (!Zone::find(*zone).ok()) return false;
  *at = end;
  return true;
}

}  // namespace

bool JavaPattern::parse_item(std::string_view text, std::size_t* at, std::size_t index, Fields* f) const {
  const Item& item = items_[index];
  if (item.letter == '\0') {
    if (!equals_ignore_case(text.substr(*at, item.literal.size()), item.literal)) return false;
    *at += item.literal.size();
    return true;
  }
  static const auto fixed = [](const Item& i) {
    return i.letter != '\0' && ((i.count == 2 && std::string_view("MLdhKkHms").find(i.letter) != std::string_view::npos) || (i.letter == 'D' && i.count == 3));
  };
  const bool name = (item.letter == 'M' || item.letter == 'L') && item.count >= 3;
  if (name || item.letter == 'E') {
    const bool full = item.count == 4;
    const auto found = name ? take_name(text, at, months, full) : take_name(text, at, weekdays, full);
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
    return take_offset(text, at, item.letter == 'X' || (item.letter == 'Z' && item.count == 5), &f->zone);
  }
  if (item.letter == 'V') {
    std::size_t end = *at;
    while (end < text.size() && text[end] != ' ' && text[end] != ']') ++end;
    f->zone = std::string(text.substr(*at, end - *at));
    if (f->zone.empty() || !Zone::find(f->zone).ok()) return false;
    *at = end;
    return true;
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
    for (std::size_t next = index + 1; next < items_.size() && fixed(items_[next]); ++next) reserved += static_cast<std::size_t>(items_[next].count);
    if (most > least && reserved > 0 && digits > reserved) digits = std::max(least, digits - reserved);
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

bool JavaPattern::parse_items(std::string_view text, std::size_t* at, std::size_t first, std::size_t last, Fields* fields) const {
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
  const std::string shown = text.size() > 64 ? std::string(text.substr(0, 64)) + "..." : std::string(text);
  if (!parse_items(text, &at, 0, items_.size(), &f)) {
    out.problem = fmt::format("Text '{}' could not be parsed at index {}", shown, at);
    return out;
  }
  if (at < text.size()) {
    out.problem = fmt::format("Text '{}' could not be parsed, unparsed text found at index {}", shown, at);
    return out;
  }
  const auto range = [&](const std::optional<std::int64_t>& value, std::int64_t low, std::int64_t high, std::string_view name) {
    if (!value || (*value >= low && *value <= high) || !out.problem.empty()) return;
    out.problem = fmt::format("Text '{}' could not be parsed: Invalid value for {} (valid values {} - {}): {}", shown, name, low, high, *value);
  };
  range(f.month, 1, 12, "MonthOfYear");
  if (f.dom && (*f.dom < 1 || *f.dom > 31) && out.problem.empty()) {
    out.problem = fmt::format("Text '{}' could not be parsed: Invalid value for DayOfMonth (valid values 1 - 28/31): {}", shown, *f.dom);
  }
  if (f.doy && (*f.doy < 1 || *f.doy > 366) && out.problem.empty()) {
    out.problem = fmt::format("Text '{}' could not be parsed: Invalid value for DayOfYear (valid values 1 - 365/366): {}", shown, *f.doy);
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
    out.problem = dom == 29 ? fmt::format("Text '{}' could not be parsed: Invalid date 'February 29' as '{}' is not a leap year", shown, year)
                            : fmt::format("Text '{}' could not be parsed: Invalid date '{} {}'", shown, to_upper(months[static_cast<std::size_t>(month - 1)]), dom);
    return out;
  } else {
    days = days_of_civil(year, month, dom);
  }
  if (f.weekday && weekday_of(days) != *f.weekday) {
    out.problem = fmt::format("Text '{}' could not be parsed: Conflict found: the day of the week is not that of the date", shown);
    return out;
  }
  std::int64_t hour = f.hour.value_or(f.clock_hour ? *f.clock_hour % 24 : 0);
  if (f.half_clock || f.half_hour) hour = (f.half_clock ? *f.half_clock % 12 : *f.half_hour) + 12 * f.half.value_or(0);
  const std::int64_t local = days * day + ((hour * 60 + f.minute.value_or(0)) * 60 + f.seconds.value_or(0)) * second + f.micros;
  if (f.zone.empty()) {
    out.utc_micros = zone.from_local(local);
    return out;
  }
  TRY_ASSIGN(const Zone* own, Zone::find(f.zone));
  out.utc_micros = own->from_local(local);
  return out;
}

}  // namespace millstream::engine
