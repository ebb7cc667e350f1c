#include "sink/delta_sink.h"

#include <gtest/gtest.h>

#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/stats.h"
#include "delta/test_rows.h"
#include "io/fault_store.h"

namespace millstream::sink {
namespace {

using connector::OutputMode;
using delta::testing::Cell;
using delta::testing::Row;
using delta::testing::rows_of;

Options options(const char* name, const char* value) {
  Options out;
  out.set(name, value);
  return out;
}

std::shared_ptr<connector::Sink> sink_of(const std::shared_ptr<io::Store>& store,
                                         const Options& given = {},
                                         std::vector<std::string> partition_by = {}) {
  SinkEnv env;
  env.path = "/out";
  env.store = store;
  env.partition_columns = std::move(partition_by);
  auto sink = make_delta_sink(given, env);
  CHECK(sink.ok());
  return *sink;
}

connector::SinkBatch batch(std::int64_t id, OutputMode mode = OutputMode::append) {
  connector::SinkBatch out;
  out.batch_id = id;
  out.query_id = "query-1";
  out.mode = mode;
  return out;
}

connector::Batches ids(std::int64_t first, int count) {
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) rows.push_back({Cell(first + i)});
  return rows_of("id BIGINT", rows);
}

delta::SnapshotPtr state(const std::shared_ptr<io::Store>& store) {
  const auto latest = delta::Log::at(store, "/out")->latest();
  CHECK(latest.ok());
  return *latest;
}

// Rows of the live files, as the log counts them.
std::int64_t row_count(const delta::SnapshotPtr& snapshot) {
  std::int64_t rows = 0;
  snapshot->files().for_each(
      [&](const auto& file) { rows += delta::parse_stats(file->stats).rows.value_or(0); });
  return rows;
}

std::string commit_text(const std::shared_ptr<io::Store>& store, std::int64_t version) {
  return store->get("/out/_delta_log/" + delta::commit_name(version)).value();
}

TEST(DeltaSink, ABatchIsOneCommitHoweverOftenItComes) {
  const auto store = io::memory_store();
  const auto sink = sink_of(store);
  EXPECT_EQ(sink->description(), "DeltaSink[/out]");  // as in Spark's progress
  EXPECT_EQ(sink->add_batch(batch(0), ids(0, 10)).value(), 10);
  EXPECT_EQ(sink->add_batch(batch(1), ids(10, 10)).value(), 10);
  ASSERT_TRUE(sink->add_batch(batch(1), ids(10, 10)).ok());
  ASSERT_TRUE(sink_of(store)->add_batch(batch(0), ids(0, 10)).ok());  // another run
  const auto snapshot = state(store);
  EXPECT_EQ(snapshot->version(), 1);
  EXPECT_EQ(row_count(snapshot), 20);
  EXPECT_EQ(snapshot->txn_version("query-1"), 1);
}

TEST(DeltaSink, CommitsReadAsTheReferences) {
  const auto store = io::memory_store();
  const auto sink = sink_of(store);
  ASSERT_TRUE(sink->add_batch(batch(0), ids(0, 3)).ok());
  ASSERT_TRUE(sink->add_batch(batch(1), ids(3, 3)).ok());
  const std::string first = commit_text(store, 0);
  EXPECT_NE(first.find("\"metaData\""), std::string::npos);
  EXPECT_NE(first.find(R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"),
            std::string::npos);
  const std::string second = commit_text(store, 1);
  EXPECT_EQ(second.find("\"metaData\""), std::string::npos);
  EXPECT_NE(
      second.find(
          R"("operation":"STREAMING UPDATE","operationParameters":{"outputMode":"Append","queryId":"query-1","epochId":"1"},"readVersion":0,"isolationLevel":"Serializable","isBlindAppend":true,"operationMetrics":{"numRemovedFiles":"0","numAddedFiles":"1","numOutputRows":"3",)"),
      std::string::npos);
  EXPECT_NE(second.find(R"({"txn":{"appId":"query-1","version":1,"lastUpdated":)"),
            std::string::npos);
  EXPECT_NE(
      second.find(
          R"("stats":"{\"numRecords\":3,\"minValues\":{\"id\":3},\"maxValues\":{\"id\":5},\"nullCount\":{\"id\":0}}")"),
      std::string::npos);
}

TEST(DeltaSink, AnEmptyBatchIsACommitWithoutFiles) {
  const auto store = io::memory_store();
  const auto sink = sink_of(store);
  ASSERT_TRUE(sink->add_batch(batch(0), ids(0, 0)).ok());
  ASSERT_TRUE(sink->add_batch(batch(1), ids(0, 0)).ok());
  const auto snapshot = state(store);
  EXPECT_EQ(snapshot->version(), 1);
  EXPECT_EQ(snapshot->files().size(), 0u);
  EXPECT_EQ(snapshot->txn_version("query-1"), 1);
}

TEST(DeltaSink, CompleteModeReplacesAll) {
  const auto store = io::memory_store();
  const auto sink = sink_of(store);
  ASSERT_TRUE(sink->add_batch(batch(0, OutputMode::complete), ids(0, 5)).ok());
  ASSERT_TRUE(sink->add_batch(batch(1, OutputMode::complete), ids(0, 7)).ok());
  EXPECT_EQ(row_count(state(store)), 7);
  EXPECT_NE(commit_text(store, 1).find("\"isBlindAppend\":false"), std::string::npos);
}

TEST(DeltaSink, UpdateModeAndVoidColumnsAreRefused) {
  const auto sink = sink_of(io::memory_store());
  EXPECT_TRUE(
      sink->prepare(ids(0, 1).schema, OutputMode::update).is("DELTA_UNSUPPORTED_OUTPUT_MODE"));
  EXPECT_TRUE(sink->prepare({{"x", column::null_type(), true, {}}}, OutputMode::append)
                  .is("DELTA_NULL_SCHEMA_IN_STREAMING_WRITE"));
  EXPECT_TRUE(sink->prepare(ids(0, 1).schema, OutputMode::append).ok());
}

TEST(DeltaSink, UnknownOptionsAreNamed) {
  SinkEnv env;
  env.path = "/out";
  const auto sink = make_delta_sink(options("mergeSchemas", "true"), env);
  ASSERT_FALSE(sink.ok());
  EXPECT_NE(sink.status().message().find("mergeSchemas"), std::string::npos);
}

TEST(DeltaSink, NewColumnsNeedMergeSchema) {
  const auto store = io::memory_store();
  ASSERT_TRUE(sink_of(store)->add_batch(batch(0), ids(0, 1)).ok());
  const auto wider =
      rows_of("ID BIGINT, color STRING", {{Cell(std::int64_t{1}), Cell(std::string("red"))}});
  EXPECT_TRUE(sink_of(store)->add_batch(batch(1), wider).status().is("DELTA_METADATA_MISMATCH"));
  ASSERT_TRUE(sink_of(store, options("mergeSchema", "true"))->add_batch(batch(1), wider).ok());
  EXPECT_EQ(column::to_ddl(state(store)->schema()), "id BIGINT,color STRING");
  // A batch of the old shape still fits.
  ASSERT_TRUE(sink_of(store)->add_batch(batch(2), ids(2, 1)).ok());
}

TEST(DeltaSink, RowsAreCastToTheTable) {
  const auto store = io::memory_store();
  ASSERT_TRUE(sink_of(store)
                  ->add_batch(batch(0), rows_of("id BIGINT, s STRING, m DECIMAL(5,2), i INT", {}))
                  .ok());
  const auto rows = rows_of(
      "id INT, s DOUBLE, m STRING, i STRING",
      {{Cell(std::int64_t{7}), Cell(2.0), Cell(std::string("1.005")), Cell(std::string(" 5 "))}});
  ASSERT_TRUE(sink_of(store)->add_batch(batch(1), rows).ok());
  EXPECT_NE(
      commit_text(store, 1).find(R"(\"minValues\":{\"id\":7,\"s\":\"2.0\",\"m\":1.01,\"i\":5})"),
      std::string::npos)
      << commit_text(store, 1);
  const auto bad = rows_of("i STRING", {{Cell(std::string("five"))}});
  EXPECT_TRUE(sink_of(store)->add_batch(batch(2), bad).status().is("CAST_INVALID_INPUT"));
  const auto big = rows_of("i BIGINT", {{Cell(std::int64_t{1} << 40)}});
  EXPECT_TRUE(
      sink_of(store)->add_batch(batch(2), big).status().is("CAST_OVERFLOW_IN_TABLE_INSERT"));
  EXPECT_EQ(state(store)->version(), 1);
}

TEST(DeltaSink, PartitionsGoIntoTheirFolders) {
  const auto store = io::memory_store();
  const auto sink = sink_of(store, {}, {"p"});
  const auto t = [](const char* text) { return Cell(std::string(text)); };
  const Cell n(std::int64_t{1});
  ASSERT_TRUE(
      sink->add_batch(batch(0), rows_of("id BIGINT, p STRING",
                                        {{n, t("a b")}, {n, t("c/d")}, {n, Cell()}, {n, t("a b")}}))
          .ok());
  const std::string commit = commit_text(store, 0);
  EXPECT_NE(commit.find("{\"add\":{\"path\":\"p=a%20b/part-00000-"), std::string::npos);
  EXPECT_NE(commit.find("{\"add\":{\"path\":\"p=c%252Fd/part-00000-"), std::string::npos);
  EXPECT_NE(commit.find("\"partitionValues\":{\"p\":null}"), std::string::npos);
  EXPECT_EQ(
      store->list_names("/out", "").value(),
      (std::vector<std::string>{"_delta_log", "p=__HIVE_DEFAULT_PARTITION__", "p=a b", "p=c%2Fd"}));
  EXPECT_EQ(row_count(state(store)), 4);
  // Another partitioning than the table's is refused.
  EXPECT_TRUE(sink_of(store, {}, {"id"})
                  ->add_batch(batch(1), rows_of("id BIGINT, p STRING", {{n, t("x")}}))
                  .status()
                  .is("DELTA_METADATA_MISMATCH"));
}

TEST(DeltaSink, ATwinOfTheQueryIsStopped) {
  const auto store = io::memory_store();
  const auto ours = sink_of(store);
  ASSERT_TRUE(ours->add_batch(batch(0), ids(0, 1)).ok());
  // The twin commits batch 1 between our look at the log and our commit.
  const auto twin = sink_of(store);
  auto rows = ids(1, 1);
  auto& partition = rows.partitions[0];
  partition = [&, inner = partition]() {
    CHECK(twin->add_batch(batch(1), ids(1, 1)).ok());
    return inner();
  };
  EXPECT_TRUE(ours->add_batch(batch(1), rows).status().is("DELTA_CONCURRENT_TRANSACTION"));
  EXPECT_EQ(row_count(state(store)), 2);
}

// A batch costs the same whatever the length of the log: nothing is listed, nothing is read.
TEST(DeltaSink, ABatchDoesNotReadTheLog) {
  const auto memory = io::memory_store();
  std::vector<std::string> calls;
  const auto store = std::make_shared<io::FaultStore>(memory, [&](const io::StoreCall& call) {
    calls.push_back(call.operation);
    return io::Fault::none;
  });
  const auto sink = sink_of(store, options("delta.checkpointInterval", "1000"));
  for (int i = 0; i < 20; ++i) {
    calls.clear();
    ASSERT_TRUE(sink->add_batch(batch(i), ids(i, 1)).ok());
  }
  // The last is the checksum file.
  EXPECT_EQ(calls, (std::vector<std::string>{"stat", "get", "put", "put_if_absent", "stat",
                                             "put_if_absent"}));
}

// Each store call fails once, before its effect, after it, or by a crash; the batch is tried again
// as the loop would after a restart. In the end each row is there once.
TEST(DeltaSink, EveryCallFailsOnce) {
  for (const auto fault : {io::Fault::error_before, io::Fault::error_after, io::Fault::crash_before,
                           io::Fault::crash_after}) {
    for (std::int64_t n = 0;; ++n) {
      const auto memory = io::memory_store();
      const auto store = std::make_shared<io::FaultStore>(memory, io::fail_call(n, fault));
      auto sink = sink_of(store, options("delta.checkpointInterval", "2"));
      for (int i = 0; i < 5; ++i) {
        for (int attempt = 0;; ++attempt) {
          ASSERT_LT(attempt, 4);
          if (sink->add_batch(batch(i), ids(i * 10, 10)).ok()) break;
          store->reboot();
          sink = sink_of(store, options("delta.checkpointInterval", "2"));
        }
      }
      const auto snapshot = state(memory);
      EXPECT_EQ(snapshot->version(), 4) << "call " << n;
      EXPECT_EQ(row_count(snapshot), 50) << "call " << n;
      if (store->calls() <= n) break;
    }
  }
}

}  // namespace
}  // namespace millstream::sink
