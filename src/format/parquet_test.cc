#include "format/parquet.h"

#include <arrow/scalar.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "format/json_test_util.h"

namespace millstream::format {
namespace {

using connector::Predicate;
using connector::RecordBatchPtr;
using ::testing::ElementsAre;

// Rows given as JSON, for brevity.
std::vector<RecordBatchPtr> batches_of(const std::string& ddl, const std::string& lines,
                                       std::int64_t batch_rows = 1 << 20) {
  const auto store = io::memory_store();
  EXPECT_TRUE(store->put("/rows.json", lines).ok());
  auto scan = std::make_shared<JsonScan>();
  scan->schema = column::parse_schema(ddl).value();
  for (const auto& field : scan->schema) scan->columns.push_back(field.name);
  const auto reader = open_json(store, scan, {FileSplit{store->stat("/rows.json").value(), {}}});
  std::vector<RecordBatchPtr> out;
  for (;;) {
    const auto batch = (*reader)->next().value();
    if (batch == nullptr) return out;
    for (std::int64_t at = 0; at < batch->num_rows(); at += batch_rows)
      out.push_back(batch->Slice(at, batch_rows));
  }
}

struct Written {
  std::shared_ptr<io::Store> store = io::memory_store();
  ParquetFile file;
};

Written write(const std::string& ddl, const std::string& lines, ParquetWriteOptions options = {},
              std::int64_t batch_rows = 1 << 20) {
  Written out;
  const auto writer =
      ParquetWriter::open(out.store, "/t/a.parquet", column::parse_schema(ddl).value(), options);
  EXPECT_TRUE(writer.ok());
  for (const auto& batch : batches_of(ddl, lines, batch_rows)) {
    const Status written = (*writer)->write(batch);
    EXPECT_TRUE(written.ok()) << written.to_string();
  }
  auto file = (*writer)->close();
  EXPECT_TRUE(file.ok()) << file.status().to_string();
  out.file = file.value();
  return out;
}

std::vector<std::string> read(const Written& written, const std::string& ddl,
                              ParquetReadOptions options = {}) {
  auto reader = ParquetReader::open(written.store, written.file.path,
                                    column::parse_schema(ddl).value(), options);
  if (!reader.ok()) return {reader.status().condition()};
  std::vector<RecordBatchPtr> batches;
  for (;;) {
    auto batch = (*reader)->next();
    if (!batch.ok()) return {batch.status().condition()};
    if (*batch == nullptr) break;
    batches.push_back(*batch);
  }
  return testing::render(batches);
}

std::string stats_of(const ParquetFile& file) {
  std::string out;
  for (const auto& leaf : file.leaves) {
    std::string path;
    for (const auto& name : leaf.path) path += (path.empty() ? "" : ".") + name;
    out += path + ":" + (leaf.min ? leaf.min->ToString() : "-") + ".." +
           (leaf.max ? leaf.max->ToString() : "-") + " " + std::to_string(leaf.null_count) +
           (leaf.has_nan ? " nan" : "") + "\n";
  }
  return out;
}

constexpr const char* nested_ddl =
    "i INT, l BIGINT, s STRING, d DECIMAL(9,2), e DECIMAL(25,2), t TIMESTAMP, n TIMESTAMP_NTZ, b "
    "BOOLEAN, f DOUBLE, "
    "g STRUCT<x: INT, y: STRING>, a ARRAY<INT>, m MAP<STRING, STRUCT<z: BIGINT>>, day DATE, y "
    "BINARY, w TINYINT";
constexpr const char* nested_rows =
    "{\"i\":3,\"l\":-1,\"s\":\"b\",\"d\":1.25,\"e\":-7,\"t\":\"2024-01-01T00:00:00Z\",\"n\":\"2024-"
    "01-01T00:00:00\",\"b\":true,"
    "\"f\":1.5,\"g\":{\"x\":1,\"y\":\"q\"},\"a\":[1,2],\"m\":{\"k\":{\"z\":1}},\"day\":\"2024-02-"
    "29\",\"y\":\"QUI=\",\"w\":-5}\n"
    "{}\n{\"i\":-2,\"l\":5,\"s\":\"\\u00e9\",\"d\":-3,\"e\":12345678901234567890123.45,\"f\":"
    "\"NaN\",\"g\":{\"y\":\"a\"},\"a\":[],\"m\":{}}\n";

TEST(Parquet, WritesAndReadsEveryType) {
  const auto written = write(nested_ddl, nested_rows);
  EXPECT_EQ(written.file.rows, 3);
  EXPECT_THAT(read(written, nested_ddl),
              ElementsAre(testing::render(batches_of(nested_ddl, nested_rows))[0],
                          testing::render(batches_of(nested_ddl, nested_rows))[1],
                          testing::render(batches_of(nested_ddl, nested_rows))[2]));
  const auto footer = read_parquet_footer(written.store, written.file.path);
  ASSERT_TRUE(footer.ok());
  EXPECT_EQ(footer->schema, column::as_nullable(column::parse_schema(nested_ddl).value()));
}

TEST(Parquet, StatisticsOfLeaves) {
  EXPECT_EQ(stats_of(write(nested_ddl, nested_rows).file),
            "i:-2..3 1\nl:-1..5 1\ns:b..\xc3\xa9 1\nd:-3.00..1.25 "
            "1\ne:-7.00..12345678901234567890123.45 1\n"
            "t:2024-01-01 00:00:00.000000Z..2024-01-01 00:00:00.000000Z 2\nn:2024-01-01 "
            "00:00:00.000000..2024-01-01 00:00:00.000000 2\n"
            "b:-..- 2\nf:1.5..1.5 1 nan\ng.x:1..1 2\ng.y:a..q 1\na:-..- 1\nm:-..- "
            "1\nday:2024-02-29..2024-02-29 2\ny:-..- 2\nw:-5..-5 2\n");
}

TEST(Parquet, StatisticsCoverAllRowGroups) {
  ParquetWriteOptions options;
  options.row_group_rows_max = 2;
  const auto written =
      write("a INT, s STRING",
            "{\"a\":5,\"s\":\"m\"}\n{\"a\":4}\n{\"a\":9,\"s\":\"c\"}\n{\"a\":7,\"s\":\"z\"}\n",
            options, 1);
  EXPECT_EQ(stats_of(written.file), "a:4..9 0\ns:c..z 1\n");
  EXPECT_THAT(read(written, "a INT"), ElementsAre("5", "4", "9", "7"));
}

TEST(Parquet, StatisticsOfChosenLeavesOnly) {
  ParquetWriteOptions options;
  options.stats_leaves_max = 1;
  const char* ddl = "a INT, g STRUCT<x: INT, y: INT>, c INT";
  EXPECT_EQ(stats_of(write(ddl, "{\"a\":1,\"g\":{\"x\":2},\"c\":3}\n", options).file),
            "a:1..1 0\n");
  options.stats_paths = std::vector<std::vector<std::string>>{{"g"}, {"c"}};
  EXPECT_EQ(stats_of(write(ddl, "{\"a\":1,\"g\":{\"x\":2},\"c\":3}\n", options).file),
            "g.x:2..2 0\ng.y:-..- 1\nc:3..3 0\n");
  EXPECT_EQ(stats_of(write("a INT", "").file), "a:-..- 0\n");
}

TEST(Parquet, ProjectsAndPromotes) {
  const auto written =
      write("i INT, g STRUCT<x: INT, y: STRING>, f FLOAT, d DATE",
            "{\"i\":1,\"g\":{\"x\":2,\"y\":\"q\"},\"f\":0.5,\"d\":\"2024-01-02\"}\n{\"i\":2}\n");
  EXPECT_THAT(read(written, "I BIGINT, none STRING, g STRUCT<Y: STRING, none: INT>"),
              ElementsAre("1|NULL|{q,NULL}", "2|NULL|NULL"));
  EXPECT_THAT(read(written, "i DOUBLE, f DOUBLE, d TIMESTAMP_NTZ"),
              ElementsAre("1|0.5|2024-01-02 00:00:00.000000", "2|NULL|NULL"));
  EXPECT_THAT(read(written, "i DECIMAL(12,2)"), ElementsAre("1.00", "2.00"));
  EXPECT_THAT(read(written, "i STRING"),
              ElementsAre("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"));
  EXPECT_THAT(read(written, "g STRUCT<none: INT>"), ElementsAre("{NULL}", "NULL"));
  EXPECT_THAT(read(written, "none INT"), ElementsAre("NULL", "NULL"));
  ParquetReadOptions exact;
  exact.promote = false;
  EXPECT_THAT(read(written, "i BIGINT", exact),
              ElementsAre("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"));
  exact.case_sensitive = true;
  EXPECT_THAT(read(written, "I INT", exact), ElementsAre("NULL", "NULL"));
}

TEST(Parquet, SkipsRowGroupsThatCannotMatch) {
  ParquetWriteOptions options;
  options.row_group_rows_max = 2;
  const auto written = write(
      "a INT, s STRING",
      "{\"a\":1,\"s\":\"aa\"}\n{\"a\":2,\"s\":\"ab\"}\n{\"a\":3,\"s\":\"ba\"}\n{\"a\":4}\n{}\n{}\n",
      options, 2);
  const auto with = [&](std::string column, Predicate::Op op,
                        std::vector<std::shared_ptr<arrow::Scalar>> values) {
    ParquetReadOptions read_options;
    read_options.predicates.push_back({{std::move(column)}, op, std::move(values)});
    return read(written, "a INT", read_options);
  };
  const auto number = [](int value) { return std::make_shared<arrow::Int32Scalar>(value); };
  using Op = Predicate::Op;
  EXPECT_THAT(with("a", Op::equal, {number(2)}), ElementsAre("1", "2"));
  EXPECT_THAT(with("a", Op::greater, {number(2)}), ElementsAre("3", "4"));
  EXPECT_THAT(with("a", Op::less_equal, {number(0)}), ::testing::IsEmpty());
  EXPECT_THAT(with("a", Op::in, {number(4), number(9)}), ElementsAre("3", "4"));
  EXPECT_THAT(with("a", Op::is_null, {}), ElementsAre("NULL", "NULL"));
  EXPECT_THAT(with("a", Op::is_not_null, {}), ElementsAre("1", "2", "3", "4"));
  ParquetReadOptions prefix;
  prefix.predicates.push_back(
      {{"s"}, Op::starts_with, {std::make_shared<arrow::StringScalar>("a")}});
  EXPECT_THAT(read(written, "a INT, s STRING", prefix), ElementsAre("1|aa", "2|ab"));
}

TEST(Parquet, DamagedAndMissingFiles) {
  const auto store = io::memory_store();
  ASSERT_TRUE(store->put("/x.parquet", "this is not parquet, whatever its name says").ok());
  auto opened = ParquetReader::open(store, "/x.parquet", column::parse_schema("a INT").value());
  EXPECT_EQ(opened.status().condition(), "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER");
  EXPECT_THAT(opened.status().message(), ::testing::HasSubstr("file:///x.parquet"));
  opened = ParquetReader::open(store, "/gone.parquet", column::parse_schema("a INT").value());
  EXPECT_EQ(opened.status().condition(), "FAILED_READ_FILE.FILE_NOT_EXIST");
  ParquetWriteOptions unknown;
  unknown.compression = "rar";
  EXPECT_EQ(ParquetWriter::open(store, "/x", {}, unknown).status().condition(),
            "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION");
}

}  // namespace
}  // namespace millstream::format
