// java.time.format patterns, the part of them that data files use.
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "format/datetime_text.h"

namespace millstream::format {
namespace {

constexpr std::string_view supported_letters = "yuMLdDHhkKmsSaEXxZVz";
constexpr std::array<std::string_view, 12> month_names = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> day_names = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool take_text(std::string_view& text, std::string_view word) {
  if (!equals_ignore_case(text.substr(0, word.size()), word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// Between `least` and `most` digits, leaving `reserved` for the fixed-width numbers that follow
// without a separator.
bool take_number(std::string_view& text, std::size_t least, std::size_t most, std::size_t reserved,
                 std::int64_t& value) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  if (count < least + reserved) return false;
  count = std::min(count - reserved, most);
  if (count > 18) return false;
  value = 0;
  for (const char c : text.substr(0, count)) value = value * 10 + (c - '0');
  text.remove_prefix(count);
  return true;
}

template <std::size_t N>
bool take_name(std::string_view& text, const std::array<std::string_view, N>& names, bool whole,
               int& index) {
  for (std::size_t i = 0; i < N; ++i) {
    if (take_text(text, whole ? names[i] : names[i].substr(0, 3))) {
      index = static_cast<int>(i) + 1;
      return true;
    }
  }
  return false;
}

}  // namespace

struct DateTimePattern::State {
  std::int64_t year = 1970;
  int month = 1;
  int day = 1;
  int day_of_year = 0;
  int weekday = 0;
  int hour = 0;
  int hour_of_half = -1;
  int half = -1;  // 0 AM, 1 PM
  int minute = 0;
  int second = 0;
  std::int64_t micros = 0;
  bool has_time = false;
  std::optional<TimeZone> zone;
};

Result<DateTimePattern> DateTimePattern::compile(std::string_view pattern) {
  DateTimePattern out;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    Element element;
    if (c == '\'') {
      std::size_t end = at + 1;
      for (; end < pattern.size(); ++end) {
        if (pattern[end] != '\'') {
          element.literal += pattern[end];
        } else if (end + 1 < pattern.size() && pattern[end + 1] == '\'') {
          element.literal += pattern[end++];
        } else {
          break;
        }
      }
      if (end == pattern.size())
        return Status::invalid("the quote in the date-time pattern '{}' is not closed", pattern);
      if (end == at + 1) element.literal = "'";
      at = end + 1;
    } else if (is_letter(c)) {
      if (supported_letters.find(c) == std::string_view::npos) {
        return Status::unsupported("the letter '{}' of the date-time pattern '{}' is not supported",
                                   c, pattern);
      }
      element.letter = c;
      while (at < pattern.size() && pattern[at] == c) {
        ++element.count;
        ++at;
      }
    } else if (c == '[') {
      element.letter = c;
      open.push_back(out.elements_.size());
      ++at;
    } else if (c == ']') {
      if (open.empty())
        return Status::invalid("']' without '[' in the date-time pattern '{}'", pattern);
      out.elements_[open.back()].jump = out.elements_.size();
      open.pop_back();
      element.letter = c;
      ++at;
    } else if (c == '{' || c == '}' || c == '#') {
      return Status::invalid("'{}' is reserved in the date-time pattern '{}'", c, pattern);
    } else {
      element.literal = c;
      ++at;
    }
    out.elements_.push_back(std::move(element));
  }
  if (!open.empty())
    return Status::invalid("'[' without ']' in the date-time pattern '{}'", pattern);
  return out;
}

bool DateTimePattern::parse_from(std::size_t at, std::string_view text, State& state) const {
  for (; at < elements_.size(); ++at) {
    if (elements_[at].letter == ']') continue;
    if (elements_[at].letter == '[') {
      State with = state;
      if (parse_from(at + 1, text, with)) {
        state = with;
        return true;
      }
      at = elements_[at].jump;
      continue;
    }
    if (!parse_one(at, text, state)) return false;
  }
  return text.empty();
}

bool DateTimePattern::parse_one(std::size_t at, std::string_view& text, State& state) const {
  const Element& element = elements_[at];
  if (element.letter == 0) return take_text(text, element.literal);
  // Numbers of fixed width that follow directly keep their digits.
  std::size_t reserved = 0;
  for (std::size_t next = at + 1; next < elements_.size(); ++next) {
    const Element& e = elements_[next];
    if (std::string_view("MdHhkKms").find(e.letter) == std::string_view::npos || e.letter == 0 ||
        e.count != 2)
      break;
    reserved += 2;
  }
  const auto count = static_cast<std::size_t>(element.count);
  std::int64_t value = 0;
  const auto number = [&](int& field, std::int64_t low, std::int64_t high) {
    if (!take_number(text, count == 1 ? 1 : count, count == 1 ? 19 : count,
                     count == 1 ? reserved : 0, value) ||
        value < low || value > high) {
      return false;
    }
    field = static_cast<int>(value);
    return true;
  };
  switch (element.letter) {
    case 'y':
    case 'u': {
      const bool negative = count != 2 && !text.empty() && text[0] == '-';
      const bool plus = count != 2 && !text.empty() && text[0] == '+';
      if (negative || plus) text.remove_prefix(1);
      if (!take_number(text, count == 2 ? 2 : count,
                       count == 2                            ? 2
                       : count == 4 && !plus && reserved > 0 ? 4
                                                             : 9,
                       reserved, value))
        return false;
      state.year = count == 2 ? 2000 + value : negative ? -value : value;
      return true;
    }
    case 'M':
    case 'L':
      if (count >= 3) return take_name(text, month_names, count == 4, state.month);
      return number(state.month, 1, 12);
    case 'd':
      return number(state.day, 1, 31);
    case 'D':
      return number(state.day_of_year, 1, 366);
    case 'E':
      return take_name(text, day_names, count == 4, state.weekday);
    case 'H':
      state.has_time = true;
      return number(state.hour, 0, 23);
    case 'k': {
      state.has_time = true;
      if (!number(state.hour, 1, 24)) return false;
      state.hour %= 24;
      return true;
    }
    case 'h': {
      state.has_time = true;
      if (!number(state.hour_of_half, 1, 12)) return false;
      state.hour_of_half %= 12;
      return true;
    }
    case 'K':
      state.has_time = true;
      return number(state.hour_of_half, 0, 11);
    case 'm':
      state.has_time = true;
      return number(state.minute, 0, 59);
    case 's':
      state.has_time = true;
      return number(state.second, 0, 59);
    case 'S': {
      std::size_t digits = 0;
      while (digits < text.size() && digits < count && is_digit(text[digits])) ++digits;
      if (digits == 0) return false;
      for (std::size_t i = 0; i < 6; ++i) value = value * 10 + (i < digits ? text[i] - '0' : 0);
      text.remove_prefix(digits);
      state.micros = value;
      return true;
    }
    case 'a':
      if (take_text(text, "AM")) {
        state.half = 0;
      } else if (take_text(text, "PM")) {
        state.half = 1;
      } else {
        return false;
      }
      return true;
    default: {  // a zone: as much as can belong to one
      std::size_t end = 0;
      const bool offset_only =
          element.letter == 'X' || element.letter == 'x' || element.letter == 'Z';
      while (end < text.size() &&
             (is_letter(text[end]) || is_digit(text[end]) || text[end] == ':' || text[end] == '+' ||
              text[end] == '-' || text[end] == '/' || text[end] == '_')) {
        ++end;
      }
      const auto name = text.substr(0, end);
      if (name.empty()) return false;
      if (offset_only && name[0] != '+' && name[0] != '-' && name != "Z") return false;
      if (element.letter != 'X' && offset_only && name == "Z") return false;
      auto zone = TimeZone::find(name);
      if (!zone.ok()) return false;
      state.zone = std::move(zone).value();
      text.remove_prefix(end);
      return true;
    }
  }
}

bool DateTimePattern::parse(std::string_view text, Fields& fields) const {
  State state;
  if (!parse_from(0, text, state)) return false;
  if (state.hour_of_half >= 0) {
    if (state.half < 0) return false;
    state.hour = state.hour_of_half + 12 * state.half;
  }
  std::int64_t days;
  if (state.day_of_year > 0) {
    days = days_from_civil(state.year, 1, 1) + state.day_of_year - 1;
    if (civil_from_days(days).year != state.year) return false;
  } else {
    if (!is_valid_date(state.year, state.month, state.day)) return false;
    days = days_from_civil(state.year, state.month, state.day);
  }
  if (state.weekday > 0 && ((days + 3) % 7 + 7) % 7 + 1 != state.weekday) return false;
  fields.local_seconds = days * 86'400 + state.hour * 3600 + state.minute * 60 + state.second;
  fields.micros = state.micros;
  fields.has_time = state.has_time;
  fields.has_zone = state.zone.has_value();
  fields.zone = std::move(state.zone);
  return true;
}

namespace {

std::string offset_text(char letter, int count, std::int64_t offset) {
  if (letter == 'X' && offset == 0) return "Z";
  if (letter == 'z' || letter == 'V') return offset == 0 ? "UTC" : offset_text('x', 3, offset);
  const std::int64_t size = offset < 0 ? -offset : offset;
  std::string text = fmt::format("{}{:02}", offset < 0 ? '-' : '+', size / 3600);
  const std::int64_t minutes = size / 60 % 60;
  if (letter == 'Z') return text + fmt::format("{:02}", minutes);
  if (count == 1) return minutes == 0 ? text : text + fmt::format("{:02}", minutes);
  return text + fmt::format("{}{:02}", count == 3 || count == 5 ? ":" : "", minutes);
}

}  // namespace

std::string DateTimePattern::format(std::int64_t local_micros, std::int64_t offset_seconds) const {
  constexpr std::int64_t day_micros = 86'400'000'000;
  std::int64_t days = local_micros / day_micros;
  std::int64_t rest = local_micros % day_micros;
  if (rest < 0) {
    rest += day_micros;
    --days;
  }
  const CivilDate date = civil_from_days(days);
  const std::int64_t seconds = rest / 1'000'000;
  const std::int64_t hour = seconds / 3600;
  std::string text;
  for (const Element& e : elements_) {
    const auto padded = [&](std::int64_t value) { return fmt::format("{:0{}}", value, e.count); };
    switch (e.letter) {
      case 0:
        text += e.literal;
        break;
      case '[':
      case ']':
        break;
      case 'y':
      case 'u':
        text += e.count == 2 ? fmt::format("{:02}", date.year % 100) : padded(date.year);
        break;
      case 'M':
      case 'L':
        if (e.count >= 3) {
          const auto name = month_names[static_cast<std::size_t>(date.month - 1)];
          text += e.count == 3 ? name.substr(0, 3) : name;
        } else {
          text += padded(date.month);
        }
        break;
      case 'd':
        text += padded(date.day);
        break;
      case 'D':
        text += padded(days - days_from_civil(date.year, 1, 1) + 1);
        break;
      case 'E': {
        const auto name = day_names[static_cast<std::size_t>(((days + 3) % 7 + 7) % 7)];
        text += e.count == 4 ? name : name.substr(0, 3);
        break;
      }
      case 'H':
        text += padded(hour);
        break;
      case 'k':
        text += padded(hour == 0 ? 24 : hour);
        break;
      case 'h':
        text += padded(hour % 12 == 0 ? 12 : hour % 12);
        break;
      case 'K':
        text += padded(hour % 12);
        break;
      case 'm':
        text += padded(seconds / 60 % 60);
        break;
      case 's':
        text += padded(seconds % 60);
        break;
      case 'S':
        text +=
            fmt::format("{:06}000", rest % 1'000'000).substr(0, static_cast<std::size_t>(e.count));
        break;
      case 'a':
        text += hour < 12 ? "AM" : "PM";
        break;
      default:
        text += offset_text(e.letter, e.count, offset_seconds);
    }
  }
  return text;
}

}  // namespace millstream::format
