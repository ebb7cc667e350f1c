// Waiting on a condition variable until something holds, a time has passed, or the waiter is
// cancelled.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "conc/cancel.h"

namespace millstream::stream {

// `shared` has `mutex` and `changed`. True: `ready()` holds, with `lock` held. False: time is up or
// `cancel` was cancelled.
template <typename Shared, typename Ready>
bool wait_until_ready(const std::shared_ptr<Shared>& shared, std::unique_lock<std::mutex>& lock,
                      std::optional<std::chrono::milliseconds> timeout, const CancelToken* cancel,
                      const Ready& ready) {
  std::size_t registration = 0;
  if (cancel != nullptr) {
    // Not under our mutex: a token that is cancelled already calls back at once.
    lock.unlock();
    registration = const_cast<CancelToken*>(cancel)->on_cancel([shared] {
      const std::lock_guard guard(shared->mutex);
      shared->changed.notify_all();
    });
    lock.lock();
  }
  const auto done = [&] { return ready() || (cancel != nullptr && cancel->cancelled()); };
  // A steady clock's whole range must not overflow the deadline.
  constexpr std::chrono::hours forever(24 * 365);
  if (timeout && *timeout < forever) {
    shared->changed.wait_for(lock, *timeout, done);
  } else {
    shared->changed.wait(lock, done);
  }
  const bool result = ready();
  if (cancel != nullptr) {
    lock.unlock();
    const_cast<CancelToken*>(cancel)->forget(registration);
    lock.lock();
  }
  return result;
}

}  // namespace millstream::stream
