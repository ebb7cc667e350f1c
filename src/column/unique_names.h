// Names in a schema that no reader could tell apart.
#pragma once

#include "base/status.h"
#include "column/types.h"

namespace millstream::column {

// COLUMN_ALREADY_EXISTS when two columns, or two members of one struct at any depth, differ by
// letter case only.
Status check_unique_names(const Schema& schema);

}  // namespace millstream::column
