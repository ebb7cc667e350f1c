// The session's time zone as a part of a plan: what was written under one keeps it.
#pragma once

#include <string>

#include "plan/node.h"

namespace millstream::plan {

// The plan with each of its expressions in that zone, but for those that have one of their own.
NodePtr in_time_zone(const NodePtr& node, const std::string& time_zone);
ExprPtr in_time_zone(const ExprPtr& expr, const std::string& time_zone);

}  // namespace millstream::plan
