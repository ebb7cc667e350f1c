#include "engine/json_text.h"

#include "base/text.h"
#include "engine/utf8.h"

namespace millstream::engine {
namespace {

constexpr int depth_max = 1000;  // Jackson's limit

void skip_blanks(std::string_view text, std::size_t* at) {
  while (*at < text.size() &&
         (text[*at] == ' ' || text[*at] == '\t' || text[*at] == '\n' || text[*at] == '\r'))
    ++*at;
}

bool skip_string(std::string_view text, std::size_t* at) {
  const char quote = text[(*at)++];
  while (*at < text.size()) {
    const char c = text[(*at)++];
    if (c == quote) return true;
    if (static_cast<unsigned char>(c) < 0x20) return false;
    if (c != '\\') continue;
    if (*at >= text.size()) return false;
    const char escaped = text[(*at)++];
    if (escaped == 'u') {
      for (int i = 0; i < 4; ++i, ++*at) {
        if (*at >= text.size() ||
            std::string_view("0123456789abcdefABCDEF").find(text[*at]) == std::string_view::npos)
          return false;
      }
    } else if (std::string_view("\"\\/bfnrt'").find(escaped) == std::string_view::npos) {
      return false;
    }
  }
  return false;
}

bool is_digit(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool skip_number(std::string_view text, std::size_t* at) {
  if (text[*at] == '-') ++*at;
  if (!is_digit(text, *at)) return false;
  if (text[*at] == '0' && is_digit(text, *at + 1)) return false;
  while (is_digit(text, *at)) ++*at;
  if (*at < text.size() && text[*at] == '.') {
    if (!is_digit(text, ++*at)) return false;
    while (is_digit(text, *at)) ++*at;
  }
  if (*at < text.size() && (text[*at] == 'e' || text[*at] == 'E')) {
    ++*at;
    if (*at < text.size() && (text[*at] == '+' || text[*at] == '-')) ++*at;
    if (!is_digit(text, *at)) return false;
    while (is_digit(text, *at)) ++*at;
  }
  return true;
}

bool skip_value(std::string_view text, std::size_t* at, int depth);

// What is between { and } or [ and ]; on_member sees each name (empty in arrays) and value.
template <typename F>
bool each_child(std::string_view text, std::size_t* at, int depth, const F& on_child) {
  const char open = text[(*at)++];
  const char close = open == '{' ? '}' : ']';
  skip_blanks(text, at);
  if (*at < text.size() && text[*at] == close) {
    ++*at;
    return true;
  }
  while (true) {
    skip_blanks(text, at);
    std::string_view name;
    if (open == '{') {
      const std::size_t begin = *at;
      if (*at >= text.size() || (text[*at] != '"' && text[*at] != '\'') || !skip_string(text, at))
        return false;
      name = text.substr(begin, *at - begin);
      skip_blanks(text, at);
      if (*at >= text.size() || text[(*at)++] != ':') return false;
      skip_blanks(text, at);
    }
    const std::size_t begin = *at;
    if (!skip_value(text, at, depth + 1)) return false;
    on_child(name, text.substr(begin, *at - begin));
    skip_blanks(text, at);
    if (*at >= text.size()) return false;
    const char c = text[(*at)++];
    if (c == close) return true;
    if (c != ',') return false;
  }
}

bool skip_value(std::string_view text, std::size_t* at, int depth) {
  if (*at >= text.size() || depth > depth_max) return false;
  switch (text[*at]) {
    case '{':
    case '[':
      return each_child(text, at, depth, [](std::string_view, std::string_view) {});
    case '"':
    case '\'':
      return skip_string(text, at);
    default:
      break;
  }
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity", "-Infinity",
                                      "+Infinity", "-INF", "+INF", "INF"}) {
    if (!text.substr(*at).starts_with(word)) continue;
    *at += word.size();
    return true;
  }
  if (text[*at] != '-' && !is_digit(text, *at)) return false;
  return skip_number(text, at);
}

}  // namespace

std::optional<std::string_view> json_document(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t at = 0;
  skip_blanks(text, &at);
  const std::size_t begin = at;
  if (!skip_value(text, &at, 0)) return std::nullopt;
  return text.substr(begin, at - begin);
}

char json_kind(std::string_view value) {
  if (value.empty()) return 'n';
  const char c = value[0];
  if (c == '{' || c == '[' || c == 't' || c == 'f' || c == 'n') return c;
  return c == '"' || c == '\'' ? '"' : '0';
}

std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view object) {
  std::vector<std::pair<std::string, std::string_view>> out;
  std::size_t at = 0;
  if (json_kind(object) != '{') return out;
  each_child(object, &at, 0, [&](std::string_view name, std::string_view value) {
    out.emplace_back(json_unescape(name), value);
  });
  return out;
}

std::vector<std::string_view> json_elements(std::string_view array) {
  std::vector<std::string_view> out;
  std::size_t at = 0;
  if (json_kind(array) != '[') return out;
  each_child(array, &at, 0,
             [&](std::string_view, std::string_view value) { out.push_back(value); });
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

}  // namespace

std::string json_unescape(std::string_view quoted) {
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
      std::uint32_t point = hex4(inner.substr(at, 4));
      at += 4;
      if (point >= 0xD800 && point < 0xDC00 && inner.substr(at, 2) == "\\u") {
        const std::uint32_t low = hex4(inner.substr(at + 2, 4));
        if (low >= 0xDC00 && low < 0xE000) {
          point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
          at += 6;
        }
      }
      if (point >= 0xD800 && point < 0xE000) {
        out += '?';
      } else {
        append_character(&out, static_cast<std::int32_t>(point));
      }
    } else if (const auto place = from.find(escaped); place != std::string_view::npos) {
      out += to[place];
    } else {
      out += escaped;
    }
  }
  return out;
}

std::string json_compact(std::string_view value) {
  const char kind = json_kind(value);
  if (kind == '"') return json_quote(json_unescape(value));
  if (kind != '{' && kind != '[') return std::string(value);
  std::string out(1, kind);
  std::size_t at = 0;
  each_child(value, &at, 0, [&](std::string_view name, std::string_view child) {
    if (out.size() > 1) out += ',';
    if (kind == '{') out += json_quote(json_unescape(name)) + ":";
    out += json_compact(child);
  });
  return out + (kind == '{' ? '}' : ']');
}

std::string json_as_text(std::string_view value) {
  return json_kind(value) == '"' ? json_unescape(value) : json_compact(value);
}

}  // namespace millstream::engine
