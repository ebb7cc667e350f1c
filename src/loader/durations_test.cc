#include "loader/durations.h"

#include <gtest/gtest.h>

namespace millstream::loader {
namespace {

constexpr std::int64_t day = 24 * 3600 * 1000;

TEST(Durations, Short) {
  EXPECT_EQ(parse_time_ms("7d", 1), 7 * day);
  EXPECT_EQ(parse_time_ms(" 90MIN ", 1), 90 * 60 * 1000);
  EXPECT_EQ(parse_time_ms("1500us", 1), 1);
  EXPECT_EQ(parse_time_ms("30", 1000), 30'000);
  EXPECT_EQ(parse_time_ms("-5s", 1), -5000);
  for (const char* bad : {"", "d", "7 d", "7w", "1.5s", "99999999999999999d"}) {
    EXPECT_FALSE(parse_time_ms(bad, 1).has_value()) << bad;
  }
}

TEST(Durations, Intervals) {
  EXPECT_EQ(parse_interval_ms("14 days"), 14 * day);
  EXPECT_EQ(parse_interval_ms("interval 1 week 2 hours"), 7 * day + 2 * 3600 * 1000);
  EXPECT_EQ(parse_interval_ms("1 Month"), 31 * day);
  for (const char* bad : {"", "interval", "14", "days", "14 fortnights", "1 day 2"}) {
    EXPECT_FALSE(parse_interval_ms(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace millstream::loader
