// The worker of writeStream.foreachBatch: one process for a query, which opens its own Spark
// Connect session, and calls the function of each batch with a DataFrame that the server keeps by
// id.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "python/worker.h"

namespace millstream::python {

struct ForeachBatchSpec {
  std::string function;        // as the client has pickled it
  std::string python_version;  // of the client, "3.11"
  std::string connect_url;     // of this server, "sc://127.0.0.1:15002/"
  std::string user_id;
  std::string session_id;
  std::string search_path;  // of uploaded modules; may be empty
};

class ForeachBatchWorker {
 public:
  // Returns when the function is loaded: STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE.
  static Result<std::unique_ptr<ForeachBatchWorker>> start(const ForeachBatchSpec& spec,
                                                           const CancelToken* cancel);

  // Workers of pyspark 4.3 and later call the function in another session than the query's: a clone
  // of it, whose id each call names.
  bool wants_own_session() const { return wants_own_session_; }

  // PYTHON_EXCEPTION with the traceback when the function raises; the worker has ended then.
  Status call(const std::string& data_frame_id, std::int64_t batch_id,
              const std::string& own_session_id, const CancelToken* cancel);

 private:
  ForeachBatchWorker(ForeachBatchSpec spec, bool wants_own_session)
      : spec_(std::move(spec)), wants_own_session_(wants_own_session) {}
  Result<std::string> answer(const CancelToken* cancel);

  const ForeachBatchSpec spec_;
  const bool wants_own_session_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace millstream::python
