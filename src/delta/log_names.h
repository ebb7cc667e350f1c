// The names of the files in _delta_log, and which of them make up one version of the table. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::delta {

std::string commit_name(std::int64_t version);      // "00000000000000000007.json"
std::string checksum_name(std::int64_t version);    // "00000000000000000007.crc"
std::string checkpoint_name(std::int64_t version);  // "00000000000000000010.checkpoint.parquet"
// Names of their own: "00000000000000000010.checkpoint.<uuid>.json", and in sidecar_directory
// "00000000000000000010.checkpoint.0000000001.0000000002.<uuid>.parquet".
std::string v2_checkpoint_name(std::int64_t version);
std::string sidecar_name(std::int64_t version, std::size_t part, std::size_t parts);
inline constexpr std::string_view sidecar_directory = "_sidecars";
// A name that sorts before every file of `version` and after every commit before it.
std::string listing_start(std::int64_t version);

struct LogName {
  enum class Kind : std::uint8_t {
    commit,
    classic_checkpoint,
    checkpoint_part,
    uuid_checkpoint,
    compaction
  };
  Kind kind;
  std::int64_t version = 0;
  int part = 0;  // 1-based
  int parts = 0;
  std::int64_t last = 0;  // of a compaction, whose first is `version`
};
// Nothing: a file that is none of these, to be ignored.
std::optional<LogName> parse_log_name(std::string_view name);
// The version that a file of the log belongs to, checksums and compactions (their first) among
// them.
std::optional<std::int64_t> version_of_log_file(std::string_view name);

// A checkpoint that has all its files.
struct CheckpointFiles {
  std::int64_t version = 0;
  std::vector<std::string> names;  // one, or all parts in order
};

// What the commits of a range come to, in one file.
struct Compaction {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const Compaction&) const = default;
};
std::string compaction_name(const Compaction& compaction);  // "%020d.%020d.compacted.json"

struct LogListing {
  std::vector<std::int64_t> commits;         // ascending
  std::vector<Compaction> compactions;       // ascending by first, then by last
  std::vector<CheckpointFiles> checkpoints;  // ascending by version; incomplete ones are left out
  std::int64_t latest = -1;                  // -1: nothing
};
LogListing read_listing(const std::vector<std::string>& names);

// Which files to read for `version`: optionally a checkpoint, then commits.
struct Segment {
  std::int64_t version = 0;
  std::optional<CheckpointFiles> checkpoint;
  std::vector<std::int64_t> commits;    // all after the checkpoint up to version
  std::vector<Compaction> compactions;  // of some of them, ascending, none over another
};
// With the newest checkpoint at or below `version` and, where given, below `checkpoint_below`.
// DELTA_VERSIONS_NOT_CONTIGUOUS, DELTA_TRUNCATED_TRANSACTION_LOG.
Result<Segment> choose_segment(const LogListing& listing, std::int64_t version,
                               const std::string& table,
                               std::optional<std::int64_t> checkpoint_below = std::nullopt);

}  // namespace millstream::delta
