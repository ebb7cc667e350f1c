#include "loader/globber.h"

#include <algorithm>

namespace millstream::loader {
namespace {

constexpr std::size_t alternatives_max = 10'000;

// Decodes one code point; a byte that is not UTF-8 stands for itself.
char32_t next_code_point(std::string_view text, std::size_t* at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(*at);
  const int length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (length > 1 && *at + static_cast<std::size_t>(length) <= text.size()) {
    char32_t point = lead & (0xFFu >> (length + 1));
    bool good = true;
    for (int i = 1; i < length; ++i) {
      const unsigned char next = byte(*at + static_cast<std::size_t>(i));
      good = good && (next & 0xC0) == 0x80;
      point = (point << 6) | (next & 0x3Fu);
    }
    if (good) {
      *at += static_cast<std::size_t>(length);
      return point;
    }
  }
  ++*at;
  return lead >= 0x80 ? 0x110000u + lead : lead;
}

// "/r/{a,b{c,d}}" -> "/r/a", "/r/bc", "/r/bd".
Status expand_braces(const std::string& text, std::vector<std::string>* out) {
  std::size_t open = std::string::npos;
  int depth = 0;
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      if (depth++ == 0) open = i;
    } else if (text[i] == ',' && depth == 1) {
      cuts.push_back(i);
    } else if (text[i] == '}' && depth > 0 && --depth == 0) {
      cuts.push_back(i);
      std::size_t from = open + 1;
      for (const std::size_t cut : cuts) {
        TRY(expand_braces(text.substr(0, open) + text.substr(from, cut - from) + text.substr(i + 1),
                          out));
        from = cut + 1;
      }
      return Status::OK();
    }
  }
  if (depth > 0) return Status::invalid("the path pattern '{}' has a '{{' without its '}}'", text);
  out->push_back(text);
  if (out->size() > alternatives_max)
    return Status::invalid("the path pattern has too many alternatives");
  return Status::OK();
}

bool is_wildcard(char c) { return c == '*' || c == '?' || c == '[' || c == '{'; }

}  // namespace

Result<Globber::Pattern> Globber::parse(std::string_view text) {
  Pattern pattern;
  for (std::size_t at = 0; at < text.size();) {
    Token token{Token::Kind::literal, 0, false, {}};
    if (text[at] == '*') {
      token.kind = Token::Kind::any_many;
      ++at;
    } else if (text[at] == '?') {
      token.kind = Token::Kind::any_one;
      ++at;
    } else if (text[at] == '[') {
      token.kind = Token::Kind::set;
      ++at;
      token.negated = at < text.size() && (text[at] == '^' || text[at] == '!');
      if (token.negated) ++at;
      while (at < text.size() && text[at] != ']') {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        const char32_t first = next_code_point(text, &at);
        char32_t last = first;
        if (at + 1 < text.size() && text[at] == '-' && text[at + 1] != ']') {
          ++at;
          last = next_code_point(text, &at);
        }
        token.ranges.emplace_back(first, last);
      }
      if (at >= text.size() || token.ranges.empty()) {
        return Status::invalid("the path pattern '{}' has a '[' without its ']'", text);
      }
      ++at;
    } else {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      token.character = next_code_point(text, &at);
    }
    pattern.push_back(std::move(token));
  }
  return pattern;
}

Result<Globber> Globber::compile(std::string_view pattern, bool strict) {
  std::string text(pattern);
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  Globber globber;
  globber.strict_ = strict;
  std::size_t wildcard = 0;
  while (wildcard < text.size() && !is_wildcard(text[wildcard]))
    wildcard += text[wildcard] == '\\' ? 2 : 1;
  globber.literal_ = wildcard >= text.size();

  std::string_view before(text);
  if (!globber.literal_) {
    before = before.substr(0, wildcard);
    before = before.substr(0, before.rfind('/'));
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == '\\' && i + 1 < before.size()) ++i;
    globber.base_ += before[i];
  }
  if (globber.base_.empty()) globber.base_ = "/";

  std::vector<std::string> expanded;
  TRY(expand_braces(text, &expanded));
  for (const auto& one : expanded) {
    TRY_ASSIGN(Pattern parsed, parse(one));
    globber.alternatives_.push_back(std::move(parsed));
  }
  return globber;
}

bool Globber::accepts(const Token& token, char32_t c) const {
  switch (token.kind) {
    case Token::Kind::literal:
      return token.character == c;
    case Token::Kind::any_one:
    case Token::Kind::any_many:
      return !strict_ || c != '/';
    case Token::Kind::set: {
      if (c == '/') return false;
      const bool in = std::any_of(token.ranges.begin(), token.ranges.end(), [&](const auto& range) {
        return range.first <= c && c <= range.second;
      });
      return in != token.negated;
    }
  }
  return false;
}

bool Globber::run(const Pattern& pattern, std::string_view path, bool* alive) const {
  const std::size_t end = pattern.size();
  std::vector<bool> states(end + 1, false);
  const auto skip_stars = [&](std::vector<bool>& set) {
    for (std::size_t s = 0; s < end; ++s) {
      if (set[s] && pattern[s].kind == Token::Kind::any_many) set[s + 1] = true;
    }
  };
  states[0] = true;
  skip_stars(states);
  bool any = true;
  for (std::size_t at = 0; any;) {
    if (states[end]) {
      const bool whole_name =
          at == path.size() || path[at] == '/' || (at > 0 && path[at - 1] == '/');
      if (whole_name || (!strict_ && !literal_)) return true;
    }
    if (at == path.size()) break;
    const char32_t c = next_code_point(path, &at);
    std::vector<bool> next(end + 1, false);
    any = false;
    for (std::size_t s = 0; s < end; ++s) {
      if (!states[s] || !accepts(pattern[s], c)) continue;
      next[pattern[s].kind == Token::Kind::any_many ? s : s + 1] = true;
      any = true;
    }
    skip_stars(next);
    states = std::move(next);
  }
  if (alive != nullptr) *alive = any;
  return false;
}

bool Globber::matches(std::string_view path) const {
  return std::any_of(alternatives_.begin(), alternatives_.end(),
                     [&](const Pattern& pattern) { return run(pattern, path, nullptr); });
}

bool Globber::may_match_below(std::string_view directory) const {
  const std::string with_slash = std::string(directory) + (directory.ends_with('/') ? "" : "/");
  return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const Pattern& pattern) {
    bool alive = false;
    return run(pattern, with_slash, &alive) || alive;
  });
}

}  // namespace millstream::loader
