// ms_approx_distinct(hash, p): Spark's HyperLogLog++ as an aggregate of DuckDB's, 2^p bytes a
// group.
#pragma once

#include <duckdb.h>

#include "base/status.h"

namespace millstream::engine {

Status register_approx_distinct(duckdb_connection connection);

}  // namespace millstream::engine
