// The columns that a file's place gives its rows, not its bytes: `_metadata` and partition values.
// Plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "connector/batches.h"
#include "io/store.h"

namespace arrow {
class Array;
struct Scalar;
}  // namespace arrow

namespace millstream::format {

// A column with one value for all rows of a file. A null scalar pointer is NULL.
struct ConstantColumn {
  column::Field field;
  std::shared_ptr<arrow::Scalar> value;
};

// One file to read, as it was listed.
struct FileSplit {
  io::FileInfo info;
  std::vector<ConstantColumn>
      constants;  // partition columns; they win over columns of the same name in the file
};

inline constexpr std::string_view metadata_column = "_metadata";

// The members of `_metadata` for files: file_path, file_name, file_size, file_modification_time,
// file_block_start, file_block_length; none nullable.
const column::Schema& file_metadata_fields();
// The column `_metadata` itself: a struct of them.
column::Field file_metadata_field();

// `rows` times the `_metadata` struct of a file.
Result<std::shared_ptr<arrow::Array>> file_metadata_array(const io::FileInfo& info,
                                                          std::int64_t rows);
Result<std::shared_ptr<arrow::Array>> constant_array(const ConstantColumn& column,
                                                     std::int64_t rows);

}  // namespace millstream::format
