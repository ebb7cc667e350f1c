#include "engine/utf8.h"

#include <utf8proc.h>

namespace millstream::engine {

std::size_t character_size(std::string_view text, std::size_t at) {
  utf8proc_int32_t point;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at;
  if (bytes[0] < 0x80) return 1;
  const auto size =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &point);
  return size < 1 ? 1 : static_cast<std::size_t>(size);
}

std::size_t byte_of_character(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += character_size(text, at);
  return at;
}

std::int32_t code_point(std::string_view character) {
  utf8proc_int32_t point = -1;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(character.data());
  const auto size =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(character.size()), &point);
  return size < 1 ? -1 : point;
}

void append_character(std::string* out, std::int32_t point) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(point, bytes);
  out->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for_each_character(bytes, [&](std::int32_t point, std::string_view character) {
    if (point < 0) {
      out += "\uFFFD";
    } else {
      out += character;
    }
  });
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for_each_character(text, [&](std::int32_t point, std::string_view) {
    // Spark counts two for its ranges of full-width characters, one for anything else.
    const bool wide =
        (point >= 0x1100 && point <= 0x115F) || (point >= 0x2E80 && point <= 0xA4CF) ||
        (point >= 0xAC00 && point <= 0xD7A3) || (point >= 0xF900 && point <= 0xFAFF) ||
        (point >= 0xFE30 && point <= 0xFE6F) || (point >= 0xFF00 && point <= 0xFF60) ||
        (point >= 0xFFE0 && point <= 0xFFE6);
    // Java's characters outside the first plane are two units.
    width += wide || point > 0xFFFF ? 2 : 1;
  });
  return width;
}

}  // namespace millstream::engine
