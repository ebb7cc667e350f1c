// StrictScanner: a pull parser over a JsonIndex, for text that is strictly JSON; anything else is
// `malformed`, upon which the lenient scanner reads the same line again. Hot code: everything is
// inline. Reads a little beyond a token: the text is followed by padding of white space.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "format/json_column.h"
#include "format/json_numbers.h"
#include "format/json_token.h"
#include "format/json_unescape.h"

namespace millstream::format {

class StrictScanner {
 public:
  static constexpr int number_max = 1000;  // characters

  StrictScanner(std::string_view text, const std::uint32_t* at, int nesting_max)
      : text_(text.data()),
        at_(at),
        has_escapes_(text.find('\\') != std::string_view::npos),
        nesting_max_(nesting_max) {}

  const std::uint32_t* cursor() const { return at_; }
  // Begins a record, all of which lies before `limit`.
  void seek(const std::uint32_t* at, const char* limit) {
    at_ = at;
    limit_ = limit;
    depth_ = 0;
  }
  // To read a value again: its place, saved before it.
  struct Place {
    const std::uint32_t* at;
    int depth;
  };
  Place save() const { return {at_, depth_}; }
  void restore(const Place& place) {
    at_ = place.at;
    depth_ = place.depth;
  }
  // Offsets into the text: where the next token begins, where the last one that was taken ended.
  const char* next_begin() const { return text_ + *at_; }
  const char* last_end() const { return end_; }

  Token peek() const {
    switch (text_[*at_]) {
      case '{':
        return Token::object;
      case '[':
        return Token::array;
      case '"':
        return Token::string;
      case 't':
        return Token::true_;
      case 'f':
        return Token::false_;
      case 'n':
        return Token::null;
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        return Token::number;
      default:
        return Token::bad;
    }
  }
  bool next_is(char c) const { return text_[*at_] == c; }

  // Objects: open, then for each member its key and its value, then more_members.
  bool open_object(bool& empty) { return open('}', empty); }
  bool take_key(const KeyPattern& pattern) {
    const char* key = text_ + at_[0];
    if (!pattern.matches(key) || text_[at_[1]] != ':') return false;
    key_ = key;
    at_ += 2;
    return true;
  }
  bool read_key(std::string_view& key) {
    if (text_[*at_] != '"') return false;
    key_ = text_ + *at_;
    if (!read_string(key)) return false;
    if (text_[*at_] != ':') return false;
    ++at_;
    return true;
  }
  // The source of the key just taken, quotes included.
  std::string_view key_source() const {
    const char* end = text_ + at_[-1] - 1;
    while (*end != '"') --end;
    return {key_, static_cast<std::size_t>(end + 1 - key_)};
  }
  bool more_members(bool& more) { return more_until('}', more); }

  bool open_array(bool& empty) { return open(']', empty); }
  bool more_elements(bool& more) { return more_until(']', more); }

  bool take_literal(std::string_view word) {
    const char* begin = text_ + *at_;
    if (std::memcmp(begin, word.data(), word.size()) != 0 || !ends_token(begin[word.size()]))
      return false;
    end_ = begin + word.size();
    ++at_;
    return true;
  }

  // Decoded. Valid until the next call.
  bool read_string(std::string_view& value) {
    const char* begin;
    const char* end;
    string_extent(begin, end);
    const auto size = static_cast<std::size_t>(end - begin);
    if (!has_escape(begin, size)) {
      value = {begin, size};
      return true;
    }
    scratch_.resize(size);
    std::size_t decoded;
    if (!unescape_json(begin, size, scratch_.data(), decoded)) return false;
    value = {scratch_.data(), decoded};
    return true;
  }
  // Decoded, straight into a column.
  bool read_string_into(JsonColumn& column, std::int64_t row) {
    const char* begin;
    const char* end;
    string_extent(begin, end);
    const auto size = static_cast<std::size_t>(end - begin);
    char* out = column.begin_string(row, size);
    if (copy_plain(begin, size, out)) {
      column.end_string(size);
      return true;
    }
    std::size_t decoded;
    if (!unescape_json(begin, size, out, decoded)) return false;
    column.end_string(decoded);
    return true;
  }

  // An integer token that fits: ok. Another number: bad, and taken.
  Outcome read_integer(std::int64_t& value) {
    const char* p = text_ + *at_;
    const bool negative = *p == '-';
    if (negative) ++p;
    const char* const first = p;
    std::uint64_t digits = 0;
    while (is_digit(*p)) digits = digits * 10 + static_cast<std::uint64_t>(*p++ - '0');
    const auto count = p - first;
    if (count == 0 || (*first == '0' && count > 1) || count > number_max) return Outcome::malformed;
    if (!ends_token(*p)) {
      std::string_view text;
      NumberKind kind;
      return read_number(text, kind) ? Outcome::bad : Outcome::malformed;
    }
    end_ = p;
    ++at_;
    if (count < 19) {
      value = negative ? -static_cast<std::int64_t>(digits) : static_cast<std::int64_t>(digits);
      return Outcome::ok;
    }
    const char* begin = negative ? first - 1 : first;
    return parse_integer({begin, static_cast<std::size_t>(p - begin)}, value) ? Outcome::ok
                                                                              : Outcome::bad;
  }
  bool read_number(std::string_view& text, NumberKind& kind) {
    const char* begin = text_ + *at_;
    kind = scan_number(begin, begin + number_max + 1, false, end_);
    if (kind == NumberKind::none || end_ - begin > number_max) return false;
    text = {begin, static_cast<std::size_t>(end_ - begin)};
    ++at_;
    return true;
  }
  bool read_non_finite(std::string_view&) { return false; }

  // Takes a whole value, checking that it is well-formed.
  bool skip_value();

 private:
  static constexpr int deepest = 1024;

  bool open(char closer, bool& empty) {
    end_ = text_ + *at_ + 1;
    if (end_ > limit_) return false;
    ++at_;
    if (++depth_ > nesting_max_) return false;
    empty = text_[*at_] == closer;
    if (empty) close();
    return true;
  }
  void close() {
    end_ = text_ + *at_ + 1;
    ++at_;
    --depth_;
  }
  bool more_until(char closer, bool& more) {
    const char c = text_[*at_];
    if (c == ',') {
      ++at_;
      more = true;
      return true;
    }
    more = false;
    if (c != closer) return false;
    close();
    return true;
  }
  void string_extent(const char*& begin, const char*& end) {
    begin = text_ + *at_ + 1;
    const char* e = text_ + at_[1] - 1;
    while (*e != '"') --e;  // white space before the next token
    end = e;
    end_ = e + 1;
    ++at_;
  }
  bool has_escape(const char* begin, std::size_t size) const {
    return has_escapes_ && std::memchr(begin, '\\', size) != nullptr;
  }
  // Copies text without backslashes; false at the first of them. May write up to 16 bytes beyond
  // the end.
  static bool copy_plain(const char* from, std::size_t size, char* to) {
#ifdef __SSE2__
    const __m128i backslash = _mm_set1_epi8('\\');
    for (std::size_t i = 0; i < size; i += 16) {
      const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), part);
      auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, backslash)));
      if (found != 0) {
        if (size - i < 16) found &= (1u << (size - i)) - 1;
        if (found != 0) return false;
      }
    }
    return true;
#else
    if (std::memchr(from, '\\', size) != nullptr) return false;
    std::memcpy(to, from, size);
    return true;
#endif
  }
  bool skip_scalar();

  const char* text_;
  const std::uint32_t* at_;
  const bool has_escapes_;  // somewhere in the text
  const char* limit_ = nullptr;
  const char* end_ = nullptr;
  const char* key_ = nullptr;
  int depth_ = 0;
  int nesting_max_;
  std::string scratch_;
};

inline bool StrictScanner::skip_scalar() {
  switch (text_[*at_]) {
    case '"': {
      const char* begin;
      const char* end;
      string_extent(begin, end);
      const auto size = static_cast<std::size_t>(end - begin);
      return !has_escape(begin, size) || is_escaped_json(begin, size);
    }
    case 't':
      return take_literal("true");
    case 'f':
      return take_literal("false");
    case 'n':
      return take_literal("null");
    default: {
      std::string_view text;
      NumberKind kind;
      return read_number(text, kind);
    }
  }
}

inline bool StrictScanner::skip_value() {
  char closers[deepest];
  int open_count = 0;
  for (;;) {
    // A value begins here.
    const char c = text_[*at_];
    bool opened = false;
    if (c == '{' || c == '[') {
      bool empty;
      const char closer = c == '{' ? '}' : ']';
      if (open_count == deepest || !open(closer, empty)) return false;
      if (!empty) {
        closers[open_count++] = closer;
        opened = true;
      }
    } else if (!skip_scalar()) {
      return false;
    }
    // A value ended here, or a container began.
    while (!opened) {
      if (open_count == 0) return true;
      bool more;
      if (!more_until(closers[open_count - 1], more)) return false;
      if (more) break;
      --open_count;
    }
    if (closers[open_count - 1] == '}') {
      std::string_view key;
      if (!read_key(key)) return false;
    }
  }
}

}  // namespace millstream::format
