#include "conc/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace millstream {

ThreadPool::ThreadPool(int threads) {
  CHECK(threads > 0);
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void ThreadPool::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

Status ThreadPool::run_all(std::size_t count, const std::function<Status(std::size_t)>& task) {
  if (count == 0) return Status::OK();
  if (count == 1) return task(0);

  // Helpers hold the shared state, so one that starts after the caller has gone finds nothing to
  // do.
  struct Shared {
    std::function<Status(std::size_t)> task;
    std::size_t count;
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable idle;
    std::size_t running = 0;
    std::size_t first_failed;
    Status status;
  };
  auto shared = std::make_shared<Shared>();
  shared->task = task;
  shared->count = count;
  shared->first_failed = count;

  const auto help = [](Shared& s) {
    for (;;) {
      {
        const std::lock_guard lock(s.mutex);
        ++s.running;
      }
      const std::size_t i = s.next.fetch_add(1);
      Status status = i < s.count ? s.task(i) : Status::OK();
      const std::lock_guard lock(s.mutex);
      --s.running;
      if (!status.ok()) {
        s.next = s.count;
        if (i < s.first_failed) {
          s.first_failed = i;
          s.status = std::move(status);
        }
      }
      if (s.next >= s.count) {
        s.idle.notify_all();
        return;
      }
    }
  };

  const std::size_t helpers = std::min(count - 1, threads_.size());
  for (std::size_t i = 0; i < helpers; ++i) submit([shared, help] { help(*shared); });
  help(*shared);
  std::unique_lock lock(shared->mutex);
  shared->idle.wait(lock, [&] { return shared->running == 0; });
  return shared->status;
}

ThreadPool& shared_pool() {
  static ThreadPool pool(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  return pool;
}

}  // namespace millstream
