// An order of rows that keeps rows together which are near to each other in several columns at
// once: the bits of the columns' places, interleaved (Z-order). A value's place is the range that
// it falls into, of ranges that hold about as many rows each; the ranges are learnt from samples.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "connector/batches.h"

namespace arrow {
class Array;
}  // namespace arrow

namespace millstream::delta {

// Some values of one column, spread over all of its rows whatever their number. Thread-safe.
class ValueSample {
 public:
  void add(const arrow::Array& column);

 private:
  friend class ValueRanges;
  std::mutex mutex_;
  std::int64_t step_ = 1;  // of the rows that come, each so many-th is kept
  std::int64_t skip_ = 0;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

// The ranges of one column's values. NULL is before all of them.
class ValueRanges {
 public:
  // At most 2^bits ranges.
  ValueRanges(ValueSample& sample, int bits);
  // Of each row: the number of its range, in bits that fill the number from the left of `bits`.
  std::vector<std::uint64_t> places(const arrow::Array& column) const;

 private:
  std::vector<std::uint64_t> numbers_;  // the ranges' ends, ascending; of either kind
  std::vector<std::string> texts_;
};

// As many bits as each of `columns` columns can have in a key.
int bits_per_column(std::size_t columns);

// Of each row: the interleaved places in its columns, not negative.
std::vector<std::int64_t> interleaved(const std::vector<std::vector<std::uint64_t>>& places,
                                      int bits);

// The column at the path, which leads through structs; NULL where one of these is.
Result<std::shared_ptr<arrow::Array>> column_at(const connector::RecordBatchPtr& batch,
                                                const std::vector<std::string>& path);

}  // namespace millstream::delta
