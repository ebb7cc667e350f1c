// Values as Spark and Java print them, and what they read. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millstream::engine {

std::string double_text(double value);  // Double.toString: "1.0", "1.0E7", "NaN"
std::string float_text(float value);
// The digits of an unscaled value, "-5", at scale 2: "-0.05". Never with an exponent.
std::string decimal_text(std::string digits, int scale);

struct Civil {
  std::int64_t year;
  int month;  // 1..12
  int day;
};
Civil civil_of_days(std::int64_t days);
std::int64_t days_of_civil(std::int64_t year, int month, int day);
int days_in_month(std::int64_t year, int month);

std::string date_text(std::int64_t days);  // "2024-01-01", "+12024-01-01", "-0044-03-15"
std::string timestamp_text(std::int64_t local_micros);  // "2024-01-01 00:00:00.5"
std::string day_time_text(std::int64_t micros, int start,
                          int end);  // "INTERVAL '1 02:03:04.5' DAY TO SECOND"
std::string year_month_text(std::int64_t months, int start,
                            int end);  // "INTERVAL '1-2' YEAR TO MONTH"
// "1 years 2 days -3.5 seconds"
std::string calendar_text(std::int64_t months, std::int64_t days, std::int64_t micros);

// Strings as CAST reads them, blanks around allowed.
std::string_view trim_java(std::string_view text);  // what String.trim() removes: all up to U+0020
// "12.9" without what stands behind its point; the text itself where that is no digits.
std::string whole_part(std::string_view text);
std::optional<std::int64_t> parse_long(std::string_view text);
std::optional<double> parse_double(std::string_view text);
std::optional<bool> parse_boolean(std::string_view text);
std::optional<std::int32_t> parse_date(std::string_view text);
// A timestamp's parts: the wall clock, and the zone if the text names one. `has_date`: else the
// time of today.
struct TimestampParts {
  std::int64_t local_micros = 0;
  std::string zone;
  bool has_date = true;
};
std::optional<TimestampParts> parse_timestamp(std::string_view text);

}  // namespace millstream::engine
