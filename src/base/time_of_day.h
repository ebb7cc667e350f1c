// A time of day as nanoseconds since midnight: its text in Spark's forms. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millstream {

inline constexpr std::int64_t nanos_per_second = 1'000'000'000;
inline constexpr std::int64_t nanos_per_day = 86'400 * nanos_per_second;
inline constexpr int time_precision_max = 6;  // digits of a second's fraction that are kept

// "[T]h:m[:s[.fraction]][ AM|PM]", blanks around it; digits beyond micros are cut off. Nothing:
// the text is none.
std::optional<std::int64_t> parse_time_of_day(std::string_view text);

std::string time_of_day_text(std::int64_t nanos);  // 01:02:03[.5], no zeros at the end

// The nanoseconds that the last of `precision` digits counts.
std::int64_t nanos_of_last_digit(int precision);

}  // namespace millstream
