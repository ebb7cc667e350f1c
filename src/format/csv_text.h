// Arrow rows as lines of CSV, as Spark's CSV writer (univocity) prints them. Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "column/types.h"
#include "format/csv_options.h"
#include "format/datetime_text.h"

namespace arrow {
class Array;
class RecordBatch;
}  // namespace arrow

namespace millstream::format {

class CsvWriterText {
 public:
  static Result<CsvWriterText> make(const CsvOptions& options);

  // Without a line end.
  void append_header(const column::Schema& schema, std::string& out) const;
  void append_row(const arrow::RecordBatch& batch, std::int64_t row, std::string& out) const;
  const CsvOptions& options() const { return options_; }
  std::string text_of(const arrow::Array& array, std::int64_t row) const;  // of a value

 private:
  CsvWriterText(const CsvOptions& options, DateTimePattern date, DateTimePattern timestamp,
                DateTimePattern ntz, TimeZone zone)
      : options_(options),
        date_(std::move(date)),
        timestamp_(std::move(timestamp)),
        ntz_(std::move(ntz)),
        zone_(std::move(zone)) {}

  void append_value(std::string_view text, std::string& out) const;
  void append_quoted(std::string_view text, std::string& out) const;

  const CsvOptions options_;
  DateTimePattern date_;
  DateTimePattern timestamp_;
  DateTimePattern ntz_;
  TimeZone zone_;
};

}  // namespace millstream::format
