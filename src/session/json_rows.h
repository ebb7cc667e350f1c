// Rows written as JSON objects, as a table of any types: what DESCRIBE HISTORY and DESCRIBE DETAIL
// answer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "session/result_table.h"

namespace millstream::session {

// A member that is missing or of another type is NULL; timestamps are microseconds.
Result<CatalogResult> rows_of_json(column::Schema schema, const std::vector<nlohmann::json>& rows);

// The batches of a query's rows as one.
Result<connector::RecordBatchPtr> concatenated(
    const column::Schema& schema, const std::vector<connector::RecordBatchPtr>& batches);

}  // namespace millstream::session
