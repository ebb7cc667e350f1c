// The rows of both rate sources: a range of values, each with a time that is linear in it.
// Immutable; each partition's reader is its thread's own.
#pragma once

#include <cstdint>

#include "connector/batches.h"
#include "connector/table.h"

namespace millstream::source {

const column::Schema& rate_schema();  // timestamp TIMESTAMP, value BIGINT

struct RateRange {
  std::int64_t begin = 0;  // values [begin, end)
  std::int64_t end = 0;
  std::int64_t first_ms = 0;  // the time of `begin`
  double ms_per_value = 0;    // later ones: first_ms + round((value - begin) * ms_per_value)
};

Result<connector::Batches> rate_batches(const RateRange& range, int partitions,
                                        const connector::ScanRequest& request);

}  // namespace millstream::source
