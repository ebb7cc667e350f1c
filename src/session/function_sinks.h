// writeStream.foreachBatch and writeStream.foreach: sinks that give a batch to a function of the
// program, in Python or of this process: as a DataFrame that the session keeps meanwhile, or row by
// row.
#pragma once

#include <memory>
#include <string>

#include "connector/sink.h"
#include "session/session.h"

namespace spark::connect {
class StreamingForeachFunction;
}  // namespace spark::connect

namespace millstream::session {

class FunctionSink : public connector::Sink {
 public:
  // To be called when the query has ended: the function, and its process, go.
  virtual void end() = 0;
};

// Starts the process of a Python function and loads it:
// STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE.
// Warnings call the query `name`.
Result<std::shared_ptr<FunctionSink>> make_foreach_batch_sink(
    Session& session, const spark::connect::StreamingForeachFunction& function,
    const std::string& name);

// The process starts with the first batch of rows of `schema`.
Result<std::shared_ptr<FunctionSink>> make_foreach_sink(
    Session& session, const spark::connect::StreamingForeachFunction& function,
    const column::Schema& schema);

}  // namespace millstream::session
