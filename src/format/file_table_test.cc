#include "format/file_table.h"

#include <arrow/scalar.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "format/json_test_util.h"

namespace millstream::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::shared_ptr<io::Store> store_with(const std::map<std::string, std::string>& files) {
  const auto store = io::memory_store();
  for (const auto& [path, text] : files) EXPECT_TRUE(store->put(path, text).ok());
  return store;
}

FileTableRequest request(const std::shared_ptr<io::Store>& store, const std::string& format,
                         const std::string& ddl = "") {
  FileTableRequest out;
  out.format = format;
  out.store = store;
  out.paths = {"/in"};
  if (!ddl.empty()) out.schema = column::parse_schema(ddl).value();
  return out;
}

std::vector<std::string> scan(const Result<std::shared_ptr<const connector::Table>>& table,
                              std::vector<std::string> columns = {},
                              std::vector<connector::Predicate> predicates = {}) {
  if (!table.ok())
    return {table.status().condition().empty() ? table.status().message()
                                               : table.status().condition()};
  if (columns.empty()) {
    for (const auto& field : (*table)->schema()) columns.push_back(field.name);
  }
  const auto batches = (*table)->scan({columns, std::move(predicates), std::nullopt});
  if (!batches.ok()) return {batches.status().condition()};
  const auto all = connector::collect(*batches);
  if (!all.ok()) return {all.status().condition()};
  for (const auto& batch : *all)
    EXPECT_TRUE(batch->schema()->Equals(*column::to_arrow(batches->schema)));
  return testing::render(*all);
}

TEST(FileTable, JsonInferredWithPartitions) {
  const auto store = store_with({{"/in/p=1/a.json", "{\"b\":1,\"p\":99}\n"},
                                 {"/in/p=2/b.json", "{\"a\":\"x\"}\n"},
                                 {"/in/p=2/c.json", ""}});
  const auto table = make_file_table(request(store, "json"));
  ASSERT_TRUE(table.ok()) << table.status().to_string();
  EXPECT_EQ(column::to_ddl((*table)->schema()), "a STRING,b BIGINT,p INT");
  EXPECT_THAT(scan(table), ElementsAre("NULL|1|1", "x|NULL|2"));
  connector::Predicate predicate{
      {"p"}, connector::Predicate::Op::equal, {std::make_shared<arrow::Int32Scalar>(2)}};
  EXPECT_THAT(scan(table, {"p", "a"}, {predicate}), ElementsAre("2|x"));
  EXPECT_THAT((*table)->input_files(), ElementsAre("file:///in/p=1/a.json", "file:///in/p=2/b.json",
                                                   "file:///in/p=2/c.json"));
  EXPECT_EQ((*table)->describe(), "json [file:/in]");
}

TEST(FileTable, MetadataOfFiles) {
  const auto store = store_with({{"/in/a b#1.json", "{\"a\":1}\n"}});
  const auto table = make_file_table(request(store, "json", "a INT"));
  const auto rows = scan(table, {"_metadata", "a"});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(rows[0], HasSubstr("{file:/in/a%20b%231.json,a%20b%231.json,8,0,8,"));
}

TEST(FileTable, Text) {
  const auto store = store_with({{"/in/a.txt",
                                  "\xef\xbb\xbf"
                                  "x\r\n\ny\rz"},
                                 {"/in/b.txt", ""}});
  EXPECT_THAT(scan(make_file_table(request(store, "text"))), ElementsAre("x", "", "y", "z"));
  auto whole = request(store, "text");
  whole.options.set("wholetext", "true");
  EXPECT_THAT(scan(make_file_table(whole)), ElementsAre("x\r\n\ny\rz"));
  EXPECT_THAT(scan(make_file_table(request(store, "text", "a INT"))),
              ElementsAre("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"));
}

TEST(FileTable, Errors) {
  const auto store = store_with(
      {{"/in/.x", ""}, {"/bad/a.parquet", "no parquet at all"}, {"/bad2/a.parquet", ""}});
  EXPECT_THAT(scan(make_file_table(request(store, "json"))), ElementsAre("UNABLE_TO_INFER_SCHEMA"));
  auto bad = request(store, "parquet");
  bad.paths = {"/bad"};
  EXPECT_THAT(scan(make_file_table(bad)), ElementsAre("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER"));
  bad.schema = column::parse_schema("a INT").value();
  EXPECT_THAT(scan(make_file_table(bad)), ElementsAre("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER"));
  bad.options.set("ignoreCorruptFiles", "true");
  EXPECT_THAT(scan(make_file_table(bad)), IsEmpty());
  bad.schema.reset();
  bad.paths = {"/bad2"};
  EXPECT_THAT(scan(make_file_table(bad)), ElementsAre("UNABLE_TO_INFER_SCHEMA"));
  bad.paths = {"/gone"};
  EXPECT_THAT(scan(make_file_table(bad)), ElementsAre("PATH_NOT_FOUND"));
  auto option = request(store, "json", "a INT");
  option.options.set("mutliLine", "true");
  EXPECT_THAT(scan(make_file_table(option)).front(), HasSubstr("'mutliLine'"));
  EXPECT_THAT(make_file_table(request(store, "image")).status().message(), HasSubstr("'image'"));
  EXPECT_THAT(scan(make_file_table(request(store, "json", "a INT, A STRING"))),
              ElementsAre("COLUMN_ALREADY_EXISTS"));
}

TEST(FileTable, WritesAndReadsBack) {
  const std::string rows =
      "{\"a\":1,\"d\":0.1,\"t\":\"2024-01-02T03:04:05.678Z\",\"s\":{\"x\":[1,null]},\"k\":\"x/"
      "y\"}\n{\"d\":\"NaN\"}\n";
  const auto store = store_with({{"/in/a.json", rows}});
  const std::string ddl = "a INT, d DOUBLE, t TIMESTAMP, s STRUCT<x: ARRAY<INT>>, k STRING";
  const auto source = make_file_table(request(store, "json", ddl));
  const auto batches = (*source)->scan({{"a", "d", "t", "s", "k"}, {}, std::nullopt});
  ASSERT_TRUE(batches.ok());
  for (const std::string format : {"json", "parquet", "orc", "avro"}) {
    FileWriteRequest write;
    write.format = format;
    write.directory = "/out/" + format;
    write.store = store;
    write.partition_by = {"k"};
    const auto count = write_files(write, *batches);
    ASSERT_TRUE(count.ok()) << count.status().to_string();
    EXPECT_EQ(count->rows, 2);
    EXPECT_TRUE(*store->exists(write.directory + "/_SUCCESS"));
    auto back = request(store, format, ddl);
    back.paths = {write.directory};
    EXPECT_THAT(scan(make_file_table(back)),
                UnorderedElementsAre("1|0.1|2024-01-02 03:04:05.678000Z|{[1,NULL]}|x/y",
                                     "NULL|nan|NULL|NULL|NULL"));
  }
  EXPECT_FALSE(store->list("/out/json/k=x%2Fy")->empty());
  EXPECT_FALSE(store->list("/out/json/k=__HIVE_DEFAULT_PARTITION__")->empty());
}

TEST(FileTable, WritesJsonAsSparkPrintsIt) {
  const auto store =
      store_with({{"/in/a.json",
                   "{\"d\":1e10,\"f\":0.001,\"b\":\"QUI=\",\"m\":{\"k\":null},\"t\":\"2024-01-"
                   "02T03:04:05.678Z\",\"s\":\"a\\u0001\\\"/\xc3\xa9\",\"n\":1.50}\n"}});
  const auto source = make_file_table(request(store, "json",
                                              "d DOUBLE, f FLOAT, b BINARY, m MAP<STRING,INT>, t "
                                              "TIMESTAMP, s STRING, n DECIMAL(5,2), z INT"));
  const auto batches =
      (*source)->scan({{"d", "f", "b", "m", "t", "s", "n", "z"}, {}, std::nullopt});
  FileWriteRequest write;
  write.format = "json";
  write.directory = "/out";
  write.store = store;
  write.time_zone = "Europe/Berlin";
  ASSERT_TRUE(write_files(write, *batches).ok());
  const auto files = store->list("/out").value();
  const auto part = std::find_if(files.begin(), files.end(),
                                 [](const auto& f) { return f.path.ends_with("-c000.json"); });
  ASSERT_NE(part, files.end());
  EXPECT_EQ(store->get(part->path).value(),
            "{\"d\":1.0E10,\"f\":0.001,\"b\":\"QUI=\",\"m\":{\"k\":null},\"t\":\"2024-01-02T04:04:"
            "05.678+01:00\",\"s\":\"a\\u0001\\\"/\xc3\xa9\",\"n\":1.50}\n");
}

}  // namespace
}  // namespace millstream::format
