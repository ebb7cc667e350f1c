// The optimizer's passes; optimize() runs them in this order. Pure.
#pragma once

#include "plan/node.h"

namespace millstream::plan {

NodePtr collapse_projects(const NodePtr& node);  // adjacent projections and filters become one
NodePtr prune_columns(const NodePtr& root);      // columns that nothing above reads
NodePtr push_into_scans(const NodePtr& node);    // simple comparisons and limits

}  // namespace millstream::plan
