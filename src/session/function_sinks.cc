#include "session/function_sinks.h"

#include <atomic>

#include "base/log.h"
#include "base/random.h"
#include "python/foreach.h"
#include "python/foreach_batch.h"
#include "session/batch_rows.h"
#include "session/batch_writes.h"
#include "session/kept_relations.h"
#include "spark/connect/commands.pb.h"

namespace millstream::session {
namespace {

// Calls the function with a batch that is kept under `relation_id`.
using CallBatch = std::function<Status(const std::string& relation_id, std::int64_t batch_id,
                                       const CancelToken* cancel)>;

class ForeachBatchSink final : public FunctionSink {
 public:
  // The batches are kept where the session that calls the function looks for them.
  ForeachBatchSink(CallBatch call, std::shared_ptr<KeptRelations> relations,
                   std::function<void()> close_session, std::string name)
      : call_(std::move(call)),
        relations_(std::move(relations)),
        close_session_(std::move(close_session)),
        name_(std::move(name)),
        writes_(std::make_shared<BatchWrites>(name_)) {}

  std::string description() const override { return "ForeachBatchSink"; }
  Status prepare(const column::Schema&, connector::OutputMode) override { return Status::OK(); }

  Result<std::int64_t> add_batch(const connector::SinkBatch& batch,
                                 const connector::Batches& rows) override {
    // A reader may still be at it when the query, and the sink with it, has gone.
    const auto warn = [name = name_, warned = warned_] { warn_of_repeated_scan(name, *warned); };
    const auto table = std::make_shared<BatchRows>(rows, batch.batch_id, warn, writes_);
    const std::string id = relations_->keep(BatchRows::node(table));
    const Status called = call_(id, batch.batch_id, batch.cancel);
    relations_->forget(id);
    table->close();
    TRY(called);
    return -1;  // nobody knows what the function wrote
  }

  void end() override {
    call_ = nullptr;
    if (close_session_) close_session_();
  }

 private:
  static void warn_of_repeated_scan(const std::string& name, std::atomic<bool>& warned) {
    if (warned.exchange(true)) return;
    log_warn(
        "FOREACH_BATCH_REPEATED_SCAN: the function of the streaming query {} reads its batch more "
        "than once, and each time it is computed anew from its sources: call persist() on it first "
        "and unpersist() at the end",
        name);
  }

  CallBatch call_;
  const std::shared_ptr<KeptRelations> relations_;
  const std::function<void()> close_session_;
  const std::string name_;
  const std::shared_ptr<BatchWrites> writes_;
  const std::shared_ptr<std::atomic<bool>> warned_ = std::make_shared<std::atomic<bool>>(false);
};

class ForeachSink final : public FunctionSink {
 public:
  explicit ForeachSink(std::unique_ptr<python::ForeachWorker> worker)
      : worker_(std::move(worker)) {}

  std::string description() const override { return "ForeachWriterTable"; }
  Status prepare(const column::Schema&, connector::OutputMode) override { return Status::OK(); }

  Result<std::int64_t> add_batch(const connector::SinkBatch& batch,
                                 const connector::Batches& rows) override {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < rows.partitions.size(); ++i) {
      TRY_ASSIGN(const auto reader, rows.partitions[i]());
      TRY_ASSIGN(const std::int64_t some,
                 worker_->run(static_cast<std::int64_t>(i), batch.batch_id, *reader, batch.cancel));
      count += some;
    }
    return count;
  }

  void end() override { worker_.reset(); }

 private:
  std::unique_ptr<python::ForeachWorker> worker_;
};

Status check_python(const spark::connect::StreamingForeachFunction& function) {
  if (function.has_python_function()) return Status::OK();
  return Status::unsupported(
      "only Python functions, and those of the C++ program that the server is embedded in, can be "
      "given to foreach and foreachBatch");
}

// The function's process, which its sink ends.
Result<std::shared_ptr<python::ForeachBatchWorker>> start_worker(
    Session& session, const spark::connect::PythonUDF& function) {
  const Runtime& runtime = session.runtime();
  python::ForeachBatchSpec spec;
  spec.function = function.command();
  spec.python_version = function.python_ver();
  if (runtime.connect_url) spec.connect_url = runtime.connect_url();
  if (spec.connect_url.empty())
    return Status::unsupported(
        "foreachBatch of a Python function needs a server that listens on a port");
  spec.user_id = session.user_id();
  spec.session_id = session.id();
  TRY_ASSIGN(spec.search_path, session.artifacts().python_path());
  TRY_ASSIGN(auto worker, python::ForeachBatchWorker::start(spec, nullptr));
  return std::shared_ptr<python::ForeachBatchWorker>(std::move(worker));
}

}  // namespace

Result<std::shared_ptr<FunctionSink>> make_foreach_batch_sink(
    Session& session, const spark::connect::StreamingForeachFunction& function,
    const std::string& name) {
  const Runtime& runtime = session.runtime();
  std::shared_ptr<KeptRelations> relations = session.kept_relations();
  if (function.has_scala_function() && runtime.batch_function) {
    if (BatchFunction own = runtime.batch_function(function.scala_function().payload())) {
      const CallBatch call = [own = std::move(own)](const std::string& id, std::int64_t batch_id,
                                                    const CancelToken*) {
        return own(id, batch_id);
      };
      return std::shared_ptr<FunctionSink>(std::make_shared<ForeachBatchSink>(
          call, std::move(relations), std::function<void()>(), name));
    }
  }
  TRY(check_python(function));
  TRY_ASSIGN(const auto worker, start_worker(session, function.python_function()));
  std::string own_session_id;
  std::function<void()> close_session;
  if (worker->wants_own_session()) {
    own_session_id = new_uuid();
    TRY_ASSIGN(relations, runtime.open_clone(session, own_session_id));
    close_session = [&runtime, user = session.user_id(), own_session_id] {
      runtime.close_session(user, own_session_id);
    };
  }
  const CallBatch call = [worker, own_session_id](const std::string& id, std::int64_t batch_id,
                                                  const CancelToken* cancel) {
    return worker->call(id, batch_id, own_session_id, cancel);
  };
  return std::shared_ptr<FunctionSink>(std::make_shared<ForeachBatchSink>(
      call, std::move(relations), std::move(close_session), name));
}

Result<std::shared_ptr<FunctionSink>> make_foreach_sink(
    Session& session, const spark::connect::StreamingForeachFunction& function,
    const column::Schema& schema) {
  TRY(check_python(function));
  python::ForeachSpec spec;
  spec.function = function.python_function().command();
  spec.python_version = function.python_function().python_ver();
  TRY_ASSIGN(spec.search_path, session.artifacts().python_path());
  TRY_ASSIGN(auto worker, python::ForeachWorker::create(std::move(spec), schema));
  return std::shared_ptr<FunctionSink>(std::make_shared<ForeachSink>(std::move(worker)));
}

}  // namespace millstream::session
