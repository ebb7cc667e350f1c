#include "engine/text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/ansi_interval.h"
#include "base/text.h"

namespace millstream::engine {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

constexpr std::int64_t second = 1000000;
constexpr std::int64_t day = 86400 * second;

std::string fraction(std::int64_t micros) {
  if (micros == 0) return "";
  std::string text = fmt::format(".{:06}", micros);
  while (text.back() == '0') text.pop_back();
  return text;
}

// Java shows two digits at least, the nearest two where one would do: 4.9E-324; but of a double
// none that begin lower, 1.0E-323. `parse` reads a text as the value's type.
template <typename T, typename Parse>
std::string with_two_digits(T value, const Parse& parse) {
  std::string text = java_text(value);
  const auto zero = text.find(".0E-");
  if (zero == std::string::npos) return text;
  const std::string nearest = fmt::format("{:.1e}", value);
  if (parse(nearest.c_str(), nullptr) != value) return text;
  const int exponent = std::atoi(nearest.c_str() + nearest.find('e') + 1);
  const bool lower = exponent != std::atoi(text.c_str() + zero + 3);
  if (lower && std::is_same_v<T, double>) return text;
  return fmt::format("{}E{}", nearest.substr(0, nearest.find('e')), exponent);
}

}  // namespace

std::string double_text(double value) { return with_two_digits(value, std::strtod); }
std::string decimal_text(std::string digits, int scale) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  const auto places = static_cast<std::size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, 1, '.');
  return negative ? "-" + digits : digits;
}

std::string float_text(float value) { return with_two_digits(value, std::strtof); }

Civil civil_of_days(std::int64_t days) {
  const std::int64_t z = days + 719468;
  const std::int64_t era = floor_div(z, 146097);
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const int month = static_cast<int>(mp < 10 ? mp + 3 : mp - 9);
  return {yoe + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(doy - (153 * mp + 2) / 5 + 1)};
}

std::int64_t days_of_civil(std::int64_t year, int month, int dom) {
  const std::int64_t y = year - (month <= 2 ? 1 : 0);
  const std::int64_t era = floor_div(y, 400);
  const std::int64_t yoe = y - era * 400;
  const std::int64_t doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + dom - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

int days_in_month(std::int64_t year, int month) {
  static constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : lengths[month - 1];
}

std::string date_text(std::int64_t days) {
  const Civil date = civil_of_days(days);
  std::string year;
  if (date.year > 9999) {
    year = fmt::format("+{}", date.year);
  } else {
    year = date.year < 0 ? fmt::format("-{:04}", -date.year) : fmt::format("{:04}", date.year);
  }
  return fmt::format("{}-{:02}-{:02}", year, date.month, date.day);
}

std::string timestamp_text(std::int64_t local_micros) {
  const std::int64_t days = floor_div(local_micros, day);
  const std::int64_t rest = local_micros - days * day;
  const std::int64_t seconds = rest / second;
  return fmt::format("{} {:02}:{:02}:{:02}{}", date_text(days), seconds / 3600, seconds / 60 % 60,
                     seconds % 60, fraction(rest % second));
}

std::string day_time_text(std::int64_t micros, int start, int end) {
  return day_time_interval_text(micros, start, end);
}

std::string calendar_text(std::int64_t months, std::int64_t days, std::int64_t micros) {
  std::string out;
  const auto add = [&](std::int64_t amount, std::string_view unit) {
    if (amount != 0) out += fmt::format("{}{} {}", out.empty() ? "" : " ", amount, unit);
  };
  add(months / 12, "years");
  add(months % 12, "months");
  add(days, "days");
  add(micros / (3600 * second), "hours");
  add(micros / (60 * second) % 60, "minutes");
  const std::int64_t rest = micros % (60 * second);
  if (rest != 0) {
    out += fmt::format("{}{}{}{} seconds", out.empty() ? "" : " ", rest < 0 ? "-" : "",
                       std::abs(rest) / second, fraction(std::abs(rest) % second));
  }
  return out.empty() ? "0 seconds" : out;
}

std::string year_month_text(std::int64_t months, int start, int end) {
  return year_month_interval_text(months, start, end);
}

std::string_view trim_java(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= 0x20) text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= 0x20) text.remove_suffix(1);
  return text;
}

std::string whole_part(std::string_view text) {
  text = trim_java(text);
  const auto point = text.find('.');
  if (point == std::string_view::npos ||
      text.find_first_not_of("0123456789", point + 1) != std::string_view::npos)
    return std::string(text);
  const std::string whole(text.substr(0, point));
  return whole.empty() || whole == "-" || whole == "+" ? "0" : whole;
}

std::optional<std::int64_t> parse_long(std::string_view text) {
  text = trim_java(text);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return std::nullopt;
  }
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<double> parse_double(std::string_view text) {
  text = trim_java(text);
  if (text.empty()) return std::nullopt;
  std::string_view digits = text;
  bool negative = false;
  if (digits[0] == '+' || digits[0] == '-') {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  if (equals_ignore_case(digits, "inf") || equals_ignore_case(digits, "infinity"))
    return negative ? -infinity : infinity;
  if (equals_ignore_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  if (digits.size() > 1 && std::string_view("dDfF").find(digits.back()) != std::string_view::npos)
    digits.remove_suffix(1);
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.'))
    return std::nullopt;
  double value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  if (parsed.ec == std::errc::result_out_of_range) {
    value = std::strtod(std::string(digits).c_str(), nullptr);
  } else if (parsed.ec != std::errc()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<bool> parse_boolean(std::string_view text) {
  text = trim_java(text);
  for (const std::string_view yes : {"t", "true", "y", "yes", "1"}) {
    if (equals_ignore_case(text, yes)) return true;
  }
  for (const std::string_view no : {"f", "false", "n", "no", "0"}) {
    if (equals_ignore_case(text, no)) return false;
  }
  return std::nullopt;
}

namespace {

// Reads `least` to `most` digits off the front.
std::optional<std::int64_t> take_digits(std::string_view* text, std::size_t least,
                                        std::size_t most) {
  std::size_t count = 0;
  std::int64_t value = 0;
  while (count < most && count < text->size() && (*text)[count] >= '0' && (*text)[count] <= '9') {
    value = value * 10 + ((*text)[count++] - '0');
  }
  if (count < least || (count < text->size() && (*text)[count] >= '0' && (*text)[count] <= '9'))
    return std::nullopt;
  text->remove_prefix(count);
  return value;
}

bool take(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

// [+-]y{4,}[-m{1,2}[-d{1,2}]]; what follows the day stays.
std::optional<std::int64_t> take_date(std::string_view* text, std::size_t year_digits,
                                      bool* complete) {
  int sign = 1;
  if (take(text, '-')) {
    sign = -1;
  } else {
    take(text, '+');
  }
  const auto year = take_digits(text, 4, year_digits);
  if (!year) return std::nullopt;
  std::int64_t month = 1;
  std::int64_t dom = 1;
  *complete = false;
  if (take(text, '-')) {
    const auto m = take_digits(text, 1, 2);
    if (!m) return std::nullopt;
    month = *m;
    if (take(text, '-')) {
      const auto d = take_digits(text, 1, 2);
      if (!d) return std::nullopt;
      dom = *d;
      *complete = true;
    }
  }
  const std::int64_t y = sign * *year;
  if (month < 1 || month > 12 || dom < 1 || dom > days_in_month(y, static_cast<int>(month)))
    return std::nullopt;
  return days_of_civil(y, static_cast<int>(month), static_cast<int>(dom));
}

struct Clock {
  std::int64_t micros = 0;
  bool has_seconds = false;
};

// h{1,2}[:m{1,2}[:s{1,2}[.f*]]], as micros of the day.
std::optional<Clock> take_time(std::string_view* text) {
  std::int64_t parts[3] = {0, 0, 0};
  constexpr std::int64_t most[3] = {23, 59, 59};
  std::size_t count = 0;
  do {
    const auto part = take_digits(text, 1, 2);
    if (!part || *part > most[count]) return std::nullopt;
    parts[count++] = *part;
  } while (count < 3 && take(text, ':'));
  Clock clock{((parts[0] * 60 + parts[1]) * 60 + parts[2]) * second, count == 3};
  if (count < 3 || !take(text, '.')) return clock;
  std::int64_t unit = second / 10;
  while (!text->empty() && text->front() >= '0' && text->front() <= '9') {
    clock.micros += (text->front() - '0') * unit;
    unit /= 10;
    text->remove_prefix(1);
  }
  return clock;
}

}  // namespace

std::optional<std::int32_t> parse_date(std::string_view text) {
  text = trim_java(text);
  bool complete = false;
  const auto days = take_date(&text, 7, &complete);
  if (!days) return std::nullopt;
  // After a whole date, a time part may follow and is ignored.
  if (!text.empty() && !(complete && (text[0] == ' ' || text[0] == 'T'))) return std::nullopt;
  if (*days < std::numeric_limits<std::int32_t>::min() ||
      *days > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::int32_t>(*days);
}

// A date, a date and a time, or a time: "T12", "12:30". A zone stands behind seconds only.
std::optional<TimestampParts> parse_timestamp(std::string_view text) {
  text = trim_java(text);
  TimestampParts parts;
  const std::string_view whole = text;
  bool complete = false;
  std::int64_t days = 0;
  if (const auto date = take_date(&text, 6, &complete)) {
    days = *date;
    parts.local_micros = days * day;
    if (text.empty()) return parts;
    if (!complete || (!take(&text, ' ') && !take(&text, 'T'))) return std::nullopt;
  } else {
    text = whole;
    parts.has_date = false;
    if (!take(&text, 'T') && text.find(':') > 2) return std::nullopt;
  }
  const auto time = take_time(&text);
  if (!time || (!text.empty() && !time->has_seconds)) return std::nullopt;
  parts.zone = std::string(trim_java(text));
  parts.local_micros = days * day + time->micros;
  return parts;
}

}  // namespace millstream::engine
