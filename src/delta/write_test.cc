#include "delta/write.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "delta/identity.h"
#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/table.h"
#include "delta/test_rows.h"

namespace millstream::delta {
namespace {

using connector::Predicate;
using testing::Cell;
using testing::rows_of;
using testing::texts;

Cell n(std::int64_t value) { return Cell(value); }
Cell t(const char* text) { return Cell(std::string(text)); }

class WriteTest : public ::testing::Test {
 protected:
  WriteResult write(const connector::Batches& rows, const WriteOptions& options) {
    const auto written = write_table(store_, "/t", rows, options);
    EXPECT_TRUE(written.ok()) << written.status().to_string();
    return written.ok() ? *written : WriteResult{};
  }
  std::string failure(const connector::Batches& rows, const WriteOptions& options) {
    const auto written = write_table(store_, "/t", rows, options);
    return written.ok() ? "" : written.status().condition();
  }
  std::vector<std::string> read(const connector::ScanRequest& request,
                                const ReadOptions& options = {}) {
    const auto table = DeltaTable::open(store_, "/t", options);
    if (!table.ok()) return {table.status().message()};
    const auto rows = (*table)->scan(request);
    return rows.ok() ? texts(*rows) : std::vector<std::string>{rows.status().message()};
  }
  std::string commit_text(std::int64_t version) {
    return store_->get("/t/_delta_log/" + commit_name(version)).value();
  }
  static WriteOptions mode(SaveMode mode) {
    WriteOptions options;
    options.mode = mode;
    return options;
  }

  std::shared_ptr<io::Store> store_ = io::memory_store();
};

TEST_F(WriteTest, SaveModes) {
  const auto one = rows_of("id BIGINT, s STRING", {{n(1), t("a")}});
  EXPECT_EQ(write(one, mode(SaveMode::error_if_exists)).version, 0);
  EXPECT_EQ(failure(one, mode(SaveMode::error_if_exists)), "DELTA_PATH_EXISTS");
  EXPECT_TRUE(write(one, mode(SaveMode::ignore)).skipped);
  EXPECT_EQ(write(rows_of("s STRING, ID BIGINT", {{t("b"), n(2)}}), mode(SaveMode::append)).version,
            1);
  EXPECT_EQ(read({{"id", "s"}, {}, {}}), (std::vector<std::string>{"1|a", "2|b"}));
  EXPECT_EQ(
      write(rows_of("id BIGINT, s STRING", {{n(3), Cell()}}), mode(SaveMode::overwrite)).version,
      2);
  EXPECT_EQ(read({{"s", "id"}, {}, {}}), std::vector<std::string>{"NULL|3"});
  ReadOptions old;
  old.version_as_of = 1;
  EXPECT_EQ(read({{"id"}, {}, {}}, old), (std::vector<std::string>{"1", "2"}));
  EXPECT_NE(
      commit_text(2).find(
          R"("operation":"WRITE","operationParameters":{"mode":"Overwrite","partitionBy":"[]"},"readVersion":1,"isolationLevel":"Serializable","isBlindAppend":false,"operationMetrics":{"numFiles":"1","numRemovedFiles":"2",)"),
      std::string::npos)
      << commit_text(2);
}

TEST_F(WriteTest, SchemaRules) {
  write(rows_of("id BIGINT, i INT", {{n(1), n(2)}}), mode(SaveMode::append));
  WriteOptions append = mode(SaveMode::append);
  EXPECT_EQ(failure(rows_of("id INT", {{n(1)}}), append), "DELTA_FAILED_TO_MERGE_FIELDS");
  EXPECT_EQ(failure(rows_of("i STRING", {{t("1")}}), append), "DELTA_FAILED_TO_MERGE_FIELDS");
  EXPECT_EQ(failure(rows_of("i SMALLINT", {{n(5)}}), append), "");
  EXPECT_EQ(failure(rows_of("id BIGINT, x INT", {{n(1), n(1)}}), append),
            "DELTA_METADATA_MISMATCH");
  EXPECT_EQ(failure(rows_of("x INT, X INT", {{n(1), n(1)}}), append),
            "DELTA_DUPLICATE_COLUMNS_FOUND.DATA");
  append.merge_schema = true;
  EXPECT_EQ(failure(rows_of("id BIGINT, x STRUCT<a: INT>", {}), append), "");
  EXPECT_EQ(failure(rows_of("id BIGINT, `a b` INT", {}), append),
            "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES");
  EXPECT_EQ(read({{"id", "i", "x"}, {}, {}}),
            (std::vector<std::string>{"1|2|NULL", "NULL|5|NULL"}));
  WriteOptions overwrite = mode(SaveMode::overwrite);
  EXPECT_EQ(failure(rows_of("other STRING", {{t("1")}}), overwrite), "DELTA_METADATA_MISMATCH");
  overwrite.overwrite_schema = true;
  EXPECT_EQ(failure(rows_of("other STRING", {{t("1")}}), overwrite), "");
  EXPECT_EQ(read({{"other"}, {}, {}}), std::vector<std::string>{"1"});
}

TEST_F(WriteTest, Partitions) {
  WriteOptions options = mode(SaveMode::append);
  options.partition_by = {"P"};
  write(rows_of("id BIGINT, p STRING, d DATE", {{n(1), t("a/b"), n(1)},
                                                {n(2), t("x=%"), n(2)},
                                                {n(3), Cell(), n(3)},
                                                {n(4), t(""), n(4)}}),
        options);
  EXPECT_EQ(read({{"p", "id"}, {}, {}}),
            (std::vector<std::string>{"NULL|3", "NULL|4", "a/b|1", "x=%|2"}));
  const auto table = *DeltaTable::open(store_, "/t");
  EXPECT_EQ(table->partition_columns(), std::vector<std::string>{"p"});
  const auto equal = std::make_shared<arrow::StringScalar>("a/b");
  const auto rows = table->scan({{"id"}, {{{"p"}, Predicate::Op::equal, {equal}}}, {}});
  EXPECT_EQ(texts(*rows), std::vector<std::string>{"1"});
  options.partition_by = {"id"};
  EXPECT_EQ(failure(rows_of("id BIGINT, p STRING, d DATE", {}), options),
            "DELTA_METADATA_MISMATCH");
  WriteOptions all = mode(SaveMode::append);
  all.partition_by = {"q"};
  store_ = io::memory_store();
  EXPECT_EQ(failure(rows_of("q INT", {{n(1)}}), all), "DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION");
  EXPECT_EQ(failure(rows_of("r INT, s INT", {}), all), "DELTA_PARTITION_COLUMN_NOT_FOUND");
}

TEST_F(WriteTest, ManyPartitionsHaveOneFileEach) {
  constexpr std::int64_t partitions = 150;  // more than files may be open
  connector::Batches rows = rows_of("id BIGINT, p BIGINT", {});
  std::vector<connector::RecordBatchPtr> batches;
  for (std::int64_t batch = 0; batch < 20; ++batch) {
    std::vector<testing::Row> cells;
    for (std::int64_t i = 0; i < partitions; ++i) cells.push_back({n(batch), n(i)});
    batches.push_back(testing::batch_of(rows.schema, cells));
  }
  WriteOptions options = mode(SaveMode::append);
  options.partition_by = {"p"};
  write(connector::batches_of(rows.schema, batches), options);
  const auto table = *DeltaTable::open(store_, "/t");
  EXPECT_EQ(table->snapshot().files().size(), static_cast<std::size_t>(partitions));
  const auto last = table->scan(
      {{"id"}, {{{"p"}, Predicate::Op::equal, {arrow::MakeScalar<std::int64_t>(149)}}}, {}});
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) expected.push_back(std::to_string(i));
  std::ranges::sort(expected);
  EXPECT_EQ(texts(*last), expected);
}

TEST_F(WriteTest, IdempotentWrites) {
  WriteOptions options = mode(SaveMode::append);
  options.txn_app_id = "app";
  EXPECT_EQ(failure(rows_of("id INT", {}), options), "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS");
  options.txn_version = 3;
  EXPECT_FALSE(write(rows_of("id INT", {{n(1)}}), options).skipped);
  EXPECT_TRUE(write(rows_of("id INT", {{n(1)}}), options).skipped);
  options.txn_version = 4;
  EXPECT_FALSE(write(rows_of("id INT", {{n(2)}}), options).skipped);
  EXPECT_EQ(read({{"id"}, {}, {}}).size(), 2u);
}

TEST_F(WriteTest, NotNullIsKept) {
  const auto schema = column::parse_schema("id BIGINT NOT NULL, s STRUCT<a: INT NOT NULL>").value();
  ASSERT_TRUE(create_table(store_, "/t", schema, mode(SaveMode::error_if_exists)).ok());
  EXPECT_NE(commit_text(0).find(
                "\"operation\":\"CREATE TABLE\",\"operationParameters\":{\"partitionBy\":\"[]\""),
            std::string::npos);
  EXPECT_EQ(failure(rows_of("id BIGINT", {{Cell()}}), mode(SaveMode::append)),
            "DELTA_NOT_NULL_CONSTRAINT_VIOLATED");
  EXPECT_EQ(failure(rows_of("s STRUCT<a: INT>", {}), mode(SaveMode::append)),
            "DELTA_MISSING_NOT_NULL_COLUMN_VALUE");
  const auto ok = write_table(store_, "/t", rows_of("id BIGINT", {{n(7)}}), mode(SaveMode::append));
  EXPECT_TRUE(ok.ok()) << ok.status().message();
  const auto names = store_->list_names("/t", "");
  EXPECT_EQ(names->size(), 2u);  // the log and the one file: what failed left nothing
}

TEST_F(WriteTest, AppendOnly) {
  WriteOptions options = mode(SaveMode::append);
  options.properties["DELTA.appendonly"] = "true";
  write(rows_of("id INT", {{n(1)}}), options);
  EXPECT_NE(commit_text(0).find("\"delta.appendOnly\":\"true\""), std::string::npos);
  EXPECT_EQ(failure(rows_of("id INT", {{n(1)}}), mode(SaveMode::overwrite)),
            "DELTA_CANNOT_MODIFY_APPEND_ONLY");
  options.properties = {{"delta.noSuch", "1"}};
  store_ = io::memory_store();
  EXPECT_EQ(failure(rows_of("id INT", {{n(1)}}), options), "DELTA_UNKNOWN_CONFIGURATION");
}

TEST_F(WriteTest, NtzColumnsNeedTheirFeature) {
  write(rows_of("id INT", {{n(1)}}), mode(SaveMode::append));
  EXPECT_NE(commit_text(0).find(R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"),
            std::string::npos);
  WriteOptions merge = mode(SaveMode::append);
  merge.merge_schema = true;
  write(rows_of("id INT, z TIMESTAMP_NTZ", {{n(1), n(5)}}), merge);
  EXPECT_NE(
      commit_text(1).find(
          R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["timestampNtz"],"writerFeatures":["appendOnly","invariants","timestampNtz"]}})"),
      std::string::npos)
      << commit_text(1);
}

TEST_F(WriteTest, NoRowsNoCommit) {
  EXPECT_EQ(write(rows_of("id INT", {}), mode(SaveMode::append)).version, 0);
  EXPECT_EQ(write(rows_of("id INT", {}), mode(SaveMode::append)).version, 0);
}

TEST_F(WriteTest, RowsWithoutColumnsAreCounted) {
  write(rows_of("id INT, p INT", {{n(1), n(1)}, {n(2), n(2)}}), mode(SaveMode::append));
  const auto rows = connector::collect(*(*DeltaTable::open(store_, "/t"))->scan({{}, {}, {}}));
  std::int64_t count = 0;
  for (const auto& batch : *rows) count += batch->num_rows();
  EXPECT_EQ(count, 2);
}

TEST_F(WriteTest, FilesTellOfThemselves) {
  write(rows_of("id INT", {{n(1)}}), mode(SaveMode::append));
  const auto rows = read({{"_metadata"}, {}, {}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NE(rows[0].find("file:/t/part-00000-"), std::string::npos) << rows[0];
}

TEST_F(WriteTest, ErrorsOfReading) {
  EXPECT_TRUE(DeltaTable::open(store_, "/none").status().is("PATH_NOT_FOUND"));
  ASSERT_TRUE(store_->make_directories("/empty").ok());
  EXPECT_TRUE(DeltaTable::open(store_, "/empty").status().is("DELTA_TABLE_NOT_FOUND"));
  write(rows_of("id INT", {{n(1)}}), mode(SaveMode::append));
  ReadOptions options;
  options.version_as_of = 9;
  EXPECT_TRUE(DeltaTable::open(store_, "/t", options).status().is("DELTA_VERSION_NOT_FOUND"));
  options.version_as_of.reset();
  options.timestamp_as_of = "2999-01-01";
  EXPECT_TRUE(
      DeltaTable::open(store_, "/t", options).status().is("DELTA_TIMESTAMP_GREATER_THAN_COMMIT"));
  options.timestamp_as_of = "1999-01-01 10:00:00";
  EXPECT_TRUE(DeltaTable::open(store_, "/t", options)
                  .status()
                  .is("DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"));
  options.timestamp_as_of = "yesterday";
  EXPECT_FALSE(DeltaTable::open(store_, "/t", options).ok());
}

struct FeatureCase {
  const char* protocol;
  const char* configuration;
  const char* field_metadata;
  const char* read;
  const char* write;
};

TEST_F(WriteTest, Features) {
  const std::vector<FeatureCase> cases = {
      {R"({"minReaderVersion":1,"minWriterVersion":2})", "{}", "{}", "", ""},
      {R"({"minReaderVersion":9,"minWriterVersion":9})", "{}", "{}",
       "DELTA_INVALID_PROTOCOL_VERSION", "DELTA_INVALID_PROTOCOL_VERSION"},
      {R"({"minReaderVersion":3,"minWriterVersion":7})", "{}", "{}",
       "DELTA_INVALID_PROTOCOL_VERSION", "DELTA_INVALID_PROTOCOL_VERSION"},
      {R"({"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["newThing"],"writerFeatures":["newThing"]})",
       "{}", "{}", "DELTA_UNSUPPORTED_FEATURES_FOR_READ", "DELTA_UNSUPPORTED_FEATURES_FOR_READ"},
      {R"({"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["newThing"]})", "{}", "{}",
       "", "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"},
      {R"({"minReaderVersion":2,"minWriterVersion":5})", "{}", "{}", "", ""},
      {R"({"minReaderVersion":2,"minWriterVersion":5})", R"({"delta.columnMapping.mode":"name"})",
       R"({"delta.columnMapping.id":1,"delta.columnMapping.physicalName":"col-1"})", "", ""},
      {R"({"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["typeWidening"],"writerFeatures":["typeWidening"]})",
       "{}", R"({"delta.typeChanges":[{"fromType":"short","toType":"integer"}]})", "", ""},
      {R"({"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["typeWidening"],"writerFeatures":["typeWidening"]})",
       "{}", R"({"delta.typeChanges":[{"fromType":"string","toType":"integer"}]})",
       "DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA", "DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA"},
      {R"({"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","appendOnly"]})",
       R"({"delta.enableDeletionVectors":"true"})", "{}", "", ""},
      {R"({"minReaderVersion":1,"minWriterVersion":3})", R"({"delta.constraints.pos":"id > 0"})",
       "{}", "", "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"},
      {R"({"minReaderVersion":1,"minWriterVersion":2})", "{}", R"({"delta.invariants":"{}"})", "",
       "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"},
      {R"({"minReaderVersion":1,"minWriterVersion":4})", "{}",
       R"({"delta.generationExpression":"1"})", "", "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"},
      {R"({"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["catalogManaged"],"writerFeatures":["catalogManaged"]})",
       "{}", "{}", "DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED",
       "DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED"},
  };
  for (const auto& each : cases) {
    store_ = io::memory_store();
    const std::string schema = fmt::format(
        R"({{\"type\":\"struct\",\"fields\":[{{\"name\":\"id\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}}}]}})",
        [&] {
          std::string escaped;
          for (const char c : std::string_view(each.field_metadata))
            escaped += c == '"' ? "\\\"" : std::string(1, c);
          return escaped;
        }());
    ASSERT_TRUE(
        store_
            ->put("/t/_delta_log/" + commit_name(0),
                  fmt::format(
                      "{{\"protocol\":{}}}\n{{\"metaData\":{{\"id\":\"x\",\"format\":{{"
                      "\"provider\":\"parquet\",\"options\":{{}}}},"
                      "\"schemaString\":\"{}\",\"partitionColumns\":[],\"configuration\":{}}}}}\n",
                      each.protocol, schema, each.configuration))
            .ok());
    const auto table = DeltaTable::open(store_, "/t");
    EXPECT_EQ(table.ok() ? "" : table.status().condition(), each.read)
        << each.protocol << each.configuration;
    EXPECT_EQ(failure(rows_of("id INT", {{n(1)}}), mode(SaveMode::append)), each.write)
        << each.protocol << each.configuration;
  }
}

TEST(WriteOptions, UnknownAndUnsupportedOnesAreNamed) {
  for (const char* name : {"replaceUsing", "mergeSchemas", "dataChange"}) {
    Options options;
    options.set(name, "dynamic");
    const auto parsed = parse_write_options(options, SaveMode::append, {});
    ASSERT_FALSE(parsed.ok());
    EXPECT_NE(parsed.status().message().find(name), std::string::npos);
  }
}

TEST_F(WriteTest, MappedColumns) {
  for (const char* how : {"name", "id"}) {
    store_ = io::memory_store();
    auto create = mode(SaveMode::error_if_exists);
    create.properties = {{"delta.columnMapping.mode", how}};
    create.partition_by = {"p q"};
    write(rows_of("`a b` BIGINT, s STRUCT<x: INT>, `p q` STRING", {}), create);
    write(rows_of("`p q` STRING, `A B` BIGINT", {{t("one"), n(1)}, {t("two"), n(2)}}),
          mode(SaveMode::append));
    const auto snapshot = Log::shared(store_, "/t")->latest().value();
    const TableInfo& info = snapshot->info();
    EXPECT_EQ(*info.property("delta.columnMapping.maxColumnId"), "4");
    for (std::size_t i = 0; i < info.schema.size(); ++i)
      EXPECT_TRUE(info.physical[i].name.starts_with("col-")) << info.physical[i].name;
    snapshot->files().for_each([&](const AddFilePtr& file) {
      EXPECT_TRUE(file->partition_values.contains(info.physical[2].name));
      EXPECT_NE(file->stats.find(info.physical[0].name), std::string::npos) << file->stats;
      EXPECT_EQ(file->path.find("col-"), std::string::npos);
    });
    connector::ScanRequest all;
    all.columns = {"a b", "p q"};
    auto rows = read(all);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, (std::vector<std::string>{"1|one", "2|two"}));
    auto more = mode(SaveMode::append);
    more.merge_schema = true;
    write(rows_of("`n,w` INT, `p q` STRING", {{n(7), t("one")}}), more);
    const auto after = Log::shared(store_, "/t")->latest().value();
    EXPECT_EQ(*after->info().property("delta.columnMapping.maxColumnId"), "5");
    EXPECT_EQ(after->protocol().min_reader, 2);
  }
}

TEST_F(WriteTest, IdentityColumnsNumberRows) {
  auto schema = column::parse_schema("id BIGINT, v STRING").value();
  schema[0].metadata =
      R"({"delta.identity.start":10,"delta.identity.step":-5,"delta.identity.allowExplicitInsert":false})";
  ASSERT_TRUE(create_table(store_, "/t", schema, mode(SaveMode::error_if_exists)).ok());
  auto append = mode(SaveMode::append);
  append.columns_computed = true;
  write(rows_of("v STRING", {{t("a")}, {t("b")}}), append);
  write(rows_of("v STRING", {{t("c")}}), append);
  connector::ScanRequest all;
  all.columns = {"id", "v"};
  auto rows = read(all);
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, (std::vector<std::string>{"0|c", "10|a", "5|b"}));
  EXPECT_NE(commit_text(2).find(R"(\"delta.identity.highWaterMark\":0)"), std::string::npos)
      << commit_text(2);
  EXPECT_EQ(failure(rows_of("id BIGINT, v STRING", {{n(1), t("x")}}), append),
            "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED");
}

TEST(Identity, MarksAreNumbersOfTheColumn) {
  IdentityColumn column{0, "id", 10, 5, std::nullopt, true};
  EXPECT_EQ(mark_at(column, 3).value(), 10);
  EXPECT_EQ(mark_at(column, 100).value(), 100);
  EXPECT_EQ(mark_at(column, 101).value(), 105);
  column.step = -5;
  EXPECT_EQ(mark_at(column, 3).value(), 0);
  EXPECT_FALSE(mark_at(column, INT64_MIN).ok());
}

}  // namespace
}  // namespace millstream::delta
