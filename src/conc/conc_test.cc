#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "conc/cancel.h"
#include "conc/thread_pool.h"

namespace millstream {
namespace {

TEST(ThreadPool, RunsEachTaskOnceAndHelps) {
  ThreadPool pool(2);
  std::vector<std::atomic<int>> runs(1000);
  ASSERT_TRUE(pool.run_all(runs.size(),
                           [&](std::size_t i) {
                             ++runs[i];
                             return Status::OK();
                           })
                  .ok());
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(ThreadPool, NestedRunsDoNotWaitForEachOther) {
  ThreadPool pool(1);
  std::atomic<int> inner{0};
  ASSERT_TRUE(pool.run_all(8,
                           [&](std::size_t) {
                             return pool.run_all(8, [&](std::size_t) {
                               ++inner;
                               return Status::OK();
                             });
                           })
                  .ok());
  EXPECT_EQ(inner, 64);
}

TEST(ThreadPool, TheFirstErrorWinsAndStopsTheRest) {
  ThreadPool pool(2);
  std::atomic<int> started{0};
  const Status status = pool.run_all(10'000, [&](std::size_t i) -> Status {
    ++started;
    return i >= 3 ? Status::invalid("task {}", i) : Status::OK();
  });
  EXPECT_FALSE(status.ok());
  EXPECT_LT(started, 10'000);
}

TEST(CancelToken, WakesWaitersAndCallsBackOnce) {
  CancelToken token;
  int calls = 0;
  token.on_cancel([&] { ++calls; });
  const auto forgotten = token.on_cancel([&] { calls += 100; });
  token.forget(forgotten);
  std::thread canceller([&] { token.cancel(); });
  EXPECT_TRUE(token.wait_for(std::chrono::seconds(60)));
  canceller.join();
  token.cancel();
  EXPECT_EQ(calls, 1);
  token.on_cancel([&] { ++calls; });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(token.check().condition(), "OPERATION_CANCELED");
}

TEST(CancelToken, ForgettingWaitsForACallbackThatRuns) {
  CancelToken token;
  std::promise<void> begun;
  std::atomic<bool> ended{false};
  const auto id = token.on_cancel([&] {
    begun.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ended = true;
  });
  const auto later = token.on_cancel([] { FAIL() << "it was forgotten before its turn"; });
  std::thread canceller([&] { token.cancel(); });
  begun.get_future().wait();
  token.forget(later);
  token.forget(id);
  EXPECT_TRUE(ended);
  canceller.join();
}

TEST(CancelToken, ACallbackMayForgetItself) {
  CancelToken token;
  std::size_t id = 0;
  int calls = 0;
  id = token.on_cancel([&] {
    token.forget(id);
    ++calls;
  });
  token.cancel();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace millstream
