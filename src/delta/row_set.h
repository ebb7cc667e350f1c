// RowSet: positions of rows of one data file, being collected: which a statement changes. A Roaring
// bitmap, so that many cost little, in any order. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace millstream::delta {

class RowSet {
 public:
  bool add(std::int64_t position);  // false: it was in already
  void add_all(const RowSet& other);
  bool contains(std::int64_t position) const;
  std::int64_t count() const { return count_; }
  // Of the rows `first` to `first + rows` (exclusive), clears the bits of those that are in the
  // set.
  void clear(std::int64_t first, std::int64_t rows, std::uint8_t* bits) const;
  // The portable format of deletion vectors.
  std::string to_bytes() const;

 private:
  // 65536 positions: sorted while they are few, a bitmap when they are many.
  struct Container {
    std::vector<std::uint16_t> values;
    std::vector<std::uint64_t> bits;

    bool add(std::uint16_t value);
    bool contains(std::uint16_t value) const;
    std::int64_t count() const;
  };

  std::map<std::int64_t, Container> containers_;  // by position / 65536
  std::int64_t count_ = 0;
};

}  // namespace millstream::delta
