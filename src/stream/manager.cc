#include "stream/manager.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "stream/checkpoint.h"
#include "stream/progress.h"
#include "stream/running_query.h"
#include "stream/stream_plan.h"
#include "stream/waiting.h"

namespace millstream::stream {
namespace {

constexpr std::int64_t remember_us = 3'600'000'000;  // an ended query stays queryable for an hour

// Settings that change what a checkpoint looks like, and that Millstream does not have yet.
Status check_conf(const std::map<std::string, std::string>& conf) {
  const auto is = [&](const char* key, std::string_view value) {
    const auto set = conf.find(key);
    return set != conf.end() && equals_ignore_case(set->second, value);
  };
  for (const char* key : {"spark.sql.streaming.queryEvolution.enableSourceEvolution",
                          "spark.sql.streaming.queryEvolution.enableSinkEvolution"}) {
    if (is(key, "true"))
      return Status::unsupported("{} = true is not supported by Millstream yet", key);
  }
  if (is("spark.sql.streaming.offsetLog.formatVersion", "2")) {
    return Status::unsupported(
        "spark.sql.streaming.offsetLog.formatVersion = 2 is not supported by Millstream yet");
  }
  const auto retain = conf.find("spark.sql.streaming.minBatchesToRetain");
  if (retain != conf.end() && parse_int64(retain->second).value_or(0) <= 0) {
    return Status::invalid(
        "spark.sql.streaming.minBatchesToRetain has to be a positive number, not {}",
        retain->second);
  }
  return Status::OK();
}

class Manager final : public QueryManager {
 public:
  Manager(engine::Engine& engine, std::shared_ptr<io::Store> store, Clock& clock)
      : engine_(engine), store_(std::move(store)), clock_(clock) {}
  ~Manager() override;

  Result<QueryPtr> start(QuerySpec spec, std::string* started_event_json) override;
  std::vector<QueryPtr> active(const std::string& session_key) const override;
  QueryPtr find(const std::string& id, const std::string& run_id) const override;
  Result<bool> await_any_termination(const std::string& session_key,
                                     std::optional<std::chrono::milliseconds> timeout,
                                     const CancelToken* cancel) override;
  void reset_terminated(const std::string& session_key) override;
  void stop_all(const std::string& session_key) override;
  void add_listener(const std::string& session_key, Listener* listener) override;
  void remove_listener(Listener* listener) override;

 private:
  using Entry = std::shared_ptr<RunningQuery>;
  struct Ended {
    std::shared_ptr<RunningQuery> query;
    std::int64_t at_us;
  };
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
  };
  struct FirstEnd {
    bool any = false;
    std::optional<Status> failure;
  };

  Status check_name(const QuerySpec& spec) const;
  Result<std::unique_ptr<CheckpointLock>> lock_checkpoint(const std::string& directory) const;
  Status stop_other_run(const QuerySpec& spec, const std::string& id);
  Entry live(const std::string& checkpoint, const std::string& id) const;
  void on_terminated(const RunningQuery& query);
  void emit(const std::string& session_key, const QueryEvent& event);
  void forget_old();

  engine::Engine& engine_;
  const std::shared_ptr<io::Store> store_;
  Clock& clock_;

  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  // Below: under shared_->mutex.
  std::vector<Entry> running_;
  std::vector<Ended> ended_;                    // oldest first
  std::map<std::string, FirstEnd> first_ends_;  // by session, since its reset_terminated
  // Events are delivered under a mutex of their own, so that remove_listener returns when no call
  // is under way.
  std::recursive_mutex listeners_mutex_;
  std::vector<std::pair<std::string, Listener*>> listeners_;
};

Manager::~Manager() {
  std::vector<Entry> running;
  {
    const std::lock_guard lock(shared_->mutex);
    running = running_;
  }
  for (const auto& query : running) query->cancel();
  for (const auto& query : running) [[maybe_unused]] const Status stopped = query->stop();
}

Status Manager::check_name(const QuerySpec& spec) const {
  if (spec.name.empty()) return Status::OK();
  const std::lock_guard lock(shared_->mutex);
  for (const auto& query : running_) {
    if (query->session_key() == spec.session_key && query->name() == spec.name) {
      return Status::invalid(
          "Cannot start query with name {} as a query with that name is already active in this "
          "SparkSession",
          spec.name);
    }
  }
  return Status::OK();
}

Manager::Entry Manager::live(const std::string& checkpoint, const std::string& id) const {
  const std::lock_guard lock(shared_->mutex);
  for (const auto& query : running_) {
    if (query->checkpoint() == checkpoint || (!id.empty() && query->id() == id)) return query;
  }
  return nullptr;
}

// The same query may be live in this process: Spark stops the old run, unless told not to.
Status Manager::stop_other_run(const QuerySpec& spec, const std::string& id) {
  const Entry other = live(spec.checkpoint, id);
  if (other == nullptr) return Status::OK();
  const auto set = spec.conf.find("spark.sql.streaming.stopActiveRunOnRestart");
  if (set != spec.conf.end() && !parse_bool(set->second).value_or(true)) {
    return Status::illegal_state(
        "Cannot start query with id {} as another query with same id is already active. Perhaps "
        "you are "
        "attempting to restart a query from checkpoint that is already active. You may stop the "
        "old query by "
        "setting the SQL configuration: "
        "spark.conf.set(\"spark.sql.streaming.stopActiveRunOnRestart\", true) "
        "and retry.",
        other->id());
  }
  return other->stop();
}

// Nothing where the store is not a local disk: there the logs themselves tell two writers apart.
Result<std::unique_ptr<CheckpointLock>> Manager::lock_checkpoint(
    const std::string& directory) const {
  const Status made = store_->make_directories(directory);
  if (!made.ok()) {
    return Status::io(
        "The checkpoint location {} cannot be written ({}): give the query a location that this "
        "user may write to",
        directory, made.message());
  }
  if (!store_->is_local(directory)) return std::unique_ptr<CheckpointLock>();
  return CheckpointLock::acquire(directory);
}

Result<QueryPtr> Manager::start(QuerySpec spec, std::string* started_event_json) {
  CHECK(spec.plan != nullptr && spec.sink != nullptr && !spec.checkpoint.empty());
  const auto check = spec.conf.find("spark.sql.streaming.unsupportedOperationCheck");
  TRY(check_supported(*spec.plan, spec.mode,
                      check == spec.conf.end() || parse_bool(check->second).value_or(true)));
  TRY(check_conf(spec.conf));
  TRY(check_name(spec));
  std::set<std::string> places;
  for (const auto& table : inspect(spec.plan).tables) {
    const auto* claimer = dynamic_cast<const connector::PlaceClaimer*>(table.get());
    if (claimer != nullptr) TRY(claimer->claim_place(spec.checkpoint, places));
  }
  if (spec.trigger.kind == Trigger::Kind::once) {
    log_warn(
        "Trigger.Once is deprecated: use Trigger.AvailableNow, which keeps to the rate limits");
  }
  TRY_ASSIGN(const auto known_id, Checkpoint::read_query_id(*store_, spec.checkpoint));
  TRY(stop_other_run(spec, known_id.value_or("")));

  TRY_ASSIGN(auto lock, lock_checkpoint(spec.checkpoint));
  static Random random = Random::from_device();
  TRY_ASSIGN(const std::string id, Checkpoint::open_query_id(*store_, spec.checkpoint, random));
  const std::string run_id = random.uuid();
  const std::int64_t now_ms = clock_.now_ms();
  if (lock != nullptr) TRY(lock->describe(id, run_id, now_ms));
  if (started_event_json != nullptr) {
    *started_event_json = stream::started_event_json(id, run_id, spec.name, now_ms, spec.tags);
  }

  const std::string session_key = spec.session_key;
  RunningQuery::Hooks hooks;
  hooks.emit = [this, session_key](const QueryEvent& event) { emit(session_key, event); };
  hooks.on_terminated = [this](const RunningQuery& query) { on_terminated(query); };
  auto query = std::make_shared<RunningQuery>(std::move(spec), id, run_id, engine_, store_, clock_,
                                              std::move(lock), std::move(hooks));
  {
    const std::lock_guard guard(shared_->mutex);
    for (const auto& other : running_) {  // two starts raced for this checkpoint
      if (other->id() == id) return Status::error("CONCURRENT_QUERY");
    }
    forget_old();
    running_.push_back(query);
    const Status begun = query->begin();
    if (!begun.ok()) {
      running_.pop_back();
      return begun;
    }
  }
  return QueryPtr(query);
}

void Manager::on_terminated(const RunningQuery& query) {
  const std::lock_guard lock(shared_->mutex);
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const auto& running) { return running.get() == &query; });
  CHECK(found != running_.end());
  ended_.push_back({*found, clock_.now_us()});
  running_.erase(found);
  FirstEnd& first = first_ends_[query.session_key()];
  auto failure = query.exception();
  if (!first.any || failure) first.failure = std::move(failure);
  first.any = true;
  shared_->changed.notify_all();
}

void Manager::forget_old() {
  const std::int64_t now = clock_.now_us();
  std::erase_if(ended_, [&](const Ended& ended) {
    // The newest moment it can be dropped safely is when its thread has returned, an hour is
    // plenty.
    return now - ended.at_us > remember_us;
  });
}

std::vector<QueryPtr> Manager::active(const std::string& session_key) const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<QueryPtr> queries;
  for (const auto& query : running_) {
    if (session_key.empty() || query->session_key() == session_key) queries.push_back(query);
  }
  return queries;
}

QueryPtr Manager::find(const std::string& id, const std::string& run_id) const {
  const std::lock_guard lock(shared_->mutex);
  const auto wanted = [&](const RunningQuery& query) {
    return query.id() == id && (run_id.empty() || query.run_id() == run_id);
  };
  for (const auto& query : running_) {
    if (wanted(*query)) return query;
  }
  for (auto ended = ended_.rbegin(); ended != ended_.rend(); ++ended) {
    if (wanted(*ended->query)) return ended->query;
  }
  return nullptr;
}

Result<bool> Manager::await_any_termination(const std::string& session_key,
                                            std::optional<std::chrono::milliseconds> timeout,
                                            const CancelToken* cancel) {
  std::unique_lock lock(shared_->mutex);
  const bool ended = wait_until_ready(shared_, lock, timeout, cancel,
                                      [&] { return first_ends_[session_key].any; });
  if (ended) {
    const auto& failure = first_ends_[session_key].failure;
    return failure ? Result<bool>(*failure) : Result<bool>(true);
  }
  if (cancel != nullptr && cancel->cancelled()) return Status::cancelled();
  return false;
}

void Manager::reset_terminated(const std::string& session_key) {
  const std::lock_guard lock(shared_->mutex);
  first_ends_.erase(session_key);
}

void Manager::stop_all(const std::string& session_key) {
  const auto queries = active(session_key);
  for (const auto& query : queries) [[maybe_unused]] const Status stopped = query->stop();
}

void Manager::add_listener(const std::string& session_key, Listener* listener) {
  const std::lock_guard lock(listeners_mutex_);
  listeners_.emplace_back(session_key, listener);
}

void Manager::remove_listener(Listener* listener) {
  const std::lock_guard lock(listeners_mutex_);
  std::erase_if(listeners_, [&](const auto& entry) { return entry.second == listener; });
}

void Manager::emit(const std::string& session_key, const QueryEvent& event) {
  const std::lock_guard lock(listeners_mutex_);
  const auto listeners = listeners_;  // a listener may remove itself
  for (const auto& [key, listener] : listeners) {
    if (key == session_key) listener->on_event(event);
  }
}

}  // namespace

std::unique_ptr<QueryManager> QueryManager::create(engine::Engine& engine,
                                                   std::shared_ptr<io::Store> store, Clock& clock) {
  return std::make_unique<Manager>(engine, std::move(store), clock);
}

}  // namespace millstream::stream
