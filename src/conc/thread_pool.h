// A fixed number of threads that run tasks in the order given. One shared pool per process does the
// parallel work of all queries (shared_pool()); tasks must not block on other tasks of the same
// pool: use run_all, whose caller helps.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"

namespace millstream {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();  // runs what is queued, then joins
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void submit(std::function<void()> task);
  int size() const { return static_cast<int>(threads_.size()); }

  // Runs task(0) … task(count-1), on this thread too, and returns the first error by index. After
  // an error the tasks that have not begun are skipped.
  Status run_all(std::size_t count, const std::function<Status(std::size_t)>& task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// As many threads as the machine has cores.
ThreadPool& shared_pool();

}  // namespace millstream
