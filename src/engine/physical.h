// The physical form of Spark's types inside DuckDB, chosen so that nothing there can be misread:
// timestamps are TIMESTAMP of UTC micros (no zone), times of day BIGINT nanos, day-time intervals
// BIGINT micros, year-month intervals INTEGER months, struct members are named f0, f1, … (Spark's
// may repeat), NULL's own type is INTEGER, a variant is STRUCT(value BLOB, metadata BLOB), a
// calendar interval STRUCT(months INTEGER, days INTEGER, micros BIGINT). Arrow data changes between
// both forms without copies, but for calendar intervals.
#pragma once

#include <duckdb.h>

#include <memory>
#include <string>

#include "column/types.h"
#include "connector/batches.h"

namespace arrow {
class DataType;
class Schema;
}  // namespace arrow

namespace millstream::engine {

// "BIGINT", "STRUCT(f0 INTEGER, f1 VARCHAR[])".
Result<std::string> physical_sql(const column::TypePtr& type);
// The same as DuckDB's handle, to be destroyed by the caller.
duckdb_logical_type physical_type(const column::TypePtr& type);
std::shared_ptr<arrow::DataType> physical_arrow(const column::TypePtr& type);

// Columns of `batch` by index, as physical Arrow with names c0, c1, …
Result<connector::RecordBatchPtr> to_physical(const connector::RecordBatchPtr& batch,
                                              const column::Schema& schema,
                                              const std::shared_ptr<arrow::Schema>& physical);
// A batch of DuckDB's as the Arrow form of `schema`.
Result<connector::RecordBatchPtr> to_logical(const connector::RecordBatchPtr& batch,
                                             const column::Schema& schema,
                                             const std::shared_ptr<arrow::Schema>& logical);

}  // namespace millstream::engine
