#include "sink/simple_sinks.h"

#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

namespace millstream::sink {
namespace {

const column::Schema schema = {{"v", column::long_type(), true, {}}};

connector::RecordBatchPtr batch_of(const std::vector<std::int64_t>& values) {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return arrow::RecordBatch::Make(column::to_arrow(schema),
                                  static_cast<std::int64_t>(values.size()),
                                  {builder.Finish().ValueOrDie()});
}

connector::Batches rows(const std::vector<std::int64_t>& values) {
  return connector::batches_of(schema, {batch_of(values)});
}

Options options(const std::map<std::string, std::string>& values) { return Options(values); }

connector::SinkBatch id(std::int64_t batch_id,
                        connector::OutputMode mode = connector::OutputMode::append) {
  return {batch_id, "q", mode, nullptr};
}

TEST(NoopSink, CountsAndTakesAnyOption) {
  auto sink = make_sink("noop", options({{"whatever", "1"}}), {}).value();
  EXPECT_EQ(sink->add_batch(id(0), rows({1, 2, 3})).value(), 3);
}

TEST(MemorySink, AppendTakesABatchOnce) {
  SinkEnv env;
  env.memory_table = std::make_shared<MemoryTable>("t", schema);
  auto sink = make_sink("memory", Options(), env).value();
  ASSERT_TRUE(sink->add_batch(id(0), rows({1})).ok());
  ASSERT_TRUE(sink->add_batch(id(0), rows({1})).ok());
  ASSERT_TRUE(sink->add_batch(id(1), rows({2, 3})).ok());
  EXPECT_EQ(env.memory_table->row_count(), 3);
  const auto read = connector::collect(env.memory_table->scan({{"v"}, {}, {}}).value()).value();
  EXPECT_EQ(read.size(), 2u);
}

TEST(MemorySink, CompleteReplaces) {
  SinkEnv env;
  env.memory_table = std::make_shared<MemoryTable>("t", schema);
  auto sink = make_sink("memory", Options(), env).value();
  ASSERT_TRUE(sink->add_batch(id(0, connector::OutputMode::complete), rows({1, 2})).ok());
  ASSERT_TRUE(sink->add_batch(id(1, connector::OutputMode::complete), rows({7})).ok());
  EXPECT_EQ(env.memory_table->row_count(), 1);
}

TEST(MemorySink, NeedsAName) {
  EXPECT_EQ(make_sink("memory", Options(), {}).status().message(),
            "queryName must be specified for memory sink.");
}

TEST(ConsoleSink, PrintsBannerAndTable) {
  std::string printed;
  SinkEnv env;
  env.show = [](const column::Schema&, const std::vector<connector::RecordBatchPtr>& batches,
                int show_rows, int truncate) -> Result<std::string> {
    return fmt::format("{} batches {} {}\n", batches.size(), show_rows, truncate);
  };
  env.print = [&](std::string_view text) { printed += text; };
  auto sink = make_sink("console", options({{"numRows", "5"}, {"truncate", "false"}}), env).value();
  EXPECT_EQ(sink->add_batch(id(4), rows({1, 2})).value(), 2);
  EXPECT_EQ(printed,
            "-------------------------------------------\nBatch: "
            "4\n-------------------------------------------\n"
            "1 batches 5 0\n\n");
  EXPECT_FALSE(make_sink("console", options({{"numRowz", "5"}}), env).ok());
}

TEST(Sinks, RefusedByName) {
  EXPECT_NE(make_sink("parquet", Options(), {}).status().message().find("'parquet'"),
            std::string::npos);
  EXPECT_TRUE(make_sink("nonsense", Options(), {}).status().is("DATA_SOURCE_NOT_FOUND"));
  SinkEnv env;
  env.partition_columns = {"a"};
  EXPECT_FALSE(make_sink("noop", Options(), env).ok());
}

}  // namespace
}  // namespace millstream::sink
