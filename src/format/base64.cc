#include "format/base64.h"

#include <array>
#include <cstdint>

namespace millstream::format {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<signed char, 256> make_values() {
  std::array<signed char, 256> values{};
  for (auto& value : values) value = -1;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<signed char>(i);
  }
  return values;
}
constexpr auto values = make_values();

// The length of the well-formed UTF-8 character at `at`; 0: malformed.
std::size_t utf8_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

}  // namespace

bool decode_base64(std::string_view text, std::string& bytes) {
  bytes.clear();
  if (text.size() % 4 != 0) return false;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const int padding = last && text[at + 3] == '=' ? (text[at + 2] == '=' ? 2 : 1) : 0;
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int value = i >= 4 - static_cast<std::size_t>(padding)
                            ? 0
                            : values[static_cast<unsigned char>(text[at + i])];
      if (value < 0) return false;
      word = word << 6 | static_cast<std::uint32_t>(value);
    }
    bytes += static_cast<char>(word >> 16);
    if (padding < 2) bytes += static_cast<char>(word >> 8);
    if (padding < 1) bytes += static_cast<char>(word);
  }
  return true;
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const auto byte = [&](std::size_t i) {
      return i < left ? static_cast<unsigned char>(bytes[at + i]) : 0u;
    };
    const std::uint32_t word = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += alphabet[word >> 18];
    text += alphabet[word >> 12 & 63];
    text += left > 1 ? alphabet[word >> 6 & 63] : '=';
    text += left > 2 ? alphabet[word & 63] : '=';
  }
  return text;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_character(text, at);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++at;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  return out;
}

}  // namespace millstream::format
