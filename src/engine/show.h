// The text forms of rows: df.show() in both directions, html, and CAST(x AS STRING) of whole
// columns.
#pragma once

#include <string>
#include <vector>

#include "connector/batches.h"

namespace millstream::engine {

struct ShowOptions {
  int rows = 20;
  int truncate = 20;  // 0: whole values, left-aligned
  bool vertical = false;
  std::string time_zone = "UTC";
};

// `batches` hold at least rows + 1 rows if there are that many. The text as PySpark prints it.
Result<std::string> show_string(const column::Schema& schema,
                                const std::vector<connector::RecordBatchPtr>& batches,
                                const ShowOptions& options);
Result<std::string> html_string(const column::Schema& schema,
                                const std::vector<connector::RecordBatchPtr>& batches,
                                const ShowOptions& options);

}  // namespace millstream::engine
