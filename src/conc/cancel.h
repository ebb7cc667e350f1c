// A request to stop, seen by everything that works for one operation or query. Thread-safe; shared
// by pointer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/status.h"

namespace millstream {

class CancelToken {
 public:
  void cancel();
  bool cancelled() const;
  Status check() const { return cancelled() ? Status::cancelled() : Status::OK(); }

  // Sleeps up to `duration`; true when cancelled meanwhile.
  bool wait_for(std::chrono::nanoseconds duration) const;

  // Called once on cancel, in the cancelling thread (at once when already cancelled). Unregister
  // with the id.
  std::size_t on_cancel(std::function<void()> callback);
  void forget(std::size_t id);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool cancelled_ = false;
  std::size_t next_id_ = 0;
  std::map<std::size_t, std::function<void()>> callbacks_;
};

}  // namespace millstream
