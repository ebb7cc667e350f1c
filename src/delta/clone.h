// SHALLOW CLONE: a new table of another one's files, by one commit that copies no data. Functions;
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/status.h"
#include "delta/convert.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

struct CloneSource {
  std::string table;     // its absolute path
  SnapshotPtr snapshot;  // the version that is cloned
  std::string format = "delta";
};

// Files that are no Delta table, as one would have them: version -1. UNABLE_TO_INFER_SCHEMA for a
// folder without any.
Result<CloneSource> parquet_source(const std::shared_ptr<io::Store>& store,
                                   const ParquetFolder& folder, const CancelToken* cancel);

struct Cloned {
  std::int64_t files = 0;  // of the source
  std::int64_t bytes = 0;
};

// Makes `table` (an absolute path) a table of the source's columns, properties, protocol and rows;
// its files stay where they are, named by absolute paths, and VACUUM of the clone never removes
// them. `properties`: those that the clone has otherwise. A table that is there must be empty:
// DELTA_UNSUPPORTED_NON_EMPTY_CLONE, also when it comes to have rows meanwhile.
Result<Cloned> clone_table(const std::shared_ptr<io::Store>& store, const CloneSource& source,
                           const std::string& table,
                           const std::map<std::string, std::string>& properties);

}  // namespace millstream::delta
