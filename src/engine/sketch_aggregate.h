// A sketch of the library as an aggregate of DuckDB's C interface: a group's state is a pointer to
// one, made by the first value that is not NULL. A group without any gives NULL, which the SQL
// around replaces by the empty sketch.
//
// Over a window it is a scalar function of the lists of what the frame's rows hold: aggregates of
// the C interface crash in some statements of several windows.
//
// `Sketch` has: `name`; `Input`, a tuple of what a row holds; a constructor from an Input; `add`,
// which takes one; `merge` of another; and `bytes`, with `window_bytes` where those of a window's
// rows are others. They may throw.
#pragma once

#include <duckdb.h>

#include <cstring>
#include <exception>
#include <istream>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/duck.h"
#include "engine/kernels.h"

namespace millstream::engine {

// What a Sketch throws to say more than that its input is no sketch.
struct SketchError : std::exception {
  explicit SketchError(Status s) : status(std::move(s)) {}
  Status status;
};

// Calls `body`, whose exceptions mean `otherwise` unless they say more.
template <typename Body>
Status guard(const Status& otherwise, Body body) {
  try {
    body();
  } catch (const SketchError& error) {
    return error.status;
  } catch (const std::exception&) {
    return otherwise;
  }
  return Status::OK();
}

template <typename Sketch>
class SketchAggregate {
 public:
  static Status add_to(duckdb_connection connection) {
    duckdb_aggregate_function function = duckdb_create_aggregate_function();
    duckdb_aggregate_function_set_name(function, Sketch::name().c_str());
    parameters(function, Indexes());
    LogicalType result(duckdb_create_logical_type(DUCKDB_TYPE_BLOB));
    duckdb_aggregate_function_set_return_type(function, result.get());
    duckdb_aggregate_function_set_functions(
        function, [](duckdb_function_info) -> idx_t { return sizeof(Sketch*); },
        [](duckdb_function_info, duckdb_aggregate_state state) { at(state) = nullptr; }, update,
        combine, finalize);
    duckdb_aggregate_function_set_destructor(function, destroy);
    duckdb_aggregate_function_set_special_handling(function);
    const duckdb_state done = duckdb_register_aggregate_function(connection, function);
    duckdb_destroy_aggregate_function(&function);
    return done == DuckDBSuccess
               ? Status::OK()
               : Status::internal("DuckDB refused the aggregate {}", Sketch::name());
  }

 private:
  using Input = typename Sketch::Input;
  using Indexes = std::make_index_sequence<std::tuple_size_v<Input>>;

  static Sketch*& at(duckdb_aggregate_state state) { return *reinterpret_cast<Sketch**>(state); }

  template <std::size_t... I>
  static void parameters(duckdb_aggregate_function function, std::index_sequence<I...>) {
    const auto add = [&](duckdb_logical_type type) {
      duckdb_aggregate_function_add_parameter(function, type);
      duckdb_destroy_logical_type(&type);
    };
    (add(logical_type<std::tuple_element_t<I, Input>>()), ...);
  }

  static void fail(duckdb_function_info info, const Status& status) {
    duckdb_aggregate_function_set_error(info, wrap_error(status).c_str());
  }

  template <std::size_t... I>
  static Status update_rows(duckdb_data_chunk input, duckdb_aggregate_state* states,
                            std::index_sequence<I...>) {
    const duckdb_vector vectors[] = {duckdb_data_chunk_get_vector(input, I)...};
    void* data[] = {duckdb_vector_get_data(vectors[I])...};
    std::uint64_t* valid[] = {duckdb_vector_get_validity(vectors[I])...};
    const idx_t rows = duckdb_data_chunk_get_size(input);
    return guard(Sketch::invalid(), [&] {
      for (idx_t row = 0; row < rows; ++row) {
        const bool whole =
            ((valid[I] == nullptr || duckdb_validity_row_is_valid(valid[I], row)) && ...);
        if (!whole) continue;
        const Input values{Physical<std::tuple_element_t<I, Input>>::read(data[I], row)...};
        Sketch*& sketch = at(states[row]);
        if (sketch == nullptr) sketch = new Sketch(values);
        sketch->add(values);
      }
    });
  }

  static void update(duckdb_function_info info, duckdb_data_chunk input,
                     duckdb_aggregate_state* states) {
    if (const Status status = update_rows(input, states, Indexes()); !status.ok())
      fail(info, status);
  }

  static void combine(duckdb_function_info info, duckdb_aggregate_state* from,
                      duckdb_aggregate_state* to, idx_t count) {
    const Status status = guard(Sketch::invalid(), [&] {
      for (idx_t i = 0; i < count; ++i) {
        const Sketch* source = at(from[i]);
        Sketch*& target = at(to[i]);
        if (source == nullptr) continue;
        if (target == nullptr) {
          target = new Sketch(*source);
        } else {
          target->merge(*source);
        }
      }
    });
    if (!status.ok()) fail(info, status);
  }

  static void finalize(duckdb_function_info info, duckdb_aggregate_state* states,
                       duckdb_vector result, idx_t count, idx_t offset) {
    const Status status = guard(Sketch::invalid(), [&] {
      for (idx_t i = 0; i < count; ++i) {
        const Sketch* sketch = at(states[i]);
        if (sketch == nullptr) {
          duckdb_vector_ensure_validity_writable(result);
          duckdb_validity_set_row_invalid(duckdb_vector_get_validity(result), offset + i);
          continue;
        }
        Physical<OwnedBlob>::write(result, offset + i, {sketch->bytes()});
      }
    });
    if (!status.ok()) fail(info, status);
  }

  static void destroy(duckdb_aggregate_state* states, idx_t count) {
    for (idx_t i = 0; i < count; ++i) delete std::exchange(at(states[i]), nullptr);
  }
};

// `Sketch::name()` with `_of_lists`: a list for each part of an Input, whose entries belong
// together.
template <typename Sketch>
class SketchOfLists {
 public:
  static Status add_to(duckdb_connection connection) {
    duckdb_scalar_function function = duckdb_create_scalar_function();
    const std::string name = fmt::format("{}_of_lists", Sketch::name());
    duckdb_scalar_function_set_name(function, name.c_str());
    parameters(function, Indexes());
    LogicalType result(duckdb_create_logical_type(DUCKDB_TYPE_BLOB));
    duckdb_scalar_function_set_return_type(function, result.get());
    duckdb_scalar_function_set_function(
        function, [](duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
          run_kernel(info, [&] { return run(input, output, Indexes()); });
        });
    bind_work(function);
    const duckdb_state done = duckdb_register_scalar_function(connection, function);
    duckdb_destroy_scalar_function(&function);
    return done == DuckDBSuccess ? Status::OK()
                                 : Status::internal("DuckDB refused the function {}", name);
  }

 private:
  using Input = typename Sketch::Input;
  using Indexes = std::make_index_sequence<std::tuple_size_v<Input>>;

  static std::string bytes_of(const Sketch& sketch) {
    if constexpr (requires { sketch.window_bytes(); }) {
      return sketch.window_bytes();
    } else {
      return sketch.bytes();
    }
  }

  // The entries of one argument's lists.
  struct Entries {
    explicit Entries(duckdb_vector lists)
        : spans(static_cast<duckdb_list_entry*>(duckdb_vector_get_data(lists))),
          data(duckdb_vector_get_data(duckdb_list_vector_get_child(lists))),
          valid(duckdb_vector_get_validity(duckdb_list_vector_get_child(lists))) {}
    bool has(idx_t row, idx_t i) const {
      return valid == nullptr || duckdb_validity_row_is_valid(valid, spans[row].offset + i);
    }

    const duckdb_list_entry* spans;
    void* data;
    std::uint64_t* valid;
  };

  template <std::size_t... I>
  static void parameters(duckdb_scalar_function function, std::index_sequence<I...>) {
    const auto add = [&](duckdb_logical_type type) {
      LogicalType entry(type);
      LogicalType list(duckdb_create_list_type(entry.get()));
      duckdb_scalar_function_add_parameter(function, list.get());
    };
    (add(logical_type<std::tuple_element_t<I, Input>>()), ...);
  }

  template <std::size_t... I>
  static Status run(duckdb_data_chunk input, duckdb_vector output, std::index_sequence<I...>) {
    const Entries lists[] = {Entries(duckdb_data_chunk_get_vector(input, I))...};
    const idx_t rows = duckdb_data_chunk_get_size(input);
    idx_t entries = 0;
    for (idx_t row = 0; row < rows; ++row) entries += lists[0].spans[row].length;
    proceed(entries);
    return guard(Sketch::invalid(), [&] {
      for (idx_t row = 0; row < rows; ++row) {
        std::optional<Sketch> sketch;
        for (idx_t i = 0; i < lists[0].spans[row].length; ++i) {
          if (!(lists[I].has(row, i) && ...)) continue;
          const Input values{Physical<std::tuple_element_t<I, Input>>::read(
              lists[I].data, lists[I].spans[row].offset + i)...};
          if (!sketch) sketch.emplace(values);
          sketch->add(values);
        }
        if (sketch) {
          Physical<OwnedBlob>::write(output, row, {bytes_of(*sketch)});
          continue;
        }
        duckdb_vector_ensure_validity_writable(output);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
      }
    });
  }
};

// The sketch as an aggregate, and over the lists of a window's rows.
template <typename Sketch>
Status add_sketch(duckdb_connection connection) {
  TRY(SketchAggregate<Sketch>::add_to(connection));
  return SketchOfLists<Sketch>::add_to(connection);
}

// A builder of theta and tuple sketches that takes the least size of the Java library too, which is
// one below that of this one.
template <typename Builder>
struct AnySize : Builder {
  using Builder::Builder;
  AnySize& size(int lg_k) {
    this->lg_k_ = static_cast<std::uint8_t>(lg_k);
    return *this;
  }
};

// Bytes that anybody may have written. The library's readers of streams stop where these end;
// those of memory do not everywhere.
class SketchStream : private std::streambuf, public std::istream {
 public:
  explicit SketchStream(std::string_view bytes) : std::istream(this) {
    char* begin = const_cast<char*>(bytes.data());
    setg(begin, begin, begin + bytes.size());
    exceptions(failbit | badbit);
  }
};

// The number in `count` bytes from `at`.
inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  if (at + count > bytes.size()) throw std::out_of_range("a sketch that is cut off");
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, count);
  return value;
}

// The library makes room for as many keys as theta and tuple sketches say they have.
inline void check_key_count(std::string_view bytes) {
  const std::uint64_t preamble = number_at(bytes, 0, 1);
  const std::uint64_t version = number_at(bytes, 1, 1);
  if (version != 4) {
    const bool counted = preamble != 1 || version == 1;
    const std::uint64_t count = counted ? number_at(bytes, 8, 4) : 0;
    if (count * 8 > bytes.size()) throw std::out_of_range("a sketch that is cut off");
    return;
  }
  const std::uint64_t bits = number_at(bytes, 3, 1);
  const std::uint64_t width = number_at(bytes, 4, 1);
  if (bits < 1 || bits > 63 || width > 4 || preamble > 2)
    throw std::invalid_argument("a packed sketch");
  const std::uint64_t count = number_at(bytes, 8 * preamble, width);
  if (count * bits > 8 * bytes.size()) throw std::out_of_range("a sketch that is cut off");
}

template <typename Bytes>
std::string to_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace millstream::engine
