// How operators and expressions stand in an explained plan, with Spark's marks ("+- ", ":- ") and
// column numbers ("id#4"). Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/node.h"

namespace millstream::plan {

std::string explained(const Expr& expr);
std::string explained(const std::vector<ExprPtr>& exprs);         // "[a#1, (b#2 + 1) AS c#3]"
std::string explained(const std::vector<Attribute>& attributes);  // the visible ones
std::string explained(const std::vector<SortKey>& keys);          // "[a#1 ASC NULLS FIRST]"
std::string explained_operator(const Node& node);                 // "Filter (a#1 > 1)"

// One line for each node, the root's first.
std::string draw_tree(const Node& root, const std::function<std::string(const Node&)>& line);

}  // namespace millstream::plan
