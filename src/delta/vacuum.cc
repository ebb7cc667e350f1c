#include "delta/vacuum.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "delta/checkpoint.h"
#include "delta/deletion_vector.h"
#include "delta/features.h"
#include "delta/log.h"
#include "delta/retry.h"
#include "delta/transaction.h"

namespace millstream::delta {
namespace {

constexpr std::int64_t hour_ms = 3600LL * 1000;

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

// A link is neither followed nor removed: what it leads to may be another's, or a live file.
bool is_link(const std::string& path) {
  std::error_code error;
  return !io::is_s3_path(path) && std::filesystem::is_symlink(path, error);
}

// Files by their place on the disk, however their paths are written and through whatever links
// their folders are reached.
class Places {
 public:
  std::string key_of(const std::string& path) {
    if (io::is_s3_path(path)) return path;
    const auto normal = std::filesystem::path(path).lexically_normal();
    const std::string folder = normal.parent_path().string();
    auto known = folders_.find(folder);
    if (known == folders_.end()) {
      std::error_code error;
      auto real = std::filesystem::weakly_canonical(folder, error);
      known = folders_.emplace(folder, error ? folder : real.string()).first;
    }
    return io::join_path(known->second, normal.filename().string());
  }

 private:
  std::unordered_map<std::string, std::string> folders_;
};

class VacuumRun {
 public:
  VacuumRun(const std::shared_ptr<Log>& log, const SnapshotPtr& snapshot, std::int64_t cutoff_ms,
            const CancelToken* cancel)
      : log_(log), snapshot_(snapshot), cutoff_ms_(cutoff_ms), cancel_(cancel) {
    root_ = places_.key_of(log->table() + "/x");
    root_.pop_back();  // its '/' stays
  }

  Result<Vacuumed> find(const VacuumRequest& request) {
    TRY(keep_what_is_needed());
    if (request.lite) {
      TRY(find_in_log());
    } else if (request.inventory) {
      for (const auto& file : *request.inventory) {
        const auto there = store().stat(file.path);
        if (file.is_directory || !there.ok() || there->is_directory) continue;
        if (file.modified_us / 1000 < cutoff_ms_) consider(file.path, there->size);
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
    kept_.insert(places_.key_of(resolve_path(log_->table(), path)));
    if (vector == nullptr || vector->storage_type == "i") return Status::OK();
    TRY_ASSIGN(auto file, deletion_vector_path(log_->table(), *vector));
    kept_.insert(places_.key_of(file));
    return Status::OK();
  }

  bool is_below_table(const std::string& key) const {
    if (!key.starts_with(root_)) return false;
    for (const auto& segment : split(std::string_view(key).substr(root_.size()), '/')) {
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
      if (is_hidden(io::base_name(entry.path)) || is_link(entry.path)) continue;
      if (entry.is_directory) {
        TRY(find_below(entry.path));
      } else if (entry.modified_us / 1000 < cutoff_ms_) {
        consider(entry.path, entry.size);
      }
    }
    return Status::OK();
  }

  void consider(const std::string& path, std::int64_t size) {
    const std::string key = places_.key_of(path);
    if (kept_.contains(key) || !is_below_table(key) || is_link(key)) return;
    if (!found_.insert(key).second) return;
    out_.files.push_back(key);
    out_.bytes += size;
  }

  void consider_if_there(const std::string& path) {
    const auto file = store().stat(path);
    if (file.ok() && !file->is_directory) consider(path, file->size);
  }

  // The files that commits removed before the cutoff. All commits must be there.
  Status find_in_log() {
    TRY_ASSIGN(const auto times, log_->commit_times());
    if (times.empty() || times.front().version > 0) {
      return Status::error("DELTA_CANNOT_VACUUM_LITE");
    }
    for (const auto& commit : times) {
      if (cancel_ != nullptr) TRY(cancel_->check());
      TRY_ASSIGN(const auto actions, log_->read_commit(commit.version));
      for (const auto& action : actions) {
        const auto* remove = std::get_if<RemoveFilePtr>(&action);
        if (remove == nullptr || (*remove)->deletion_timestamp.value_or(0) >= cutoff_ms_) continue;
        consider_if_there(resolve_path(log_->table(), (*remove)->path));
        const auto& vector = (*remove)->deletion_vector;
        if (vector == nullptr || vector->storage_type == "i") continue;
        TRY_ASSIGN(const std::string path, deletion_vector_path(log_->table(), *vector));
        consider_if_there(path);
      }
    }
    return Status::OK();
  }

  io::Store& store() const { return *log_->store(); }

  const std::shared_ptr<Log>& log_;
  const SnapshotPtr& snapshot_;
  const std::int64_t cutoff_ms_;
  const CancelToken* cancel_;
  Places places_;
  std::string root_;                       // the key of the table's folder, with a '/'
  std::unordered_set<std::string> kept_;   // keys
  std::unordered_set<std::string> found_;  // keys
  Vacuumed out_;
};

// What was done is noted in the log, before and after.
Status note(Log& log, const char* operation, const std::string& parameters,
            const std::vector<std::pair<std::string, std::string>>& metrics) {
  return retried([&]() -> Status {
    TRY_ASSIGN(const SnapshotPtr latest, log.latest());
    if (latest == nullptr) return Status::OK();
    Transaction txn;
    txn.read = latest;
    txn.isolation = "SnapshotIsolation";
    txn.operation = operation;
    txn.parameters = parameters;
    txn.metrics = metrics;
    return commit(log, txn).status();
  });
}

}  // namespace

std::int64_t file_retention_ms(const TableInfo& info) {
  const std::string* text = info.property("delta.deletedFileRetentionDuration");
  if (text == nullptr) return default_file_retention_ms;
  return parse_interval_ms(*text).value_or(default_file_retention_ms);
}

Result<Vacuumed> vacuum_table(const std::shared_ptr<io::Store>& store, const std::string& table,
                              const VacuumRequest& request, const CancelToken* cancel) {
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr snapshot, log->latest());
  if (snapshot == nullptr) return Status::not_found("no Delta table in {}", table);
  TRY(check_writable(snapshot->protocol(), snapshot->info(), table, true, true));
  const std::int64_t of_table = file_retention_ms(snapshot->info());
  TRY_ASSIGN(const std::int64_t retention, checked_retention(request, of_table));
  const std::int64_t cutoff_ms = SystemClock().now_ms() - retention;
  TRY_ASSIGN(Vacuumed found, VacuumRun(log, snapshot, cutoff_ms, cancel).find(request));
  found.cutoff_ms = cutoff_ms;
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
