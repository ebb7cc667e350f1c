#include "session/foreach_batch.h"

#include <atomic>

#include "base/log.h"
#include "base/random.h"
#include "python/foreach_batch.h"
#include "session/batch_rows.h"
#include "session/kept_relations.h"
#include "spark/connect/commands.pb.h"

namespace millstream::session {
namespace {

class PythonForeachBatch final : public ForeachBatchSink {
 public:
  // The batches are kept where the session that calls the function looks for them.
  PythonForeachBatch(std::unique_ptr<python::ForeachBatchWorker> worker,
                     std::shared_ptr<KeptRelations> relations, std::string own_session_id,
                     std::function<void()> close_session, std::string name)
      : worker_(std::move(worker)),
        relations_(std::move(relations)),
        own_session_id_(std::move(own_session_id)),
        close_session_(std::move(close_session)),
        name_(std::move(name)) {}

  std::string description() const override { return "ForeachBatchSink"; }
  Status prepare(const column::Schema&, connector::OutputMode) override { return Status::OK(); }

  Result<std::int64_t> add_batch(const connector::SinkBatch& batch,
                                 const connector::Batches& rows) override {
    const auto table =
        std::make_shared<BatchRows>(rows, batch.batch_id, [this] { warn_of_repeated_scan(); });
    const std::string id = relations_->keep(BatchRows::node(table));
    const Status called = worker_->call(id, batch.batch_id, own_session_id_, batch.cancel);
    relations_->forget(id);
    table->close();
    TRY(called);
    return -1;  // nobody knows what the function wrote
  }

  void end() override {
    worker_.reset();
    if (close_session_) close_session_();
  }

 private:
  void warn_of_repeated_scan() {
    if (warned_.exchange(true)) return;
    log_warn(
        "FOREACH_BATCH_REPEATED_SCAN: the function of the streaming query {} reads its batch more "
        "than once, and each time it is computed anew from its sources: call persist() on it first "
        "and unpersist() at the end",
        name_);
  }

  std::unique_ptr<python::ForeachBatchWorker> worker_;
  const std::shared_ptr<KeptRelations> relations_;
  const std::string own_session_id_;
  const std::function<void()> close_session_;
  const std::string name_;
  std::atomic<bool> warned_ = false;
};

}  // namespace

Result<std::shared_ptr<ForeachBatchSink>> make_foreach_batch_sink(
    Session& session, const spark::connect::StreamingForeachFunction& function, std::string name) {
  if (!function.has_python_function())
    return Status::unsupported("only Python functions can be given to foreachBatch");
  const Runtime& runtime = session.runtime();
  python::ForeachBatchSpec spec;
  spec.function = function.python_function().command();
  spec.python_version = function.python_function().python_ver();
  if (runtime.connect_url) spec.connect_url = runtime.connect_url();
  if (spec.connect_url.empty())
    return Status::unsupported(
        "foreachBatch of a Python function needs a server that listens on a port");
  spec.user_id = session.user_id();
  spec.session_id = session.id();
  TRY_ASSIGN(spec.search_path, session.artifacts().python_path());
  TRY_ASSIGN(auto worker, python::ForeachBatchWorker::start(spec, nullptr));

  std::shared_ptr<KeptRelations> relations = session.kept_relations();
  std::string own_session_id;
  std::function<void()> close_session;
  if (worker->wants_own_session()) {
    own_session_id = new_uuid();
    TRY_ASSIGN(relations, runtime.open_clone(session, own_session_id));
    close_session = [&runtime, user = session.user_id(), own_session_id] {
      runtime.close_session(user, own_session_id);
    };
  }
  return std::shared_ptr<ForeachBatchSink>(std::make_shared<PythonForeachBatch>(
      std::move(worker), std::move(relations), std::move(own_session_id), std::move(close_session),
      std::move(name)));
}

}  // namespace millstream::session
