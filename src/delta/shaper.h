// Shaper: makes batches of a write's columns into batches of the table's: by name in any case,
// missing ones NULL, types cast, NOT NULL enforced. Immutable; shared by the writing threads.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "connector/batches.h"

namespace arrow {
class Array;
class Schema;
}  // namespace arrow

namespace millstream::delta {

class Shaper {
 public:
  Shaper(column::Schema from, column::Schema to);

  // DELTA_NOT_NULL_CONSTRAINT_VIOLATED; a cast's own errors.
  Result<connector::RecordBatchPtr> shape(const connector::RecordBatchPtr& batch) const;

 private:
  column::Schema from_;
  column::Schema to_;
  std::vector<int> source_;  // for each column of to_: its place in from_; -1: NULL
  std::shared_ptr<arrow::Schema> arrow_schema_;
};

}  // namespace millstream::delta
