// Intervals that count months, days and time apart, as a calendar does. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace millstream {

struct CalendarInterval {
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t micros = 0;
};

// Spark's interval text: "10 seconds", "interval 1 minute 500 milliseconds", "-1.5 seconds".
// INVALID_INTERVAL_FORMAT otherwise.
Result<CalendarInterval> parse_interval(std::string_view text);

}  // namespace millstream
