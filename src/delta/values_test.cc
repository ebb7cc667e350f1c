#include "delta/values.h"

#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/text.h"
#include "delta/partitioner.h"
#include "delta/test_rows.h"

namespace millstream::delta {
namespace {

using testing::Cell;
using testing::scalar_of;

TEST(Values, TimestampsParseInAllForms) {
  const std::int64_t noon = 1704110400000000;  // 2024-01-01 12:00:00
  EXPECT_EQ(parse_timestamp("2024-01-01T12:00:00Z"), noon);
  EXPECT_EQ(parse_timestamp("2024-01-01T12:00:00.500000Z"), noon + 500000);
  EXPECT_EQ(parse_timestamp("2024-01-01 12:00:00.5"), noon + 500000);
  EXPECT_EQ(parse_timestamp("2024-01-01T13:00:00.000+01:00"), noon);
  EXPECT_EQ(parse_timestamp("2024-01-01T07:00:00-0500"), noon);
  EXPECT_EQ(parse_timestamp("1969-12-31T23:59:59.999Z"), -1000);
  EXPECT_EQ(parse_timestamp("2024-01-01"), 1704067200000000);
  EXPECT_FALSE(parse_timestamp("2024-13-01 00:00:00"));
  EXPECT_FALSE(parse_timestamp("yesterday"));
}

struct PartitionCase {
  const char* ddl;
  Cell value;
  std::optional<std::string> text;
};

TEST(Values, PartitionValuesGoThereAndBack) {
  const std::vector<PartitionCase> cases = {
      {"p INT", Cell(std::int64_t{-7}), "-7"},
      {"p TINYINT", Cell(std::int64_t{127}), "127"},
      {"p BIGINT", Cell(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808"},
      {"p DOUBLE", Cell(1e10), "1.0E10"},
      {"p BOOLEAN", Cell(true), "true"},
      {"p DATE", Cell(std::int64_t{19723}), "2024-01-01"},
      {"p TIMESTAMP", Cell(std::int64_t{1704067200500000}), "2024-01-01T00:00:00.500000Z"},
      {"p TIMESTAMP_NTZ", Cell(std::int64_t{1704067200500000}), "2024-01-01 00:00:00.5"},
      {"p DECIMAL(10,2)", Cell(std::string("-0.05")), "-0.05"},
      {"p DECIMAL(10,2)", Cell(std::string("100.00")), "100.00"},
      {"p STRING", Cell(std::string("a b/c=%:\xc3\xa9")), "a b/c=%:\xc3\xa9"},
      {"p STRING", Cell(std::string()), std::nullopt},
      {"p STRING", Cell(), std::nullopt},
  };
  for (const auto& each : cases) {
    const auto field = column::parse_schema(each.ddl).value()[0];
    const auto value = scalar_of(field, each.value);
    const auto text = partition_text(field, *value);
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(*text, each.text) << each.ddl;
    const auto back = parse_partition_value(field, *text);
    ASSERT_TRUE(back.ok()) << each.ddl;
    if (each.text) {
      EXPECT_EQ(compare(**back, *value), 0) << each.ddl;
    } else {
      EXPECT_FALSE((*back)->is_valid);
    }
  }
}

TEST(Values, OldTimestampsAreOfTheReadersZone) {
  const auto field = column::parse_schema("p TIMESTAMP").value()[0];
  const auto micros = [&](const char* text) {
    return static_cast<const arrow::TimestampScalar&>(
               **parse_partition_value(field, text, "Asia/Kolkata"))
        .value;
  };
  EXPECT_EQ(micros("2024-01-01 05:30:00.5"), 1704067200500000);
  EXPECT_EQ(micros("2024-01-01T00:00:00.500000Z"), 1704067200500000);
}

TEST(Values, DirectoriesAreEscapedTwiceInTheLog) {
  const std::string directory = partition_directory("p", "a b/c=%:\xc3\xa9");
  EXPECT_EQ(directory, "p=a b%2Fc%3D%25%3A\xc3\xa9");
  EXPECT_EQ(percent_encode_path(directory), "p=a%20b%252Fc%253D%2525%253A\xc3\xa9");
  EXPECT_EQ(partition_directory("p", std::nullopt), "p=__HIVE_DEFAULT_PARTITION__");
  EXPECT_EQ(hive_escape("[b]\tx"), "%5Bb%5D%09x");
}

TEST(Partitioner, GroupsRowsByValue) {
  const auto schema = column::parse_schema("id BIGINT, p STRING, q INT").value();
  const auto n = [](std::int64_t value) { return Cell(value); };
  const auto t = [](const char* text) { return Cell(std::string(text)); };
  const auto batch = testing::batch_of(schema, {{n(1), t("a"), n(1)},
                                                {n(2), t("b"), n(1)},
                                                {n(3), t("a"), n(1)},
                                                {n(4), Cell(), n(2)},
                                                {n(5), t(""), n(2)}});
  const auto groups = partition_rows(batch, schema, {1, 2});
  ASSERT_TRUE(groups.ok());
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_EQ((*groups)[0].directory, "p=__HIVE_DEFAULT_PARTITION__/q=2/");
  EXPECT_EQ((*groups)[0].rows->num_rows(), 2);  // NULL and the empty text are one partition
  EXPECT_EQ((*groups)[1].directory, "p=a/q=1/");
  EXPECT_EQ((*groups)[1].rows->num_rows(), 2);
  EXPECT_EQ((*groups)[1].values.at("p"), "a");
}

}  // namespace
}  // namespace millstream::delta
