#include "delta/change_feed.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "delta/changes.h"
#include "delta/deletion_vector.h"
#include "delta/features.h"
#include "delta/time_travel.h"
#include "delta/values.h"

namespace millstream::delta {
namespace {

// The columns of the feed that every row of the file has the same value of are columns of its
// partition.
TableInfoPtr feed_info(const TableInfo& table, bool is_change_file) {
  auto info = std::make_shared<TableInfo>(table);
  const std::size_t columns = info->schema.size();
  info->schema = with_feed_columns(std::move(info->schema));
  for (std::size_t i = columns; i < info->schema.size(); ++i) {
    info->physical.push_back(info->schema[i]);
    if (is_change_file && info->schema[i].name == change_feed::type_column) continue;
    info->partition_index.push_back(static_cast<int>(i));
    info->metadata.partition_columns.push_back(info->schema[i].name);
  }
  return info;
}

// What a file of a commit has in the columns of the feed.
void set_feed_values(AddFile& file, std::string_view type, std::int64_t version,
                     std::int64_t time_ms) {
  if (!type.empty()) {
    file.partition_values[std::string(change_feed::type_column)] = std::string(type);
  }
  file.partition_values[std::string(change_feed::version_column)] = fmt::to_string(version);
  file.partition_values[std::string(change_feed::timestamp_column)] =
      timestamp_text(time_ms * 1000, 'T', 6) + 'Z';
}

AddFile file_of(const RemoveFile& remove) {
  AddFile file;
  file.path = remove.path;
  file.partition_values = remove.partition_values;
  file.size = remove.size.value_or(0);
  file.deletion_vector = remove.deletion_vector;
  return file;
}

// A MERGE that only wrote rows again as they were.
bool is_pure_rewrite(const CommitInfo& info) {
  if (info.operation != "MERGE") return false;
  const auto json = nlohmann::json::parse(info.json, nullptr, false);
  const auto metrics = json.find("operationMetrics");
  if (metrics == json.end() || !metrics->is_object()) return false;
  return std::ranges::all_of(
      std::array{"numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted"},
      [&](const char* name) {
        const auto metric = metrics->find(name);
        return metric != metrics->end() && *metric == "0";
      });
}

// Of one commit without change files.
class FileChanges {
 public:
  FileChanges(io::Store& store, const std::string& table, std::int64_t version,
              std::int64_t time_ms)
      : store_(store), table_(table), version_(version), time_ms_(time_ms) {}

  Result<std::vector<FeedFile>> of(const std::vector<Action>& actions) {
    std::map<std::string, AddFilePtr> added;
    std::map<std::string, RemoveFilePtr> removed;
    for (const auto& action : actions) {
      if (const auto* add = std::get_if<AddFilePtr>(&action)) {
        if ((*add)->data_change) added.emplace(resolve_path(table_, (*add)->path), *add);
      } else if (const auto* remove = std::get_if<RemoveFilePtr>(&action)) {
        if ((*remove)->data_change) removed.emplace(resolve_path(table_, (*remove)->path), *remove);
      }
    }
    for (const auto& action : actions) {
      if (const auto* add = std::get_if<AddFilePtr>(&action);
          add != nullptr && (*add)->data_change) {
        const auto other = removed.find(resolve_path(table_, (*add)->path));
        if (other == removed.end()) {
          push(**add, change_feed::insert, nullptr);
        } else {
          TRY(push_difference(**add, *other->second));
        }
      } else if (const auto* remove = std::get_if<RemoveFilePtr>(&action);
                 remove != nullptr && (*remove)->data_change) {
        if (added.contains(resolve_path(table_, (*remove)->path))) continue;
        TRY(check(**remove));
        push(file_of(**remove), change_feed::remove, nullptr);
      }
    }
    return std::move(files_);
  }

 private:
  static Status check(const RemoveFile& remove) {
    if (remove.extended_file_metadata) return Status::OK();
    return Status::error("DELTA_REMOVE_FILE_CDC_MISSING_EXTENDED_METADATA",
                         {{"file", to_json(remove)}});
  }

  // A file that stays, under another deletion vector.
  Status push_difference(const AddFile& after, const RemoveFile& before) {
    if (after.deletion_vector != nullptr) {
      AddFile file = after;
      file.deletion_vector = before.deletion_vector;
      TRY_ASSIGN(auto rows, rows_of(*after.deletion_vector));
      push(file, change_feed::remove, std::move(rows));
    }
    if (before.deletion_vector != nullptr) {
      TRY_ASSIGN(auto rows, rows_of(*before.deletion_vector));
      push(after, change_feed::insert, std::move(rows));
    }
    return Status::OK();
  }

  Result<std::shared_ptr<const RowSet>> rows_of(const DeletionVector& vector) {
    TRY_ASSIGN(const auto deleted, read_deletion_vector(store_, table_, vector));
    return std::shared_ptr<const RowSet>(std::make_shared<const RowSet>(deleted.rows()));
  }

  void push(AddFile file, std::string_view type, std::shared_ptr<const RowSet> rows) {
    set_feed_values(file, type, version_, time_ms_);
    if (rows != nullptr) file.stats.clear();
    files_.push_back({std::make_shared<const AddFile>(std::move(file)), false, std::move(rows)});
  }

  io::Store& store_;
  const std::string& table_;
  const std::int64_t version_;
  const std::int64_t time_ms_;
  std::vector<FeedFile> files_;
};

// The versions that a range means, in a log; nothing: none.
class RangeResolver {
 public:
  struct Versions {
    std::int64_t start = 0;
    std::int64_t end = 0;
  };

  RangeResolver(const FeedRange& range, const std::vector<Log::CommitTime>& times,
                const std::string& time_zone)
      : range_(range), times_(times), time_zone_(time_zone), latest_(times.back().version) {}

  Result<std::optional<Versions>> run() const {
    if (!range_.has_start()) return Status::error("DELTA_NO_START_FOR_CDC_READ");
    TRY_ASSIGN(const auto start, start_version());
    if (!start) return std::optional<Versions>();
    if (*start > latest_) {
      if (range_.beyond_is_empty) return std::optional<Versions>();
      return Status::error(
          "DELTA_CDC_START_VERSION_AFTER_LATEST",
          {{"start", fmt::to_string(*start)}, {"latest", fmt::to_string(latest_)}});
    }
    TRY_ASSIGN(const std::int64_t end, end_version());
    if (range_.start_timestamp && range_.end_timestamp && end == *start - 1) {
      return std::optional<Versions>();  // between two commits
    }
    if (end < *start) {
      return Status::error("DELTA_INVALID_CDC_RANGE",
                           {{"start", fmt::to_string(*start)}, {"end", fmt::to_string(end)}});
    }
    if (*start < times_.front().version) {
      return Status::error("DELTA_VERSION_NOT_FOUND",
                           {{"userVersion", fmt::to_string(*start)},
                            {"earliest", fmt::to_string(times_.front().version)},
                            {"latest", fmt::to_string(latest_)}});
    }
    return std::optional(Versions{*start, std::min(end, latest_)});
  }

 private:
  Result<std::int64_t> time_of(const std::string& text) const {
    auto time_ms = parse_time_ms(text, time_zone_);
    if (time_ms.ok() || !time_ms.status().is("DELTA_TIMESTAMP_INVALID")) return time_ms;
    return Status::error("DELTA_TIMESTAMP_INVALID", {{"expr", "'" + text + "'"}});
  }

  Result<std::optional<std::int64_t>> start_version() const {
    if (range_.start_version) return range_.start_version;
    TRY_ASSIGN(const std::int64_t time_ms, time_of(*range_.start_timestamp));
    const auto version = version_from(times_, time_ms);
    if (version || range_.beyond_is_empty) return version;
    TRY(version_at(times_, time_ms).status());
    return version;
  }

  Result<std::int64_t> end_version() const {
    if (range_.end_version) return *range_.end_version;
    if (!range_.end_timestamp) return latest_;
    TRY_ASSIGN(const std::int64_t time_ms, time_of(*range_.end_timestamp));
    if (range_.beyond_is_empty && time_ms > times_.back().time_ms) return latest_;
    return version_at(times_, time_ms);
  }

  const FeedRange& range_;
  const std::vector<Log::CommitTime>& times_;
  const std::string& time_zone_;
  const std::int64_t latest_;
};

Status incompatible(const RangeResolver::Versions& versions, const TableInfo& read,
                    std::int64_t read_version, std::int64_t version) {
  std::map<std::string, std::string> parameters = {
      {"start", fmt::to_string(versions.start)},
      {"end", fmt::to_string(versions.end)},
      {"readSchema", read.metadata.schema_string},
      {"readVersion", fmt::to_string(read_version)},
      {"incompatibleVersion", fmt::to_string(version)}};
  if (read.mapping == MappingMode::none)
    return Status::error("DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE", parameters);
  parameters["config"] =
      "spark.databricks.delta.changeDataFeed.defaultSchemaModeForColumnMappingTable";
  return Status::error("DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA", parameters);
}

}  // namespace

bool keeps_change_feed(const TableInfo& info) {
  return info.flag("delta.enableChangeDataFeed", false) ||
         info.flag("delta.enableChangeDataCapture", false);
}

column::Schema with_feed_columns(column::Schema schema) {
  schema.push_back({std::string(change_feed::type_column), column::string_type(), true, {}});
  schema.push_back({std::string(change_feed::version_column), column::long_type(), true, {}});
  schema.push_back(
      {std::string(change_feed::timestamp_column), column::timestamp_type(), true, {}});
  return schema;
}

Status check_feed_columns(const TableInfo* before, const TableInfo& after) {
  if (!keeps_change_feed(after)) return Status::OK();
  std::vector<std::string> found;
  for (const auto& reserved : with_feed_columns({})) {
    const int index = column::find_field(after.schema, reserved.name);
    if (index >= 0) found.push_back(after.schema[static_cast<std::size_t>(index)].name);
  }
  if (found.empty()) return Status::OK();
  const std::string columns = '[' + join(found, ",") + ']';
  if (before == nullptr || !keeps_change_feed(*before)) {
    return Status::error("DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS", {{"columnList", columns}});
  }
  return Status::error("RESERVED_CDC_COLUMNS_ON_WRITE",
                       {{"columnList", columns}, {"config", "delta.enableChangeDataFeed"}});
}

Result<std::vector<FeedFile>> feed_files(io::Store& store, const std::string& table,
                                         const std::vector<Action>& actions, std::int64_t version,
                                         std::int64_t time_ms) {
  std::vector<FeedFile> files;
  bool rewrite = false;
  for (const auto& action : actions) {
    if (const auto* info = std::get_if<CommitInfo>(&action)) rewrite = is_pure_rewrite(*info);
    const auto* change = std::get_if<ChangeFile>(&action);
    if (change == nullptr) continue;
    AddFile file;
    file.path = change->path;
    file.partition_values = change->partition_values;
    file.size = change->size;
    set_feed_values(file, "", version, time_ms);
    files.push_back({std::make_shared<const AddFile>(std::move(file)), true, nullptr});
  }
  if (!files.empty() || rewrite) return files;
  return FileChanges(store, table, version, time_ms).of(actions);
}

FeedFile as_inserted(const AddFile& live, std::int64_t version, std::int64_t time_ms) {
  AddFile file = live;
  set_feed_values(file, change_feed::insert, version, time_ms);
  return {std::make_shared<const AddFile>(std::move(file)), false, nullptr};
}

Result<connector::Batches> scan_feed(const std::shared_ptr<io::Store>& store,
                                     const std::string& table, const TableInfo& table_info,
                                     const std::vector<FeedFile>& files,
                                     const connector::ScanRequest& request, bool case_sensitive,
                                     const std::string& time_zone) {
  std::vector<AddFilePtr> whole;
  std::vector<AddFilePtr> change_files;
  const auto choice = std::make_shared<RowChoice>();
  choice->others_left_out = true;
  for (const auto& file : files) {
    if (file.rows != nullptr) {
      choice->files.push_back(file.file);
      choice->left_out.push_back(file.rows);
    } else {
      (file.is_change_file ? change_files : whole).push_back(file.file);
    }
  }
  const auto info = feed_info(table_info, false);
  TRY_ASSIGN(auto out,
             scan_files(store, table, info, std::move(whole), request, case_sensitive, time_zone));
  TRY_ASSIGN(auto changes, scan_files(store, table, feed_info(table_info, true),
                                      std::move(change_files), request, case_sensitive, time_zone));
  TRY_ASSIGN(auto parts, scan_rows(store, table, info, choice, request, case_sensitive, time_zone));
  for (auto* more : {&changes, &parts}) {
    for (auto& partition : more->partitions) out.partitions.push_back(std::move(partition));
  }
  return out;
}

Status check_feed_kept(const TableInfo& info, std::int64_t start, std::int64_t end,
                       std::int64_t version) {
  if (keeps_change_feed(info)) return Status::OK();
  return Status::error("DELTA_MISSING_CHANGE_DATA", {{"startVersion", fmt::to_string(start)},
                                                     {"endVersion", fmt::to_string(end)},
                                                     {"version", fmt::to_string(version)},
                                                     {"key", "delta.enableChangeDataFeed"}});
}

Result<bool> take_range_option(const std::string& name, const Options::Entry& entry,
                               FeedRange& range) {
  if (name == "startingversion" || name == "endingversion") {
    const auto version = parse_int64(entry.value);
    if (!version) return Status::error("DELTA_VERSION_INVALID", {{"version", entry.value}});
    if (*version < 0) {
      return Status::error(
          "DELTA_ILLEGAL_OPTION",
          {{"input", entry.value},
           {"name", name == "startingversion" ? "startingVersion" : "endingVersion"},
           {"explain", "must be greater than or equal to zero"}});
    }
    (name == "startingversion" ? range.start_version : range.end_version) = version;
    return true;
  }
  if (name == "startingtimestamp" || name == "endingtimestamp") {
    (name == "startingtimestamp" ? range.start_timestamp : range.end_timestamp) = entry.value;
    return true;
  }
  return false;
}

ChangeFeed::ChangeFeed(std::shared_ptr<io::Store> store, std::string table, TableInfoPtr info,
                       std::string time_zone, bool case_sensitive)
    : store_(std::move(store)),
      table_(std::move(table)),
      info_(std::move(info)),
      time_zone_(std::move(time_zone)),
      case_sensitive_(case_sensitive),
      schema_(with_feed_columns(without_delta_notes(info_->schema))) {}

Result<std::shared_ptr<const ChangeFeed>> ChangeFeed::open(std::shared_ptr<io::Store> store,
                                                           std::string table,
                                                           const FeedRange& range,
                                                           std::string time_zone,
                                                           bool case_sensitive) {
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr latest, log->latest());
  if (latest == nullptr)
    return Status::error("DELTA_TABLE_NOT_FOUND", {{"tableName", "`" + table + "`"}});
  TRY(check_readable(latest->protocol(), latest->info(), table));
  TRY_ASSIGN(auto times, log->commit_times());
  std::erase_if(times, [&](const auto& commit) { return commit.version > latest->version(); });
  if (times.empty()) times.push_back({latest->version(), 0});
  TRY_ASSIGN(const auto versions, RangeResolver(range, times, time_zone).run());
  TableInfoPtr info = latest->info_ptr();
  std::int64_t read_version = latest->version();
  if (versions && info->mapping != MappingMode::none) {
    TRY_ASSIGN(const auto at_end, log->at_version(versions->end));
    info = at_end->info_ptr();
    read_version = versions->end;
  }
  const auto feed = std::shared_ptr<ChangeFeed>(new ChangeFeed(
      std::move(store), std::move(table), info, std::move(time_zone), case_sensitive));
  if (!versions) return std::shared_ptr<const ChangeFeed>(feed);

  const auto check = [&](const TableInfo& other, std::int64_t version) -> Status {
    TRY(check_feed_kept(other, versions->start, versions->end, version));
    const bool is_older = version <= read_version;
    if (is_read_compatible(other.schema, info->schema) &&
        keeps_columns(is_older ? other : *info, is_older ? *info : other)) {
      return Status::OK();
    }
    return incompatible(*versions, *info, read_version, version);
  };
  TRY_ASSIGN(const auto at_start, log->at_version(versions->start));
  TRY(check(at_start->info(), versions->start));
  for (const auto& commit : times) {
    if (commit.version < versions->start || commit.version > versions->end) continue;
    TRY_ASSIGN(const auto actions, log->read_commit(commit.version));
    for (const auto& action : actions) {
      const auto* metadata = std::get_if<Metadata>(&action);
      if (metadata == nullptr) continue;
      TRY_ASSIGN(const auto other, make_table_info(*metadata));
      TRY(check(*other, commit.version));
    }
    TRY_ASSIGN(auto files,
               feed_files(*feed->store_, feed->table_, actions, commit.version, commit.time_ms));
    for (auto& file : files) feed->files_.push_back(std::move(file));
  }
  return std::shared_ptr<const ChangeFeed>(feed);
}

Result<connector::Batches> ChangeFeed::scan(const connector::ScanRequest& request) const {
  return scan_feed(store_, table_, *info_, files_, request, case_sensitive_, time_zone_);
}

std::string ChangeFeed::describe() const { return fmt::format("delta changes [{}]", table_); }

}  // namespace millstream::delta
