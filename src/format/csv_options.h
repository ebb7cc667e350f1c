// The options of Spark's CSV source and sink, checked: one that is unknown or not supported is an
// error that names it. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/options.h"
#include "base/status.h"
#include "format/json_options.h"

namespace millstream::format {

struct CsvOptions {
  std::string separator = ",";
  char quote = '"';              // 0: none
  char escape = '\\';            // 0: none
  char escape_of_escape = '\\';  // 0: none
  char comment = 0;              // 0: none
  bool header = false;
  bool enforce_schema = true;
  bool multi_line = false;
  std::string line_sep;  // empty: \n, \r\n, \r
  bool latin1 = false;   // else UTF-8
  bool trim_start = false;
  bool trim_end = false;
  std::string null_value;
  std::string empty_value;
  std::string nan_value = "NaN";
  std::string positive_inf = "Inf";
  std::string negative_inf = "-Inf";
  enum class UnescapedQuote : std::uint8_t {
    stop_at_delimiter,      // what was read and the raw text up to the next separator
    stop_at_closing_quote,  // a quote is content until one closes the value
    skip_value,             // NULL
    raise_error,
  } unescaped_quote = UnescapedQuote::stop_at_delimiter;
  std::int64_t columns_max = 20'480;
  std::int64_t value_chars_max = -1;  // negative: no limit

  ParseMode mode = ParseMode::permissive;
  std::string corrupt_column = "_corrupt_record";
  std::optional<std::string> date_format;  // java.time patterns; nothing: Spark's lenient reading
  std::optional<std::string> timestamp_format;
  std::optional<std::string> timestamp_ntz_format;
  std::string time_zone = "UTC";
  bool infer_schema = false;
  bool infer_ntz = false;  // times without zone are TIMESTAMP_NTZ
  bool prefer_date = true;

  // Writing.
  bool quote_all = false;
  bool escape_quotes = true;
};

// How texts are dates and times: dateFormat, timestampFormat, timestampNTZFormat, timeZone.
Status read_text_formats(const Options& options, CsvOptions& out);
Result<CsvOptions> parse_csv_options(const Options& options, const std::string& session_time_zone);
// Of df.write.csv, where other defaults hold.
Result<CsvOptions> parse_csv_write_options(const Options& options,
                                           const std::string& session_time_zone);

}  // namespace millstream::format
