// JsonLines: text in, records out. Splits blocks into lines and gives each record to the strict
// scanner, or, when that does not take it, to the lenient way of the class that derives from this.
// One per reader; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "format/json_index.h"
#include "format/json_options.h"
#include "format/json_strict.h"
#include "format/json_token.h"

namespace millstream::format {

class JsonLines {
 public:
  // Bytes that must be readable after every text that is given.
  static constexpr std::size_t padding = key_bytes_max + 64;

  explicit JsonLines(const JsonOptions& options);
  virtual ~JsonLines() = default;

  // Whole lines, each a record. The byte after the text is changed meanwhile.
  Status add_lines(char* text, std::size_t size);
  // One record with any white space in it; followed by '\n'.
  Status add_document(const char* text, std::size_t size);

 protected:
  virtual void begin_record() = 0;
  // Reads a record's root. When it is malformed, or reaches beyond its line, read_leniently follows
  // for the same record and must forget what this did; else end_record. `tail`: text follows the
  // record's value.
  virtual Outcome read_strictly(StrictScanner& scanner) = 0;
  virtual Status end_record(Outcome outcome, std::string_view record, bool tail) = 0;
  virtual Status read_leniently(std::string_view record) = 0;

 private:
  Status add_indexed(const char* text, std::size_t size);
  Status add_one_by_one(char* text, std::size_t size);

  const int nesting_max_;
  const bool multi_line_;
  const bool strict_;  // the options allow no less than the strict scanner takes
  const std::int64_t record_bytes_max_;
  JsonIndex index_;
  std::string padded_;  // a record on its own, for the index
};

}  // namespace millstream::format
