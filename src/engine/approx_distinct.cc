#include "engine/approx_distinct.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/duck.h"
#include "engine/kernels.h"

namespace millstream::engine {
namespace {

constexpr int p_min = 4;

struct Code {
  std::size_t index;  // of the register
  std::uint8_t rank;
};

Code code_of(std::uint64_t hash, int p) {
  const std::uint64_t rest = (hash << p) | (std::uint64_t{1} << (p - 1));
  return {static_cast<std::size_t>(hash >> (64 - p)),
          static_cast<std::uint8_t>(std::countl_zero(rest) + 1)};
}

constexpr int rank_bits = 6;

std::optional<std::int64_t> approx_code(Failure&, std::int64_t hash, std::int64_t p) {
  const Code code = code_of(static_cast<std::uint64_t>(hash), static_cast<int>(p));
  return static_cast<std::int64_t>((code.index << rank_bits) | code.rank);
}

// Registers of one group, in the state itself: DuckDB moves and drops states without a word.
template <int P>
struct State {
  static constexpr std::size_t size = std::size_t{1} << P;
  std::uint8_t registers[size];

  void add(std::uint64_t hash) {
    const Code code = code_of(hash, P);
    registers[code.index] = std::max(registers[code.index], code.rank);
  }
};

template <int P>
State<P>& state_of(duckdb_aggregate_state state) {
  return *reinterpret_cast<State<P>*>(state);
}

#include "engine/hll_bias.inc"

struct BiasTable {
  std::span<const double> raw;
  std::span<const double> bias;
};

constexpr BiasTable tables[] = {
    {raw_estimates_4, biases_4},   {raw_estimates_5, biases_5},   {raw_estimates_6, biases_6},
    {raw_estimates_7, biases_7},   {raw_estimates_8, biases_8},   {raw_estimates_9, biases_9},
    {raw_estimates_10, biases_10}, {raw_estimates_11, biases_11}, {raw_estimates_12, biases_12},
    {raw_estimates_13, biases_13}, {raw_estimates_14, biases_14}};

// The mean bias of the six raw estimates that are nearest.
double estimated_bias(const BiasTable& table, double estimate) {
  constexpr std::ptrdiff_t neighbours = 6;
  const auto size = static_cast<std::ptrdiff_t>(table.raw.size());
  const auto raw = [&](std::ptrdiff_t i) { return table.raw[static_cast<std::size_t>(i)]; };
  const auto distance = [&](std::ptrdiff_t i) { return (estimate - raw(i)) * (estimate - raw(i)); };
  const std::ptrdiff_t nearest =
      std::lower_bound(table.raw.begin(), table.raw.end(), estimate) - table.raw.begin();
  std::ptrdiff_t low = std::max<std::ptrdiff_t>(nearest - neighbours + 1, 0);
  std::ptrdiff_t high = std::min(low + neighbours, size);
  while (high < size && distance(high) < distance(low)) {
    ++low;
    ++high;
  }
  double sum = 0;
  for (std::ptrdiff_t i = low; i < high; ++i) sum += table.bias[static_cast<std::size_t>(i)];
  return sum / static_cast<double>(high - low);
}

// Math.round: halves go up.
std::int64_t java_round(double value) { return static_cast<std::int64_t>(std::floor(value + 0.5)); }

std::int64_t estimate(std::span<const std::uint8_t> registers, int p) {
  constexpr double thresholds[] = {10, 20, 40, 80, 220, 400, 900, 1800, 3100, 6500, 11500};
  const auto m = static_cast<double>(registers.size());
  double inverse = 0;
  double zeros = 0;
  for (const std::uint8_t rank : registers) {
    inverse += std::ldexp(1.0, -rank);
    zeros += rank == 0 ? 1 : 0;
  }
  const double alpha = p == 4   ? 0.673
                       : p == 5 ? 0.697
                       : p == 6 ? 0.709
                                : 0.7213 / (1.0 + 1.079 / m);
  const double raw = alpha * m * m / inverse;
  if (zeros > 0) {
    const double linear = m * std::log(m / zeros);
    if (linear <= thresholds[p - p_min] || raw <= 2.5 * m) return java_round(linear);
  }
  return java_round(raw < 5.0 * m ? raw - estimated_bias(tables[p - p_min], raw) : raw);
}

template <int P>
void update(duckdb_function_info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
  const idx_t rows = duckdb_data_chunk_get_size(input);
  duckdb_vector hashes = duckdb_data_chunk_get_vector(input, 0);
  const auto* hash = static_cast<const std::int64_t*>(duckdb_vector_get_data(hashes));
  std::uint64_t* valid = duckdb_vector_get_validity(hashes);
  for (idx_t row = 0; row < rows; ++row) {
    if (valid != nullptr && !duckdb_validity_row_is_valid(valid, row)) continue;
    state_of<P>(states[row]).add(static_cast<std::uint64_t>(hash[row]));
  }
}

template <int P>
void combine(duckdb_function_info, duckdb_aggregate_state* from, duckdb_aggregate_state* to,
             idx_t count) {
  for (idx_t i = 0; i < count; ++i) {
    const State<P>& source = state_of<P>(from[i]);
    State<P>& target = state_of<P>(to[i]);
    for (std::size_t r = 0; r < State<P>::size; ++r)
      target.registers[r] = std::max(target.registers[r], source.registers[r]);
  }
}

template <int P>
void finalize(duckdb_function_info, duckdb_aggregate_state* states, duckdb_vector result,
              idx_t count, idx_t offset) {
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < count; ++i) out[offset + i] = estimate(state_of<P>(states[i]).registers, P);
}

template <int P>
Status add_aggregate(duckdb_connection connection) {
  const std::string name = "ms_approx_distinct_" + std::to_string(P);
  duckdb_aggregate_function function = duckdb_create_aggregate_function();
  duckdb_aggregate_function_set_name(function, name.c_str());
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  duckdb_aggregate_function_add_parameter(function, number);
  duckdb_aggregate_function_set_return_type(function, number);
  duckdb_destroy_logical_type(&number);
  duckdb_aggregate_function_set_functions(
      function, [](duckdb_function_info) -> idx_t { return sizeof(State<P>); },
      [](duckdb_function_info, duckdb_aggregate_state state) { state_of<P>(state) = State<P>{}; },
      update<P>, combine<P>, finalize<P>);
  duckdb_aggregate_function_set_special_handling(function);
  const duckdb_state done = duckdb_register_aggregate_function(connection, function);
  duckdb_destroy_aggregate_function(&function);
  return done == DuckDBSuccess ? Status::OK()
                               : Status::internal("DuckDB refused the aggregate {}", name);
}

template <int... P>
Status add_all(duckdb_connection connection, std::integer_sequence<int, P...>) {
  Status status;
  ((status = status.ok() ? add_aggregate<P + p_min>(connection) : status), ...);
  return status;
}

}  // namespace

std::int64_t approx_distinct_of(std::span<const std::int64_t> codes, int p) {
  std::vector<std::uint8_t> registers(std::size_t{1} << p);
  for (const std::int64_t code : codes) {
    auto& rank = registers[static_cast<std::size_t>(code >> rank_bits)];
    rank = std::max(rank, static_cast<std::uint8_t>(code & ((1 << rank_bits) - 1)));
  }
  return estimate(registers, p);
}

Status register_approx_distinct(duckdb_connection connection) {
  TRY(add_kernel<approx_code>(connection, "ms_approx_code"));
  return add_all(connection, std::make_integer_sequence<int, 11>());
}

}  // namespace millstream::engine
