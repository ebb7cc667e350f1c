#include "delta/log.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <unordered_map>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "conc/thread_pool.h"
#include "delta/checkpoint.h"
#include "delta/checksum.h"
#include "delta/last_checkpoint.h"
#include "delta/log_cleanup.h"
#include "delta/log_names.h"
#include "delta/log_state.h"
#include "io/hint_file.h"

namespace millstream::delta {

// At most one checkpoint of a log is being written; of those that come meanwhile only the newest
// waits.
struct Log::Checkpointing {
  std::mutex mutex;
  std::condition_variable idle;
  bool running = false;
  SnapshotPtr waiting;
  LogCleaner cleaner;  // used by the one that is running
};

std::shared_ptr<Log> Log::at(std::shared_ptr<io::Store> store, std::string table,
                             LogOptions options) {
  return std::shared_ptr<Log>(new Log(std::move(store), std::move(table), options));
}

namespace {

// The logs that batch reads and writes share, the last used first.
class SharedLogs {
 public:
  std::shared_ptr<Log> find_or_add(const std::shared_ptr<io::Store>& store,
                                   const std::string& table) {
    const std::lock_guard lock(mutex_);
    auto found = std::find_if(logs_.begin(), logs_.end(), [&](const auto& log) {
      return log->table() == table && (log->store() == store || store->is_local(table));
    });
    if (found == logs_.end()) found = logs_.insert(logs_.begin(), Log::at(store, table));
    logs_.splice(logs_.begin(), logs_, found);
    forget_beyond_limits();
    return logs_.front();
  }

 private:
  void forget_beyond_limits() {
    if (logs_.size() > limits::shared_logs_max) logs_.pop_back();
    std::size_t files = 0;
    for (auto log = std::next(logs_.begin()); log != logs_.end();) {
      files += (*log)->files_kept();
      log = files > limits::shared_files_max ? logs_.erase(log) : std::next(log);
    }
  }

  std::mutex mutex_;
  std::list<std::shared_ptr<Log>> logs_;
};

}  // namespace

std::shared_ptr<Log> Log::shared(const std::shared_ptr<io::Store>& store,
                                 const std::string& table) {
  if (store->medium(table) == io::Medium::simulated)
    return Log::at(store, table, {.background_checkpoints = false});
  static auto& logs =
      *new SharedLogs();  // never destroyed: checkpoints may be under way at the end
  return logs.find_or_add(store, table);
}

Log::Log(std::shared_ptr<io::Store> store, std::string table, LogOptions options)
    : store_(std::move(store)),
      table_(std::move(table)),
      directory_(io::join_path(table_, "_delta_log")),
      options_(options),
      checkpointing_(std::make_shared<Checkpointing>()) {}

Log::~Log() = default;

std::size_t Log::files_kept() const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || known_ == nullptr) return 0;
  return known_->files().size() + known_->tombstones().size();
}

SnapshotPtr Log::known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

Result<SnapshotPtr> Log::latest() {
  const std::lock_guard lock(mutex_);
  TRY(forget_another_table());
  if (state_ == nullptr) {
    TRY(load_newest());
    return known_;
  }
  bool moved = false;
  for (;;) {
    const std::int64_t next = state_->version() + 1;
    auto actions = read_commit(next);
    if (!actions.ok()) {
      if (actions.status().is(ErrorKind::file_not_found)) break;
      return actions.status();
    }
    TRY(state_->apply(next, *actions));
    moved = true;
  }
  if (moved) {
    TRY_ASSIGN(known_, state_->freeze());
    remember_identity();
  }
  return known_;
}

Status Log::load_newest() {
  auto state = std::make_unique<LogState>(table_);
  TRY(load(std::nullopt, *state));
  if (state->version() < 0) return Status::OK();
  TRY_ASSIGN(known_, state->freeze());
  compare_with_checksum(*known_);
  state_ = std::move(state);
  remember_identity();
  return Status::OK();
}

Status Log::forget_another_table() {
  if (state_ == nullptr) return Status::OK();
  TRY_ASSIGN(const bool same, same_table_as_before());
  if (same) return Status::OK();
  state_ = nullptr;
  known_ = nullptr;
  return Status::OK();
}

// A table that was dropped and made anew under us has another file where our newest commit was.
// Without that file (only checkpoints are left of the log) nothing can be told.
Result<bool> Log::same_table_as_before() {
  if (!identity_) return false;
  auto info = store_->stat(io::join_path(directory_, commit_name(state_->version())));
  if (!info.ok()) {
    if (info.status().is(ErrorKind::file_not_found)) return false;
    return info.status();
  }
  return identity_of(*info) == *identity_;
}

void Log::remember_identity() {
  auto info = store_->stat(io::join_path(directory_, commit_name(state_->version())));
  identity_ = info.ok() ? std::optional(identity_of(*info)) : std::nullopt;
}

Result<SnapshotPtr> Log::at_version(std::int64_t version) {
  {
    const std::lock_guard lock(mutex_);
    if (known_ != nullptr && known_->version() == version) return known_;
  }
  LogState state(table_);
  TRY(load(version, state));
  if (state.version() < 0) {
    return Status::error("DELTA_TABLE_NOT_FOUND",
                         {{"tableName", fmt::format("delta.`{}`", table_)}});
  }
  TRY_ASSIGN(auto snapshot, state.freeze());
  compare_with_checksum(*snapshot);
  return snapshot;
}

Result<std::vector<Action>> Log::read_commit(std::int64_t version) const {
  const std::string path = io::join_path(directory_, commit_name(version));
  TRY_ASSIGN(const std::string bytes, store_->get(path));
  return parse_actions(bytes, path);
}

Result<std::optional<std::int64_t>> Log::in_commit_timestamp(std::int64_t version) const {
  const std::string path = io::join_path(directory_, commit_name(version));
  auto bytes = store_->get(path);
  if (!bytes.ok()) {
    if (bytes.status().is(ErrorKind::file_not_found)) return std::optional<std::int64_t>();
    return bytes.status();
  }
  // It stands in the first line, and a commit may have many.
  const std::string_view first = std::string_view(*bytes).substr(0, bytes->find('\n'));
  TRY_ASSIGN(const auto actions, parse_actions(first, path));
  for (const auto& action : actions) {
    const auto* info = std::get_if<CommitInfo>(&action);
    if (info != nullptr) return info->in_commit_timestamp;
  }
  return std::optional<std::int64_t>();
}

Result<std::int64_t> Log::file_time_ms(std::int64_t version) const {
  const auto info = store_->stat(io::join_path(directory_, commit_name(version)));
  if (info.ok()) return info->modified_us / 1000;
  if (info.status().is(ErrorKind::file_not_found)) return std::int64_t{0};
  return info.status();
}

Status Log::load(std::optional<std::int64_t> target, LogState& state) const {
  if (const auto bytes = store_->get(io::join_path(directory_, "_last_checkpoint")); bytes.ok()) {
    const auto pointer = parse_last_checkpoint(*bytes);
    if (pointer && (!target || pointer->version <= *target)) {
      TRY_ASSIGN(const auto names, store_->list_names(directory_, listing_start(pointer->version)));
      const auto listing = read_listing(names);
      if (!listing.checkpoints.empty() && listing.checkpoints.front().version == pointer->version &&
          load_from(names, target, state).ok()) {
        return Status::OK();
      }
    }
  }
  auto names = store_->list_names(directory_, {});
  if (!names.ok()) {
    return names.status().is(ErrorKind::file_not_found) ? Status::OK() : names.status();
  }
  return load_from(*names, target, state);
}

Status Log::load_from(const std::vector<std::string>& names, std::optional<std::int64_t> target,
                      LogState& state) const {
  const LogListing listing = read_listing(names);
  if (listing.latest < 0) return Status::OK();
  const std::int64_t version = target.value_or(listing.latest);
  const std::int64_t earliest = !listing.commits.empty() && listing.commits.front() == 0 ? 0
                                : listing.checkpoints.empty() ? listing.commits.front()
                                                              : listing.checkpoints.front().version;
  const bool too_early = version < earliest && !listing.checkpoints.empty();
  if (version < 0 || too_early || version > listing.latest) {
    return Status::error("DELTA_VERSION_NOT_FOUND", {{"userVersion", fmt::to_string(version)},
                                                     {"earliest", fmt::to_string(earliest)},
                                                     {"latest", fmt::to_string(listing.latest)}});
  }

  std::optional<std::int64_t> below;  // checkpoints from here on could not be read
  Status broken;
  for (;;) {
    auto segment = choose_segment(listing, version, table_, below);
    if (!segment.ok()) return below ? broken : segment.status();
    LogState built(table_);
    if (segment->checkpoint) {
      Status applied;
      const auto apply = [&](const std::vector<Action>& actions) {
        for (const auto& action : actions) {
          if (applied.ok()) applied = built.apply_action(action);
        }
        return applied;
      };
      const Status read = read_checkpoint(store_, directory_, *segment->checkpoint, apply);
      TRY(applied);
      if (!read.ok()) {
        log_warn("{}; reading the Delta log of {} without it", read.message(), table_);
        if (!below) broken = read;
        below = segment->checkpoint->version;
        continue;
      }
      built.set_version(segment->checkpoint->version);
    }
    TRY(apply_commits(*segment, built));
    state = std::move(built);
    return Status::OK();
  }
}

// A compaction is a hint: one that cannot be read is replaced by its commits.
Status Log::apply_commits(const Segment& segment, LogState& state) const {
  auto compaction = segment.compactions.begin();
  for (const std::int64_t commit : segment.commits) {
    if (commit <= state.version()) continue;  // a compaction had it
    if (compaction != segment.compactions.end() && compaction->first == commit) {
      const std::int64_t last = compaction->last;
      const auto actions = read_compaction(*compaction++);
      if (actions.ok()) {
        TRY(state.apply(last, *actions));
        continue;
      }
      log_warn("{}; reading the commits instead", actions.status().message());
    }
    TRY_ASSIGN(const auto actions, read_commit(commit));
    TRY(state.apply(commit, actions));
  }
  return Status::OK();
}

Result<std::vector<Action>> Log::read_compaction(const Compaction& compaction) const {
  const std::string path = io::join_path(directory_, compaction_name(compaction));
  TRY_ASSIGN(const std::string bytes, store_->get(path));
  TRY_ASSIGN(auto actions, parse_actions(bytes, path));
  const bool sound = std::none_of(actions.begin(), actions.end(), [](const Action& action) {
    return std::holds_alternative<Sidecar>(action) ||
           std::holds_alternative<CheckpointMetadata>(action) ||
           std::holds_alternative<ChangeFile>(action);
  });
  if (!sound) return Status::illegal_state("{} has actions that no compaction has", path);
  return actions;
}

Status Log::publish(std::int64_t version, std::string_view bytes) {
  return store_->put_if_absent(io::join_path(directory_, commit_name(version)), bytes);
}

Result<SnapshotPtr> Log::advance(std::int64_t version, const std::vector<Action>& actions,
                                 bool own_commit) {
  SnapshotPtr snapshot;
  SnapshotPtr before;
  bool moved = false;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == nullptr && version == 0) state_ = std::make_unique<LogState>(table_);
    if (state_ != nullptr && version == state_->version() + 1) {
      before = known_;
      moved = true;
      TRY(state_->apply(version, actions));
      TRY_ASSIGN(known_, state_->freeze());
      remember_identity();
    } else if (state_ == nullptr || version > state_->version()) {
      state_ = nullptr;  // another user of this log saw the table replaced
      known_ = nullptr;
    }  // else: another user of this log has seen this version already
    snapshot = known_;
  }
  if (!own_commit) return snapshot;
  if (moved) note_checksum(*snapshot, before, actions);
  checkpoint_if_due(version, snapshot);
  return snapshot;
}

// Where the state did not just come to this version there is none: to read the log for it would
// cost more than it is worth.
void Log::note_checksum(const Snapshot& snapshot, const SnapshotPtr& before,
                        const std::vector<Action>& actions) {
  const auto commit = std::find_if(actions.begin(), actions.end(), [](const Action& action) {
    return std::holds_alternative<CommitInfo>(action);
  });
  if (commit == actions.end()) return;
  const std::string path = io::join_path(directory_, checksum_name(snapshot.version()));
  const Status written = io::put_hint(
      *store_, path,
      print_checksum(snapshot, before.get(), std::get<CommitInfo>(*commit).txn_id.value_or("")));
  if (!written.ok() && !written.is(ErrorKind::already_exists))
    log_warn("a checksum file was not written: {}", written.message());
}

void Log::compare_with_checksum(const Snapshot& snapshot) const {
  const std::string path = io::join_path(directory_, checksum_name(snapshot.version()));
  const auto bytes = store_->get(path);
  if (!bytes.ok()) return;
  const auto mismatches = checksum_mismatches(*bytes, snapshot);
  if (mismatches.empty()) return;
  log_warn("the state of the Delta table {} at version {} is not what {} says: {}", table_,
           snapshot.version(), path, join(mismatches, "; "));
}

void Log::checkpoint_if_due(std::int64_t version, const SnapshotPtr& snapshot) {
  if (snapshot == nullptr || version == 0) return;
  const std::int64_t interval =
      std::max<std::int64_t>(1, snapshot->info().number("delta.checkpointInterval", 10));
  if (version % interval == 0) checkpoint(snapshot);
}

void Log::checkpoint(const SnapshotPtr& snapshot) {
  // Neither the commit nor the user of the log fails with the checkpoint.
  const auto write = [store = store_, directory = directory_](const SnapshotPtr& state,
                                                              LogCleaner& cleaner) {
    const std::int64_t now = SystemClock().now_ms();
    const Status status = write_checkpoint(*store, directory, *state, now);
    if (!status.ok()) {
      log_warn("the checkpoint of version {} in {} was not written: {}", state->version(),
               directory, status.message());
      return;
    }
    const Status cleaned = cleaner.clean(*store, directory, state->info(), now);
    if (!cleaned.ok()) {
      log_warn("expired files stay in {}: {}", directory, cleaned.message());
    }
  };
  if (!options_.background_checkpoints) return write(snapshot, checkpointing_->cleaner);
  {
    const std::lock_guard lock(checkpointing_->mutex);
    checkpointing_->waiting = snapshot;
    if (checkpointing_->running) return;
    checkpointing_->running = true;
  }
  shared_pool().submit([write, work = checkpointing_] {
    for (;;) {
      SnapshotPtr next;
      {
        const std::lock_guard lock(work->mutex);
        next = std::exchange(work->waiting, nullptr);
        if (next == nullptr) {
          work->running = false;
          work->idle.notify_all();
          return;
        }
      }
      write(next, work->cleaner);
    }
  });
}

void Log::wait_for_checkpoints() {
  std::unique_lock lock(checkpointing_->mutex);
  checkpointing_->idle.wait(lock, [&] { return !checkpointing_->running; });
}

namespace {

struct NamesAndTimes {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::int64_t> written_ms;  // as far as the listing tells
};

// An object store's listing tells all times; elsewhere a look at each file does.
Result<NamesAndTimes> names_and_times(io::Store& store, const std::string& directory,
                                      const std::string& start_after) {
  NamesAndTimes out;
  if (store.medium(directory) != io::Medium::objects) {
    TRY_ASSIGN(out.names, store.list_names(directory, start_after));
    return out;
  }
  TRY_ASSIGN(const auto files, store.list(directory));
  for (const auto& file : files) {
    const std::string name(io::base_name(file.path));
    if (name <= start_after) continue;
    out.names.push_back(name);
    out.written_ms[name] = file.modified_us / 1000;
  }
  return out;
}

}  // namespace

Result<std::vector<Log::CommitTime>> Log::commit_times(std::int64_t first) const {
  TRY_ASSIGN(const auto listed,
             names_and_times(*store_, directory_, first > 0 ? listing_start(first) : ""));
  const SnapshotPtr state = known();
  const bool in_commit =
      state != nullptr && state->info().flag("delta.enableInCommitTimestamps", false);
  const std::int64_t in_commit_from =
      in_commit ? state->info().number("delta.inCommitTimestampEnablementVersion", 0) : 0;

  std::vector<CommitTime> times;
  for (const std::int64_t version : read_listing(listed.names).commits) {
    std::optional<std::int64_t> stated;
    if (in_commit && version >= in_commit_from) {
      TRY_ASSIGN(stated, in_commit_timestamp(version));
    }
    if (!stated) {
      const auto written = listed.written_ms.find(commit_name(version));
      if (written != listed.written_ms.end()) {
        stated = written->second;
      } else {
        TRY_ASSIGN(stated, file_time_ms(version));
      }
      if (!times.empty()) stated = std::max(*stated, times.back().time_ms + 1);
    }
    times.push_back({version, *stated});
  }
  return times;
}

}  // namespace millstream::delta
