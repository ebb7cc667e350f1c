// Dates, patterns, regular expressions and JSON, as Spark answers.
#include <gtest/gtest.h>

#include "base/json_text.h"
#include "engine/java_regex.h"
#include "engine/test_plans.h"

namespace millstream::engine {
namespace {

using namespace testing;  // NOLINT

plan::ExprPtr date(const char* text) { return cast(lit(text), column::date_type()); }
plan::ExprPtr time(const char* text) { return cast(lit(text), column::timestamp_type()); }

TEST(Dates, Fields) {
  EXPECT_EQ(value_of(fn("dayofweek", {date("2024-03-10")})), "1");
  EXPECT_EQ(value_of(fn("weekday", {date("2024-03-11")})), "0");
  EXPECT_EQ(value_of(fn("weekofyear", {date("2021-01-03")})), "53");
  EXPECT_EQ(value_of(fn("hour", {cast(lit("2024-01-01 12:00:00Z"), column::timestamp_type())}),
                     "Asia/Tokyo"),
            "21");
  EXPECT_EQ(value_of(fn("year", {time("1969-12-31 23:00:00")})), "1969");
}

TEST(Dates, Arithmetic) {
  EXPECT_EQ(value_of(fn("add_months", {date("2024-01-31"), lit(1)})), "2024-02-29");
  EXPECT_EQ(value_of(fn("datediff", {date("2024-03-01"), date("2024-02-01")})), "29");
  EXPECT_EQ(value_of(fn("+", {date("2024-02-28"), lit(2)})), "2024-03-01");
  EXPECT_EQ(value_of(fn("-", {date("2024-03-01"), date("2024-02-28")})), "INTERVAL '2' DAY");
  EXPECT_EQ(value_of(fn("date_trunc", {lit("WEEK"), time("2024-03-10 05:00:00")})),
            "2024-03-04 00:00:00");
  EXPECT_EQ(value_of(fn("date_trunc", {lit("nope"), time("2024-03-10 05:00:00")})), "NULL");
  EXPECT_EQ(value_of(fn("months_between", {time("2024-03-31"), time("2024-02-29")})), "1.0");
  EXPECT_EQ(value_of(fn("sequence", {date("2024-01-30"), date("2024-02-01")})),
            "[2024-01-30, 2024-01-31, 2024-02-01]");
  EXPECT_EQ(value_of(fn("make_date", {lit(2024), lit(13), lit(1)})),
            "!DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION");
}

TEST(Dates, Zones) {
  // The clock goes from 01:59:59 to 03:00:00.
  EXPECT_EQ(
      value_of(cast(time("2024-03-10 02:30:00"), column::string_type()), "America/Los_Angeles"),
      "2024-03-10 03:30:00");
  EXPECT_EQ(value_of(cast(time("2024-11-03 01:30:00"), column::long_type()), "America/Los_Angeles"),
            "1730622600");
}

TEST(Dates, Patterns) {
  EXPECT_EQ(value_of(fn("date_format",
                        {time("2024-03-09 13:02:03.5"), lit("yyyy/MM/dd HH:mm:ss.SSS a E 'x'")})),
            "2024/03/09 13:02:03.500 PM Sat x");
  EXPECT_EQ(value_of(fn("to_timestamp", {lit("09.03.2024 1:02 PM"), lit("dd.MM.yyyy h:mm a")})),
            "2024-03-09 13:02:00");
  EXPECT_EQ(value_of(fn("to_date", {lit("20240309"), lit("yyyyMMdd")})), "2024-03-09");
  EXPECT_EQ(value_of(fn("to_date", {lit("2024-1-1"), lit("yyyy-MM-dd")})),
            "!CANNOT_PARSE_TIMESTAMP");
  EXPECT_EQ(value_of(fn("date_format", {time("2024-03-09"), lit("YYYY")})),
            "!INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION");
  EXPECT_EQ(value_of(fn("date_format", {time("2024-03-09"), lit("e")})),
            "!INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN");
  EXPECT_EQ(value_of(fn("try_to_timestamp", {lit("x"), lit("yyyy")})), "NULL");
  EXPECT_EQ(value_of(fn("from_unixtime", {lit(0)}), "Asia/Tokyo"), "1970-01-01 09:00:00");
}

TEST(Regex, AsJava) {
  EXPECT_EQ(value_of(fn("split", {lit("a.b.c"), lit(".")})), "[, , , , , ]");
  EXPECT_EQ(value_of(fn("split", {lit("a,b,,c"), lit(","), lit(2)})), "[a, b,,c]");
  EXPECT_EQ(value_of(fn("regexp_extract", {lit("x12y"), lit("(\\d+)"), lit(1)})), "12");
  EXPECT_EQ(value_of(fn("regexp_extract", {lit("x"), lit("(\\d+)"), lit(1)})), "");
  EXPECT_EQ(value_of(fn("regexp_replace", {lit("a1b2"), lit("([a-z])(\\d)"), lit("$2$1")})),
            "1a2b");
  EXPECT_EQ(value_of(fn("rlike", {lit("abc"), lit("^b")})), "false");
  bool dollar = false;
  EXPECT_FALSE(JavaRegex::translate("(?=a)", &dollar).ok());
  EXPECT_FALSE(JavaRegex::translate("a*+", &dollar).ok());
  EXPECT_FALSE(JavaRegex::translate("[a&&b]", &dollar).ok());
  EXPECT_FALSE(JavaRegex::translate("(a)\\1", &dollar).ok());
}

TEST(Json, Functions) {
  const auto doc = lit(R"({"a": 1, "b": "x", "c": {"d": [1, 2]}})");
  EXPECT_EQ(value_of(fn("get_json_object", {doc, lit("$.c.d[1]")})), "2");
  EXPECT_EQ(value_of(fn("get_json_object", {doc, lit("$.c")})), R"({"d":[1,2]})");
  EXPECT_EQ(value_of(fn("from_json", {doc, lit("a INT, b STRING, c STRUCT<d: ARRAY<INT>>")})),
            "{1, x, {[1, 2]}}");
  EXPECT_EQ(value_of(fn("get_json_object", {lit("[1]"), lit("$.a")})), "NULL");
  EXPECT_EQ(value_of(fn("from_json", {lit("nope"), lit("a INT, b STRING")})), "{NULL, NULL}");
  EXPECT_EQ(value_of(fn("from_json", {lit("[1, null]"), lit("ARRAY<INT>")})), "[1, NULL]");
  EXPECT_EQ(value_of(fn("from_json", {lit(R"({"a":1,"b":2})"), lit("MAP<STRING,INT>")})),
            "{a -> 1, b -> 2}");
  EXPECT_EQ(value_of(fn("to_json", {fn("named_struct",
                                       {lit("a"), lit(1), lit("b"), null_of(column::string_type()),
                                        lit("c"), lit("x\"y")})})),
            R"({"a":1,"c":"x\"y"})");
  EXPECT_EQ(value_of(fn(
                "to_json",
                {fn("map", {lit("k"), fn("array", {lit(1.5), null_of(column::double_type())})})})),
            R"({"k":[1.5,null]})");
  EXPECT_EQ(json_unescape(R"("\u00e9\ud83d\ude00\n")"), "\u00e9\U0001F600\n");
  EXPECT_FALSE(json_document(R"({"a": 01})").has_value());
}

TEST(Sampling, ComplementsAreDisjoint) {
  const auto r = range(0, 1000);
  const auto part = [&](double lower, double upper) {
    auto node = std::make_shared<plan::Sample>();
    node->output = r->output;
    node->children = {r};
    node->lower = lower;
    node->upper = upper;
    node->seed = 7;
    return plan::NodePtr(node);
  };
  const auto both = union_all({part(0, 0.3), part(0.3, 1)});
  EXPECT_EQ(
      rows_of(aggregate(both, {}, {fn("count", {col(both, 0)}, true), fn("count", {lit(1)})})),
      "1000|1000");
}

}  // namespace
}  // namespace millstream::engine
