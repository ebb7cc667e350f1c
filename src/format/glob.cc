// Globs, by Hadoop's grammar.
#include "format/files.h"

namespace millstream::format {
namespace {

constexpr std::size_t alternatives_max = 10'000;

Status bad_glob(std::string_view pattern, std::string_view why) {
  return Status::invalid("the pattern '{}' is not a glob: {}", pattern, why);
}

// The end of the brace group that opens at `open`; npos: none.
std::size_t closing_brace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::size_t find_open_brace(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      return i;
    }
  }
  return std::string_view::npos;
}

Status expand(const std::string& pattern, std::vector<std::string>& out) {
  const auto open = find_open_brace(pattern);
  if (open == std::string::npos) {
    if (out.size() == alternatives_max) return bad_glob(pattern, "too many alternatives");
    out.push_back(pattern);
    return Status::OK();
  }
  const auto close = closing_brace(pattern, open);
  if (close == std::string::npos) return bad_glob(pattern, "a '{' is not closed");
  const std::string before = pattern.substr(0, open);
  const std::string after = pattern.substr(close + 1);
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = open + 1; i <= close; ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (c == '{') {
      ++depth;
    } else if ((c == ',' && depth == 0) || i == close) {
      TRY(expand(before + pattern.substr(begin, i - begin) + after, out));
      begin = i + 1;
    } else if (c == '}') {
      --depth;
    }
  }
  return Status::OK();
}

// The end of the set that opens at `open`; npos: none.
std::size_t closing_bracket(std::string_view text, std::size_t open) {
  std::size_t i = open + 1;
  if (i < text.size() && (text[i] == '^' || text[i] == '!')) ++i;
  for (bool first = true; i < text.size(); ++i, first = false) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ']' && !first) {
      return i;
    }
  }
  return std::string_view::npos;
}

// The length of the UTF-8 character at the front: ? and sets take characters, not bytes.
std::size_t character_length(std::string_view text) {
  const auto c = static_cast<unsigned char>(text[0]);
  const std::size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
  return std::min(length, text.size());
}

bool in_set(std::string_view set, std::string_view character) {
  const bool negated = !set.empty() && (set[0] == '^' || set[0] == '!');
  if (negated) set.remove_prefix(1);
  bool found = false;
  while (!set.empty()) {
    if (set[0] == '\\' && set.size() > 1) set.remove_prefix(1);
    const auto low = set.substr(0, character_length(set));
    set.remove_prefix(low.size());
    if (set.size() > 1 && set[0] == '-') {
      set.remove_prefix(1);
      const auto high = set.substr(0, character_length(set));
      set.remove_prefix(high.size());
      found = found || (character >= low && character <= high);
    } else {
      found = found || character == low;
    }
  }
  return found != negated;
}

// One element of the pattern, not '*', against the front of the text: how much of each is used; 0
// of the pattern: no match.
struct Step {
  std::size_t pattern = 0;
  std::size_t text = 0;
};

Step match_one(std::string_view pattern, std::string_view text) {
  if (text.empty()) return {};
  const std::size_t length = character_length(text);
  switch (pattern[0]) {
    case '?':
      return {1, length};
    case '[': {
      const auto close = closing_bracket(pattern, 0);
      if (close == std::string_view::npos) return {};
      return in_set(pattern.substr(1, close - 1), text.substr(0, length)) ? Step{close + 1, length}
                                                                          : Step{};
    }
    case '\\':
      if (pattern.size() > 1) return pattern[1] == text[0] ? Step{2, 1} : Step{};
      [[fallthrough]];
    default:
      return pattern[0] == text[0] ? Step{1, 1} : Step{};
  }
}

bool match(std::string_view pattern, std::string_view text) {
  std::string_view star_pattern;
  std::string_view star_text;
  bool starred = false;
  for (;;) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_text = text;
      starred = true;
      continue;
    }
    if (pattern.empty() && text.empty()) return true;
    const Step step = pattern.empty() ? Step{} : match_one(pattern, text);
    if (step.pattern > 0) {
      pattern.remove_prefix(step.pattern);
      text.remove_prefix(step.text);
      continue;
    }
    if (!starred || star_text.empty()) return false;
    star_text.remove_prefix(character_length(star_text));
    text = star_text;
    pattern = star_pattern;
  }
}

}  // namespace

Result<Glob> Glob::compile(std::string_view pattern) {
  Glob glob;
  TRY(expand(std::string(pattern), glob.alternatives_));
  for (const auto& alternative : glob.alternatives_) {
    for (std::size_t i = 0; i < alternative.size(); ++i) {
      if (alternative[i] == '\\') {
        ++i;
      } else if (alternative[i] == '[') {
        i = closing_bracket(alternative, i);
        if (i == std::string::npos) return bad_glob(pattern, "a '[' is not closed");
      }
    }
  }
  return glob;
}

bool Glob::matches(std::string_view text) const {
  for (const auto& alternative : alternatives_) {
    if (match(alternative, text)) return true;
  }
  return false;
}

bool Glob::has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("{}[]*?\\") != std::string_view::npos;
}

}  // namespace millstream::format
