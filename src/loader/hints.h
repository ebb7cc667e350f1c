// cloudFiles.schemaHints: "amount DOUBLE, cust.born DATE, lines.element.qty INT", laid over an
// inferred schema. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "column/types.h"

namespace millstream::loader {

struct Hint {
  std::vector<std::string>
      path;  // column, then members; "element" of an array, "key" and "value" of a map
  column::TypePtr type;
};

// COLUMN_ALREADY_EXISTS for two hints that name one column, also when their letter case differs.
Result<std::vector<Hint>> parse_hints(std::string_view text);

// The schema with the hint's column (or member) of the hint's type; added at the end where there is
// none. A column that differs by letter case only takes the hint's spelling.
Result<column::Schema> apply_hint(const column::Schema& schema, const Hint& hint);

}  // namespace millstream::loader
