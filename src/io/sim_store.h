// The world of a deterministic simulation: a clock that moves only when told to, and a store in
// memory whose faults come from a seed. Same seed, same calls, same outcome.
#pragma once

#include <atomic>
#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "io/fault_store.h"

namespace millstream::io {

class SimClock final : public Clock {
 public:
  explicit SimClock(std::int64_t start_us = 1'767'225'600'000'000)
      : now_us_(start_us) {}  // 2026-01-01
  std::int64_t now_us() const override { return now_us_; }
  std::int64_t monotonic_ns() const override { return now_us_ * 1000; }
  void advance_us(std::int64_t us) { now_us_ += us; }

 private:
  std::atomic<std::int64_t> now_us_;
};

// How many of a thousand calls fail, by kind. Reads fail too, before their effect.
struct FaultRates {
  int errors_permille = 0;
  int crashes_permille = 0;
};

// `clock` outlives the store.
std::shared_ptr<FaultStore> sim_store(SimClock& clock);
// Each call takes some simulated time.
FaultStore::Chooser seeded_faults(SimClock& clock, Random& random, FaultRates rates);

}  // namespace millstream::io
