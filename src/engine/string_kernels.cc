// String functions that count characters as Java does, or that DuckDB lacks.
#include <unicode/uchar.h>
#include <utf8proc.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "engine/kernels.h"
#include "engine/raise.h"
#include "engine/text.h"
#include "engine/utf8.h"

namespace millstream::engine {
namespace {

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

// Letters whose upper case is more than one letter.
std::string_view special_upper(std::int32_t point) {
  switch (point) {
    case 0xDF:
      return "SS";
    case 0x149:
      return "\u02BCN";
    case 0x1F0:
      return "J\u030C";
    case 0x587:
      return "\u0535\u0552";
    case 0xFB00:
      return "FF";
    case 0xFB01:
      return "FI";
    case 0xFB02:
      return "FL";
    case 0xFB03:
      return "FFI";
    case 0xFB04:
      return "FFL";
    case 0xFB05:
    case 0xFB06:
      return "ST";
    default:
      return "";
  }
}

std::optional<std::string> upper(Failure&, std::string_view text) {
  if (is_ascii(text)) return to_upper(text);
  std::string out;
  for_each_character(text, [&](std::int32_t point, std::string_view bytes) {
    const auto special = special_upper(point);
    if (!special.empty()) {
      out += special;
    } else if (point < 0) {
      out += bytes;
    } else {
      append_character(&out, utf8proc_toupper(point));
    }
  });
  return out;
}

constexpr std::int32_t capital_sigma = 0x3A3;

bool is_cased(std::int32_t point) {
  return point >= 0 && u_hasBinaryProperty(point, UCHAR_CASED) != 0;
}
bool is_passed_over(std::int32_t point) {
  return point >= 0 && u_hasBinaryProperty(point, UCHAR_CASE_IGNORABLE) != 0;
}

// Whether the sigma at `at` ends a word: a letter with a case before it, none after it.
bool is_final(const std::vector<std::int32_t>& points, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_passed_over(points[before - 1])) --before;
  std::size_t after = at + 1;
  while (after < points.size() && is_passed_over(points[after])) ++after;
  return before > 0 && is_cased(points[before - 1]) &&
         !(after < points.size() && is_cased(points[after]));
}

void append_lower(std::string* out, std::int32_t point, bool final) {
  if (point == 0x130) {
    *out += "i\u0307";
  } else if (point == capital_sigma && final) {
    *out += "\u03c2";
  } else {
    append_character(out, utf8proc_tolower(point));
  }
}

// Calls f(point, bytes, whether it is a sigma that ends a word) for each character.
template <typename F>
void for_each_cased(std::string_view text, const F& f) {
  std::vector<std::int32_t> points;
  if (text.find("\u03a3") != std::string_view::npos)
    for_each_character(text,
                       [&](std::int32_t point, std::string_view) { points.push_back(point); });
  std::size_t at = 0;
  for_each_character(text, [&](std::int32_t point, std::string_view bytes) {
    f(point, bytes, point == capital_sigma && is_final(points, at));
    ++at;
  });
}

std::optional<std::string> lower(Failure&, std::string_view text) {
  if (is_ascii(text)) return to_lower(text);
  std::string out;
  for_each_cased(text, [&](std::int32_t point, std::string_view bytes, bool final) {
    if (point < 0) {
      out += bytes;
    } else {
      append_lower(&out, point, final);
    }
  });
  return out;
}

// A letter whose title case is more than one letter begins with the upper one.
void append_title(std::string* out, std::int32_t point) {
  const auto special = special_upper(point);
  if (special.empty()) {
    append_character(out, utf8proc_totitle(point));
  } else if (point == 0x149) {
    *out += special;
  } else if (point == 0x587) {
    *out += "\u0535\u0582";
  } else {
    *out += special[0] + to_lower(special.substr(1));
  }
}

std::optional<std::string> initcap(Failure&, std::string_view text) {
  std::string out;
  bool start = true;
  for_each_cased(text, [&](std::int32_t point, std::string_view bytes, bool final) {
    if (point < 0) {
      out += bytes;
    } else if (start) {
      append_title(&out, point);
    } else {
      append_lower(&out, point, final);
    }
    start = point == ' ';
  });
  return out;
}

// Bounds of Spark's substring, in characters: from 1, from the end when negative, 0 as 1.
std::pair<std::int64_t, std::int64_t> bounds(std::int64_t size, std::int64_t position,
                                             std::int64_t length) {
  const std::int64_t start = position > 0 ? position - 1 : position < 0 ? size + position : 0;
  const std::int64_t end = length <= 0 ? start : start + length;
  return {std::clamp<std::int64_t>(start, 0, size), std::clamp<std::int64_t>(end, 0, size)};
}

std::optional<std::string> substring(Failure&, std::string_view text, std::int32_t position,
                                     std::int32_t length) {
  const auto size = is_ascii(text) ? static_cast<std::int64_t>(text.size())
                                   : static_cast<std::int64_t>(utf8_length(text));
  const auto [begin, end] = bounds(size, position, length);
  if (begin >= end) return std::string();
  if (size == static_cast<std::int64_t>(text.size())) {
    return std::string(
        text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  }
  const std::size_t from = byte_of_character(text, static_cast<std::size_t>(begin));
  const std::size_t to =
      from + byte_of_character(text.substr(from), static_cast<std::size_t>(end - begin));
  return std::string(text.substr(from, to - from));
}

std::optional<OwnedBlob> substring_binary(Failure&, Blob blob, std::int32_t position,
                                          std::int32_t length) {
  const auto [begin, end] = bounds(static_cast<std::int64_t>(blob.bytes.size()), position, length);
  if (begin >= end) return OwnedBlob{};
  return OwnedBlob{std::string(
      blob.bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)))};
}

std::optional<std::string> substring_index(Failure&, std::string_view text,
                                           std::string_view delimiter, std::int32_t count) {
  if (delimiter.empty() || count == 0) return std::string();
  if (count > 0) {
    std::size_t at = 0;
    for (std::int32_t i = 0;; ++i) {
      const auto found = text.find(delimiter, at);
      if (found == std::string_view::npos) return std::string(text);
      if (i + 1 == count) return std::string(text.substr(0, found));
      at = found + 1;
    }
  }
  std::size_t at = text.size();
  for (std::int32_t i = 0; i < -count; ++i) {
    if (at < delimiter.size()) return std::string(text);
    const auto found = text.rfind(delimiter, i == 0 ? std::string_view::npos : at - 1);
    if (found == std::string_view::npos || (i > 0 && at == 0)) return std::string(text);
    at = found;
  }
  return std::string(text.substr(at + delimiter.size()));
}

std::string pad(std::string_view text, std::int32_t length, std::string_view fill, bool left) {
  if (length <= 0) return {};
  const auto size = utf8_length(text);
  const auto wanted = static_cast<std::size_t>(length);
  if (size >= wanted) return std::string(text.substr(0, byte_of_character(text, wanted)));
  if (fill.empty()) return std::string(text);
  std::string padding;
  const auto fill_size = utf8_length(fill);
  for (std::size_t missing = wanted - size; missing > 0;) {
    const auto take = std::min(missing, fill_size);
    padding += fill.substr(0, byte_of_character(fill, take));
    missing -= take;
  }
  return left ? padding + std::string(text) : std::string(text) + padding;
}
// A string whose length is a number in the query: an error, before memory ends.
constexpr std::int64_t made_bytes_max = 1 << 28;

Status too_long(std::string_view function, std::int64_t bytes) {
  return Status::error("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                       {{"functionName", "`" + std::string(function) + "`"},
                        {"numberOfElements", std::to_string(bytes)},
                        {"maxRoundedArrayLength", std::to_string(made_bytes_max)},
                        {"parameter", "`length`"}});
}

std::optional<std::string> lpad(Failure& fail, std::string_view text, std::int32_t length,
                                std::string_view fill) {
  if (length > made_bytes_max) return fail(too_long("lpad", length));
  return pad(text, length, fill, true);
}
std::optional<std::string> rpad(Failure& fail, std::string_view text, std::int32_t length,
                                std::string_view fill) {
  if (length > made_bytes_max) return fail(too_long("rpad", length));
  return pad(text, length, fill, false);
}

OwnedBlob pad_bytes(std::string_view bytes, std::size_t length, std::string_view fill, bool left) {
  if (bytes.size() >= length || fill.empty()) return {std::string(bytes.substr(0, length))};
  std::string padding;
  while (padding.size() < length - bytes.size()) padding += fill;
  padding.resize(length - bytes.size());
  return {left ? padding + std::string(bytes) : std::string(bytes) + padding};
}
template <bool Left>
std::optional<OwnedBlob> pad_binary(Failure& fail, Blob blob, std::int32_t length, Blob fill) {
  if (length > made_bytes_max) return fail(too_long(Left ? "lpad" : "rpad", length));
  return pad_bytes(blob.bytes, static_cast<std::size_t>(std::max(length, 0)), fill.bytes, Left);
}

std::optional<std::string> repeat(Failure& fail, std::string_view text, std::int32_t count) {
  const auto times = static_cast<std::size_t>(std::max(count, 0));
  if (!text.empty() && times > static_cast<std::size_t>(made_bytes_max) / text.size())
    return fail(too_long("repeat", static_cast<std::int64_t>(times * text.size())));
  std::string out;
  out.reserve(times * text.size());
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::optional<std::int32_t> locate(Failure&, std::string_view part, std::string_view text,
                                   std::int32_t position) {
  if (position < 1) return 0;
  if (part.empty()) return 1;  // from wherever it is looked for
  const auto skip = static_cast<std::size_t>(position - 1);
  if (skip > utf8_length(text)) return 0;
  const auto found = text.find(part, byte_of_character(text, skip));
  if (found == std::string_view::npos) return 0;
  return static_cast<std::int32_t>(utf8_length(text.substr(0, found))) + 1;
}

std::optional<std::string> replace(Failure&, std::string_view text, std::string_view search,
                                   std::string_view by) {
  if (search.empty()) return std::string(text);
  std::string out;
  std::size_t at = 0;
  for (auto found = text.find(search); found != std::string_view::npos;
       found = text.find(search, at)) {
    out += text.substr(at, found - at);
    out += by;
    at = found + search.size();
  }
  out += text.substr(at);
  return out;
}

std::optional<std::string> reverse(Failure&, std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t end = text.size();
  while (end > 0) {
    std::size_t begin = end - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
    out += text.substr(begin, end - begin);
    end = begin;
  }
  return out;
}

std::optional<std::int32_t> ascii(Failure&, std::string_view text) {
  std::int32_t first = 0;
  bool seen = false;
  for_each_character(text, [&](std::int32_t point, std::string_view) {
    if (!seen) first = point;
    seen = true;
  });
  return first;
}

std::optional<std::string> character(Failure&, std::int64_t code) {
  if (code < 0) return std::string();
  std::string out;
  append_character(&out, static_cast<std::int32_t>(code & 0xFF));
  return out;
}

// LIKE with Spark's escapes: an escape must stand before %, _ or itself.
std::optional<bool> like(Failure& fail, std::string_view text, std::string_view pattern,
                         std::string_view escape) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star_p = std::string_view::npos;
  std::size_t star_t = 0;
  const auto step = [&](std::size_t at) { return character_size(text, at); };
  const auto invalid = [&](std::string_view subclass, ErrorParameters parameters) {
    parameters.emplace("format", "'" + std::string(pattern) + "'");
    return fail(Status::error("INVALID_FORMAT." + std::string(subclass), std::move(parameters)));
  };
  for (std::size_t i = 0; i < pattern.size();) {
    if (!pattern.substr(i).starts_with(escape)) {
      ++i;
      continue;
    }
    const auto next = pattern.substr(i + escape.size());
    if (next.empty()) return invalid("ESC_AT_THE_END", {});
    if (next[0] != '%' && next[0] != '_' && !next.starts_with(escape)) {
      return invalid("ESC_IN_THE_MIDDLE",
                     {{"char", "'" + std::string(next.substr(0, character_size(next, 0))) + "'"}});
    }
    i += escape.size() + (next.starts_with(escape) ? escape.size() : 1);
  }
  while (t < text.size() || p < pattern.size()) {
    bool matched = false;
    if (p < pattern.size()) {
      const auto rest = pattern.substr(p);
      if (rest.starts_with(escape)) {
        const std::size_t size = character_size(rest, escape.size());
        const auto wanted = rest.substr(escape.size(), size);
        if (text.substr(t).starts_with(wanted)) {
          t += size;
          p += escape.size() + size;
          matched = true;
        }
      } else if (rest[0] == '%') {
        star_p = ++p;
        star_t = t;
        matched = true;
      } else if (rest[0] == '_') {
        if (t < text.size()) {
          t += step(t);
          ++p;
          matched = true;
        }
      } else if (t < text.size() && text[t] == rest[0]) {
        ++t;
        ++p;
        matched = true;
      }
    }
    if (matched) continue;
    if (star_p == std::string_view::npos || star_t >= text.size()) return false;
    star_t += step(star_t);
    t = star_t;
    p = star_p;
  }
  return true;
}

std::optional<std::string> hex_long(Failure&, std::int64_t value) {
  return fmt::format("{:X}", static_cast<std::uint64_t>(value));
}

std::optional<OwnedBlob> unhex(Failure&, std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  const std::string padded = (text.size() % 2 == 0 ? "" : "0") + std::string(text);
  OwnedBlob out;
  for (std::size_t i = 0; i < padded.size(); i += 2) {
    const int high = digit(padded[i]);
    const int low = digit(padded[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return out;
}

std::optional<OwnedBlob> unbase64(Failure& fail, std::string_view text) {
  OwnedBlob out;
  std::uint32_t bits = 0;
  int count = 0;
  int padding = 0;
  std::size_t digits = 0;
  for (const char c : text) {
    int value = -1;
    if (c >= 'A' && c <= 'Z') value = c - 'A';
    if (c >= 'a' && c <= 'z') value = c - 'a' + 26;
    if (c >= '0' && c <= '9') value = c - '0' + 52;
    if (c == '+') value = 62;
    if (c == '/') value = 63;
    if (c == '=') ++padding;
    if (value < 0) continue;
    if (padding > 0)
      return fail(Status::invalid("Input byte array has incorrect ending byte at {}", digits));
    ++digits;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.bytes.push_back(static_cast<char>((bits >> count) & 0xFFU));
    }
  }
  // One digit over holds less than a byte.
  if (digits % 4 == 1) return fail(Status::invalid("Last unit does not have enough valid bits"));
  return out;
}

Status not_convertible(std::string_view text, std::string_view format) {
  return Status::error("CONVERSION_INVALID_INPUT", {{"str", "'" + std::string(text) + "'"},
                                                    {"fmt", "'" + std::string(format) + "'"},
                                                    {"targetType", "\"BINARY\""},
                                                    {"suggestion", "`try_to_binary`"}});
}

std::optional<OwnedBlob> binary_of_hex(Failure& fail, std::string_view text) {
  auto out = unhex(fail, text);
  if (!out) return fail(not_convertible(text, "HEX"));
  return out;
}

// Groups of four with '=' at the end only; blanks are passed over.
std::optional<OwnedBlob> binary_of_base64(Failure& fail, std::string_view text) {
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    const bool digit = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                       c == '+' || c == '/';
    padding += c == '=' ? 1 : 0;
    digits += digit ? 1 : 0;
    if ((!digit && c != '=') || (digit && padding > 0))
      return fail(not_convertible(text, "BASE64"));
  }
  if (padding > 2 || digits % 4 == 1 || (padding > 0 && (digits + padding) % 4 != 0))
    return fail(not_convertible(text, "BASE64"));
  return unbase64(fail, text);
}

std::optional<std::string> decode(Failure&, Blob blob) { return valid_utf8(blob.bytes); }

std::optional<std::int64_t> crc32(Failure&, Blob blob) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
      made[i] = c;
    }
    return made;
  }();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : blob.bytes)
    crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (crc >> 8);
  return static_cast<std::int64_t>(crc ^ 0xFFFFFFFFU);
}

std::optional<std::string> raise(Failure& fail, std::string_view message) {
  return fail(Status::error("USER_RAISED_EXCEPTION", {{"errorMessage", std::string(message)}}));
}

std::optional<std::string> violated(Failure& fail, std::string_view name,
                                    std::string_view expression, std::string_view values) {
  return fail(Status::error("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
                            {{"constraintName", std::string(name)},
                             {"expression", std::string(expression)},
                             {"values", std::string(values)}}));
}

// CHAR(n) and VARCHAR(n): blanks at the end are no matter, other characters beyond n are.
template <bool fills>
std::optional<std::string> fit(Failure& fail, std::string_view text, std::int32_t limit) {
  const auto most = static_cast<std::size_t>(limit);
  std::size_t length = utf8_length(text);
  std::string out(text);
  while (length > most && out.ends_with(' ')) {
    out.pop_back();
    --length;
  }
  if (length > most)
    return fail(Status::error("EXCEED_LIMIT_LENGTH", {{"limit", std::to_string(limit)}}));
  if (fills) out.append(most - length, ' ');
  return out;
}

// A text longer than its column of a Delta table.
std::optional<std::string> exceeded(Failure& fail, std::string_view rule, std::string_view value) {
  return fail(Status::error("DELTA_EXCEED_CHAR_VARCHAR_LIMIT",
                            {{"value", std::string(value)}, {"expr", std::string(rule)}}));
}

std::optional<std::string> fill_char(Failure&, std::string_view text, std::int32_t size) {
  std::string out(text);
  const std::size_t length = utf8_length(text);
  if (length < static_cast<std::size_t>(size))
    out.append(static_cast<std::size_t>(size) - length, ' ');
  return out;
}

// What a comparator of array_sort says; equal elements keep their order.
std::optional<bool> comes_before(Failure& fail, std::int32_t order, bool unknown, bool earlier) {
  if (unknown) {
    return fail(Status::error("COMPARATOR_RETURNS_NULL",
                              {{"firstValue", "an element"}, {"secondValue", "another"}}));
  }
  return order < 0 || (order == 0 && earlier);
}

std::optional<std::string> split_part(Failure& fail, std::string_view text,
                                      std::string_view delimiter, std::int32_t index) {
  if (index == 0) return fail(Status::error("INVALID_INDEX_OF_ZERO"));
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  if (!delimiter.empty()) {
    for (auto found = text.find(delimiter); found != std::string_view::npos;
         found = text.find(delimiter, at)) {
      parts.push_back(text.substr(at, found - at));
      at = found + delimiter.size();
    }
  }
  parts.push_back(text.substr(at));
  const auto size = static_cast<std::int64_t>(parts.size());
  const std::int64_t place = index > 0 ? index - 1 : size + index;
  if (place < 0 || place >= size) return std::string();
  return std::string(parts[static_cast<std::size_t>(place)]);
}

}  // namespace

Status register_string_kernels(duckdb_connection c) {
  TRY(add_kernel<upper>(c, "ms_upper"));
  TRY(add_kernel<lower>(c, "ms_lower"));
  TRY(add_kernel<initcap>(c, "ms_initcap"));
  TRY(add_kernel<substring>(c, "ms_substring"));
  TRY(add_kernel<substring_binary>(c, "ms_substring_binary"));
  TRY(add_kernel<substring_index>(c, "ms_substring_index"));
  TRY(add_kernel<lpad>(c, "ms_lpad"));
  TRY(add_kernel<rpad>(c, "ms_rpad"));
  TRY(add_kernel<pad_binary<true>>(c, "ms_lpad_binary"));
  TRY(add_kernel<pad_binary<false>>(c, "ms_rpad_binary"));
  TRY(add_kernel<repeat>(c, "ms_repeat"));
  TRY(add_kernel<locate>(c, "ms_locate"));
  TRY(add_kernel<replace>(c, "ms_replace"));
  TRY(add_kernel<reverse>(c, "ms_reverse"));
  TRY(add_kernel<ascii>(c, "ms_ascii"));
  TRY(add_kernel<character>(c, "ms_chr"));
  TRY(add_kernel<like>(c, "ms_like"));
  TRY(add_kernel<hex_long>(c, "ms_hex_long"));
  TRY(add_kernel<unhex>(c, "ms_unhex"));
  TRY(add_kernel<unbase64>(c, "ms_unbase64"));
  TRY(add_kernel<binary_of_hex>(c, "ms_binary_of_hex"));
  TRY((add_kernel<binary_of_hex, true>(c, "ms_try_binary_of_hex")));
  TRY(add_kernel<binary_of_base64>(c, "ms_binary_of_base64"));
  TRY((add_kernel<binary_of_base64, true>(c, "ms_try_binary_of_base64")));
  TRY(add_kernel<decode>(c, "ms_decode"));
  TRY(add_kernel<crc32>(c, "ms_crc32"));
  TRY(add_kernel<raise>(c, "ms_raise_error", KernelKind::volatile_));
  TRY(add_kernel<violated>(c, "ms_violated", KernelKind::volatile_));
  TRY(add_kernel<fit<true>>(c, "ms_fit_char"));
  TRY(add_kernel<fit<false>>(c, "ms_fit_varchar"));
  TRY(add_kernel<fill_char>(c, "ms_fill_char"));
  TRY(add_kernel<exceeded>(c, "ms_exceeded", KernelKind::volatile_));
  TRY(add_kernel<comes_before>(c, "ms_comes_before"));
  TRY(add_kernel<split_part>(c, "ms_split_part"));
  return register_format_kernels(c);
}

}  // namespace millstream::engine
