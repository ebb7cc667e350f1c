// Java's regular expressions on ICU, whose syntax is made after Java's: look-around, references to
// groups, possessive repetition, classes within classes, and each line end for `$`. It goes back
// and forth as Java does, so a search is bounded. Immutable; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/java_regex.h"

namespace millstream::engine {

class IcuRegex {
 public:
  // An error of kind `parse` where Java takes the text for no pattern either.
  static Result<std::unique_ptr<const IcuRegex>> make(std::string_view pattern);
  // ICU's text for a Java pattern.
  static Result<std::string> translate(std::string_view pattern);
  ~IcuRegex();

  int group_count() const;
  Result<std::optional<JavaRegex::Match>> find(std::string_view text, std::size_t from) const;

 private:
  struct Compiled;
  IcuRegex();

  std::string pattern_;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace millstream::engine
