#include "stream/trigger.h"

#include <gtest/gtest.h>

#include "stream/query.h"

namespace millstream::stream {
namespace {

TEST(Trigger, TicksAreMultiplesSinceTheEpoch) {
  EXPECT_EQ(next_trigger_ms(20'000, 60'000), 60'000);
  EXPECT_EQ(next_trigger_ms(60'000, 60'000), 120'000);
  EXPECT_EQ(next_trigger_ms(123, 0), 123);
}

TEST(Trigger, PollsMoreRarelyTheLongerNothingComes) {
  EXPECT_EQ(polling_pause_ms(10, 0), 10);
  EXPECT_EQ(polling_pause_ms(10, 199), 10);
  EXPECT_EQ(polling_pause_ms(10, 1000), 50);
  EXPECT_EQ(polling_pause_ms(10, 3'600'000), 250);
  EXPECT_EQ(polling_pause_ms(1000, 3'600'000), 1000);
}

TEST(Trigger, ReadsSparksIntervals) {
  const struct {
    const char* text;
    std::int64_t ms;
  } good[] = {{"10 seconds", 10'000},
              {"0 seconds", 0},
              {"500 milliseconds", 500},
              {"interval 1 minute", 60'000},
              {"INTERVAL 1 MINUTE 500 MILLISECONDS", 60'500},
              {" 1  hour  2 minutes ", 3'720'000},
              {"1 day", 86'400'000},
              {"1.5 seconds", 1'500},
              {"2 seconds -1 second", 1'000}};
  for (const auto& c : good) {
    const auto trigger = parse_processing_time(c.text);
    ASSERT_TRUE(trigger.ok()) << c.text << trigger.status().to_string();
    EXPECT_EQ(trigger->interval_ms, c.ms) << c.text;
  }
}

TEST(Trigger, RefusesOthersAsSparkDoes) {
  const struct {
    const char* text;
    const char* condition;
    const char* part;
  } bad[] = {
      {"1 s", "INVALID_INTERVAL_FORMAT.INVALID_UNIT",
       "[INVALID_INTERVAL_FORMAT.INVALID_UNIT] Error parsing '1 s' to interval. Please ensure that "
       "the value "
       "provided is in a valid format for defining an interval. You can reference the "
       "documentation for the "
       "correct format. Invalid unit s. SQLSTATE: 22006"},
      {"5", "INVALID_INTERVAL_FORMAT.MISSING_UNIT", "Expect a unit name after 5 but hit EOL."},
      {"", "INVALID_INTERVAL_FORMAT.INPUT_IS_EMPTY", ""},
      {"x seconds", "INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER", "Unrecognized number x."},
      {"1.5 minutes", "INVALID_INTERVAL_FORMAT.INVALID_FRACTION", ""},
      {"9223372036854775807 hours", "INVALID_INTERVAL_FORMAT.ARITHMETIC_EXCEPTION", ""},
      {"1 month", "_LEGACY_ERROR_TEMP_3262", "Doesn't support month or year interval: 1 month"},
      {"-1 seconds", "", "requirement failed: the interval of trigger should not be negative"},
  };
  for (const auto& c : bad) {
    const auto trigger = parse_processing_time(c.text);
    ASSERT_FALSE(trigger.ok()) << c.text;
    EXPECT_EQ(trigger.status().condition(), c.condition);
    EXPECT_EQ(trigger.status().kind(), ErrorKind::illegal_argument);
    EXPECT_NE(trigger.status().message().find(c.part), std::string::npos)
        << trigger.status().message();
  }
}

}  // namespace
}  // namespace millstream::stream
