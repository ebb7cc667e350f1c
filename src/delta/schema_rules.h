// What a write's columns mean for a table's schema: which are new, which are missing, which types
// go together; and the rules that names and partition columns obey. Pure functions; errors are the
// reference implementation's.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "delta/snapshot.h"

namespace millstream::delta {

enum class CastRule : std::uint8_t {
  merge_types,  // batch: types must be the same, but byte, short and int go together
  cast,         // streaming: the data is cast to the table's types
};

// The table's schema after a write of `data`: the same, or with new columns at the end (of their
// struct) when `merge`, and wider types where the table has delta.enableTypeWidening.
// DELTA_METADATA_MISMATCH, DELTA_FAILED_TO_MERGE_FIELDS, DELTA_MISSING_NOT_NULL_COLUMN_VALUE.
Result<column::Schema> schema_after_write(const TableInfo& table, const column::Schema& data,
                                          bool merge, CastRule rule, bool overwrite = false);

// Names of a table's columns, at every depth: no duplicates (ignoring case), no characters that
// Parquet's readers refuse, unless files have the columns by other names (`any_characters`).
Status check_column_names(const column::Schema& schema, std::string_view duplicates_found_in,
                          bool any_characters = false);
// Each is a column of the schema, of a type that can be one, and one column remains. The columns in
// the schema's spelling.
Result<std::vector<std::string>> check_partition_columns(const column::Schema& schema,
                                                         const std::vector<std::string>& columns);

// "root\n |-- id: long (nullable = true)\n": printSchema, with Spark's JSON names of types.
std::string tree_string(const column::Schema& schema);

Status metadata_mismatch(const std::vector<std::string>& problems);
std::string partitioning_mismatch(const std::vector<std::string>& given,
                                  const std::vector<std::string>& table);

}  // namespace millstream::delta
