// BatchRows: the rows of one micro-batch as a table, for the function of a foreachBatch. Each scan
// computes them again, from the same input, until close().
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "connector/table.h"
#include "plan/node.h"

namespace millstream::session {

class BatchWrites;

class BatchRows final : public connector::Table {
 public:
  // `on_repeated_scan` is called, in the reader's thread, before the rows are computed again.
  BatchRows(connector::Batches rows, std::int64_t batch_id, std::function<void()> on_repeated_scan,
            std::shared_ptr<BatchWrites> writes);

  const column::Schema& schema() const override { return schema_; }  // c0, c1, …
  const column::Schema& metadata_fields() const override { return no_metadata_; }
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::string describe() const override;

  std::int64_t batch_id() const { return batch_id_; }
  BatchWrites& writes() const { return *writes_; }  // of the query

  // A scan of all columns, under their names.
  static plan::NodePtr node(std::shared_ptr<const BatchRows> rows);

  // Returns when nothing reads the rows any more; who still does, or tries later, gets an error.
  // What the rows are computed from may go then.
  void close();

 private:
  class Reader;
  struct Open;

  column::Schema named_;  // as the query names them
  column::Schema schema_;
  const column::Schema no_metadata_;
  const std::int64_t batch_id_;
  const std::shared_ptr<BatchWrites> writes_;
  const std::shared_ptr<Open> open_;
};

}  // namespace millstream::session
