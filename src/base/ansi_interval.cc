#include "base/ansi_interval.h"

#include <fmt/format.h>

#include <cstdlib>
#include <span>

#include "base/text.h"

namespace millstream {
namespace {

constexpr std::int64_t micros_per_second = 1'000'000;

struct Unit {
  std::string_view name;
  std::string_view letter;  // in messages
  std::string_view before;  // what stands in front of it behind another
  int most;                 // behind another
  std::int64_t size;        // in microseconds, or months
};

constexpr Unit day_time_units[] = {
    {"DAY", "d", "", 0, 86400 * micros_per_second},
    {"HOUR", "h", " ", 23, 3600 * micros_per_second},
    {"MINUTE", "m", ":", 59, 60 * micros_per_second},
    {"SECOND", "s.n", ":", 59, micros_per_second},
};
constexpr Unit year_month_units[] = {{"YEAR", "y", "", 0, 12}, {"MONTH", "m", "-", 11, 1}};

struct Kind {
  std::span<const Unit> units;  // those of the type, from its first to its last field
  bool months;

  std::string qualifier() const {
    const std::string first(units.front().name);
    return units.size() == 1 ? first : first + " TO " + std::string(units.back().name);
  }
};

Status unmatched(std::string_view text, const Kind& kind) {
  std::string format;
  for (std::size_t i = 0; i < kind.units.size(); ++i) {
    if (i > 0) format += kind.units[i].before;
    format += kind.units[i].letter;
  }
  const std::string qualifier = kind.qualifier();
  return Status::error(
      kind.months ? "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"
                  : "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE",
      {{"input", std::string(text)},
       {"intervalStr", kind.months ? "year-month" : "day-time"},
       {"typeName", "interval " + to_lower(qualifier)},
       {"supportedFormat",
        fmt::format("`[+|-]{0}`, `INTERVAL [+|-]'[+|-]{0}' {1}`", format, qualifier)}});
}

Status out_of_range(std::string_view text, const Kind& kind) {
  return Status::error(
      "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING",
      {{"input", std::string(text)}, {"interval", kind.months ? "year-month" : "day-time"}});
}

bool take_sign(std::string_view& text, bool* negative) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return false;
  if (text[0] == '-') *negative = !*negative;
  text.remove_prefix(1);
  return true;
}

// INTERVAL -'…' DAY TO HOUR: what is between the quotes; the text itself where it is none. False:
// an INTERVAL of other fields.
bool unwrap(std::string_view& text, const Kind& kind, bool* negative) {
  constexpr std::string_view word = "INTERVAL";
  if (!equals_ignore_case(text.substr(0, word.size()), word)) return true;
  std::string_view rest = text.substr(word.size());
  if (rest.empty() || rest[0] != ' ') return false;
  rest = trim(rest);
  take_sign(rest, negative);
  if (rest.empty() || rest[0] != '\'') return false;
  const auto close = rest.find('\'', 1);
  if (close == std::string_view::npos) return false;
  std::string unit;
  for (const auto& part : split(std::string(trim(rest.substr(close + 1))), ' '))
    if (!part.empty()) unit += (unit.empty() ? "" : " ") + part;
  if (rest[close + 1] != ' ' || !equals_ignore_case(unit, kind.qualifier())) return false;
  text = rest.substr(1, close - 1);
  return true;
}

// So many digits at the start; nothing: none, or too large a number.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t digits_max) {
  std::size_t digits = 0;
  while (digits < text.size() && digits < digits_max && text[digits] >= '0' && text[digits] <= '9')
    ++digits;
  if (digits == 0) return std::nullopt;
  const auto value = parse_int64(text.substr(0, digits));
  text.remove_prefix(digits);
  return value;
}

// ".5" as microseconds, what is behind them left out; true also where there is none.
bool take_fraction(std::string_view& text, std::int64_t* micros) {
  *micros = 0;
  if (text.empty() || text[0] != '.') return true;
  text.remove_prefix(1);
  std::int64_t size = micros_per_second / 10;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    *micros += (text[digits] - '0') * size;
    size /= 10;
  }
  text.remove_prefix(digits);
  return digits >= 1 && digits <= 9;
}

// What Java's trim() takes for blank.
std::string_view trim_blanks(std::string_view text) {
  constexpr unsigned char blank_max = 0x20;
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= blank_max; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

Result<std::int64_t> parse(std::string_view given, const Kind& kind) {
  constexpr std::size_t digits_max = 18;
  std::string_view text = trim_blanks(given);
  bool negative = false;
  if (!unwrap(text, kind, &negative)) return unmatched(given, kind);
  take_sign(text, &negative);
  __int128 total = 0;
  for (std::size_t i = 0; i < kind.units.size(); ++i) {
    const Unit& unit = kind.units[i];
    if (i > 0) {
      if (!text.starts_with(unit.before)) return unmatched(given, kind);
      text.remove_prefix(unit.before.size());
    }
    const auto number = take_number(text, i == 0 || kind.months ? digits_max : 2);
    if (!number) return unmatched(given, kind);
    if (i > 0 && *number > unit.most) return out_of_range(given, kind);
    total += static_cast<__int128>(*number) * unit.size;
    std::int64_t fraction = 0;
    if (unit.name == "SECOND" && !take_fraction(text, &fraction)) return unmatched(given, kind);
    total += fraction;
  }
  if (!text.empty()) return unmatched(given, kind);
  if (negative) total = -total;
  const bool fits = kind.months ? total == static_cast<std::int32_t>(total)
                                : total == static_cast<std::int64_t>(total);
  if (fits) return static_cast<std::int64_t>(total);
  return out_of_range(given, kind);
}

Kind kind_of(std::span<const Unit> units, int start, int end, bool months) {
  return {units.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start + 1)),
          months};
}

std::string fraction(std::int64_t micros) {
  if (micros == 0) return "";
  std::string text = fmt::format(".{:06}", micros);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace

Result<std::int64_t> parse_day_time_interval(std::string_view text, int start, int end) {
  return parse(text, kind_of(day_time_units, start, end, false));
}

Result<std::int32_t> parse_year_month_interval(std::string_view text, int start, int end) {
  TRY_ASSIGN(const std::int64_t months, parse(text, kind_of(year_month_units, start, end, true)));
  return static_cast<std::int32_t>(months);
}

std::string day_time_interval_text(std::int64_t micros, int start, int end) {
  static constexpr std::string_view names[] = {"DAY", "HOUR", "MINUTE", "SECOND"};
  const bool negative = micros < 0;
  const auto value =
      negative ? 0 - static_cast<std::uint64_t>(micros) : static_cast<std::uint64_t>(micros);
  const auto days = value / (86400 * micros_per_second);
  const auto hours = value / (3600 * micros_per_second);
  const auto minutes = value / (60 * micros_per_second);
  const auto seconds = value / micros_per_second;
  const auto tail = fraction(static_cast<std::int64_t>(value % micros_per_second));
  std::string text;
  // The first field holds all that the fields before it would.
  for (int field = start; field <= end; ++field) {
    const bool first = field == start;
    if (field == 0) text += std::to_string(days);
    if (field == 1) text += first ? fmt::format("{:02}", hours) : fmt::format(" {:02}", hours % 24);
    if (field == 2)
      text += first ? fmt::format("{:02}", minutes) : fmt::format(":{:02}", minutes % 60);
    if (field == 3)
      text += first ? fmt::format("{:02}{}", seconds, tail)
                    : fmt::format(":{:02}{}", seconds % 60, tail);
  }
  const std::string unit =
      start == end ? std::string(names[start]) : fmt::format("{} TO {}", names[start], names[end]);
  return fmt::format("INTERVAL '{}{}' {}", negative ? "-" : "", text, unit);
}

std::string year_month_interval_text(std::int64_t months, int start, int end) {
  const std::string sign = months < 0 ? "-" : "";
  const std::int64_t value = std::abs(months);
  if (start == 0 && end == 0) return fmt::format("INTERVAL '{}{}' YEAR", sign, value / 12);
  if (start == 1) return fmt::format("INTERVAL '{}{}' MONTH", sign, value);
  return fmt::format("INTERVAL '{}{}-{}' YEAR TO MONTH", sign, value / 12, value % 12);
}

}  // namespace millstream
