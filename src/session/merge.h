// MERGE: of SQL, df.mergeInto and DeltaTable.merge. Functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/session.h"
#include "session/table_change.h"
#include "sql/statement.h"

namespace millstream::session {

struct MergeCounts {
  std::int64_t source_rows = 0;
  std::int64_t inserted = 0;
  std::int64_t matched_updated = 0;
  std::int64_t matched_deleted = 0;
  std::int64_t by_source_updated = 0;
  std::int64_t by_source_deleted = 0;

  std::int64_t updated() const { return matched_updated + by_source_updated; }
  std::int64_t deleted() const { return matched_deleted + by_source_deleted; }
};

// Into the Delta table in `directory`, whose columns can be addressed by `qualifier`. Nothing when
// the session's transaction was committed before.
Result<std::optional<MergeCounts>> merge_rows(Session& session, const sql::Merge& merge,
                                              const std::string& directory,
                                              const std::vector<std::string>& qualifier,
                                              const ActionContext& context);

}  // namespace millstream::session
