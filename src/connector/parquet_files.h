// Parquet files as such: what a Table may offer beside its batches. An engine with a Parquet reader
// of its own reads them without a copy, skips what its filters and joins rule out, and accounts for
// the memory. Offered only where any right reader gives exactly the rows of Table::scan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connector/table.h"

namespace millstream::connector {

struct ParquetFiles {
  // Where a column's values come from: one of both.
  struct Column {
    std::string name;                         // in the files
    std::shared_ptr<arrow::Scalar> constant;  // of the column's Arrow type
  };
  struct Group {
    std::vector<Column> columns;  // for each column of the request
    std::vector<std::string> paths;
  };
  std::vector<Group> groups;
  // For each column of the request: no integer, and no decimal without its point, is larger than
  // this in any file, whatever its sign; nothing: not known.
  std::vector<std::optional<std::int64_t>> magnitude_max;
};

class ParquetBacked {
 public:
  virtual ~ParquetBacked() = default;
  // Nothing: the request has to be read as batches.
  virtual Result<std::optional<ParquetFiles>> parquet_files(const ScanRequest& request) const = 0;
  // A reader failed over this file, which therefore is not offered again.
  virtual void distrust(const std::string& path) const = 0;
};

}  // namespace millstream::connector
