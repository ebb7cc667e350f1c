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

// Knuth's fill, then the two halves of the seed mixed in, as init_by_array has it.
MersenneTwister::MersenneTwister(std::int64_t seed) {
  state_[0] = 19650218;
  for (std::size_t i = 1; i < size; ++i)
    state_[i] =
        1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
  const auto bits = static_cast<std::uint64_t>(seed);
  const std::uint32_t key[] = {static_cast<std::uint32_t>(bits >> 32),
                               static_cast<std::uint32_t>(bits)};
  std::size_t i = 1;
  const auto mix = [&](std::uint32_t factor) {
    const std::uint32_t before = state_[i - 1];
    state_[i] ^= (before ^ (before >> 30)) * factor;
  };
  const auto step = [&] {
    if (++i < size) return;
    state_[0] = state_[size - 1];
    i = 1;
  };
  for (std::size_t k = 0; k < size; ++k, step()) {
    mix(1664525);
    state_[i] += key[k % 2] + static_cast<std::uint32_t>(k % 2);
  }
  for (std::size_t k = 1; k < size; ++k, step()) {
    mix(1566083941);
    state_[i] -= static_cast<std::uint32_t>(i);
  }
  state_[0] = 0x80000000U;
}

void MersenneTwister::refill() {
  constexpr std::size_t shift = 397;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[(i + 1) % size] & 0x7fffffffU);
    state_[i] = state_[(i + shift) % size] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfU : 0);
  }
  at_ = 0;
}

std::uint32_t MersenneTwister::next() {
  if (at_ == size) refill();
  std::uint32_t y = state_[at_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

std::int32_t MersenneTwister::below(std::int32_t bound) {
  const auto next31 = [&] { return static_cast<std::int64_t>(next() >> 1); };
  if ((bound & -bound) == bound) return static_cast<std::int32_t>((bound * next31()) >> 31);
  for (;;) {
    const std::int64_t bits = next31();
    const std::int64_t value = bits % bound;
    if (bits - value + bound - 1 <= INT32_MAX) return static_cast<std::int32_t>(value);
  }
}

namespace {

constexpr std::uint64_t java_multiplier = 0x5DEECE66D;
constexpr std::uint64_t java_mask = (std::uint64_t{1} << 48) - 1;

}  // namespace

JavaRandom::JavaRandom(std::int64_t seed)
    : state_((static_cast<std::uint64_t>(seed) ^ java_multiplier) & java_mask) {}

std::int32_t JavaRandom::next_int() {
  state_ = (state_ * java_multiplier + 0xB) & java_mask;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(state_ >> 16));
}

std::int64_t JavaRandom::next_long() {
  const auto high = static_cast<std::uint64_t>(static_cast<std::int64_t>(next_int())) << 32;
  const auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(next_int()));
  return static_cast<std::int64_t>(high + low);
}

PoissonRandom::PoissonRandom(std::int64_t seed, double mean) : mean_(mean) {
  const auto bits = static_cast<std::uint64_t>(seed);
  state_[0] = static_cast<std::uint32_t>(bits >> 32);
  state_[1] = static_cast<std::uint32_t>(bits);
  for (std::size_t i = 2; i < size; ++i) {
    // Java widens the word with its sign.
    const auto word = static_cast<std::int64_t>(static_cast<std::int32_t>(state_[i - 2]));
    const auto mixed = static_cast<std::uint64_t>(word ^ (word >> 30));
    state_[i] = static_cast<std::uint32_t>(1812433253U * mixed + i);
  }
}

std::uint32_t PoissonRandom::next_bits(int bits) {
  const auto word = [&](std::size_t distance) -> std::uint32_t& {
    return state_[(at_ + distance) % size];
  };
  const std::uint32_t carried = (0x80000000U & word(size - 1)) ^ (0x7fffffffU & word(size - 2));
  const std::uint32_t a = word(0) ^ (word(0) << 25) ^ word(70) ^ (word(70) >> 27);
  const std::uint32_t b = (word(179) >> 9) ^ word(449) ^ (word(449) >> 1);
  const std::uint32_t c = a ^ b;
  std::uint32_t out = carried ^ (a ^ (a << 9)) ^ (b ^ (b << 21)) ^ (c ^ (c >> 21));
  word(0) = c;
  word(size - 1) = out;
  word(size - 2) &= 0x80000000U;
  at_ = (at_ + size - 1) % size;
  out ^= (out << 7) & 0xe46e1700U;
  out ^= (out << 15) & 0x9b868000U;
  return out >> (32 - bits);
}

double PoissonRandom::next_double() {
  const std::uint64_t high = static_cast<std::uint64_t>(next_bits(26)) << 26;
  return static_cast<double>(high | next_bits(26)) * 0x1.0p-52;
}

std::int64_t PoissonRandom::next() {
  const double floor = std::exp(-mean_);
  std::int64_t count = 0;
  double product = 1;
  while (static_cast<double>(count) < 1000 * mean_) {
    product *= next_double();
    if (product < floor) return count;
    ++count;
  }
  return count;
}

}  // namespace millstream::engine
