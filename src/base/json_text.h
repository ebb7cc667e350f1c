// JSON documents as pieces of their own text: what from_json, get_json_object, schema_of_json and
// parse_json need. Reads what Jackson reads by default in Spark (single quotes too); what follows
// the document is not looked at. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millstream {

// Jackson's features that Spark's options turn on and off.
struct JsonDialect {
  bool single_quotes = true;
  bool unquoted_names = false;
  bool leading_zeros = false;
  bool comments = false;
  bool not_a_number = true;         // NaN, Infinity, -INF
  bool escape_any = false;          // \x is x
  bool control_characters = false;  // line ends and their like within strings

  // By Spark's options, names in lower case: allowsinglequotes, allowcomments, …
  static JsonDialect of(const std::map<std::string, std::string>& options);
};

// The text of the document at the beginning of `text`, blanks around it removed; nothing when it is
// malformed.
std::optional<std::string_view> json_document(std::string_view text,
                                              const JsonDialect& dialect = {});
bool json_is_blank(std::string_view text, const JsonDialect& dialect = {});

// '{', '[', '"', '0' (number), 't', 'f', 'n' of a value's text.
char json_kind(std::string_view value);
bool json_is_whole(std::string_view number);  // a number without a fraction or exponent

// Members of an object's and elements of an array's text, in order; names are unescaped.
std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view object,
                                                                   const JsonDialect& dialect = {});
std::vector<std::string_view> json_elements(std::string_view array,
                                            const JsonDialect& dialect = {});

std::string json_unescape(std::string_view quoted);
// The value as Spark gives it for STRING: a string's characters, anything else as compact JSON,
// numbers as Jackson writes them again (1.50 is 1.5, 1e3 is 1000.0).
std::string json_as_text(std::string_view value, const JsonDialect& dialect = {});
std::string json_compact(std::string_view value, const JsonDialect& dialect = {});

}  // namespace millstream
