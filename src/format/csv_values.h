// CsvValues: texts of CSV as values of a type, by Spark's rules. One thread.
#pragma once

#include <optional>
#include <string_view>

#include "format/csv_options.h"
#include "format/datetime_text.h"
#include "format/json_column.h"

namespace millstream::format {

class CsvValues {
 public:
  static Result<CsvValues> make(const CsvOptions& options);

  // Writes the value; false: the text is none of the column's type.
  bool set(JsonColumn& column, std::int64_t row, std::string_view text) const;

  // For inference.
  bool is_double(std::string_view text) const;
  bool is_date(std::string_view text) const;
  bool is_timestamp(std::string_view text) const;
  bool is_timestamp_ntz(std::string_view text) const;

 private:
  explicit CsvValues(const CsvOptions& options) : options_(options), zone_(TimeZone::fixed(0)) {}
  bool read_double(std::string_view text, double& value) const;
  bool set_time(JsonColumn& column, std::int64_t row, std::string_view text) const;
  bool read_date(std::string_view text, std::int32_t& days) const;
  bool read_timestamp(std::string_view text, std::int64_t& micros) const;
  bool read_timestamp_ntz(std::string_view text, std::int64_t& micros) const;

  const CsvOptions options_;
  TimeZone zone_;
  std::optional<DateTimePattern> date_format_;
  std::optional<DateTimePattern> timestamp_format_;
  std::optional<DateTimePattern> ntz_format_;
};

// Java's Integer.parseInt and kin.
bool parse_java_integer(std::string_view text, std::int64_t low, std::int64_t high,
                        std::int64_t& value);

}  // namespace millstream::format
