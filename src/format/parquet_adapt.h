// Fitting a Parquet file's columns to a wanted schema: which leaves to read, and how an array of
// the file becomes one of the wanted type. Pure functions; the conversions are those of Spark's
// vectorised reader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"

namespace arrow {
class Array;
class DataType;
}  // namespace arrow

namespace parquet::arrow {
struct SchemaField;
}  // namespace parquet::arrow

namespace millstream::format {

// How a wanted field finds its own in a file.
struct MatchRule {
  bool case_sensitive = false;  // of names
  bool by_field_id = false;     // by the number in the field's metadata, "parquet.field.id"
};

// The number that Spark's notes on a field give ("parquet.field.id"); nothing: none.
std::optional<std::int64_t> noted_field_id(const column::Field& field);

struct AdaptRules {
  MatchRule match;
  bool promote = true;
  std::string path;  // of the file, for errors
};

// The member of the file that is the wanted field; nullptr: the file has it not.
const parquet::arrow::SchemaField* find_member(
    const std::vector<parquet::arrow::SchemaField>& members, const column::Field& wanted,
    const MatchRule& rule);

// Whether any field at any depth has an id.
bool has_field_ids(const std::vector<parquet::arrow::SchemaField>& fields);

// Adds the leaves that a wanted type needs of a file's column.
void collect_leaves(const parquet::arrow::SchemaField& field, const column::DataType& wanted,
                    const MatchRule& rule, std::vector<int>& leaves);

// FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH for a type that does not fit.
Result<std::shared_ptr<arrow::Array>> adapt(const std::shared_ptr<arrow::Array>& array,
                                            const column::TypePtr& wanted,
                                            const std::string& column, const AdaptRules& rules);

}  // namespace millstream::format
