// Java's regular expressions: on RE2 where both mean the same, else on ICU (icu_regex.h). What
// neither does as Java is refused by name. Immutable; any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace millstream::engine {

class IcuRegex;

class JavaRegex {
 public:
  // The compiled pattern; the last ones of each thread are kept.
  static Result<std::shared_ptr<const JavaRegex>> get(std::string_view pattern);
  // RE2's text for a Java pattern.
  static Result<std::string> translate(std::string_view pattern, bool* has_dollar);

  ~JavaRegex();

  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<std::optional<std::string_view>> groups;  // 0 is the whole match
  };
  int group_count() const;
  // The first match that begins at `from` or later.
  Result<std::optional<Match>> find(std::string_view text, std::size_t from) const;

 private:
  Result<const IcuRegex*> other() const;

  std::string pattern_;
  std::unique_ptr<re2::RE2> regex_;  // null: RE2 has not all of the pattern
  bool has_dollar_ = false;
  // Made when it is needed.
  mutable std::once_flag other_made_;
  mutable std::unique_ptr<const IcuRegex> other_;
  mutable Status other_status_;
};

// The replacement of Matcher.replaceAll: $1, ${name} is refused, \x is x.
Result<std::string> expand_replacement(std::string_view replacement, const JavaRegex::Match& match);

}  // namespace millstream::engine
