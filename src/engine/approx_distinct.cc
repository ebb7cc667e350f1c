#include "engine/approx_distinct.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "engine/duck.h"

namespace millstream::engine {
namespace {

constexpr int p_min = 4;
constexpr int p_max = 24;

// Registers of one group; none before the first value.
struct State {
  std::uint8_t* registers;
  std::int32_t p;
};

State* state_of(duckdb_aggregate_state state) { return reinterpret_cast<State*>(state); }

std::size_t size_of(int p) { return std::size_t{1} << p; }

void ensure(State& state, int p) {
  if (state.registers != nullptr) return;
  state.p = p;
  state.registers = static_cast<std::uint8_t*>(std::calloc(size_of(p), 1));
}

void add(State& state, std::uint64_t hash) {
  const int p = state.p;
  const auto index = static_cast<std::size_t>(hash >> (64 - p));
  const std::uint64_t rest = (hash << p) | (std::uint64_t{1} << (p - 1));
  const auto rank = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
  state.registers[index] = std::max(state.registers[index], rank);
}

// HyperLogLogPlusPlusHelper.query. Between the threshold and five times the registers Spark takes
// the bias from a table; linear counting, which is as exact there, is taken here.
std::int64_t estimate(const State& state) {
  constexpr double thresholds[] = {10,   20,   40,    80,    220,   400,    900,   1800,
                                   3100, 6500, 11500, 20000, 50000, 120000, 350000};
  const auto m = static_cast<double>(size_of(state.p));
  double inverse = 0;
  double zeros = 0;
  for (std::size_t i = 0; i < size_of(state.p); ++i) {
    inverse += std::ldexp(1.0, -state.registers[i]);
    zeros += state.registers[i] == 0 ? 1 : 0;
  }
  const double alpha = state.p == 4   ? 0.673
                       : state.p == 5 ? 0.697
                       : state.p == 6 ? 0.709
                                      : 0.7213 / (1.0 + 1.079 / m);
  const double raw = alpha * m * m / inverse;
  if (zeros > 0) {
    const double linear = m * std::log(m / zeros);
    const bool few = state.p <= 18 && linear <= thresholds[state.p - p_min];
    if (few || raw < 5.0 * m) return std::llround(linear);
  }
  return std::llround(raw);
}

idx_t state_size(duckdb_function_info) { return sizeof(State); }

void init(duckdb_function_info, duckdb_aggregate_state state) { *state_of(state) = {nullptr, 0}; }

void update(duckdb_function_info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
  const idx_t rows = duckdb_data_chunk_get_size(input);
  duckdb_vector hashes = duckdb_data_chunk_get_vector(input, 0);
  duckdb_vector sizes = duckdb_data_chunk_get_vector(input, 1);
  const auto* hash = static_cast<const std::int64_t*>(duckdb_vector_get_data(hashes));
  const auto* p = static_cast<const std::int32_t*>(duckdb_vector_get_data(sizes));
  std::uint64_t* valid = duckdb_vector_get_validity(hashes);
  for (idx_t row = 0; row < rows; ++row) {
    if (valid != nullptr && !duckdb_validity_row_is_valid(valid, row)) continue;
    State& state = *state_of(states[row]);
    ensure(state, std::clamp(p[row], p_min, p_max));
    if (state.registers != nullptr) add(state, static_cast<std::uint64_t>(hash[row]));
  }
}

void combine(duckdb_function_info, duckdb_aggregate_state* from, duckdb_aggregate_state* to,
             idx_t count) {
  for (idx_t i = 0; i < count; ++i) {
    const State& source = *state_of(from[i]);
    if (source.registers == nullptr) continue;
    State& target = *state_of(to[i]);
    ensure(target, source.p);
    if (target.registers == nullptr) continue;
    for (std::size_t r = 0; r < size_of(source.p); ++r)
      target.registers[r] = std::max(target.registers[r], source.registers[r]);
  }
}

void finalize(duckdb_function_info, duckdb_aggregate_state* states, duckdb_vector result,
              idx_t count, idx_t offset) {
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < count; ++i) {
    const State& state = *state_of(states[i]);
    out[offset + i] = state.registers == nullptr ? 0 : estimate(state);
  }
}

void destroy(duckdb_aggregate_state* states, idx_t count) {
  for (idx_t i = 0; i < count; ++i) {
    std::free(state_of(states[i])->registers);
    state_of(states[i])->registers = nullptr;
  }
}

}  // namespace

Status register_approx_distinct(duckdb_connection connection) {
  duckdb_aggregate_function function = duckdb_create_aggregate_function();
  duckdb_aggregate_function_set_name(function, "ms_approx_distinct");
  for (const duckdb_type id : {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_INTEGER}) {
    duckdb_logical_type type = duckdb_create_logical_type(id);
    duckdb_aggregate_function_add_parameter(function, type);
    duckdb_destroy_logical_type(&type);
  }
  duckdb_logical_type result = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  duckdb_aggregate_function_set_return_type(function, result);
  duckdb_destroy_logical_type(&result);
  duckdb_aggregate_function_set_functions(function, state_size, init, update, combine, finalize);
  duckdb_aggregate_function_set_destructor(function, destroy);
  duckdb_aggregate_function_set_special_handling(function);
  const duckdb_state state = duckdb_register_aggregate_function(connection, function);
  duckdb_destroy_aggregate_function(&function);
  return state == DuckDBSuccess
             ? Status::OK()
             : Status::internal("DuckDB refused the aggregate ms_approx_distinct");
}

}  // namespace millstream::engine
