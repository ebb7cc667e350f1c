// Numbers out of JSON text. Pure functions; the common forms are decided without a library call.
#pragma once

#include <cstdint>
#include <string_view>

namespace millstream::format {

enum class NumberKind : std::uint8_t { none, integer, fraction };  // none: not a JSON number

// What may follow a token: white space and , ] } :
inline constexpr bool ends_token(char c) {
  return c == ',' || c == '}' || c == ']' || c == '\n' || c == ' ' || c == '\r' || c == '\t' ||
         c == ':';
}

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// The number that begins at `at`, by JSON's grammar (with zeros in front when allowed). Sets the
// end of it.
NumberKind scan_number(const char* at, const char* limit, bool leading_zeros, const char*& end);

// The value of an integer token; false when it does not fit.
bool parse_integer(std::string_view text, std::int64_t& value);

// The value of any number token, or of Java's forms NaN, Infinity, -Infinity, +INF …; never fails
// for a number token.
double parse_double(std::string_view text);
float parse_float(std::string_view text);
// "NaN", "Infinity", "+Infinity", "-Infinity", "INF"(bare only), "+INF", "-INF".
bool parse_non_finite(std::string_view text, bool bare, double& value);

// The text as DECIMAL(precision, scale): rounded half up to the scale; false when there are too
// many digits, or it is not a number. Group separators of the US locale are dropped when `grouped`.
bool parse_decimal(std::string_view text, int precision, int scale, bool grouped, __int128& value);

}  // namespace millstream::format
