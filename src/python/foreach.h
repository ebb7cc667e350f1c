// The worker of writeStream.foreach: one process for a query, which runs the program's function
// over the rows of each partition of each batch: a `pyspark.worker` task.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "connector/batches.h"
#include "python/row_pickle.h"
#include "python/worker.h"

namespace millstream::python {

struct ForeachSpec {
  std::string function;        // as the client has pickled it, with its serializers
  std::string python_version;  // of the client, "3.11"
  std::string search_path;     // of uploaded modules; may be empty
};

class ForeachWorker {
 public:
  // The process starts with the first run.
  static Result<std::unique_ptr<ForeachWorker>> create(ForeachSpec spec,
                                                       const column::Schema& schema);

  // PYTHON_EXCEPTION with the traceback when the function raises. Gives the number of rows.
  Result<std::int64_t> run(std::int64_t partition, std::int64_t epoch, connector::BatchReader& rows,
                           const CancelToken* cancel);

 private:
  ForeachWorker(ForeachSpec spec, RowPickler pickler)
      : spec_(std::move(spec)), pickler_(std::move(pickler)) {}

  Status ready(const CancelToken* cancel);
  void put_task(std::int64_t partition, std::int64_t epoch);
  Result<std::int64_t> send_rows(connector::BatchReader& rows, const CancelToken* cancel);
  Status take_answer(const CancelToken* cancel);

  const ForeachSpec spec_;
  const RowPickler pickler_;
  bool framed_ = false;  // a task's head is one message: pyspark 4.3 and later
  std::unique_ptr<Worker> worker_;
};

}  // namespace millstream::python
