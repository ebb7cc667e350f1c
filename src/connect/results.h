// Results on the wire: rows as Arrow IPC streams of one record batch each, schemas, observed
// metrics. Functions; called on the operation's thread.
#pragma once

#include <arrow/type_fwd.h>

#include <vector>

#include "connect/operation.h"
#include "connector/batches.h"
#include "engine/engine.h"

namespace millstream::connect {

struct ResultOptions {
  std::int64_t rows_max = 10'000;  // of one batch
  std::string time_zone = "UTC";
  bool chunked = false;  // the client takes a batch in several messages
};

// One Arrow IPC stream.
Result<std::shared_ptr<arrow::Buffer>> encode(const arrow::RecordBatch& batch);
// The schema, then all rows; at least one batch, be it empty.
Status send_rows(Operation& operation, const column::Schema& schema, const connector::Batches& rows,
                 const ResultOptions& options);
// One column, one row: show().
Status send_text(Operation& operation, const std::string& column_name, const std::string& text);

Status send_observed(Operation& operation, const std::vector<engine::ObservedMetrics>& metrics);
Status send_empty_metrics(Operation& operation);

}  // namespace millstream::connect
