// Spark's order of nested values as bytes.
#include <bit>
#include <cmath>

#include "engine/value.h"

namespace millstream::engine {
namespace {

// What stands before a member; the end of an array comes before any more of its elements.
constexpr char mark_end = 0;
constexpr char mark_null = 1;
constexpr char mark_value = 2;

template <typename Unsigned>
void put_big_endian(Unsigned value, std::string& out) {
  for (int shift = static_cast<int>(sizeof(Unsigned)) * 8 - 8; shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<unsigned char>(value >> shift));
}

void put_integer(std::int64_t value, std::string& out) {
  put_big_endian(static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63), out);
}

void put_decimal(__int128 value, std::string& out) {
  using Unsigned = unsigned __int128;
  put_big_endian(static_cast<Unsigned>(value) ^ (Unsigned{1} << 127), out);
}

// NaN behind all, both zeros alike.
void put_floating(double value, std::string& out) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  if (std::isnan(value)) return put_big_endian(~std::uint64_t{0}, out);
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  put_big_endian((bits & sign) != 0 ? ~bits : bits | sign, out);
}

// A zero byte within the text is followed by 0xFF, the one behind it by another zero.
void put_text(const std::string& text, std::string& out) {
  for (const char c : text) {
    out += c;
    if (c == '\0') out += '\xff';
  }
  out.append(2, '\0');
}

void put(const Value& value, std::string& out) {
  switch (value.kind) {
    case Value::Kind::null:
      return;
    case Value::Kind::floating:
      return put_floating(value.floating, out);
    case Value::Kind::decimal:
      return put_decimal(value.decimal, out);
    case Value::Kind::text:
      return put_text(value.text, out);
    case Value::Kind::list:
      for (const Value& item : value.items) {
        out += item.is_null() ? mark_null : mark_value;
        put(item, out);
      }
      out += mark_end;
      return;
    default:
      return put_integer(value.integer, out);
  }
}

}  // namespace

std::string order_key(const Value& value) {
  std::string out;
  put(value, out);
  return out;
}

}  // namespace millstream::engine
