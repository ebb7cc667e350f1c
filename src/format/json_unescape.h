// Escapes in JSON strings. Pure functions.
#pragma once

#include <cstddef>

namespace millstream::format {

// Decodes the content of a strict JSON string (no quotes). Never longer than the source; `to` may
// be `from`'s copy, not `from` itself. A surrogate that stands alone becomes '?', as in Spark.
// False: an escape that JSON does not have.
bool unescape_json(const char* from, std::size_t size, char* to, std::size_t& decoded);

// True when every escape in it is one of JSON's.
bool is_escaped_json(const char* from, std::size_t size);

// The four hexadecimal digits of \uXXXX; -1: not such.
int hex4(const char* at);

// Writes a code point as UTF-8 (a lone surrogate as '?'); the number of bytes.
int put_utf8(unsigned code_point, char* to);

}  // namespace millstream::format
