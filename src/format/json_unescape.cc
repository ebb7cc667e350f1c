#include "format/json_unescape.h"

#include <cstring>

namespace millstream::format {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The character of a two-character escape; 0: none such.
char simple_escape(char c) {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '/':
      return '/';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

bool is_high(unsigned c) { return c >= 0xd800 && c < 0xdc00; }
bool is_low(unsigned c) { return c >= 0xdc00 && c < 0xe000; }

}  // namespace

int hex4(const char* at) {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(at[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

int put_utf8(unsigned c, char* to) {
  if (is_high(c) || is_low(c)) {
    to[0] = '?';
    return 1;
  }
  if (c < 0x80) {
    to[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    to[0] = static_cast<char>(0xc0 | (c >> 6));
    to[1] = static_cast<char>(0x80 | (c & 0x3f));
    return 2;
  }
  if (c < 0x10000) {
    to[0] = static_cast<char>(0xe0 | (c >> 12));
    to[1] = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    to[2] = static_cast<char>(0x80 | (c & 0x3f));
    return 3;
  }
  to[0] = static_cast<char>(0xf0 | (c >> 18));
  to[1] = static_cast<char>(0x80 | ((c >> 12) & 0x3f));
  to[2] = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
  to[3] = static_cast<char>(0x80 | (c & 0x3f));
  return 4;
}

bool unescape_json(const char* from, std::size_t size, char* to, std::size_t& decoded) {
  const char* const end = from + size;
  char* const begin = to;
  while (from < end) {
    const auto* slash =
        static_cast<const char*>(std::memchr(from, '\\', static_cast<std::size_t>(end - from)));
    const auto plain = static_cast<std::size_t>((slash == nullptr ? end : slash) - from);
    std::memmove(to, from, plain);
    to += plain;
    from += plain;
    if (slash == nullptr) break;
    if (end - from < 2) return false;
    if (from[1] != 'u') {
      const char c = simple_escape(from[1]);
      if (c == 0) return false;
      *to++ = c;
      from += 2;
      continue;
    }
    if (end - from < 6) return false;
    const int first = hex4(from + 2);
    if (first < 0) return false;
    from += 6;
    auto code_point = static_cast<unsigned>(first);
    if (is_high(code_point) && end - from >= 6 && from[0] == '\\' && from[1] == 'u') {
      const int second = hex4(from + 2);
      if (second >= 0 && is_low(static_cast<unsigned>(second))) {
        code_point =
            0x10000 + ((code_point - 0xd800) << 10) + (static_cast<unsigned>(second) - 0xdc00);
        from += 6;
      }
    }
    to += put_utf8(code_point, to);
  }
  decoded = static_cast<std::size_t>(to - begin);
  return true;
}

bool is_escaped_json(const char* from, std::size_t size) {
  const char* const end = from + size;
  while (from < end) {
    const auto* slash =
        static_cast<const char*>(std::memchr(from, '\\', static_cast<std::size_t>(end - from)));
    if (slash == nullptr) return true;
    from = slash;
    if (end - from < 2) return false;
    if (from[1] == 'u') {
      if (end - from < 6 || hex4(from + 2) < 0) return false;
      from += 6;
    } else {
      if (simple_escape(from[1]) == 0) return false;
      from += 2;
    }
  }
  return true;
}

}  // namespace millstream::format
