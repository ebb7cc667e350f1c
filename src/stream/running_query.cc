#include "stream/running_query.h"

#include <algorithm>
#include <system_error>

#include "base/log.h"
#include "base/text.h"
#include "plan/analyzer.h"
#include "stream/failure.h"
#include "stream/waiting.h"

namespace millstream::stream {
namespace {

// Spark's ring of numRecentProgressUpdates holds one entry less.
std::size_t progress_capacity(const QuerySpec& spec) {
  const auto set = spec.conf.find("spark.sql.streaming.numRecentProgressUpdates");
  const auto number = set == spec.conf.end() ? std::nullopt : parse_int64(set->second);
  return static_cast<std::size_t>(std::max<std::int64_t>(number.value_or(100) - 1, 1));
}

// Nothing: stop() waits for as long as it takes.
std::optional<std::chrono::milliseconds> stop_timeout(const QuerySpec& spec) {
  const auto set = spec.conf.find("spark.sql.streaming.stopTimeout");
  if (set == spec.conf.end()) return std::nullopt;
  std::string_view text = set->second;
  if (text.ends_with("ms")) text.remove_suffix(2);
  const std::int64_t ms = parse_int64(text).value_or(0);
  if (ms <= 0) return std::nullopt;
  return std::chrono::milliseconds(ms);
}

bool flag(const QuerySpec& spec, const char* key) {
  const auto set = spec.conf.find(key);
  return set != spec.conf.end() && parse_bool(set->second).value_or(false);
}

}  // namespace

RunningQuery::RunningQuery(QuerySpec spec, std::string id, std::string run_id,
                           engine::Engine& engine, std::shared_ptr<io::Store> store, Clock& clock,
                           std::unique_ptr<CheckpointLock> lock, Hooks hooks)
    : spec_(std::move(spec)),
      id_(std::move(id)),
      run_id_(std::move(run_id)),
      engine_(engine),
      store_(std::move(store)),
      clock_(clock),
      lock_(std::move(lock)),
      hooks_(std::move(hooks)),
      progress_max_(progress_capacity(spec_)) {
  status_.message = "Initializing StreamExecution";
  status_.active = true;
}

RunningQuery::~RunningQuery() {
  cancel_.cancel();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

Status RunningQuery::begin() {
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    return Status::io("no thread for the query: {}", error.what());
  }
  return Status::OK();
}

void RunningQuery::work() {
  RunEnvironment environment;
  environment.engine = &engine_;
  environment.store = store_;
  environment.clock = &clock_;
  environment.cancel = &cancel_;
  environment.sleep = [this](std::chrono::nanoseconds time) { return cancel_.wait_for(time); };
  environment.wait_for_request = [this](std::chrono::nanoseconds time) {
    std::unique_lock lock(shared_->mutex);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time);
    wait_until_ready(shared_, lock, ms, &cancel_, [this] { return requested_ > satisfied_; });
    return cancel_.cancelled();
  };
  Status result;
  std::string debug_block;
  {
    StreamRun run(spec_, id_, run_id_, std::move(environment), *this);
    result = run.run();
    if (!result.ok()) debug_block = run.debug_block();
  }  // sources are closed before anybody learns that the query has ended
  end(result, debug_block);
}

void RunningQuery::end(const Status& result, const std::string& debug_block) {
  const bool failed = !result.ok() && !cancel_.cancelled();
  if (!result.ok() && !failed && !result.is("OPERATION_CANCELED")) {
    log_warn("query {} was stopped while it met an error: {}", id_, result.message());
  }
  spec_.sink.reset();
  if (spec_.on_end) spec_.on_end();
  spec_.on_end = nullptr;  // what it holds need not live as long as the query is remembered
  if (spec_.temporary_checkpoint &&
      (!failed || flag(spec_, "spark.sql.streaming.forceDeleteTempCheckpointLocation"))) {
    const Status removed = store_->remove_tree(spec_.checkpoint);
    if (!removed.ok()) log_warn("a temporary checkpoint stays: {}", removed.message());
  }
  lock_.reset();
  {
    const std::lock_guard lock(shared_->mutex);
    if (failed) {
      failure_ = query_failure(id_, run_id_, result, debug_block);
      failure_text_ =
          "org.apache.spark.sql.streaming.StreamingQueryException: " + result.message() + "\n" +
          debug_block;
      status_.message = "Terminated with exception: " + result.message();
    } else {
      status_.message = "Stopped";
    }
    status_.data_available = false;
    status_.trigger_active = false;
    status_.active = false;
  }
  hooks_.on_terminated(*this);
  const std::string exception =
      failed ? exception_class(result.info()) + ": " + result.message() : std::string();
  hooks_.emit({QueryEvent::Kind::terminated,
               terminated_event_json(id_, run_id_, exception, failed ? result.condition() : "")});
  const std::lock_guard lock(shared_->mutex);
  ended_ = true;
  shared_->changed.notify_all();
}

bool RunningQuery::active() const {
  const std::lock_guard lock(shared_->mutex);
  return status_.active;
}

QueryStatus RunningQuery::status() const {
  const std::lock_guard lock(shared_->mutex);
  return status_;
}

std::vector<Progress> RunningQuery::recent_progress() const {
  const std::lock_guard lock(shared_->mutex);
  return {progress_.begin(), progress_.end()};
}

std::optional<Status> RunningQuery::exception() const {
  const std::lock_guard lock(shared_->mutex);
  return failure_;
}

std::string RunningQuery::exception_text() const {
  const std::lock_guard lock(shared_->mutex);
  return failure_text_;
}

std::string RunningQuery::explain(bool extended) const {
  {
    const std::lock_guard lock(shared_->mutex);
    if (!planned_) return "No physical plan. Waiting for data.";
  }
  const std::string physical = "== Physical Plan ==\n" + engine::explain_physical(*spec_.plan);
  if (!extended) return physical;
  const std::string logical = plan::explain_tree(*spec_.plan);
  return fmt::format(
      "== Parsed Logical Plan ==\n{0}\n== Analyzed Logical Plan ==\n{0}\n== Optimized Logical "
      "Plan ==\n{0}\n{1}",
      logical.ends_with('\n') ? logical : logical + "\n", physical);
}

Result<bool> RunningQuery::await_termination(std::optional<std::chrono::milliseconds> timeout,
                                             const CancelToken* cancel) {
  std::unique_lock lock(shared_->mutex);
  const bool ended = wait_until_ready(shared_, lock, timeout, cancel, [this] { return ended_; });
  if (ended) return failure_ ? Result<bool>(*failure_) : Result<bool>(true);
  if (cancel != nullptr && cancel->cancelled()) return Status::cancelled();
  return false;
}

Status RunningQuery::process_all_available(const CancelToken* cancel) {
  std::unique_lock lock(shared_->mutex);
  const std::uint64_t request = ++requested_;
  shared_->changed.notify_all();
  const bool done = wait_until_ready(shared_, lock, std::nullopt, cancel,
                                     [&] { return ended_ || satisfied_ >= request; });
  if (!done) return Status::cancelled();
  return failure_ ? *failure_ : Status::OK();
}

Status RunningQuery::stop() {
  cancel_.cancel();
  if (thread_.get_id() == std::this_thread::get_id())
    return Status::OK();  // it ends when it returns
  std::unique_lock lock(shared_->mutex);
  const bool ended =
      wait_until_ready(shared_, lock, stop_timeout(spec_), nullptr, [this] { return ended_; });
  if (ended) return Status::OK();
  ErrorInfo info;
  info.kind = ErrorKind::spark;
  info.java_class = "java.util.concurrent.TimeoutException";
  info.message = fmt::format(
      "Stream Execution thread for stream [id = {}, runId = {}] failed to stop within {} "
      "milliseconds (specified by "
      "spark.sql.streaming.stopTimeout). See the cause on what was being executed in the streaming "
      "query thread.",
      id_, run_id_, stop_timeout(spec_)->count());
  return Status(std::move(info));
}

void RunningQuery::set_message(std::string message) {
  const std::lock_guard lock(shared_->mutex);
  status_.message = std::move(message);
}

void RunningQuery::set_flags(bool data_available, bool trigger_active) {
  const std::lock_guard lock(shared_->mutex);
  status_.data_available = data_available;
  status_.trigger_active = trigger_active;
}

std::uint64_t RunningQuery::begin_trigger() {
  const std::lock_guard lock(shared_->mutex);
  return requested_;
}

void RunningQuery::no_new_data(std::uint64_t request) {
  const std::lock_guard lock(shared_->mutex);
  satisfied_ = std::max(satisfied_, request);
  shared_->changed.notify_all();
}

void RunningQuery::on_planned() {
  const std::lock_guard lock(shared_->mutex);
  planned_ = true;
}

void RunningQuery::remember(Progress progress) {
  const std::lock_guard lock(shared_->mutex);
  progress_.push_back(std::move(progress));
  while (progress_.size() > progress_max_) progress_.pop_front();
}

void RunningQuery::on_progress(Progress progress) {
  const QueryEvent event{QueryEvent::Kind::progress, "{\"progress\":" + progress.event_json + "}"};
  remember(std::move(progress));
  hooks_.emit(event);
}

void RunningQuery::on_idle(Progress progress, std::optional<std::string> event_json) {
  remember(std::move(progress));
  if (event_json) hooks_.emit({QueryEvent::Kind::idle, *std::move(event_json)});
}

}  // namespace millstream::stream
