// Scalar functions of our own inside DuckDB, where Spark's meaning needs them. A kernel is a plain
// function of one row:
//   std::optional<R> f(Failure& failure, A... arguments)
// nullopt is NULL, failure.status an error that ends the query. Arguments are never NULL (a NULL
// argument gives NULL). Registered once at start; called by DuckDB's threads.
#pragma once

#include <duckdb.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "engine/duck.h"
#include "engine/work.h"

namespace millstream::engine {

struct Failure {
  Status status;
  std::nullopt_t operator()(Status s) {
    status = std::move(s);
    return std::nullopt;
  }
};

// Physical values that C++ types alone would not tell apart.
struct Date {
  std::int32_t days;
};
struct Timestamp {
  std::int64_t micros;
};
struct Blob {
  std::string_view bytes;
};
struct OwnedBlob {
  std::string bytes;
};
struct Strings {
  std::vector<std::optional<std::string>> items;
};
struct Longs {
  std::vector<std::int64_t> items;
};
using Int128 = __int128;

template <typename T>
struct Physical;  // duckdb type of a C++ type; how to read and write a row

template <typename T, duckdb_type Type>
struct PlainPhysical {
  static constexpr duckdb_type type = Type;
  static T read(void* data, idx_t row) {
    T value;
    std::memcpy(&value, static_cast<const char*>(data) + row * sizeof(T), sizeof(T));
    return value;
  }
  static void write(duckdb_vector vector, idx_t row, const T& value) {
    std::memcpy(static_cast<char*>(duckdb_vector_get_data(vector)) + row * sizeof(T), &value,
                sizeof(T));
  }
};

template <>
struct Physical<bool> : PlainPhysical<bool, DUCKDB_TYPE_BOOLEAN> {};
template <>
struct Physical<std::int8_t> : PlainPhysical<std::int8_t, DUCKDB_TYPE_TINYINT> {};
template <>
struct Physical<std::int16_t> : PlainPhysical<std::int16_t, DUCKDB_TYPE_SMALLINT> {};
template <>
struct Physical<std::int32_t> : PlainPhysical<std::int32_t, DUCKDB_TYPE_INTEGER> {};
template <>
struct Physical<std::int64_t> : PlainPhysical<std::int64_t, DUCKDB_TYPE_BIGINT> {};
template <>
struct Physical<float> : PlainPhysical<float, DUCKDB_TYPE_FLOAT> {};
template <>
struct Physical<double> : PlainPhysical<double, DUCKDB_TYPE_DOUBLE> {};
template <>
struct Physical<Date> : PlainPhysical<Date, DUCKDB_TYPE_DATE> {};
template <>
struct Physical<Timestamp> : PlainPhysical<Timestamp, DUCKDB_TYPE_TIMESTAMP> {};
template <>
struct Physical<Int128> : PlainPhysical<Int128, DUCKDB_TYPE_HUGEINT> {};

struct TextPhysical {
  static std::string_view view(void* data, idx_t row) {
    auto* text = static_cast<duckdb_string_t*>(data) + row;
    return {duckdb_string_t_data(text), duckdb_string_t_length(*text)};
  }
};
template <>
struct Physical<std::string_view> : TextPhysical {
  static constexpr duckdb_type type = DUCKDB_TYPE_VARCHAR;
  static std::string_view read(void* data, idx_t row) { return view(data, row); }
};
template <>
struct Physical<Blob> : TextPhysical {
  static constexpr duckdb_type type = DUCKDB_TYPE_BLOB;
  static Blob read(void* data, idx_t row) { return {view(data, row)}; }
};
// Text or bytes as a row's value, on the account of the kernel at work.
void write_text(duckdb_vector vector, idx_t row, std::string_view value);

template <>
struct Physical<std::string> {
  static constexpr duckdb_type type = DUCKDB_TYPE_VARCHAR;
  static void write(duckdb_vector vector, idx_t row, const std::string& value) {
    write_text(vector, row, value);
  }
};
template <>
struct Physical<OwnedBlob> {
  static constexpr duckdb_type type = DUCKDB_TYPE_BLOB;
  static void write(duckdb_vector vector, idx_t row, const OwnedBlob& value) {
    write_text(vector, row, value.bytes);
  }
};
template <>
struct Physical<Strings> {
  static constexpr duckdb_type type = DUCKDB_TYPE_LIST;
  static void write(duckdb_vector vector, idx_t row, const Strings& value);
};
template <>
struct Physical<Longs> {
  static constexpr duckdb_type type = DUCKDB_TYPE_LIST;
  static void write(duckdb_vector vector, idx_t row, const Longs& value);
};

template <typename T>
duckdb_logical_type logical_type() {
  if constexpr (std::is_same_v<T, Strings> || std::is_same_v<T, Longs>) {
    LogicalType element(duckdb_create_logical_type(
        std::is_same_v<T, Strings> ? DUCKDB_TYPE_VARCHAR : DUCKDB_TYPE_BIGINT));
    return duckdb_create_list_type(element.get());
  } else {
    return duckdb_create_logical_type(Physical<T>::type);
  }
}

template <typename F>
struct KernelTraits;

template <typename R, typename... A>
struct KernelTraits<std::optional<R> (*)(Failure&, A...)> {
  using Result = R;
  static constexpr std::size_t arity = sizeof...(A);

  template <auto F, bool Try, std::size_t... I>
  static Status run(duckdb_data_chunk input, duckdb_vector output, std::index_sequence<I...>) {
    const idx_t rows = duckdb_data_chunk_get_size(input);
    const duckdb_vector vectors[] = {duckdb_data_chunk_get_vector(input, I)..., nullptr};
    void* data[] = {duckdb_vector_get_data(vectors[I])..., nullptr};
    std::uint64_t* validity[] = {duckdb_vector_get_validity(vectors[I])..., nullptr};
    std::uint64_t* nulls = nullptr;
    Failure failure;
    for (idx_t row = 0; row < rows; ++row) {
      const bool valid =
          ((validity[I] == nullptr || ((validity[I][row / 64] >> (row % 64)) & 1U) != 0) && ...);
      std::optional<R> value;
      if (valid) value = F(failure, Physical<std::remove_cvref_t<A>>::read(data[I], row)...);
      if (!failure.status.ok()) {
        if (!Try) return failure.status;
        failure.status = Status::OK();
        value = std::nullopt;
      }
      if (value.has_value()) {
        Physical<R>::write(output, row, *value);
        continue;
      }
      if (nulls == nullptr) {
        duckdb_vector_ensure_validity_writable(output);
        nulls = duckdb_vector_get_validity(output);
      }
      duckdb_validity_set_row_invalid(nulls, row);
    }
    (void)data;
    (void)validity;
    return Status::OK();
  }

  static void parameters(duckdb_scalar_function function) {
    const auto add = [&](duckdb_logical_type type) {
      duckdb_scalar_function_add_parameter(function, type);
      duckdb_destroy_logical_type(&type);
    };
    (add(logical_type<std::remove_cvref_t<A>>()), ...);
  }
};

enum class KernelKind : std::uint8_t {
  pure,
  volatile_,  // computed for each row anew
};

// Registers F as `name`; with Try, as a function that gives NULL where F fails.
template <auto F, bool Try = false>
Status add_kernel(duckdb_connection connection, const char* name,
                  KernelKind kind = KernelKind::pure) {
  using Traits = KernelTraits<decltype(F)>;
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name);
  Traits::parameters(function);
  LogicalType result(logical_type<typename Traits::Result>());
  duckdb_scalar_function_set_return_type(function, result.get());
  duckdb_scalar_function_set_function(function, [](duckdb_function_info info,
                                                   duckdb_data_chunk input, duckdb_vector output) {
    run_kernel(info, [&] {
      return Traits::template run<F, Try>(input, output, std::make_index_sequence<Traits::arity>());
    });
  });
  bind_work(function);
  if (kind == KernelKind::volatile_) duckdb_scalar_function_set_volatile(function);
  const auto state = duckdb_register_scalar_function(connection, function);
  duckdb_destroy_scalar_function(&function);
  return state == DuckDBSuccess ? Status::OK()
                                : Status::internal("DuckDB refused the function {}", name);
}

Status register_arithmetic_kernels(duckdb_connection connection);
Status register_cast_kernels(duckdb_connection connection);
Status register_string_kernels(duckdb_connection connection);
Status register_format_kernels(duckdb_connection connection);
Status register_regex_kernels(duckdb_connection connection);
Status register_datetime_kernels(duckdb_connection connection);
Status register_json_kernels(duckdb_connection connection);
Status register_text_kernels(duckdb_connection connection);
Status register_encoding_kernels(duckdb_connection connection);
Status register_make_time_kernels(duckdb_connection connection);
Status register_time_kernels(duckdb_connection connection);
Status register_random_kernels(duckdb_connection connection);
Status register_crypto_kernels(duckdb_connection connection);

}  // namespace millstream::engine
