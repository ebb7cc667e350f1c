// Whether a statement takes memory that DuckDB does not count: texts of aggregates, which no limit
// holds. Used by the thread that runs the statement.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/duck.h"

namespace millstream::engine {

class MemoryWatch {
 public:
  // `connection`: one that runs nothing else. Counts from now on.
  MemoryWatch(Connection connection, std::int64_t limit);
  // What the process has taken since the beginning, beyond what DuckDB counts, is more than a share
  // of the limit. Looks at most so often as costs nothing.
  bool exceeded();

 private:
  std::int64_t uncounted() const;

  Connection connection_;
  const std::int64_t share_;
  const std::int64_t before_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace millstream::engine
