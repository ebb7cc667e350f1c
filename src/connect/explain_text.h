// explain(): the text of each of its modes, under Spark's titles.
#pragma once

#include <string>

#include "plan/node.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {

Result<std::string> explain_text(const plan::NodePtr& analyzed,
                                 spark::connect::AnalyzePlanRequest::Explain::ExplainMode mode,
                                 const std::string& time_zone);

}  // namespace millstream::connect
