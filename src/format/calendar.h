// The calendar before 15 October 1582: Java's old classes, and with them the ORC files of Spark,
// have the Julian one there; Spark's types have the Gregorian one for all time. Pure functions on
// days since 1970.
#pragma once

#include <cstdint>

namespace millstream::format {

inline constexpr std::int32_t first_gregorian_day = -141'427;  // 1582-10-15

// The day that has the same year, month and day in the other calendar. Days that the other has not
// are moved to the next that it has.
std::int32_t gregorian_of_julian(std::int32_t days);
std::int32_t julian_of_gregorian(std::int32_t days);

}  // namespace millstream::format
