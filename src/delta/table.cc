#include "delta/table.h"

#include <algorithm>

#include "base/text.h"
#include "delta/features.h"
#include "delta/file_scan.h"
#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/plain_files.h"
#include "delta/row_tracking.h"
#include "delta/stats.h"
#include "delta/time_travel.h"
#include "format/plain_parquet.h"

namespace millstream::delta {
namespace {

Status not_a_table(io::Store& store, const std::string& table) {
  TRY_ASSIGN(const bool there, store.exists(table));
  if (!there) return Status::error("PATH_NOT_FOUND", {{"path", io::to_uri(table)}});
  return Status::error("DELTA_TABLE_NOT_FOUND", {{"tableName", "`" + table + "`"}});
}

Result<SnapshotPtr> snapshot_of(const std::shared_ptr<io::Store>& store, const std::string& table,
                                const ReadOptions& options) {
  const auto log = Log::shared(store, table);
  if (options.version_as_of) {
    auto snapshot = log->at_version(*options.version_as_of);
    if (!snapshot.ok() && snapshot.status().is("DELTA_TABLE_NOT_FOUND"))
      return not_a_table(*store, table);
    return snapshot;
  }
  TRY_ASSIGN(SnapshotPtr latest, log->latest());
  if (latest == nullptr) return not_a_table(*store, table);
  if (!options.timestamp_as_of) return latest;
  TRY_ASSIGN(const std::int64_t time_ms,
             parse_time_ms(*options.timestamp_as_of, options.time_zone));
  TRY_ASSIGN(const auto times, log->commit_times());
  if (times.empty()) return latest;
  TRY_ASSIGN(const std::int64_t version, version_at(times, time_ms));
  return log->at_version(version);
}

}  // namespace

Result<ReadOptions> parse_read_options(const Options& options, const std::string& time_zone) {
  ReadOptions out;
  out.time_zone = time_zone;
  const bool given = options.has("readChangeFeed");
  TRY_ASSIGN(const bool changes,
             options.get_bool(given ? "readChangeFeed" : "readChangeData", false));
  if (changes) out.changes.emplace();
  for (const auto& [name, entry] : options.entries()) {
    if (name == "path" || name == "readchangefeed" || name == "readchangedata") continue;
    if (out.changes) {
      TRY_ASSIGN(const bool taken, take_range_option(name, entry, *out.changes));
      if (taken) continue;
    }
    if (name == "versionasof") {
      out.version_as_of = parse_int64(entry.value);
      if (!out.version_as_of) {
        return Status::error("DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE",
                             {{"timeTravelKey", "versionAsOf"}});
      }
    } else if (name == "timestampasof") {
      out.timestamp_as_of = entry.value;
    } else {
      return Status::invalid("a Delta read has no option '{}'", entry.name);
    }
  }
  if (out.version_as_of && out.timestamp_as_of) return Status::error("DELTA_ONEOF_IN_TIMETRAVEL");
  if (out.changes && (out.version_as_of || out.timestamp_as_of)) {
    return Status::error("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS");
  }
  return out;
}

Result<std::shared_ptr<const connector::Table>> open_table(std::shared_ptr<io::Store> store,
                                                           std::string table,
                                                           const ReadOptions& options) {
  if (options.changes) {
    TRY_ASSIGN(auto feed, ChangeFeed::open(std::move(store), std::move(table), *options.changes,
                                           options.time_zone, options.case_sensitive));
    return std::shared_ptr<const connector::Table>(std::move(feed));
  }
  TRY_ASSIGN(auto version, DeltaTable::open(std::move(store), std::move(table), options));
  return std::shared_ptr<const connector::Table>(std::move(version));
}

Result<std::shared_ptr<const DeltaTable>> DeltaTable::open(std::shared_ptr<io::Store> store,
                                                           std::string table,
                                                           const ReadOptions& options) {
  TRY_ASSIGN(SnapshotPtr snapshot, snapshot_of(store, table, options));
  TRY(check_readable(snapshot->protocol(), snapshot->info(), table));
  if (snapshot->schema().empty()) {
    return Status::error("DELTA_READ_TABLE_WITHOUT_COLUMNS",
                         {{"tableName", "delta.`" + table + "`"}});
  }
  return std::shared_ptr<const DeltaTable>(std::make_shared<DeltaTable>(
      std::move(store), std::move(table), std::move(snapshot), options));
}

DeltaTable::DeltaTable(std::shared_ptr<io::Store> store, std::string table, SnapshotPtr snapshot,
                       ReadOptions options)
    : store_(std::move(store)),
      table_(std::move(table)),
      snapshot_(std::move(snapshot)),
      options_(std::move(options)),
      schema_(without_delta_notes(snapshot_->schema())) {}

const column::Schema& DeltaTable::schema() const { return schema_; }
const column::Schema& DeltaTable::metadata_fields() const {
  return delta::metadata_fields(snapshot_->info());
}

std::vector<AddFilePtr> DeltaTable::live_files() const {
  std::vector<AddFilePtr> files;
  files.reserve(snapshot_->files().size());
  snapshot_->files().for_each([&](const AddFilePtr& file) { files.push_back(file); });
  return files;
}

Result<connector::Batches> DeltaTable::scan(const connector::ScanRequest& request) const {
  return scan_files(store_, table_, snapshot_->info_ptr(), live_files(), request,
                    options_.case_sensitive, options_.time_zone);
}

Result<std::optional<connector::ParquetFiles>> DeltaTable::parquet_files(
    const connector::ScanRequest& request) const {
  if (!store_->is_local(table_)) return std::optional<connector::ParquetFiles>();
  return plain_files(table_, snapshot_->info(), live_files(), request, options_.case_sensitive,
                     options_.time_zone);
}

void DeltaTable::distrust(const std::string& path) const { format::distrust_plain_file(path); }

// From the statistics of a few files.
std::optional<std::int64_t> DeltaTable::rows_estimated() const {
  constexpr std::int64_t files_looked_at = 16;
  std::int64_t files = 0;
  std::int64_t counted = 0;
  double rows = 0;
  snapshot_->files().for_each([&](const AddFilePtr& file) {
    ++files;
    if (counted >= files_looked_at || file->stats.empty()) return;
    const auto stated = parse_stats(file->stats).rows;
    if (!stated || *stated < 0) return;
    rows += static_cast<double>(*stated);
    ++counted;
  });
  if (files == 0) return 0;
  if (counted == 0) return std::nullopt;
  return static_cast<std::int64_t>(
      std::min(rows / static_cast<double>(counted) * static_cast<double>(files), 1e15));
}

std::string DeltaTable::describe() const { return fmt::format("delta [{}]", table_); }

std::vector<std::string> DeltaTable::input_files() const {
  std::vector<std::string> uris;
  snapshot_->files().for_each([&](const AddFilePtr& file) {
    uris.push_back(io::to_uri(resolve_path(table_, file->path)));
  });
  return uris;
}

const std::vector<std::string>& DeltaTable::partition_columns() const {
  return snapshot_->metadata().partition_columns;
}

std::int64_t DeltaTable::version() const { return snapshot_->version(); }

}  // namespace millstream::delta
