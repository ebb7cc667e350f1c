// Spark's errors of single rows, with their parameters. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::engine {

Status divide_by_zero();
Status remainder_by_zero();
// `alternative` begins with a blank or is empty.
Status arithmetic_overflow(std::string_view message, std::string_view alternative);
// `type` and `target` in SQL: STRING, INT. The exception's kind follows the target.
Status cast_invalid_input(std::string_view value, std::string_view type, std::string_view target);
Status cast_overflow(std::string_view value, std::string_view type, std::string_view target);
Status decimal_out_of_range(std::string_view value, int precision, int scale);
Status with_kind(const Status& status, ErrorKind kind);

}  // namespace millstream::engine
