#include "stream/manager.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "stream/fakes.h"
#include "stream/lock.h"

namespace millstream::stream {
namespace {

using fakes::Feed;

class EventLog final : public Listener {
 public:
  void on_event(const QueryEvent& event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  std::vector<QueryEvent> take() {
    const std::lock_guard lock(mutex_);
    return std::move(events_);
  }

 private:
  std::mutex mutex_;
  std::vector<QueryEvent> events_;
};

class Queries : public testing::Test {
 protected:
  Queries() { feed->total = 12; }

  QuerySpec spec(const std::string& checkpoint,
                 Trigger::Kind kind = Trigger::Kind::processing_time) {
    QuerySpec out;
    out.plan = fakes::scan_of(std::make_shared<fakes::NumberTable>(feed));
    out.sink = std::make_shared<fakes::VersionedSink>(store, "/table");
    out.checkpoint = checkpoint;
    out.trigger.kind = kind;
    out.session_key = "s";
    return out;
  }
  QueryPtr start(QuerySpec s) {
    auto query = manager->start(std::move(s), nullptr);
    EXPECT_TRUE(query.ok()) << query.status().to_string();
    return *query;
  }

  SystemClock clock;
  fakes::PassEngine engine;
  std::shared_ptr<io::Store> store = io::memory_store();
  std::shared_ptr<Feed> feed = std::make_shared<Feed>();
  std::unique_ptr<QueryManager> manager = QueryManager::create(engine, store, clock);
};

TEST_F(Queries, RunToTheEnd) {
  EventLog events;
  manager->add_listener("s", &events);
  QuerySpec s = spec("/ck", Trigger::Kind::available_now);
  s.name = "n";
  bool ended = false;
  s.on_end = [&] { ended = true; };
  std::string started;
  const auto query = manager->start(std::move(s), &started);
  ASSERT_TRUE(query.ok());
  EXPECT_TRUE(*(*query)->await_termination(std::nullopt, nullptr));
  EXPECT_TRUE(ended);
  EXPECT_EQ(fakes::VersionedSink::rows(*store, "/table").size(), 12U);
  EXPECT_NE(started.find("\"id\":\"" + (*query)->id() + "\""), std::string::npos);
  EXPECT_FALSE((*query)->active());
  EXPECT_FALSE((*query)->exception().has_value());
  EXPECT_EQ((*query)->status().message, "Stopped");
  EXPECT_EQ((*query)->recent_progress().size(), 3U);
  EXPECT_EQ(manager->find((*query)->id(), ""), *query);
  EXPECT_EQ(manager->find((*query)->id(), "other"), nullptr);
  EXPECT_TRUE(manager->active("s").empty());
  EXPECT_TRUE(*manager->await_any_termination("s", std::nullopt, nullptr));
  manager->remove_listener(&events);
  const auto seen = events.take();
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0].kind, QueryEvent::Kind::progress);
  EXPECT_TRUE(seen[0].json.starts_with("{\"progress\":{\"id\":"));
  EXPECT_EQ(seen[3].kind, QueryEvent::Kind::terminated);
}

TEST_F(Queries, StopInterruptsAtOnce) {
  QuerySpec s = spec("/ck");
  s.trigger.interval_ms = 3'600'000;
  const auto query = start(std::move(s));
  EXPECT_TRUE(query->active());
  EXPECT_FALSE(*query->await_termination(std::chrono::milliseconds(0), nullptr));
  EXPECT_TRUE(query->stop().ok());
  EXPECT_FALSE(query->active());
  EXPECT_FALSE(query->exception().has_value());
  EXPECT_TRUE(*query->await_termination(std::nullopt, nullptr));
}

TEST_F(Queries, ProcessAllAvailableWaitsForWhatIsThere) {
  const auto query = start(spec("/ck"));
  EXPECT_TRUE(query->process_all_available(nullptr).ok());
  EXPECT_EQ(fakes::VersionedSink::rows(*store, "/table").size(), 12U);
  EXPECT_NE(query->explain(false).find("== Physical Plan =="), std::string::npos);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_FALSE(query->await_termination(std::nullopt, &cancel).ok());
}

TEST_F(Queries, AFailureIsKept) {
  feed->fail_batch = "boom";
  EventLog events;
  manager->add_listener("s", &events);
  const auto query = start(spec("/ck"));
  const auto ended = query->await_termination(std::nullopt, nullptr);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.status().condition(), "STREAM_FAILED");
  EXPECT_TRUE(ended.status().message().starts_with(
      fmt::format("[STREAM_FAILED] Query [id = {}, runId = {}] terminated with exception: boom "
                  "SQLSTATE: XXKST\n"
                  "=== Streaming Query ===\n",
                  query->id(), query->run_id())))
      << ended.status().message();
  EXPECT_TRUE(query->exception_text().starts_with(
      "org.apache.spark.sql.streaming.StreamingQueryException: boom\n=== Streaming Query ===\n"));
  EXPECT_EQ(query->status().message, "Terminated with exception: boom");
  EXPECT_FALSE(query->process_all_available(nullptr).ok());
  EXPECT_FALSE(manager->await_any_termination("s", std::nullopt, nullptr).ok());
  manager->reset_terminated("s");
  EXPECT_FALSE(*manager->await_any_termination("s", std::chrono::milliseconds(0), nullptr));
  manager->remove_listener(&events);
  const auto seen = events.take();
  ASSERT_FALSE(seen.empty());
  EXPECT_NE(seen.back().json.find("\"exception\":\"java.io.IOException: boom\""),
            std::string::npos);
}

TEST_F(Queries, OneLiveRunForEachCheckpoint) {
  const auto first = start(spec("/ck"));
  const auto second = start(spec("/ck"));
  EXPECT_FALSE(first->active()) << "the old run gives way";
  EXPECT_FALSE(first->exception().has_value());
  EXPECT_EQ(first->id(), second->id());
  EXPECT_NE(first->run_id(), second->run_id());
  EXPECT_EQ(manager->find(first->id(), ""), second);
  EXPECT_EQ(manager->find(first->id(), first->run_id()), first);
  QuerySpec third = spec("/ck");
  third.conf["spark.sql.streaming.stopActiveRunOnRestart"] = "false";
  const auto refused = manager->start(std::move(third), nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.status().message().starts_with("Cannot start query with id " + first->id()));
  EXPECT_TRUE(second->active());
}

TEST_F(Queries, NamesAreUniqueInASession) {
  QuerySpec a = spec("/a");
  a.name = "n";
  QuerySpec b = spec("/b");
  b.name = "n";
  const auto query = start(std::move(a));
  EXPECT_EQ(manager->start(std::move(b), nullptr).status().message(),
            "Cannot start query with name n as a query with that name is already active in this "
            "SparkSession");
  manager->stop_all("s");
  EXPECT_FALSE(query->active());
}

TEST_F(Queries, SettingsThatChangeTheCheckpointAreRefusedByName) {
  for (const auto& [key, value] : std::map<std::string, std::string>{
           {"spark.sql.streaming.queryEvolution.enableSourceEvolution", "true"},
           {"spark.sql.streaming.offsetLog.formatVersion", "2"},
           {"spark.sql.streaming.minBatchesToRetain", "0"}}) {
    QuerySpec s = spec("/ck");
    s.conf[key] = value;
    const auto refused = manager->start(std::move(s), nullptr);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.status().message().find(key), std::string::npos)
        << refused.status().message();
  }
  EXPECT_FALSE(*store->exists("/ck/metadata"));
}

TEST_F(Queries, ACheckpointThatCannotBeWrittenIsNamed) {
  std::string file = (std::filesystem::temp_directory_path() / "millstream_file_XXXXXX").string();
  const int fd = ::mkstemp(file.data());
  ASSERT_GE(fd, 0);
  ::close(fd);
  store = io::local_store();
  manager = QueryManager::create(engine, store, clock);
  const auto refused = manager->start(spec(file + "/ck"), nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.status().message().starts_with("The checkpoint location " + file +
                                                     "/ck cannot be written"))
      << refused.status().message();
  std::filesystem::remove(file);
}

TEST_F(Queries, TemporaryCheckpointsGoWithTheQuery) {
  QuerySpec s = spec("/tmp-ck", Trigger::Kind::available_now);
  s.temporary_checkpoint = true;
  EXPECT_TRUE(*start(std::move(s))->await_termination(std::nullopt, nullptr));
  EXPECT_FALSE(*store->exists("/tmp-ck/metadata"));
}

TEST(Lock, NamesItsHolder) {
  std::string directory =
      (std::filesystem::temp_directory_path() / "millstream_lock_XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  {
    const auto mine = CheckpointLock::acquire(directory);
    ASSERT_TRUE(mine.ok());
    ASSERT_TRUE((*mine)->describe("the-id", "the-run", 0).ok());
    const auto theirs = CheckpointLock::acquire(directory);
    ASSERT_FALSE(theirs.ok());
    EXPECT_EQ(theirs.status().condition(), "CONCURRENT_QUERY");
    EXPECT_NE(theirs.status().message().find("\"id\":\"the-id\""), std::string::npos);
    EXPECT_NE(theirs.status().message().find(fmt::format("\"pid\":{}", ::getpid())),
              std::string::npos);
  }
  EXPECT_TRUE(CheckpointLock::acquire(directory).ok()) << "free again";
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace millstream::stream
