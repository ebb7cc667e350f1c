#include "format/json_lenient.h"

#include <algorithm>

#include "base/text.h"
#include "format/json_unescape.h"

namespace millstream::format {
namespace {

constexpr std::string_view non_finite_words[] = {"NaN", "Infinity", "-Infinity", "+Infinity",
                                                 "INF", "-INF",     "+INF"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

void LenientScanner::skip_blanks() {
  while (at_ < limit_) {
    if (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r') {
      ++at_;
      continue;
    }
    if (*at_ != '/' || !options_.allow_comments || limit_ - at_ < 2) return;
    const std::string_view rest(at_, static_cast<std::size_t>(limit_ - at_));
    if (rest[1] == '/') {
      const auto end = rest.find_first_of("\r\n");
      at_ = end == std::string_view::npos ? limit_ : at_ + end;
    } else if (rest[1] == '*') {
      const auto end = rest.find("*/", 2);
      if (end == std::string_view::npos) return;  // '/' begins no token: malformed
      at_ += end + 2;
    } else {
      return;
    }
  }
}

void LenientScanner::take(std::size_t count) {
  at_ += count;
  end_ = at_;
  skip_blanks();
}

Token LenientScanner::peek() const {
  if (at_ == limit_) return Token::bad;
  const char c = *at_;
  switch (c) {
    case '{':
      return Token::object;
    case '[':
      return Token::array;
    case '"':
      return Token::string;
    case '\'':
      return options_.allow_single_quotes ? Token::string : Token::bad;
    case 't':
      return Token::true_;
    case 'f':
      return Token::false_;
    case 'n':
      return Token::null;
    case 'N':
    case 'I':
    case '+':
      return options_.allow_non_numeric ? Token::non_finite : Token::bad;
    case '-':
      return at_ + 1 < limit_ && at_[1] == 'I' && options_.allow_non_numeric ? Token::non_finite
                                                                             : Token::number;
    default:
      return is_digit(c) ? Token::number : Token::bad;
  }
}

bool LenientScanner::open(char closer, bool& empty) {
  take(1);
  if (++depth_ > options_.nesting_max) return false;
  empty = next_is(closer);
  if (empty) {
    take(1);
    --depth_;
  }
  return true;
}

bool LenientScanner::more_until(char closer, bool& more) {
  if (next_is(',')) {
    take(1);
    more = true;
    return true;
  }
  more = false;
  if (!next_is(closer)) return false;
  take(1);
  --depth_;
  return true;
}

bool LenientScanner::read_key(std::string_view& key) {
  if (at_ == limit_) return false;
  if (*at_ == '"' || *at_ == '\'') {
    const char* begin = at_;
    const bool double_quoted = *at_ == '"';
    if (!double_quoted && !options_.allow_single_quotes) return false;
    if (!read_string(key)) return false;
    key_.assign(key);
    key_source_ = double_quoted ? std::string(begin, end_) : json_quote(key_);
  } else {
    if (!options_.allow_unquoted_names) return false;
    const char* begin = at_;
    const char* p = at_;
    while (p < limit_ && is_name_character(*p)) ++p;
    if (p == begin || is_digit(*begin)) return false;
    key_.assign(begin, p);
    key_source_ = json_quote(key_);
    take(static_cast<std::size_t>(p - begin));
  }
  key = key_;
  if (!next_is(':')) return false;
  take(1);
  return true;
}

bool LenientScanner::take_literal(std::string_view word) {
  const std::string_view rest(at_, static_cast<std::size_t>(limit_ - at_));
  if (!rest.starts_with(word)) return false;
  if (rest.size() > word.size() && is_name_character(rest[word.size()])) return false;
  take(word.size());
  return true;
}

// At the backslash; appends what it stands for.
bool LenientScanner::decode_escape() {
  if (limit_ - at_ < 2) return false;
  const char c = at_[1];
  if (c == 'u') {
    const auto left = static_cast<std::size_t>(limit_ - at_);
    // Two in a row may be a surrogate pair.
    const bool pair = left >= 12 && at_[6] == '\\' && at_[7] == 'u' && hex4(at_ + 8) >= 0xdc00 &&
                      hex4(at_ + 8) < 0xe000 && hex4(at_ + 2) >= 0xd800 && hex4(at_ + 2) < 0xdc00;
    const std::size_t length = pair ? 12 : 6;
    char decoded[16];
    std::size_t size;
    if (left < 6 || !unescape_json(at_, length, decoded, size)) return false;
    scratch_.append(decoded, size);
    at_ += length;
    return true;
  }
  char decoded[4];
  std::size_t size;
  if (unescape_json(at_, 2, decoded, size)) {
    scratch_.append(decoded, size);
  } else if (options_.allow_any_escape || (c == '\'' && options_.allow_single_quotes)) {
    scratch_ += c;
  } else {
    return false;
  }
  at_ += 2;
  return true;
}

bool LenientScanner::read_string(std::string_view& value) {
  const char quote = *at_++;
  scratch_.clear();
  while (at_ < limit_ && *at_ != quote) {
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '\\') {
      if (!decode_escape()) return false;
    } else if (c < 0x20 && !options_.allow_control_chars) {
      return false;
    } else {
      scratch_ += *at_++;
    }
  }
  if (at_ == limit_ || static_cast<std::int64_t>(scratch_.size()) > options_.string_length_max)
    return false;
  take(1);
  value = scratch_;
  return true;
}

bool LenientScanner::read_string_into(JsonColumn& column, std::int64_t row) {
  std::string_view value;
  if (!read_string(value)) return false;
  column.set_string(row, value);
  return true;
}

Outcome LenientScanner::read_integer(std::int64_t& value) {
  std::string_view text;
  NumberKind kind;
  if (!read_number(text, kind)) return Outcome::malformed;
  if (kind != NumberKind::integer) return Outcome::bad;
  return parse_integer(text, value) ? Outcome::ok : Outcome::bad;
}

bool LenientScanner::read_number(std::string_view& text, NumberKind& kind) {
  const char* end = nullptr;
  kind = scan_number(at_, limit_, options_.allow_leading_zeros, end);
  if (kind == NumberKind::none) return false;
  text = {at_, static_cast<std::size_t>(end - at_)};
  if (static_cast<std::int64_t>(text.size()) > options_.number_length_max) return false;
  take(text.size());
  return true;
}

bool LenientScanner::read_non_finite(std::string_view& text) {
  for (const auto word : non_finite_words) {
    const char* begin = at_;
    if (!take_literal(word)) continue;
    text = {begin, word.size()};
    return true;
  }
  return false;
}

bool LenientScanner::skip_value() {
  std::string_view text;
  NumberKind kind;
  bool more;
  bool empty;
  switch (peek()) {
    case Token::object:
      if (!open_object(empty)) return false;
      for (more = !empty; more;) {
        if (!read_key(text) || !skip_value() || !more_members(more)) return false;
      }
      return true;
    case Token::array:
      if (!open_array(empty)) return false;
      for (more = !empty; more;) {
        if (!skip_value() || !more_elements(more)) return false;
      }
      return true;
    case Token::string:
      return read_string(text);
    case Token::number:
      return read_number(text, kind);
    case Token::true_:
      return take_literal("true");
    case Token::false_:
      return take_literal("false");
    case Token::null:
      return take_literal("null");
    case Token::non_finite:
      return read_non_finite(text);
    case Token::bad:
      return false;
  }
  return false;
}

}  // namespace millstream::format
