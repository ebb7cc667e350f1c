// A query with its thread: runs a StreamRun, keeps what it reports, lets others wait for it and
// stop it. Owned by the manager (which joins the thread) and shared with users. All public methods
// are thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "engine/engine.h"
#include "io/store.h"
#include "stream/lock.h"
#include "stream/manager.h"
#include "stream/query.h"
#include "stream/run.h"

namespace millstream::stream {

class RunningQuery final : public StreamingQuery, private RunObserver {
 public:
  struct Hooks {
    std::function<void(const QueryEvent&)> emit;  // on the query's thread
    std::function<void(const RunningQuery&)>
        on_terminated;  // after it has ended, before the terminated event
  };

  RunningQuery(QuerySpec spec, std::string id, std::string run_id, engine::Engine& engine,
               std::shared_ptr<io::Store> store, Clock& clock, std::unique_ptr<CheckpointLock> lock,
               Hooks hooks);
  ~RunningQuery() override;  // joins

  Status begin();  // starts the thread; once
  void cancel() { cancel_.cancel(); }

  const std::string& id() const override { return id_; }
  const std::string& run_id() const override { return run_id_; }
  const std::string& name() const override { return spec_.name; }
  const std::vector<std::string>& tags() const override { return spec_.tags; }
  const std::string& session_key() const override { return spec_.session_key; }
  const std::string& checkpoint() const { return spec_.checkpoint; }
  bool active() const override;
  QueryStatus status() const override;
  std::vector<Progress> recent_progress() const override;
  std::optional<Status> exception() const override;
  std::string exception_text() const override;
  std::string explain(bool extended) const override;
  Result<bool> await_termination(std::optional<std::chrono::milliseconds> timeout,
                                 const CancelToken* cancel) override;
  Status process_all_available(const CancelToken* cancel) override;
  Status stop() override;

 private:
  void set_message(std::string message) override;
  void set_flags(bool data_available, bool trigger_active) override;
  std::uint64_t begin_trigger() override;
  void no_new_data(std::uint64_t request) override;
  void on_planned() override;
  void on_progress(Progress progress) override;
  void on_idle(Progress progress, std::optional<std::string> event_json) override;

  void work();
  void end(const Status& result, const std::string& debug_block);
  void remember(Progress progress);

  QuerySpec spec_;
  const std::string id_;
  const std::string run_id_;
  engine::Engine& engine_;
  const std::shared_ptr<io::Store> store_;
  Clock& clock_;
  std::unique_ptr<CheckpointLock> lock_;
  const Hooks hooks_;
  const std::size_t progress_max_;
  CancelToken cancel_;
  std::thread thread_;

  // Waiters hold a share of it: a waiter's cancellation may come after the query is gone.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
  };
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  // Below: under shared_->mutex.
  bool ended_ = false;
  bool planned_ = false;
  QueryStatus status_;
  std::deque<Progress> progress_;
  std::optional<Status> failure_;
  std::string failure_text_;
  std::uint64_t requested_ = 0;  // process_all_available calls so far
  std::uint64_t satisfied_ = 0;  // of them, those whose data is in the sink
};

}  // namespace millstream::stream
