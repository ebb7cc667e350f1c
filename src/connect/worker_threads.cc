#include "connect/worker_threads.h"

#include <pthread.h>

#include <chrono>

#include "base/check.h"

namespace millstream::connect {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256}
                                    << 20;  // address space; pages are used as they are touched
constexpr std::chrono::seconds idle_time{10};

}  // namespace

WorkerThreads::~WorkerThreads() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
  all_gone_.wait(lock, [&] { return threads_ == 0; });
}

void WorkerThreads::submit(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(task));
  if (static_cast<std::size_t>(idle_) >= queue_.size()) {
    wake_.notify_one();
    return;
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, &WorkerThreads::entry, this);
  pthread_attr_destroy(&attributes);
  // Without a new thread the task waits for one that becomes idle.
  if (failed == 0) {
    ++threads_;
  } else {
    CHECK(threads_ > 0);
  }
}

void* WorkerThreads::entry(void* self) {
  static_cast<WorkerThreads*>(self)->work();
  return nullptr;
}

void WorkerThreads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (queue_.empty()) {
      ++idle_;
      const bool woken =
          wake_.wait_for(lock, idle_time, [&] { return stopping_ || !queue_.empty(); });
      --idle_;
      if (queue_.empty() && (!woken || stopping_)) break;
      if (queue_.empty()) continue;
    }
    auto task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds goes before the thread counts as idle
    lock.lock();
  }
  --threads_;
  if (threads_ == 0) all_gone_.notify_all();
}

}  // namespace millstream::connect
