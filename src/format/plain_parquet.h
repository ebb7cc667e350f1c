// Plain Parquet files: those that say of each wanted column, in the one way that all readers
// understand, exactly the type that the table has. Flat columns of numbers, decimals, dates, texts,
// truth values and bytes; not timestamps (of two kinds, three units and INT96), nested columns,
// promoted types, or old files whose statistics are wrong. What is known of a file's footer is kept
// for the process, by path, size and time of change.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "column/types.h"
#include "connector/parquet_files.h"

namespace millstream::format {

struct PlainColumn {
  std::string name;
  column::TypePtr type;  // null: the file has the column, but not plainly
  std::optional<std::int64_t> magnitude_max;
};

// The top-level columns of a file.
struct PlainFooter {
  std::vector<PlainColumn> columns;
};

// Null: the file is not plain, or cannot be read; who reads it as batches tells why.
std::shared_ptr<const PlainFooter> plain_footer(const std::string& path);
// From now on the file is not plain, until it changes.
void distrust_plain_file(const std::string& path);

// Puts the files of a request together. Used by one thread.
class PlainFiles {
 public:
  // `wanted`: the columns by the names of the files.
  PlainFiles(column::Schema wanted, bool case_sensitive)
      : wanted_(std::move(wanted)), case_sensitive_(case_sensitive) {}

  // `constants`, for each wanted column: what the file's place says; null: the file has the values.
  // False: the request cannot be answered from plain files.
  bool add(const std::string& path, const std::vector<std::shared_ptr<arrow::Scalar>>& constants);
  connector::ParquetFiles finish() &&;

 private:
  using Column = connector::ParquetFiles::Column;
  connector::ParquetFiles::Group& group_of(std::vector<Column> columns);
  void widen(std::size_t column, std::optional<std::int64_t> magnitude);

  const column::Schema wanted_;
  const bool case_sensitive_;
  std::size_t count_ = 0;
  connector::ParquetFiles files_;
};

}  // namespace millstream::format
