// Functions over values of any type. One is registered with DuckDB for each combination of types
// that statements use, when the first of them is prepared; the SQL of the functions table names it
// "@array_union". Immutable; any thread.
#pragma once

#include <duckdb.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engine/value.h"

namespace millstream::engine {

struct ValueKernel {
  std::string function;
  std::vector<column::TypePtr> arguments;
  column::TypePtr result;
  std::string time_zone;

  std::string name() const;  // in SQL; tells the types apart
};

using Values = std::vector<Value>;

struct ValueFunction {
  std::string_view name;
  Result<Value> (*compute)(const ValueKernel& kernel, const Values& arguments);
  bool sees_nulls = false;  // otherwise a NULL argument gives NULL
};

std::span<const ValueFunction> array_functions();
std::span<const ValueFunction> map_functions();
std::span<const ValueFunction> group_functions();
std::span<const ValueFunction> hash_functions();

Status register_value_kernel(duckdb_connection connection, const ValueKernel& kernel);

}  // namespace millstream::engine
