// Observed: what the server told of one observation, as its first action brought it. Thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <variant>

#include "millstream/exceptions.h"
#include "millstream/value.h"

namespace spark::connect {
class ExecutePlanResponse_ObservedMetrics;
}  // namespace spark::connect

namespace millstream::client {

class Observed {
 public:
  // Keeps the first that comes.
  void take(const spark::connect::ExecutePlanResponse_ObservedMetrics& metrics);
  // Nothing has come: a row without columns. Throws what was wrong.
  api::Row get() const;
  // True for the first caller: an observation is of one DataFrame.
  bool claim();

 private:
  mutable std::mutex mutex_;
  bool is_claimed_ = false;                                          // guarded by mutex_
  std::optional<std::variant<api::Row, api::SparkException>> told_;  // guarded by mutex_
};

}  // namespace millstream::client
