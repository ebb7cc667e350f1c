// Rows that are computed once and read again: of checkpoints and cached DataFrames. Few stay in
// memory, more go to an Arrow file that is removed with the object. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "connector/table.h"
#include "plan/node.h"

namespace millstream::session {

struct Runtime;

class KeptRows final : public connector::Table, public std::enable_shared_from_this<KeptRows> {
 public:
  // Reads `rows` to their end. Files are made in `directory`.
  static Result<std::shared_ptr<const KeptRows>> make(const connector::Batches& rows,
                                                      const std::string& directory);
  ~KeptRows() override;

  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return no_metadata_; }
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::optional<std::int64_t> rows_estimated() const override { return rows_; }
  std::string describe() const override { return "InMemoryTableScan"; }
  std::int64_t rows() const { return rows_; }
  std::int64_t bytes() const { return bytes_; }  // as they lie in memory
  // All columns in partitions that end before these rows, which are in order; those of no rows are
  // left out.
  connector::Batches in_partitions(const std::vector<std::int64_t>& ends) const;

 private:
  explicit KeptRows(column::Schema schema) : schema_(std::move(schema)) {}
  Status keep(const connector::Batches& rows, const std::string& directory);
  // The batches from `first` up to `last`.
  Result<std::unique_ptr<connector::BatchReader>> read(int first, int last,
                                                       const std::vector<int>& columns) const;

  const column::Schema schema_;
  const column::Schema no_metadata_;
  std::vector<connector::RecordBatchPtr> batches_;  // while they are few
  std::string path_;                                // of the file; empty: none
  int file_batches_ = 0;
  std::vector<std::int64_t> starts_;  // of each batch its first row
  std::int64_t rows_ = 0;
  std::int64_t bytes_ = 0;
};

// The plan with columns c0, c1, … for each of its output, hidden ones too.
plan::NodePtr in_numbered_columns(plan::NodePtr node);

// The rows of a plan in numbered columns, computed when they are first read.
class CachedRows final : public connector::Table {
 public:
  CachedRows(Runtime& runtime, std::string time_zone, plan::NodePtr node);

  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return no_metadata_; }
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::string describe() const override { return "InMemoryTableScan"; }
  bool reads_tables() const;  // what they hold may change

 private:
  Result<std::shared_ptr<const KeptRows>> rows() const;

  Runtime& runtime_;
  const std::string time_zone_;
  const plan::NodePtr node_;  // a projection of the plan
  column::Schema schema_;
  const column::Schema no_metadata_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const KeptRows> rows_;
};

// A scan of `rows` in the place of the visible columns of `node`.
plan::NodePtr scan_in_place(std::shared_ptr<const connector::Table> rows, const plan::Node& node);

}  // namespace millstream::session
