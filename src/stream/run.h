// One run of a streaming query: recovery, then the micro-batch loop until the trigger ends it, it
// fails, or it is cancelled. Order of a batch: choose offsets, log them, read, execute, sink, log
// the commit. Made for one thread, which it blocks only in sleep(); a scheduler may step it instead
// (initialize, then one_trigger). It knows nothing of threads and of who waits for it: that is
// Query.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "conc/cancel.h"
#include "engine/engine.h"
#include "io/store.h"
#include "stream/checkpoint.h"
#include "stream/progress.h"
#include "stream/query.h"
#include "stream/recovery.h"
#include "stream/stream_plan.h"
#include "stream/watermark.h"

namespace millstream::stream {

// The failpoints of a batch, in the order in which they are passed. Tests fail each of them once.
inline constexpr const char* run_failpoints[] = {
    "stream.after_latest_offset",  // the source has chosen; nothing is logged
    "stream.after_offsets",        // offsets/N is there
    "stream.after_source_commit",  // the sources know that batch N-1 is done
    "stream.after_purge",          // old log entries are gone
    "stream.after_get_batch",      // the inputs are open
    "stream.after_plan",           // the engine has the plan
    "stream.after_add_batch",      // the sink has batch N
    "stream.after_commit",         // commits/N is there
};

// Told by the run what it does, on its thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void set_message(std::string message) = 0;
  virtual void set_flags(bool data_available, bool trigger_active) = 0;
  // A number that grows with each request to process all that is there now.
  virtual std::uint64_t begin_trigger() = 0;
  virtual void no_new_data(std::uint64_t request) = 0;  // as of that begin_trigger
  virtual void on_planned() = 0;                        // a batch has a physical plan
  virtual void on_progress(Progress progress) = 0;
  virtual void on_idle(Progress progress, std::optional<std::string> event_json) = 0;
};

struct RunEnvironment {
  engine::Engine* engine = nullptr;
  std::shared_ptr<io::Store> store;
  Clock* clock = nullptr;
  const CancelToken* cancel = nullptr;
  std::function<bool(std::chrono::nanoseconds)> sleep;  // true: cancelled meanwhile
  // As sleep, but over at once when somebody waits for the data that there is now. Null: sleep.
  std::function<bool(std::chrono::nanoseconds)> wait_for_request;
};

class StreamRun {
 public:
  // `spec` and `observer` outlive the run; the plan has passed check_supported().
  StreamRun(const QuerySpec& spec, std::string id, std::string run_id, RunEnvironment environment,
            RunObserver& observer);
  ~StreamRun();

  Status run();  // OK: the trigger is done, or cancelled

  Status initialize();
  // At most one batch; true when one ran. `all`: without the sources' rate limits.
  Result<bool> one_trigger(bool all);

  // "=== Streaming Query ===…": what error messages show.
  std::string debug_block() const;

 private:
  struct SourceState {
    std::unique_ptr<connector::Source> source;
    std::string description;
    std::optional<std::string> start;  // committed
    std::optional<std::string> end;    // of the batch at hand
    std::atomic<std::int64_t> rows{0};
  };
  // Adds the time of its scope to a phase of the trigger.
  class Timer {
   public:
    Timer(StreamRun& run, const char* phase)
        : run_(run), phase_(phase), started_(run.environment_.clock->monotonic_ns()) {}
    ~Timer() { run_.phases_ns_[phase_] += run_.environment_.clock->monotonic_ns() - started_; }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    StreamRun& run_;
    const char* phase_;
    std::int64_t started_;
  };

  Status open_sources();
  Status run_processing_time();
  Status run_available_now();
  Result<bool> construct_batch(bool all);
  Status log_offsets();
  Status run_batch();
  Result<std::map<const plan::Node*, connector::Batches>> open_inputs();
  engine::ExecutionContext execution_context();
  void finish_trigger(bool ran, bool new_data);
  TriggerReport report(bool ran) const;
  std::int64_t conf_int(const char* key, std::int64_t fallback) const;
  bool cancelled() const {
    return environment_.cancel != nullptr && environment_.cancel->cancelled();
  }

  const QuerySpec& spec_;
  const std::string id_;
  const std::string run_id_;
  const RunEnvironment environment_;
  RunObserver& observer_;
  StreamPlan plan_;
  const std::int64_t retain_;            // log entries kept below the newest
  const std::int64_t idle_interval_ms_;  // between reports of nothing
  const std::int64_t polling_delay_ms_;

  Checkpoint checkpoint_;
  std::vector<std::unique_ptr<SourceState>> sources_;
  bool initialized_ = false;
  bool all_sources_available_now_ = false;

  BatchId batch_ = 0;
  bool is_constructed_ = false;  // batch_ has its offsets logged
  WatermarkTracker watermarks_;
  std::int64_t watermark_ms_ = 0;        // for the next batch
  std::int64_t batch_watermark_ms_ = 0;  // of the batch at hand
  std::int64_t timestamp_ms_ = 0;
  PinnedConf conf_;

  std::optional<std::int64_t> trigger_started_ms_;
  std::optional<std::int64_t> last_trigger_started_ms_;
  std::int64_t trigger_started_ns_ = 0;
  std::int64_t trigger_duration_ms_ = 0;
  std::optional<std::int64_t> last_report_ms_;
  std::map<std::string, std::int64_t> phases_ns_;
  std::int64_t rows_out_ = -1;
  mutable std::mutex observed_mutex_;  // metrics come from the engine's threads
  std::vector<engine::ObservedMetrics> observed_;
};

}  // namespace millstream::stream
