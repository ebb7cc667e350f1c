// Values of Arrow arrays as text: one small formatter for df.show() and for whole columns cast to
// string. Pure; any thread.
#pragma once

#include <string>

#include "column/types.h"

namespace arrow {
class Array;
}  // namespace arrow

namespace millstream::engine {

struct TextStyle {
  std::string time_zone = "UTC";
  // show(): NULL at every depth and binary as [0A FF]; otherwise as CAST(x AS STRING): null inside,
  // binary as UTF-8.
  bool pretty = true;
};

// The text of row `row`; a NULL is "NULL" when pretty, "null" otherwise.
Result<std::string> value_text(const arrow::Array& array, std::int64_t row,
                               const column::TypePtr& type, const TextStyle& style);

}  // namespace millstream::engine
