// What a commit means to a reader that follows the table: the files it added, whether it took data
// away, and whether the table itself changed. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "delta/actions.h"
#include "delta/snapshot.h"

namespace millstream::delta {

struct CommitChanges {
  std::vector<AddFilePtr>
      adds;  // with dataChange, in the order of the log: their positions are a stream's indexes
  bool removes_data = false;
  std::string removed_file;  // one of those removed
  std::string operation;
  TableInfoPtr info;  // null: the commit has no metaData
  std::optional<Protocol> protocol;

  bool changes_data() const { return removes_data || !adds.empty(); }
};

Result<CommitChanges> changes_of(const std::vector<Action>& actions);

// Whether every column of `older`, at any depth, is in `newer` under the same name: none was
// renamed or dropped by way of column mapping. Always true of tables without it.
bool keeps_columns(const TableInfo& older, const TableInfo& newer);

// Whether rows written under `written` can be read with `wanted`: it has all their columns, of the
// same types, and takes NULL where they may be.
bool is_read_compatible(const column::Schema& written, const column::Schema& wanted);

}  // namespace millstream::delta
