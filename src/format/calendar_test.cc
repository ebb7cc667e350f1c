#include "format/calendar.h"

#include <gtest/gtest.h>

#include "format/datetime_text.h"

namespace millstream::format {
namespace {

std::int32_t day(std::int64_t year, int month, int of_month) {
  return static_cast<std::int32_t>(days_from_civil(year, month, of_month));
}

TEST(Calendar, IsTheSameSince1582) {
  for (const std::int32_t days : {first_gregorian_day, 0, 20'000}) {
    EXPECT_EQ(gregorian_of_julian(days), days);
    EXPECT_EQ(julian_of_gregorian(days), days);
  }
}

TEST(Calendar, MovesTheDaysBefore) {
  EXPECT_EQ(first_gregorian_day, day(1582, 10, 15));
  EXPECT_EQ(gregorian_of_julian(first_gregorian_day - 1), day(1582, 10, 4));
  EXPECT_EQ(julian_of_gregorian(day(1582, 10, 4)), first_gregorian_day - 1);
  EXPECT_EQ(julian_of_gregorian(day(1582, 10, 5)), first_gregorian_day);  // a day that was not
  EXPECT_EQ(julian_of_gregorian(day(1, 1, 1)), day(1, 1, 1) - 2);
  EXPECT_EQ(gregorian_of_julian(day(1, 1, 1) - 2), day(1, 1, 1));
}

TEST(Calendar, ThereAndBackIsTheSameDay) {
  for (std::int32_t days = day(-400, 1, 1); days < day(1582, 10, 5); days += 13)
    ASSERT_EQ(gregorian_of_julian(julian_of_gregorian(days)), days) << days;
}

}  // namespace
}  // namespace millstream::format
