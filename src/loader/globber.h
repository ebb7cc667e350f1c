// The pattern that Auto Loader's load path is: a prefix of the paths to read. The default globber's
// * crosses directory levels, and a pattern with a wildcard may end in the middle of a name; the
// strict one's * stays in its level and the pattern ends with a whole name. Immutable; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::loader {

class Globber {
 public:
  // `pattern`: an absolute path in which ? * [abc] [a-z] [^a] {ab,c{de,f}} are wildcards, and
  // \ takes one literally.
  static Result<Globber> compile(std::string_view pattern, bool strict);

  bool is_literal() const {
    return literal_;
  }  // no wildcard: the pattern names one directory or file
  // Where a search begins: the directories before the first wildcard; of a literal pattern, itself.
  const std::string& base() const { return base_; }

  bool matches(std::string_view path) const;
  bool may_match_below(std::string_view directory) const;

 private:
  struct Token {
    enum class Kind : std::uint8_t { literal, any_one, any_many, set } kind;
    char32_t character = 0;
    bool negated = false;
    std::vector<std::pair<char32_t, char32_t>> ranges;
  };
  using Pattern = std::vector<Token>;

  static Result<Pattern> parse(std::string_view text);
  bool accepts(const Token& token, char32_t c) const;
  // Runs the automaton over `path`. True when a prefix of it that ends well matches; `alive`: more
  // text could match.
  bool run(const Pattern& pattern, std::string_view path, bool* alive) const;

  bool strict_ = false;
  bool literal_ = true;
  std::string base_;
  std::vector<Pattern> alternatives_;  // braces expanded
};

}  // namespace millstream::loader
