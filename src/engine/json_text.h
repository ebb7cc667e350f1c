// JSON documents as pieces of their own text: what from_json, get_json_object and json_tuple need.
// Reads what Jackson reads by default in Spark (single quotes too); what follows the document is
// not looked at. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millstream::engine {

// The text of the document at the beginning of `text`, blanks around it removed; nothing when it is
// malformed.
std::optional<std::string_view> json_document(std::string_view text);

// '{', '[', '"', '0' (number), 't', 'f', 'n' of a value's text.
char json_kind(std::string_view value);

// Members of an object's and elements of an array's text, in order; names are unescaped.
std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view object);
std::vector<std::string_view> json_elements(std::string_view array);

std::string json_unescape(std::string_view quoted);
// The value as Spark gives it for STRING: a string's characters, anything else as compact JSON.
std::string json_as_text(std::string_view value);
std::string json_compact(std::string_view value);

}  // namespace millstream::engine
