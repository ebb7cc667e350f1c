// The catalogue of error conditions: for each of Spark's (and Delta's, and Auto Loader's) condition
// names that we raise, its SQLSTATE, the exception that carries it, and the sentence with
// <parameters>. One .inc file an area.
#pragma once

#include <string_view>

#include "base/status.h"

namespace millstream {

struct ErrorCondition {
  std::string_view name;  // "CLASS" or "CLASS.SUBCLASS"
  std::string_view sql_state;
  ErrorKind kind;
  std::string_view sentence;  // "<a>" stands for parameter a
};

// nullptr when there is none of that name.
const ErrorCondition* find_error_condition(std::string_view name);

}  // namespace millstream
