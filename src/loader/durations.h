// Lengths of time as options give them: Spark's two notations. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace millstream::loader {

// "7d", "12h", "90min", "500ms", "30": a whole number and a unit (us, ms, s, m, min, h, d); without
// one it is `unit_ms`.
std::optional<std::int64_t> parse_time_ms(std::string_view text, std::int64_t unit_ms);

// "14 days", "1 week", "interval 2 hours 30 minutes". A month counts 31 days. Nothing when
// malformed.
std::optional<std::int64_t> parse_interval_ms(std::string_view text);

}  // namespace millstream::loader
