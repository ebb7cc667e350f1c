// Type widening: what a table's schema says of its columns' earlier types. Pure.
#pragma once

#include "base/status.h"
#include "column/types.h"

namespace millstream::delta {

// Whether every value of one type is one of the other, so that files of it can be read as such.
bool is_widening(const column::DataType& from, const column::DataType& to);

// `after` with the changes of types since `before` recorded at its columns (delta.typeChanges).
column::Schema with_type_changes(const column::Schema& before, column::Schema after);

// DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA for a recorded change after which old files cannot be
// read as the new type.
Status check_type_changes(const column::Schema& schema);

}  // namespace millstream::delta
