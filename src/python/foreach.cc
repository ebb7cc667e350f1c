#include "python/foreach.h"

#include <arrow/record_batch.h>

#include <algorithm>

#include "python/interpreter.h"

namespace millstream::python {
namespace {

// Lengths that are none (pyspark.serializers.SpecialLengths).
constexpr std::int32_t end_of_data = -1;
constexpr std::int32_t exception_thrown = -2;
constexpr std::int32_t timing_data = -3;
constexpr std::int32_t end_of_stream = -4;
constexpr std::int32_t start_of_task = -8;  // since 4.3

constexpr std::int32_t no_udf = 0;  // the evaluation type of a function over an iterator
constexpr std::int64_t rows_per_pickle = 256;
constexpr std::size_t unsent_bytes_max = 1 << 20;

std::string task_context(std::int64_t partition, std::int64_t epoch) {
  return fmt::format(
      R"({{"isBarrier":false,"stageId":0,"partitionId":{0},"attemptNumber":0,"taskAttemptId":{0},)"
      R"("cpus":1,"cpuAmount":"1","resources":{{}},"localProperties":{{"streaming.sql.batchId":"{1}"}},)"
      R"("connInfo":-1,"secret":""}})",
      partition, epoch);
}

}  // namespace

Result<std::unique_ptr<ForeachWorker>> ForeachWorker::create(ForeachSpec spec,
                                                             const column::Schema& schema) {
  TRY_ASSIGN(RowPickler pickler, RowPickler::create(schema));
  return std::unique_ptr<ForeachWorker>(new ForeachWorker(std::move(spec), std::move(pickler)));
}

Status ForeachWorker::ready(const CancelToken* cancel) {
  if (worker_ != nullptr) return Status::OK();
  WorkerSpec spec;
  spec.interpreter = find_interpreter();
  spec.module = "pyspark.worker";
  spec.search_path = spec_.search_path;
  TRY_ASSIGN(const std::string version, pyspark_version(spec.interpreter, spec.search_path));
  framed_ = is_at_least_4_3(version);
  TRY_ASSIGN(worker_, Worker::start(spec, cancel));
  return Status::OK();
}

void ForeachWorker::put_task(std::int64_t partition, std::int64_t epoch) {
  Frames head;
  head.put_int(static_cast<std::int32_t>(partition));
  head.put_text(spec_.python_version);
  head.put_text(task_context(partition, epoch));
  head.put_text(".");  // the folder of files; uploaded modules are on the search path
  head.put_int(0);     // archives
  head.put_byte(0);    // no server of broadcast values
  head.put_int(0);     // broadcast values
  head.put_int(no_udf);
  head.put_int(0);  // settings of the runner
  head.put_int(0);  // and of the evaluation
  head.put_text(spec_.function);
  if (framed_) {
    worker_->frames().put_int(start_of_task);
    worker_->frames().put_text(head.bytes());
  } else {
    worker_->frames().append(head);
  }
}

// A worker that has ended meanwhile has said why: that is read afterwards.
Result<std::int64_t> ForeachWorker::send_rows(connector::BatchReader& rows,
                                              const CancelToken* cancel) {
  std::int64_t count = 0;
  for (;;) {
    TRY_ASSIGN(const auto batch, rows.next());
    if (batch == nullptr) break;
    for (std::int64_t first = 0; first < batch->num_rows(); first += rows_per_pickle) {
      const std::int64_t some = std::min(rows_per_pickle, batch->num_rows() - first);
      worker_->frames().put_text(pickler_.pickle(*batch, first, some));
      if (worker_->frames().bytes().size() < unsent_bytes_max) continue;
      if (!worker_->send(cancel).ok()) return count;
    }
    count += batch->num_rows();
  }
  worker_->frames().put_int(end_of_data);
  worker_->frames().put_int(end_of_stream);
  [[maybe_unused]] const Status sent = worker_->send(cancel);
  return count;
}

Status ForeachWorker::take_answer(const CancelToken* cancel) {
  TRY_ASSIGN(std::int32_t code, worker_->take_int(cancel));
  if (code == exception_thrown) {
    TRY_ASSIGN(const std::string traceback, worker_->take_text(cancel));
    return Status::error("PYTHON_EXCEPTION",
                         {{"msg", "An exception was thrown from the Python worker: " + traceback}});
  }
  if (code != timing_data)
    return Status::plain(
        ErrorKind::spark,
        fmt::format("the Python worker answers {}: it speaks another protocol", code));
  for (int i = 0; i < 6; ++i) TRY(worker_->take_long(cancel).status());  // times, spilled bytes
  TRY(worker_->take_int(cancel).status());                               // end_of_data
  TRY_ASSIGN(const std::int32_t accumulators, worker_->take_int(cancel));
  for (int i = 0; i < accumulators; ++i) TRY(worker_->take_text(cancel).status());
  TRY_ASSIGN(code, worker_->take_int(cancel));
  if (code != end_of_stream) worker_.reset();  // it did not read all of its rows, and ends
  return Status::OK();
}

Result<std::int64_t> ForeachWorker::run(std::int64_t partition, std::int64_t epoch,
                                        connector::BatchReader& rows, const CancelToken* cancel) {
  TRY(ready(cancel));
  put_task(partition, epoch);
  auto count = send_rows(rows, cancel);
  Status answer = count.ok() ? take_answer(cancel) : count.status();
  if (cancel != nullptr) TRY(cancel->check());
  if (!answer.ok()) {
    worker_.reset();
    return answer;
  }
  return count;
}

}  // namespace millstream::python
