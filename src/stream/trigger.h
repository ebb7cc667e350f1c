// When the next trigger is due. Pure.
#pragma once

#include <cstdint>

namespace millstream::stream {

// Processing-time triggers fall on multiples of the interval since the epoch, whenever the query
// was started. 0: at once.
std::int64_t next_trigger_ms(std::int64_t now_ms, std::int64_t interval_ms);

// How long a query without an interval waits after it has found nothing: the setting at first, and
// a twentieth of the time for which nothing has come, so that a query at rest costs next to
// nothing.
std::int64_t polling_pause_ms(std::int64_t setting_ms, std::int64_t idle_ms);

}  // namespace millstream::stream
