// Kernels of intervals times and over numbers, and of texts as intervals.
#pragma once

#include <duckdb.h>

#include "base/status.h"

namespace millstream::engine {

Status register_interval_kernels(duckdb_connection connection);
Status register_interval_texts(duckdb_connection connection);

}  // namespace millstream::engine
