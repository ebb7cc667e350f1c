// Deletion vectors: which rows of a data file are deleted, by their positions in the file. Read in
// the portable format, wherever they are kept: inline in the log, or in a file under the table or
// at an absolute path; immutable once read. Written into files under the table, those of one commit
// into one file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "delta/actions.h"
#include "delta/row_set.h"
#include "io/store.h"

namespace millstream::delta {

class DeletedRows {
 public:
  // A 64-bit Roaring bitmap: magic number, then 32-bit bitmaps by the upper half of the position.
  // An error says what is wrong with the bytes.
  static Result<DeletedRows> parse(std::string bitmap);

  std::int64_t count() const { return count_; }
  std::int64_t last() const { return last_; }  // -1: none
  // Of the rows `first` to `first + rows` (exclusive), clears the bits of those that are deleted.
  void clear(std::int64_t first, std::int64_t rows, std::uint8_t* bits) const;
  RowSet rows() const;

 private:
  // 65536 positions from `first` on, left as they stand in the bytes.
  struct Container {
    enum class Kind : std::uint8_t { array, bitmap, runs };
    Kind kind;
    std::int64_t first = 0;
    std::size_t offset = 0;  // of the values in bytes_
    std::int64_t items = 0;  // array: values, runs: runs
  };

  class Parser;

  std::string bytes_;
  std::vector<Container> containers_;  // ascending
  std::int64_t count_ = 0;
  std::int64_t last_ = -1;
};

// Reads and checks size, checksum and cardinality. DELTA_DELETION_VECTOR_*_MISMATCH,
// FAILED_READ_FILE.*.
Result<DeletedRows> read_deletion_vector(io::Store& store, const std::string& table,
                                         const DeletionVector& vector);

// The file of a vector that is kept in one ("u" and "p").
Result<std::string> deletion_vector_path(const std::string& table, const DeletionVector& vector);

// The vectors of one commit, before it. Used by one thread.
class DeletionVectorFile {
 public:
  DeletionVectorFile(std::shared_ptr<io::Store> store, std::string table);

  DeletionVector add(const RowSet& rows);
  bool empty() const { return bytes_.size() == 1; }
  const std::string& path() const { return path_; }  // absolute
  Status write() const;                              // durable when it returns

 private:
  const std::shared_ptr<io::Store> store_;
  std::string path_;
  std::string encoded_uuid_;
  std::string bytes_;
};

// Z85: five characters for four bytes. Nothing: not such a text.
std::optional<std::string> decode_z85(std::string_view text);
std::string encode_z85(std::string_view bytes);  // a multiple of four

}  // namespace millstream::delta
