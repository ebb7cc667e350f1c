#include "base/time_of_day.h"

#include <gtest/gtest.h>

namespace millstream {
namespace {

std::string read_back(std::string_view text) {
  const auto nanos = parse_time_of_day(text);
  return nanos ? time_of_day_text(*nanos) : "-";
}

TEST(TimeOfDay, TextsAsSparkReadsThem) {
  EXPECT_EQ(read_back("1:2"), "01:02:00");
  EXPECT_EQ(read_back(" 12:34:56.1234567 "), "12:34:56.123456");
  EXPECT_EQ(read_back("T1"), "01:00:00");
  EXPECT_EQ(read_back("12:00 am"), "00:00:00");
  EXPECT_EQ(read_back("1:30:00.50 PM"), "13:30:00.5");
  EXPECT_EQ(read_back("12:34:56."), "12:34:56");
  for (const char* none : {"", " ", ":", "12", "T", "1:2:", "1:2:3:4", "24:00", "1:60", "1:2:60",
                           "123:1", "1:2 x", "1:2:3.x", "0:30 AM", "13:00 PM", "AM", "1:2Z"}) {
    EXPECT_EQ(read_back(none), "-") << none;
  }
}

TEST(TimeOfDay, DigitsOfASecond) {
  EXPECT_EQ(nanos_of_last_digit(0), nanos_per_second);
  EXPECT_EQ(nanos_of_last_digit(6), 1000);
  EXPECT_EQ(time_of_day_text(nanos_per_day - 1), "23:59:59.999999999");
}

}  // namespace
}  // namespace millstream
