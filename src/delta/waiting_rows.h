// WaitingRows: rows of partitions that have no open file yet. Those of a partition stay together
// until their turn comes, in memory and, beyond a budget, in a temporary file without a name. Used
// by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "connector/batches.h"
#include "delta/partitioner.h"

namespace millstream::delta {

class WaitingRows {
 public:
  explicit WaitingRows(std::int64_t memory_bytes_max);
  ~WaitingRows();

  // All groups have one schema.
  Status add(PartitionGroup group);
  // Gives the rows away, partition after partition, those of one in the order they came in. `done`
  // is called when there are no more of a partition.
  Status give(const std::function<Status(PartitionGroup)>& take,
              const std::function<Status(const std::string& directory)>& done);

 private:
  class SpillFile;
  struct Partition {
    PartitionValues values;
    std::vector<int> in_file;  // numbers of batches
    std::vector<connector::RecordBatchPtr> in_memory;
  };
  Status spill();

  const std::int64_t memory_bytes_max_;
  std::int64_t memory_bytes_ = 0;
  std::map<std::string, Partition> partitions_;  // by directory
  std::unique_ptr<SpillFile> file_;
};

}  // namespace millstream::delta
