// Spark's hash functions: Murmur3 (hash) and XXH64 (xxhash64), value by value. Pure; any thread.
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace millstream::engine {

std::int32_t murmur_int(std::int32_t value, std::int32_t seed);
std::int32_t murmur_long(std::int64_t value, std::int32_t seed);
std::int32_t murmur_bytes(std::string_view bytes, std::int32_t seed);
std::int64_t xxhash_int(std::int32_t value, std::int64_t seed);
std::int64_t xxhash_long(std::int64_t value, std::int64_t seed);
std::int64_t xxhash_bytes(std::string_view bytes, std::int64_t seed);

Status register_hash_kernels(duckdb_connection connection);

}  // namespace millstream::engine
