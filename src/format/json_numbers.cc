#include "format/json_numbers.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace millstream::format {
namespace {

constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Up to 15 significant digits and a power of ten up to 22: one exact multiplication or division.
bool parse_double_exactly(std::string_view text, double& value) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  std::uint64_t digits = 0;
  int count = 0;
  int exponent = 0;
  for (; p < end && is_digit(*p); ++p) {
    digits = digits * 10 + static_cast<std::uint64_t>(*p - '0');
    if (digits != 0) ++count;
    if (count > 18) return false;
  }
  if (p < end && *p == '.') {
    for (++p; p < end && is_digit(*p); ++p) {
      digits = digits * 10 + static_cast<std::uint64_t>(*p - '0');
      if (digits != 0) ++count;
      if (count > 18) return false;
      --exponent;
    }
  }
  if (p != end || digits > (1ULL << 53) || exponent < -22) return false;
  const double whole = static_cast<double>(digits);
  const double scaled = exponent == 0 ? whole : whole / powers_of_ten[-exponent];
  value = negative ? -scaled : scaled;
  return true;
}

template <typename T>
T parse_any(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too large is an infinity, too small is zero; strtod tells which.
    const double wide = std::strtod(std::string(text).c_str(), nullptr);
    return static_cast<T>(wide);
  }
  return value;
}

}  // namespace

NumberKind scan_number(const char* at, const char* limit, bool leading_zeros, const char*& end) {
  const char* p = at;
  if (p < limit && *p == '-') ++p;
  const char* const first = p;
  while (p < limit && is_digit(*p)) ++p;
  if (p == first || (*first == '0' && p - first > 1 && !leading_zeros)) return NumberKind::none;
  NumberKind kind = NumberKind::integer;
  if (p < limit && *p == '.') {
    const char* const point = ++p;
    while (p < limit && is_digit(*p)) ++p;
    if (p == point) return NumberKind::none;
    kind = NumberKind::fraction;
  }
  if (p < limit && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p < limit && (*p == '+' || *p == '-')) ++p;
    const char* const digits = p;
    while (p < limit && is_digit(*p)) ++p;
    if (p == digits) return NumberKind::none;
    kind = NumberKind::fraction;
  }
  if (p < limit && !ends_token(*p)) return NumberKind::none;
  end = p;
  return kind;
}

bool parse_integer(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

double parse_double(std::string_view text) {
  double value;
  if (parse_double_exactly(text, value)) return value;
  return parse_any<double>(text);
}

float parse_float(std::string_view text) { return parse_any<float>(text); }

bool parse_non_finite(std::string_view text, bool bare, double& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "Infinity" || text == "+Infinity" || text == "+INF" ||
             (bare && text == "INF")) {
    value = infinity;
  } else if (text == "-Infinity" || text == "-INF") {
    value = -infinity;
  } else {
    return false;
  }
  return true;
}

bool parse_decimal(std::string_view text, int precision, int scale, bool grouped, __int128& value) {
  std::size_t at = 0;
  bool negative = false;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
  // Digits are kept exactly up to more than any precision holds; those after are counted only.
  __int128 digits = 0;
  int kept = 0;
  std::int64_t exponent = 0;
  bool any = false;
  bool point = false;
  int next_digit = -1;  // the first digit that was not kept
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ',' && grouped && any && !point) continue;
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (kept < 38) {
      digits = digits * 10 + (c - '0');
      if (digits != 0) ++kept;
      if (point) --exponent;
    } else {
      if (next_digit < 0) next_digit = c - '0';
      if (!point) ++exponent;
    }
  }
  if (!any) return false;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return false;
    std::string_view rest = text.substr(at + 1);
    if (!rest.empty() && rest.front() == '+') rest.remove_prefix(1);
    std::int64_t power = 0;
    if (rest.empty() || !parse_integer(rest, power) || power > 100'000 || power < -100'000)
      return false;
    exponent += power;
  }
  // digits * 10^exponent, as an integer of 10^-scale.
  std::int64_t shift = exponent + scale;
  if (digits == 0) {
    value = 0;
    return true;
  }
  __int128 limit = 1;
  for (int i = 0; i < precision; ++i) limit *= 10;
  if (shift >= 0) {
    if (shift > 38) return false;
    for (; shift > 0; --shift) {
      if (digits >= limit / 10) return false;
      digits *= 10;
    }
    if (next_digit >= 5)
      ++digits;  // only with 38 digits kept: then it is beyond any limit or the last place
  } else {
    int dropped = 0;
    for (; shift < 0 && digits != 0; ++shift) {
      dropped = static_cast<int>(digits % 10);
      digits /= 10;
    }
    if (shift < 0) dropped = 0;
    if (dropped >= 5) ++digits;
  }
  if (digits >= limit) return false;
  value = negative ? -digits : digits;
  return true;
}

}  // namespace millstream::format
