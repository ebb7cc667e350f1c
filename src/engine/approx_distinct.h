// ms_approx_distinct_p(hash): Spark's HyperLogLog++, 4 <= p <= 14, as aggregates of DuckDB's; 2^p
// bytes a group.
#pragma once

#include <duckdb.h>

#include "base/status.h"

namespace millstream::engine {

Status register_approx_distinct(duckdb_connection connection);

}  // namespace millstream::engine
