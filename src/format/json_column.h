// JsonColumn: the Arrow column that JSON values of one schema field are written into, with its
// children. Values are written at a row number, not appended: writing at a row that is filled
// already drops it and what follows (a later duplicate key, a record that turned out malformed),
// and rows that were passed over become NULL. So a record's missing fields cost nothing, and taking
// a record back is forgetting its row number. Owned by one reader; one thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "column/types.h"

namespace arrow {
class Array;
class Buffer;
class ResizableBuffer;
}  // namespace arrow

namespace millstream::format {

// Bytes that grow, and become an Arrow buffer without a copy.
class GrowingBuffer {
 public:
  std::uint8_t* data() { return data_; }
  std::int64_t capacity() const { return capacity_; }
  // At least `bytes`, and 64 more that may be scribbled on.
  void ensure(std::int64_t bytes) {
    if (bytes > capacity_) grow(bytes);
  }
  std::shared_ptr<arrow::Buffer> take(std::int64_t size);  // leaves it empty

 private:
  void grow(std::int64_t bytes);
  std::shared_ptr<arrow::ResizableBuffer> buffer_;
  std::uint8_t* data_ = nullptr;
  std::int64_t capacity_ = 0;
};

// The key of a member as it stands in the text, "name" with its quotes, made for a quick
// comparison.
class KeyPattern {
 public:
  explicit KeyPattern(std::string_view name);
  // `at` is followed by at least 16 readable bytes.
  bool matches(const char* at) const {
    if (masked_) {
      std::uint64_t a;
      std::uint64_t b;
      std::memcpy(&a, at, 8);
      std::memcpy(&b, at + 8, 8);
      return (((a & mask_[0]) ^ word_[0]) | ((b & mask_[1]) ^ word_[1])) == 0;
    }
    return plain_ && std::memcmp(at, quoted_.data(), quoted_.size()) == 0;
  }

 private:
  std::string quoted_;
  bool plain_;   // no character that JSON would escape
  bool masked_;  // 16 bytes at most
  std::uint64_t word_[2] = {0, 0};
  std::uint64_t mask_[2] = {0, 0};
};

// Longest text (with quotes) that KeyPattern may look at beyond 16 bytes: names are no longer than
// this in the fast way.
inline constexpr std::size_t key_bytes_max = 1024;

class JsonColumn {
 public:
  enum class Kind : std::uint8_t {
    skipped,  // not wanted: its values are only checked
    null,
    boolean,
    int8,
    int16,
    int32,
    int64,
    float32,
    float64,
    decimal,
    string,
    binary,
    date,
    timestamp,
    timestamp_ntz,
    time,
    day_time,  // intervals
    year_month,
    array,
    map,
    struct_,
  };

  // The rows of a batch: a column without a value of its own.
  explicit JsonColumn(const column::Schema& fields);
  JsonColumn(std::string name, column::TypePtr type);

  const std::string& name() const { return name_; }
  const column::TypePtr& type() const { return type_; }
  Kind kind() const { return kind_; }
  void skip() { kind_ = Kind::skipped; }
  const KeyPattern& key() const { return key_; }
  std::vector<JsonColumn>& children() { return children_; }
  JsonColumn& child(std::size_t i) { return children_[i]; }
  int find_child(std::string_view name) const;              // -1: none
  int find_child_ignore_case(std::string_view name) const;  // -1: none
  // The child whose key was met after child `previous` the last time (after -1: first in the
  // object).
  int& successor(int previous) { return successors_[static_cast<std::size_t>(previous + 1)]; }

  void set_null(std::int64_t row) {
    start(row);
    put_null();
  }
  template <typename T>
  void set(std::int64_t row, T value) {
    start(row);
    values_.ensure((length_ + 1) * static_cast<std::int64_t>(sizeof(T)));
    std::memcpy(values_.data() + length_ * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
    put_valid();
  }
  void set_string(std::int64_t row, std::string_view bytes) {
    char* out = begin_string(row, bytes.size());
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    end_string(bytes.size());
  }
  // The same in two steps, for text that is made in place: room for `size` bytes (and 64 to
  // scribble on), then its size.
  char* begin_string(std::int64_t row, std::size_t size) {
    start(row);
    data_.ensure(data_size_ + static_cast<std::int64_t>(size));
    return reinterpret_cast<char*>(data_.data() + data_size_);
  }
  void end_string(std::size_t size) {
    data_size_ += static_cast<std::int64_t>(size);
    put_offset(data_size_);
    put_valid();
  }
  // A struct whose children are written at the same row.
  void set_struct(std::int64_t row) {
    if (length_ > row) forget_from(row);
    start(row);
    put_valid();
  }
  // An array or map: the elements are written to the children at rows from begin_list on; then
  // their end.
  std::int64_t begin_list(std::int64_t row) {
    start(row);
    return data_size_;
  }
  void end_list(std::int64_t end) {
    data_size_ = end;
    put_offset(end);
    put_valid();
  }

  // The values of rows 0 … rows-1 as an Arrow array of the column's type; the column is empty
  // afterwards.
  std::shared_ptr<arrow::Array> finish(std::int64_t rows);
  void clear();
  // Drops what was written at `row` and after it, here and in the children.
  void forget_from(std::int64_t row);
  // Bytes of strings beyond which a batch must end.
  static constexpr std::int64_t data_max = 1 << 30;
  std::int64_t data_bytes() const;

 private:
  void start(std::int64_t row) {
    if (row != length_) move_to(row);
    if (length_ >= valid_.capacity()) valid_.ensure(length_ < 512 ? 1024 : length_ * 2);
  }
  void move_to(std::int64_t row);
  void put_null();
  void put_valid() { valid_.data()[length_++] = 1; }
  void put_offset(std::int64_t end) {
    offsets_.ensure((length_ + 2) * 4);
    const auto value = static_cast<std::int32_t>(end);
    std::memcpy(offsets_.data() + (length_ + 1) * 4, &value, 4);
  }
  std::int64_t offset(std::int64_t row);
  std::shared_ptr<arrow::Buffer> take_validity(std::int64_t rows, std::int64_t& nulls);

  std::string name_;
  column::TypePtr type_;
  Kind kind_;
  int width_ = 0;  // bytes of a value; 0: by offsets, or none
  bool has_offsets_ = false;
  KeyPattern key_;

  std::int64_t length_ = 0;
  GrowingBuffer valid_;    // a byte a row
  GrowingBuffer values_;   // width_ a row
  GrowingBuffer offsets_;  // length_ + 1
  GrowingBuffer data_;     // of strings
  std::int64_t data_size_ =
      0;  // bytes of data_, or rows of the children of a list, that belong to rows below length_

  std::vector<JsonColumn> children_;
  std::vector<int> successors_;
  std::unordered_map<std::string, int> index_;
  std::unordered_map<std::string, int> lower_index_;
};

}  // namespace millstream::format
