// The options of Spark's JSON reader, checked: one that is unknown or not supported is an error
// that names it. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/options.h"
#include "base/status.h"

namespace millstream::format {

enum class ParseMode : std::uint8_t {
  permissive,      // a bad record is a row of NULLs, a bad field is NULL
  drop_malformed,  // a bad record, or one with a bad field, is left out
  fail_fast,       // a bad record, or one with a bad field, ends the query
};

struct JsonOptions {
  bool multi_line = false;  // a file holds one document
  std::string line_sep;     // empty: \n, \r\n, \r
  ParseMode mode = ParseMode::permissive;
  std::string corrupt_column = "_corrupt_record";  // filled when the schema has it
  std::string rescued_column;  // empty: none. Else a STRING column, filled when the schema has it
  bool case_sensitive = true;  // readerCaseSensitive: of field names, with a rescued column

  bool allow_comments = false;
  bool allow_unquoted_names = false;
  bool allow_single_quotes = true;
  bool allow_leading_zeros = false;
  bool allow_non_numeric = true;  // NaN, INF, Infinity
  bool allow_any_escape = false;  // \q is q
  bool allow_control_chars = false;
  std::int64_t nesting_max = 1000;
  std::int64_t number_length_max = 1000;
  std::int64_t string_length_max = 20'000'000;

  std::optional<std::string> date_format;  // java.time patterns; nothing: Spark's lenient reading
  std::optional<std::string> timestamp_format;
  std::optional<std::string> timestamp_ntz_format;
  std::string time_zone = "UTC";

  bool ignore_corrupt_files = false;
  bool ignore_missing_files = false;

  // Inference.
  bool primitives_as_string = false;
  bool prefers_decimal = false;
  bool infer_timestamp = false;
  bool infer_ntz = false;  // of times without zone
  bool drop_field_if_all_null = false;
  double sampling_ratio = 1.0;
};

// Reads the options of a JSON source. The generic file options (pathGlobFilter,
// recursiveFileLookup, modifiedAfter, …) and keys that begin with "cloudfiles." are left to others;
// any other key that is not one of JSON's is refused. `session_time_zone` holds where the option
// timeZone is not given.
Result<JsonOptions> parse_json_options(const Options& options,
                                       const std::string& session_time_zone = "UTC");

// True for the options that belong to finding files, for any format.
bool is_listing_option(std::string_view lower_case_name);

}  // namespace millstream::format
