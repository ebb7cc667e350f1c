// Names of time zones as java.time.ZoneId takes them, in Spark's lenient form ("+8", "+8:0").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace millstream {

struct ZoneName {
  std::optional<std::int32_t> offset_seconds;  // a fixed zone: "Z", "UTC+3", "-03:30", "EST"
  std::string_view region;  // else a name for the tz database, short ones made long
};

// Never fails: what is no offset is taken for a region. `region` points into `name` or lives for
// ever.
ZoneName parse_zone_name(std::string_view name);

}  // namespace millstream
