// Rows of Arrow batches as Python's pickles (protocol 4): a list of pyspark.sql.Row, made by the
// converters of pyspark itself, so that types are those of collect().
#pragma once

#include <cstdint>
#include <string>

#include "column/types.h"

namespace arrow {
class RecordBatch;
}  // namespace arrow

namespace millstream::python {

class RowPickler {
 public:
  // Types that pyspark has no values for (variant, year-month intervals, time) are refused by name.
  static Result<RowPickler> create(const column::Schema& schema);

  // The rows [first, first + count). The batch's columns are column::to_arrow(schema).
  std::string pickle(const arrow::RecordBatch& batch, std::int64_t first, std::int64_t count) const;

 private:
  explicit RowPickler(column::Schema schema);

  column::Schema schema_;
  std::string schema_json_;
};

}  // namespace millstream::python
