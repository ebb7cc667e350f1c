// Kernels of intervals times and over numbers.
#pragma once

#include <duckdb.h>

#include "base/status.h"

namespace millstream::engine {

Status register_interval_kernels(duckdb_connection connection);

}  // namespace millstream::engine
