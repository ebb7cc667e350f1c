// Parquet files, on Arrow C++. ParquetWriter turns batches into one durable file and, in the same
// pass over the Arrow data, the statistics that a Delta log wants of it. ParquetReader gives a file
// back as batches of a wanted schema: projected (nested members too), promoted, with row groups
// skipped that a predicate rules out. Each object is owned and used by one thread at a time;
// several may work on different files at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "connector/batches.h"
#include "connector/table.h"
#include "io/store.h"

namespace arrow {
struct Scalar;
}  // namespace arrow

namespace millstream::format {

// Of one leaf column: struct members are leaves of their own, an array or a map is one leaf as a
// whole.
struct LeafStats {
  std::vector<std::string> path;  // column, then struct members
  column::TypePtr type;
  std::int64_t null_count = 0;  // rows in which the leaf is NULL, or a struct around it
  // Smallest and largest value, whole (strings are not cut; ordered by unsigned bytes = by code
  // point), of the leaf's Arrow type. Null pointers: no value that is not NULL (or NaN), or a type
  // without order here (boolean, binary, array, map).
  std::shared_ptr<arrow::Scalar> min;
  std::shared_ptr<arrow::Scalar> max;
  bool has_nan = false;  // float, double: NaN was seen; min and max leave it out
};

struct ParquetFile {
  std::string path;
  std::int64_t size = 0;  // bytes
  std::int64_t rows = 0;
  std::vector<LeafStats> leaves;  // depth first, those asked for
};

struct ParquetWriteOptions {
  std::string compression = "snappy";  // none, uncompressed, snappy, gzip, zstd, lz4, lz4_raw,
                                       // brotli (as Spark names them)
  std::int64_t row_group_rows_max = 1 << 20;
  std::int64_t row_group_bytes_max = 64 << 20;  // of Arrow data, which the writer holds
  int stats_leaves_max = 32;  // statistics of the first so many leaves; -1: all; 0: none
  // When given: statistics of exactly these (a struct stands for all its leaves), whatever
  // stats_leaves_max says.
  std::optional<std::vector<std::vector<std::string>>> stats_paths;
};

class ParquetWriter {
 public:
  virtual ~ParquetWriter() = default;  // without close(): the unfinished file is removed

  // Creates `path` (and its directory). On the local store the file is streamed to disk; on another
  // it is put at close().
  static Result<std::unique_ptr<ParquetWriter>> open(std::shared_ptr<io::Store> store,
                                                     std::string path, column::Schema schema,
                                                     const ParquetWriteOptions& options = {});

  // A batch of the Arrow form of the schema (column::to_arrow), kept until its row group is full.
  // How a column is encoded is decided by its values in the first row group.
  virtual Status write(const connector::RecordBatchPtr& batch) = 0;
  // Rough number of bytes that the file has now: to roll over to the next one.
  virtual std::int64_t bytes_so_far() const = 0;
  // Footer, fsync of the file and of its directory. The file is durable when this returns.
  virtual Result<ParquetFile> close() = 0;
};

struct ParquetReadOptions {
  bool case_sensitive = false;  // of column names
  // Columns are found by number, not by name: "parquet.field.id" in the metadata of wanted fields,
  // as in Spark.
  bool by_field_id = false;
  // INT32 -> BIGINT and the like (Spark's vectorised reader). Off: another physical type is an
  // error.
  bool promote = true;
  std::vector<connector::Predicate> predicates;  // row groups in which no row can match are skipped
  std::int64_t batch_rows = 64 << 10;
};

class ParquetReader : public connector::BatchReader {
 public:
  // Batches of `wanted`, in its order; columns and members that the file has not are NULL.
  // FAILED_READ_FILE.* names the file.
  static Result<std::unique_ptr<ParquetReader>> open(std::shared_ptr<io::Store> store,
                                                     std::string path, column::Schema wanted,
                                                     const ParquetReadOptions& options = {});
  virtual std::int64_t rows() const = 0;  // of the whole file, from the footer
};

// The schema of a file as Spark reads it, all nullable; and its number of rows.
struct ParquetFooter {
  column::Schema schema;
  std::int64_t rows = 0;
};
Result<ParquetFooter> read_parquet_footer(const std::shared_ptr<io::Store>& store,
                                          const std::string& path);

}  // namespace millstream::format
