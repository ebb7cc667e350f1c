// Changes of a table that write no rows: its metadata, and the removal of all its rows. One call is
// one transaction. Functions; thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "column/types.h"
#include "delta/actions.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

// What is changed: `metadata` but for its schemaString, and the schema.
using MetadataChange = std::function<Status(Metadata& metadata, column::Schema& schema)>;

struct MetadataCommit {
  std::string operation;
  std::string parameters = "{}";  // a JSON object
  bool reads_rows = false;        // rows that others add meanwhile would have mattered
  bool if_changed = false;        // a change that changes nothing is no commit
};

// `table`: the absolute path. Tables with default and generated columns may be changed: no rows are
// written. Properties are checked; where columns are mapped, or come to be, new ones get their ids
// and physical names. The version.
Result<std::int64_t> change_metadata(const std::shared_ptr<io::Store>& store,
                                     const std::string& table, const MetadataCommit& as,
                                     const MetadataChange& change);

// The columns that files are to be clustered by, as paths of names; none: they are not. A table
// that was made without CLUSTER BY cannot have some, and has none without a commit.
Result<std::int64_t> change_clustering(const std::shared_ptr<io::Store>& store,
                                       const std::string& table,
                                       const std::vector<std::string>& columns);
// As the table's log says; nothing: it is no clustered table.
std::optional<std::vector<std::string>> clustering_columns(const Snapshot& snapshot);
// Each is a column of the table, at most four, none twice, none that it is partitioned by.
Status check_clustering(const TableInfo& info, const std::vector<std::string>& columns);
DomainMetadata clustering_domain(const TableInfo& info, const std::vector<std::string>& columns);
// What a table that takes the place of `before` says of clustering when it has no CLUSTER BY, and
// one that is restored from `before` to `then`. Nothing: it stays as it is.
std::optional<DomainMetadata> clustering_ended(const Snapshot& before);
std::optional<DomainMetadata> clustering_restored(const Snapshot& before, const Snapshot& then);

// Removes all rows.
Result<std::int64_t> truncate_table(const std::shared_ptr<io::Store>& store,
                                    const std::string& table);

}  // namespace millstream::delta
