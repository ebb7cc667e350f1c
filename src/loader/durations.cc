#include "loader/durations.h"

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace millstream::loader {
namespace {

constexpr std::int64_t second_ms = 1000;
constexpr std::int64_t minute_ms = 60 * second_ms;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t day_ms = 24 * hour_ms;

struct Unit {
  std::string_view name;
  std::int64_t ms;
};

constexpr Unit short_units[] = {{"ms", 1},          {"s", second_ms}, {"m", minute_ms},
                                {"min", minute_ms}, {"h", hour_ms},   {"d", day_ms}};
constexpr Unit long_units[] = {{"millisecond", 1},     {"second", second_ms}, {"minute", minute_ms},
                               {"hour", hour_ms},      {"day", day_ms},       {"week", 7 * day_ms},
                               {"month", 31 * day_ms}, {"year", 372 * day_ms}};

// Nothing when it does not fit.
std::optional<std::int64_t> times(std::int64_t number, std::int64_t unit) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(number, unit, &product)) return std::nullopt;
  return product;
}

}  // namespace

std::optional<std::int64_t> parse_time_ms(std::string_view text, std::int64_t unit_ms) {
  const std::string lower = to_lower(trim(text));
  std::size_t digits = !lower.empty() && lower[0] == '-' ? 1 : 0;
  while (digits < lower.size() && lower[digits] >= '0' && lower[digits] <= '9') ++digits;
  const auto number = parse_int64(std::string_view(lower).substr(0, digits));
  if (!number) return std::nullopt;
  const std::string_view suffix = std::string_view(lower).substr(digits);
  if (suffix.empty()) return times(*number, unit_ms);
  if (suffix == "us") return *number / 1000;
  for (const auto& unit : short_units) {
    if (suffix == unit.name) return times(*number, unit.ms);
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_interval_ms(std::string_view text) {
  std::vector<std::string> words;
  for (auto& word : split(to_lower(trim(text)), ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  if (!words.empty() && words[0] == "interval") words.erase(words.begin());
  if (words.empty() || words.size() % 2 != 0) return std::nullopt;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto number = parse_int64(words[i]);
    std::string_view name = words[i + 1];
    if (name.ends_with('s')) name.remove_suffix(1);
    std::optional<std::int64_t> part;
    for (const auto& unit : long_units) {
      if (number && name == unit.name) part = times(*number, unit.ms);
    }
    if (!part || __builtin_add_overflow(total, *part, &total)) return std::nullopt;
  }
  return total;
}

}  // namespace millstream::loader
