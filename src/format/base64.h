// Small codecs of text: base64, and UTF-8 repair. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace millstream::format {

// RFC 4648 with padding required where it is due; false otherwise.
bool decode_base64(std::string_view text, std::string& bytes);
std::string encode_base64(std::string_view bytes);

// Each malformed sequence becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

}  // namespace millstream::format
