#include "format/datetime_text.h"

#include <fmt/format.h>

#include <chrono>

#include "base/text.h"

namespace millstream::format {
namespace {

constexpr std::int64_t day_seconds = 86'400;
constexpr std::int64_t second_micros = 1'000'000;

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// UTF8String.trimAll: white space and ISO control characters.
std::string_view trim_all(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_valid_time(int hour, int minute, int second) {
  return hour < 24 && minute < 60 && second < 60;
}

// What Spark's parser of timestamps finds in a text.
struct Parts {
  int segment[9] = {1, 1, 1, 0, 0, 0, 0, 0, 0};  // year … second, micros
  std::string_view zone;
  bool has_zone = false;
  bool only_time = false;
};

bool valid_digits(int segment, int digits) {
  if (segment == 6) return true;
  if (segment == 0) return digits >= 4 && digits <= 6;
  if (segment == 7) return digits <= 2;
  return digits > 0 && digits <= 2;
}

// Parses as Spark's DateTimeUtils.parseTimestampString does, segment by segment.
class TimestampScanner {
 public:
  explicit TimestampScanner(std::string_view text) : text_(trim_all(text)) {}

  bool scan(Parts& parts) {
    if (text_.empty()) return false;
    std::size_t at = 0;
    int sign = 1;
    bool signed_year = false;
    if (text_[0] == '-' || text_[0] == '+') {
      sign = text_[0] == '-' ? -1 : 1;
      signed_year = true;
      at = 1;
    }
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (is_digit(c)) {
        if (segment_ == 6) ++fraction_digits_;
        if (segment_ == 6 ? digits_ < 6 : digits_ < 9) value_ = value_ * 10 + (c - '0');
        ++digits_;
      } else if (at == 0 && c == 'T') {
        parts.only_time = true;
        segment_ = 3;
      } else if (segment_ == 0 && c == ':' && !signed_year) {
        parts.only_time = true;
        segment_ = 3;
        if (!end_segment(parts)) return false;
      } else if (separates(c)) {
        if (!end_segment(parts)) return false;
      } else if (segment_ == 5 || segment_ == 6) {
        if (!end_segment(parts)) return false;
        segment_ = 7;
        parts.zone = text_.substr(at);
        parts.has_zone = true;
        break;
      } else {
        return false;
      }
    }
    if (segment_ > 8 || !valid_digits(segment_, digits_)) return false;
    parts.segment[segment_] = value_;
    for (; fraction_digits_ < 6; ++fraction_digits_) parts.segment[6] *= 10;
    parts.segment[0] *= sign;
    return true;
  }

 private:
  bool separates(char c) const {
    switch (segment_) {
      case 0:
      case 1:
        return c == '-';
      case 2:
        return c == ' ' || c == 'T';
      case 3:
      case 4:
        return c == ':';
      case 5:
        return c == '.';
      default:
        return false;
    }
  }
  bool end_segment(Parts& parts) {
    if (!valid_digits(segment_, digits_)) return false;
    parts.segment[segment_++] = value_;
    value_ = 0;
    digits_ = 0;
    return true;
  }

  std::string_view text_;
  int segment_ = 0;
  int value_ = 0;
  int digits_ = 0;
  int fraction_digits_ = 0;
};

bool in_range(std::int64_t seconds) {
  return seconds <= 9'223'372'036'854LL && seconds >= -9'223'372'036'854LL;
}

}  // namespace

std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

CivilDate civil_from_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  date.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

bool is_valid_date(std::int64_t year, int month, int day) {
  static constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= lengths[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool parse_date_lenient(std::string_view text, std::int32_t& days) {
  text = trim_all(text);
  if (text.empty()) return false;
  std::int64_t segments[3] = {1, 1, 1};
  int segment = 0;
  int digits = 0;
  std::int64_t value = 0;
  std::size_t at = 0;
  std::int64_t sign = 1;
  if (text[0] == '-' || text[0] == '+') {
    sign = text[0] == '-' ? -1 : 1;
    at = 1;
  }
  const auto valid = [&] {
    return segment == 0 ? digits >= 4 && digits <= 7 : digits > 0 && digits <= 2;
  };
  for (; at < text.size() && text[at] != ' ' && text[at] != 'T'; ++at) {
    if (segment < 2 && text[at] == '-') {
      if (!valid()) return false;
      segments[segment++] = value;
      value = 0;
      digits = 0;
    } else {
      if (!is_digit(text[at]) || digits > 9) return false;
      value = value * 10 + (text[at] - '0');
      ++digits;
    }
  }
  if (!valid() || (segment < 2 && at < text.size())) return false;
  segments[segment] = value;
  const auto month = static_cast<int>(segments[1]);
  const auto day = static_cast<int>(segments[2]);
  if (!is_valid_date(sign * segments[0], month, day)) return false;
  days = static_cast<std::int32_t>(days_from_civil(sign * segments[0], month, day));
  return true;
}

bool parse_timestamp_lenient(std::string_view text, const TimeZone& zone, std::int64_t& micros) {
  Parts parts;
  if (!TimestampScanner(text).scan(parts)) return false;
  const int* s = parts.segment;
  if (!is_valid_time(s[3], s[4], s[5])) return false;
  std::int64_t days;
  const TimeZone* in = &zone;
  std::optional<TimeZone> given;
  if (parts.has_zone) {
    const auto zone_text = trim(parts.zone);
    if (zone_text == "Z") {
      given = TimeZone::fixed(0);
    } else {
      auto found = TimeZone::find(zone_text);
      if (!found.ok()) return false;
      given = std::move(found).value();
    }
    in = &*given;
  }
  if (parts.only_time) {
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    const std::int64_t local = now + in->offset_at(now);
    days = local >= 0 ? local / day_seconds : (local - day_seconds + 1) / day_seconds;
  } else {
    if (!is_valid_date(s[0], s[1], s[2])) return false;
    days = days_from_civil(s[0], s[1], s[2]);
  }
  const std::int64_t local = days * day_seconds + s[3] * 3600 + s[4] * 60 + s[5];
  const std::int64_t seconds = local - in->offset_of_local(local);
  if (!in_range(seconds)) return false;
  micros = seconds * second_micros + s[6];
  return true;
}

bool parse_timestamp_ntz_lenient(std::string_view text, std::int64_t& micros) {
  Parts parts;
  if (!TimestampScanner(text).scan(parts)) return false;
  const int* s = parts.segment;
  if (parts.only_time || parts.has_zone || !is_valid_time(s[3], s[4], s[5]) ||
      !is_valid_date(s[0], s[1], s[2])) {
    return false;
  }
  const std::int64_t seconds =
      days_from_civil(s[0], s[1], s[2]) * day_seconds + s[3] * 3600 + s[4] * 60 + s[5];
  if (!in_range(seconds)) return false;
  micros = seconds * second_micros + s[6];
  return true;
}

std::string date_text(std::int32_t days) {
  const CivilDate date = civil_from_days(days);
  const std::int64_t year = date.year < 0 ? -date.year : date.year;
  const char* sign = date.year < 0 ? "-" : date.year > 9999 ? "+" : "";
  return fmt::format("{}{:04}-{:02}-{:02}", sign, year, date.month, date.day);
}

std::string timestamp_text(std::int64_t local_micros) {
  std::int64_t days = local_micros / (day_seconds * second_micros);
  std::int64_t rest = local_micros % (day_seconds * second_micros);
  if (rest < 0) {
    rest += day_seconds * second_micros;
    --days;
  }
  const std::int64_t seconds = rest / second_micros;
  std::string text = fmt::format("{} {:02}:{:02}:{:02}", date_text(static_cast<std::int32_t>(days)),
                                 seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (const std::int64_t fraction = rest % second_micros; fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    while (text.back() == '0') text.pop_back();
  }
  return text;
}

}  // namespace millstream::format
