// Kernels in the bodies of lambdas: DuckDB computes those for lists of any length without looking
// up.
#include "engine/duck.h"
#include "engine/work.h"

namespace millstream::engine {
namespace {

// What the vector's rows hold beside it: texts, and the elements of lists by their number alone.
std::int64_t bytes_beside(duckdb_vector vector, idx_t rows) {
  constexpr std::int64_t element_bytes = 16;
  constexpr idx_t inlined_max = 12;  // bytes of a text that lie in the vector
  const LogicalType type(duckdb_vector_get_column_type(vector));
  std::int64_t bytes = 0;
  switch (duckdb_get_type_id(type.get())) {
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB: {
      const auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
      const std::uint64_t* validity = duckdb_vector_get_validity(vector);
      for (idx_t row = 0; row < rows; ++row) {
        if (validity != nullptr &&
            !duckdb_validity_row_is_valid(const_cast<std::uint64_t*>(validity), row))
          continue;
        const idx_t size = duckdb_string_t_length(texts[row]);
        if (size > inlined_max) bytes += static_cast<std::int64_t>(size);
      }
      return bytes;
    }
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_MAP:
      return static_cast<std::int64_t>(duckdb_list_vector_get_size(vector)) * element_bytes;
    case DUCKDB_TYPE_STRUCT:
      for (idx_t i = 0; i < duckdb_struct_type_child_count(type.get()); ++i)
        bytes += bytes_beside(duckdb_struct_vector_get_child(vector, i), rows);
      return bytes;
    default:
      return 0;
  }
}

Status watch_rows(duckdb_function_info info, duckdb_data_chunk input) {
  auto* work = static_cast<Work*>(duckdb_scalar_function_get_bind_data(info));
  if (work == nullptr) return Status::OK();
  const idx_t rows = duckdb_data_chunk_get_size(input);
  std::int64_t bytes = 0;
  for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(input); ++i)
    bytes += bytes_beside(duckdb_data_chunk_get_vector(input, i), rows);
  // The step copies it some times.
  constexpr std::int64_t copies = 4;
  return work->check_step(bytes * copies, static_cast<std::int64_t>(rows));
}

void watch(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const idx_t rows = duckdb_data_chunk_get_size(input);
  auto* yes = static_cast<bool*>(duckdb_vector_get_data(output));
  for (idx_t row = 0; row < rows; ++row) yes[row] = true;
  run_kernel(info, [&] { return watch_rows(info, input); });
}

// Always true. `with_state`: of a value that grows from step to step.
Status register_watch(duckdb_connection connection, const char* name, bool with_state) {
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name);
  if (with_state) {
    const LogicalType any(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
    duckdb_scalar_function_add_parameter(function, any.get());
  }
  const LogicalType boolean(duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN));
  duckdb_scalar_function_set_return_type(function, boolean.get());
  duckdb_scalar_function_set_special_handling(function);  // a NULL state is one too
  duckdb_scalar_function_set_volatile(function);
  bind_work(function);
  duckdb_scalar_function_set_function(function, watch);
  const auto state = duckdb_register_scalar_function(connection, function);
  duckdb_destroy_scalar_function(&function);
  return state == DuckDBSuccess ? Status::OK()
                                : Status::internal("DuckDB refused the function {}", name);
}

}  // namespace

Status register_watch_kernels(duckdb_connection connection) {
  TRY(register_watch(connection, "ms_watch", false));
  return register_watch(connection, "ms_watch_state", true);
}

}  // namespace millstream::engine
