// Listeners of a session's streaming queries, and the waits of the query manager.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "client/session_of_test.h"

namespace millstream::api {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class Listeners : public SessionTest {
 protected:
  // The rate source needs no folder that a server elsewhere would see.
  static DataStreamWriter stream(const std::string& name) {
    DataStreamWriter writer = spark().read_stream().format("rate").load().write_stream();
    writer.format("noop").query_name(name);
    return writer;
  }
};

class Recorder : public StreamingQueryListener {
 public:
  void on_query_started(const QueryStartedEvent& event) override {
    note("started " + event.name, event.id, event.run_id);
    EXPECT_FALSE(event.timestamp.empty());
  }
  void on_query_progress(const QueryProgressEvent& event) override {
    EXPECT_THAT(event.progress, HasSubstr("\"numInputRows\""));
    note("progress " + event.name, event.id, event.run_id);
  }
  void on_query_terminated(const QueryTerminatedEvent& event) override {
    {
      const std::lock_guard lock(mutex_);
      error_class_ = event.error_class_on_exception;
    }
    note("terminated" + (event.exception ? " " + *event.exception : std::string()), event.id,
         event.run_id);
  }

  bool wait_for(const std::string& beginning) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 60s, [&] { return has(beginning); });
  }
  bool has_heard(const std::string& beginning) const {
    const std::lock_guard lock(mutex_);
    return has(beginning);
  }
  bool has(const std::string& beginning) const {
    for (const std::string& text : notes_)
      if (text.starts_with(beginning)) return true;
    return false;
  }
  std::string first() const {
    const std::lock_guard lock(mutex_);
    return notes_.empty() ? "" : notes_.front();
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return notes_.size();
  }
  std::string run_id() const {
    const std::lock_guard lock(mutex_);
    return run_id_;
  }
  std::optional<std::string> error_class() const {
    const std::lock_guard lock(mutex_);
    return error_class_;
  }

 private:
  void note(const std::string& text, const std::string& id, const std::string& run_id) {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(id.empty());
    notes_.push_back(text);
    run_id_ = run_id;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
  std::string run_id_;
  std::optional<std::string> error_class_;
};

TEST_F(Listeners, HearOfAQueryFromItsStartToItsEnd) {
  const auto recorder = std::make_shared<Recorder>();
  spark().streams().add_listener(recorder);
  const auto query = stream("heard").start();
  EXPECT_EQ(recorder->first(), "started heard");
  EXPECT_EQ(recorder->run_id(), query.run_id());
  EXPECT_TRUE(recorder->wait_for("progress heard"));
  query.stop();
  EXPECT_TRUE(recorder->wait_for("terminated"));
  EXPECT_FALSE(recorder->error_class().has_value());

  spark().streams().remove_listener(recorder);
  const std::size_t heard = recorder->size();
  const auto unheard = stream("unheard").start();
  unheard.process_all_available();
  unheard.stop();
  EXPECT_EQ(recorder->size(), heard);
  EXPECT_EQ(recorder.use_count(), 1);
}

TEST_F(Listeners, ManyMayListenAndOneThatThrowsHurtsNone) {
  struct Throwing : StreamingQueryListener {
    void on_query_started(const QueryStartedEvent&) override {
      throw std::runtime_error("started");
    }
    void on_query_progress(const QueryProgressEvent&) override { throw 1; }
  };
  const auto throwing = std::make_shared<Throwing>();
  const auto recorder = std::make_shared<Recorder>();
  spark().streams().add_listener(throwing);
  spark().streams().add_listener(recorder);
  const auto query = stream("loud").start();
  EXPECT_TRUE(recorder->wait_for("progress loud"));
  spark().streams().remove_listener(throwing);
  query.stop();
  EXPECT_TRUE(recorder->wait_for("terminated"));
  spark().streams().remove_listener(recorder);
  // The server listens anew.
  const auto again = std::make_shared<Recorder>();
  spark().streams().add_listener(again);
  stream("again").start().stop();
  EXPECT_TRUE(again->wait_for("terminated"));
  spark().streams().remove_listener(again);
}

TEST_F(Listeners, AListenerMayRemoveItselfAndUseTheSession) {
  struct Once : Recorder {
    void on_query_progress(const QueryProgressEvent& event) override {
      EXPECT_EQ(session.range(3).count(), 3);
      session.streams().remove_listener(self.lock());
      Recorder::on_query_progress(event);
    }
    explicit Once(SparkSession own) : session(std::move(own)) {}
    SparkSession session;
    std::weak_ptr<Once> self;
  };
  const auto once = std::make_shared<Once>(spark());
  once->self = once;
  spark().streams().add_listener(once);
  const auto query = stream("once").start();
  EXPECT_TRUE(once->wait_for("progress once"));
  query.stop();
  const auto after = std::make_shared<Recorder>();
  spark().streams().add_listener(after);
  stream("after").start().stop();
  EXPECT_TRUE(after->wait_for("terminated"));
  spark().streams().remove_listener(after);
}

TEST_F(Listeners, AListenerMayRemoveAnotherWhileAStartIsTold) {
  struct Remover : Recorder {
    Remover(SparkSession own, std::shared_ptr<Recorder> one)
        : session(std::move(own)), other(std::move(one)) {}
    SparkSession session;
    void on_query_started(const QueryStartedEvent&) override {
      session.streams().remove_listener(other);
    }
    std::shared_ptr<Recorder> other;
  };
  const auto other = std::make_shared<Recorder>();
  const auto remover = std::make_shared<Remover>(spark(), other);
  spark().streams().add_listener(remover);
  spark().streams().add_listener(other);
  std::vector<std::thread> threads;
  for (const char* name : {"a", "b"}) threads.emplace_back([name] { stream(name).start().stop(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(remover->wait_for("terminated"));
  EXPECT_FALSE(other->has_heard("terminated"));
  spark().streams().remove_listener(remover);
}

TEST_F(Listeners, TheManagerWaitsForTheFirstToEnd) {
  spark().streams().reset_terminated();
  const auto query = stream("waited").start();
  EXPECT_FALSE(spark().streams().await_any_termination(100ms));
  EXPECT_EQ(spark().streams().active().size(), 1U);
  const auto found = spark().streams().get(query.id());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->name(), "waited");
  query.stop();
  EXPECT_TRUE(spark().streams().await_any_termination(30s));
  EXPECT_TRUE(spark().streams().await_any_termination(30s));
  spark().streams().reset_terminated();
  EXPECT_FALSE(spark().streams().await_any_termination(100ms));
}

TEST_F(Listeners, ASessionThatEndsLosesItsListeners) {
  if (remote_of_test() != nullptr) GTEST_SKIP() << "a session of its own, embedded";
  std::weak_ptr<Recorder> gone;
  {
    auto session = std::make_unique<SparkSession>(
        SparkSession::builder().warehouse(folder() + "/other").get_or_create());
    struct Holding : Recorder {
      std::optional<SparkSession> session;
    };
    const auto holding = std::make_shared<Holding>();
    holding->session = *session;
    gone = holding;
    session->streams().add_listener(holding);
    session->stop();
  }
  EXPECT_TRUE(gone.expired());
}

TEST_F(Listeners, AFailureComesWithItsCondition) {
  if (remote_of_test() != nullptr) GTEST_SKIP() << "its source is a folder of this process";
  const std::string source = folder() + "/failing";
  spark().range(1).write().format("delta").save(source);
  const auto recorder = std::make_shared<Recorder>();
  spark().streams().add_listener(recorder);
  spark()
      .read_stream()
      .format("delta")
      .load(source)
      .select({(lit(1) / col("id")).alias("broken")})
      .write_stream()
      .format("noop")
      .trigger_available_now()
      .start();
  EXPECT_TRUE(recorder->wait_for("terminated"));
  EXPECT_THAT(recorder->error_class().value_or("none"), HasSubstr("DIVIDE_BY_ZERO"));
  spark().streams().remove_listener(recorder);
}

}  // namespace
}  // namespace millstream::api
