#include "engine/show.h"

#include <gtest/gtest.h>

#include "engine/test_plans.h"
#include "engine/text.h"

namespace millstream::engine {
namespace {

using namespace testing;  // NOLINT

std::string shown(const plan::NodePtr& node, const ShowOptions& options) {
  const auto batches = shared_engine().execute(node, {});
  return show_string(plan::schema_of(*node), connector::collect(*batches).value(), options).value();
}

TEST(Show, Table) {
  const auto r = range(0, 3);
  const auto p =
      select(r, {col(r, 0), fn("repeat", {lit("ab"), cast(col(r, 0), column::int_type())})},
             {"id", "text"});
  EXPECT_EQ(shown(p, {}),
            "+---+----+\n| id|text|\n+---+----+\n|  0|    |\n|  1|  ab|\n|  2|abab|\n+---+----+\n");
  EXPECT_EQ(shown(p, {.rows = 1, .truncate = 3}),
            "+---+----+\n| id|text|\n+---+----+\n|  0|    |\n+---+----+\nonly showing top 1 row");
  EXPECT_EQ(shown(p, {.rows = 2, .truncate = 0}),
            "+---+----+\n|id |text|\n+---+----+\n|0  |    |\n|1  |ab  |\n+---+----+\nonly showing "
            "top 2 rows");
  EXPECT_EQ(shown(p, {.rows = 1, .truncate = 20, .vertical = true}),
            "-RECORD 0---\n id   | 0   \n text |     \nonly showing top 1 row");
  EXPECT_EQ(shown(range(0, 0), {.vertical = true}), "(0 rows)");
  EXPECT_EQ(shown(range(0, 0), {}), "+---+\n| id|\n+---+\n+---+\n");
}

TEST(Show, TruncatesAndEscapes) {
  const auto p =
      select(nullptr, {lit("abcdefghijklmnopqrstuvwxyz"), lit("a\nb"), lit("\u6f22\u5b57")},
             {"x", "y", "z"});
  EXPECT_EQ(shown(p, {}),
            "+--------------------+----+----+\n|                   x|   y|   "
            "z|\n+--------------------+----+----+\n"
            "|abcdefghijklmnopq...|a\\nb|\u6f22\u5b57|\n+--------------------+----+----+\n");
}

TEST(Text, DoublesAsJavaPrintsThem) {
  EXPECT_EQ(double_text(1), "1.0");
  EXPECT_EQ(double_text(0.001), "0.001");
  EXPECT_EQ(double_text(9999999), "9999999.0");
  EXPECT_EQ(double_text(1e7), "1.0E7");
  EXPECT_EQ(double_text(0.0001), "1.0E-4");
  EXPECT_EQ(double_text(12345678.9), "1.23456789E7");
  EXPECT_EQ(double_text(-0.0), "-0.0");
  EXPECT_EQ(float_text(0.1F), "0.1");
}

TEST(Text, DatesAndTimes) {
  EXPECT_EQ(date_text(days_of_civil(12024, 1, 1)), "+12024-01-01");
  EXPECT_EQ(date_text(days_of_civil(-44, 3, 15)), "-0044-03-15");
  EXPECT_EQ(timestamp_text(-1), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(day_time_text(93784500000LL, 0, 3), "INTERVAL '1 02:03:04.5' DAY TO SECOND");
  EXPECT_EQ(day_time_text(-300000000, 2, 2), "INTERVAL '-05' MINUTE");
  EXPECT_EQ(year_month_text(14, 0, 1), "INTERVAL '1-2' YEAR TO MONTH");
  EXPECT_EQ(parse_date("2024-02-30"), std::nullopt);
  EXPECT_EQ(parse_timestamp("2024-01-01 25:00:00").has_value(), false);
  EXPECT_EQ(parse_timestamp("2024-01-01T01:02:03.5+01:00")->zone, "+01:00");
}

}  // namespace
}  // namespace millstream::engine
