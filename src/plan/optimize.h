// The optimizer's passes; optimize() runs them in this order. Pure.
#pragma once

#include "plan/node.h"

namespace millstream::plan {

NodePtr fold_constants(const NodePtr& node);     // dates written as texts
NodePtr push_filters(const NodePtr& root);       // conditions go down to their columns
NodePtr collapse_projects(const NodePtr& node);  // adjacent projections and filters become one
NodePtr prune_columns(const NodePtr& root);      // columns that nothing above reads
NodePtr cut_deep(const NodePtr& node);           // very deep expressions become several projections
NodePtr push_into_scans(const NodePtr& node);    // simple comparisons and limits
// The plan of a subquery, or the right side of a lateral join: what its lambdas name of `outer`,
// the columns of the rows around it, stands beside its own columns.
NodePtr carry_outer(const NodePtr& node, const std::vector<AttributeId>& outer);

// Conditions as one, evaluated in order; and apart again. A balanced tree keeps it shallow.
ExprPtr all_of(const std::vector<ExprPtr>& conditions, std::size_t from, std::size_t to);
void split_conjuncts(const ExprPtr& condition, std::vector<ExprPtr>& out);

}  // namespace millstream::plan
