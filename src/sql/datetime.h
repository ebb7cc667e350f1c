// The texts of date, timestamp and interval literals. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millstream::sql {

// 2024, 2024-1, 2024-01-05 (and what follows a 'T' or blank is ignored, as Spark does): days since
// 1970.
std::optional<std::int32_t> parse_date(std::string_view text);

struct ParsedTimestamp {
  std::int64_t micros = 0;                // of the wall clock
  std::optional<std::int64_t> offset_us;  // of the zone, when one was written
  std::string region;                     // what stands there and is no offset
};
// 2024-01-05[ T]01:02:03.456[Z|+01:00|America/New_York].
std::optional<ParsedTimestamp> parse_timestamp(std::string_view text);

// Adds up the units of an interval literal and keeps track of its type.
class IntervalBuilder {
 public:
  static bool is_unit(std::string_view word);

  bool add(std::string_view amount, std::string_view unit);
  bool add_text(std::string_view text);  // "1 day 2 hours"
  bool add_range(std::string_view text, std::string_view from,
                 std::string_view to);  // '1-2' YEAR TO MONTH

  bool empty() const { return !year_month_ && !day_time_; }
  bool mixed() const { return year_month_ && day_time_; }
  bool year_month() const { return year_month_; }
  std::int32_t months() const { return static_cast<std::int32_t>(months_); }
  std::int64_t micros() const { return micros_; }
  // DAY 0 HOUR 1 MINUTE 2 SECOND 3, or YEAR 0 MONTH 1.
  int start_field() const { return start_; }
  int end_field() const { return end_; }

 private:
  void cover(int field);

  bool year_month_ = false;
  bool day_time_ = false;
  std::int64_t months_ = 0;
  std::int64_t micros_ = 0;
  int start_ = 9;
  int end_ = -1;
};

}  // namespace millstream::sql
