#include "sql/lexer.h"

#include <array>

#include "base/text.h"
#include "sql/parser.h"

namespace millstream::sql {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// `count` hexadecimal digits at the beginning of `text`; -1: they are not there.
std::int64_t hex_code(std::string_view text, std::size_t count) {
  if (text.size() < count) return -1;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char c = text[i];
    const int digit = is_digit(c)              ? c - '0'
                      : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                      : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                               : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool is_surrogate(std::int64_t code) { return code >= 0xD800 && code <= 0xDFFF; }

// One escape; `text` begins after the backslash. Returns how many characters it took.
std::size_t unescape(std::string_view text, std::string& out) {
  const char c = text[0];
  if (c == 'u' || c == 'U') {
    const std::size_t digits = c == 'u' ? 4 : 8;
    const std::int64_t code = hex_code(text.substr(1), digits);
    if (is_surrogate(code)) {
      // Two of them are a character; one alone is none, which Java writes as a question mark.
      const bool pair = code < 0xDC00 && text.substr(digits + 1).starts_with("\\u");
      const std::int64_t low = pair ? hex_code(text.substr(digits + 3), 4) : -1;
      if (low >= 0xDC00 && low <= 0xDFFF) {
        append_utf8(out,
                    static_cast<std::uint32_t>(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)));
        return digits + 7;
      }
      out += '?';
      return digits + 1;
    }
    if (code >= 0 && code <= 0x10FFFF) {
      append_utf8(out, static_cast<std::uint32_t>(code));
      return digits + 1;
    }
  }
  const auto octal = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '7';
  };
  if ((c == '0' || c == '1') && octal(1) && octal(2)) {
    append_utf8(out,
                static_cast<std::uint32_t>((c - '0') * 64 + (text[1] - '0') * 8 + (text[2] - '0')));
    return 3;
  }
  switch (c) {
    case '0':
      out += '\0';
      break;
    case 'b':
      out += '\b';
      break;
    case 'n':
      out += '\n';
      break;
    case 'r':
      out += '\r';
      break;
    case 't':
      out += '\t';
      break;
    case 'Z':
      out += '\x1A';
      break;
    // LIKE patterns need these two kept.
    case '%':
      out += "\\%";
      break;
    case '_':
      out += "\\_";
      break;
    default:
      out += c;
      break;
  }
  return 1;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> run() {
    for (;;) {
      TRY(skip_blanks());
      Token token = next();
      tokens_.push_back(token);
      if (token.kind == TokenKind::end) return std::move(tokens_);
    }
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  Status skip_blanks() {
    for (;;) {
      const char c = at(position_);
      if (position_ < text_.size() &&
          (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f')) {
        ++position_;
      } else if (c == '-' && at(position_ + 1) == '-') {
        while (position_ < text_.size() && text_[position_] != '\n') ++position_;
      } else if (c == '/' && at(position_ + 1) == '*' && at(position_ + 2) != '+') {
        TRY(skip_comment());
      } else {
        return Status::OK();
      }
    }
  }

  Status skip_comment() {
    int depth = 0;
    while (position_ < text_.size()) {
      if (at(position_) == '/' && at(position_ + 1) == '*') {
        ++depth;
        position_ += 2;
      } else if (at(position_) == '*' && at(position_ + 1) == '/') {
        position_ += 2;
        if (--depth == 0) return Status::OK();
      } else {
        ++position_;
      }
    }
    ErrorInfo info = Status::error("UNCLOSED_BRACKETED_COMMENT").info();
    info.message = fmt::format("\n{}\n== SQL ==\n{}", info.message, text_);
    return Status(std::move(info));
  }

  Token make(TokenKind kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.offset = position_;
    token.text = text_.substr(position_, length);
    position_ += length;
    return token;
  }

  Token next() {
    const char c = at(position_);
    if (position_ >= text_.size()) return make(TokenKind::end, 0);
    if (c == '\'' || c == '"') return string_token(position_, false);
    if ((c == 'r' || c == 'R') && (at(position_ + 1) == '\'' || at(position_ + 1) == '"')) {
      return string_token(position_ + 1, true);
    }
    if (c == '`') return quoted();
    if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)) && !after_name())) return number();
    if (is_word(c)) {
      std::size_t end = position_;
      while (end < text_.size() && is_word(text_[end])) ++end;
      Token token = make(TokenKind::word, end - position_);
      token.value = std::string(token.text);
      return token;
    }
    static constexpr std::array<std::string_view, 19> symbols{
        "/*+", "*/", "<=>", ">>>", "<>", "!=", "<=", ">=", "==", "||",
        "->",  "::", "<<",  ">>",  "!>", "!<", "=>", ":=", "|>"};
    for (const auto symbol : symbols) {
      if (text_.substr(position_).starts_with(symbol))
        return make(TokenKind::symbol, symbol.size());
    }
    static constexpr std::string_view single = "()[]{},.*+-/%&|^~<>=!:?;";
    const bool known = single.find(c) != std::string_view::npos;
    return make(known ? TokenKind::symbol : TokenKind::unknown, 1);
  }

  // ".5" after a name or bracket is a member access, not a number.
  bool after_name() const {
    if (tokens_.empty()) return false;
    const Token& last = tokens_.back();
    if (last.offset + last.text.size() != position_) return false;
    return last.kind == TokenKind::word || last.kind == TokenKind::quoted || last.text == "]" ||
           last.text == ")";
  }

  Token string_token(std::size_t quote_at, bool raw) {
    const char quote = text_[quote_at];
    std::string value;
    std::size_t i = quote_at + 1;
    while (i < text_.size()) {
      if (text_[i] == quote && at(i + 1) == quote && !raw) {
        value += quote;
        i += 2;
      } else if (text_[i] == quote) {
        Token token = make(TokenKind::string, i + 1 - position_);
        token.value = std::move(value);
        return token;
      } else if (text_[i] == '\\' && !raw && i + 1 < text_.size()) {
        i += 1 + unescape(text_.substr(i + 1), value);
      } else {
        value += text_[i++];
      }
    }
    return make(TokenKind::unknown, 1);
  }

  Token quoted() {
    std::string value;
    std::size_t i = position_ + 1;
    while (i < text_.size()) {
      if (text_[i] == '`' && at(i + 1) == '`') {
        value += '`';
        i += 2;
      } else if (text_[i] == '`') {
        Token token = make(TokenKind::quoted, i + 1 - position_);
        token.value = std::move(value);
        return token;
      } else {
        value += text_[i++];
      }
    }
    return make(TokenKind::unknown, 1);
  }

  Token number() {
    std::size_t i = position_;
    TokenKind kind = TokenKind::integer;
    while (is_digit(at(i))) ++i;
    // "1..2" and "1.a" do not occur in expressions; "1." is a decimal.
    if (at(i) == '.') {
      kind = TokenKind::decimal;
      ++i;
      while (is_digit(at(i))) ++i;
    }
    if (at(i) == 'e' || at(i) == 'E') {
      const std::size_t sign = at(i + 1) == '+' || at(i + 1) == '-' ? 1 : 0;
      if (is_digit(at(i + 1 + sign))) {
        kind = TokenKind::exponent;
        i += 1 + sign;
        while (is_digit(at(i))) ++i;
      }
    }
    const std::size_t digits_end = i;
    while (is_word(at(i))) ++i;
    const std::string suffix = to_upper(text_.substr(digits_end, i - digits_end));
    const bool whole = suffix == "L" || suffix == "S" || suffix == "Y";
    const bool fraction = suffix == "BD" || suffix == "D" || suffix == "F";
    if (!suffix.empty() && !fraction && !(whole && kind == TokenKind::integer)) {
      // 1a is a name.
      Token token =
          make(kind == TokenKind::integer ? TokenKind::word : TokenKind::unknown, i - position_);
      token.value = std::string(token.text);
      return token;
    }
    if (fraction && kind == TokenKind::integer) kind = TokenKind::decimal;
    const std::string value(text_.substr(position_, digits_end - position_));
    Token token = make(kind, i - position_);
    token.value = value;
    token.suffix = suffix;
    return token;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<Token> tokens_;
};

struct Place {
  std::size_t line = 1;
  std::size_t column = 0;  // characters before it in its line
};

Place place_of(std::string_view text, std::size_t offset) {
  Place place;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++place.line;
      line_start = i + 1;
    }
  }
  place.column = utf8_length(text.substr(line_start, offset - line_start));
  return place;
}

// The text with `mark` under the line of the place.
std::string marked(std::string_view text, const Place& place, const std::string& mark) {
  std::string out;
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += lines[i] + "\n";
    if (i + 1 == place.line) out += mark + "\n";
  }
  return out;
}

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text) { return Lexer(text).run(); }

Status syntax_error(std::string_view text, const Token& token, bool extra_input) {
  const bool at_end = token.kind == TokenKind::end;
  const std::string near = at_end ? "end of input" : "'" + std::string(token.text) + "'";
  const std::string hint = extra_input ? ": extra input " + near : "";
  return syntax_error(text, token,
                      Status::error("PARSE_SYNTAX_ERROR", {{"error", near}, {"hint", hint}}));
}

Status syntax_error(std::string_view text, const Token& token, const Status& status) {
  const Place place = place_of(text, token.offset);
  ErrorInfo info = status.info();
  info.message =
      fmt::format("\n{} (line {}, pos {})\n\n== SQL ==\n{}", info.message, place.line, place.column,
                  marked(text, place, std::string(place.column, '-') + "^^^"));
  return Status(std::move(info));
}

Status parse_error(std::string_view text, const Token& first, const Token& last,
                   const Status& status) {
  ErrorInfo info = status.info();
  info.kind = ErrorKind::parse;
  info.message = "\n" + info.message;
  info.contexts = {query_context(text, first.offset, last.offset + last.text.size())};
  return Status(std::move(info));
}

}  // namespace millstream::sql
