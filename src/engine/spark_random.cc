#include "engine/spark_random.h"

#include <bit>
#include <cmath>

namespace millstream::engine {
namespace {

// scala.util.hashing.MurmurHash3.bytesHash of the eight bytes of a seed.
std::uint32_t murmur(std::uint64_t seed, std::uint32_t hash) {
  const std::uint64_t bytes = __builtin_bswap64(seed);
  for (const auto block :
       {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(bytes >> 32)}) {
    hash ^= std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64U;
  }
  hash ^= 8;
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16);
}

constexpr std::uint32_t array_seed = 0x3c074a61U;

}  // namespace

SparkRandom::SparkRandom(std::int64_t seed) {
  const auto given = static_cast<std::uint64_t>(seed);
  const std::uint32_t low = murmur(given, array_seed);
  const std::uint32_t high = murmur(given, low);
  state_ = (static_cast<std::uint64_t>(high) << 32) | low;
}

std::int32_t SparkRandom::next(int bits) {
  state_ ^= state_ << 21;
  state_ ^= state_ >> 35;
  state_ ^= state_ << 4;
  return static_cast<std::int32_t>(state_ & ((std::uint64_t{1} << bits) - 1));
}

double SparkRandom::next_double() {
  const std::int64_t high = next(26);
  const std::int64_t low = next(27);
  return static_cast<double>((high << 27) + low) * 0x1.0p-53;
}

std::int32_t SparkRandom::next_int() { return next(32); }

double SparkRandom::next_gaussian() {
  if (gaussian_) {
    const double second = *gaussian_;
    gaussian_.reset();
    return second;
  }
  double x = 0;
  double y = 0;
  double square = 0;
  do {
    x = 2 * next_double() - 1;
    y = 2 * next_double() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  const double scale = std::sqrt(-2 * std::log(square) / square);
  gaussian_ = y * scale;
  return x * scale;
}

}  // namespace millstream::engine
