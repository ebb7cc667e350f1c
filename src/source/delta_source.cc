#include "source/delta_source.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "base/log.h"
#include "base/text.h"
#include "connector/source_extras.h"
#include "delta/change_feed.h"
#include "delta/changes.h"
#include "delta/features.h"
#include "delta/file_scan.h"
#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/row_tracking.h"
#include "delta/time_travel.h"
#include "format/file_columns.h"
#include "source/delta_event_order.h"
#include "source/delta_offset.h"
#include "source/delta_schema_tracking.h"
#include "source/delta_source_options.h"

namespace millstream::source {
namespace {

using connector::Offset;
using delta::AddFilePtr;
using delta::FeedFile;

constexpr std::size_t cached_commits_max = 1024;
// Commits that are read in a trigger only to be counted; what lies behind is not known until then.
constexpr int counted_commits_max = 256;
// In the source's place in the checkpoint, while a query has withEventTimeOrder: by which column.
constexpr const char* order_file = "event_time_order";

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
  ReadState read;         // at_definition's, or what the schema log says
  column::Schema schema;  // of that (and of its change data feed), for users
  bool case_sensitive = false;
  std::string schema_log;  // its directory; empty: schemas are not tracked
  std::map<std::string, std::string> conf;

  bool flag(const char* name, bool fallback) const {
    const auto found = conf.find(name);
    return found == conf.end() ? fallback : parse_bool(found->second).value_or(fallback);
  }
};

struct Amount {
  std::int64_t files = 0;
  std::int64_t bytes = 0;

  void add(const Amount& other) {
    files += other.files;
    bytes += other.bytes;
  }
  void take(const Amount& other) {
    files -= other.files;
    bytes -= other.bytes;
  }
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

class DeltaSource final : public connector::Source, public connector::EventTimeFollower {
 public:
  DeltaSource(std::shared_ptr<const Definition> definition, connector::SourceContext context)
      : definition_(std::move(definition)),
        context_(std::move(context)),
        options_(definition_->options),
        info_(definition_->read.info),
        log_(delta::Log::at(definition_->store, definition_->path)),
        tracking_(log_, definition_->read) {}

  Status open() {
    if (definition_->schema_log.empty()) return Status::OK();
    TRY_ASSIGN(auto schemas, DeltaSchemaLog::open(definition_->store, definition_->schema_log,
                                                  info_->metadata.id));
    UnblockedChanges unblocked{options_.allow_rename, options_.allow_drop,
                               options_.allow_type_change, definition_->conf,
                               io::to_text(context_.metadata_path)};
    const bool own_path = definition_->flag(
        "spark.databricks.delta.streaming.schemaTracking.metadataPathCheck.enabled", true);
    return tracking_.open(std::move(schemas), unblocked, own_path);
  }

  Status follow(const std::optional<connector::EventTime>& event_time) override {
    if (options_.event_time_order) {
      TRY(check_event_time(*info_, event_time.value_or(connector::EventTime())));
      event_time_ = event_time;
    }
    return keep_order();
  }

  std::string description() const override {
    return "DeltaSource[" + io::to_uri(definition_->path) + "]";
  }

  Result<std::optional<Offset>> latest_offset(const std::optional<Offset>& start,
                                              bool all) override {
    TRY_ASSIGN(const std::int64_t latest, newest_version());
    DeltaOffset from;
    if (start) {
      TRY_ASSIGN(from, parse(*start));
      if (tracking_.is_to_begin())
        TRY(tracking_.begin_in_batch(read_until(from), read_until(from)));
      if (tracking_.is_on() && from.is_at_change()) {
        TRY_ASSIGN(const bool waits, step_over_change(from));
        if (waits) return std::optional<Offset>(print_delta_offset(from));
      }
    } else {
      TRY_ASSIGN(from, first_position(latest));
      if (tracking_.is_to_begin()) TRY(tracking_.begin(std::min(from.version, latest)));
      // From now on: the position is fixed by an offset of its own, or rows that come before the
      // first batch would be lost.
      if (options_.starting_latest) return std::optional<Offset>(print_delta_offset(from));
      if (from.version > latest && !from.initial) return std::optional<Offset>();
    }
    Budget budget{options_.max_files, options_.max_bytes};
    if (all) budget = {};
    if (!from.initial) TRY(check_mapping_since(start ? read_until(from) : from.version));
    if (!start && options_.read_change_feed && !from.initial) TRY(check_feed_kept_at(from.version));
    TRY_ASSIGN(const DeltaOffset end, admit(from, latest, budget));
    count_outstanding(end);
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
    if (tracking_.is_to_begin() && start != std::optional<Offset>(end_text)) {
      const bool before = end.index == DeltaOffset::base_index;
      TRY(tracking_.begin_in_batch(from.version, before ? end.version - 1 : end.version));
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
    return tracking_.is_on() && end.is_at_change() ? take_change(end.version) : Status::OK();
  }

  std::map<std::string, std::string> metrics() const override {
    if (!outstanding_) return {};
    return {{"numFilesOutstanding", fmt::to_string(outstanding_->files)},
            {"numBytesOutstanding", fmt::to_string(outstanding_->bytes)}};
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
    std::vector<bool> may_end;    // in event-time order: whether a batch may end behind each
    std::vector<Amount> behind;   // what the stream delivers from each file on, and then nothing

    bool may_end_before(std::size_t file) const {
      return may_end.empty() || file == 0 || may_end[file - 1];
    }
  };

  Result<DeltaOffset> parse(const Offset& text) const {
    TRY_ASSIGN(DeltaOffset offset, parse_delta_offset(text));
    if (offset.table_id != info_->metadata.id) {
      return Status::error("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
                           {{"newTableId", info_->metadata.id}, {"oldTableId", offset.table_id}});
    }
    return offset;
  }

  // The newest version that something has been delivered of.
  static std::int64_t read_until(const DeltaOffset& position) {
    const bool nothing = position.index < 0 && !position.initial && position.version > 0;
    return nothing ? position.version - 1 : position.version;
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
      for (auto i = from.files(); i < files.size(); ++i) {
        if (!excluded(files[i])) {
          if (!budget.has_room() && snapshot->may_end_before(i)) return end;
          budget.take(*files[i].file);
        }
        end.index = static_cast<std::int64_t>(i);
      }
      end = at(from.version + 1, DeltaOffset::base_index, false);
    }
    while (end.version <= latest) {
      TRY_ASSIGN(const auto changes, changes_or_next(end, latest));
      if (changes == nullptr) break;
      if (stops_at(end, *changes)) {
        end.index = DeltaOffset::change_index;
        break;
      }
      // What lies behind the budget is not judged yet: what comes before it is delivered first.
      if (changes->changes_data() && !budget.has_room()) break;
      TRY_ASSIGN(const auto* files, files_of(*changes, end.version));
      for (auto i = end.files(); i < files->size(); ++i) {
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
    if (end.initial) to = std::min(to, end.files());
    for (auto i = from.files(); i < to; ++i) {
      if (!excluded(files[i])) out.push_back(files[i]);
    }
    return Status::OK();
  }

  Status commit_files_between(const DeltaOffset& from, const DeltaOffset& end,
                              std::vector<FeedFile>& out) {
    DeltaOffset position =
        from.initial ? at(from.version + 1, DeltaOffset::base_index, false) : from;
    const std::int64_t last = end.index < 0 ? end.version - 1 : end.version;
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
      if (position.version == end.version) to = std::min(to, end.files());
      for (auto i = position.files(); i < to; ++i) {
        if (!excluded((*files)[i])) out.push_back((*files)[i]);
      }
      position = at(position.version + 1, DeltaOffset::base_index, false);
    }
    return Status::OK();
  }

  // The newest change of the table's metadata lies right before the files of `position`: nothing is
  // delivered of them until the stream has started again. Whether it waits for that. The loop
  // commits an offset only when it sees another: hence two of them.
  Result<bool> step_over_change(DeltaOffset& position) {
    if (position.index == DeltaOffset::change_index) {
      position.index = DeltaOffset::behind_change_index;
      return true;
    }
    TRY_ASSIGN(const auto changes, read_changes(position.version));
    return changes != nullptr && is_change(*changes, position.version);
  }

  bool is_change(const CommitChanges& changes, std::int64_t version) const {
    return tracking_.is_change(changes.info.get(), changes.protocol ? &*changes.protocol : nullptr,
                               version);
  }

  bool stops_at(const DeltaOffset& position, const CommitChanges& changes) const {
    return tracking_.is_on() && position.index == DeltaOffset::base_index && !position.initial &&
           is_change(changes, position.version);
  }

  // What came before the change is delivered: the next run reads by what it says.
  Status take_change(std::int64_t version) {
    TRY_ASSIGN(const auto changes, read_changes(version));
    if (changes == nullptr) return Status::OK();
    return tracking_.take(changes->info.get(), changes->protocol ? &*changes->protocol : nullptr,
                          version, false);
  }

  // The order of an initial snapshot that a batch has begun to deliver must stay: its offsets count
  // files.
  Status keep_order() {
    const auto& store = context_.store;
    if (store == nullptr) return Status::OK();
    const std::string path = io::join_path(context_.metadata_path, order_file);
    const std::string wanted = event_time_ ? "v1\n" + event_time_->column : "";
    const auto noted = store->get(path);
    if (!noted.ok() && !noted.status().is(ErrorKind::file_not_found)) return noted.status();
    if ((noted.ok() ? *noted : "") == wanted) return Status::OK();
    if (context_.last_logged_offset) {
      TRY_ASSIGN(const DeltaOffset last, parse_delta_offset(*context_.last_logged_offset));
      if (last.initial && last.files() > 0) {
        return Status::invalid(
            "withEventTimeOrder and its column cannot change while the initial snapshot is being "
            "processed: give the query the option that it has begun with, or a new checkpoint");
      }
    }
    return wanted.empty() ? store->remove(path) : store->put(path, wanted);
  }

  // Of a commit: what the stream would deliver.
  Result<Amount> amount_of(std::int64_t version) const {
    const auto known = commits_.find(version);
    std::shared_ptr<const CommitChanges> changes;
    if (known != commits_.end()) {
      changes = known->second;
    } else {
      TRY_ASSIGN(changes, load_changes(version, 0));
    }
    Amount amount;
    if (changes == nullptr || (changes->removes_data && options_.skip_change_commits))
      return amount;
    for (const auto& file : changes->files) amount.add(amount_of_file(file));
    return amount;
  }
  Amount amount_of_file(const FeedFile& file) const {
    return excluded(file) ? Amount() : Amount{1, file.file->size};
  }

  // What lies behind `end` in the newest version. It is only told: what cannot be read is no error
  // here.
  void count_outstanding(const DeltaOffset& end) {
    outstanding_.reset();
    Amount sum;
    std::int64_t version = end.version;
    if (end.initial) {
      if (!snapshot_files_ || snapshot_files_->version != version) return;
      sum = snapshot_files_->behind[std::min(end.files(), snapshot_files_->files.size())];
      ++version;
    } else if (const auto known = commits_.find(version);
               end.files() > 0 && known != commits_.end()) {
      const auto& files = known->second->files;
      for (std::size_t i = end.files(); i < files.size(); ++i) sum.add(amount_of_file(files[i]));
      ++version;
    }
    while (!ahead_.empty() && ahead_.begin()->first < version) {
      ahead_sum_.take(ahead_.begin()->second);
      ahead_.erase(ahead_.begin());
    }
    int counted = 0;
    std::int64_t next = ahead_.empty() ? version : ahead_.rbegin()->first + 1;
    for (; next <= log_->known()->version(); ++next) {
      if (++counted > counted_commits_max) return;
      const auto amount = amount_of(next);
      if (!amount.ok()) return;
      ahead_[next] = *amount;
      ahead_sum_.add(*amount);
    }
    sum.add(ahead_sum_);
    outstanding_ = sum;
  }

  // Files of a snapshot by modification time, then path, or by event time: the order must be the
  // same after every restart.
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
    TRY(check_snapshot_schema(**snapshot));
    std::int64_t time_ms = 0;
    if (options_.read_change_feed) {
      TRY(check_feed_kept((*snapshot)->info(), version));
      TRY_ASSIGN(time_ms, commit_time(version));
    }
    SnapshotFiles sorted{version, {}, {}, {}};
    auto& files = sorted.files;
    (*snapshot)->files().for_each([&](const AddFilePtr& file) {
      files.push_back(options_.read_change_feed ? delta::as_inserted(*file, version, time_ms)
                                                : FeedFile{file, false, nullptr});
    });
    if (event_time_) {
      sorted.may_end = order_by_event_time(files, (*snapshot)->info(), *event_time_);
    } else {
      std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
        return std::tie(a.file->modification_time, a.file->path) <
               std::tie(b.file->modification_time, b.file->path);
      });
    }
    sorted.behind.resize(files.size() + 1);
    for (std::size_t i = files.size(); i-- > 0;) {
      sorted.behind[i] = sorted.behind[i + 1];
      sorted.behind[i].add(amount_of_file(files[i]));
    }
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
    std::int64_t time_ms = 0;
    if (options_.read_change_feed) {
      TRY_ASSIGN(time_ms, commit_time(version));
    }
    TRY_ASSIGN(auto changes, load_changes(version, time_ms));
    if (changes == nullptr) return changes;
    if (commits_.size() >= cached_commits_max) commits_.erase(commits_.begin());
    commits_[version] = changes;
    return changes;
  }

  Result<std::shared_ptr<const CommitChanges>> load_changes(std::int64_t version,
                                                            std::int64_t time_ms) const {
    auto actions = log_->read_commit(version);
    if (!actions.ok()) {
      if (actions.status().is(ErrorKind::file_not_found))
        return std::shared_ptr<const CommitChanges>();
      return actions.status();
    }
    CommitChanges changes;
    TRY_ASSIGN(static_cast<delta::CommitChanges&>(changes), delta::changes_of(*actions));
    if (options_.read_change_feed) {
      TRY_ASSIGN(changes.files, delta::feed_files(*definition_->store, definition_->path, *actions,
                                                  version, time_ms));
      changes.is_one = std::ranges::any_of(changes.files, [](const auto& file) {
        return file.is_change_file || file.rows != nullptr;
      });
    } else {
      for (const auto& add : changes.adds) changes.files.push_back({add, false, nullptr});
    }
    return std::make_shared<const CommitChanges>(std::move(changes));
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
    if (changes.info != nullptr && !tracking_.is_on()) TRY(check_schema(*changes.info, version));
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

  // A stream whose schemas are tracked, and that has delivered nothing yet, begins with what the
  // snapshot is read by.
  Status check_snapshot_schema(const delta::Snapshot& snapshot) {
    if (!tracking_.is_on()) return check_schema(snapshot.info(), snapshot.version());
    if (snapshot.version() < definition_->read.version) return Status::OK();
    return tracking_.take(&snapshot.info(), &snapshot.protocol(), snapshot.version(), true);
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
  // before its first batch, not when it comes to the change. `read`: the version that it has read
  // last, or begins with.
  Status check_mapping_since(std::int64_t read) {
    if (tracking_.is_on() || std::exchange(mapping_checked_, true) ||
        info_->mapping == delta::MappingMode::none || read >= definition_->at_definition->version())
      return Status::OK();
    const auto snapshot = log_->at_version(read);
    // What is gone from the log is found out by reading it.
    return snapshot.ok() ? check_mapping((*snapshot)->info(), read) : Status::OK();
  }

  bool excluded(const FeedFile& file) const {
    return definition_->exclude != nullptr &&
           std::regex_search(percent_decode(file.file->path), *definition_->exclude);
  }

  const std::shared_ptr<const Definition> definition_;
  const connector::SourceContext context_;
  const DeltaSourceOptions& options_;
  const delta::TableInfoPtr info_;
  const std::shared_ptr<delta::Log> log_;
  SchemaTracking tracking_;
  std::optional<connector::EventTime> event_time_;  // the initial snapshot is in its order
  std::optional<std::int64_t> pinned_version_;
  bool mapping_checked_ = false;
  std::optional<SnapshotFiles> snapshot_files_;
  std::map<std::int64_t, std::shared_ptr<const CommitChanges>>
      commits_;                                        // read, and not yet behind the stream
  std::map<std::int64_t, std::int64_t> commit_times_;  // of the change data feed, by version
  std::map<std::int64_t, Amount> ahead_;               // of the commits that the stream comes to
  Amount ahead_sum_;
  std::optional<Amount> outstanding_;
};

bool lies_in(const std::string& path, const std::string& directory) {
  const auto normal = [](const std::string& text) {
    return std::filesystem::path(io::canonical_path(text)).lexically_normal();
  };
  const auto relative = normal(path).lexically_relative(normal(directory));
  return !relative.empty() && *relative.begin() != "..";
}

class DeltaStreamTable final : public connector::StreamTable, public connector::PlaceClaimer {
 public:
  explicit DeltaStreamTable(std::shared_ptr<const Definition> definition)
      : definition_(std::move(definition)) {}

  const column::Schema& schema() const override { return definition_->schema; }
  const column::Schema& metadata_fields() const override {
    return delta::metadata_fields(definition_->at_definition->info());
  }
  std::string describe() const override { return fmt::format("delta [{}]", definition_->path); }

  Result<std::unique_ptr<connector::Source>> open(
      const connector::SourceContext& context) const override {
    auto source = std::make_unique<DeltaSource>(definition_, context);
    TRY(source->open());
    return std::unique_ptr<connector::Source>(std::move(source));
  }

  Status claim_place(const std::string& checkpoint, std::set<std::string>& taken) const override {
    const auto& options = definition_->options;
    if (options.schema_location.empty()) return Status::OK();
    // As the reference names the place before it knows the table.
    std::string table = definition_->path;
    std::ranges::replace(table, '/', '_');
    const std::string place =
        DeltaSchemaLog::directory_in(options.schema_location, table, options.tracking_id);
    const bool anywhere = definition_->flag(
        "spark.databricks.delta.streaming.allowSchemaLocationOutsideCheckpointLocation", false);
    TRY_ASSIGN(const std::string local, io::store_path(place));
    if (!anywhere && !lies_in(local, checkpoint)) {
      return Status::error(
          "DELTA_STREAMING_SCHEMA_LOCATION_NOT_UNDER_CHECKPOINT",
          {{"schemaTrackingLocation", place}, {"checkpointLocation", io::to_uri(checkpoint)}});
    }
    if (taken.insert(local).second) return Status::OK();
    return Status::error("DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT",
                         {{"loc", place}, {"table", definition_->path}});
  }

 private:
  const std::shared_ptr<const Definition> definition_;
};

// What the stream reads the table by: as it is or, with a schema location, as the log there says.
Status read_tracked_schema(Definition& definition, const delta::Log& log) {
  const delta::Snapshot& newest = *definition.at_definition;
  const auto& options = definition.options;
  if (options.schema_location.empty()) {
    TRY_ASSIGN(definition.read, read_state(nullptr, log, newest, false));
    return Status::OK();
  }
  if (!definition.flag("spark.databricks.delta.streaming.schemaTracking.enabled", true)) {
    return Status::unsupported(
        "Schema tracking location is not supported for Delta streaming source");
  }
  if (!options.fail_on_data_loss) {
    return Status::invalid(
        "requirement failed: Using schema from schema tracking log cannot tolerate missing commit "
        "files.");
  }
  TRY_ASSIGN(const std::string location, io::store_path(options.schema_location));
  definition.schema_log =
      DeltaSchemaLog::directory_in(location, newest.metadata().id, options.tracking_id);
  TRY_ASSIGN(auto schemas,
             DeltaSchemaLog::open(definition.store, definition.schema_log, newest.metadata().id));
  const bool merge = definition.flag(
      "spark.databricks.delta.streaming.schemaTracking.mergeConsecutiveSchemaChanges.enabled",
      true);
  TRY_ASSIGN(definition.read, read_state(&schemas, log, newest, merge));
  return delta::check_readable(definition.read.protocol, *definition.read.info, definition.path);
}

}  // namespace

Result<std::shared_ptr<const connector::StreamTable>> make_delta_stream_table(
    const Options& options, const std::vector<std::string>& paths, const SourceEnv& env) {
  auto definition = std::make_shared<Definition>();
  TRY_ASSIGN(definition->options, parse_delta_source_options(options));
  if (paths.size() > 1)
    return Status::invalid("a Delta stream reads one table, {} paths are given", paths.size());
  const std::string path = paths.empty() ? options.get("path", "") : paths[0];
  if (path.empty()) return Status::invalid("'path' is not specified");
  TRY_ASSIGN(definition->path, io::store_path(path));
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
  definition->conf = env.conf;
  TRY(read_tracked_schema(*definition, *log));
  definition->schema = delta::without_delta_notes(definition->read.info->schema);
  if (definition->schema.empty()) return Status::error("DELTA_SCHEMA_NOT_SET");
  if (definition->options.read_change_feed) {
    definition->schema = delta::with_feed_columns(std::move(definition->schema));
  }
  return std::shared_ptr<const connector::StreamTable>(
      std::make_shared<DeltaStreamTable>(std::move(definition)));
}

}  // namespace millstream::source
