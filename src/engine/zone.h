// Time zones as Java's ZoneId knows them: region names, fixed offsets, Z. Immutable; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace millstream::engine {

class Zone {
 public:
  // INVALID time zones are an error that names them. The pointer lives for ever.
  static Result<const Zone*> find(std::string_view name);

  std::int64_t to_local(
      std::int64_t utc_micros) const;  // the wall clock at that instant, as micros
  // The instant of a wall clock; in a gap the clock moves on by its length, in an overlap the
  // earlier instant counts.
  std::int64_t from_local(std::int64_t local_micros) const;
  std::int32_t offset_seconds(std::int64_t utc_micros) const;
  bool is_daylight(std::int64_t utc_micros) const;  // summer time holds then

 private:
  friend class Zones;
  const void* region_ = nullptr;  // of the tz database; null: fixed
  std::int32_t fixed_ = 0;
};

}  // namespace millstream::engine
