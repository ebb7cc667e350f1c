// Log: the _delta_log of one table, with its newest known state kept in memory. Looking for news
// reads the commits that are new and nothing else; an own commit is applied without reading it
// back. A streaming sink or source has a Log of its own; batch reads and writes of one table share
// one. All methods are thread-safe. The checkpoints that commits call for are written on the shared
// pool, and expired log files are removed there after them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "delta/actions.h"
#include "delta/log_names.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

class LogState;

namespace limits {
inline constexpr std::size_t shared_logs_max = 64;
// Live files and tombstones of all shared logs but the one used last; each takes some 600 bytes.
inline constexpr std::size_t shared_files_max = 200'000;
}  // namespace limits

struct LogOptions {
  bool background_checkpoints = true;  // off: written by the committing thread (simulation)
};

class Log : public std::enable_shared_from_this<Log> {
 public:
  static std::shared_ptr<Log> at(std::shared_ptr<io::Store> store, std::string table,
                                 LogOptions options = {});
  // The one that all who ask for this table on the local disk get: what one has loaded serves the
  // next. The tables used last are kept, as many as `limits::` allow.
  static std::shared_ptr<Log> shared(const std::shared_ptr<io::Store>& store,
                                     const std::string& table);
  ~Log();

  const std::string& table() const { return table_; }
  const std::string& directory() const { return directory_; }
  const std::shared_ptr<io::Store>& store() const { return store_; }

  // The newest version; null: there is no table. A state that is known already costs one stat and
  // one failing open.
  Result<SnapshotPtr> latest();
  // The state as it was last seen; null when it was never looked at.
  SnapshotPtr known() const;
  // Live files and tombstones of known(); 0 also while the log is being read.
  std::size_t files_kept() const;
  // DELTA_VERSION_NOT_FOUND outside of what can be rebuilt.
  Result<SnapshotPtr> at_version(std::int64_t version);

  // FileNotFound when there is none.
  Result<std::vector<Action>> read_commit(std::int64_t version) const;

  // What the commit says of its time; nothing: it does not.
  Result<std::optional<std::int64_t>> in_commit_timestamp(std::int64_t version) const;
  // Of the commit's file; 0: there is none.
  Result<std::int64_t> file_time_ms(std::int64_t version) const;

  // Publishes the bytes as `version`: AlreadyExists when another was first; other errors may have
  // had effect.
  Status publish(std::int64_t version, std::string_view bytes);
  // Takes `version` into the state, where it is the next one. An own commit is followed by its
  // checksum file and, when the interval says so, by a checkpoint. The newest state; null when
  // others saw the table replaced meanwhile.
  Result<SnapshotPtr> advance(std::int64_t version, const std::vector<Action>& actions,
                              bool own_commit);

  struct CommitTime {
    std::int64_t version = 0;
    std::int64_t time_ms = 0;  // file time made strictly ascending, or the in-commit timestamp
  };
  // Of all commits from `first` on, ascending; empty: none is left.
  Result<std::vector<CommitTime>> commit_times(std::int64_t first = 0) const;

  // Waits for the checkpoints under way (tests, orderly ends).
  void wait_for_checkpoints();

 private:
  struct FileIdentity {
    std::int64_t size = 0;
    std::int64_t modified_us = 0;
    std::string etag;
    bool operator==(const FileIdentity&) const = default;
  };
  struct Checkpointing;

  Log(std::shared_ptr<io::Store> store, std::string table, LogOptions options);
  Result<bool> same_table_as_before();  // mutex held
  Status forget_another_table();        // mutex held
  static FileIdentity identity_of(const io::FileInfo& info) {
    return {info.size, info.modified_us, info.etag};
  }
  Status load_newest();  // mutex held
  Status load(std::optional<std::int64_t> target, LogState& state) const;
  Status load_from(const std::vector<std::string>& names, std::optional<std::int64_t> target,
                   LogState& state) const;
  Status apply_commits(const Segment& segment, LogState& state) const;
  Result<std::vector<Action>> read_compaction(const Compaction& compaction) const;
  void remember_identity();  // mutex held
  void note_checksum(const Snapshot& snapshot, const SnapshotPtr& before,
                     const std::vector<Action>& actions);
  void compare_with_checksum(const Snapshot& snapshot) const;
  void checkpoint_if_due(std::int64_t version, const SnapshotPtr& snapshot);
  void checkpoint(const SnapshotPtr& snapshot);

  const std::shared_ptr<io::Store> store_;
  const std::string table_;
  const std::string directory_;
  const LogOptions options_;
  const std::shared_ptr<Checkpointing> checkpointing_;

  mutable std::mutex mutex_;
  std::unique_ptr<LogState> state_;
  SnapshotPtr known_;
  std::optional<FileIdentity> identity_;  // of the newest commit's file
};

}  // namespace millstream::delta
