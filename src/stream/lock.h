// One live query per checkpoint, across processes: `<checkpoint>/.millstream.lock`, locked with
// flock(2), so that the death of the process frees it. The file holds who has it, for the error
// that the second one gets; Spark does not look at it. Only for checkpoints on local disks.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"

namespace millstream::stream {

class CheckpointLock {
 public:
  ~CheckpointLock();  // free
  CheckpointLock(const CheckpointLock&) = delete;
  CheckpointLock& operator=(const CheckpointLock&) = delete;

  // CONCURRENT_QUERY with the holder's identity when another one has it; null, and a warning, on a
  // file system that has no locks. The directory must exist.
  static Result<std::unique_ptr<CheckpointLock>> acquire(const std::string& directory);
  // Who holds it: host, process, query, run, start.
  Status describe(const std::string& id, const std::string& run_id, std::int64_t started_ms);

 private:
  CheckpointLock(int fd, std::string directory) : fd_(fd), directory_(std::move(directory)) {}
  int fd_;
  std::string directory_;
};

}  // namespace millstream::stream
