// PlacedRows: the rows of some files of one version of a table, each with its place
// (places::column, after the table's columns) and, where the table keeps them, its id (before the
// place): what statements that change rows read. Immutable.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "connector/table.h"
#include "delta/file_scan.h"

namespace millstream::delta {

class PlacedRows final : public connector::Table {
 public:
  struct Context {
    std::shared_ptr<io::Store> store;
    std::string table;
    SnapshotPtr snapshot;
    std::string time_zone;
    bool case_sensitive = false;
  };
  PlacedRows(Context context, std::shared_ptr<const RowChoice> choice);

  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override;
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::optional<std::int64_t> rows_estimated() const override;
  std::string describe() const override;

 private:
  const Context context_;
  const std::shared_ptr<const RowChoice> choice_;
  column::Schema schema_;
};

// One row for each file: its partition values and its place; other columns are NULL. For conditions
// that ask for partition columns only.
class FileRows final : public connector::Table {
 public:
  FileRows(PlacedRows::Context context, std::shared_ptr<const RowChoice> choice);

  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return no_metadata_; }
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::string describe() const override;

 private:
  Result<std::shared_ptr<arrow::Array>> column_of(const std::string& name) const;

  const PlacedRows::Context context_;
  const std::shared_ptr<const RowChoice> choice_;
  column::Schema schema_;
  const column::Schema no_metadata_;
};

}  // namespace millstream::delta
