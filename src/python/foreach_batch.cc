#include "python/foreach_batch.h"

#include "python/interpreter.h"

namespace millstream::python {
namespace {

constexpr std::int32_t done = 0;
constexpr std::int32_t exception_thrown = -2;

// As a parameter of a connection string.
std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Status not_started(const ForeachBatchSpec& spec, const std::string& why) {
  return Status::error(
      "STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE",
      {{"resFromPython", std::to_string(exception_thrown)},
       {"msg", fmt::format("[session: {}] [userId: {}] {}", spec.session_id, spec.user_id, why)}});
}

}  // namespace

Result<std::unique_ptr<ForeachBatchWorker>> ForeachBatchWorker::start(const ForeachBatchSpec& spec,
                                                                      const CancelToken* cancel) {
  WorkerSpec worker;
  worker.interpreter = find_interpreter();
  worker.module = "pyspark.sql.connect.streaming.worker.foreach_batch_worker";
  worker.search_path = spec.search_path;
  worker.environment = {"SPARK_CONNECT_LOCAL_URL=" + spec.connect_url +
                        ";user_id=" + encoded(spec.user_id)};
  const auto version = pyspark_version(worker.interpreter, worker.search_path);
  if (!version.ok()) return not_started(spec, version.status().message());
  std::unique_ptr<ForeachBatchWorker> out(new ForeachBatchWorker(spec, is_at_least_4_3(*version)));
  auto started = Worker::start(worker, cancel);
  if (!started.ok()) return not_started(spec, started.status().message());
  out->worker_ = std::move(started).value();
  out->worker_->frames().put_text(spec.python_version);
  out->worker_->frames().put_text(spec.session_id);
  out->worker_->frames().put_text(spec.function);
  TRY(out->worker_->send(cancel));
  const auto failure = out->answer(cancel);
  if (!failure.ok()) return not_started(spec, failure.status().message());
  if (!failure->empty()) return not_started(spec, *failure);
  return out;
}

// The traceback; empty: it went well.
Result<std::string> ForeachBatchWorker::answer(const CancelToken* cancel) {
  TRY_ASSIGN(const std::int32_t code, worker_->take_int(cancel));
  if (code == done) return std::string();
  if (code == exception_thrown) return worker_->take_text(cancel);
  return Status::plain(
      ErrorKind::spark,
      fmt::format("the Python worker answers {}: it speaks another protocol", code));
}

Status ForeachBatchWorker::call(const std::string& data_frame_id, std::int64_t batch_id,
                                const std::string& own_session_id, const CancelToken* cancel) {
  worker_->frames().put_text(data_frame_id);
  worker_->frames().put_long(batch_id);
  if (wants_own_session_) worker_->frames().put_text(own_session_id);
  TRY(worker_->send(cancel));
  TRY_ASSIGN(const std::string traceback, answer(cancel));
  if (traceback.empty()) return Status::OK();
  if (cancel != nullptr) TRY(cancel->check());  // what the function met was our own end
  return Status::error("PYTHON_EXCEPTION",
                       {{"msg", fmt::format("[session: {}] [userId: {}] Found error inside "
                                            "foreachBatch Python process: {}",
                                            spec_.session_id, spec_.user_id, traceback)}});
}

}  // namespace millstream::python
