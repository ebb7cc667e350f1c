#include "engine/kernels.h"
namespace millstream::engine {
Status register_datetime_kernels(duckdb_connection) { return Status::OK(); }
}  // namespace millstream::engine
