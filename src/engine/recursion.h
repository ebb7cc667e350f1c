// WITH RECURSIVE: runs anchors and steps one after the other, each as a plan of its own, and puts
// the rows in the place of the Recursion. Used by the thread that starts the plan.
#pragma once

#include <functional>
#include <vector>

#include "connector/batches.h"
#include "plan/node.h"

namespace millstream::engine {

bool has_recursion(const plan::NodePtr& node);

using RunPlan =
    std::function<Result<std::vector<connector::RecordBatchPtr>>(const plan::NodePtr& node)>;
// The plan without recursions. RECURSION_LEVEL_LIMIT_EXCEEDED, RECURSION_ROW_LIMIT_EXCEEDED.
Result<plan::NodePtr> run_recursions(const plan::NodePtr& node, const RunPlan& run);

}  // namespace millstream::engine
