// Chance comes in through here: real, or seeded so that a failing run can be repeated. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

namespace millstream {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  static Random from_device();

  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);  // uniform in [0, bound), bound > 0
  std::string uuid();                        // version 4, lower case

  Random(Random&& other) noexcept : engine_(other.engine_) {}

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

// A fresh UUID of the process's own generator, for ids that no replay depends on (sessions,
// operations).
std::string new_uuid();
bool is_uuid(std::string_view text);

}  // namespace millstream
