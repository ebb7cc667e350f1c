#include "base/json_text.h"

#include <cstdint>
#include <cstdlib>

#include "base/text.h"

namespace millstream {
namespace {

constexpr int depth_max = 1000;  // Jackson's limit

void append_utf8(std::string* out, std::uint32_t point) {
  if (point < 0x80) {
    *out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const std::uint32_t lead = more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0;
  *out += static_cast<char>(lead | (point >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) *out += static_cast<char>(0x80 | ((point >> (6 * i)) & 0x3F));
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

bool is_name(char c) {
  return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '$' ||
         c == '@' || c == '#' || c == '*' || c == '-' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Steps over the pieces of a text. Every step is false where the text is malformed.
class Scanner {
 public:
  Scanner(std::string_view text, const JsonDialect& dialect) : text_(text), dialect_(dialect) {}

  std::size_t at() const { return at_; }
  std::string_view from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_])) {
        ++at_;
      } else if (!dialect_.comments || text_[at_] != '/') {
        break;
      } else if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        const auto end = text_.substr(at_).starts_with("/*") ? text_.find("*/", at_ + 2)
                                                             : std::string_view::npos;
        if (end == std::string_view::npos) return false;
        at_ = end + 2;
      }
    }
    return true;
  }

  bool skip_value(int depth) {
    if (at_ >= text_.size() || depth > depth_max) return false;
    const char c = text_[at_];
    if (c == '{' || c == '[') return each_child(depth, [](std::string_view, std::string_view) {});
    if (c == '"' || (c == '\'' && dialect_.single_quotes)) return skip_string();
    for (const std::string_view word : {"true", "false", "null"}) {
      if (skip_word(word)) return true;
    }
    if (dialect_.not_a_number) {
      for (const std::string_view word :
           {"NaN", "Infinity", "-Infinity", "+Infinity", "-INF", "+INF", "INF"}) {
        if (skip_word(word)) return true;
      }
    }
    return skip_number();
  }

  // What is between { and } or [ and ]; `on_child` sees each name (empty in arrays) and value.
  template <typename F>
  bool each_child(int depth, const F& on_child) {
    const char open = text_[at_++];
    const char close = open == '{' ? '}' : ']';
    if (!skip_blanks()) return false;
    if (at_ < text_.size() && text_[at_] == close) {
      ++at_;
      return true;
    }
    while (true) {
      std::string_view name;
      if (!skip_blanks() || (open == '{' && !skip_name(&name)) || !skip_blanks()) return false;
      const std::size_t begin = at_;
      if (!skip_value(depth + 1)) return false;
      on_child(name, from(begin));
      if (!skip_blanks() || at_ >= text_.size()) return false;
      const char c = text_[at_++];
      if (c == close) return true;
      if (c != ',') return false;
    }
  }

 private:
  bool skip_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    if (at_ + word.size() < text_.size() && is_name(text_[at_ + word.size()])) return false;
    at_ += word.size();
    return true;
  }

  // A member's name and the colon behind it.
  bool skip_name(std::string_view* name) {
    if (at_ >= text_.size()) return false;
    const std::size_t begin = at_;
    if (text_[at_] == '"' || (text_[at_] == '\'' && dialect_.single_quotes)) {
      if (!skip_string()) return false;
    } else {
      if (!dialect_.unquoted_names || !is_name(text_[at_]) || is_digit(text_[at_])) return false;
      while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    }
    *name = from(begin);
    return skip_blanks() && at_ < text_.size() && text_[at_++] == ':';
  }

  bool skip_string() {
    const char quote = text_[at_++];
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote) return true;
      if (static_cast<unsigned char>(c) < 0x20 && !dialect_.control_characters) return false;
      if (c != '\\') continue;
      if (at_ >= text_.size()) return false;
      const char escaped = text_[at_++];
      if (escaped == 'u') {
        for (int i = 0; i < 4; ++i, ++at_) {
          if (at_ >= text_.size() || !is_hex(text_[at_])) return false;
        }
      } else if (!dialect_.escape_any &&
                 std::string_view("\"\\/bfnrt'").find(escaped) == std::string_view::npos) {
        return false;
      }
    }
    return false;
  }

  bool digit_here() const { return at_ < text_.size() && is_digit(text_[at_]); }

  bool skip_number() {
    if (text_[at_] == '-') ++at_;
    if (!digit_here()) return false;
    if (text_[at_] == '0' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]) &&
        !dialect_.leading_zeros)
      return false;
    while (digit_here()) ++at_;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      if (!digit_here()) return false;
      while (digit_here()) ++at_;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (!digit_here()) return false;
      while (digit_here()) ++at_;
    }
    // What follows a number must be able to follow a value.
    return at_ >= text_.size() || !is_name(text_[at_]);
  }

  std::string_view text_;
  const JsonDialect& dialect_;
  std::size_t at_ = 0;
};

// A number as Jackson copies it: whole ones keep their digits, others go through a double.
std::string copied_number(std::string_view text) {
  if (!json_is_whole(text)) {
    const std::string number = text.ends_with("INF")
                                   ? std::string(text.substr(0, text.size() - 3)) + "Infinity"
                                   : std::string(text);
    const std::string shown = java_text(std::strtod(number.c_str(), nullptr));
    return is_digit(shown.back()) ? shown : "\"" + shown + "\"";
  }
  const bool negative = text[0] == '-';
  std::string_view digits = text.substr(negative ? 1 : 0);
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  return (negative && digits != "0" ? "-" : "") + std::string(digits);
}

}  // namespace

JsonDialect JsonDialect::of(const std::map<std::string, std::string>& options) {
  JsonDialect out;
  const auto read = [&](const char* name, bool* into) {
    const auto found = options.find(name);
    if (found != options.end()) *into = equals_ignore_case(found->second, "true");
  };
  read("allowsinglequotes", &out.single_quotes);
  read("allowunquotedfieldnames", &out.unquoted_names);
  read("allownumericleadingzeros", &out.leading_zeros);
  read("allowcomments", &out.comments);
  read("allownonnumericnumbers", &out.not_a_number);
  read("allowbackslashescapinganycharacter", &out.escape_any);
  read("allowunquotedcontrolchars", &out.control_characters);
  return out;
}

std::optional<std::string_view> json_document(std::string_view text, const JsonDialect& dialect) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Scanner scanner(text, dialect);
  if (!scanner.skip_blanks()) return std::nullopt;
  const std::size_t begin = scanner.at();
  if (!scanner.skip_value(0)) return std::nullopt;
  const std::string_view value = scanner.from(begin);
  // More may stand behind a value, but what follows a number is apart from it.
  const std::string_view rest = text.substr(scanner.at());
  const bool apart =
      rest.empty() || std::string_view(" \t\r\n").find(rest[0]) != std::string_view::npos;
  return json_kind(value) != '0' || apart ? std::optional(value) : std::nullopt;
}

bool json_is_blank(std::string_view text, const JsonDialect& dialect) {
  Scanner scanner(text, dialect);
  return scanner.skip_blanks() && scanner.at() == text.size();
}

char json_kind(std::string_view value) {
  if (value.empty()) return 'n';
  const char c = value[0];
  if (c == '{' || c == '[' || c == 't' || c == 'f' || c == 'n') return c;
  return c == '"' || c == '\'' ? '"' : '0';
}

bool json_is_whole(std::string_view number) {
  return number.find_first_of(".eEIN") == std::string_view::npos;
}

std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view object,
                                                                   const JsonDialect& dialect) {
  std::vector<std::pair<std::string, std::string_view>> out;
  if (json_kind(object) != '{') return out;
  Scanner(object, dialect).each_child(0, [&](std::string_view name, std::string_view value) {
    out.emplace_back(json_unescape(name), value);
  });
  return out;
}

std::vector<std::string_view> json_elements(std::string_view array, const JsonDialect& dialect) {
  std::vector<std::string_view> out;
  if (json_kind(array) != '[') return out;
  Scanner(array, dialect).each_child(0, [&](std::string_view, std::string_view value) {
    out.push_back(value);
  });
  return out;
}

namespace {

std::uint32_t hex4(std::string_view text) {
  std::uint32_t value = 0;
  for (const char c : text) {
    value = value * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

// The character of \uXXXX whose digits begin at `at`, and of the low surrogate behind it.
void append_escaped(std::string_view inner, std::size_t* at, std::string* out) {
  std::uint32_t point = hex4(inner.substr(*at, 4));
  *at += 4;
  if (point >= 0xD800 && point < 0xDC00 && inner.substr(*at, 2) == "\\u") {
    const std::uint32_t low = hex4(inner.substr(*at + 2, 4));
    if (low >= 0xDC00 && low < 0xE000) {
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      *at += 6;
    }
  }
  if (point >= 0xD800 && point < 0xE000) {
    *out += '?';
  } else {
    append_utf8(out, point);
  }
}

}  // namespace

std::string json_unescape(std::string_view quoted) {
  if (quoted.empty() || (quoted[0] != '"' && quoted[0] != '\'')) return std::string(quoted);
  std::string out;
  const std::string_view inner =
      quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : std::string_view();
  for (std::size_t at = 0; at < inner.size();) {
    const char c = inner[at++];
    if (c != '\\') {
      out += c;
      continue;
    }
    const char escaped = inner[at++];
    static constexpr std::string_view from = "bfnrt";
    static constexpr std::string_view to = "\b\f\n\r\t";
    if (escaped == 'u') {
      append_escaped(inner, &at, &out);
    } else if (const auto place = from.find(escaped); place != std::string_view::npos) {
      out += to[place];
    } else {
      out += escaped;
    }
  }
  return out;
}

namespace {

void append_compact(std::string_view value, const JsonDialect& dialect, std::string* out) {
  const char kind = json_kind(value);
  if (kind == '"') return append_json_quoted(json_unescape(value), out);
  if (kind == '0') {
    *out += copied_number(value);
    return;
  }
  if (kind != '{' && kind != '[') {
    *out += value;
    return;
  }
  *out += kind;
  bool first = true;
  Scanner(value, dialect).each_child(0, [&](std::string_view name, std::string_view child) {
    if (!first) *out += ',';
    first = false;
    if (kind == '{') {
      append_json_quoted(json_unescape(name), out);
      *out += ':';
    }
    append_compact(child, dialect, out);
  });
  *out += kind == '{' ? '}' : ']';
}

}  // namespace

std::string json_compact(std::string_view value, const JsonDialect& dialect) {
  std::string out;
  append_compact(value, dialect, &out);
  return out;
}

std::string json_as_text(std::string_view value, const JsonDialect& dialect) {
  return json_kind(value) == '"' ? json_unescape(value) : json_compact(value, dialect);
}

}  // namespace millstream
