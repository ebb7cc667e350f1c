// OPTIMIZE: the rows of many small files in few large ones, by one commit that changes no data.
// Functions; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "connector/batches.h"
#include "delta/log.h"

namespace millstream::delta {

// Files of one partition each that are to become one file: those below `optimize.minFileSize`, and
// those with deletion vectors. A file that has no other to go with is in none.
std::vector<std::vector<AddFilePtr>> bins_of(const std::vector<AddFilePtr>& files);

// The files that hold what the table has no more: rows that are marked as deleted, columns that
// were dropped. By partition and size, as bins_of puts them.
Result<std::vector<std::vector<AddFilePtr>>> bins_to_purge(const Log& log, const Snapshot& snapshot,
                                                           const std::vector<AddFilePtr>& files);

struct FileSizes {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  double average() const {
    return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
  }
};

struct Optimized {
  std::int64_t version = -1;
  FileSizes added;
  FileSizes removed;
  std::int64_t partitions = 0;
  std::int64_t bins = 0;
  std::int64_t vectors_removed = 0;
};

// Writes the rows of the bins' files, each bin by itself, in their place. A commit that removes one
// of these files first wins: DELTA_CONCURRENT_DELETE_DELETE. `operation` and `parameters` are the
// commit's; `time_zone`: the session's, of partition values that do not say theirs.
Result<Optimized> rewrite_bins(const std::shared_ptr<Log>& log, const SnapshotPtr& snapshot,
                               const std::vector<std::vector<AddFilePtr>>& bins,
                               const std::string& operation, const std::string& parameters,
                               const std::string& time_zone, const CancelToken* cancel);

}  // namespace millstream::delta
