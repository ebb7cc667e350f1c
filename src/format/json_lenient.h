// LenientScanner: the pull parser for lines that are not strictly JSON, character by character,
// with the liberties that the options allow (single quotes, NaN, comments, …). It decides what is
// malformed. Same calls as StrictScanner; not hot.
#pragma once

#include <string>
#include <string_view>

#include "format/json_column.h"
#include "format/json_numbers.h"
#include "format/json_options.h"
#include "format/json_token.h"

namespace millstream::format {

class LenientScanner {
 public:
  LenientScanner(std::string_view text, const JsonOptions& options)
      : at_(text.data()), limit_(text.data() + text.size()), options_(options) {
    end_ = at_;
    skip_blanks();
  }

  struct Place {
    const char* at;
    std::int64_t depth;
  };
  Place save() const { return {at_, depth_}; }
  void restore(const Place& place) {
    at_ = place.at;
    depth_ = place.depth;
  }
  const char* next_begin() const { return at_; }
  const char* last_end() const { return end_; }
  bool at_end() const { return at_ == limit_; }

  Token peek() const;
  bool next_is(char c) const { return at_ < limit_ && *at_ == c; }

  bool open_object(bool& empty) { return open('}', empty); }
  bool take_key(const KeyPattern&) { return false; }
  bool read_key(std::string_view& key);
  std::string_view key_source() const {
    return key_source_;
  }  // always as a JSON string in double quotes
  bool more_members(bool& more) { return more_until('}', more); }
  bool open_array(bool& empty) { return open(']', empty); }
  bool more_elements(bool& more) { return more_until(']', more); }

  bool take_literal(std::string_view word);
  bool read_string(std::string_view& value);
  bool read_string_into(JsonColumn& column, std::int64_t row);
  Outcome read_integer(std::int64_t& value);
  bool read_number(std::string_view& text, NumberKind& kind);
  bool read_non_finite(std::string_view& text);
  bool skip_value();

 private:
  bool open(char closer, bool& empty);
  bool more_until(char closer, bool& more);
  void take(std::size_t count);  // so many characters were a token; then blanks
  void skip_blanks();
  bool decode_escape();

  const char* at_;
  const char* limit_;
  const char* end_;
  const JsonOptions& options_;
  std::int64_t depth_ = 0;
  std::string scratch_;
  std::string key_;
  std::string key_source_;
};

}  // namespace millstream::format
