// Intervals of days and time, and of months, as texts: '1 02:03', or INTERVAL '1 02:03' DAY TO
// MINUTE. Fields: DAY 0 HOUR 1 MINUTE 2 SECOND 3; YEAR 0 MONTH 1. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream {

std::string day_time_interval_text(std::int64_t micros, int start,
                                   int end);  // "INTERVAL '1 02:03:04.5' DAY TO SECOND"
std::string year_month_interval_text(std::int64_t months, int start,
                                     int end);  // "INTERVAL '1-2' YEAR TO MONTH"

// As CAST reads them; INVALID_INTERVAL_FORMAT otherwise.
Result<std::int64_t> parse_day_time_interval(std::string_view text, int start, int end);
Result<std::int32_t> parse_year_month_interval(std::string_view text, int start, int end);

}  // namespace millstream
