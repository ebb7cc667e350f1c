// Columns by a regular expression (df.colRegex): the whole name must match. Pure.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"

namespace millstream::plan {

// Java's possessive quantifiers are understood; what the language beneath does not know is an
// error.
Result<std::function<bool(const std::string&)>> column_matcher(const std::string& pattern,
                                                               bool case_sensitive);

}  // namespace millstream::plan
