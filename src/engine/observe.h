// observe(): metrics over rows that pass through. The columns that the metrics need are held until
// the rows end, then aggregated once. One observation is read by one thread.
#pragma once

#include <functional>
#include <vector>

#include "engine/engine.h"

namespace millstream::engine {

using ComputeAggregate =
    std::function<Result<std::vector<connector::RecordBatchPtr>>(const plan::NodePtr&)>;

// The rows of `node`'s child, unchanged but in one partition; context.on_metrics is called at their
// end.
Result<connector::Batches> observe(const plan::NodePtr& node, connector::Batches rows,
                                   const ExecutionContext& context, ComputeAggregate compute);

}  // namespace millstream::engine
