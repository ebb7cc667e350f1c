// LogState: the state that log replay builds up, one action at a time; owned and guarded by Log.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "delta/actions.h"
#include "delta/file_positions.h"
#include "delta/file_tally.h"
#include "delta/shared_list.h"
#include "delta/snapshot.h"

namespace millstream::delta {

class LogState {
 public:
  explicit LogState(std::string table)
      : table_(std::move(table)), file_positions_(table_), tombstone_positions_(table_) {}

  // Applies the actions of `version`, in order. Versions ascend.
  Status apply(std::int64_t version, const std::vector<Action>& actions);
  Status apply_action(const Action& action);
  void set_version(std::int64_t version) { version_ = version; }

  std::int64_t version() const { return version_; }
  // DELTA_STATE_RECOVER_ERROR when the log had no protocol or no metadata.
  Result<SnapshotPtr> freeze();

 private:
  void add(const AddFilePtr& file);
  void remove(const RemoveFilePtr& file);

  std::string table_;
  std::int64_t version_ = -1;
  std::shared_ptr<const Protocol> protocol_;
  TableInfoPtr info_;
  SharedList<AddFile> files_;
  SharedList<RemoveFile> tombstones_;
  FileTally tally_;
  FilePositions<AddFile> file_positions_;
  FilePositions<RemoveFile> tombstone_positions_;
  // Copied before the first change after a freeze.
  std::shared_ptr<std::map<std::string, Txn>> txns_ =
      std::make_shared<std::map<std::string, Txn>>();
  std::shared_ptr<std::map<std::string, DomainMetadata>> domains_ =
      std::make_shared<std::map<std::string, DomainMetadata>>();
  bool txns_shared_ = false;
  bool domains_shared_ = false;
  std::optional<std::int64_t> in_commit_timestamp_;
};

}  // namespace millstream::delta
