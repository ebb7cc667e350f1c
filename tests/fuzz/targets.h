// What each target does with one input. It must come back, whatever the bytes are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millstream::fuzz {

// SQL text: parsed, and a query analyzed and optimized over the table `t` of all types.
void sql(const std::uint8_t* data, std::size_t size);
// A serialized spark.connect.Relation: analyzed and optimized.
void plan(const std::uint8_t* data, std::size_t size);

}  // namespace millstream::fuzz
