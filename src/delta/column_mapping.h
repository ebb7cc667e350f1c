// Column mapping: the names and numbers by which data files, statistics and partition values know a
// table's columns, apart from the names that users see. Pure functions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/status.h"
#include "column/types.h"
#include "delta/actions.h"

namespace arrow {
struct ArrayData;
class DataType;
}  // namespace arrow

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

// What a new field's name in files is.
enum class PhysicalNames : std::uint8_t {
  made_up,   // "col-" and a UUID: a name that comes again is never another column's
  as_named,  // the field's own: there are files that have it so
};
// The schema, at every depth, with ids and physical names for the fields that have none. The
// greatest id is noted in the metadata (delta.columnMapping.maxColumnId), which it never falls in.
column::Schema with_mapping(const column::Schema& schema, PhysicalNames names, Metadata& metadata);
// A schema that replaces another: fields with the place, the name and the type of one of the old
// ones go on with its id and physical name.
column::Schema with_mapping_of(const column::Schema& schema, const column::Schema& old);
// Without ids and physical names: those of another table mean nothing here.
column::Schema without_mapping(const column::Schema& schema);

// The greatest id that was ever given, which a restored table goes on from.
void keep_greatest_id(const Metadata& known, Metadata& restored);
// The properties that only the table itself sets: DELTA_CANNOT_MODIFY_TABLE_PROPERTY.
Status check_not_given(const std::map<std::string, std::string>& properties);

// Whether a commit may leave the mode so: DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
Status check_mapping_change(const Metadata& before, const Metadata& after);

// The data as of `type`, which differs in the names of struct fields only.
std::shared_ptr<arrow::ArrayData> renamed(const std::shared_ptr<arrow::ArrayData>& data,
                                          const std::shared_ptr<arrow::DataType>& type);

// The schema as users see it: without the notes on fields that only the Delta log is about.
column::Schema without_delta_notes(const column::Schema& schema);

}  // namespace millstream::delta
