// Lengths of UTF-8 texts as Java counts them.
#pragma once

#include <cstddef>
#include <string_view>

namespace millstream {

// In code units of UTF-16: characters beyond the basic plane are two.
inline std::size_t utf16_length(std::string_view text) {
  std::size_t length = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) length += byte >= 0xF0 ? 2 : 1;
  }
  return length;
}

}  // namespace millstream
