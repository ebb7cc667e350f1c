#include "stream/watermark.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "connector/batches.h"
#include "stream/fakes.h"

namespace millstream::stream {
namespace {

class TimeTable final : public connector::StreamTable {
 public:
  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return none_; }
  std::string describe() const override { return "times"; }
  Result<std::unique_ptr<connector::Source>> open(const connector::SourceContext&) const override {
    return Status::internal("not opened");
  }

 private:
  const column::Schema schema_ = {{"ts", column::timestamp_type(), true, ""}};
  const column::Schema none_;
};

connector::Batches times(std::vector<std::optional<std::int64_t>> millis) {
  const auto type = column::to_arrow(column::timestamp_type());
  arrow::TimestampBuilder builder(type, arrow::default_memory_pool());
  for (const auto& time : millis) {
    CHECK((time ? builder.Append(*time * 1000) : builder.AppendNull()).ok());
  }
  std::shared_ptr<arrow::Array> array;
  CHECK(builder.Finish(&array).ok());
  const auto rows = static_cast<std::int64_t>(millis.size());
  return connector::batches_of(
      TimeTable().schema(),
      {arrow::RecordBatch::Make(arrow::schema({arrow::field("ts", type)}), rows, {array})});
}

class Watermarks : public testing::Test {
 protected:
  Watermarks() {
    scan = fakes::scan_of(std::make_shared<TimeTable>());
    node = std::make_shared<plan::Watermark>();
    node->event_time = scan->output[0].id;
    node->delay_ms = 10'000;
    node->output = scan->output;
    node->children = {scan};
    auto instrumented = tracker.instrument(node);
    CHECK(instrumented.ok());
    root = *instrumented;
    auto created = engine::Engine::create({});
    CHECK(created.ok());
    engine = std::move(created).value();
  }

  std::int64_t batch(std::vector<std::optional<std::int64_t>> millis, std::int64_t current) {
    tracker.begin_batch();
    engine::ExecutionContext context;
    int taken = 0;
    context.on_metrics = [&](engine::ObservedMetrics metrics) {
      taken += tracker.take(metrics) ? 1 : 0;
    };
    context.stream_inputs[scan.get()] = times(std::move(millis));
    const auto rows = engine->execute(root, context);
    EXPECT_TRUE(rows.ok()) << rows.status().to_string();
    const auto collected = connector::collect(*rows);
    EXPECT_TRUE(collected.ok()) << collected.status().to_string();
    EXPECT_EQ(taken, 1);
    return tracker.advance(current, "min");
  }

  WatermarkTracker tracker;
  plan::NodePtr scan;
  std::shared_ptr<plan::Watermark> node;
  plan::NodePtr root;
  std::unique_ptr<engine::Engine> engine;
};

TEST_F(Watermarks, FollowTheLatestEventTime) {
  EXPECT_TRUE(tracker.any());
  EXPECT_EQ(batch({20'000, 25'500, 22'000}, 0), 15'500);
  EXPECT_EQ(tracker.report(0, true),
            (std::map<std::string, std::string>{{"min", "1970-01-01T00:00:20.000Z"},
                                                {"avg", "1970-01-01T00:00:22.500Z"},
                                                {"max", "1970-01-01T00:00:25.500Z"},
                                                {"watermark", "1970-01-01T00:00:00.000Z"}}));
  EXPECT_EQ(batch({21'000}, 15'500), 15'500) << "it never goes back";
  EXPECT_EQ(batch({}, 15'500), 15'500);
  EXPECT_EQ(tracker.report(15'500, true),
            (std::map<std::string, std::string>{{"watermark", "1970-01-01T00:00:15.500Z"}}));
}

TEST_F(Watermarks, IsNotRedefined) {
  auto second = std::make_shared<plan::Watermark>();
  second->event_time = scan->output[0].id;
  second->output = scan->output;
  second->children = {node};
  const auto refused = WatermarkTracker().instrument(second);
  EXPECT_TRUE(refused.status().message().starts_with("Redefining watermark is disallowed."));
  EXPECT_TRUE(WatermarkTracker().instrument(second, false).ok());
}

TEST_F(Watermarks, ANullCountsAsTheEpoch) {
  EXPECT_EQ(batch({std::nullopt, 30'000}, 0), 20'000);
  EXPECT_EQ(tracker.report(0, true).at("min"), "1970-01-01T00:00:00.000Z");
}

TEST_F(Watermarks, ARestartKeepsTheOldOneUntilRowsCome) {
  EXPECT_EQ(batch({5'000}, 99'000), 99'000);
}

}  // namespace
}  // namespace millstream::stream
