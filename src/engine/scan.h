// Arrow batches as a DuckDB table. A Slot is one leaf of a statement: its columns are fixed when
// the statement is prepared, its rows are put in before each run. ms_scan(address) reads it, one
// DuckDB thread to a partition at a time. A Slot is owned by its statement and outlives it; errors
// of the reader come back as they were, through wrap_error.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "connector/batches.h"
#include "engine/duck.h"

namespace millstream::engine {

class Slot {
 public:
  // The table function's columns are named `names`; `schema` says their types.
  static Result<std::unique_ptr<Slot>> create(duckdb_connection connection,
                                              std::vector<std::string> names,
                                              column::Schema schema);

  // The rows of the next run, and who is told how many came.
  void fill(connector::Batches batches, std::function<void(std::int64_t)> on_rows);
  void clear();

  // About how many rows the runs will have; told before the statement is prepared.
  void set_rows_estimated(std::int64_t rows) { rows_estimated_ = rows; }
  std::string sql() const;  // "ms_scan(94021…)"

 private:
  friend struct ScanCallbacks;
  struct Rows;

  duckdb_connection connection_ = nullptr;
  std::vector<std::string> names_;
  column::Schema schema_;
  std::shared_ptr<arrow::Schema> physical_;
  ConvertedSchema converted_;
  std::shared_ptr<Rows> rows_;
  std::int64_t rows_estimated_ = -1;
};

Status register_scan(duckdb_connection connection);

}  // namespace millstream::engine
