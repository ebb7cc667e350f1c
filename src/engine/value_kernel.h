// Functions over values of any type. One is registered with DuckDB for each combination of types
// that statements use, when the first of them is prepared; the SQL of the functions table names it
// "@array_union". Immutable; any thread.
#pragma once

#include <duckdb.h>

#include <map>
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
  std::map<std::string, std::string> options = {};  // of from_json and kin, names in lower case

  // The option's value; empty when it is not given.
  std::string_view option(std::string_view name) const;
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
std::span<const ValueFunction> json_functions();
std::span<const ValueFunction> avro_functions();
std::span<const ValueFunction> csv_functions();
std::span<const ValueFunction> number_functions();
std::span<const ValueFunction> variant_functions();
std::span<const ValueFunction> xml_functions();
std::span<const ValueFunction> sentence_functions();
std::span<const ValueFunction> calendar_functions();

Status register_value_kernel(duckdb_connection connection, const ValueKernel& kernel);

}  // namespace millstream::engine
