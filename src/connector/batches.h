// Data between operators: Arrow record batches, in partitions that can be read in parallel.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/status.h"
#include "column/types.h"

namespace arrow {
class RecordBatch;
}  // namespace arrow

namespace millstream::connector {

using RecordBatchPtr = std::shared_ptr<arrow::RecordBatch>;

// One stream of batches. Used by one thread at a time.
class BatchReader {
 public:
  virtual ~BatchReader() = default;
  virtual Result<RecordBatchPtr> next() = 0;  // nullptr: the end
};

// A table's worth of rows. Every batch of every partition has the Arrow form of `schema`
// (column::to_arrow). Opening a partition again reads the same rows again.
struct Batches {
  using Partition = std::function<Result<std::unique_ptr<BatchReader>>()>;

  column::Schema schema;
  std::vector<Partition> partitions;
};

Batches batches_of(column::Schema schema, std::vector<RecordBatchPtr> batches);  // one partition
// All batches of all partitions, in order, read on this thread.
Result<std::vector<RecordBatchPtr>> collect(const Batches& batches);

}  // namespace millstream::connector
