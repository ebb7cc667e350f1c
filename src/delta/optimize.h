// OPTIMIZE: the rows of many small files in few large ones, or in another order, by one commit that
// changes no data. Functions; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "connector/batches.h"
#include "delta/log.h"

namespace millstream::delta {

// The reference's optimize.minFileSize and optimize.maxFileSize.
struct FileBounds {
  std::int64_t min_bytes = std::int64_t{1} << 30;
  std::int64_t max_bytes = std::int64_t{1} << 30;
};

using Bin = std::vector<AddFilePtr>;  // of one partition

// Files that are to become one file: those that are too small, and those with deletion vectors. A
// file that has no other to go with is in none.
std::vector<Bin> bins_of(const std::vector<AddFilePtr>& files, const FileBounds& bounds);
// All files of each partition.
std::vector<Bin> partitions_of(const std::vector<AddFilePtr>& files);

struct FileCount {
  std::int64_t files = 0;
  std::int64_t bytes = 0;

  void add(const AddFile& file) {
    ++files;
    bytes += file.size;
  }
};

// Which files of a table with CLUSTER BY are to be clustered: those that are not yet, with those of
// earlier runs (each of which is a cube by its files' tags) that are not full. `all`: those that
// were clustered by other columns or by somebody else too.
struct Clustering {
  std::vector<Bin> bins;
  FileCount in_cubes;  // of the files looked at
  FileCount others;
  FileCount merged;
  std::int64_t cubes = 0;
};
Clustering files_to_cluster(const std::vector<AddFilePtr>& files,
                            const std::vector<std::string>& columns, bool all);

// The files that hold what the table has no more: rows that are marked as deleted, columns that
// were dropped. By partition and size, as bins_of puts them.
Result<std::vector<Bin>> bins_to_purge(const Log& log, const Snapshot& snapshot,
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

struct Rewriting {
  std::string operation;   // of the commit
  std::string parameters;  // JSON
  std::string time_zone;   // the session's, of partition values that do not say theirs
  std::int64_t max_bytes = FileBounds().max_bytes;  // of a new file, about
  // The rows of a bin (the columns of that info), in the order in which they are to be written.
  // Null: as its files have them.
  std::function<Result<connector::Batches::Partition>(const Bin&, const TableInfoPtr&)> rows;
  // By which the rows of a bin are clustered then: the files say so. Empty: they are not.
  std::vector<std::string> cluster_by;
};

// Writes the rows of the bins' files, each bin by itself, in their place. A commit that removes one
// of these files first wins: DELTA_CONCURRENT_DELETE_DELETE.
Result<Optimized> rewrite_bins(const std::shared_ptr<Log>& log, const SnapshotPtr& snapshot,
                               const std::vector<Bin>& bins, const Rewriting& rewriting,
                               const CancelToken* cancel);

}  // namespace millstream::delta
