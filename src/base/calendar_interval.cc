#include "base/calendar_interval.h"

#include <optional>
#include <string>

#include "base/text.h"

namespace millstream {
namespace {

constexpr std::int64_t micros_per_second = 1'000'000;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view take_word(std::string_view& text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && !is_space(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

struct Number {
  std::int64_t whole = 0;
  std::int64_t nanos = 0;  // of the fraction
  bool has_fraction = false;
};

std::optional<Number> parse_number(std::string_view word) {
  Number number;
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  const auto dot = word.find('.');
  const std::string_view whole = word.substr(0, dot);
  std::string_view fraction =
      dot == std::string_view::npos ? std::string_view() : word.substr(dot + 1);
  if (whole.empty() && fraction.empty()) return std::nullopt;
  for (const char c : whole) {
    if (c < '0' || c > '9') return std::nullopt;
  }
  if (!whole.empty()) {
    const auto value = parse_int64(whole);
    if (!value) return std::nullopt;
    number.whole = *value;
  }
  number.has_fraction = dot != std::string_view::npos;
  if (fraction.size() > 9) return std::nullopt;
  std::int64_t unit = 100'000'000;
  for (const char c : fraction) {
    if (c < '0' || c > '9') return std::nullopt;
    number.nanos += (c - '0') * unit;
    unit /= 10;
  }
  if (negative) {
    number.whole = -number.whole;
    number.nanos = -number.nanos;
  }
  return number;
}

bool add_scaled(std::int64_t& total, std::int64_t value, std::int64_t scale) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(value, scale, &product) &&
         !__builtin_add_overflow(total, product, &total);
}

// Nothing: the unit is unknown.
std::optional<bool> add_unit(CalendarInterval& interval, const Number& number, std::string unit) {
  if (unit.size() > 1 && unit.ends_with('s')) unit.pop_back();
  const std::int64_t value = number.whole;
  if (unit == "year") return add_scaled(interval.months, value, 12);
  if (unit == "month") return add_scaled(interval.months, value, 1);
  if (unit == "week") return add_scaled(interval.days, value, 7);
  if (unit == "day") return add_scaled(interval.days, value, 1);
  if (unit == "hour") return add_scaled(interval.micros, value, 3600 * micros_per_second);
  if (unit == "minute") return add_scaled(interval.micros, value, 60 * micros_per_second);
  if (unit == "second") {
    return add_scaled(interval.micros, value, micros_per_second) &&
           add_scaled(interval.micros, number.nanos / 1000, 1);
  }
  if (unit == "millisecond") return add_scaled(interval.micros, value, 1000);
  if (unit == "microsecond") return add_scaled(interval.micros, value, 1);
  return std::nullopt;
}

}  // namespace

Result<CalendarInterval> parse_interval(std::string_view text) {
  const auto malformed = [&](const char* how, ErrorParameters parameters) {
    parameters["input"] = text;
    return Status::error(fmt::format("INVALID_INTERVAL_FORMAT.{}", how), std::move(parameters));
  };
  std::string_view rest = trim(text);
  if (rest.empty()) return malformed("INPUT_IS_EMPTY", {});
  std::string_view after = rest;
  std::string last(take_word(after));
  if (equals_ignore_case(last, "interval")) {
    rest = after;
    if (trim(rest).empty()) return malformed("MISSING_NUMBER", {{"word", last}});
  }
  CalendarInterval interval;
  for (;;) {
    std::string word(take_word(rest));
    if (word.empty()) return interval;
    if (word == "-" || word == "+") word += take_word(rest);  // the sign may stand alone
    const auto number = parse_number(word);
    if (!number) return malformed("UNRECOGNIZED_NUMBER", {{"number", word}});
    const std::string unit = to_lower(take_word(rest));
    if (unit.empty()) return malformed("MISSING_UNIT", {{"word", word}});
    if (number->has_fraction && !unit.starts_with("second")) {
      return malformed("INVALID_FRACTION", {{"unit", unit}});
    }
    const auto added = add_unit(interval, *number, unit);
    if (!added) return malformed("INVALID_UNIT", {{"unit", unit}});
    if (!*added) return malformed("ARITHMETIC_EXCEPTION", {});
  }
}

}  // namespace millstream
