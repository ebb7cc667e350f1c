// The random numbers of Spark: which rows a sample takes depends on its seed by these. Plain
// values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace millstream::engine {

// org.apache.spark.util.random.XORShiftRandom.
class SparkRandom {
 public:
  explicit SparkRandom(std::int64_t seed);
  double next_double();    // [0, 1)
  double next_gaussian();  // as java.util.Random gives them, in pairs
  std::int32_t next_int();

 private:
  std::int32_t next(int bits);
  std::uint64_t state_;
  std::optional<double> gaussian_;  // the second one of a pair
};

// org.apache.commons.math3.random.MersenneTwister.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::int64_t seed);
  std::int32_t below(std::int32_t bound);  // bound > 0
  std::uint32_t next();

 private:
  static constexpr std::size_t size = 624;
  void refill();

  std::array<std::uint32_t, size> state_;
  std::size_t at_ = size;
};

// java.util.Random, as far as the seeds of samples need it.
class JavaRandom {
 public:
  explicit JavaRandom(std::int64_t seed);
  std::int64_t next_long();

 private:
  std::int32_t next_int();
  std::uint64_t state_;
};

// The numbers of org.apache.commons.math3.random.Well19937c, and what PoissonDistribution makes of
// them.
class PoissonRandom {
 public:
  static constexpr double mean_end = 40;  // from here on another method, which is not built

  PoissonRandom(std::int64_t seed, double mean);  // mean < mean_end
  std::int64_t next();

 private:
  static constexpr std::size_t size = 624;
  std::uint32_t next_bits(int bits);
  double next_double();

  std::array<std::uint32_t, size> state_;
  std::size_t at_ = 0;
  double mean_;
};

}  // namespace millstream::engine
