// Changes of a table that write no rows: its metadata, and the removal of all its rows. One call is
// one transaction. Functions; thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "column/types.h"
#include "delta/actions.h"
#include "io/store.h"

namespace millstream::delta {

// What is changed: `metadata` but for its schemaString, and the schema.
using MetadataChange = std::function<Status(Metadata& metadata, column::Schema& schema)>;

// `table`: the absolute path. `operation` and `parameters` (a JSON object) are the commit's. Tables
// with column mapping are refused where the schema changes. Properties are checked. The version;
// that of the table as it is when the change changes nothing.
Result<std::int64_t> change_metadata(const std::shared_ptr<io::Store>& store,
                                     const std::string& table, const std::string& operation,
                                     const std::string& parameters, const MetadataChange& change);

// Removes all rows.
Result<std::int64_t> truncate_table(const std::shared_ptr<io::Store>& store,
                                    const std::string& table);

}  // namespace millstream::delta
