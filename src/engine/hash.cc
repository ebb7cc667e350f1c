#include "engine/hash.h"

#include <xxhash.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "engine/kernels.h"

namespace millstream::engine {
namespace {

std::uint32_t mix_key(std::uint32_t key) {
  key *= 0xcc9e2d51U;
  key = std::rotl(key, 15);
  return key * 0x1b873593U;
}

std::uint32_t mix_hash(std::uint32_t hash, std::uint32_t key) {
  hash ^= key;
  hash = std::rotl(hash, 13);
  return hash * 5 + 0xe6546b64U;
}

std::int32_t finish(std::uint32_t hash, std::uint32_t length) {
  hash ^= length;
  hash ^= hash >> 16;
  hash *= 0x85ebca6bU;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35U;
  hash ^= hash >> 16;
  return static_cast<std::int32_t>(hash);
}

}  // namespace

std::int32_t murmur_int(std::int32_t value, std::int32_t seed) {
  return finish(
      mix_hash(static_cast<std::uint32_t>(seed), mix_key(static_cast<std::uint32_t>(value))), 4);
}

std::int32_t murmur_long(std::int64_t value, std::int32_t seed) {
  const auto bits = static_cast<std::uint64_t>(value);
  auto hash = mix_hash(static_cast<std::uint32_t>(seed), mix_key(static_cast<std::uint32_t>(bits)));
  hash = mix_hash(hash, mix_key(static_cast<std::uint32_t>(bits >> 32)));
  return finish(hash, 8);
}

// Spark's variant: whole words, then each byte left as a (signed) word of its own.
std::int32_t murmur_bytes(std::string_view bytes, std::int32_t seed) {
  auto hash = static_cast<std::uint32_t>(seed);
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes.data() + at, 4);
    hash = mix_hash(hash, mix_key(word));
  }
  for (; at < bytes.size(); ++at) {
    hash = mix_hash(hash, mix_key(static_cast<std::uint32_t>(
                              static_cast<std::int32_t>(static_cast<signed char>(bytes[at])))));
  }
  return finish(hash, static_cast<std::uint32_t>(bytes.size()));
}

std::int64_t xxhash_bytes(std::string_view bytes, std::int64_t seed) {
  return static_cast<std::int64_t>(
      XXH64(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(seed)));
}
std::int64_t xxhash_int(std::int32_t value, std::int64_t seed) {
  return xxhash_bytes({reinterpret_cast<const char*>(&value), sizeof(value)}, seed);
}
std::int64_t xxhash_long(std::int64_t value, std::int64_t seed) {
  return xxhash_bytes({reinterpret_cast<const char*>(&value), sizeof(value)}, seed);
}

namespace {

// Java's bits: one NaN, and -0.0 counts as 0.0.
std::int32_t bits_of(float value) {
  if (std::isnan(value)) return 0x7fc00000;
  return value == 0 ? 0 : std::bit_cast<std::int32_t>(value);
}
std::int64_t bits_of(double value) {
  if (std::isnan(value)) return 0x7ff8000000000000LL;
  return value == 0 ? 0 : std::bit_cast<std::int64_t>(value);
}

// One step of a row's hash: the seed itself where the value is NULL.
template <typename Value, typename Seed, auto Hash>
std::optional<Seed> step(Failure&, Value value, bool valid, Seed seed) {
  if (!valid) return seed;
  if constexpr (std::is_same_v<Value, Blob>) {
    return Hash(value.bytes, seed);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return Hash(bits_of(value), seed);
  } else {
    return Hash(value, seed);
  }
}

}  // namespace

Status register_hash_kernels(duckdb_connection c) {
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  TRY((add_kernel<step<i32, i32, murmur_int>>(c, "ms_murmur_int")));
  TRY((add_kernel<step<i64, i32, murmur_long>>(c, "ms_murmur_long")));
  TRY((add_kernel<step<float, i32, murmur_int>>(c, "ms_murmur_float")));
  TRY((add_kernel<step<double, i32, murmur_long>>(c, "ms_murmur_double")));
  TRY((add_kernel<step<std::string_view, i32, murmur_bytes>>(c, "ms_murmur_text")));
  TRY((add_kernel<step<Blob, i32, murmur_bytes>>(c, "ms_murmur_bytes")));
  TRY((add_kernel<step<i32, i64, xxhash_int>>(c, "ms_xxhash_int")));
  TRY((add_kernel<step<i64, i64, xxhash_long>>(c, "ms_xxhash_long")));
  TRY((add_kernel<step<float, i64, xxhash_int>>(c, "ms_xxhash_float")));
  TRY((add_kernel<step<double, i64, xxhash_long>>(c, "ms_xxhash_double")));
  TRY((add_kernel<step<std::string_view, i64, xxhash_bytes>>(c, "ms_xxhash_text")));
  TRY((add_kernel<step<Blob, i64, xxhash_bytes>>(c, "ms_xxhash_bytes")));
  return Status::OK();
}

}  // namespace millstream::engine
