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

 private:
  static constexpr std::size_t size = 624;
  std::uint32_t next();
  void refill();

  std::array<std::uint32_t, size> state_;
  std::size_t at_ = size;
};

}  // namespace millstream::engine
