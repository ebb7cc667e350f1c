// `${name}` in the texts of SQL: the value of a setting stands in its place before anything else is
// read, within quotes and comments too (Spark's VariableSubstitution).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::sql {

// The value of a setting; an empty text for one that nobody has set.
using FindSetting = std::function<std::string(const std::string& name)>;

// While it lives, the texts that this thread reads have them replaced so; an empty function: they
// stay as they are.
class Substitution {
 public:
  explicit Substitution(FindSetting find);
  ~Substitution();
  Substitution(const Substitution&) = delete;
  Substitution& operator=(const Substitution&) = delete;

 private:
  const FindSetting find_;
  const FindSetting* const outer_;
};

// The text to read; nothing: it is `text` as it is. A setting that names itself is an error.
Result<std::optional<std::string>> substituted(std::string_view text);

}  // namespace millstream::sql
