// What Millstream calls itself in the logs that it writes.
#pragma once

namespace millstream::delta {

inline constexpr const char* engine_info = "Millstream/0.1.0";

}  // namespace millstream::delta
