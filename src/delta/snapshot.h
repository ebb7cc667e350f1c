// Snapshot: the state of a table at one version, as its log says it: protocol, metadata, live
// files, transactions. Immutable, shared by pointer between threads; cheap to make from a LogState.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "delta/actions.h"
#include "delta/column_mapping.h"
#include "delta/file_tally.h"
#include "delta/shared_list.h"

namespace millstream::delta {

// A metaData action with its schema parsed.
struct TableInfo {
  Metadata metadata;
  column::Schema schema;             // table order, partition columns included
  std::vector<int> partition_index;  // positions in schema, in order of partitionColumns
  MappingMode mapping = MappingMode::none;
  column::Schema physical;  // schema as data files, statistics and partition values name it

  bool is_partition_column(std::size_t column) const;
  // A table property by its canonical name ("delta.appendOnly"), any case; nullptr: not set.
  const std::string* property(std::string_view name) const;
  bool flag(std::string_view name, bool fallback) const;
  std::int64_t number(std::string_view name, std::int64_t fallback) const;
};
using TableInfoPtr = std::shared_ptr<const TableInfo>;

// Whether rows of such a table go by being marked in deletion vectors.
bool marks_deleted_rows(const TableInfo& info);

// DELTA_STATE_RECOVER_ERROR for a schema that does not parse.
Result<TableInfoPtr> make_table_info(Metadata metadata);

class Snapshot {
 public:
  std::int64_t version() const { return version_; }
  const Protocol& protocol() const { return *protocol_; }
  const TableInfo& info() const { return *info_; }
  const TableInfoPtr& info_ptr() const { return info_; }
  const Metadata& metadata() const { return info_->metadata; }
  const column::Schema& schema() const { return info_->schema; }

  const SharedList<AddFile>& files() const { return files_; }
  const SharedList<RemoveFile>& tombstones() const { return tombstones_; }
  const FileTally& tally() const { return tally_; }
  std::optional<std::int64_t> txn_version(const std::string& app_id) const;
  const std::map<std::string, Txn>& txns() const { return *txns_; }
  const std::map<std::string, DomainMetadata>& domains() const { return *domains_; }
  // commitInfo.inCommitTimestamp of the newest commit, when it was read and had one.
  std::optional<std::int64_t> in_commit_timestamp() const { return in_commit_timestamp_; }

 private:
  friend class LogState;
  std::int64_t version_ = -1;
  std::shared_ptr<const Protocol> protocol_;
  TableInfoPtr info_;
  SharedList<AddFile> files_;
  SharedList<RemoveFile> tombstones_;
  FileTally tally_;
  std::shared_ptr<const std::map<std::string, Txn>> txns_;
  std::shared_ptr<const std::map<std::string, DomainMetadata>> domains_;
  std::optional<std::int64_t> in_commit_timestamp_;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

// The file that an action's path names: an absolute path where it can be told, decoded once.
// `table` is absolute.
std::string resolve_path(const std::string& table, const std::string& log_path);

}  // namespace millstream::delta
