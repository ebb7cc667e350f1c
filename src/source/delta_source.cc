#include "source/delta_source.h"

#include <algorithm>
#include <map>
#include <regex>

#include "base/log.h"
#include "base/text.h"
#include "delta/change_feed.h"
#include "delta/changes.h"
#include "delta/features.h"
#include "delta/file_scan.h"
#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/time_travel.h"
#include "format/file_columns.h"
#include "source/delta_offset.h"
#include "source/delta_source_options.h"

namespace millstream::source {
namespace {

using connector::Offset;
using delta::AddFilePtr;
using delta::FeedFile;

constexpr std::size_t cached_commits_max = 1024;

// A commit, and the files of it that a stream may deliver: their positions are a stream's indexes.
struct CommitChanges : delta::CommitChanges {
  std::vector<FeedFile> files;
  // All or none of them go into a batch: only together they tell what the commit did.
  bool is_one = false;
};

// What a stream is of. Immutable, shared by the table and its sources.
struct Definition {
  std::shared_ptr<io::Store> store;
  std::string path;
  std::string time_zone;
  DeltaSourceOptions options;
  std::shared_ptr<const std::regex> exclude;
  delta::SnapshotPtr at_definition;
  column::Schema schema;  // of at_definition (and of its change data feed), for users
  bool case_sensitive = false;
};

// How much a trigger may still take. Files count when they are taken; the byte budget is soft: a
// file is taken while any of it is left.
struct Budget {
  std::optional<std::int64_t> files;
  std::optional<std::int64_t> bytes;

  bool has_room() const { return (!files || *files > 0) && (!bytes || *bytes > 0); }
  void take(const delta::AddFile& file) {
    if (files) --*files;
    if (bytes) *bytes -= file.size;
  }
};

class DeltaSource final : public connector::Source {
 public:
  explicit DeltaSource(std::shared_ptr<const Definition> definition)
      : definition_(std::move(definition)),
        options_(definition_->options),
        info_(definition_->at_definition->info_ptr()),
        log_(delta::Log::at(definition_->store, definition_->path)) {}

  std::string description() const override {
    return "DeltaSource[" + io::to_uri(definition_->path) + "]";
  }

  Result<std::optional<Offset>> latest_offset(const std::optional<Offset>& start,
                                              bool all) override {
    TRY_ASSIGN(const std::int64_t latest, newest_version());
    DeltaOffset from;
    if (start) {
      TRY_ASSIGN(from, parse(*start));
    } else {
      TRY_ASSIGN(from, first_position(latest));
      // From now on: the position is fixed by an offset of its own, or rows that come before the
      // first batch would be lost.
      if (options_.starting_latest) return std::optional<Offset>(print_delta_offset(from));
      if (from.version > latest && !from.initial) return std::optional<Offset>();
    }
    Budget budget{options_.max_files, options_.max_bytes};
    if (all) budget = {};
    TRY(check_mapping_since(from));
    if (!start && options_.read_change_feed && !from.initial) TRY(check_feed_kept_at(from.version));
    TRY_ASSIGN(const DeltaOffset end, admit(from, latest, budget));
    if (start && end == from) return start;
    return std::optional<Offset>(print_delta_offset(end));
  }

  Result<connector::Batches> batch(const std::optional<Offset>& start, const Offset& end_text,
                                   const connector::ScanRequest& request) override {
    TRY_ASSIGN(const DeltaOffset end, parse(end_text));
    DeltaOffset from;
    if (start) {
      TRY_ASSIGN(from, parse(*start));
    } else {
      TRY_ASSIGN(from, start_of_first_batch(end));
    }
    if (end.is_before(from)) {
      return Status::illegal_state("the end offset {} of a batch of {} is before its start {}",
                                   end_text, description(), print_delta_offset(from));
    }
    std::vector<FeedFile> files;
    if (from.initial) TRY(snapshot_files_between(from, end, files));
    if (!end.initial) TRY(commit_files_between(from, end, files));
    if (options_.read_change_feed) {
      return delta::scan_feed(definition_->store, definition_->path, *info_, files, request,
                              definition_->case_sensitive, definition_->time_zone);
    }
    std::vector<AddFilePtr> whole;
    for (auto& file : files) whole.push_back(std::move(file.file));
    return delta::scan_files(definition_->store, definition_->path, info_, std::move(whole),
                             request, definition_->case_sensitive, definition_->time_zone);
  }

  Status commit(const Offset& end_text) override {
    TRY_ASSIGN(const DeltaOffset end, parse(end_text));
    commits_.erase(commits_.begin(), commits_.lower_bound(end.version));
    if (!end.initial) snapshot_files_.reset();
    return Status::OK();
  }

  bool supports_available_now() const override { return true; }
  Status prepare_for_available_now() override {
    TRY_ASSIGN(pinned_version_, newest_version());
    return Status::OK();
  }

 private:
  struct SnapshotFiles {
    std::int64_t version = 0;
    std::vector<FeedFile> files;  // in the order of a stream's initial snapshot
  };

  Result<DeltaOffset> parse(const Offset& text) const {
    TRY_ASSIGN(DeltaOffset offset, parse_delta_offset(text));
    if (offset.table_id != info_->metadata.id) {
      return Status::error("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
                           {{"newTableId", info_->metadata.id}, {"oldTableId", offset.table_id}});
    }
    return offset;
  }

  DeltaOffset at(std::int64_t version, std::int64_t index, bool initial) const {
    return {info_->metadata.id, version, index, initial};
  }

  // Of the table as it is, or as it was when a run over what is available began.
  Result<std::int64_t> newest_version() {
    TRY_ASSIGN(const delta::SnapshotPtr latest, log_->latest());
    if (latest == nullptr) {
      return Status::error("DELTA_TABLE_NOT_FOUND", {{"tableName", "`" + definition_->path + "`"}});
    }
    if (latest->metadata().id != info_->metadata.id) {
      return Status::error(
          "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
          {{"newTableId", latest->metadata().id}, {"oldTableId", info_->metadata.id}});
    }
    return pinned_version_ ? *pinned_version_ : latest->version();
  }

  // Where a query begins that has no offset yet.
  Result<DeltaOffset> first_position(std::int64_t latest) {
    if (options_.starting_latest) return at(latest + 1, DeltaOffset::base_index, false);
    if (options_.starting_version) {
      TRY(check_version_exists(*options_.starting_version, latest));
      return at(*options_.starting_version, DeltaOffset::base_index, false);
    }
    if (options_.starting_timestamp) {
      TRY_ASSIGN(const std::int64_t time_ms,
                 delta::parse_time_ms(*options_.starting_timestamp, definition_->time_zone));
      TRY_ASSIGN(const auto times, log_->commit_times());
      const auto version = delta::version_from(times, time_ms);
      if (!version) {
        const std::int64_t last = times.empty() ? 0 : times.back().time_ms;
        return Status::error(
            "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
            {{"providedTimestamp", delta::timestamp_string(time_ms)},
             {"lastCommitTimestamp", delta::timestamp_string(last)},
             {"maximumTimestamp", delta::timestamp_string(last / 1000 * 1000).substr(0, 19)}});
      }
      return at(*version, DeltaOffset::base_index, false);
    }
    return at(latest, DeltaOffset::base_index, true);
  }

  Status check_version_exists(std::int64_t version, std::int64_t latest) const {
    TRY_ASSIGN(const auto names, definition_->store->list_names(log_->directory(), {}));
    const auto commits = delta::read_listing(names).commits;
    if (std::binary_search(commits.begin(), commits.end(), version)) return Status::OK();
    return Status::error("DELTA_VERSION_NOT_FOUND",
                         {{"userVersion", fmt::to_string(version)},
                          {"earliest", fmt::to_string(commits.empty() ? latest : commits.front())},
                          {"latest", fmt::to_string(latest)}});
  }

  // The same, for a first batch that runs again: its end is known, its start is not written down.
  Result<DeltaOffset> start_of_first_batch(const DeltaOffset& end) {
    if (options_.starting_latest) return end;
    if (options_.starting_version || options_.starting_timestamp)
      return first_position(end.version);
    if (end.initial) return at(end.version, DeltaOffset::base_index, true);
    return at(std::max<std::int64_t>(end.version - 1, 0), DeltaOffset::base_index, true);
  }

  // The end of a batch that begins after `from` and takes what the budget allows of the versions up
  // to `latest`.
  Result<DeltaOffset> admit(DeltaOffset from, std::int64_t latest, Budget& budget) {
    DeltaOffset end = from;
    if (from.initial) {
      TRY_ASSIGN(const SnapshotFiles* snapshot, snapshot_files(from.version));
      const auto& files = snapshot->files;
      for (auto i = static_cast<std::size_t>(from.index + 1); i < files.size(); ++i) {
        if (!excluded(files[i])) {
          if (!budget.has_room()) return end;
          budget.take(*files[i].file);
        }
        end.index = static_cast<std::int64_t>(i);
      }
      end = at(from.version + 1, DeltaOffset::base_index, false);
    }
    while (end.version <= latest) {
      TRY_ASSIGN(const auto changes, changes_or_next(end, latest));
      if (changes == nullptr) break;
      // What lies behind the budget is not judged yet: what comes before it is delivered first.
      if (changes->changes_data() && !budget.has_room()) break;
      TRY_ASSIGN(const auto* files, files_of(*changes, end.version));
      for (auto i = static_cast<std::size_t>(end.index + 1); i < files->size(); ++i) {
        if (!excluded((*files)[i])) {
          if (!budget.has_room() && !changes->is_one) return end;
          budget.take(*(*files)[i].file);
        }
        end.index = static_cast<std::int64_t>(i);
      }
      // The reference's offset stays on the last file of such a commit.
      if (changes->is_one && (end.version == latest || !budget.has_room())) break;
      end = at(end.version + 1, DeltaOffset::base_index, false);
    }
    return end;
  }

  Status snapshot_files_between(const DeltaOffset& from, const DeltaOffset& end,
                                std::vector<FeedFile>& out) {
    TRY_ASSIGN(const SnapshotFiles* snapshot, snapshot_files(from.version));
    const auto& files = snapshot->files;
    std::size_t to = files.size();
    if (end.initial) to = std::min(to, static_cast<std::size_t>(end.index + 1));
    for (auto i = static_cast<std::size_t>(from.index + 1); i < to; ++i) {
      if (!excluded(files[i])) out.push_back(files[i]);
    }
    return Status::OK();
  }

  Status commit_files_between(const DeltaOffset& from, const DeltaOffset& end,
                              std::vector<FeedFile>& out) {
    DeltaOffset position =
        from.initial ? at(from.version + 1, DeltaOffset::base_index, false) : from;
    const std::int64_t last = end.index == DeltaOffset::base_index ? end.version - 1 : end.version;
    while (position.version <= last) {
      auto found = changes_or_next(position, last);
      if (!found.ok()) return found.status();
      if (*found == nullptr) {
        return Status::error("DELTA_STREAMING_TRAILING_COMMIT_MISSING",
                             {{"expectedVersion", fmt::to_string(last)},
                              {"seenVersion", fmt::to_string(position.version - 1)}});
      }
      TRY_ASSIGN(const auto* files, files_of(**found, position.version));
      std::size_t to = files->size();
      if (position.version == end.version)
        to = std::min(to, static_cast<std::size_t>(end.index + 1));
      for (auto i = static_cast<std::size_t>(position.index + 1); i < to; ++i) {
        if (!excluded((*files)[i])) out.push_back((*files)[i]);
      }
      position = at(position.version + 1, DeltaOffset::base_index, false);
    }
    return Status::OK();
  }

  // Files of a snapshot by modification time, then path: the order must be the same after every
  // restart.
  Result<const SnapshotFiles*> snapshot_files(std::int64_t version) {
    if (snapshot_files_ && snapshot_files_->version == version) return &*snapshot_files_;
    auto snapshot = log_->at_version(version);
    if (!snapshot.ok()) {
      if (snapshot.status().is("DELTA_TRUNCATED_TRANSACTION_LOG") ||
          snapshot.status().is("DELTA_VERSION_NOT_FOUND")) {
        return Status::error("DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE")
            .with_cause(snapshot.status());
      }
      return snapshot.status();
    }
    TRY(delta::check_readable((*snapshot)->protocol(), (*snapshot)->info(), definition_->path));
    TRY(check_schema((*snapshot)->info(), version));
    std::int64_t time_ms = 0;
    if (options_.read_change_feed) {
      TRY(check_feed_kept((*snapshot)->info(), version));
      TRY_ASSIGN(time_ms, commit_time(version));
    }
    SnapshotFiles sorted{version, {}};
    (*snapshot)->files().for_each([&](const AddFilePtr& file) {
      sorted.files.push_back(options_.read_change_feed ? delta::as_inserted(*file, version, time_ms)
                                                       : FeedFile{file, false, nullptr});
    });
    std::sort(sorted.files.begin(), sorted.files.end(), [](const auto& a, const auto& b) {
      return std::tie(a.file->modification_time, a.file->path) <
             std::tie(b.file->modification_time, b.file->path);
    });
    snapshot_files_ = std::move(sorted);
    return &*snapshot_files_;
  }

  // The commit at `position`. When it is gone from the log: an error, or (failOnDataLoss=false) the
  // position moves to the first one that is left. Null: there is none up to `latest`.
  Result<std::shared_ptr<const CommitChanges>> changes_or_next(DeltaOffset& position,
                                                               std::int64_t latest) {
    TRY_ASSIGN(auto changes, read_changes(position.version));
    if (changes != nullptr) return changes;
    TRY_ASSIGN(const auto names, definition_->store->list_names(
                                     log_->directory(), delta::listing_start(position.version)));
    const auto commits = delta::read_listing(names).commits;
    if (options_.fail_on_data_loss) {
      return Status::error(
          "DELTA_MISSING_FILES_UNEXPECTED_VERSION",
          {{"startVersion", fmt::to_string(position.version)},
           {"earliestVersion", commits.empty() ? "none" : fmt::to_string(commits.front())},
           {"option", "failOnDataLoss"}});
    }
    if (commits.empty() || commits.front() > latest) return std::shared_ptr<const CommitChanges>();
    log_warn(
        "{}: the commits {} to {} are gone from the log: their rows are lost to this stream "
        "(failOnDataLoss=false)",
        description(), position.version, commits.front() - 1);
    position = at(commits.front(), DeltaOffset::base_index, false);
    return read_changes(position.version);
  }

  // Null: there is no such commit.
  Result<std::shared_ptr<const CommitChanges>> read_changes(std::int64_t version) {
    const auto known = commits_.find(version);
    if (known != commits_.end()) return known->second;
    auto actions = log_->read_commit(version);
    if (!actions.ok()) {
      if (actions.status().is(ErrorKind::file_not_found))
        return std::shared_ptr<const CommitChanges>();
      return actions.status();
    }
    CommitChanges changes;
    TRY_ASSIGN(static_cast<delta::CommitChanges&>(changes), delta::changes_of(*actions));
    if (options_.read_change_feed) {
      TRY_ASSIGN(const std::int64_t time_ms, commit_time(version));
      TRY_ASSIGN(changes.files, delta::feed_files(*definition_->store, definition_->path, *actions,
                                                  version, time_ms));
      changes.is_one = std::ranges::any_of(changes.files, [](const auto& file) {
        return file.is_change_file || file.rows != nullptr;
      });
    } else {
      for (const auto& add : changes.adds) changes.files.push_back({add, false, nullptr});
    }
    if (commits_.size() >= cached_commits_max) commits_.erase(commits_.begin());
    auto shared = std::make_shared<const CommitChanges>(std::move(changes));
    commits_[version] = shared;
    return shared;
  }

  // Of a commit that is in the log; 0: it is not.
  Result<std::int64_t> commit_time(std::int64_t version) {
    const auto known = commit_times_.find(version);
    if (known != commit_times_.end()) return known->second;
    TRY_ASSIGN(const auto times, log_->commit_times(version));
    commit_times_.clear();
    for (const auto& commit : times) commit_times_[commit.version] = commit.time_ms;
    return commit_times_[version];
  }

  // Where a stream begins.
  Status check_feed_kept_at(std::int64_t version) const {
    const auto snapshot = log_->at_version(version);
    // What is gone from the log is found out by reading it.
    return snapshot.ok() ? check_feed_kept((*snapshot)->info(), version) : Status::OK();
  }

  Status check_feed_kept(const delta::TableInfo& other, std::int64_t version) const {
    return delta::check_feed_kept(other, version, version + 1, version);
  }

  // The files of a commit that the stream delivers, after the commit has been judged by the
  // options.
  Result<const std::vector<FeedFile>*> files_of(const CommitChanges& changes,
                                                std::int64_t version) const {
    static const std::vector<FeedFile> none;
    if (changes.info != nullptr) TRY(check_schema(*changes.info, version));
    if (changes.protocol) {
      TRY(delta::check_readable(*changes.protocol, changes.info != nullptr ? *changes.info : *info_,
                                definition_->path));
    }
    if (options_.read_change_feed) {
      if (changes.info != nullptr) TRY(check_feed_kept(*changes.info, version));
      return &changes.files;
    }
    if (!changes.removes_data) return &changes.files;
    if (options_.skip_change_commits) return &none;
    if (changes.adds.empty()) {
      if (options_.ignore_deletes || options_.ignore_changes) return &none;
      return Status::error("DELTA_SOURCE_IGNORE_DELETE",
                           {{"removedFile", changes.removed_file},
                            {"version", fmt::to_string(version)},
                            {"dataPath", io::to_uri(definition_->path)}});
    }
    if (options_.ignore_changes) return &changes.files;
    return Status::error(
        "DELTA_SOURCE_TABLE_IGNORE_CHANGES",
        {{"changeInfo", fmt::format("{} of {}", changes.operation, changes.removed_file)},
         {"version", fmt::to_string(version)},
         {"dataPath", io::to_uri(definition_->path)}});
  }

  // The schema that the query was planned with must be able to read what was written under another
  // one.
  Status check_schema(const delta::TableInfo& other, std::int64_t version) const {
    if (other.metadata.id != info_->metadata.id) {
      return Status::error("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
                           {{"newTableId", other.metadata.id}, {"oldTableId", info_->metadata.id}});
    }
    TRY(check_mapping(other, version));
    const bool partitioning = other.metadata.partition_columns == info_->metadata.partition_columns;
    if (partitioning && delta::is_read_compatible(other.schema, info_->schema)) return Status::OK();
    return Status::error(options_.has_start() ? "DELTA_SCHEMA_CHANGED_WITH_STARTING_OPTIONS"
                                              : "DELTA_SCHEMA_CHANGED_WITH_VERSION",
                         {{"version", fmt::to_string(version)},
                          {"readSchema", column::to_ddl(info_->schema)},
                          {"dataSchema", column::to_ddl(other.schema)}});
  }

  // Columns that were renamed or dropped between another version and the one that the query was
  // planned with: only a reader that tracks schemas could go on.
  Status check_mapping(const delta::TableInfo& other, std::int64_t version) const {
    const bool is_older = version <= definition_->at_definition->version();
    const delta::TableInfo& older = is_older ? other : *info_;
    const delta::TableInfo& newer = is_older ? *info_ : other;
    if (delta::keeps_columns(older, newer)) return Status::OK();
    return Status::error(
        "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG",
        {{"docLink", "https://docs.delta.io/latest/versioning.html#column-mapping"},
         {"readSchema", older.metadata.schema_string},
         {"incompatibleSchema", newer.metadata.schema_string}});
  }

  // A stream that begins behind the planned version of a table with column mapping is checked
  // before its first batch, not when it comes to the change.
  Status check_mapping_since(const DeltaOffset& from) {
    if (std::exchange(mapping_checked_, true) || info_->mapping == delta::MappingMode::none ||
        from.initial || from.version >= definition_->at_definition->version())
      return Status::OK();
    const auto snapshot = log_->at_version(from.version);
    // What is gone from the log is found out by reading it.
    return snapshot.ok() ? check_mapping((*snapshot)->info(), from.version) : Status::OK();
  }

  bool excluded(const FeedFile& file) const {
    return definition_->exclude != nullptr &&
           std::regex_search(percent_decode(file.file->path), *definition_->exclude);
  }

  const std::shared_ptr<const Definition> definition_;
  const DeltaSourceOptions& options_;
  const delta::TableInfoPtr info_;
  const std::shared_ptr<delta::Log> log_;
  std::optional<std::int64_t> pinned_version_;
  bool mapping_checked_ = false;
  std::optional<SnapshotFiles> snapshot_files_;
  std::map<std::int64_t, std::shared_ptr<const CommitChanges>>
      commits_;                                        // read, and not yet behind the stream
  std::map<std::int64_t, std::int64_t> commit_times_;  // of the change data feed, by version
};

class DeltaStreamTable final : public connector::StreamTable {
 public:
  explicit DeltaStreamTable(std::shared_ptr<const Definition> definition)
      : definition_(std::move(definition)) {}

  const column::Schema& schema() const override { return definition_->schema; }
  const column::Schema& metadata_fields() const override { return format::file_metadata_fields(); }
  std::string describe() const override { return fmt::format("delta [{}]", definition_->path); }

  Result<std::unique_ptr<connector::Source>> open(const connector::SourceContext&) const override {
    return std::unique_ptr<connector::Source>(std::make_unique<DeltaSource>(definition_));
  }

 private:
  const std::shared_ptr<const Definition> definition_;
};

}  // namespace

Result<std::shared_ptr<const connector::StreamTable>> make_delta_stream_table(
    const Options& options, const std::vector<std::string>& paths, const SourceEnv& env) {
  auto definition = std::make_shared<Definition>();
  TRY_ASSIGN(definition->options, parse_delta_source_options(options));
  if (paths.size() > 1)
    return Status::invalid("a Delta stream reads one table, {} paths are given", paths.size());
  const std::string path = paths.empty() ? options.get("path", "") : paths[0];
  if (path.empty()) return Status::invalid("'path' is not specified");
  TRY_ASSIGN(definition->path, io::local_path(path));
  definition->store = env.store != nullptr ? env.store : io::local_store();
  definition->time_zone = env.time_zone;
  definition->case_sensitive = env.case_sensitive;
  if (!definition->options.exclude_regex.empty()) {
    try {
      definition->exclude = std::make_shared<const std::regex>(definition->options.exclude_regex);
    } catch (const std::regex_error&) {
      return Status::error("DELTA_REGEX_OPT_SYNTAX_ERROR", {{"regExpOption", "excludeRegex"}});
    }
  }
  const auto log = delta::Log::shared(definition->store, definition->path);
  TRY_ASSIGN(definition->at_definition, log->latest());
  if (definition->at_definition == nullptr) {
    return Status::error("DELTA_TABLE_NOT_FOUND", {{"tableName", "`" + definition->path + "`"}});
  }
  const auto& snapshot = *definition->at_definition;
  TRY(delta::check_readable(snapshot.protocol(), snapshot.info(), definition->path));
  definition->schema = delta::without_delta_notes(snapshot.schema());
  if (snapshot.schema().empty()) return Status::error("DELTA_SCHEMA_NOT_SET");
  if (definition->options.read_change_feed) {
    definition->schema = delta::with_feed_columns(std::move(definition->schema));
  }
  return std::shared_ptr<const connector::StreamTable>(
      std::make_shared<DeltaStreamTable>(std::move(definition)));
}

}  // namespace millstream::source
