#include "sql/datetime.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace millstream::sql {
namespace {

constexpr std::int64_t second_us = 1'000'000;
constexpr std::int64_t day_us = 86'400 * second_us;

std::int64_t days_from_civil(std::int64_t y, int m, int d) {
  y -= m <= 2 ? 1 : 0;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t yoe = y - era * 400;
  const std::int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

bool valid_date(std::int64_t y, int m, int d) {
  if (m < 1 || m > 12 || d < 1) return false;
  static constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
  const int most = days[static_cast<std::size_t>(m - 1)] + (m == 2 && leap ? 1 : 0);
  return d <= most;
}

// Reads digits, at most `most` of them, at least one.
std::optional<std::int64_t> digits(std::string_view text, std::size_t& at, std::size_t most) {
  std::int64_t value = 0;
  std::size_t count = 0;
  while (at < text.size() && count < most && text[at] >= '0' && text[at] <= '9') {
    value = value * 10 + (text[at++] - '0');
    ++count;
  }
  if (count == 0) return std::nullopt;
  return value;
}

// [+-]y*-m*-d*; `at` ends after it.
std::optional<std::int64_t> read_date(std::string_view text, std::size_t& at) {
  std::int64_t sign = 1;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) sign = text[at++] == '-' ? -1 : 1;
  const std::size_t year_at = at;
  const auto year = digits(text, at, 7);
  if (!year || at - year_at < 4) return std::nullopt;
  std::int64_t month = 1;
  std::int64_t day = 1;
  if (at < text.size() && text[at] == '-') {
    const auto m = digits(text, ++at, 2);
    if (!m) return std::nullopt;
    month = *m;
    if (at < text.size() && text[at] == '-') {
      const auto d = digits(text, ++at, 2);
      if (!d) return std::nullopt;
      day = *d;
    }
  }
  if (!valid_date(sign * *year, static_cast<int>(month), static_cast<int>(day)))
    return std::nullopt;
  return days_from_civil(sign * *year, static_cast<int>(month), static_cast<int>(day));
}

// hh[:mm[:ss[.ffffff]]]
std::optional<std::int64_t> read_time(std::string_view text, std::size_t& at, bool* has_seconds) {
  std::array<std::int64_t, 3> parts{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0) {
      if (at >= text.size() || text[at] != ':') break;
      *has_seconds = i == 2;
      ++at;
    }
    const auto part = digits(text, at, 2);
    if (!part) return std::nullopt;
    parts[i] = *part;
  }
  if (parts[0] > 23 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  std::int64_t micros = (parts[0] * 3600 + parts[1] * 60 + parts[2]) * second_us;
  if (at < text.size() && text[at] == '.') {
    ++at;
    std::int64_t unit = 100'000;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      micros += (text[at++] - '0') * unit;
      unit /= 10;
    }
  }
  return micros;
}

std::optional<std::int64_t> read_offset(std::string_view zone) {
  if (zone == "Z" || zone == "UTC" || zone == "GMT") return 0;
  for (const char* prefix : {"UTC", "GMT"}) {
    if (zone.starts_with(prefix)) zone.remove_prefix(3);
  }
  if (zone.size() < 2 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const std::int64_t sign = zone[0] == '-' ? -1 : 1;
  std::size_t at = 1;
  const auto hours = digits(zone, at, 2);
  std::int64_t minutes = 0;
  if (at < zone.size() && zone[at] == ':') ++at;
  if (at < zone.size()) {
    const auto m = digits(zone, at, 2);
    if (!m) return std::nullopt;
    minutes = *m;
  }
  if (!hours || *hours > 18 || minutes > 59 || at != zone.size()) return std::nullopt;
  return sign * (*hours * 3600 + minutes * 60) * second_us;
}

struct Unit {
  const char* name;
  int field;  // -1: year-month
  std::int64_t size;
};

constexpr std::array<Unit, 9> units{{{"year", -1, 12},
                                     {"month", -1, 1},
                                     {"week", 0, 7 * day_us},
                                     {"day", 0, day_us},
                                     {"hour", 1, 3600 * second_us},
                                     {"minute", 2, 60 * second_us},
                                     {"second", 3, second_us},
                                     {"millisecond", 3, 1000},
                                     {"microsecond", 3, 1}}};

const Unit* find_unit(std::string_view word) {
  std::string lower = to_lower(word);
  if (lower.size() > 1 && lower.back() == 's') lower.pop_back();
  for (const Unit& unit : units) {
    if (lower == unit.name) return &unit;
  }
  return nullptr;
}

// `amount` (whole, or with a fraction where the unit is a second) times the unit.
std::optional<std::int64_t> multiply(std::string_view amount, std::int64_t size) {
  const bool negative = amount.starts_with('-');
  if (negative || amount.starts_with('+')) amount.remove_prefix(1);
  amount = trim(amount);
  const auto dot = amount.find('.');
  if (dot != std::string_view::npos && size != second_us) return std::nullopt;
  const auto whole = dot == 0 ? std::optional<std::int64_t>(0) : parse_int64(amount.substr(0, dot));
  std::int64_t total = 0;
  if (!whole || *whole < 0 || __builtin_mul_overflow(*whole, size, &total)) return std::nullopt;
  if (dot != std::string_view::npos) {
    std::string fraction(amount.substr(dot + 1));
    if (fraction.empty() || fraction.size() > 9) return std::nullopt;
    fraction.resize(6, '0');
    const auto micros = parse_int64(fraction);
    if (!micros || *micros < 0 || __builtin_add_overflow(total, *micros, &total))
      return std::nullopt;
  }
  return negative ? -total : total;
}

}  // namespace

std::optional<std::int32_t> parse_date(std::string_view given) {
  const std::string_view text = trim(given);
  std::size_t at = 0;
  const auto days = read_date(text, at);
  if (!days || *days < INT32_MIN || *days > INT32_MAX) return std::nullopt;
  if (at < text.size() && text[at] != 'T' && text[at] != ' ') return std::nullopt;
  return static_cast<std::int32_t>(*days);
}

std::optional<ParsedTimestamp> parse_timestamp(std::string_view given) {
  const std::string_view text = trim(given);
  std::size_t at = 0;
  const auto days = read_date(text, at);
  if (!days || *days > 106'751'991 || *days < -106'751'991) return std::nullopt;
  ParsedTimestamp out;
  out.micros = *days * day_us;
  if (at == text.size()) return out;
  if (text[at] != 'T' && text[at] != ' ') return std::nullopt;
  ++at;
  bool has_seconds = false;
  const auto time = read_time(text, at, &has_seconds);
  if (!time) return std::nullopt;
  out.micros += *time;
  const std::string_view zone = trim(text.substr(at));
  if (!zone.empty()) {
    if (!has_seconds) return std::nullopt;
    out.offset_us = read_offset(zone);
    if (!out.offset_us) out.region = std::string(zone);
  }
  return out;
}

bool IntervalBuilder::is_unit(std::string_view word) { return find_unit(word) != nullptr; }

void IntervalBuilder::cover(int field) {
  start_ = std::min(start_, field);
  end_ = std::max(end_, field);
}

bool IntervalBuilder::add(std::string_view amount, std::string_view word) {
  const Unit* unit = find_unit(word);
  if (unit == nullptr) return false;
  const auto value = multiply(trim(amount), unit->size);
  if (!value) return false;
  if (unit->field < 0) {
    year_month_ = true;
    cover(unit->size == 12 ? 0 : 1);
    return !__builtin_add_overflow(months_, *value, &months_) && months_ >= INT32_MIN &&
           months_ <= INT32_MAX;
  }
  day_time_ = true;
  cover(unit->field);
  return !__builtin_add_overflow(micros_, *value, &micros_);
}

bool IntervalBuilder::add_text(std::string_view text) {
  std::vector<std::string> words;
  for (auto& word : split(trim(text), ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  if (!words.empty() && equals_ignore_case(words[0], "interval")) words.erase(words.begin());
  if (words.empty() || words.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (!add(words[i], words[i + 1])) return false;
  }
  return true;
}

bool IntervalBuilder::add_range(std::string_view given, std::string_view from,
                                std::string_view to) {
  const Unit* first = find_unit(from);
  const Unit* last = find_unit(to);
  std::string_view text = trim(given);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto signed_part = [&](std::string_view part) {
    return (negative ? "-" : "") + std::string(part);
  };
  if (first == nullptr || last == nullptr) return false;
  if (first->field < 0) {
    const auto dash = text.find('-');
    return last->field < 0 && first->size > last->size && dash != std::string_view::npos &&
           add(signed_part(text.substr(0, dash)), "year") &&
           add(signed_part(text.substr(dash + 1)), "month");
  }
  if (last->field <= first->field) return false;
  static constexpr std::array<const char*, 4> names{"day", "hour", "minute", "second"};
  for (int field = first->field; field <= last->field; ++field) {
    const char separator = field == 0 ? ' ' : ':';
    const auto end = field == last->field ? text.size() : text.find(separator);
    if (end == std::string_view::npos || end == 0) return false;
    if (!add(signed_part(text.substr(0, end)), names[static_cast<std::size_t>(field)]))
      return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return text.empty();
}

}  // namespace millstream::sql
