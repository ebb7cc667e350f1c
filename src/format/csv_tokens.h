// CsvTokens: one record of CSV text as its values, by the rules of Spark's parser (univocity). One
// thread.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "format/csv_options.h"

namespace millstream::format {

class CsvTokens {
 public:
  explicit CsvTokens(const CsvOptions& options) : options_(options) {}

  struct Value {
    std::string_view text;  // within the record, or within this object
    bool is_null = false;
  };

  // All of `record` is one record; without `multi_line` a line end in it is content.
  Status split(std::string_view record);
  // The record that begins at `text[0]`: its length with the line end, or 0 when it goes on beyond
  // `text` and more may come.
  Result<std::size_t> take(std::string_view text, bool at_end);

  const std::vector<Value>& values() const { return values_; }

  // A line that is no record: blank, or a comment.
  bool is_skipped(std::string_view line) const;

 private:
  struct Cursor;
  void skip_to_end(Cursor& at) const;  // of a value without quotes
  Status unquoted(Cursor& at, std::size_t begin);
  Status add_unquoted(std::string_view value);
  Status quoted(Cursor& at, std::size_t begin);
  Status add(std::string_view text, bool quoted);
  bool ends_value(const Cursor& at) const;

  const CsvOptions options_;
  std::vector<Value> values_;
  std::deque<std::string> owned_;  // values that are not in the record as they are
};

}  // namespace millstream::format
