// CSV: how records are cut, what is inferred, and how lines are written.
#include <gtest/gtest.h>

#include <map>

#include "format/csv_infer.h"
#include "format/csv_options.h"
#include "format/csv_tokens.h"

namespace millstream::format {
namespace {

Options with(const std::map<std::string, std::string>& values) { return Options(values); }

std::vector<std::string> values_of(const std::string& record, const Options& options = Options()) {
  const auto parsed = parse_csv_options(options, "UTC");
  EXPECT_TRUE(parsed.ok());
  CsvTokens tokens(*parsed);
  EXPECT_TRUE(tokens.split(record).ok());
  std::vector<std::string> out;
  for (const auto& value : tokens.values())
    out.push_back(value.is_null ? "NULL" : std::string(value.text));
  return out;
}

using Texts = std::vector<std::string>;

TEST(CsvTokens, CutsAtSeparators) {
  EXPECT_EQ(values_of("1,a,"), (Texts{"1", "a", "NULL"}));
  EXPECT_EQ(values_of(""), (Texts{"NULL"}));
  EXPECT_EQ(values_of("a||b", with({{"sep", "||"}})), (Texts{"a", "b"}));
}

TEST(CsvTokens, QuotesHoldTogether) {
  EXPECT_EQ(values_of("\"a,b\",c"), (Texts{"a,b", "c"}));
  EXPECT_EQ(values_of("\"a\\\"b\""), (Texts{"a\"b"}));
  // A quote that closes nothing makes the value plain text.
  EXPECT_EQ(values_of("\"a\"b\",c"), (Texts{"\"a\"b\"", "c"}));
  EXPECT_EQ(values_of("\"open"), (Texts{"open"}));
}

TEST(CsvTokens, LimitsAreErrors) {
  const auto options = parse_csv_options(with({{"maxColumns", "2"}}), "UTC");
  ASSERT_TRUE(options.ok());
  CsvTokens tokens(*options);
  EXPECT_TRUE(tokens.split("1,2").ok());
  EXPECT_FALSE(tokens.split("1,2,3").ok());
}

TEST(CsvTokens, TakesRecordsThatGoOnBeyondALine) {
  const auto options = parse_csv_options(with({{"multiLine", "true"}}), "UTC");
  ASSERT_TRUE(options.ok());
  CsvTokens tokens(*options);
  const std::string text = "1,\"a\nb\"\n2,c\n";
  const auto used = tokens.take(text, true);
  ASSERT_TRUE(used.ok());
  EXPECT_EQ(*used, 8U);
  EXPECT_EQ(tokens.values()[1].text, "a\nb");
  const auto open = tokens.take("1,\"a\n", false);
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(*open, 0U);  // more may come
}

TEST(CsvInfer, TypesOfAllRecords) {
  const auto store = io::memory_store();
  ASSERT_TRUE(store->put("/t/a.csv", "i,d,s\n1,2.5,x\n3000000000,,y\n").ok());
  const auto options =
      parse_csv_options(with({{"header", "true"}, {"inferSchema", "true"}}), "UTC");
  ASSERT_TRUE(options.ok());
  io::FileInfo file;
  file.path = "/t/a.csv";
  const auto schema = infer_csv_schema(store, {file}, *options);
  ASSERT_TRUE(schema.ok()) << schema.status().message();
  EXPECT_EQ(column::to_ddl(*schema), "i BIGINT,d DOUBLE,s STRING");
}

TEST(CsvOptions, UnknownOnesAreNamed) {
  const auto bad = parse_csv_options(with({{"nope", "1"}}), "UTC");
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.status().message().find("nope"), std::string::npos);
  EXPECT_FALSE(parse_csv_options(with({{"sep", ""}}), "UTC").ok());
}

}  // namespace
}  // namespace millstream::format
