// Years that the files of the tz database do not reach: they end with 2037, and the rules that hold
// then go on for ever. Pure.
#pragma once

#include <cstdint>
#include <limits>

namespace millstream {

struct ZoneYear {
  std::int64_t begin = std::numeric_limits<std::int64_t>::min();  // UTC seconds
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  std::int64_t shift = 0;  // seconds by which it is later than the year that stands for it
};

inline constexpr std::int64_t zone_files_end = 2145916800;          // 2038-01-01, UTC seconds
inline constexpr std::int64_t zone_files_last_summer = 2129976000;  // in July 2037

// Where a zone still changes its clock in 2037: the last year before 2038 whose days fall on the
// same days of the week as those of the year of that second. Earlier years stand for themselves.
ZoneYear year_that_stands_for(std::int64_t seconds);

}  // namespace millstream
