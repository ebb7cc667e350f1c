// hash and xxhash64 of decimals and nested values. The hash of what came before is the seed; NULL
// leaves it as it is.
#include <bit>
#include <cmath>
#include <span>

#include "engine/hash.h"
#include "engine/value_kernel.h"

namespace millstream::engine {
namespace {

using column::DataType;
using column::TypeKind;

struct Murmur {
  static std::int64_t of_int(std::int32_t value, std::int64_t seed) {
    return murmur_int(value, static_cast<std::int32_t>(seed));
  }
  static std::int64_t of_long(std::int64_t value, std::int64_t seed) {
    return murmur_long(value, static_cast<std::int32_t>(seed));
  }
  static std::int64_t of_bytes(std::string_view bytes, std::int64_t seed) {
    return murmur_bytes(bytes, static_cast<std::int32_t>(seed));
  }
};

struct XxHash {
  static std::int64_t of_int(std::int32_t value, std::int64_t seed) {
    return xxhash_int(value, seed);
  }
  static std::int64_t of_long(std::int64_t value, std::int64_t seed) {
    return xxhash_long(value, seed);
  }
  static std::int64_t of_bytes(std::string_view bytes, std::int64_t seed) {
    return xxhash_bytes(bytes, seed);
  }
};

// BigInteger.toByteArray: big-endian, as few bytes as hold the sign too.
std::string java_bytes(__int128 value) {
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>(value & 0xFF));
    value >>= 8;
  } while (!((value == 0 && (out[0] & 0x80) == 0) || (value == -1 && (out[0] & 0x80) != 0)));
  return out;
}

template <typename Hash>
std::int64_t hash_value(const Value& value, const DataType& type, std::int64_t seed) {
  if (value.is_null()) return seed;
  switch (type.kind()) {
    case TypeKind::long_:
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
    case TypeKind::time:
    case TypeKind::day_time_interval:
      return Hash::of_long(value.integer, seed);
    case TypeKind::float_: {
      const auto number = static_cast<float>(value.floating);
      const std::int32_t bits = std::isnan(number) ? 0x7fc00000
                                : number == 0      ? 0
                                                   : std::bit_cast<std::int32_t>(number);
      return Hash::of_int(bits, seed);
    }
    case TypeKind::double_: {
      const std::int64_t bits = std::isnan(value.floating) ? 0x7ff8000000000000LL
                                : value.floating == 0      ? 0
                                                      : std::bit_cast<std::int64_t>(value.floating);
      return Hash::of_long(bits, seed);
    }
    case TypeKind::calendar_interval:
      seed = Hash::of_long(value.items[2].integer, seed);
      seed = Hash::of_int(static_cast<std::int32_t>(value.items[1].integer), seed);
      return Hash::of_int(static_cast<std::int32_t>(value.items[0].integer), seed);
    case TypeKind::decimal:
      if (type.precision() <= 18)
        return Hash::of_long(static_cast<std::int64_t>(value.decimal), seed);
      return Hash::of_bytes(java_bytes(value.decimal), seed);
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
    case TypeKind::binary:
      return Hash::of_bytes(value.text, seed);
    case TypeKind::array:
      for (const Value& item : value.items) seed = hash_value<Hash>(item, *type.element(), seed);
      return seed;
    case TypeKind::struct_:
      for (std::size_t i = 0; i < value.items.size(); ++i)
        seed = hash_value<Hash>(value.items[i], *type.fields()[i].type, seed);
      return seed;
    default:
      return Hash::of_int(static_cast<std::int32_t>(value.integer), seed);
  }
}

template <typename Hash>
Result<Value> hash_all(const ValueKernel& kernel, const Values& a) {
  std::int64_t seed = 42;
  for (std::size_t i = 0; i < a.size(); ++i)
    seed = hash_value<Hash>(a[i], *kernel.arguments[i], seed);
  return integer_value(seed);
}

// What a sketch hashes of an array of integers: their bytes, one after the other.
Result<Value> sketch_key(const ValueKernel& kernel, const Values& a) {
  const bool wide = kernel.arguments[0]->element()->kind() == TypeKind::long_;
  std::string bytes;
  for (const Value& item : a[0].items) {
    const std::int64_t value = item.is_null() ? 0 : item.integer;
    bytes.append(reinterpret_cast<const char*>(&value), wide ? 8 : 4);
  }
  return text_value(std::move(bytes));
}

constexpr ValueFunction functions[] = {
    {"hash", hash_all<Murmur>, true},
    {"xxhash64", hash_all<XxHash>, true},
    {"sketch_key", sketch_key},
};

}  // namespace

std::span<const ValueFunction> hash_functions() { return functions; }

}  // namespace millstream::engine
