// The rows of a table's files, sorted so that rows lie together which are near to each other in
// several columns at once (OPTIMIZE … ZORDER BY, tables with CLUSTER BY). Sorted by the engine,
// which spills.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "connector/batches.h"
#include "delta/log.h"
#include "session/session.h"

namespace millstream::session {

// A column of the table, or a member of its structs.
using ColumnPath = std::vector<std::string>;

// `info` gives the columns. One partition.
Result<connector::Batches::Partition> sorted_in_space(Session& session,
                                                      const ActionContext& context,
                                                      const delta::Log& log,
                                                      const delta::TableInfoPtr& info,
                                                      const std::vector<delta::AddFilePtr>& files,
                                                      const std::vector<ColumnPath>& columns);

}  // namespace millstream::session
