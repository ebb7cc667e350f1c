#include "engine/memory_watch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace millstream::engine {
namespace {

constexpr std::chrono::milliseconds interval{50};
// Less is the noise of a process.
constexpr std::int64_t share_min = 64 << 20;

std::int64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long long size = 0;
  long long resident = 0;
  const int got = std::fscanf(file, "%lld %lld", &size, &resident);
  std::fclose(file);
  return got == 2 ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

MemoryWatch::MemoryWatch(Connection connection, std::int64_t limit)
    : connection_(std::move(connection)),
      share_(std::max(limit / 8, share_min)),
      before_(uncounted()) {}

std::int64_t MemoryWatch::uncounted() const {
  duckdb_result result;
  const auto state =
      duckdb_query(connection_.get(),
                   "SELECT CAST(sum(memory_usage_bytes) AS BIGINT) FROM duckdb_memory()", &result);
  const std::int64_t counted = state == DuckDBSuccess ? duckdb_value_int64(&result, 0, 0) : 0;
  duckdb_destroy_result(&result);
  return resident_bytes() - counted;
}

bool MemoryWatch::exceeded() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + interval;
  return uncounted() - before_ > share_;
}

}  // namespace millstream::engine
