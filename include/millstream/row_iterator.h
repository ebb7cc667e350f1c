// RowIterator: the rows of a query one by one, at the caller's pace. The query runs from the first
// call on and ends with the last row or with the iterator; what is ahead of the caller is what the
// server has sent, never the whole.
//
//   for (const Row& row : frame.to_local_iterator()) …
#pragma once

#include <memory>
#include <optional>

#include "millstream/value.h"

namespace millstream::api {

// Copies go on together. Not thread-safe.
class RowIterator {
 public:
  class Source;
  explicit RowIterator(std::shared_ptr<Source> source) : source_(std::move(source)) {}

  // Nothing after the last row. Throws SparkException; after that too there is nothing.
  std::optional<Row> next();

  // For range-for, once.
  class End {};
  class Iterator {
   public:
    explicit Iterator(RowIterator* rows) : rows_(rows), row_(rows->next()) {}
    const Row& operator*() const { return *row_; }
    Iterator& operator++() {
      row_ = rows_->next();
      return *this;
    }
    bool operator!=(End) const { return row_.has_value(); }

   private:
    RowIterator* rows_;
    std::optional<Row> row_;
  };
  Iterator begin() { return Iterator(this); }
  End end() const { return {}; }

 private:
  std::shared_ptr<Source> source_;
};

}  // namespace millstream::api
