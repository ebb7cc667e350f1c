#include "engine/engine.h"

#include <gtest/gtest.h>

#include "engine/test_plans.h"

namespace millstream::engine {
namespace {

using namespace testing;  // NOLINT

TEST(Engine, RangeProjectFilter) {
  const auto r = range(0, 5);
  const auto p = select(r, {fn("+", {col(r, 0), lit(1)}), fn("%", {col(r, 0), lit(2)})});
  EXPECT_EQ(rows_of(p), "1|0;2|1;3|0;4|1;5|0");
  EXPECT_EQ(rows_of(filter(r, fn(">", {col(r, 0), lit(2)}))), "3;4");
  EXPECT_EQ(rows_of(range(5, 0, -2)), "5;3;1");
  EXPECT_EQ(rows_of(range(0, 0)), "");
}

TEST(Engine, Arithmetic) {
  EXPECT_EQ(value_of(fn("+", {lit(2147483647), lit(1)})), "!ARITHMETIC_OVERFLOW");
  EXPECT_EQ(value_of(fn("/", {lit(5), lit(2)})), "2.5");
  EXPECT_EQ(value_of(fn("/", {lit(5), lit(0)})), "!DIVIDE_BY_ZERO");
  EXPECT_EQ(value_of(fn("%", {lit(-5), lit(3)})), "-2");
  EXPECT_EQ(value_of(fn("pmod", {lit(-5), lit(3)})), "1");
  EXPECT_EQ(value_of(fn("%", {lit(5), lit(0)})), "!REMAINDER_BY_ZERO");
  EXPECT_EQ(value_of(fn("div", {lit(7), lit(2)})), "3");
  EXPECT_EQ(value_of(fn("negative", {lit(-2147483647 - 1)})), "!ARITHMETIC_OVERFLOW");
  EXPECT_EQ(value_of(fn("abs", {lit(-3)})), "3");
  EXPECT_EQ(value_of(fn("try_add", {lit(2147483647), lit(1)})), "NULL");
  EXPECT_EQ(value_of(fn("try_divide", {lit(5), lit(0)})), "NULL");
  EXPECT_EQ(value_of(fn("+", {lit("2"), lit(3)})), "5");
  EXPECT_EQ(value_of(fn("+", {lit("a"), lit(1)})), "!CAST_INVALID_INPUT");
}

TEST(Engine, Decimals) {
  EXPECT_EQ(value_of(fn("+", {dec("1.50", 3, 2), dec("0.125", 3, 3)})), "1.625");
  EXPECT_EQ(value_of(fn("*", {dec("1.50", 3, 2), dec("-2.5", 2, 1)})), "-3.750");
  EXPECT_EQ(value_of(fn("/", {dec("1.0", 2, 1), lit(3)})), "0.333333");
  EXPECT_EQ(value_of(fn("/", {dec("10.0", 3, 1), lit(3)})), "3.333333");
  EXPECT_EQ(value_of(fn("/", {dec("1.0", 2, 1), dec("0.0", 2, 1)})), "!DIVIDE_BY_ZERO");
  EXPECT_EQ(value_of(fn("%", {dec("5.5", 2, 1), dec("2.0", 2, 1)})), "1.5");
  EXPECT_EQ(value_of(fn("round", {dec("2.5", 2, 1)})), "3");
  EXPECT_EQ(value_of(fn("bround", {dec("2.5", 2, 1)})), "2");
  EXPECT_EQ(value_of(fn("ceil", {dec("-2.5", 2, 1)})), "-2");
  EXPECT_EQ(value_of(fn("floor", {dec("-2.5", 2, 1)})), "-3");
  EXPECT_EQ(value_of(cast(lit("12.345"), column::decimal_type(5, 2))), "12.35");
  EXPECT_EQ(value_of(cast(lit("1234.5"), column::decimal_type(5, 2))),
            "!NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION");
  EXPECT_EQ(value_of(cast(lit(1.005), column::decimal_type(10, 2))), "1.01");
  EXPECT_EQ(value_of(cast(dec("12.5", 3, 1), column::int_type())), "12");
  EXPECT_EQ(value_of(cast(dec("-12.55", 4, 2), column::decimal_type(3, 1))), "-12.6");
  EXPECT_EQ(value_of(cast(dec("-0.00000005", 8, 8), column::double_type())), "-5.0E-8");
  EXPECT_EQ(value_of(cast(dec("0.5", 1, 1), column::string_type())), "0.5");
  EXPECT_EQ(value_of(cast(dec("-0.25", 2, 2), column::string_type())), "-0.25");
  EXPECT_EQ(value_of(cast(dec("-0.25", 38, 38), column::string_type())),
            "-0.00000000000000000000000000000000000025");
  EXPECT_EQ(value_of(cast(dec("0.0000001", 7, 7), column::decimal_type(38, 9))), "0.000000100");
  EXPECT_EQ(value_of(cast(dec("99.5", 3, 1), column::decimal_type(2, 1))),
            "!NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION");
}

TEST(Engine, Rounding) {
  EXPECT_EQ(value_of(fn("round", {lit(2.5)})), "3.0");
  EXPECT_EQ(value_of(fn("round", {lit(-2.5)})), "-3.0");
  EXPECT_EQ(value_of(fn("round", {lit(1.005), lit(2)})), "1.01");
  EXPECT_EQ(value_of(fn("bround", {lit(2.5)})), "2.0");
  EXPECT_EQ(value_of(fn("round", {lit(155), lit(-1)})), "160");
  EXPECT_EQ(value_of(fn("ceil", {lit(1.2)})), "2");
  EXPECT_EQ(value_of(fn("sqrt", {lit(-1.0)})), "NaN");
  EXPECT_EQ(value_of(fn("ln", {lit(0.0)})), "NULL");
}

TEST(Engine, Casts) {
  EXPECT_EQ(value_of(cast(lit(" 12 "), column::int_type())), "12");
  EXPECT_EQ(value_of(cast(lit("1.5"), column::int_type())), "!CAST_INVALID_INPUT");
  EXPECT_EQ(value_of(cast(lit("abc"), column::int_type(), true)), "NULL");
  EXPECT_EQ(value_of(cast(lit(300), column::byte_type())), "!CAST_OVERFLOW");
  EXPECT_EQ(value_of(cast(lit(1e20), column::int_type())), "!CAST_OVERFLOW");
  EXPECT_EQ(value_of(cast(lit(-1.9), column::int_type())), "-1");
  EXPECT_EQ(value_of(cast(lit("yes"), column::boolean_type())), "true");
  EXPECT_EQ(value_of(cast(lit("2024-1-5"), column::date_type())), "2024-01-05");
  EXPECT_EQ(value_of(cast(lit("2024"), column::date_type())), "2024-01-01");
  EXPECT_EQ(value_of(cast(lit(1e7), column::string_type())), "1.0E7");
  EXPECT_EQ(value_of(cast(cast(lit("2024-01-01 01:02:03.5"), column::timestamp_type()),
                          column::string_type()),
                     "Europe/Berlin"),
            "2024-01-01 01:02:03.5");
  EXPECT_EQ(value_of(cast(cast(lit("2024-01-01"), column::timestamp_type()), column::long_type()),
                     "Europe/Berlin"),
            "1704063600");
  EXPECT_EQ(
      value_of(cast(fn("array", {lit(1), null_of(column::int_type())}), column::string_type())),
      "[1, null]");
  EXPECT_EQ(value_of(cast(fn("map", {lit("a"), lit(1)}), column::string_type())), "{a -> 1}");
}

TEST(Engine, Strings) {
  EXPECT_EQ(value_of(fn("substring", {lit("hello"), lit(0), lit(2)})), "he");
  EXPECT_EQ(value_of(fn("substring", {lit("abc"), lit(-5), lit(3)})), "a");
  EXPECT_EQ(value_of(fn("upper", {lit("stra\u00dfe")})), "STRASSE");
  EXPECT_EQ(value_of(fn("length", {lit("\u00e9a")})), "2");
  EXPECT_EQ(value_of(fn("concat", {lit(1), lit("a")})), "1a");
  EXPECT_EQ(
      value_of(fn("concat_ws", {lit(","), lit("a"), null_of(column::string_type()), lit("b")})),
      "a,b");
  EXPECT_EQ(value_of(fn("like", {lit("a%c"), lit("a\\%_")})), "true");
  EXPECT_EQ(value_of(fn("lpad", {lit("7"), lit(3), lit("0")})), "007");
  EXPECT_EQ(value_of(fn("trim", {lit("  a ")})), "a");
  EXPECT_EQ(value_of(fn("hash", {lit("a")})), "1485273170");
  EXPECT_EQ(value_of(fn("hash", {lit(1), lit(2)})), "-222940379");
  EXPECT_EQ(value_of(fn("xxhash64", {lit("a")})), "-8582455328737087284");
}

TEST(Engine, Collections) {
  const auto array = fn("array", {lit(1), lit(2), null_of(column::int_type())});
  EXPECT_EQ(value_of(array), "[1, 2, NULL]");
  EXPECT_EQ(value_of(fn("get_item", {array, lit(1)})), "2");
  EXPECT_EQ(value_of(fn("get_item", {array, lit(5)})), "!INVALID_ARRAY_INDEX");
  EXPECT_EQ(value_of(fn("element_at", {array, lit(-1)})), "NULL");
  EXPECT_EQ(value_of(fn("element_at", {array, lit(0)})), "!INVALID_INDEX_OF_ZERO");
  EXPECT_EQ(value_of(fn("array_contains", {array, lit(7)})), "NULL");
  EXPECT_EQ(value_of(fn("array_contains", {array, lit(2)})), "true");
  EXPECT_EQ(value_of(fn("size", {array})), "3");
  EXPECT_EQ(value_of(fn("named_struct", {lit("a"), lit(1), lit("b"), lit("x")})), "{1, x}");
  EXPECT_EQ(value_of(fn("map", {lit("a"), lit(1), lit("a"), lit(2)})), "!DUPLICATED_MAP_KEY");
  EXPECT_EQ(value_of(fn("element_at", {fn("map", {lit("a"), lit(1)}), lit("b")})), "NULL");
  EXPECT_EQ(value_of(fn("slice", {array, lit(-2), lit(2)})), "[2, NULL]");
  EXPECT_EQ(value_of(fn("sort_array", {array})), "[NULL, 1, 2]");
  EXPECT_EQ(value_of(fn("array_distinct", {fn("array", {lit(2), lit(1), lit(2)})})), "[2, 1]");
  EXPECT_EQ(value_of(fn("sequence", {lit(1), lit(3)})), "[1, 2, 3]");
}

TEST(Engine, NullsInsideValuesAreEqual) {
  const auto s = fn("named_struct", {lit("a"), lit(1), lit("b"), null_of(column::int_type())});
  EXPECT_EQ(value_of(fn("==", {s, s})), "true");
  EXPECT_EQ(value_of(fn("==", {null_of(column::int_type()), lit(1)})), "NULL");
  EXPECT_EQ(value_of(fn("<=>", {null_of(column::int_type()), lit(1)})), "false");
  const auto nan = lit(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(value_of(fn("==", {nan, nan})), "true");
  EXPECT_EQ(value_of(fn(">", {nan, lit(1e300)})), "true");
}

TEST(Engine, Aggregates) {
  const auto r = range(0, 10);
  const auto p = select(r, {fn("%", {col(r, 0), lit(3)}), col(r, 0)}, {"k", "v"});
  const auto a = aggregate(p, {col(p, 0)},
                           {fn("count", {lit(1)}), fn("sum", {col(p, 1)}), fn("avg", {col(p, 1)}),
                            fn("collect_list", {col(p, 1)})});
  EXPECT_EQ(rows_of(sort(a, col(a, 0))),
            "0|4|18|4.5|[0, 3, 6, 9];1|3|12|4.0|[1, 4, 7];2|3|15|5.0|[2, 5, 8]");
  EXPECT_EQ(rows_of(aggregate(r, {}, {fn("count", {col(r, 0)}, true), fn("max", {col(r, 0)})})),
            "10|9");
  EXPECT_EQ(rows_of(aggregate(range(0, 0), {}, {fn("count", {lit(1)})})), "0");
  const auto d = select(nullptr, {dec("1.10", 3, 2)});
  EXPECT_EQ(rows_of(aggregate(d, {}, {fn("sum", {col(d, 0)}), fn("avg", {col(d, 0)})})),
            "1.10|1.100000");
  const auto big = select(nullptr, {lit(std::int64_t{9223372036854775807LL})});
  const auto two = union_all({big, big});
  EXPECT_EQ(rows_of(aggregate(two, {}, {fn("sum", {col(two, 0)})})), "!ARITHMETIC_OVERFLOW");
}

TEST(Engine, ColumnsOfOneNameDoNotMeet) {
  const auto r = range(0, 2);
  const auto p = select(r, {col(r, 0), fn("+", {col(r, 0), lit(10)})}, {"x", "x"});
  EXPECT_EQ(rows_of(p), "0|10;1|11");
}

TEST(Engine, NoColumns) {
  const auto none = select(range(0, 3), {});
  const auto batches = shared_engine().execute(none, {});
  ASSERT_TRUE(batches.ok()) << batches.status().to_string();
  const auto rows = connector::collect(*batches);
  ASSERT_TRUE(rows.ok()) << rows.status().to_string();
  std::int64_t count = 0;
  for (const auto& batch : *rows) count += batch->num_rows();
  EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace millstream::engine
