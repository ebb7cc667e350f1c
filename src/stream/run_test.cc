#include "stream/run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/failpoint.h"
#include "io/sim_store.h"
#include "stream/fakes.h"

namespace millstream::stream {
namespace {

using fakes::Feed;
using nlohmann::json;

class Recorder final : public RunObserver {
 public:
  void set_message(std::string message) override { messages.push_back(std::move(message)); }
  void set_flags(bool, bool) override {}
  std::uint64_t begin_trigger() override { return 0; }
  void no_new_data(std::uint64_t) override { ++idle_triggers; }
  void on_planned() override {}
  void on_progress(Progress p) override { progress.push_back(std::move(p)); }
  void on_idle(Progress p, std::optional<std::string> event) override {
    progress.push_back(std::move(p));
    if (event) idle_events.push_back(*std::move(event));
  }
  std::vector<std::string> messages;
  std::vector<Progress> progress;
  std::vector<std::string> idle_events;
  int idle_triggers = 0;
};

class Loop : public testing::Test {
 protected:
  Loop() {
    failpoints::disarm_all();
    feed->total = 12;
    spec.plan = fakes::scan_of(std::make_shared<fakes::NumberTable>(feed));
    spec.checkpoint = "/ck";
    spec.trigger.kind = Trigger::Kind::available_now;
    environment.engine = &engine;
    environment.store = store;
    environment.clock = &clock;
    environment.cancel = &cancel;
    environment.sleep = [this](std::chrono::nanoseconds time) {
      clock.advance_us(time.count() / 1000);
      sleeps_ms.push_back(time.count() / 1'000'000);
      if (on_sleep) on_sleep();
      return cancel.cancelled();
    };
  }
  ~Loop() override { failpoints::disarm_all(); }

  Status run() {
    spec.sink = std::make_shared<fakes::VersionedSink>(store, "/table");
    auto id = Checkpoint::open_query_id(*store, "/ck", random);
    if (!id.ok()) return id.status();
    StreamRun stream_run(spec, *id, "run", environment, recorder);
    const Status status = stream_run.run();
    block = stream_run.debug_block();
    return status;
  }
  std::vector<std::int64_t> rows() { return fakes::VersionedSink::rows(*store, "/table"); }
  std::vector<std::int64_t> all() {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < feed->total; ++i) out.push_back(i);
    return out;
  }
  std::vector<std::string> log(const char* name) {
    return store->list_names(std::string("/ck/") + name, "").ok()
               ? *store->list_names(std::string("/ck/") + name, "")
               : std::vector<std::string>();
  }

  io::SimClock clock;
  Random random{7};
  std::shared_ptr<io::Store> store = io::memory_store(&clock);
  std::shared_ptr<Feed> feed = std::make_shared<Feed>();
  fakes::PassEngine engine;
  CancelToken cancel;
  QuerySpec spec;
  RunEnvironment environment;
  Recorder recorder;
  std::vector<std::int64_t> sleeps_ms;
  std::function<void()> on_sleep;
  std::string block;
};

TEST_F(Loop, AvailableNowReadsWhatIsThereInBatches) {
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(rows(), all());
  EXPECT_EQ(log("offsets"), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(log("commits"), (std::vector<std::string>{"0", "1", "2"}));
  ASSERT_TRUE(run().ok());  // nothing new: nothing is written
  EXPECT_EQ(log("offsets").size(), 3U);
  feed->total = 13;
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(rows(), all());
}

TEST_F(Loop, OnceIsOneBatchOfEverything) {
  spec.trigger.kind = Trigger::Kind::once;
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(rows(), all());
  EXPECT_EQ(log("commits"), std::vector<std::string>{"0"});
}

TEST_F(Loop, OnceFinishesAPendingBatchAndStops) {
  failpoints::arm("stream.after_offsets", failpoints::Action::error);
  EXPECT_FALSE(run().ok());
  spec.trigger.kind = Trigger::Kind::once;
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(rows().size(), 5U);
}

TEST_F(Loop, ASourceWithoutAvailableNowRunsOneBatch) {
  feed->available_now = false;
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(log("commits"), std::vector<std::string>{"0"});
  EXPECT_EQ(rows(), all());
}

TEST_F(Loop, ProcessingTimeFallsOnMultiplesOfTheInterval) {
  spec.trigger = {Trigger::Kind::processing_time, 60'000};
  clock.advance_us(20'000'000);  // 00:00:20
  feed->total = 10;
  int sleeps = 0;
  on_sleep = [&] {
    if (++sleeps == 2) cancel.cancel();
  };
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(sleeps_ms, (std::vector<std::int64_t>{40'000, 60'000}));
}

TEST_F(Loop, AReplayIsTheSameBatch) {
  failpoints::arm("stream.after_plan", failpoints::Action::error);
  EXPECT_FALSE(run().ok());
  const auto logged = *store->get("/ck/offsets/0");
  const std::int64_t first = engine.last_timestamp_us;
  clock.advance_us(5'000'000);
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(*store->get("/ck/offsets/0"), logged);
  EXPECT_EQ(*parse_offsets(logged, "o")->offsets[0], R"({"entry":0})");
  EXPECT_EQ(parse_offsets(logged, "o")->timestamp_ms * 1000, first);
}

TEST_F(Loop, EachStepMayFailOnce) {
  for (const char* name : run_failpoints) {
    for (int hit = 0; hit < 3; ++hit) {
      store = io::memory_store(&clock);
      environment.store = store;
      failpoints::disarm_all();
      failpoints::arm(name, failpoints::Action::error, hit);
      const Status failed = run();
      ASSERT_FALSE(failed.ok()) << name;
      EXPECT_NE(failed.message().find(name), std::string::npos);
      ASSERT_TRUE(run().ok()) << name << run().to_string();
      EXPECT_EQ(rows(), all()) << name << " at pass " << hit;
      EXPECT_EQ(log("offsets"), log("commits"));
    }
  }
}

TEST_F(Loop, EachStoreCallMayFailOnce) {
  for (const auto fault : {io::Fault::error_before, io::Fault::error_after, io::Fault::crash_before,
                           io::Fault::crash_after}) {
    for (std::int64_t n = 0;; ++n) {
      auto faulty =
          std::make_shared<io::FaultStore>(io::memory_store(&clock), io::fail_call(n, fault));
      store = faulty;
      environment.store = faulty;
      const Status first = run();
      faulty->reboot();
      faulty->choose_by(nullptr);
      const Status second = run();
      ASSERT_TRUE(second.ok()) << "call " << n << ": " << second.to_string();
      ASSERT_EQ(rows(), all()) << "after a fault at call " << n;
      if (first.ok() && faulty->calls() > n) break;
      ASSERT_LT(n, 500);
    }
  }
}

TEST_F(Loop, KeepsSoManyLogEntries) {
  spec.conf["spark.sql.streaming.minBatchesToRetain"] = "2";
  feed->total = 16;
  feed->rows_per_trigger = 1;
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(log("offsets"), (std::vector<std::string>{"13", "14", "15"}));
}

TEST_F(Loop, ProgressHasSparksTwoForms) {
  spec.name = "hourly";
  spec.conf["spark.sql.streaming.noDataProgressEventInterval"] = "0";
  feed->keeps_log = false;
  ASSERT_TRUE(run().ok());
  ASSERT_EQ(recorder.progress.size(), 4U);
  const json stored = json::parse(recorder.progress[1].stored_json);
  const json event = json::parse(recorder.progress[1].event_json);
  std::vector<std::string> keys;
  const auto ordered = nlohmann::ordered_json::parse(recorder.progress[1].stored_json);
  for (const auto& [key, value] : ordered.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{
                      "id", "runId", "name", "timestamp", "batchId", "batchDuration", "durationMs",
                      "eventTime", "stateOperators", "sources", "sink", "observedMetrics"}));
  EXPECT_EQ(stored["sources"][0]["startOffset"], R"({"row":5})");
  EXPECT_EQ(event["sources"][0]["startOffset"], json::parse(R"({"row":5})"));
  EXPECT_EQ(event["sources"][0]["endOffset"], json::parse(R"({"row":10})"));
  EXPECT_EQ(event["numInputRows"], 5);
  EXPECT_EQ(event["sink"],
            json::parse(R"({"description":"VersionedSink[/table]","numOutputRows":5})"));
  EXPECT_FALSE(event.contains("eventTime"));
  EXPECT_FALSE(event.contains("observedMetrics"));
  std::vector<std::string> phases;
  for (const auto& [key, value] : event["durationMs"].items()) phases.push_back(key);
  EXPECT_EQ(phases,
            (std::vector<std::string>{"addBatch", "commitOffsets", "getBatch", "latestOffset",
                                      "queryPlanning", "triggerExecution", "walCommit"}));
  // The trigger that found nothing.
  const json idle = json::parse(recorder.progress[3].event_json);
  EXPECT_EQ(idle["batchId"], 3);
  EXPECT_EQ(idle["sink"]["numOutputRows"], 0);
  EXPECT_EQ(idle["durationMs"].size(), 2U);
}

TEST_F(Loop, ARunWithoutABatchStillReportsOnce) {
  feed->total = 0;
  spec.trigger = {Trigger::Kind::processing_time, 0};
  const std::int64_t began = clock.now_ms();
  on_sleep = [&] {
    if (clock.now_ms() - began >= 15'000) cancel.cancel();
  };
  ASSERT_TRUE(run().ok());
  EXPECT_LT(recorder.idle_triggers, 200) << "a query at rest polls rarely";
  ASSERT_EQ(recorder.progress.size(), 2U);
  EXPECT_EQ(json::parse(recorder.progress[0].event_json)["sink"]["numOutputRows"], -1);
  EXPECT_EQ(recorder.idle_events.size(), 1U) << "the first idle trigger tells nobody";
}

TEST_F(Loop, ErrorsShowTheQuery) {
  feed->fail_batch = "boom";
  spec.name = "hourly";
  EXPECT_EQ(run().message(), "boom");
  EXPECT_TRUE(block.starts_with("=== Streaming Query ===\nIdentifier: hourly [id = ")) << block;
  EXPECT_NE(block.find("Current Committed Offsets: {}\nCurrent Available Offsets: {NumberSource: "
                       "{\"entry\":0}}\n\n"
                       "Current State: ACTIVE\nThread State: RUNNABLE\n\nLogical Plan:\n"),
            std::string::npos);
  ASSERT_TRUE(store->put("/ck/offsets/0", "").ok());
  EXPECT_FALSE(run().ok());
  EXPECT_TRUE(block.ends_with("Current State: INITIALIZING\nThread State: RUNNABLE")) << block;
}

TEST_F(Loop, OneSourceForEachTable) {
  auto table = std::make_shared<fakes::NumberTable>(feed);
  auto other = std::make_shared<Feed>();
  other->total = 1;
  spec.plan = fakes::union_of({fakes::scan_of(table),
                               fakes::scan_of(std::make_shared<fakes::NumberTable>(other)),
                               fakes::scan_of(table)});
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(parse_offsets(*store->get("/ck/offsets/0"), "o")->offsets.size(), 2U);
  EXPECT_EQ(rows().size(), 12U + 1U + 12U);
  EXPECT_EQ(json::parse(recorder.progress[0].event_json)["sources"][0]["numInputRows"], 10)
      << "a table that is read twice counts twice, as in Spark";
}

TEST_F(Loop, AnotherWriterOfTheCheckpointIsNoticed) {
  on_sleep = [&] { cancel.cancel(); };
  spec.trigger = {Trigger::Kind::processing_time, 0};
  feed->total = 5;
  on_sleep = [&, sleeps = 0]() mutable {
    if (++sleeps == 1) {
      ASSERT_TRUE(store->put("/ck/offsets/1", "v1\n{}\n-").ok());
      feed->total = 10;
    } else {
      cancel.cancel();
    }
  };
  EXPECT_EQ(run().condition(), "CONCURRENT_STREAM_LOG_UPDATE");
  EXPECT_EQ(rows().size(), 5U) << "the loser has not run the batch";
}

}  // namespace
}  // namespace millstream::stream
