// FileLog: which files each entry of a file source covers, in Spark's compactible log: <dir>/0, 1,
// …, 9.compact, 10, …; "v1", then a JSON object a file. Every tenth entry repeats all before it.
// Spark continues a log of ours and we continue Spark's. Used by its source's thread alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "io/store.h"

namespace millstream::source {

struct FileLogEntry {
  std::string uri;  // percent-encoded, with its scheme
  std::int64_t timestamp_ms = 0;
  std::int64_t log_offset = 0;  // "batchId" in the file
};

struct FileLogSettings {
  std::int64_t compact_interval = 10;  // spark.sql.streaming.fileSource.log.compactInterval
  bool deletion = true;                // ….deletion
  std::int64_t cleanup_delay_ms = 600'000;
  std::int64_t entries_to_retain = 100;  // spark.sql.streaming.minBatchesToRetain
};

class FileLog {
 public:
  static Result<std::unique_ptr<FileLog>> open(std::shared_ptr<io::Store> store,
                                               std::string directory,
                                               const FileLogSettings& settings, Clock* clock);

  std::int64_t newest() const { return newest_; }  // -1: empty
  // All files of all entries, oldest first.
  Result<std::vector<FileLogEntry>> all() const;
  // The files of the entries in [first, last].
  Result<std::vector<FileLogEntry>> range(std::int64_t first, std::int64_t last) const;
  // Writes entry newest() + 1. An error when another writer has written it.
  Status add(std::vector<FileLogEntry> files);

 private:
  FileLog(std::shared_ptr<io::Store> store, std::string directory, const FileLogSettings& settings,
          Clock* clock)
      : store_(std::move(store)),
        directory_(std::move(directory)),
        settings_(settings),
        clock_(clock) {}

  Status load_names();
  bool is_compact(std::int64_t id) const { return (id + 1) % interval_ == 0; }
  std::string path_of(std::int64_t id) const;
  Result<std::optional<std::vector<FileLogEntry>>> read(
      std::int64_t id) const;  // nothing: no such file
  Status remove_expired() const;

  std::shared_ptr<io::Store> store_;
  std::string directory_;
  FileLogSettings settings_;
  Clock* clock_;
  std::int64_t interval_ = 10;
  std::int64_t newest_ = -1;
};

// The compaction interval of a log with the one compact file `compact_id`, when the setting is
// `wanted`: Spark's rule.
std::int64_t derive_compact_interval(std::int64_t wanted, std::int64_t compact_id);

}  // namespace millstream::source
