// Sketches of Apache DataSketches: hll_*, theta_*, tuple_* and kll_* as aggregates and scalar
// functions of DuckDB's. What crosses is the serialised form of the Java library, which Spark
// keeps in its tables. Registered once at start; called by DuckDB's threads.
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::engine {

Status register_hll_sketches(duckdb_connection connection);
Status register_theta_sketches(duckdb_connection connection);
Status register_tuple_sketches(duckdb_connection connection);
Status register_kll_sketches(duckdb_connection connection);

// Whether `function` makes or merges sketches of a group.
bool is_sketch_aggregate(std::string_view function);

// The third byte of every sketch says what it is.
enum class SketchFamily : std::uint8_t { theta = 3, hll = 7, tuple = 9 };
// An error when the bytes are a sketch of another family. Bytes that are none are left to the
// library.
Status check_family(std::string_view bytes, SketchFamily wanted, const std::string& function);

}  // namespace millstream::engine
