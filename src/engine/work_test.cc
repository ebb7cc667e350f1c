// One call of a function obeys the engine's memory and a cancellation.
#include "engine/work.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/test_plans.h"

namespace millstream::engine {
namespace {

using namespace testing;  // NOLINT

Status run(const plan::NodePtr& node, const ExecutionContext& context = {}) {
  static Engine& engine = lasting_engine(64 << 20);
  TRY_ASSIGN(const auto batches, engine.execute(node, context));
  return connector::collect(batches).status();
}

// Computed for a row, not when the statement is prepared.
plan::ExprPtr of_row(const plan::NodePtr& rows, const char* text) {
  return fn("concat", {lit(text), cast(col(rows, 0), column::string_type())});
}

TEST(Work, NestedValuesAreCounted) {
  const auto rows = range(0, 1);
  const auto inner = fn("array_repeat", {of_row(rows, "x"), lit(10'000)});
  const auto status = run(select(rows, {fn("array_repeat", {inner, lit(10'000)})}));
  EXPECT_EQ(status.condition(), "UNABLE_TO_ACQUIRE_MEMORY") << status.to_string();
  EXPECT_TRUE(run(select(rows, {fn("array_repeat", {inner, lit(2)})})).ok());
}

TEST(Work, TextsAreCounted) {
  const auto rows = range(0, 1);
  const auto text = of_row(rows, "0123456789");
  for (const char* name : {"repeat", "lpad", "rpad"}) {
    std::vector<plan::ExprPtr> arguments{text, lit(200'000'000)};
    if (name == std::string_view("repeat")) arguments = {text, lit(20'000'000)};
    const auto status = run(select(rows, {fn(name, arguments)}));
    EXPECT_EQ(status.condition(), "UNABLE_TO_ACQUIRE_MEMORY") << name << status.to_string();
  }
  const auto wide = fn("format_string", {lit("%90000000d"), col(rows, 0)});
  EXPECT_EQ(run(select(rows, {wide})).condition(), "UNABLE_TO_ACQUIRE_MEMORY");
  const auto absurd = fn("format_string", {lit("%99999999999d"), col(rows, 0)});
  EXPECT_EQ(run(select(rows, {absurd})).condition(), "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER");
}

TEST(Work, WhatIsGivenBackIsNotCounted) {
  const auto rows = range(0, 10'000);
  const auto text = fn("repeat", {of_row(rows, "0123456789"), lit(1'000)});
  const auto status = run(select(rows, {fn("length", {fn("reverse", {text})})}));
  EXPECT_TRUE(status.ok()) << status.to_string();
}

TEST(Work, TheTryFormDoesNotHideIt) {
  const auto rows = range(0, 1);
  const auto text = fn("repeat", {of_row(rows, "0123456789"), lit(20'000'000)});
  EXPECT_EQ(run(select(rows, {fn("length", {cast(text, column::int_type(), true)})})).condition(),
            "UNABLE_TO_ACQUIRE_MEMORY");
}

// Rows that cancel the query that reads them.
class CancellingRows final : public connector::BatchReader {
 public:
  explicit CancellingRows(CancelToken& token) : token_(token) {}
  Result<connector::RecordBatchPtr> next() override {
    if (std::exchange(done_, true)) return connector::RecordBatchPtr();
    // Later than the kernel begins, or before: it must hear of it in either case.
    later_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      token_.cancel();
    });
    arrow::StringBuilder text;
    (void)text.Append(std::string(200'000, 'a'));
    return arrow::RecordBatch::Make(arrow::schema({arrow::field("t", arrow::utf8())}), 1,
                                    {text.Finish().ValueOrDie()});
  }
  ~CancellingRows() override {
    if (later_.joinable()) later_.join();
  }

 private:
  CancelToken& token_;
  bool done_ = false;
  std::thread later_;
};

TEST(Work, ACallHearsOfACancellation) {
  CancelToken token;
  auto scan = std::make_shared<plan::StreamScan>();
  plan::Attribute text;
  text.id = plan::next_attribute_id();
  text.name = "t";
  text.type = column::string_type();
  scan->output = {text};
  ExecutionContext context;
  context.cancel = &token;
  connector::Batches rows;
  rows.schema = {{"t", column::string_type(), true, {}}};
  rows.partitions.push_back([&]() -> Result<std::unique_ptr<connector::BatchReader>> {
    return std::unique_ptr<connector::BatchReader>(std::make_unique<CancellingRows>(token));
  });
  const plan::NodePtr leaf = scan;
  context.stream_inputs[leaf.get()] = rows;
  const auto reversed = fn("concat", {lit("b"), col(leaf, 0)});
  const auto begun = std::chrono::steady_clock::now();
  const auto status = run(select(leaf, {fn("levenshtein", {col(leaf, 0), reversed})}), context);
  EXPECT_EQ(status.condition(), "OPERATION_CANCELED") << status.to_string();
  // The whole of it takes minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

}  // namespace
}  // namespace millstream::engine
