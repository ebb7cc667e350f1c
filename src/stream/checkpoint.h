// The files of a query's checkpoint, byte for byte Spark's: `metadata` (the query's id),
// `offsets/N` (what batch N will read, written before it runs) and `commits/N` (batch N is in the
// sink). No sidecar files are written. Formatting and parsing are pure; Checkpoint is the thin
// shell that reads and publishes. One Checkpoint belongs to one run of a query and is used by that
// query's thread alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "io/store.h"

namespace millstream::stream {

using BatchId = std::int64_t;
using Offsets =
    std::vector<std::optional<std::string>>;  // one a source, in plan order; nothing: no offset yet
using PinnedConf = std::map<std::string, std::string>;

struct OffsetEntry {
  bool has_metadata = true;  // logs of Spark 2.0 have an empty second line
  std::int64_t watermark_ms = 0;
  std::int64_t timestamp_ms = 0;  // the batch's current_timestamp(), the same in every attempt
  PinnedConf conf;
  Offsets offsets;

  bool operator==(const OffsetEntry&) const = default;
};

struct CommitEntry {
  std::int64_t next_watermark_ms = 0;

  bool operator==(const CommitEntry&) const = default;
};

std::string format_metadata(std::string_view id);
Result<std::string> parse_metadata(std::string_view text, std::string_view path);
std::string format_offsets(const OffsetEntry& entry);
Result<OffsetEntry> parse_offsets(std::string_view text, std::string_view path);
std::string format_commit(const CommitEntry& entry);
Result<CommitEntry> parse_commit(std::string_view text, std::string_view path);
// The operator's name in state/<id>/_metadata/metadata; nothing where the text holds none.
std::optional<std::string> parse_operator_name(std::string_view text);

// A directory of numbered entries. Names that are not plain decimal numbers are ignored.
class NumberedLog {
 public:
  NumberedLog(std::shared_ptr<io::Store> store, std::string directory)
      : store_(std::move(store)), directory_(std::move(directory)) {}

  Status load();  // lists the directory; a missing one is empty
  std::optional<BatchId> newest() const;
  bool contains(BatchId batch) const { return batches_.contains(batch); }
  bool empty() const { return batches_.empty(); }
  std::string path_of(BatchId batch) const;
  Result<std::string> read(BatchId batch) const;
  // CONCURRENT_STREAM_LOG_UPDATE when the entry exists: another query uses this checkpoint.
  Status add(BatchId batch, std::string_view bytes);
  Status purge_below(BatchId batch);  // with the sidecars that Spark left

 private:
  Status remove_sidecar(BatchId batch);

  std::shared_ptr<io::Store> store_;
  std::string directory_;
  std::set<BatchId> batches_;
  std::set<BatchId> sidecars_;  // .N.crc, as listed: Spark on a local disk wrote them
};

class Checkpoint {
 public:
  Checkpoint(std::shared_ptr<io::Store> store, std::string directory);

  // The id in `metadata`; nothing when there is no such file.
  static Result<std::optional<std::string>> read_query_id(io::Store& store,
                                                          const std::string& directory);
  // The id in `metadata`, which is created with a fresh id where the checkpoint is new.
  // STREAMING_CHECKPOINT_MISSING_METADATA_FILE when there are logs without it.
  static Result<std::string> open_query_id(io::Store& store, const std::string& directory,
                                           Random& random);

  Status load();
  const std::string& directory() const { return directory_; }
  const NumberedLog& offsets() const { return offsets_; }
  const NumberedLog& commits() const { return commits_; }

  Result<OffsetEntry> read_offsets(BatchId batch) const;
  Result<CommitEntry> read_commit(BatchId batch) const;
  Status add_offsets(BatchId batch, const OffsetEntry& entry);
  Status add_commit(BatchId batch, const CommitEntry& entry);
  Status purge_below(BatchId batch);

  // The stateful operators that wrote state here: "(OperatorId: 0 -> OperatorName:
  // stateStoreSave)".
  Result<std::vector<std::string>> stateful_operators() const;

 private:
  std::shared_ptr<io::Store> store_;
  std::string directory_;
  NumberedLog offsets_;
  NumberedLog commits_;
};

}  // namespace millstream::stream
