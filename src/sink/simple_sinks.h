// The sinks that keep nothing on disk: noop (reads every row and drops it), memory (into a
// MemoryTable), console (prints). Each is its query's alone; noop and memory read the partitions of
// a batch in parallel.
#pragma once

#include <memory>

#include "base/options.h"
#include "sink/providers.h"

namespace millstream::sink {

Result<std::shared_ptr<connector::Sink>> make_noop_sink(const Options& options);
Result<std::shared_ptr<connector::Sink>> make_memory_sink(const Options& options,
                                                          const SinkEnv& env);
Result<std::shared_ptr<connector::Sink>> make_console_sink(const Options& options,
                                                           const SinkEnv& env);

// All batches of all partitions, read in parallel on the shared pool, in partition order.
Result<std::vector<connector::RecordBatchPtr>> read_all(const connector::Batches& rows,
                                                        const CancelToken* cancel);

}  // namespace millstream::sink
