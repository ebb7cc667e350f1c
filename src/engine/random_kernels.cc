// rand, randn, uniform, randstr, uuid and shuffle with a seed: Spark's sequences. Each thread that
// computes such an expression is a partition of its own: the first one begins at the seed, the next
// one at the seed and 1, as Spark's partitions do.
#include <atomic>
#include <memory>
#include <utility>

#include "engine/kernels.h"
#include "engine/spark_random.h"

namespace millstream::engine {
namespace {

using Counter = std::shared_ptr<std::atomic<std::int64_t>>;

// The sequence of one thread; it begins when the seed is seen.
template <typename Random>
struct Sequence {
  std::int64_t partition = 0;
  std::optional<Random> random;
  Work* work = nullptr;

  Random& at(std::int64_t seed) {
    if (!random) random.emplace(seed + partition);
    return *random;
  }
};

void* copy_counter(void* counter) { return new Counter(*static_cast<Counter*>(counter)); }
void free_counter(void* counter) { delete static_cast<Counter*>(counter); }

void bind(duckdb_bind_info info) {
  duckdb_scalar_function_set_bind_data(
      info, new Counter(std::make_shared<std::atomic<std::int64_t>>(0)), free_counter);
  duckdb_scalar_function_set_bind_data_copy(info, copy_counter);
}

template <typename Random>
void begin(duckdb_init_info info) {
  auto* counter = static_cast<Counter*>(duckdb_scalar_function_init_get_bind_data(info));
  auto sequence = std::make_unique<Sequence<Random>>();
  sequence->partition = (*counter)->fetch_add(1);
  sequence->work = work_of(info);
  duckdb_scalar_function_init_set_state(
      info, sequence.release(), [](void* state) { delete static_cast<Sequence<Random>*>(state); });
}

// Next(random, failure, arguments before the seed…) gives the value of a row.
template <auto Next, typename Random, typename R, typename... A, std::size_t... I>
Status run_rows(Sequence<Random>* sequence, duckdb_data_chunk input, duckdb_vector output,
                std::index_sequence<I...>) {
  const idx_t rows = duckdb_data_chunk_get_size(input);
  void* data[] = {duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, I))..., nullptr};
  void* seeds = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, sizeof...(A)));
  Failure failure;
  for (idx_t row = 0; row < rows; ++row) {
    Random& random = sequence->at(Physical<std::int64_t>::read(seeds, row));
    const R value = Next(random, failure, Physical<A>::read(data[I], row)...);
    if (!failure.status.ok()) return failure.status;
    Physical<R>::write(output, row, value);
  }
  (void)data;
  return Status::OK();
}

template <typename F>
struct GeneratorOf;
template <typename R, typename Random, typename... A>
struct GeneratorOf<R (*)(Random&, Failure&, A...)> {
  using type = Random;
};

template <auto Next, typename R, typename... A>
Status add_random(duckdb_connection connection, const char* name) {
  using Random = typename GeneratorOf<decltype(Next)>::type;
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name);
  const auto add = [&](duckdb_logical_type type) {
    duckdb_scalar_function_add_parameter(function, type);
    duckdb_destroy_logical_type(&type);
  };
  (add(logical_type<A>()), ...);
  add(logical_type<std::int64_t>());
  LogicalType result(logical_type<R>());
  duckdb_scalar_function_set_return_type(function, result.get());
  duckdb_scalar_function_set_bind(function, bind);
  duckdb_scalar_function_set_init(function, begin<Random>);
  duckdb_scalar_function_set_volatile(function);
  duckdb_scalar_function_set_function(
      function, [](duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
        auto* sequence = static_cast<Sequence<Random>*>(duckdb_scalar_function_get_state(info));
        run_kernel(info, sequence->work, [&] {
          return run_rows<Next, Random, R, A...>(sequence, input, output,
                                                 std::index_sequence_for<A...>{});
        });
      });
  const auto state = duckdb_register_scalar_function(connection, function);
  duckdb_destroy_scalar_function(&function);
  return state == DuckDBSuccess ? Status::OK()
                                : Status::internal("DuckDB refused the function {}", name);
}

double rand(SparkRandom& random, Failure&) { return random.next_double(); }
double randn(SparkRandom& random, Failure&) { return random.next_gaussian(); }

std::string randstr(SparkRandom& random, Failure& failure, std::int32_t length) {
  if (length < 0) {
    failure(Status::error("INVALID_PARAMETER_VALUE.LENGTH", {{"parameter", "`length`"},
                                                             {"functionName", "`randstr`"},
                                                             {"length", std::to_string(length)}}));
    return {};
  }
  static constexpr std::string_view alphabet =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string out;
  for (std::int32_t i = 0; i < length; ++i) {
    const std::int32_t place = random.next_int() % static_cast<std::int32_t>(alphabet.size());
    out += alphabet[static_cast<std::size_t>(place < 0 ? -place : place)];
  }
  return out;
}

// RandomIndicesGenerator: the places of a list's elements, from 1, in an order by chance.
Longs shuffle(MersenneTwister& random, Failure&, std::int32_t length) {
  Longs places;
  for (std::int32_t i = 0; i < length; ++i) {
    const auto j = static_cast<std::size_t>(random.below(i + 1));
    places.items.push_back(i + 1);
    std::swap(places.items[j], places.items.back());
  }
  return places;
}

// RandomUUIDGenerator: version 4, variant 2.
std::string uuid(MersenneTwister& random, Failure&) {
  const auto next_long = [&] {
    const std::uint64_t high = random.next();
    return high << 32 | random.next();
  };
  const std::uint64_t most = (next_long() & 0xFFFFFFFFFFFF0FFFU) | 0x4000U;
  const std::uint64_t least = (next_long() | 0x8000000000000000U) & 0xBFFFFFFFFFFFFFFFU;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", most >> 32, most >> 16 & 0xFFFF,
                     most & 0xFFFF, least >> 48, least & 0xFFFFFFFFFFFFU);
}

}  // namespace

Status register_random_kernels(duckdb_connection c) {
  TRY((add_random<rand, double>(c, "ms_rand")));
  TRY((add_random<randn, double>(c, "ms_randn")));
  TRY((add_random<uuid, std::string>(c, "ms_uuid")));
  TRY((add_random<shuffle, Longs, std::int32_t>(c, "ms_shuffle")));
  return add_random<randstr, std::string, std::int32_t>(c, "ms_randstr");
}

}  // namespace millstream::engine
