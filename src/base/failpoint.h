// Named places where a test can make the program fail: return an error, or die at once as by kill
// -9. Off (one relaxed load) unless a test arms one, or
// MILLSTREAM_FAILPOINTS="name=crash;other=error" is set at start. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::failpoints {

enum class Action : std::uint8_t {
  error,  // the place returns an IOException that names it
  crash,  // the process ends without cleaning up
};

void arm(std::string_view name, Action action,
         int after_hits = 0);  // fires once, after `after_hits` passes
void disarm_all();
Status arm_from_environment();  // error: text that does not parse
std::vector<std::string>
passed();  // names that were reached since disarm_all(), in order of first pass

// TRY(failpoints::pass("stream.after_offsets"));
Status pass(const char* name);

}  // namespace millstream::failpoints
