// "10 minutes", "1 hour 30 seconds": the delays of withWatermark. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace millstream::plan {

// In milliseconds; a month counts 31 days, as in Spark. CANNOT_PARSE_INTERVAL.
Result<std::int64_t> parse_delay_ms(std::string_view text);

}  // namespace millstream::plan
