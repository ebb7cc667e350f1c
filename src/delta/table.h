// DeltaTable: one version of a Delta table as a batch query reads it. Immutable after open(),
// shareable between threads; scans read the data files in parallel partitions and skip files by
// partition values and statistics.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/status.h"
#include "connector/parquet_files.h"
#include "connector/table.h"
#include "delta/change_feed.h"
#include "io/store.h"

namespace millstream::delta {

// Which version, and how its texts are read.
struct ReadOptions {
  std::optional<std::int64_t> version_as_of;
  std::optional<std::string>
      timestamp_as_of;  // "2024-01-01[ 12:00:00[.000]]" in the session's zone
  std::string time_zone = "UTC";
  bool case_sensitive = false;
  std::optional<FeedRange> changes;  // readChangeFeed: not a version, but what became of the rows
};

// The options of spark.read.format("delta"): an unknown one is an error that names it. `path` is
// skipped.
Result<ReadOptions> parse_read_options(const Options& options, const std::string& time_zone);

// The table that a read with these options is of: one version of it, or its changes.
Result<std::shared_ptr<const connector::Table>> open_table(std::shared_ptr<io::Store> store,
                                                           std::string table,
                                                           const ReadOptions& options);

class DeltaTable final : public connector::Table, public connector::ParquetBacked {
 public:
  // `table`: the absolute path. DELTA_TABLE_NOT_FOUND, DELTA_UNSUPPORTED_FEATURES_FOR_READ,
  // DELTA_VERSION_NOT_FOUND, …
  static Result<std::shared_ptr<const DeltaTable>> open(std::shared_ptr<io::Store> store,
                                                        std::string table,
                                                        const ReadOptions& options = {});

  DeltaTable(std::shared_ptr<io::Store> store, std::string table, SnapshotPtr snapshot,
             ReadOptions options);

  const column::Schema& schema() const override;
  const column::Schema& metadata_fields() const override;
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::optional<std::int64_t> rows_estimated() const override;
  std::string describe() const override;  // "delta [/data/x]"
  std::vector<std::string> input_files() const override;
  Result<std::optional<connector::ParquetFiles>> parquet_files(
      const connector::ScanRequest& request) const override;
  void distrust(const std::string& path) const override;

  const std::vector<std::string>& partition_columns() const;
  std::int64_t version() const;
  const Snapshot& snapshot() const { return *snapshot_; }

 private:
  std::vector<std::shared_ptr<const AddFile>> live_files() const;

  std::shared_ptr<io::Store> store_;
  std::string table_;
  SnapshotPtr snapshot_;
  ReadOptions options_;
  column::Schema schema_;
};

}  // namespace millstream::delta
