#include "base/zone_year.h"

#include <gtest/gtest.h>

#include <chrono>

namespace millstream {
namespace {

using namespace std::chrono;

constexpr std::int64_t day_seconds = 86400;

std::int64_t second_of(year_month_day date) {
  return sys_days(date).time_since_epoch().count() * day_seconds;
}

TEST(ZoneYear, KnownYearsStandForThemselves) {
  EXPECT_EQ(year_that_stands_for(0).shift, 0);
  EXPECT_EQ(year_that_stands_for(zone_files_end - 1).shift, 0);
}

TEST(ZoneYear, DaysFallOnTheSameDaysOfTheWeek) {
  for (int y = 2038; y < 3300; ++y) {
    const std::int64_t first = second_of(year(y) / January / 1);
    const ZoneYear found = year_that_stands_for(first + 200 * day_seconds);
    EXPECT_EQ(found.begin, first) << y;
    EXPECT_EQ(found.end, second_of(year(y + 1) / January / 1)) << y;
    EXPECT_EQ(found.shift % (7 * day_seconds), 0) << y;
    const std::int64_t known = (first - found.shift) / day_seconds;
    const year_month_day alike{sys_days(days(known))};
    EXPECT_TRUE(alike.month() == January && alike.day() == std::chrono::day(1)) << y;
    EXPECT_EQ(alike.year().is_leap(), year(y).is_leap()) << y;
    EXPECT_LT(static_cast<int>(alike.year()), 2038) << y;
    EXPECT_GT(static_cast<int>(alike.year()), 2009) << y;
  }
}

TEST(ZoneYear, FarYears) {
  const std::int64_t far = std::int64_t{9'000'000'000'000};  // beyond what std::chrono has
  const ZoneYear found = year_that_stands_for(far);
  EXPECT_TRUE(found.begin <= far && far < found.end);
  EXPECT_LT(far - found.shift, zone_files_end);
}

}  // namespace
}  // namespace millstream
