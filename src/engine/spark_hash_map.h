// Spark's OpenHashMap, as far as its order shows: mode() takes the first of values that are as
// frequent, in the order of the map's places.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "column/types.h"
#include "engine/value.h"

namespace millstream::engine {

// Java's hashCode of the value; nothing for types whose hash is not known here.
std::optional<std::int32_t> java_hash(const Value& value, const column::DataType& type);

// The order in which a map gives back keys of these hashes that were put into it one by one: each
// an index into `hashes`.
std::vector<std::size_t> map_order(const std::vector<std::int32_t>& hashes);

}  // namespace millstream::engine
