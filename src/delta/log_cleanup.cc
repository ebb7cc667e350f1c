#include "delta/log_cleanup.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/text.h"
#include "delta/checkpoint.h"
#include "delta/log_names.h"

namespace millstream::delta {
namespace {

constexpr std::int64_t day_ms = 24LL * 3600 * 1000;
constexpr std::int64_t default_retention_ms = 30 * day_ms;

// What is expired: nothing when the table keeps all, or does not say clearly for how long.
std::optional<std::int64_t> cutoff_of(const TableInfo& info, std::int64_t now_ms) {
  if (!info.flag("delta.enableExpiredLogCleanup", true)) return std::nullopt;
  std::optional<std::int64_t> retention = default_retention_ms;
  if (const std::string* text = info.property("delta.logRetentionDuration"))
    retention = parse_interval_ms(*text);
  if (!retention || *retention < 0 || *retention > now_ms) return std::nullopt;
  return (now_ms - *retention) / day_ms * day_ms;  // whole days, of UTC
}

// The times of the commits, up to the first that is younger than the cutoff.
Result<std::vector<CommitFileTime>> times_of(io::Store& store, const std::string& directory,
                                             const std::vector<std::int64_t>& commits,
                                             std::int64_t cutoff_ms) {
  std::vector<CommitFileTime> times;
  for (const std::int64_t version : commits) {
    TRY_ASSIGN(const auto info, store.stat(io::join_path(directory, commit_name(version))));
    times.push_back({version, info.modified_us / 1000});
    if (times.back().modified_ms > cutoff_ms) break;
  }
  return times;
}

// The newest checkpoint from which all versions that are not expired can be rebuilt.
Result<std::optional<std::int64_t>> first_version_to_keep(io::Store& store,
                                                          const std::string& directory,
                                                          const LogListing& listing,
                                                          std::int64_t expired) {
  for (auto it = listing.checkpoints.rbegin(); it != listing.checkpoints.rend(); ++it) {
    if (it->version > expired + 1) continue;
    bool whole = true;
    for (const auto& name : it->names) {
      TRY_ASSIGN(const auto info, store.stat(io::join_path(directory, name)));
      whole = whole && info.size > 0;
    }
    if (whole) return std::optional(it->version);
  }
  return std::optional<std::int64_t>();
}

// Sidecars younger than these days may be of a checkpoint that is on its way.
constexpr std::int64_t sidecar_days_min = 1;

// The names of sidecars that the checkpoints left in the log need. One that cannot be read may need
// any: an error.
Result<std::set<std::string>> needed_sidecars(io::Store& store, const std::string& directory) {
  TRY_ASSIGN(const auto names, store.list_names(directory, {}));
  std::set<std::string> needed;
  for (const auto& name : names) {
    const auto parsed = parse_log_name(name);
    const bool has_none = !parsed || parsed->kind == LogName::Kind::commit ||
                          parsed->kind == LogName::Kind::compaction;
    if (has_none) continue;
    TRY_ASSIGN(const auto sidecars, sidecars_of(store, directory, {parsed->version, {name}}));
    for (const auto& sidecar : sidecars) {
      needed.insert(std::string(io::base_name(percent_decode(sidecar))));
      needed.insert(std::string(io::base_name(sidecar)));
    }
  }
  return needed;
}

Status remove_sidecars(io::Store& store, const std::string& directory, std::int64_t now_ms) {
  const std::string sidecars = io::join_path(directory, sidecar_directory);
  const auto files = store.list(sidecars);
  if (!files.ok()) {
    return files.status().is(ErrorKind::file_not_found) ? Status::OK() : files.status();
  }
  const std::int64_t cutoff_ms = (now_ms / day_ms - sidecar_days_min) * day_ms;
  std::vector<std::string> old;
  for (const auto& file : *files) {
    if (!file.is_directory && file.modified_us / 1000 < cutoff_ms) old.push_back(file.path);
  }
  if (old.empty()) return Status::OK();
  TRY_ASSIGN(const auto needed, needed_sidecars(store, directory));
  for (const auto& path : old) {
    if (!needed.contains(std::string(io::base_name(path)))) TRY(store.remove(path));
  }
  return Status::OK();
}

}  // namespace

std::optional<std::int64_t> newest_expired(const std::vector<CommitFileTime>& commits,
                                           std::int64_t cutoff_ms) {
  std::optional<std::int64_t> newest;
  std::int64_t previous = INT64_MIN;
  for (const auto& commit : commits) {
    const std::int64_t time =
        newest ? std::max(commit.modified_ms, previous + 1) : commit.modified_ms;
    if (time > cutoff_ms) break;
    newest = commit.version;
    previous = time;
  }
  return newest;
}

Status LogCleaner::clean(io::Store& store, const std::string& log_directory, const TableInfo& info,
                         std::int64_t now_ms) {
  const auto cutoff = cutoff_of(info, now_ms);
  if (!cutoff || (oldest_ms_ && *oldest_ms_ > *cutoff)) return Status::OK();
  return clean_before(store, log_directory, info, *cutoff, now_ms);
}

Status LogCleaner::clean_before(io::Store& store, const std::string& log_directory,
                                const TableInfo& info, std::int64_t cutoff_ms,
                                std::int64_t now_ms) {
  TRY_ASSIGN(const auto names, store.list_names(log_directory, {}));
  const LogListing listing = read_listing(names);
  TRY_ASSIGN(const auto times, times_of(store, log_directory, listing.commits, cutoff_ms));
  if (!times.empty()) oldest_ms_ = times.front().modified_ms;
  const auto expired = newest_expired(times, cutoff_ms);
  if (!expired) return Status::OK();
  TRY_ASSIGN(const auto keep_from, first_version_to_keep(store, log_directory, listing, *expired));
  // Another engine protects the history before this version: all of it goes, or nothing.
  const std::int64_t protected_before =
      info.number("delta.requireCheckpointProtectionBeforeVersion", 0);
  if (!keep_from || *keep_from < protected_before) return Status::OK();
  std::size_t removed = 0;
  for (const auto& name : names) {  // the oldest first: what is left is without holes
    const auto version = version_of_log_file(name);
    if (!version || *version >= *keep_from) continue;
    TRY(store.remove(io::join_path(log_directory, name)));
    ++removed;
  }
  if (removed > 0) {
    log_info("{}: {} expired files before version {} are removed", log_directory, removed,
             *keep_from);
  }
  oldest_ms_.reset();
  return removed > 0 ? remove_sidecars(store, log_directory, now_ms) : Status::OK();
}

}  // namespace millstream::delta
