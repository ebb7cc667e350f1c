// CHECK: for our own bugs only; it stays on in release. User mistakes and the world's failures are
// Status values.
#pragma once

namespace millstream {
[[noreturn]] void check_failed(const char* expression, const char* file, int line);
}  // namespace millstream

#define CHECK(expression)                                                           \
  do {                                                                              \
    if (!(expression)) ::millstream::check_failed(#expression, __FILE__, __LINE__); \
  } while (false)
