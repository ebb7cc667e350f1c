#include "format/plain_parquet.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <filesystem>

namespace millstream::format {
namespace {

using column::parse_schema;

// A file of one row in a folder of its own.
class PlainParquet : public ::testing::Test {
 protected:
  PlainParquet()
      : folder_(std::filesystem::temp_directory_path() /
                ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~PlainParquet() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  std::string write(const std::string& name, const arrow::FieldVector& fields,
                    const arrow::ScalarVector& row,
                    const parquet::WriterProperties::Builder& properties = {}) const {
    arrow::ArrayVector columns;
    for (const auto& value : row)
      columns.push_back(arrow::MakeArrayFromScalar(*value, 1).ValueOrDie());
    const auto table = arrow::Table::Make(arrow::schema(fields), columns, 1);
    const auto sink = arrow::io::FileOutputStream::Open(path(name)).ValueOrDie();
    auto builder = properties;
    const auto status = parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink,
                                                   1 << 20, builder.build());
    EXPECT_TRUE(status.ok() && sink->Close().ok()) << status.ToString();
    return path(name);
  }

  // The plain type of the only column; "-": none.
  std::string type_of(const arrow::ScalarVector& row,
                      const parquet::WriterProperties::Builder& properties = {}) const {
    const auto file = write("one.parquet", {arrow::field("a", row[0]->type)}, row, properties);
    const auto footer = plain_footer(file);
    std::filesystem::remove(file);
    if (footer == nullptr || footer->columns[0].type == nullptr) return "-";
    return footer->columns[0].type->simple_string();
  }

 private:
  const std::filesystem::path folder_;
};

arrow::ScalarVector one(std::shared_ptr<arrow::DataType> type, const std::string& text) {
  if (type->id() == arrow::Type::DECIMAL128) {
    return {std::make_shared<arrow::Decimal128Scalar>(
        arrow::Decimal128::FromString(text).ValueOrDie(), type)};
  }
  return {arrow::Scalar::Parse(type, text).ValueOrDie()};
}

arrow::ScalarVector nothing(const std::shared_ptr<arrow::DataType>& type) {
  return {arrow::MakeNullScalar(type)};
}

TEST_F(PlainParquet, TypesThatAllReadersUnderstand) {
  EXPECT_EQ(type_of(one(arrow::boolean(), "true")), "boolean");
  EXPECT_EQ(type_of(one(arrow::int8(), "1")), "tinyint");
  EXPECT_EQ(type_of(one(arrow::int16(), "1")), "smallint");
  EXPECT_EQ(type_of(one(arrow::int32(), "1")), "int");
  EXPECT_EQ(type_of(one(arrow::int64(), "1")), "bigint");
  EXPECT_EQ(type_of(one(arrow::float32(), "1")), "float");
  EXPECT_EQ(type_of(one(arrow::float64(), "1")), "double");
  EXPECT_EQ(type_of(one(arrow::utf8(), "a")), "string");
  EXPECT_EQ(type_of(nothing(arrow::binary())), "binary");
  EXPECT_EQ(type_of(one(arrow::date32(), "2024-01-01")), "date");
  EXPECT_EQ(type_of(one(arrow::decimal128(9, 2), "1.25")), "decimal(9,2)");
}

TEST_F(PlainParquet, DecimalsOfIntegers) {
  parquet::WriterProperties::Builder integers;
  integers.enable_store_decimal_as_integer();
  EXPECT_EQ(type_of(one(arrow::decimal128(9, 2), "1.25"), integers), "decimal(9,2)");
  EXPECT_EQ(type_of(one(arrow::decimal128(18, 2), "1.25"), integers), "decimal(18,2)");
  EXPECT_EQ(type_of(one(arrow::decimal128(38, 2), "1.25"), integers), "decimal(38,2)");
}

TEST_F(PlainParquet, TypesThatReadersDifferIn) {
  EXPECT_EQ(type_of(one(arrow::uint32(), "1")), "-");
  EXPECT_EQ(type_of(one(arrow::uint64(), "1")), "-");
  EXPECT_EQ(type_of(nothing(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))), "-");
  EXPECT_EQ(type_of(nothing(arrow::timestamp(arrow::TimeUnit::MILLI))), "-");
  EXPECT_EQ(type_of(nothing(arrow::time64(arrow::TimeUnit::MICRO))), "-");
  EXPECT_EQ(type_of(nothing(arrow::list(arrow::int32()))), "-");
  EXPECT_EQ(type_of(nothing(arrow::struct_({arrow::field("x", arrow::int32())}))), "-");
}

TEST_F(PlainParquet, OldWritersAreNotTrusted) {
  parquet::WriterProperties::Builder old;
  old.created_by("parquet-mr version 1.8.1 (build 4aba4dae7bb0d4edbcf7923ae1339f28fd3f7fcf)");
  EXPECT_EQ(type_of(one(arrow::utf8(), "a"), old), "-");
  parquet::WriterProperties::Builder sound;
  sound.created_by("parquet-mr version 1.15.2 (build 859eac165f08f927fa14590c34bc5f476405fb68)");
  EXPECT_EQ(type_of(one(arrow::utf8(), "a"), sound), "string");
}

TEST_F(PlainParquet, NamesThatDifferInCaseOnly) {
  const auto file =
      write("a.parquet", {arrow::field("a", arrow::int32()), arrow::field("A", arrow::int32())},
            {arrow::MakeScalar(1), arrow::MakeScalar(2)});
  EXPECT_EQ(plain_footer(file), nullptr);
}

TEST_F(PlainParquet, WhatIsNoFileIsNotPlain) {
  EXPECT_EQ(plain_footer(path("none.parquet")), nullptr);
  std::filesystem::create_directories(path("folder.parquet"));
  EXPECT_EQ(plain_footer(path("folder.parquet")), nullptr);
}

TEST_F(PlainParquet, AFileThatChangesIsLookedAtAgain) {
  auto file = write("a.parquet", {arrow::field("a", arrow::int32())}, {arrow::MakeScalar(1)});
  ASSERT_NE(plain_footer(file), nullptr);
  distrust_plain_file(file);
  EXPECT_EQ(plain_footer(file), nullptr);
  file = write("a.parquet", {arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())},
               {arrow::MakeScalar(std::int64_t{1}), arrow::MakeScalar(std::int64_t{2})});
  ASSERT_NE(plain_footer(file), nullptr);
  EXPECT_EQ(plain_footer(file)->columns.size(), 2U);
}

TEST_F(PlainParquet, FilesAreGroupedByWhatTheyHave) {
  const auto narrow =
      write("a.parquet", {arrow::field("a", arrow::int32())}, {arrow::MakeScalar(-7)});
  const auto wide =
      write("b.parquet", {arrow::field("a", arrow::int32()), arrow::field("b", arrow::int32())},
            {arrow::MakeScalar(5), arrow::MakeScalar(6)});
  PlainFiles files(parse_schema("A INT, b INT, p INT").value(), false);
  EXPECT_TRUE(files.add(narrow, {nullptr, nullptr, arrow::MakeScalar(1)}));
  EXPECT_TRUE(files.add(wide, {nullptr, nullptr, arrow::MakeScalar(1)}));
  EXPECT_TRUE(files.add(wide, {nullptr, nullptr, arrow::MakeScalar(2)}));
  const auto got = std::move(files).finish();
  ASSERT_EQ(got.groups.size(), 3U);
  EXPECT_EQ(got.groups[0].columns[0].name, "a");
  EXPECT_FALSE(got.groups[0].columns[1].constant->is_valid);
  EXPECT_EQ(got.groups[1].columns[1].name, "b");
  EXPECT_EQ(got.groups[2].columns[2].constant->ToString(), "2");
  EXPECT_EQ(got.magnitude_max[0], 7);
  EXPECT_EQ(got.magnitude_max[1], 6);
  EXPECT_EQ(got.magnitude_max[2], std::nullopt);
}

TEST_F(PlainParquet, OtherTypesThanWantedAndPatternsAreRefused) {
  const auto file = write("a.parquet", {arrow::field("a", arrow::int32())}, {arrow::MakeScalar(1)});
  EXPECT_FALSE(PlainFiles(parse_schema("a BIGINT").value(), false).add(file, {nullptr}));
  EXPECT_TRUE(PlainFiles(parse_schema("a INT").value(), false).add(file, {nullptr}));
  const auto pattern =
      write("a[1].parquet", {arrow::field("a", arrow::int32())}, {arrow::MakeScalar(1)});
  EXPECT_FALSE(PlainFiles(parse_schema("a INT").value(), false).add(pattern, {nullptr}));
}

}  // namespace
}  // namespace millstream::format
