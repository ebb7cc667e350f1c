#include "conc/cancel.h"

#include <utility>

namespace millstream {

namespace {

// The callback that this thread is in: it may forget itself.
thread_local std::pair<const CancelToken*, std::size_t> running{nullptr, 0};

}  // namespace

void CancelToken::cancel() {
  std::unique_lock lock(mutex_);
  if (cancelled_) return;
  cancelled_ = true;
  changed_.notify_all();
  while (!callbacks_.empty()) {
    const auto next = callbacks_.begin();
    const std::size_t id = next->first;
    auto callback = std::exchange(next->second, nullptr);  // that it runs, for forget()
    lock.unlock();
    const auto outer = std::exchange(running, {this, id});
    callback();
    callback = nullptr;
    running = outer;
    lock.lock();
    callbacks_.erase(id);
    changed_.notify_all();
  }
}

bool CancelToken::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

bool CancelToken::wait_for(std::chrono::nanoseconds duration) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, duration, [&] { return cancelled_; });
}

std::size_t CancelToken::on_cancel(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_) {
      callbacks_.emplace(next_id_, std::move(callback));
      return next_id_++;
    }
  }
  callback();
  return static_cast<std::size_t>(-1);
}

// What the callback needs may go after this: one that runs on another thread is waited for.
void CancelToken::forget(std::size_t id) {
  std::unique_lock lock(mutex_);
  const auto found = callbacks_.find(id);
  if (found == callbacks_.end() || running == std::pair(static_cast<const CancelToken*>(this), id))
    return;
  if (found->second != nullptr) {
    callbacks_.erase(found);
    return;
  }
  changed_.wait(lock, [&] { return !callbacks_.contains(id); });
}

}  // namespace millstream
