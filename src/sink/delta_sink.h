// The Delta sink: batch N of a query is one commit that carries the transaction id (query id, N),
// so that however often the batch comes it is in the table once. The table's log state is kept
// between batches: a batch costs one data file and one log entry, however long the log is. Append
// and complete modes. Used by its query's thread alone.
#pragma once

#include <memory>

#include "base/options.h"
#include "base/status.h"
#include "connector/sink.h"
#include "sink/providers.h"

namespace millstream::sink {

// writeStream.format("delta"): env.path is required. An unknown option is an error that names it.
Result<std::shared_ptr<connector::Sink>> make_delta_sink(const Options& options,
                                                         const SinkEnv& env);

}  // namespace millstream::sink
