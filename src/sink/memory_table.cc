#include "sink/memory_table.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace millstream::sink {

void MemoryTable::put(std::int64_t batch_id, connector::OutputMode mode,
                      std::vector<connector::RecordBatchPtr> rows) {
  const std::lock_guard lock(mutex_);
  if (mode == connector::OutputMode::complete) {
    rows_ = std::move(rows);
  } else if (batch_id > newest_batch_) {
    rows_.insert(rows_.end(), std::make_move_iterator(rows.begin()),
                 std::make_move_iterator(rows.end()));
  }
  newest_batch_ = std::max(newest_batch_, batch_id);
}

std::int64_t MemoryTable::row_count() const {
  const std::lock_guard lock(mutex_);
  std::int64_t rows = 0;
  for (const auto& batch : rows_) rows += batch->num_rows();
  return rows;
}

Result<connector::Batches> MemoryTable::scan(const connector::ScanRequest& request) const {
  column::Schema schema;
  std::vector<int> indexes;
  for (const auto& name : request.columns) {
    const int index = column::find_field(schema_, name);
    if (index < 0)
      return Status::internal("a scan asks for column '{}', which the memory table does not have",
                              name);
    schema.push_back(schema_[static_cast<std::size_t>(index)]);
    indexes.push_back(index);
  }
  std::vector<connector::RecordBatchPtr> rows;
  {
    const std::lock_guard lock(mutex_);
    rows = rows_;
  }
  const auto arrow_schema = column::to_arrow(schema);
  for (auto& batch : rows) {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const int index : indexes) columns.push_back(batch->column(index));
    batch = arrow::RecordBatch::Make(arrow_schema, batch->num_rows(), std::move(columns));
  }
  return connector::batches_of(std::move(schema), std::move(rows));
}

}  // namespace millstream::sink
