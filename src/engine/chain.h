// Long chains of one operator.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace millstream::engine {

// The parts from..to with the operator `word` between, as a balanced tree where they are many:
// DuckDB's work on a flat chain grows with its square or its cube.
std::string chained(const std::vector<std::string>& parts, std::size_t from, std::size_t to,
                    std::string_view word);

}  // namespace millstream::engine
