#include "conc/cancel.h"

namespace millstream {

void CancelToken::cancel() {
  std::map<std::size_t, std::function<void()>> callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return;
    cancelled_ = true;
    callbacks.swap(callbacks_);
  }
  changed_.notify_all();
  for (const auto& [id, callback] : callbacks) callback();
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

void CancelToken::forget(std::size_t id) {
  const std::lock_guard lock(mutex_);
  callbacks_.erase(id);
}

}  // namespace millstream
