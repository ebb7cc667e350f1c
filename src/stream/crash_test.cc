// The process dies for real, as by kill -9, at each step of the loop; the next process must go on
// without loss.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/failpoint.h"
#include "stream/fakes.h"
#include "stream/lock.h"
#include "stream/run.h"

namespace millstream::stream {
namespace {

class Silent final : public RunObserver {
 public:
  void set_message(std::string) override {}
  void set_flags(bool, bool) override {}
  std::uint64_t begin_trigger() override { return 0; }
  void no_new_data(std::uint64_t) override {}
  void on_planned() override {}
  void on_progress(Progress) override {}
  void on_idle(Progress, std::optional<std::string>) override {}
};

constexpr std::int64_t row_count = 12;

// All of the query's life in one process, from the lock on.
Status run_query(const std::string& directory) {
  const auto store = io::local_store();
  const std::string checkpoint = directory + "/ck";
  TRY(store->make_directories(checkpoint));
  TRY_ASSIGN(const auto lock, CheckpointLock::acquire(checkpoint));
  Random random = Random::from_device();
  TRY_ASSIGN(const std::string id, Checkpoint::open_query_id(*store, checkpoint, random));
  auto feed = std::make_shared<fakes::Feed>();
  feed->total = row_count;
  QuerySpec spec;
  spec.plan = fakes::scan_of(std::make_shared<fakes::NumberTable>(feed));
  spec.sink = std::make_shared<fakes::VersionedSink>(store, directory + "/table");
  spec.checkpoint = checkpoint;
  spec.trigger.kind = Trigger::Kind::available_now;
  SystemClock clock;
  fakes::PassEngine engine;
  Silent observer;
  RunEnvironment environment;
  environment.engine = &engine;
  environment.store = store;
  environment.clock = &clock;
  environment.sleep = [](std::chrono::nanoseconds) { return false; };
  StreamRun run(spec, id, random.uuid(), environment, observer);
  return run.run();
}

class Crash : public testing::TestWithParam<std::string> {};

// How a process ends that runs the query and dies when it passes the step for the n-th time.
int exit_code_of_child(const std::string& directory, const std::string& step, int passes) {
  const pid_t child = ::fork();
  if (child == 0) {
    failpoints::disarm_all();
    failpoints::arm(step, failpoints::Action::crash, passes);
    const Status status = run_query(directory);
    ::_exit(status.ok() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  // The child was forked with our generator of names for temporary files; a new process has one of
  // its own.
  for (int i = 0; i < 1000; ++i) [[maybe_unused]] const std::string used = new_uuid();
  return WEXITSTATUS(status);
}

TEST_P(Crash, LosesAndDoublesNothing) {
  for (int passes = 0;; ++passes) {
    std::string directory =
        (std::filesystem::temp_directory_path() / "millstream_crash_XXXXXX").string();
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    const int code = exit_code_of_child(directory, GetParam(), passes);
    ASSERT_TRUE(code == 0 || code == 137) << code;
    const Status second = run_query(directory);
    ASSERT_TRUE(second.ok()) << second.to_string();
    const auto rows = fakes::VersionedSink::rows(*io::local_store(), directory + "/table");
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(row_count)) << "at pass " << passes;
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], static_cast<std::int64_t>(i));
    std::filesystem::remove_all(directory);
    if (code != 0) continue;
    ASSERT_GT(passes, 0) << "the failpoint was not reached";
    return;
  }
}

std::vector<std::string> steps() {
  std::vector<std::string> names(std::begin(run_failpoints), std::end(run_failpoints));
  names.emplace_back("stream.after_metadata");
  // Each durable file of the query, one after the other: it is written under a temporary name; it
  // has its own name beside the temporary one.
  names.emplace_back("store.before_publish");
  names.emplace_back("store.after_publish");
  return names;
}

INSTANTIATE_TEST_SUITE_P(EachStep, Crash, testing::ValuesIn(steps()), [](const auto& step) {
  return step.param.substr(step.param.rfind('.') + 1);
});

// The one who comes second learns who is there; the lock of a process that was killed is free.
TEST(CheckpointLocks, DieWithTheirProcess) {
  std::string directory =
      (std::filesystem::temp_directory_path() / "millstream_lock_XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = CheckpointLock::acquire(directory);
    const bool held = lock.ok() && lock.value()->describe("query-1", "run-1", 0).ok();
    [[maybe_unused]] const ssize_t told = ::write(ready[1], held ? "y" : "n", 1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  const auto refused = CheckpointLock::acquire(directory);
  EXPECT_EQ(refused.status().condition(), "CONCURRENT_QUERY");
  for (const std::string& part :
       {fmt::format("\"pid\":{}", child), std::string("\"host\":"),
        std::string("\"id\":\"query-1\""), std::string("\"runId\":\"run-1\""), directory}) {
    EXPECT_NE(refused.status().message().find(part), std::string::npos)
        << refused.status().message();
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto taken_over = CheckpointLock::acquire(directory);
  EXPECT_TRUE(taken_over.ok()) << taken_over.status().to_string();
  ::close(ready[0]);
  ::close(ready[1]);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace millstream::stream
