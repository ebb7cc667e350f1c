// Reads data files of a table as batches: projected, with partition values and `_metadata` put in,
// small files together. What batch scans and the streaming source share. The readers it makes are
// used by one thread each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "connector/table.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

// The rows of `files`, which the caller has chosen; may_match is applied here. `info` gives the
// columns.
Result<connector::Batches> scan_files(const std::shared_ptr<io::Store>& store,
                                      const std::string& table, const TableInfoPtr& info,
                                      std::vector<AddFilePtr> files,
                                      const connector::ScanRequest& request,
                                      bool case_sensitive = false,
                                      const std::string& time_zone = "UTC");

}  // namespace millstream::delta
