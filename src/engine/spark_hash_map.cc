#include "engine/spark_hash_map.h"

#include <bit>
#include <cmath>

#include "engine/hash.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

namespace {

std::int32_t folded(std::uint64_t bits) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits ^ (bits >> 32)));
}

constexpr std::size_t first_capacity = 64;
constexpr double load_factor = 0.7;
constexpr std::size_t free_place = static_cast<std::size_t>(-1);

void put(std::vector<std::size_t>& places, const std::vector<std::int32_t>& hashes,
         std::size_t key) {
  const std::size_t mask = places.size() - 1;
  std::size_t at = static_cast<std::uint32_t>(murmur_int(hashes[key], 0)) & mask;
  for (std::size_t step = 1; places[at] != free_place; ++step) at = (at + step) & mask;
  places[at] = key;
}

}  // namespace

std::optional<std::int32_t> java_hash(const Value& value, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::boolean:
      return value.integer != 0 ? 1231 : 1237;
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::date:
    case TypeKind::year_month_interval:
      return static_cast<std::int32_t>(value.integer);
    case TypeKind::long_:
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
    case TypeKind::time:
    case TypeKind::day_time_interval:
      return folded(static_cast<std::uint64_t>(value.integer));
    case TypeKind::float_:
      return std::bit_cast<std::int32_t>(static_cast<float>(value.floating));
    case TypeKind::double_:
      return folded(std::bit_cast<std::uint64_t>(value.floating));
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return murmur_bytes(value.text, 42);
    default:
      return std::nullopt;
  }
}

std::vector<std::size_t> map_order(const std::vector<std::int32_t>& hashes) {
  std::vector<std::size_t> places(first_capacity, free_place);
  for (std::size_t key = 0; key < hashes.size(); ++key) {
    put(places, hashes, key);
    if (static_cast<double>(key + 1) <= load_factor * static_cast<double>(places.size())) continue;
    std::vector<std::size_t> wider(places.size() * 2, free_place);
    for (const std::size_t known : places) {
      if (known != free_place) put(wider, hashes, known);
    }
    places = std::move(wider);
  }
  std::vector<std::size_t> order;
  for (const std::size_t key : places) {
    if (key != free_place) order.push_back(key);
  }
  return order;
}

}  // namespace millstream::engine
