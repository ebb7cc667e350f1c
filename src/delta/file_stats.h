// Statistics of a data file that somebody else has written, gathered from its rows. Used by one
// thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "connector/batches.h"
#include "delta/snapshot.h"
#include "format/parquet.h"

namespace millstream::delta {

class FileStatsGatherer {
 public:
  // Of those columns of the table that have statistics.
  explicit FileStatsGatherer(const TableInfo& info);

  // Rows of the table's columns without those of its partitions.
  Status add(const connector::RecordBatchPtr& rows);
  std::string json() const;  // as add.stats

 private:
  struct Leaf {
    std::vector<std::string> path;  // as users name it
    format::LeafStats stats;        // as files do
  };
  void find_leaves(const TableInfo& info, const column::Schema& fields,
                   const column::Schema& physical, const std::vector<std::string>& path,
                   const std::vector<std::string>& physical_path);

  std::vector<Leaf> leaves_;
  std::int64_t rows_ = 0;
  const int string_prefix_;
};

}  // namespace millstream::delta
