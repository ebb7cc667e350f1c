// What both JSON scanners say about the value that comes next, and how a value was taken.
#pragma once

#include <cstdint>

namespace millstream::format {

enum class Token : std::uint8_t {
  object,
  array,
  string,
  number,
  true_,
  false_,
  null,
  non_finite,  // NaN, INF, Infinity without quotes
  bad,         // no value can begin so
};

enum class Outcome : std::uint8_t {
  ok,
  partial,    // a value was stored; something within it did not fit its type and is NULL
  bad,        // nothing was stored: the text is well-formed but does not fit the type
  malformed,  // the text is not JSON from here on
};

inline Outcome worse_of(Outcome a, Outcome b) { return a > b ? a : b; }

}  // namespace millstream::format
