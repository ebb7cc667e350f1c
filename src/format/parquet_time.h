// Times of day and intervals in Parquet files: microseconds of a wall clock, where Arrow has
// nanoseconds here, and plain numbers of microseconds or months.
#pragma once

#include <memory>

#include "base/status.h"

namespace arrow {
class Array;
class DataType;
class Schema;
}  // namespace arrow
namespace parquet {
class SchemaDescriptor;
}

namespace millstream::format {

// The Arrow type of which Parquet's writer makes what Spark writes; the same where there is no
// time.
std::shared_ptr<arrow::DataType> parquet_form(const std::shared_ptr<arrow::DataType>& type);
std::shared_ptr<arrow::Schema> parquet_form(const std::shared_ptr<arrow::Schema>& schema);
// And back: what Parquet's reader makes of a file, as the Arrow form of Spark's types.
std::shared_ptr<arrow::Schema> spark_form(const std::shared_ptr<arrow::Schema>& schema);

// The values in that type; what is finer than microseconds is cut off.
Result<std::shared_ptr<arrow::Array>> in_parquet_form(const std::shared_ptr<arrow::Array>& array,
                                                      const std::shared_ptr<arrow::DataType>& type);

// PARQUET_TYPE_ILLEGAL for times of another unit, or of a zone.
Status check_parquet_times(const parquet::SchemaDescriptor& schema);

}  // namespace millstream::format
