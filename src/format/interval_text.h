// Intervals in files of lines: INTERVAL '1 02' DAY TO HOUR. Pure; any thread.
#pragma once

#include "column/types.h"
#include "connector/batches.h"
#include "format/json_column.h"

namespace millstream::format {

bool has_interval(const column::Schema& schema);  // of days, or of months; at any depth

// Rows of `schema` with texts in the place of intervals, but for keys of maps, which are the number
// that Spark keeps.
Result<connector::RecordBatchPtr> with_interval_texts(const connector::RecordBatchPtr& batch,
                                                      const column::Schema& schema);

// A text as an interval of the column's type; false: it is none.
bool set_interval(JsonColumn& column, std::int64_t row, std::string_view text);

}  // namespace millstream::format
