// How a query's failure reads: Spark's exception classes and texts. Pure.
#pragma once

#include <string>

#include "base/status.h"

namespace millstream::stream {

// The Java class that Spark throws for this error, "org.apache.spark.SparkException".
std::string exception_class(const ErrorInfo& error);

// STREAM_FAILED around `cause`, with the block that describes the query at its end.
Status query_failure(const std::string& id, const std::string& run_id, const Status& cause,
                     const std::string& debug_block);

}  // namespace millstream::stream
