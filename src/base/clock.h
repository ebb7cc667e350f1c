// Time comes in through here, so that a simulation can step it. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>

namespace millstream {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_us() const = 0;        // since the epoch, UTC
  virtual std::int64_t monotonic_ns() const = 0;  // for durations
  std::int64_t now_ms() const { return now_us() / 1000; }
};

class SystemClock final : public Clock {
 public:
  std::int64_t now_us() const override {
    using namespace std::chrono;
    return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
  }
  std::int64_t monotonic_ns() const override {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace millstream
