#include "engine/value_kernel.h"

#include <arrow/array/array_base.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>

#include <cstring>
#include <span>

#include "base/text.h"
#include "engine/duck.h"
#include "engine/kernels.h"
#include "engine/physical.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

std::string ValueKernel::name() const {
  std::string types = result->sql() + "|" + time_zone;
  for (const auto& argument : arguments) types += "|" + argument->sql();
  for (const auto& [key, value] : options) types += "|" + key + "=" + value;
  return fmt::format("ms_{}_{:016x}", function, std::hash<std::string>()(types));
}

std::string_view ValueKernel::option(std::string_view wanted) const {
  const auto found = options.find(std::string(wanted));
  return found == options.end() ? std::string_view() : std::string_view(found->second);
}

namespace {

const ValueFunction* find_function(std::string_view name) {
  for (const auto functions :
       {array_functions(), map_functions(), group_functions(), hash_functions(), json_functions(),
        csv_functions(), number_functions(), variant_functions(), xml_functions(),
        sentence_functions(), calendar_functions(), avro_functions()}) {
    for (const ValueFunction& function : functions) {
      if (function.name == name) return &function;
    }
  }
  return nullptr;
}

// What a registered kernel knows.
struct Registered {
  ValueKernel kernel;
  const ValueFunction* function;
  ArrowOptions options;
  std::shared_ptr<arrow::Schema> schema;  // of the arguments, as DuckDB exports them
};

// The members of a type that is a struct in the physical form alone.
std::span<const column::TypePtr> hidden_members(const DataType& type) {
  static const column::TypePtr variant[] = {column::binary_type(), column::binary_type()};
  static const column::TypePtr interval[] = {column::int_type(), column::int_type(),
                                             column::long_type()};
  if (type.kind() == TypeKind::variant) return variant;
  if (type.kind() == TypeKind::calendar_interval) return interval;
  return {};
}

void write_null(duckdb_vector vector, idx_t row, const DataType& type) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
  const idx_t hidden = hidden_members(type).size();
  for (idx_t i = 0; i < hidden; ++i) {
    const duckdb_vector member = duckdb_struct_vector_get_child(vector, i);
    duckdb_vector_ensure_validity_writable(member);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(member), row);
  }
  if (type.kind() != TypeKind::struct_) return;
  for (std::size_t i = 0; i < type.fields().size(); ++i)
    write_null(duckdb_struct_vector_get_child(vector, i), row, *type.fields()[i].type);
}

template <typename T, typename From>
void write_plain(duckdb_vector vector, idx_t row, From value) {
  const T narrowed = static_cast<T>(value);
  std::memcpy(static_cast<char*>(duckdb_vector_get_data(vector)) + row * sizeof(T), &narrowed,
              sizeof(T));
}

void write_decimal(duckdb_vector vector, idx_t row, Int128 value, int precision) {
  if (precision <= 4) return write_plain<std::int16_t>(vector, row, value);
  if (precision <= 9) return write_plain<std::int32_t>(vector, row, value);
  if (precision <= 18) return write_plain<std::int64_t>(vector, row, value);
  write_plain<Int128>(vector, row, value);
}

void write_value(duckdb_vector vector, idx_t row, const DataType& type, const Value& value);

// Arrays, and maps as lists of entries.
void write_list(duckdb_vector vector, idx_t row, const DataType& type, const Value& value) {
  const idx_t begin = duckdb_list_vector_get_size(vector);
  const idx_t count = value.items.size();
  duckdb_list_vector_reserve(vector, begin + count);
  duckdb_list_vector_set_size(vector, begin + count);
  static_cast<duckdb_list_entry*>(duckdb_vector_get_data(vector))[row] = {begin, count};
  const duckdb_vector child = duckdb_list_vector_get_child(vector);
  for (idx_t i = 0; i < count; ++i) {
    if (type.kind() == TypeKind::array) {
      write_value(child, begin + i, *type.element(), value.items[i]);
      continue;
    }
    write_value(duckdb_struct_vector_get_child(child, 0), begin + i, *type.key(),
                value.items[i].items[0]);
    write_value(duckdb_struct_vector_get_child(child, 1), begin + i, *type.value(),
                value.items[i].items[1]);
  }
}

void write_value(duckdb_vector vector, idx_t row, const DataType& type, const Value& value) {
  if (value.is_null()) return write_null(vector, row, type);
  switch (type.kind()) {
    case TypeKind::boolean:
    case TypeKind::byte_:
      return write_plain<std::int8_t>(vector, row, value.integer);
    case TypeKind::short_:
      return write_plain<std::int16_t>(vector, row, value.integer);
    case TypeKind::null:
    case TypeKind::int_:
    case TypeKind::date:
    case TypeKind::year_month_interval:
      return write_plain<std::int32_t>(vector, row, value.integer);
    case TypeKind::float_:
      return write_plain<float>(vector, row, value.floating);
    case TypeKind::double_:
      return write_plain<double>(vector, row, value.floating);
    case TypeKind::decimal:
      return write_decimal(vector, row, value.decimal, type.precision());
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
    case TypeKind::binary:
      return write_text(vector, row, value.text);
    case TypeKind::array:
    case TypeKind::map:
      return write_list(vector, row, type, value);
    case TypeKind::variant:
    case TypeKind::calendar_interval:
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        write_value(duckdb_struct_vector_get_child(vector, i), row, *hidden_members(type)[i],
                    value.items[i]);
      }
      return;
    case TypeKind::struct_:
      for (std::size_t i = 0; i < type.fields().size(); ++i) {
        write_value(duckdb_struct_vector_get_child(vector, i), row, *type.fields()[i].type,
                    value.items[i]);
      }
      return;
    default:
      return write_plain<std::int64_t>(vector, row, value.integer);
  }
}

Result<std::shared_ptr<arrow::RecordBatch>> to_arrow(const Registered& self,
                                                     duckdb_data_chunk chunk) {
  struct ArrowArray array;
  array.release = nullptr;
  const ErrorData failed(duckdb_data_chunk_to_arrow(self.options.get(), chunk, &array));
  if (failed && duckdb_error_data_has_error(failed.get()))
    return unwrap_error(duckdb_error_data_message(failed.get()));
  auto imported = arrow::ImportRecordBatch(&array, self.schema);
  if (!imported.ok()) return Status::internal("{}", imported.status().ToString());
  return *imported;
}

Status compute_rows(const Registered& self, duckdb_data_chunk input, duckdb_vector output) {
  TRY_ASSIGN(const auto batch, to_arrow(self, input));
  Values arguments(self.kernel.arguments.size());
  for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
    bool any_null = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      arguments[i] =
          read_value(*batch->column(static_cast<int>(i)), row, *self.kernel.arguments[i]);
      any_null = any_null || arguments[i].is_null();
    }
    Value value;
    if (!any_null || self.function->sees_nulls) {
      TRY_ASSIGN(value, self.function->compute(self.kernel, arguments));
    }
    write_value(output, static_cast<idx_t>(row), *self.kernel.result, value);
  }
  return Status::OK();
}

void run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto* self = static_cast<const Registered*>(duckdb_scalar_function_get_extra_info(info));
  run_kernel(info, [&] { return compute_rows(*self, input, output); });
}

Status learn_schema(Registered& self, const std::vector<LogicalType>& types) {
  std::vector<duckdb_logical_type> handles;
  std::vector<std::string> names;
  std::vector<const char*> texts;
  for (std::size_t i = 0; i < types.size(); ++i) {
    handles.push_back(types[i].get());
    names.push_back(fmt::format("a{}", i));
  }
  for (const auto& name : names) texts.push_back(name.c_str());
  struct ArrowSchema exported;
  exported.release = nullptr;
  const ErrorData failed(duckdb_to_arrow_schema(self.options.get(), handles.data(), texts.data(),
                                                handles.size(), &exported));
  if (failed && duckdb_error_data_has_error(failed.get()))
    return unwrap_error(duckdb_error_data_message(failed.get()));
  auto imported = arrow::ImportSchema(&exported);
  if (!imported.ok()) return Status::internal("{}", imported.status().ToString());
  self.schema = *imported;
  return Status::OK();
}

}  // namespace

Status register_value_kernel(duckdb_connection connection, const ValueKernel& kernel) {
  auto self = std::make_unique<Registered>();
  self->kernel = kernel;
  self->function = find_function(kernel.function);
  CHECK(self->function != nullptr);
  duckdb_connection_get_arrow_options(connection, self->options.out());
  std::vector<LogicalType> types;
  for (const auto& argument : kernel.arguments) types.emplace_back(physical_type(argument));
  TRY(learn_schema(*self, types));
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, kernel.name().c_str());
  for (const auto& type : types) duckdb_scalar_function_add_parameter(function, type.get());
  const LogicalType result(physical_type(kernel.result));
  duckdb_scalar_function_set_return_type(function, result.get());
  duckdb_scalar_function_set_special_handling(function);
  duckdb_scalar_function_set_extra_info(function, self.release(),
                                        [](void* data) { delete static_cast<Registered*>(data); });
  bind_work(function);
  duckdb_scalar_function_set_function(function, run);
  const auto state = duckdb_register_scalar_function(connection, function);
  duckdb_destroy_scalar_function(&function);
  return state == DuckDBSuccess ? Status::OK()
                                : Status::internal("DuckDB refused the function {}", kernel.name());
}

}  // namespace millstream::engine
