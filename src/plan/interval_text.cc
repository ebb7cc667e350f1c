#include "plan/interval_text.h"

#include <cmath>
#include <string>

#include "base/text.h"

namespace millstream::plan {
namespace {

constexpr std::int64_t day_us = 86'400'000'000;

// Microseconds of one unit; 0: no such unit.
std::int64_t unit_us(std::string unit) {
  if (unit.size() > 1 && unit.back() == 's') unit.pop_back();
  if (unit == "year") return 12 * 31 * day_us;
  if (unit == "month") return 31 * day_us;
  if (unit == "week") return 7 * day_us;
  if (unit == "day") return day_us;
  if (unit == "hour") return 3'600'000'000;
  if (unit == "minute") return 60'000'000;
  if (unit == "second") return 1'000'000;
  if (unit == "millisecond") return 1000;
  if (unit == "microsecond") return 1;
  return 0;
}

}  // namespace

Result<std::int64_t> parse_delay_ms(std::string_view text) {
  const auto wrong = [&] {
    return Status::error("CANNOT_PARSE_INTERVAL",
                         {{"intervalString", "'" + std::string(text) + "'"}});
  };
  std::vector<std::string> words;
  for (auto& word : split(to_lower(trim(text)), ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  if (!words.empty() && words[0] == "interval") words.erase(words.begin());
  if (words.empty() || words.size() % 2 != 0) return wrong();
  std::int64_t total = 0;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::int64_t unit = unit_us(words[i + 1]);
    std::string number = words[i];
    if (unit == 0) return wrong();
    std::int64_t fraction = 0;
    const auto dot = number.find('.');
    const bool negative = number.starts_with('-');
    if (dot != std::string::npos) {
      // Only seconds may have a fraction.
      if (unit != 1'000'000) return wrong();
      std::string digits = number.substr(dot + 1);
      if (digits.empty() || digits.size() > 9) return wrong();
      digits.resize(6, '0');
      const auto parsed = parse_int64(digits);
      if (!parsed || *parsed < 0) return wrong();
      fraction = negative ? -*parsed : *parsed;
      number.resize(dot);
      if (number.empty() || number == "-") number += '0';
    }
    const auto whole = parse_int64(number.starts_with('+') ? number.substr(1) : number);
    std::int64_t product = 0;
    if (!whole || __builtin_mul_overflow(*whole, unit, &product) ||
        __builtin_add_overflow(total, product + fraction, &total)) {
      return wrong();
    }
  }
  return total / 1000;
}

}  // namespace millstream::plan
