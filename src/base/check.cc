#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace millstream {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed: this is a bug in Millstream\n", file, line,
               expression);
  std::abort();
}

}  // namespace millstream
