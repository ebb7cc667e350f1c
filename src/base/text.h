// Small helpers on text. ASCII case folding only: Spark's option and function names are ASCII.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millstream {

std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);
bool equals_ignore_case(std::string_view a, std::string_view b);
std::string_view trim(std::string_view text);  // ASCII white space on both ends
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

std::optional<std::int64_t> parse_int64(std::string_view text);  // all of the text, no blanks
std::optional<bool> parse_bool(std::string_view text);           // true/false, any case

// "10g", "512m", "100kb", "7" (bytes): as Spark's byte strings. Nothing when malformed.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// "a b%c" -> "a%20b%25c": what java.net.URI leaves unescaped in a path stays as it is (non-ASCII
// too).
std::string percent_encode_path(std::string_view path);
// Decodes each %XX once; malformed escapes stay.
std::string percent_decode(std::string_view text);

// UTC, milliseconds: 2024-01-02T03:04:05.006Z.
std::string iso_utc_ms(std::int64_t epoch_ms);

// Java's Double.toString and Float.toString: "1.0", "1.0E7", "NaN", "-Infinity".
std::string java_text(double value);
std::string java_text(float value);

// A JSON string with its quotes, escaped as Jackson does; everything that Spark and Delta write
// goes through that.
std::string json_quote(std::string_view text);
void append_json_quoted(std::string_view text, std::string* out);

// Code points -> number of UTF-8 characters; malformed bytes count one each.
std::size_t utf8_length(std::string_view text);

}  // namespace millstream
