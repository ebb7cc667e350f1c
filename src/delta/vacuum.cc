#include "delta/vacuum.h"

#include <algorithm>
#include <unordered_set>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "delta/checkpoint.h"
#include "delta/deletion_vector.h"
#include "delta/features.h"
#include "delta/log.h"
#include "delta/transaction.h"

namespace millstream::delta {
namespace {

constexpr std::int64_t hour_ms = 3600LL * 1000;

std::int64_t retention_of(const TableInfo& info) {
  const std::string* text = info.property("delta.deletedFileRetentionDuration");
  if (text == nullptr) return default_file_retention_ms;
  return parse_interval_ms(*text).value_or(default_file_retention_ms);
}

Result<std::int64_t> checked_retention(const VacuumRequest& request, std::int64_t of_table) {
  if (!request.retention_ms) return of_table;
  if (*request.retention_ms < 0) return Status::error("DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE");
  if (request.check_retention && *request.retention_ms < of_table) {
    return Status::error(
        "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
        {{"configuredRetentionHours", fmt::to_string((of_table + hour_ms - 1) / hour_ms)}});
  }
  return *request.retention_ms;
}

class VacuumRun {
 public:
  VacuumRun(const std::shared_ptr<Log>& log, const SnapshotPtr& snapshot, std::int64_t cutoff_ms,
            const CancelToken* cancel)
      : log_(log), snapshot_(snapshot), cutoff_ms_(cutoff_ms), cancel_(cancel) {}

  Result<Vacuumed> find(const VacuumRequest& request) {
    TRY(keep_what_is_needed());
    if (request.lite) {
      TRY(find_in_log());
    } else if (request.inventory) {
      for (const auto& file : *request.inventory) {
        if (!file.is_directory && is_below_table(file.path)) consider(file);
      }
    } else {
      TRY(find_below(log_->table()));
    }
    std::ranges::sort(out_.files);
    return std::move(out_);
  }

 private:
  Status keep_what_is_needed() {
    Status status;
    snapshot_->files().for_each([&](const AddFilePtr& file) {
      if (status.ok()) status = keep(file->path, file->deletion_vector.get());
    });
    snapshot_->tombstones().for_each([&](const RemoveFilePtr& file) {
      if (status.ok() && file->deletion_timestamp.value_or(0) >= cutoff_ms_) {
        status = keep(file->path, file->deletion_vector.get());
      }
    });
    return status;
  }

  Status keep(const std::string& path, const DeletionVector* vector) {
    kept_.insert(resolve_path(log_->table(), path));
    if (vector == nullptr || vector->storage_type == "i") return Status::OK();
    TRY_ASSIGN(auto file, deletion_vector_path(log_->table(), *vector));
    kept_.insert(std::move(file));
    return Status::OK();
  }

  bool is_below_table(const std::string& path) const {
    const std::string prefix = log_->table() + '/';
    if (!path.starts_with(prefix) || path.find("/../") != std::string::npos) return false;
    for (const auto& segment : split(std::string_view(path).substr(prefix.size()), '/')) {
      if (is_hidden(segment)) return false;
    }
    return true;
  }

  bool is_hidden(std::string_view name) const {
    if (!name.starts_with('_') && !name.starts_with('.')) return false;
    if (name.starts_with("_delta_index") || name.starts_with("_change_data")) return false;
    return std::ranges::none_of(snapshot_->metadata().partition_columns,
                                [&](const auto& column) { return name.starts_with(column + '='); });
  }

  Status find_below(const std::string& directory) {
    if (cancel_ != nullptr) TRY(cancel_->check());
    const auto found = store().list(directory);
    if (!found.ok()) {
      // Another took it away meanwhile.
      return found.status().is(ErrorKind::file_not_found) ? Status::OK() : found.status();
    }
    ++out_.directories;
    for (const auto& entry : *found) {
      if (is_hidden(io::base_name(entry.path))) continue;
      if (entry.is_directory) {
        TRY(find_below(entry.path));
      } else {
        consider(entry);
      }
    }
    return Status::OK();
  }

  void consider(const io::FileInfo& file) {
    if (kept_.contains(file.path) || file.modified_us / 1000 >= cutoff_ms_) return;
    out_.files.push_back(file.path);
    out_.bytes += file.size;
  }

  // The files that commits removed before the cutoff. All commits must be there.
  Status find_in_log() {
    TRY_ASSIGN(const auto times, log_->commit_times());
    if (times.empty() || times.front().version > 0) {
      return Status::error("DELTA_CANNOT_VACUUM_LITE");
    }
    std::unordered_set<std::string> seen;
    for (const auto& commit : times) {
      if (cancel_ != nullptr) TRY(cancel_->check());
      TRY_ASSIGN(const auto actions, log_->read_commit(commit.version));
      for (const auto& action : actions) {
        const auto* remove = std::get_if<RemoveFilePtr>(&action);
        if (remove == nullptr || (*remove)->deletion_timestamp.value_or(0) >= cutoff_ms_) continue;
        std::string path = resolve_path(log_->table(), (*remove)->path);
        if (kept_.contains(path) || !is_below_table(path) || !seen.insert(path).second) continue;
        const auto file = store().stat(path);
        if (!file.ok()) continue;  // it went before
        out_.files.push_back(std::move(path));
        out_.bytes += file->size;
      }
    }
    return Status::OK();
  }

  io::Store& store() const { return *log_->store(); }

  const std::shared_ptr<Log>& log_;
  const SnapshotPtr& snapshot_;
  const std::int64_t cutoff_ms_;
  const CancelToken* cancel_;
  std::unordered_set<std::string> kept_;  // absolute paths
  Vacuumed out_;
};

// What was done is noted in the log, before and after.
Status note(Log& log, const char* operation, std::string parameters,
            std::vector<std::pair<std::string, std::string>> metrics) {
  TRY_ASSIGN(const SnapshotPtr latest, log.latest());
  if (latest == nullptr) return Status::OK();
  Transaction txn;
  txn.read = latest;
  txn.isolation = "SnapshotIsolation";
  txn.operation = operation;
  txn.parameters = std::move(parameters);
  txn.metrics = std::move(metrics);
  return commit(log, txn).status();
}

}  // namespace

Result<Vacuumed> vacuum_table(const std::shared_ptr<io::Store>& store, const std::string& table,
                              const VacuumRequest& request, const CancelToken* cancel) {
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr snapshot, log->latest());
  if (snapshot == nullptr) return Status::not_found("no Delta table in {}", table);
  TRY(check_writable(snapshot->protocol(), snapshot->info(), table, true, true));
  const std::int64_t of_table = retention_of(snapshot->info());
  TRY_ASSIGN(const std::int64_t retention, checked_retention(request, of_table));
  const std::int64_t cutoff_ms = SystemClock().now_ms() - retention;
  TRY_ASSIGN(Vacuumed found, VacuumRun(log, snapshot, cutoff_ms, cancel).find(request));
  if (request.dry_run) return found;

  const std::string specified =
      request.retention_ms ? fmt::format("\"specifiedRetentionMillis\":{},", *request.retention_ms)
                           : "";
  TRY(note(*log, "VACUUM START",
           fmt::format("{{\"retentionCheckEnabled\":{},{}\"defaultRetentionMillis\":{}}}",
                       request.check_retention, specified, of_table),
           {{"numFilesToDelete", fmt::to_string(found.files.size())},
            {"sizeOfDataToDelete", fmt::to_string(found.bytes)}}));
  Status removed;
  std::int64_t count = 0;
  for (const auto& file : found.files) {
    if (cancel != nullptr) removed = cancel->check();
    if (removed.ok()) removed = store->remove(file);
    if (!removed.ok()) break;
    ++count;
  }
  TRY(note(*log, "VACUUM END",
           fmt::format("{{\"status\":\"{}\"}}", removed.ok() ? "COMPLETED" : "FAILED"),
           {{"numDeletedFiles", fmt::to_string(count)},
            {"numVacuumedDirectories", fmt::to_string(found.directories)}}));
  log->wait_for_checkpoints();
  TRY(std::move(removed));
  return found;
}

}  // namespace millstream::delta
