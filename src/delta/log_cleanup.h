// Log cleanup: what is older than delta.logRetentionDuration and not needed to rebuild a version
// that is kept goes, as long as delta.enableExpiredLogCleanup says so. Runs after a checkpoint has
// been written. Sidecars go when no checkpoint that is left names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

struct CommitFileTime {
  std::int64_t version = 0;
  std::int64_t modified_ms = 0;
};

// The newest version whose commit, and every one before it, is as old as `cutoff_ms` or older;
// nothing: none. `commits` ascend. A file that is older than the one before it counts as younger
// than that: a clock that went back expires nothing.
std::optional<std::int64_t> newest_expired(const std::vector<CommitFileTime>& commits,
                                           std::int64_t cutoff_ms);

// One log's cleaning. Remembers when the oldest commit was made, so that a log with nothing to
// remove is not listed again and again. Used by one thread at a time.
class LogCleaner {
 public:
  Status clean(io::Store& store, const std::string& log_directory, const TableInfo& info,
               std::int64_t now_ms);
  // What is as old as `cutoff_ms`, whatever the table says of its retention.
  Status clean_before(io::Store& store, const std::string& log_directory, const TableInfo& info,
                      std::int64_t cutoff_ms, std::int64_t now_ms);

 private:
  std::optional<std::int64_t> oldest_ms_;  // of the commits left by the last cleaning
};

}  // namespace millstream::delta
