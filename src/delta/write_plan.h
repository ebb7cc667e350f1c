// What a write does to a table's metadata, decided before any file is written. Pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "delta/schema_rules.h"
#include "delta/snapshot.h"

namespace millstream::delta {

struct WriteRequest {
  column::Schema data;
  std::vector<std::string> partition_by;  // empty: as the table is
  bool overwrite = false;                 // all files of the table are replaced
  bool merge_schema = false;
  bool overwrite_schema = false;
  CastRule rule = CastRule::merge_types;
  bool keep_nullability = false;  // of a new table's columns: CREATE TABLE, not df.write
  std::map<std::string, std::string> properties;  // of a new table
  std::string comment;                            // of a new table
  bool enforces_constraints = false;              // the writer does
  bool columns_computed = false;                  // as of WriteOptions
  bool replaces_table = false;                    // with all that belongs to it
};

struct WritePlan {
  TableInfoPtr info;                 // the table after the write
  std::optional<Metadata> metadata;  // when it changes, or the table is new
  std::optional<Protocol> protocol;
};

// `snapshot`: null when the write creates the table. `table`: its path, for messages.
Result<WritePlan> plan_write(const SnapshotPtr& snapshot, const WriteRequest& request,
                             const std::string& table, std::int64_t now_ms);

}  // namespace millstream::delta
