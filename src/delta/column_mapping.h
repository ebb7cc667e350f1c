// Column mapping: the names and numbers by which data files, statistics and partition values know a
// table's columns, apart from the names that users see. Pure functions.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "column/types.h"
#include "delta/actions.h"

namespace millstream::delta {

enum class MappingMode : std::uint8_t {
  none,  // files have the columns by the table's names
  name,  // by physical names
  id,    // by the field ids in their schemas; everything else has physical names
};

// Of delta.columnMapping.mode; an unknown mode is an error that names it.
Result<MappingMode> mapping_mode(const Metadata& metadata);

// The same columns, places and types, under physical names at every depth. Each field's metadata
// has its id, as a Parquet reader of Spark wants it ("parquet.field.id"). An error names the field
// that has no physical name or (mode id) no id.
Result<column::Schema> physical_schema(const column::Schema& schema, MappingMode mode);

// The schema as users see it: without the notes on fields that only the Delta log is about.
column::Schema without_delta_notes(const column::Schema& schema);

}  // namespace millstream::delta
