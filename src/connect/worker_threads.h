// WorkerThreads: threads for operations and analyses. Each has a large stack, because plans are
// trees that may be thousands of levels deep and are walked by recursion. A thread is made when
// none is idle and ends after some idle seconds, so the number of operations at once is not limited
// and an idle server has no such threads. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace millstream::connect {

class WorkerThreads {
 public:
  WorkerThreads() = default;
  ~WorkerThreads();  // waits for all tasks
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Runs the task soon; tasks may block for as long as they like.
  void submit(std::function<void()> task);

 private:
  static void* entry(void* self);
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable all_gone_;
  std::deque<std::function<void()>> queue_;
  int threads_ = 0;
  int idle_ = 0;
  bool stopping_ = false;
};

}  // namespace millstream::connect
