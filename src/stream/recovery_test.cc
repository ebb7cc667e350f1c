#include "stream/recovery.h"

#include <gtest/gtest.h>

namespace millstream::stream {
namespace {

OffsetEntry entry(const char* offset, std::int64_t watermark = 0, std::int64_t timestamp = 0) {
  OffsetEntry out;
  out.watermark_ms = watermark;
  out.timestamp_ms = timestamp;
  out.conf = {{"spark.sql.shuffle.partitions", "2"}};
  out.offsets = {offset};
  return out;
}

TEST(Recovery, DecidesByTheLogs) {
  const struct {
    const char* name;
    std::optional<BatchId> offsets, commit;
    BatchId batch;
    bool constructed;
    const char* start;  // null: the beginning
    const char* end;
  } cases[] = {
      {"committed", 4, 4, 5, false, "4", "4"},
      {"first batch committed", 0, 0, 1, false, "0", "0"},
      {"logged only", 4, 3, 4, true, "3", "4"},
      {"first batch logged only", 0, std::nullopt, 0, true, nullptr, "0"},
      {"no commits at all", 4, std::nullopt, 4, true, "3", "4"},
      {"commits lag behind", 4, 1, 4, true, "3", "4"},
  };
  for (const auto& c : cases) {
    LogState log;
    const std::string newest = std::to_string(*c.offsets);
    const std::string previous = std::to_string(*c.offsets - 1);
    log.newest_offsets = {*c.offsets, entry(newest.c_str(), 10, 77)};
    if (*c.offsets > 0) log.previous_offsets = entry(previous.c_str());
    if (c.commit) log.newest_commit = {*c.commit, CommitEntry{30}};
    const auto plan = plan_recovery(log, 1, {});
    ASSERT_TRUE(plan.ok()) << c.name << plan.status().to_string();
    EXPECT_EQ(plan->batch, c.batch) << c.name;
    EXPECT_EQ(plan->is_constructed, c.constructed) << c.name;
    EXPECT_EQ(plan->start[0], c.start ? std::optional<std::string>(c.start) : std::nullopt)
        << c.name;
    EXPECT_EQ(plan->end[0], std::optional<std::string>(c.end)) << c.name;
    EXPECT_EQ(plan->watermark_ms, c.constructed ? 10 : 30) << c.name;
    EXPECT_EQ(plan->timestamp_ms, c.constructed ? 77 : 0) << c.name;
    EXPECT_EQ(plan->warning.empty(), !c.constructed || *c.offsets == 0 || c.commit == 3) << c.name;
  }
}

TEST(Recovery, AFirstRunPinsAllKeys) {
  const auto plan = plan_recovery({}, 2, {{"spark.sql.shuffle.partitions", "7"}});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->batch, 0);
  EXPECT_EQ(plan->start, Offsets(2));
  EXPECT_EQ(plan->conf.size(), 15U);
  EXPECT_EQ(plan->conf.at("spark.sql.shuffle.partitions"), "7");
  EXPECT_EQ(plan->conf.at("spark.sql.streaming.join.stateFormatVersion"), "2");
}

TEST(Recovery, LoggedSettingsHold) {
  LogState log;
  log.newest_offsets = {0, entry("5")};
  log.newest_offsets->entry.conf["spark.sql.new.in.4.3"] = "true";
  log.newest_commit = {0, {}};
  const auto plan = plan_recovery(log, 1, {{"spark.sql.shuffle.partitions", "9"}});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->conf.at("spark.sql.shuffle.partitions"), "2");
  EXPECT_EQ(plan->conf.at("spark.sql.new.in.4.3"), "true");
  EXPECT_EQ(plan->conf.at("spark.sql.streaming.join.stateFormatVersion"), "1")
      << "a log without the key comes from a Spark that had format 1";
}

TEST(Recovery, RefusesWhatWouldLoseOrDoubleRows) {
  LogState hole;
  hole.directory = "/ck";
  hole.newest_offsets = {2, entry("2")};
  hole.newest_commit = {2, {}};
  const auto no_previous = plan_recovery(hole, 1, {});
  ASSERT_FALSE(no_previous.ok());
  EXPECT_TRUE(no_previous.status().message().starts_with("batch 1 doesn't exist"));

  hole.previous_offsets = entry("1");
  hole.newest_commit = {3, {}};
  EXPECT_TRUE(plan_recovery(hole, 1, {}).status().message().starts_with("batch 3 doesn't exist"));

  LogState commits_only;
  commits_only.directory = "/ck";
  commits_only.newest_commit = {0, {}};
  EXPECT_EQ(plan_recovery(commits_only, 1, {}).status().condition(),
            "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY");

  LogState more_sources;
  more_sources.newest_offsets = {0, entry("0")};
  EXPECT_EQ(
      plan_recovery(more_sources, 2, {}).status().message(),
      "assertion failed: There are [1] sources in the checkpoint offsets and now there are [2] "
      "sources requested by the query. Cannot continue. Give the changed query a new checkpoint "
      "location.");

  LogState stateful = more_sources;
  stateful.stateful_operators = {"OperatorId: 0"};
  EXPECT_EQ(plan_recovery(stateful, 1, {}).status().condition(),
            "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA");

  LogState legacy = more_sources;
  legacy.newest_offsets->entry.has_metadata = false;
  EXPECT_FALSE(plan_recovery(legacy, 1, {}).ok());
}

TEST(Recovery, NamesTheOperatorsThatHaveState) {
  auto store = io::memory_store();
  ASSERT_TRUE(
      store
          ->put("/ck/state/0/_metadata/metadata",
                "v1\n{\"operatorInfo\":{\"operatorId\":0,\"operatorName\":\"stateStoreSave\"},"
                "\"stateStoreInfo\":[]}")
          .ok());
  ASSERT_TRUE(store->put("/ck/state/1/0/1.delta", "x").ok());
  const Checkpoint checkpoint(store, "/ck");
  const auto state = read_log_state(checkpoint);
  ASSERT_TRUE(state.ok()) << state.status().to_string();
  EXPECT_EQ(state->stateful_operators,
            (std::vector<std::string>{"(OperatorId: 0 -> OperatorName: stateStoreSave)",
                                      "(OperatorId: 1 -> OperatorName: unknown)"}));
}

TEST(Recovery, ReadsTheLogs) {
  auto store = io::memory_store();
  Checkpoint checkpoint(store, "/ck");
  for (BatchId batch = 0; batch < 3; ++batch) {
    ASSERT_TRUE(checkpoint.add_offsets(batch, entry(std::to_string(batch).c_str())).ok());
    if (batch == 2) break;
    ASSERT_TRUE(checkpoint.add_commit(batch, {}).ok());
  }
  ASSERT_TRUE(checkpoint.load().ok());
  const auto state = read_log_state(checkpoint);
  ASSERT_TRUE(state.ok()) << state.status().to_string();
  EXPECT_EQ(state->newest_offsets->batch, 2);
  EXPECT_EQ(state->previous_offsets->offsets, Offsets{"1"});
  EXPECT_EQ(state->newest_commit->batch, 1);

  ASSERT_TRUE(store->put("/ck/offsets/2", "").ok());  // torn
  EXPECT_NE(
      read_log_state(checkpoint).status().message().find("/ck/offsets/2. Incomplete log file"),
      std::string::npos);
  ASSERT_TRUE(store->put("/ck/commits/1", "").ok());
  EXPECT_NE(
      read_log_state(checkpoint).status().message().find("/ck/commits/1. Incomplete log file"),
      std::string::npos);
}

}  // namespace
}  // namespace millstream::stream
