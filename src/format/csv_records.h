// CsvRecords: the records of a CSV file, one after the other: lines, or with multiLine whatever
// quotes hold together. Skips blank lines and comments. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "format/byte_input.h"
#include "format/csv_tokens.h"

namespace millstream::format {

class CsvRecords {
 public:
  CsvRecords(std::unique_ptr<ByteInput> input, const CsvOptions& options);

  // The next record: `tokens()` are its values, `text()` is its text without the line end. False at
  // the end.
  Result<bool> next();
  const std::vector<CsvTokens::Value>& tokens() const { return tokens_.values(); }
  std::string_view text() const { return record_; }

 private:
  Result<bool> next_line();
  Result<bool> next_quoted();
  Status read_more();
  void consume(std::size_t size) { begin_ += size; }
  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }

  const std::unique_ptr<ByteInput> input_;
  const CsvOptions options_;
  CsvTokens tokens_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t scanned_ = 0;  // bytes of the rest without a line end
  bool at_start_ = true;
  bool ended_ = false;
  Status failed_;
  std::string record_text_;
  std::string_view record_;
};

}  // namespace millstream::format
