// What the engine promises its callers beyond values: partitions kept, errors as they were, cancel,
// replaceable inputs.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/test_plans.h"

namespace millstream::engine {
namespace {

using namespace testing;  // NOLINT

// A table of one BIGINT column whose partitions are given as batches of numbers.
class NumbersTable final : public connector::Table {
 public:
  explicit NumbersTable(std::vector<std::vector<std::int64_t>> partitions,
                        Status failure = Status::OK())
      : partitions_(std::move(partitions)), failure_(std::move(failure)) {}
  const column::Schema& schema() const override {
    static const column::Schema schema = {{"n", column::long_type(), true, {}}};
    return schema;
  }
  const column::Schema& metadata_fields() const override {
    static const column::Schema none;
    return none;
  }
  std::string describe() const override { return "numbers"; }
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override {
    connector::Batches out;
    out.schema = schema();
    for (const auto& numbers : partitions_) {
      out.partitions.push_back(
          [failure = failure_, numbers,
           columns = request.columns.size()]() -> Result<std::unique_ptr<connector::BatchReader>> {
            return std::unique_ptr<connector::BatchReader>(
                std::make_unique<Reader>(numbers, columns, failure));
          });
    }
    return out;
  }

 private:
  class Reader final : public connector::BatchReader {
   public:
    Reader(std::vector<std::int64_t> numbers, std::size_t columns, Status failure)
        : numbers_(std::move(numbers)), columns_(columns), failure_(std::move(failure)) {}
    Result<connector::RecordBatchPtr> next() override {
      if (done_) {
        if (!failure_.ok()) return failure_;
        return connector::RecordBatchPtr();
      }
      done_ = true;
      arrow::Int64Builder builder;
      EXPECT_TRUE(builder.AppendValues(numbers_).ok());
      auto array = builder.Finish().ValueOrDie();
      const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
      auto batch = arrow::RecordBatch::Make(schema, array->length(), {array});
      if (columns_ == 0)
        return arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector{}), array->length(),
                                        arrow::ArrayVector{});
      return batch;
    }

   private:
    std::vector<std::int64_t> numbers_;
    std::size_t columns_;
    Status failure_;
    bool done_ = false;
  };

  std::vector<std::vector<std::int64_t>> partitions_;
  Status failure_;
};

plan::NodePtr scan(std::shared_ptr<const connector::Table> table) {
  auto node = std::make_shared<plan::Scan>();
  for (const auto& field : table->schema()) {
    plan::Attribute attribute;
    attribute.id = plan::next_attribute_id();
    attribute.name = field.name;
    attribute.type = field.type;
    node->output.push_back(attribute);
    node->columns.push_back(field.name);
  }
  node->table = std::move(table);
  return node;
}

plan::NodePtr stream_scan() {
  auto node = std::make_shared<plan::StreamScan>();
  plan::Attribute attribute;
  attribute.id = plan::next_attribute_id();
  attribute.name = "n";
  attribute.type = column::long_type();
  node->output = {attribute};
  node->columns = {"n"};
  return node;
}

connector::Batches numbers(std::vector<std::int64_t> values) {
  return NumbersTable({std::move(values)}).scan({{"n"}, {}, {}}).value();
}

TEST(Engine, ScansKeepPartitionsWhenNothingIsComputed) {
  const auto table =
      std::make_shared<NumbersTable>(std::vector<std::vector<std::int64_t>>{{1, 2}, {3}, {}});
  const auto s = scan(table);
  const auto renamed = select(s, {col(s, 0)}, {"m"});
  const auto batches = shared_engine().execute(renamed, {});
  ASSERT_TRUE(batches.ok());
  EXPECT_EQ(batches->partitions.size(), 3U);
  EXPECT_EQ(rows_of(renamed), "1;2;3");
}

TEST(Engine, ComputesOverPartitionsInOrder) {
  std::vector<std::vector<std::int64_t>> parts;
  std::string expected;
  for (std::int64_t p = 0; p < 5; ++p) {
    parts.emplace_back();
    for (std::int64_t i = 0; i < 5000; ++i) {
      parts.back().push_back(p * 5000 + i);
      expected += (expected.empty() ? "" : ";") + std::to_string(p * 5000 + i + 1);
    }
  }
  const auto table = std::make_shared<NumbersTable>(parts);
  const auto s = scan(table);
  EXPECT_EQ(rows_of(select(s, {fn("+", {col(s, 0), lit(1)})})), expected);
  std::atomic<std::int64_t> counted{0};
  ExecutionContext context;
  context.on_input_rows = [&](const plan::Node* node, std::int64_t rows) {
    EXPECT_EQ(node, s.get());
    counted += rows;
  };
  EXPECT_EQ(rows_of(aggregate(s, {}, {fn("count", {lit(1)}), fn("sum", {col(s, 0)})}), context),
            "25000|312487500");
  EXPECT_EQ(counted, 25000);
}

TEST(Engine, ErrorsOfAReaderComeBackAsTheyWere) {
  const Status failure = Status::error("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", "`x`"}});
  const auto table =
      std::make_shared<NumbersTable>(std::vector<std::vector<std::int64_t>>{{1}, {2}}, failure);
  const auto s = scan(table);
  const auto p = aggregate(s, {}, {fn("sum", {col(s, 0)})});
  const auto batches = shared_engine().execute(p, {});
  ASSERT_TRUE(batches.ok());
  const auto rows = connector::collect(*batches);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.status().condition(), "TABLE_OR_VIEW_NOT_FOUND");
  EXPECT_EQ(rows.status().info().parameters.at("relationName"), "`x`");
}

TEST(Engine, OneStatementRunsOverEachBatch) {
  const auto s = stream_scan();
  const auto p = select(s, {fn("*", {col(s, 0), lit(2)})});
  for (std::int64_t batch = 0; batch < 4; ++batch) {
    ExecutionContext context;
    context.stream_inputs.emplace(s.get(), numbers({batch, batch + 1}));
    EXPECT_EQ(rows_of(p, context), fmt::format("{};{}", batch * 2, batch * 2 + 2));
  }
  EXPECT_EQ(rows_of(p), "");
}

TEST(Engine, TheCurrentTimeIsThatOfTheExecution) {
  const auto s = stream_scan();
  const auto p = select(s, {fn("current_timestamp", {}), fn("unix_timestamp", {})});
  for (const std::int64_t now : {1700000000000000LL, 1700000001500000LL}) {
    ExecutionContext context;
    context.timestamp_us = now;
    context.stream_inputs.emplace(s.get(), numbers({1}));
    const std::string wanted = now == 1700000000000000LL ? "2023-11-14 22:13:20|1700000000"
                                                         : "2023-11-14 22:13:21.5|1700000001";
    EXPECT_EQ(rows_of(p, context), wanted);
  }
}

TEST(Engine, CancelEndsAQuery) {
  const auto a = range(0, 3000000000LL);
  const auto p = aggregate(select(a, {fn("%", {col(a, 0), lit(std::int64_t{1000003})})}, {"k"}), {},
                           {fn("count", {lit(1)})});
  CancelToken token;
  ExecutionContext context;
  context.cancel = &token;
  const auto batches = shared_engine().execute(p, context);
  ASSERT_TRUE(batches.ok());
  std::thread canceller([&] { token.cancel(); });
  const auto rows = connector::collect(*batches);
  canceller.join();
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.status().condition(), "OPERATION_CANCELED");
}

// Rows without end, a few at a time; counts the threads that are being given some.
class EndlessReader final : public connector::BatchReader {
 public:
  explicit EndlessReader(std::atomic<int>& inside) : inside_(inside) {}
  Result<connector::RecordBatchPtr> next() override {
    ++inside_;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    arrow::Int64Builder builder;
    EXPECT_TRUE(builder.Append(1).ok());
    const auto array = builder.Finish().ValueOrDie();
    const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
    --inside_;
    return arrow::RecordBatch::Make(schema, 1, {array});
  }

 private:
  std::atomic<int>& inside_;
};

TEST(Engine, NobodyReadsAnInputOnceTheQueryIsGone) {
  std::atomic<int> inside{0};
  connector::Batches endless;
  for (int i = 0; i < 4; ++i) {
    endless.partitions.push_back([&]() -> Result<std::unique_ptr<connector::BatchReader>> {
      return std::unique_ptr<connector::BatchReader>(std::make_unique<EndlessReader>(inside));
    });
  }
  for (int i = 0; i < 30; ++i) {
    const auto s = stream_scan();
    const auto p = aggregate(s, {}, {fn("count", {lit(1)})});
    CancelToken token;
    ExecutionContext context;
    context.cancel = &token;
    context.stream_inputs.emplace(s.get(), endless);
    const auto batches = shared_engine().execute(p, context);
    ASSERT_TRUE(batches.ok());
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(i));
      token.cancel();
    });
    EXPECT_TRUE(connector::collect(*batches).status().is("OPERATION_CANCELED"));
    canceller.join();
    EXPECT_EQ(inside, 0);
  }
}

TEST(Engine, ObservesRowsThatPass) {
  const auto s = stream_scan();
  auto observe = std::make_shared<plan::CollectMetrics>();
  observe->output = s->output;
  observe->children = {s};
  observe->name = "seen";
  const auto metric = fn("count", {lit(1)});
  const auto sum = fn("sum", {col(s, 0)});
  observe->metrics = {plan::make_alias(metric, "rows", plan::next_attribute_id()),
                      plan::make_alias(sum, "total", plan::next_attribute_id())};
  const plan::NodePtr node = observe;
  for (const bool computed : {false, true}) {
    const auto p =
        computed ? filter(node, fn(">", {plan::make_attribute(node->output[0]), lit(1)})) : node;
    std::string seen;
    ExecutionContext context;
    context.stream_inputs.emplace(s.get(), numbers({1, 2, 3}));
    context.on_metrics = [&](ObservedMetrics metrics) {
      seen = fmt::format("{}:{}|{}", metrics.name,
                         metrics.row->column(0)->GetScalar(0).ValueOrDie()->ToString(),
                         metrics.row->column(1)->GetScalar(0).ValueOrDie()->ToString());
    };
    EXPECT_EQ(rows_of(p, context), computed ? "2;3" : "1;2;3");
    EXPECT_EQ(seen, "seen:3|6");
  }
}

TEST(Engine, RowsGuardedByAConditionAreNotComputed) {
  const auto r = range(0, 4);
  const auto safe = fn("and", {fn("!=", {col(r, 0), lit(std::int64_t{0})}),
                               fn(">", {fn("/", {lit(6), col(r, 0)}), lit(2.5)})});
  EXPECT_EQ(rows_of(filter(r, safe)), "1;2");
  const auto inner = filter(r, fn("!=", {col(r, 0), lit(std::int64_t{0})}));
  EXPECT_EQ(rows_of(filter(inner, fn(">", {fn("/", {lit(6), col(inner, 0)}), lit(2.5)}))), "1;2");
}

TEST(Engine, TypesPassThroughUnchanged) {
  const auto p =
      select(nullptr, {fn("array", {fn("named_struct", {lit("a"), lit(1), lit("A"), lit("x")})}),
                       null_of(column::null_type()), fn("map", {lit("k"), fn("array", {lit(1.5)})}),
                       null_of(column::day_time_interval_type(0, 3)),
                       cast(lit("2024-01-01"), column::timestamp_ntz_type())});
  EXPECT_EQ(rows_of(p), "[{1, x}]|NULL|{k -> [1.5]}|NULL|2024-01-01 00:00:00");
}

TEST(Engine, ManyOperators) {
  auto node = range(0, 3);
  for (int i = 0; i < 400; ++i)
    node = filter(select(node, {fn("+", {col(node, 0), lit(1)})}), lit(true));
  EXPECT_EQ(rows_of(node), "400;401;402");
}

}  // namespace
}  // namespace millstream::engine
