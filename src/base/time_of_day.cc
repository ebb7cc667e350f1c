#include "base/time_of_day.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace millstream {
namespace {

enum class Half : std::uint8_t { none, morning, afternoon };

// AM or PM at the end of `text`, which loses it.
Half take_half(std::string_view& text) {
  if (text.size() <= 2 || (text.back() != 'M' && text.back() != 'm')) return Half::none;
  const char first = text[text.size() - 2];
  const bool morning = first == 'A' || first == 'a';
  if (!morning && first != 'P' && first != 'p') return Half::none;
  text.remove_suffix(2);
  return morning ? Half::morning : Half::afternoon;
}

// One or two digits.
std::optional<std::int64_t> take_number(std::string_view text, std::size_t& at) {
  std::int64_t value = 0;
  const std::size_t first = at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    if (at - first == 2) return std::nullopt;
    value = value * 10 + (text[at++] - '0');
  }
  return at == first ? std::nullopt : std::optional(value);
}

// What stands behind the point, which may be nothing; nothing: something that is no digit.
std::optional<std::int64_t> nanos_of_fraction(std::string_view digits) {
  std::int64_t nanos = 0;
  std::int64_t unit = nanos_per_second;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    unit /= 10;
    if (unit >= 1000) nanos += (c - '0') * unit;
  }
  return nanos;
}

}  // namespace

std::optional<std::int64_t> parse_time_of_day(std::string_view given) {
  std::string_view text = trim(given);
  const Half half = take_half(text);
  text = trim(text);
  const bool marked = text.starts_with('T');
  if (marked) text.remove_prefix(1);
  std::array<std::int64_t, 3> parts{};
  std::size_t at = 0;
  std::size_t count = 0;
  for (; count < parts.size(); ++count) {
    if (count > 0 && (at == text.size() || text[at] != ':')) break;
    if (count > 0) ++at;
    const auto part = take_number(text, at);
    if (!part) return std::nullopt;
    parts[count] = *part;
  }
  if (count == 1 && (!marked || at != text.size())) return std::nullopt;
  std::int64_t nanos = 0;
  if (at != text.size()) {
    if (count != parts.size() || text[at] != '.') return std::nullopt;
    const auto fraction = nanos_of_fraction(text.substr(at + 1));
    if (!fraction) return std::nullopt;
    nanos = *fraction;
  }
  auto& [hour, minute, second] = parts;
  if (half != Half::none) {
    if (hour < 1 || hour > 12) return std::nullopt;
    hour = hour % 12 + (half == Half::afternoon ? 12 : 0);
  }
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return (hour * 3600 + minute * 60 + second) * nanos_per_second + nanos;
}

std::string time_of_day_text(std::int64_t nanos) {
  const std::int64_t seconds = nanos / nanos_per_second;
  std::string text =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (const std::int64_t fraction = nanos % nanos_per_second; fraction != 0) {
    text += fmt::format(".{:09}", fraction);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::int64_t nanos_of_last_digit(int precision) {
  std::int64_t unit = nanos_per_second;
  for (int i = 0; i < precision; ++i) unit /= 10;
  return unit;
}

}  // namespace millstream
