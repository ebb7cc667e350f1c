// The two sources of made-up rows, (timestamp, value): `rate` by the clock, `rate-micro-batch` by
// the batch. Their offsets and private files are Spark's, so a query goes on in either engine.
#pragma once

#include <memory>

#include "base/options.h"
#include "connector/source.h"
#include "source/providers.h"

namespace millstream::source {

Result<std::shared_ptr<const connector::StreamTable>> make_rate_table(const Options& options,
                                                                      const SourceEnv& env);
Result<std::shared_ptr<const connector::StreamTable>> make_rate_micro_batch_table(
    const Options& options, const SourceEnv& env);

// How many rows `rate` has made `seconds` after its creation: the speed rises evenly for `ramp_up`
// seconds.
std::int64_t rate_value_at(std::int64_t seconds, std::int64_t rows_per_second,
                           std::int64_t ramp_up);

}  // namespace millstream::source
