// The data files of a table as plain Parquet files, where that is what they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "connector/parquet_files.h"
#include "delta/snapshot.h"

namespace millstream::delta {

// Nothing: the request needs more than the files' own columns and partition values (deletion
// vectors, metadata, columns by id), or a file is not plain. `files` are local.
Result<std::optional<connector::ParquetFiles>> plain_files(
    const std::string& table, const TableInfo& info, std::vector<AddFilePtr> files,
    const connector::ScanRequest& request, bool case_sensitive, const std::string& time_zone);

}  // namespace millstream::delta
