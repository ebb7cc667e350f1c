// What some sources and stream tables are told beyond what connector/source.h asks of all: they
// implement these beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/status.h"

namespace millstream::connector {

// What withWatermark says of a source's rows.
struct EventTime {
  std::string column;  // of the source's schema; empty: it is computed from others
  std::int64_t delay_ms = 0;
};

// A Source whose rows' order may follow their event times.
class EventTimeFollower {
 public:
  virtual ~EventTimeFollower() = default;
  // Once, before anything is read. Nothing: the rows have no watermark.
  virtual Status follow(const std::optional<EventTime>& event_time) = 0;
};

// A StreamTable that keeps something beside a query's checkpoint.
class PlaceClaimer {
 public:
  virtual ~PlaceClaimer() = default;
  // Before a query starts: whether that is where it may be. `taken`: the places of the query's
  // other sources; its own is added.
  virtual Status claim_place(const std::string& checkpoint, std::set<std::string>& taken) const = 0;
};

}  // namespace millstream::connector
