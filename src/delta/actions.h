// The actions of a Delta log as values, and their JSON form: one object with one key on each line
// of a commit. Reading ignores what it does not know and takes null for absent; writing gives the
// reference implementation's key order. Plain data; safe to share once made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace millstream::delta {

// Column (physical name) -> serialised value; nothing: NULL.
using PartitionValues = std::map<std::string, std::optional<std::string>>;

struct Protocol {
  int min_reader = 1;
  int min_writer = 2;
  std::optional<std::vector<std::string>> reader_features;
  std::optional<std::vector<std::string>> writer_features;

  bool operator==(const Protocol&) const = default;
};

struct Metadata {
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::string provider = "parquet";
  std::map<std::string, std::string> format_options;
  std::string schema_string;
  std::vector<std::string> partition_columns;
  std::map<std::string, std::string> configuration;
  std::optional<std::int64_t> created_time;

  bool operator==(const Metadata&) const = default;
};

struct DeletionVector {
  std::string storage_type;  // u, i, p
  std::string path_or_inline;
  std::optional<std::int64_t> offset;
  std::int64_t size_in_bytes = 0;
  std::int64_t cardinality = 0;

  std::string unique_id() const;
  bool operator==(const DeletionVector&) const = default;
};

struct AddFile {
  std::string path;  // as in the log: a URI reference, relative to the table or absolute
  PartitionValues partition_values;
  std::int64_t size = 0;
  std::int64_t modification_time = 0;  // ms
  bool data_change = true;
  std::string stats;  // JSON text; empty: none
  std::map<std::string, std::string> tags;
  std::shared_ptr<const DeletionVector> deletion_vector;
  std::optional<std::int64_t> base_row_id;
  std::optional<std::int64_t> default_row_commit_version;
  std::optional<std::string> clustering_provider;
};
using AddFilePtr = std::shared_ptr<const AddFile>;

struct RemoveFile {
  std::string path;
  std::optional<std::int64_t> deletion_timestamp;  // ms; nothing counts as 0
  bool data_change = true;
  bool extended_file_metadata = false;
  PartitionValues partition_values;  // these two: only when extended_file_metadata
  std::optional<std::int64_t> size;
  std::map<std::string, std::string> tags;
  std::shared_ptr<const DeletionVector> deletion_vector;
  std::optional<std::int64_t> base_row_id;
  std::optional<std::int64_t> default_row_commit_version;
};
using RemoveFilePtr = std::shared_ptr<const RemoveFile>;

struct ChangeFile {  // "cdc"
  std::string path;
  PartitionValues partition_values;
  std::int64_t size = 0;
};

struct Txn {
  std::string app_id;
  std::int64_t version = 0;
  std::optional<std::int64_t> last_updated;  // ms
};

struct DomainMetadata {
  std::string domain;
  std::string configuration;
  bool removed = false;
};

struct CommitInfo {
  std::optional<std::string> txn_id;
  std::optional<bool> is_blind_append;
  std::optional<std::int64_t> in_commit_timestamp;
  std::string operation;
  std::string json;  // the whole object as it stands in the log
};

struct CheckpointMetadata {
  std::int64_t version = 0;
};

struct Sidecar {
  std::string path;
  std::int64_t size_in_bytes = 0;
  std::int64_t modification_time = 0;  // ms
};

using Action = std::variant<Protocol, Metadata, AddFilePtr, RemoveFilePtr, ChangeFile, Txn,
                            DomainMetadata, CommitInfo, CheckpointMetadata, Sidecar>;

// The actions of a commit (or of a JSON checkpoint), in order. `where` names the file in the error
// for a line that is not a JSON object: a torn or foreign file.
Result<std::vector<Action>> parse_actions(std::string_view ndjson, std::string_view where);

// Whether JSON objects and arrays stand in one another deeper than any action of a Delta log: what
// recurses over them would not come back.
bool nested_too_deep(std::string_view text);

// One line each, without the line end.
std::string to_json(const Protocol& protocol);
std::string to_json(const Metadata& metadata);
std::string to_json(const AddFile& add);
std::string to_json(const AddFile& add, bool data_change);  // whatever it says itself
std::string to_json(const RemoveFile& remove);
std::string to_json(const ChangeFile& change);
std::string to_json(const Txn& txn);
std::string to_json(const DomainMetadata& domain);
std::string to_json(const Sidecar& sidecar);

// The remove action of a live file.
RemoveFile remove_of(const AddFile& add, std::int64_t deletion_timestamp_ms, bool data_change);

}  // namespace millstream::delta
