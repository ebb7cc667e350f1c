// Logs that are torn, foreign or made to hurt: an error that names the file, or the state that the
// rest of the log proves. Never a crash, never rows that are silently missing.
#include <gtest/gtest.h>

#include "delta/log_names.h"
#include "delta/table.h"
#include "delta/test_rows.h"
#include "delta/write.h"
#include "format/parquet.h"

namespace millstream::delta {
namespace {

const std::string table = "/t";
const std::string log_dir = "/t/_delta_log/";

class HostileLog : public ::testing::Test {
 protected:
  void append(int commits) {
    for (int i = 0; i < commits; ++i, ++rows_) {
      WriteOptions options;
      options.mode = SaveMode::append;
      const auto written = write_table(
          store_, table, testing::rows_of("id BIGINT, s STRING", {{rows_, "x"}}), options);
      ASSERT_TRUE(written.ok()) << written.status().to_string();
    }
  }

  std::string commit_path(std::int64_t version) const { return log_dir + commit_name(version); }

  // The rows as texts, or the error of opening or of reading.
  Result<std::vector<std::string>> read(const std::vector<connector::Predicate>& predicates = {}) {
    TRY_ASSIGN(const auto opened, DeltaTable::open(store_, table));
    connector::ScanRequest request;
    request.columns = {"id", "s"};
    request.predicates = predicates;
    TRY_ASSIGN(const auto batches, opened->scan(request));
    TRY(connector::collect(batches).status());
    return testing::texts(batches);
  }

  // A commit with the action of the given JSON text behind the others; what reading says.
  Status read_with(const std::string& action) {
    const std::string path = commit_path(rows_ - 1);
    const std::string whole = store_->get(path).value();
    EXPECT_TRUE(store_->put(path, whole + action + "\n").ok());
    const auto rows = read();
    EXPECT_TRUE(store_->put(path, whole).ok());
    return rows.status();
  }

  std::shared_ptr<io::Store> store_ = io::memory_store();
  std::int64_t rows_ = 0;
};

TEST_F(HostileLog, EveryCutOfACommit) {
  append(3);
  const std::string path = commit_path(2);
  const std::string whole = store_->get(path).value();
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    ASSERT_TRUE(store_->put(path, whole.substr(0, size)).ok());
    const auto rows = read();
    const bool at_line_end = size > 0 && (whole[size - 1] == '\n' || whole[size] == '\n');
    if (at_line_end) continue;  // nothing in the format tells such a cut
    ASSERT_FALSE(rows.ok()) << size;
    EXPECT_NE(rows.status().message().find(path), std::string::npos) << size;
  }
}

TEST_F(HostileLog, ActionsOfWrongTypes) {
  append(2);
  for (const char* action : {
           R"({"add":{"path":"f","size":1e300}})",
           R"({"add":{"path":"f","size":99999999999999999999}})",
           R"({"add":{"path":"f","size":"1"}})",
           R"({"add":{"path":7}})",
           R"({"add":{"size":1}})",
           R"({"add":{"path":"f","partitionValues":[1]}})",
           R"({"add":{"path":"f","deletionVector":{"storageType":"u","cardinality":1.5}}})",
           R"({"add":[]})",
           R"({"remove":{}})",
           R"({"txn":{"appId":"a","version":9223372036854775808}})",
           R"({"txn":{"appId":"a"}})",
           R"({"protocol":{"minReaderVersion":2147483648,"minWriterVersion":7}})",
           R"({"protocol":{"minReaderVersion":"1"}})",
           R"({"protocol":{"readerFeatures":"x"}})",
           R"({"metaData":{"partitionColumns":"id"}})",
           R"([1,2])",
           R"("add")",
           "nonsense",
           "{\"add\":{\"path\":\"\xff\xfe\"}}",
       }) {
    const Status status = read_with(action);
    ASSERT_FALSE(status.ok()) << action;
    EXPECT_NE(status.message().find(commit_path(1)), std::string::npos) << status.to_string();
  }
}

TEST_F(HostileLog, ATableThatCannotBe) {
  append(1);
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += R"({\"type\":\"array\",\"elementType\":)";
  deep += R"(\"long\")";
  for (int i = 0; i < 20'000; ++i) deep += R"(,\"containsNull\":true})";
  for (
      const std::string& action : {
          std::string(R"({"metaData":{"id":"i","schemaString":"{"}})"),
          R"({"metaData":{"id":"i","schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":)" +
              deep + R"(,\"nullable\":true,\"metadata\":{}}]}"}})",
          std::string(
              R"({"metaData":{"id":"i","schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":["x"]}})"),
          std::string(
              R"({"metaData":{"id":"i","schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","configuration":{"delta.columnMapping.mode":"name"}}})"),
          std::string(
              R"({"metaData":{"id":"i","configuration":{"delta.columnMapping.mode":"odd"}}})"),
          std::string(R"({"protocol":{"minReaderVersion":-1,"minWriterVersion":2}})"),
          std::string(R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7}})"),
      }) {
    EXPECT_FALSE(read_with(action).ok()) << action.substr(0, 200);
  }
}

TEST_F(HostileLog, ObjectsInObjects) {
  append(1);
  std::string deep;
  for (int i = 0; i < 300'000; ++i) deep += '[';
  for (int i = 0; i < 300'000; ++i) deep += ']';
  EXPECT_FALSE(read_with(R"({"commitInfo":{"a":)" + deep + "}}").ok());
}

TEST_F(HostileLog, PathsThatLeadNowhere) {
  append(1);
  for (const char* path : {"../outside", "%2e%2e/outside", "/etc/hostname", "a%zz", "a%00b", "",
                           "file:///nowhere/x.parquet", "s3://bucket/x.parquet", "_delta_log"}) {
    EXPECT_FALSE(read_with(fmt::format(R"({{"add":{{"path":"{}","size":1}}}})", path)).ok())
        << path;
  }
}

TEST_F(HostileLog, StatisticsThatLieInForm) {
  append(2);
  const std::string path = commit_path(1);
  const std::string whole = store_->get(path).value();
  const auto at = whole.find(R"("stats":")");
  const auto end = whole.rfind(R"("}})");
  ASSERT_NE(at, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += R"({\"a\":)";
  connector::Predicate predicate;
  predicate.path = {"id"};
  predicate.op = connector::Predicate::Op::equal;
  predicate.values = {arrow::MakeScalar(std::int64_t{1})};
  for (const std::string& stats :
       {std::string("{"), std::string("null"), std::string("[]"), std::string(),
        std::string(R"({\"numRecords\":\"many\"})"), std::string(R"({\"numRecords\":1e400})"),
        std::string(R"({\"numRecords\":-5,\"minValues\":7,\"maxValues\":[1]})"),
        std::string(R"({\"minValues\":{\"id\":NaN}})"),
        std::string(R"({\"minValues\":{\"id\":\"NaN\"},\"maxValues\":{\"id\":true}})"),
        std::string(R"({\"minValues\":{\"id\":{\"x\":1}},\"nullCount\":{\"id\":\"1\"}})"),
        std::string(R"({\"minValues\":{\"id\":99999999999999999999}})"), deep}) {
    ASSERT_TRUE(
        store_->put(path, whole.substr(0, at) + R"("stats":")" + stats + whole.substr(end)).ok());
    EXPECT_EQ(read({predicate}).value(), (std::vector<std::string>{"1|x"})) << stats.substr(0, 80);
  }
}

TEST_F(HostileLog, EveryKindOfBrokenCheckpointFallsBackToTheCommits) {
  append(12);
  const std::string path = log_dir + checkpoint_name(10);
  const std::string whole = store_->get(path).value();
  const auto expect_all = [&](const std::string& what) {
    const auto rows = read();
    ASSERT_TRUE(rows.ok()) << what << ": " << rows.status().to_string();
    EXPECT_EQ(rows->size(), 12u) << what;
  };
  for (std::size_t size = 0; size < whole.size(); size += 101) {
    ASSERT_TRUE(store_->put(path, whole.substr(0, size)).ok());
    expect_all(fmt::format("cut to {}", size));
  }
  for (const char* ddl : {"add BIGINT", "add STRUCT<path: BIGINT>",
                          "add STRUCT<path: STRING, partitionValues: STRING>", "txn STRING",
                          "protocol STRUCT<minReaderVersion: STRING>"}) {
    ASSERT_TRUE(store_->remove(path).ok());
    const auto schema = column::parse_schema(ddl).value();
    auto writer = format::ParquetWriter::open(store_, path, schema).value();
    ASSERT_TRUE(writer->write(testing::batch_of(schema, {{std::monostate()}})).ok());
    ASSERT_TRUE(writer->close().ok());
    expect_all(ddl);
  }
}

TEST_F(HostileLog, ASidecarThatNamesItsOwnCheckpoint) {
  append(12);
  const std::string name =
      "00000000000000000011.checkpoint.0d3c1b4e-7a53-4d1c-9d55-000000000001.json";
  for (const std::string& sidecar :
       {"../" + name, log_dir + name, std::string("missing.parquet")}) {
    ASSERT_TRUE(store_
                    ->put(log_dir + name,
                          "{\"checkpointMetadata\":{\"version\":11}}\n{\"sidecar\":{\"path\":\"" +
                              sidecar + "\",\"sizeInBytes\":1}}\n")
                    .ok());
    const auto rows = read();
    ASSERT_TRUE(rows.ok()) << rows.status().to_string();
    EXPECT_EQ(rows->size(), 12u) << sidecar;
  }
}

TEST_F(HostileLog, NamesThatAreNoVersions) {
  append(2);
  for (const char* name : {"09223372036854775807.json", "99999999999999999999.json",
                           "00000000000000000001.checkpoint.0000000001.9999999999.parquet",
                           "-0000000000000000001.json"}) {
    ASSERT_TRUE(store_->put(log_dir + name, "{}").ok());
  }
  EXPECT_EQ(read().value().size(), 2u);
}

}  // namespace
}  // namespace millstream::delta
