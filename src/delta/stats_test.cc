#include "delta/stats.h"

#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include "delta/test_rows.h"

namespace millstream::delta {
namespace {

using connector::Predicate;
using testing::Cell;
using testing::scalar_of;

Cell null_cell() { return {}; }

std::string repeat(const char* text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Stats, LongTextsAreCut) {
  const std::string a40 = repeat("a", 40);
  EXPECT_EQ(truncated_min(a40, 32), repeat("a", 32));
  EXPECT_EQ(truncated_max(a40, 32), repeat("a", 32) + "\x7f");
  EXPECT_EQ(truncated_max(repeat("a", 32), 32), repeat("a", 32));
  const std::string b = repeat("b", 31) + "\xc3\xa9zzz";
  EXPECT_EQ(truncated_min(b, 32), repeat("b", 31) + "\xc3\xa9");
  EXPECT_EQ(truncated_max(b, 32), repeat("b", 31) + "\xc3\xa9\x7f");
  // The next character is not below DEL: the last code point of all.
  EXPECT_EQ(truncated_max(repeat("a", 32) + "\xc3\xa9", 32), repeat("a", 32) + "\xf4\x8f\xbf\xbf");
  // A pair of surrogates at position 32 stays whole.
  const std::string smile = "\xf0\x9f\x98\x80";
  EXPECT_EQ(truncated_min(repeat("a", 31) + smile + "tail", 32), repeat("a", 31) + smile);
  EXPECT_EQ(truncated_max(repeat("a", 31) + smile + "tail", 32), repeat("a", 31) + smile + "\x7f");
  // Nothing is above a run of U+10FFFF.
  const std::string last = "\xf4\x8f\xbf\xbf";
  EXPECT_EQ(truncated_max(repeat("a", 32) + repeat(last.c_str(), 40), 32), std::nullopt);
  EXPECT_EQ(truncated_max(repeat("a", 32) + last + "a", 32), repeat("a", 32) + last + "\x7f");
}

format::LeafStats leaf(std::vector<std::string> path, const char* type, Cell min, Cell max,
                       std::int64_t nulls) {
  const column::Field field{path.back(), column::parse_type(type).value(), true, {}};
  format::LeafStats stats{std::move(path), field.type, nulls, nullptr, nullptr, false};
  if (!std::holds_alternative<std::monostate>(min)) stats.min = scalar_of(field, min);
  if (!std::holds_alternative<std::monostate>(max)) stats.max = scalar_of(field, max);
  return stats;
}

TEST(Stats, JsonIsTheReferences) {
  const auto n = [](std::int64_t value) { return Cell(value); };
  const auto t = [](const char* text) { return Cell(std::string(text)); };
  std::vector<format::LeafStats> leaves = {
      leaf({"id"}, "BIGINT", n(0), n(19), 0),
      leaf({"m"}, "DECIMAL(10,2)", t("-0.05"), t("12.30"), 1),
      leaf({"d"}, "DOUBLE", Cell(1.0), Cell(1e10), 0),
      leaf({"b"}, "BOOLEAN", null_cell(), null_cell(), 2),
      leaf({"t"}, "TIMESTAMP", n(-1), n(1704067200123456), 0),
      leaf({"z"}, "TIMESTAMP_NTZ", n(1704067200123456), n(1704067200123456), 0),
      leaf({"day"}, "DATE", n(19723), n(19724), 0),
      leaf({"s", "x"}, "STRING", t("a"), t("q\"q"), 0),
      leaf({"s", "y"}, "INT", null_cell(), null_cell(), 3),
      leaf({"e", "y"}, "INT", null_cell(), null_cell(), 3),
  };
  EXPECT_EQ(
      stats_json(3, leaves),
      R"({"numRecords":3,"minValues":{"id":0,"m":-0.05,"d":1.0,"t":"1969-12-31T23:59:59.999Z",)"
      R"("z":"2024-01-01T00:00:00.123","day":"2024-01-01","s":{"x":"a"},"e":{}},)"
      R"("maxValues":{"id":19,"m":12.30,"d":1.0E10,"t":"2024-01-01T00:00:00.123Z",)"
      R"("z":"2024-01-01T00:00:00.123","day":"2024-01-02","s":{"x":"q\"q"},"e":{}},)"
      R"("nullCount":{"id":0,"m":1,"d":0,"b":2,"t":0,"z":0,"day":0,"s":{"x":0,"y":3},"e":{"y":3}}})");
}

TEST(Stats, NanIsTheGreatest) {
  auto some = leaf({"d"}, "DOUBLE", Cell(1.0), Cell(2.0), 0);
  some.has_nan = true;
  auto only = leaf({"e"}, "DOUBLE", null_cell(), null_cell(), 0);
  only.has_nan = true;
  EXPECT_EQ(stats_json(2, {some, only}),
            R"({"numRecords":2,"minValues":{"d":1.0,"e":"NaN"},"maxValues":{"d":"NaN","e":"NaN"},)"
            R"("nullCount":{"d":0,"e":0}})");
}

struct SkipCase {
  const char* column;
  Predicate::Op op;
  Cell value;
  bool may_match;
};

TEST(Skipping, ByStatistics) {
  Metadata metadata;
  metadata.schema_string =
      column::schema_to_json(column::parse_schema("id BIGINT, t TIMESTAMP, d DOUBLE, s STRING, m "
                                                  "DECIMAL(38,2), n INT, o INT, p DATE, u INT")
                                 .value());
  metadata.partition_columns = {"p"};
  const auto info = make_table_info(metadata).value();
  AddFile file;
  file.partition_values["p"] = "2024-01-01";
  file.stats =
      R"({"numRecords":10,"minValues":{"id":5,"t":"2024-01-01T00:00:03.123Z","d":1.0,"s":"b","m":12.30,"n":3},)"
      R"("maxValues":{"id":9,"t":"2024-01-01T00:00:03.123Z","d":2.0,"s":"dd","m":99999999999999999999999999999999999.99,"n":3},)"
      R"("nullCount":{"id":0,"t":0,"d":0,"s":0,"m":0,"n":0,"o":10}})";
  using enum Predicate::Op;
  const auto n = [](std::int64_t value) { return Cell(value); };
  const auto t = [](const char* text) { return Cell(std::string(text)); };
  const std::vector<SkipCase> cases = {
      {"id", equal, n(7), true},
      {"id", equal, n(4), false},
      {"id", equal, n(10), false},
      {"ID", greater, n(8), true},
      {"id", greater, n(9), false},
      {"id", greater_equal, n(9), true},
      {"id", less, n(5), false},
      {"id", less_equal, n(5), true},
      {"id", is_null, Cell(), false},
      {"id", is_not_null, Cell(), true},
      {"o", is_not_null, Cell(), false},
      {"o", equal, n(1), false},
      {"n", not_equal, n(3), false},
      {"n", not_equal, n(4), true},
      {"id", not_equal, n(5), true},
      // A maximum floored to milliseconds covers the microseconds above it.
      {"t", equal, n(1704067203123456), true},
      {"t", greater, n(1704067203123456), true},
      {"t", greater, n(1704067203124000), false},
      // NaN is above every maximum and left out of some.
      {"d", greater, Cell(100.0), true},
      {"d", less, Cell(0.5), false},
      {"s", starts_with, t("c"), true},
      {"s", starts_with, t("e"), false},
      {"s", starts_with, t("a"), false},
      {"s", equal, t("dd"), true},
      {"s", equal, t("de"), false},
      {"m", greater, t("99999999999999999999999999999999999.99"), false},
      {"m", greater_equal, t("99999999999999999999999999999999999.99"), true},
      {"p", equal, n(19723), true},
      {"p", equal, n(19724), false},
      {"p", is_null, Cell(), false},
      {"u", equal, n(1), true},
      {"u", is_null, Cell(), true},
  };
  for (const auto& each : cases) {
    const auto index = column::find_field_ignore_case(info->schema, each.column);
    Predicate predicate{{each.column}, each.op, {}};
    if (each.op != is_null && each.op != is_not_null) {
      predicate.values.push_back(
          scalar_of(info->schema[static_cast<std::size_t>(index)], each.value));
    }
    EXPECT_EQ(may_match(file, *info, {predicate}), each.may_match)
        << each.column << " op " << static_cast<int>(each.op);
  }
}

TEST(Skipping, BadStatisticsSayNothing) {
  Metadata metadata;
  metadata.schema_string = column::schema_to_json(column::parse_schema("id BIGINT").value());
  const auto info = make_table_info(metadata).value();
  const Predicate predicate{
      {"id"}, Predicate::Op::equal, {scalar_of(info->schema[0], Cell(std::int64_t{7}))}};
  for (const char* stats :
       {"", "{", "null", "[]", R"({"minValues":{"id":"x"},"maxValues":{"id":[1]}})",
        R"({"minValues":7})", R"({"numRecords":1,"minValues":{"id":"8"}})"}) {
    AddFile file;
    file.stats = stats;
    EXPECT_TRUE(may_match(file, *info, {predicate})) << stats;
  }
}

TEST(Stats, BoundsOfFilesWithDeletedRows) {
  const std::string stats =
      R"({"numRecords":3,"minValues":{"m":12.30,"s":"\"tightBounds\":true"}})";
  const std::string wide =
      R"({"numRecords":3,"minValues":{"m":12.30,"s":"\"tightBounds\":true"},"tightBounds":false})";
  EXPECT_EQ(with_wide_bounds(stats, 3), wide);
  EXPECT_EQ(with_wide_bounds(with_tight_bounds(stats), 3), wide);
  EXPECT_EQ(with_wide_bounds(wide, 3), wide);
  EXPECT_EQ(with_wide_bounds(R"({"tightBounds":true,"numRecords":3})", 3),
            R"({"numRecords":3,"tightBounds":false})");
  EXPECT_EQ(with_wide_bounds("", 7), R"({"numRecords":7,"tightBounds":false})");
  EXPECT_EQ(with_wide_bounds("{", 7), R"({"numRecords":7,"tightBounds":false})");
  EXPECT_FALSE(parse_stats(wide).tight);
}

}  // namespace
}  // namespace millstream::delta
