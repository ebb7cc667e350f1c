#include "plan/column_regex.h"

#include <memory>
#include <regex>
#include <vector>

namespace millstream::plan {
namespace {

// Matching recurses for each character.
constexpr std::size_t text_bytes_max = 1000;

// (a)?+ as (?=((a)?))\1: what was matched is not given back. The groups are numbered anew, so a
// pattern with references of its own is refused.
Result<std::string> without_possessives(const std::string& pattern) {
  std::string out;
  std::size_t atom = 0;               // where the last atom begins in `out`
  std::vector<std::size_t> brackets;  // of open groups
  int groups = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      if (pattern[i + 1] >= '1' && pattern[i + 1] <= '9')
        return Status::unsupported("references in the regular expression {}", pattern);
      atom = out.size();
      out += pattern.substr(i++, 2);
      continue;
    }
    if (c == '[') {
      const auto end = pattern.find(']', i + 2);
      if (end == std::string::npos) return Status::invalid("Unclosed character class: {}", pattern);
      atom = out.size();
      out += pattern.substr(i, end + 1 - i);
      i = end;
      continue;
    }
    const bool quantifier = c == '?' || c == '*' || c == '+';
    if (quantifier && i + 1 < pattern.size() && pattern[i + 1] == '+') {
      ++groups;
      const std::string body = out.substr(atom) + c;
      out.resize(atom);
      out += "(?=(" + body + "))\\" + std::to_string(groups);
      // Groups inside the body come after this one.
      for (std::size_t at = 0; at < body.size(); ++at) groups += body[at] == '(' ? 1 : 0;
      ++i;
      continue;
    }
    if (c == '(') brackets.push_back(out.size());
    if (c == ')' && !brackets.empty()) {
      atom = brackets.back();
      brackets.pop_back();
    } else if (!quantifier) {
      atom = out.size();
    }
    out += c;
  }
  return out;
}

}  // namespace

Result<std::function<bool(const std::string&)>> column_matcher(const std::string& pattern,
                                                               bool case_sensitive) {
  if (pattern.size() > text_bytes_max)
    return Status::unsupported("a regular expression of more than {} bytes", text_bytes_max);
  TRY_ASSIGN(const std::string text, without_possessives(pattern));
  auto flags = std::regex::ECMAScript;
  if (!case_sensitive) flags |= std::regex::icase;
  try {
    auto compiled = std::make_shared<const std::regex>(text, flags);
    return std::function<bool(const std::string&)>([compiled](const std::string& name) {
      return name.size() <= text_bytes_max && std::regex_match(name, *compiled);
    });
  } catch (const std::regex_error& error) {
    return Status::unsupported("the regular expression {}: {}", pattern, error.what());
  }
}

}  // namespace millstream::plan
