// Central moments and comoments as aggregates of DuckDB's, by Spark's formulas: its digits, NaN
// where it has NaN, a few numbers a group.
#pragma once

#include <duckdb.h>

#include "base/status.h"

namespace millstream::engine {

Status register_moments(duckdb_connection connection);

}  // namespace millstream::engine
