// Arrow rows as JSON text, as Spark's JSON writer (Jackson) prints them. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/options.h"
#include "base/status.h"
#include "column/types.h"
#include "format/datetime_text.h"

namespace arrow {
class Array;
class RecordBatch;
}  // namespace arrow

namespace millstream::format {

class JsonWriterText {
 public:
  // Reads dateFormat, timestampFormat, timestampNTZFormat, ignoreNullFields, timeZone.
  static Result<JsonWriterText> make(const Options& options, const std::string& session_time_zone);

  // Types that JSON cannot hold are refused with UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE.
  static Status check(const column::Schema& schema);

  // Appends {"a":1,…} without a line end.
  void append_row(const arrow::RecordBatch& batch, std::int64_t row, std::string& out) const;

 private:
  JsonWriterText(DateTimePattern date, DateTimePattern timestamp, DateTimePattern ntz,
                 TimeZone zone, bool keep_nulls)
      : date_(std::move(date)),
        timestamp_(std::move(timestamp)),
        ntz_(std::move(ntz)),
        zone_(std::move(zone)),
        keep_nulls_(keep_nulls) {}

  void append_value(const arrow::Array& array, std::int64_t row, std::string& out) const;
  std::string key_text(const arrow::Array& array, std::int64_t row) const;

  DateTimePattern date_;
  DateTimePattern timestamp_;
  DateTimePattern ntz_;
  TimeZone zone_;
  bool keep_nulls_;
};

}  // namespace millstream::format
