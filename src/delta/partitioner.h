// Splits a batch by the values of partition columns. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "connector/batches.h"
#include "delta/actions.h"

namespace millstream::delta {

struct PartitionGroup {
  std::string directory;  // "p=x/q=y/": unique for the values; empty without partition columns
  PartitionValues values;
  connector::RecordBatchPtr rows;  // all columns
};

// `columns`: positions in the schema and the batch. Rows keep their order within a group.
Result<std::vector<PartitionGroup>> partition_rows(const connector::RecordBatchPtr& batch,
                                                   const column::Schema& schema,
                                                   const std::vector<int>& columns);

}  // namespace millstream::delta
