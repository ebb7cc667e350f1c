#include "delta/restore.h"

#include <map>

#include "base/clock.h"
#include "base/text.h"
#include "delta/alter.h"
#include "delta/commit_files.h"
#include "delta/deletion_vector.h"
#include "delta/features.h"
#include "delta/identity.h"
#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/manifest.h"
#include "delta/retry.h"
#include "delta/time_travel.h"

namespace millstream::delta {
namespace {

using Files = std::map<std::string, AddFilePtr>;  // by what identifies a logical file

Files files_of(const Snapshot& snapshot, const std::string& table) {
  Files out;
  snapshot.files().for_each([&](const AddFilePtr& file) {
    const std::string vector = file->deletion_vector ? file->deletion_vector->unique_id() : "";
    out.emplace(resolve_path(table, file->path) + '\n' + vector, file);
  });
  return out;
}

Result<std::int64_t> version_of(const Log& log, const RestoreTarget& target) {
  if (target.version) return *target.version;
  TRY_ASSIGN(const auto times, log.commit_times());
  return version_at(times, target.time_ms.value_or(0));
}

Status out_of_range(std::int64_t version, const Log& log, std::int64_t latest) {
  std::int64_t first = 0;
  if (const auto times = log.commit_times(); times.ok() && !times->empty())
    first = times->front().version;
  return Status::error("DELTA_CANNOT_RESTORE_TABLE_VERSION",
                       {{"version", fmt::to_string(version)},
                        {"startVersion", fmt::to_string(first)},
                        {"endVersion", fmt::to_string(latest)}});
}

Status check_files(io::Store& store, const std::string& table,
                   const std::vector<AddFilePtr>& files) {
  for (const auto& file : files) {
    std::vector<std::string> needed = {resolve_path(table, file->path)};
    const auto& vector = file->deletion_vector;
    if (vector != nullptr && vector->storage_type != "i") {
      TRY_ASSIGN(auto path, deletion_vector_path(table, *vector));
      needed.push_back(std::move(path));
    }
    for (const auto& path : needed) {
      TRY_ASSIGN(const bool there, store.exists(path));
      if (there) continue;
      return Status::invalid(
          "the version cannot be restored: its file {} is gone (removed by VACUUM, or by hand)",
          path);
    }
  }
  return Status::OK();
}

Result<std::optional<Restored>> restore_once(const std::shared_ptr<io::Store>& store,
                                             const std::string& table,
                                             const RestoreTarget& target) {
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr now, log->latest());
  if (now == nullptr) return Status::not_found("no Delta table in {}", table);
  TRY(check_writable(now->protocol(), now->info(), table, true, true));
  TRY_ASSIGN(const std::int64_t version, version_of(*log, target));
  if (version < 0 || version > now->version()) return out_of_range(version, *log, now->version());
  if (version == now->version()) return std::optional<Restored>();
  TRY_ASSIGN(const SnapshotPtr then, log->at_version(version));
  const std::int64_t now_ms = SystemClock().now_ms();
  if (target.within_retention) TRY(check_within_retention(*log, *now, *then, now_ms));

  const Files live = files_of(*now, table);
  const Files wanted = files_of(*then, table);
  Transaction txn;
  txn.read = now;
  txn.read_whole_table = true;
  Restored out;
  for (const auto& [key, file] : wanted) {
    ++out.table_files;
    out.table_bytes += file->size;
    if (live.contains(key)) continue;
    AddFile add = *file;
    add.data_change = true;
    txn.adds.push_back(std::make_shared<const AddFile>(std::move(add)));
    ++out.restored_files;
    out.restored_bytes += file->size;
  }
  for (const auto& [key, file] : live) {
    if (wanted.contains(key)) continue;
    txn.removes.push_back(std::make_shared<const RemoveFile>(remove_of(*file, now_ms, true)));
    ++out.removed_files;
    out.removed_bytes += file->size;
  }
  TRY(check_files(*store, table, txn.adds));
  Metadata metadata = then->metadata();
  keep_greatest_id(now->metadata(), metadata);
  TRY(keep_marks(now->schema(), metadata));
  if (metadata != now->metadata()) txn.metadata = std::move(metadata);
  if (auto clustering = clustering_restored(*now, *then))
    txn.domains.push_back(*std::move(clustering));
  txn.operation = "RESTORE";
  txn.parameters = fmt::format(R"({{"version":{},"timestamp":{}}})",
                               target.version ? fmt::to_string(version) : "null",
                               target.version ? "null" : json_quote(target.time_text));
  const auto put = [&](const char* name, std::int64_t value) {
    txn.metrics.emplace_back(name, fmt::to_string(value));
  };
  put("tableSizeAfterRestore", out.table_bytes);
  put("numOfFilesAfterRestore", out.table_files);
  put("numRemovedFiles", out.removed_files);
  put("numRestoredFiles", out.restored_files);
  put("removedFilesSize", out.removed_bytes);
  put("restoredFilesSize", out.restored_bytes);
  TRY(check_transaction(txn, then->info()));
  TRY(commit(*log, txn).status());
  TRY(keep_manifests(*log, txn));
  log->wait_for_checkpoints();
  return std::optional(out);
}

}  // namespace

Result<std::optional<Restored>> restore_table(const std::shared_ptr<io::Store>& store,
                                              const std::string& table,
                                              const RestoreTarget& target) {
  return retried([&] { return restore_once(store, table, target); });
}

}  // namespace millstream::delta
