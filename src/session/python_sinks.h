// writeStream.foreachBatch and writeStream.foreach: sinks that give a batch to the program's Python
// function: as a DataFrame that the session keeps meanwhile, or row by row.
#pragma once

#include <memory>
#include <string>

#include "connector/sink.h"
#include "session/session.h"

namespace spark::connect {
class StreamingForeachFunction;
}  // namespace spark::connect

namespace millstream::session {

class PythonSink : public connector::Sink {
 public:
  // To be called when the query has ended: the function's process goes.
  virtual void end() = 0;
};

// Starts the process of the function and loads it: STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE.
// Warnings call the query `name`.
Result<std::shared_ptr<PythonSink>> make_foreach_batch_sink(
    Session& session, const spark::connect::StreamingForeachFunction& function,
    const std::string& name);

// The process starts with the first batch of rows of `schema`.
Result<std::shared_ptr<PythonSink>> make_foreach_sink(
    Session& session, const spark::connect::StreamingForeachFunction& function,
    const column::Schema& schema);

}  // namespace millstream::session
