// writeStream.foreachBatch: a sink that gives each batch, as a DataFrame that the session keeps, to
// the program's Python function.
#pragma once

#include <memory>
#include <string>

#include "connector/sink.h"
#include "session/session.h"

namespace spark::connect {
class StreamingForeachFunction;
}  // namespace spark::connect

namespace millstream::session {

class ForeachBatchSink : public connector::Sink {
 public:
  // To be called when the query has ended: the function's process goes.
  virtual void end() = 0;
};

// Starts the process of the function and loads it: STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE.
// The query calls it `name` in warnings.
Result<std::shared_ptr<ForeachBatchSink>> make_foreach_batch_sink(
    Session& session, const spark::connect::StreamingForeachFunction& function, std::string name);

}  // namespace millstream::session
