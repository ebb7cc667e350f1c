#include "stream/stream_plan.h"

#include <gtest/gtest.h>

#include <functional>

#include "stream/fakes.h"

namespace millstream::stream {
namespace {

using connector::OutputMode;
using plan::JoinType;
using plan::NodePtr;
using plan::SetOperationType;

NodePtr stream() {
  return fakes::scan_of(std::make_shared<fakes::NumberTable>(std::make_shared<fakes::Feed>()));
}

NodePtr rows() {
  auto node = std::make_shared<plan::Range>();
  node->output = stream()->output;
  return node;
}

template <typename T>
NodePtr over(std::vector<NodePtr> children, const std::function<void(T&)>& set = {}) {
  auto node = std::make_shared<T>();
  node->output = children[0]->output;
  node->children = std::move(children);
  if (set) set(*node);
  return node;
}

NodePtr filter(NodePtr child) {
  const auto condition = plan::make_attribute(child->output[0]);
  return over<plan::Filter>({std::move(child)}, [&](auto& node) { node.condition = condition; });
}

NodePtr join(NodePtr left, NodePtr right, JoinType type) {
  return over<plan::Join>({std::move(left), std::move(right)},
                          [type](auto& node) { node.type = type; });
}

NodePtr set_operation(NodePtr left, NodePtr right, SetOperationType type) {
  return over<plan::SetOperation>({std::move(left), std::move(right)},
                                  [type](auto& node) { node.type = type; });
}

TEST(Supported, StatelessQueriesRun) {
  const std::vector<NodePtr> plans = {
      stream(),
      filter(stream()),
      over<plan::CollectMetrics>({stream()}),
      over<plan::Repartition>({stream()}),
      over<plan::Watermark>({stream()}),
      fakes::union_of({stream(), stream()}),
      join(stream(), rows(), JoinType::inner),
      join(stream(), rows(), JoinType::left),
      join(stream(), rows(), JoinType::semi),
      join(stream(), rows(), JoinType::anti),
      join(rows(), stream(), JoinType::right),
      join(stream(), over<plan::Aggregate>({rows()}),
           JoinType::inner),  // the static side may do what it likes
      join(stream(), over<plan::Sort>({rows()}), JoinType::inner),
  };
  for (std::size_t i = 0; i < plans.size(); ++i) {
    EXPECT_TRUE(check_supported(*plans[i], OutputMode::append).ok())
        << i << check_supported(*plans[i], OutputMode::append).to_string();
    EXPECT_TRUE(check_supported(*plans[i], OutputMode::update).ok()) << i;
    const Status complete = check_supported(*plans[i], OutputMode::complete);
    EXPECT_EQ(complete.message(),
              "[STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION] Invalid streaming output mode: "
              "complete. This output mode "
              "is not supported for no streaming aggregations on streaming DataFrames/DataSets. "
              "SQLSTATE: 42KDE");
  }
}

TEST(Supported, SparksRefusals) {
  const std::string ds = "streaming DataFrame/Dataset";
  const struct {
    NodePtr plan;
    OutputMode mode;
    std::string message;
  } cases[] = {
      {rows(), OutputMode::append,
       "Queries without streaming sources cannot be executed with writeStream.start();"},
      {over<plan::Sort>({stream()}), OutputMode::append,
       "Sorting is not supported on streaming DataFrames/Datasets, unless it is on aggregated "
       "DataFrame/Dataset in "
       "Complete output mode;"},
      {over<plan::Sample>({stream()}), OutputMode::append,
       "Sampling is not supported on streaming DataFrames/Datasets;"},
      {over<plan::Limit>({stream()}, [](auto& n) { n.count = 1; }), OutputMode::update,
       "Limits are not supported on streaming DataFrames/Datasets in Update output mode;"},
      {over<plan::Limit>({stream()}, [](auto& n) { n.offset = 1; }), OutputMode::append,
       "Offset is not supported on streaming DataFrames/Datasets;"},
      {over<plan::Deduplicate>({stream()}, [](auto& n) { n.within_watermark = true; }),
       OutputMode::append,
       "dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without "
       "watermark;"},
      {set_operation(stream(), rows(), SetOperationType::union_all), OutputMode::append,
       "Union between streaming and batch DataFrames/Datasets is not supported;"},
      {set_operation(stream(), rows(), SetOperationType::intersect), OutputMode::append,
       "Intersect of streaming DataFrames/Datasets is not supported;"},
      {set_operation(stream(), stream(), SetOperationType::except_all), OutputMode::append,
       "Except on a streaming DataFrame/Dataset on the right is not supported;"},
      {join(rows(), stream(), JoinType::left), OutputMode::append,
       "LeftOuter join with a streaming DataFrame/Dataset on the right and a static "
       "DataFrame/Dataset on the left is "
       "not supported;"},
      {join(stream(), rows(), JoinType::right), OutputMode::append,
       "RightOuter join with a streaming DataFrame/Dataset on the left and a static "
       "DataFrame/DataSet on the right not "
       "supported;"},
      {join(stream(), rows(), JoinType::full), OutputMode::append,
       "FullOuter joins with streaming DataFrames/Datasets on the left and a static "
       "DataFrame/Dataset on the right is "
       "not supported;"},
      {join(rows(), stream(), JoinType::semi), OutputMode::append,
       "LeftSemi join with a streaming DataFrame/Dataset on the right and a static "
       "DataFrame/Dataset on the left is "
       "not supported;"},
      {join(rows(), stream(), JoinType::anti), OutputMode::append,
       "LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported;"},
  };
  for (const auto& c : cases) {
    const Status refused = check_supported(*c.plan, c.mode);
    ASSERT_FALSE(refused.ok()) << c.message;
    EXPECT_TRUE(refused.message().starts_with(c.message + "\n")) << refused.message();
    EXPECT_EQ(refused.condition(), "_LEGACY_ERROR_TEMP_3102");
    EXPECT_EQ(refused.kind(), ErrorKind::analysis);
  }
  const Status aggregate = check_supported(*over<plan::Aggregate>({stream()}), OutputMode::append);
  EXPECT_EQ(aggregate.message(),
            "[STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION] Invalid streaming output mode: append. "
            "This output mode is "
            "not supported for streaming aggregations without watermark on streaming "
            "DataFrames/DataSets. SQLSTATE: "
            "42KDE");
}

// spark.sql.streaming.unsupportedOperationCheck=false: what works on each batch alone runs; state
// is refused all the same.
TEST(Supported, SparksCheckCanBeTurnedOff) {
  for (const NodePtr& plan :
       {over<plan::Sort>({stream()}), over<plan::Sample>({stream()}),
        set_operation(stream(), rows(), SetOperationType::union_all),
        join(rows(), stream(), JoinType::left), join(stream(), rows(), JoinType::full),
        join(rows(), stream(), JoinType::anti)}) {
    EXPECT_FALSE(check_supported(*plan, OutputMode::append).ok());
    EXPECT_TRUE(check_supported(*plan, OutputMode::append, false).ok());
  }
  for (const NodePtr& plan :
       {over<plan::Aggregate>({stream()}),
        over<plan::Limit>({stream()}, [](auto& n) { n.offset = 1; }),
        over<plan::Deduplicate>({stream()}, [](auto& n) { n.within_watermark = true; }),
        set_operation(stream(), rows(), SetOperationType::intersect),
        set_operation(stream(), stream(), SetOperationType::except_all),
        join(stream(), stream(), JoinType::anti)}) {
    EXPECT_EQ(check_supported(*plan, OutputMode::append, false).kind(),
              ErrorKind::unsupported_operation);
  }
  EXPECT_FALSE(check_supported(*rows(), OutputMode::append, false).ok());
}

TEST(Supported, AnEventTimeIsATimestamp) {
  const auto watermark = over<plan::Watermark>({stream()}, [](auto& node) {
    node.event_time = node.output[0].id;  // a BIGINT
  });
  const Status refused = check_supported(*watermark, OutputMode::append);
  EXPECT_EQ(refused.kind(), ErrorKind::unsupported_operation);
  EXPECT_NE(refused.message().find("'value' of type BIGINT"), std::string::npos)
      << refused.message();
}

TEST(Supported, StateIsRefusedByName) {
  const struct {
    NodePtr plan;
    OutputMode mode;
    std::string part;
  } cases[] = {
      {over<plan::Aggregate>({stream()}), OutputMode::update, "An aggregation"},
      {over<plan::Aggregate>({stream()}), OutputMode::complete, "An aggregation"},
      {over<plan::Deduplicate>({stream()}), OutputMode::append, "dropDuplicates or distinct"},
      {over<plan::Limit>({stream()}, [](auto& n) { n.count = 1; }), OutputMode::append, "limit"},
      {join(stream(), stream(), JoinType::inner), OutputMode::append, "A join of two streams"},
      {set_operation(stream(), stream(), SetOperationType::union_distinct), OutputMode::append,
       "union distinct"},
  };
  for (const auto& c : cases) {
    const Status refused = check_supported(*c.plan, c.mode);
    ASSERT_FALSE(refused.ok()) << c.part;
    EXPECT_NE(refused.message().find(c.part), std::string::npos) << refused.message();
    EXPECT_EQ(refused.kind(), ErrorKind::unsupported_operation);
  }
}

TEST(Inspect, FindsSourcesInPlanOrder) {
  const NodePtr a = stream();
  const NodePtr b = stream();
  const StreamPlan found = inspect(fakes::union_of({a, join(rows(), b, JoinType::inner), a}));
  ASSERT_EQ(found.tables.size(), 2U);
  EXPECT_EQ(found.tables[0], plan::as<plan::StreamScan>(*a).table);
  ASSERT_EQ(found.scans.size(), 2U);
  EXPECT_EQ(found.scans[1].node, b.get());
}

TEST(Inspect, TakesPlansOfAnyDepth) {
  NodePtr plan = stream();
  for (int i = 0; i < 20'000; ++i) plan = filter(plan);
  EXPECT_TRUE(check_supported(*plan, OutputMode::append).ok());
  EXPECT_EQ(inspect(plan).tables.size(), 1U);
}

}  // namespace
}  // namespace millstream::stream
