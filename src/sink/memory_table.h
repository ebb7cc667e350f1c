// MemoryTable: the rows that a memory sink has been given, as a table that batch queries read while
// the stream runs. Shared by the sink (one writer) and any number of readers; a scan sees whole
// batches only. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "connector/sink.h"
#include "connector/table.h"

namespace millstream::sink {

class MemoryTable final : public connector::Table {
 public:
  MemoryTable(std::string name, column::Schema schema)
      : name_(std::move(name)), schema_(std::move(schema)) {}

  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return no_metadata_; }
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::string describe() const override { return "MemoryPlan " + name_; }

  // Batch `batch_id`'s rows. Append and update: a batch that came before is not taken again.
  // Complete: they replace all.
  void put(std::int64_t batch_id, connector::OutputMode mode,
           std::vector<connector::RecordBatchPtr> rows);
  std::int64_t row_count() const;

 private:
  const std::string name_;
  const column::Schema schema_;
  const column::Schema no_metadata_;
  mutable std::mutex mutex_;
  std::int64_t newest_batch_ = -1;
  std::vector<connector::RecordBatchPtr> rows_;
};

}  // namespace millstream::sink
