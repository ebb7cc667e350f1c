// Characters of UTF-8 text. Malformed bytes count as one character each. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace millstream::engine {

// Bytes of the character that begins at `at`; at least 1.
std::size_t character_size(std::string_view text, std::size_t at);
// The byte at which character number `index` (from 0) begins; the end when there are fewer.
std::size_t byte_of_character(std::string_view text, std::size_t index);
// Its code point; -1 when malformed.
std::int32_t code_point(std::string_view character);
void append_character(std::string* out, std::int32_t point);
// The text with each malformed sequence replaced by U+FFFD.
std::string valid_utf8(std::string_view bytes);
// Columns that the text takes in a fixed-width font: East Asian wide characters take two.
std::size_t display_width(std::string_view text);

template <typename F>
void for_each_character(std::string_view text, const F& f) {
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = text.substr(at, character_size(text, at));
    f(code_point(bytes), bytes);
    at += bytes.size();
  }
}

}  // namespace millstream::engine
