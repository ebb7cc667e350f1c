// ms_approx_distinct_p(hash): Spark's HyperLogLog++, 4 <= p <= 14, as aggregates of DuckDB's; 2^p
// bytes a group.
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <span>

#include "base/status.h"

namespace millstream::engine {

Status register_approx_distinct(duckdb_connection connection);

// The same of a set of codes, where no aggregate can be used: ms_approx_code(hash, p) is all that a
// sketch sees of a hash.
std::int64_t approx_distinct_of(std::span<const std::int64_t> codes, int p);

}  // namespace millstream::engine
