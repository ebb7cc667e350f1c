#include "delta/drop_feature.h"

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "base/text.h"
#include "delta/alter.h"
#include "delta/checkpoint.h"
#include "delta/column_mapping.h"
#include "delta/commit_files.h"
#include "delta/features.h"
#include "delta/file_scan.h"
#include "delta/log.h"
#include "delta/log_cleanup.h"
#include "delta/log_names.h"
#include "delta/optimize.h"
#include "delta/retry.h"
#include "delta/row_tracking.h"
#include "delta/schema_rules.h"
#include "delta/write.h"

namespace millstream::delta {
namespace {

constexpr std::int64_t file_bytes_max = 256 << 20;
// Checkpoints of states without the feature, so that nobody has to read commits with it.
constexpr int checkpoints_before_drop = 3;

constexpr std::array droppable = {"checkConstraints",  "columnMapping",      "deletionVectors",
                                  "domainMetadata",    "rowTracking",        "v2Checkpoint",
                                  "inCommitTimestamp", "vacuumProtocolCheck"};
// The reference drops them too, by rewriting what Millstream does not write.
constexpr std::array not_here = {"typeWidening", "checkpointProtection",
                                 "materializePartitionColumns", "coordinatedCommits-preview",
                                 "typeWidening-preview"};
constexpr std::array never_dropped = {
    "appendOnly",  "invariants",       "changeDataFeed",  "generatedColumns", "identityColumns",
    "clustering",  "icebergCompatV1",  "icebergCompatV2", "timestampNtz",     "allowColumnDefaults",
    "variantType", "variantShredding", "catalogManaged"};

template <typename List>
std::optional<std::string> spelled_in(const List& names, const std::string& name) {
  const auto found =
      std::ranges::find_if(names, [&](const auto& one) { return equals_ignore_case(one, name); });
  return found == names.end() ? std::nullopt : std::optional<std::string>(*found);
}

// Whether there is such a feature, in whatever spelling.
Status check_known(const std::string& name) {
  if (spelled_in(droppable, name) || spelled_in(not_here, name) || spelled_in(never_dropped, name))
    return Status::OK();
  if (to_lower(name).starts_with("delta.")) {
    return Status::error("DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY", {{"property", name}});
  }
  return Status::error("DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE", {{"feature", name}});
}

bool lists(const std::vector<std::string>& features, const std::string& name) {
  return std::ranges::find(features, name) != features.end();
}

class Dropping {
 public:
  Dropping(const std::shared_ptr<io::Store>& store, const std::string& table,
           const FeatureDrop& drop, const CancelToken* cancel)
      : store_(store),
        table_(table),
        drop_(drop),
        feature_(drop.feature),
        cancel_(cancel),
        log_(Log::shared(store, table)) {}

  Status run() {
    TRY_ASSIGN(const SnapshotPtr snapshot, latest());
    TRY(check(*snapshot));
    const bool of_readers = needed_by_readers(feature_);
    if (drop_.truncate_history && !of_readers) {
      return Status::error("DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED");
    }
    TRY(remove_uses(*snapshot));
    if (drop_.truncate_history) return drop_after_history(snapshot->version());
    for (int i = 0; of_readers && i < checkpoints_before_drop; ++i) {
      TRY(commit_nothing());
      TRY(write_checkpoint());
    }
    TRY(commit_drop(of_readers ? History::is_protected : History::stays));
    return of_readers ? write_checkpoint() : Status::OK();
  }

 private:
  // What becomes of the versions that may use the feature.
  enum class History : std::uint8_t { stays, is_protected, is_gone };

  // `before`: the version that the statement began with.
  Status drop_after_history(std::int64_t before) const {
    TRY_ASSIGN(const SnapshotPtr unused, latest());
    TRY(commit_nothing());
    TRY(write_checkpoint());
    if (unused->version() > before)
      return history_error("DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD", *unused);
    TRY(remove_expired_history(unused->info()));
    TRY_ASSIGN(const bool used, history_uses_it());
    if (used) return history_error("DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST", *unused);
    return commit_drop(History::is_gone);
  }

  static constexpr const char* truncate_retention =
      "delta.dropFeatureTruncateHistory.retentionDuration";
  static constexpr const char* log_retention = "delta.logRetentionDuration";

  Status history_error(const char* condition, const Snapshot& snapshot) const {
    const auto told = [&](const char* property, const char* fallback) {
      const std::string* text = snapshot.info().property(property);
      if (text == nullptr) return std::string(fallback);
      return to_lower(*text).starts_with("interval ") ? text->substr(9) : *text;
    };
    return Status::error(
        condition, {{"feature", feature_},
                    {"logRetentionPeriodKey", log_retention},
                    {"logRetentionPeriod", told(log_retention, "30 days")},
                    {"truncateHistoryLogRetentionPeriod", told(truncate_retention, "24 hours")}});
  }

  // Whole minutes: whoever waits for a day does not wait for another midnight.
  Status remove_expired_history(const TableInfo& info) const {
    constexpr std::int64_t minute_ms = 60'000;
    constexpr std::int64_t day_ms = 24 * 60 * minute_ms;
    const std::string* text = info.property(truncate_retention);
    const auto retention_ms = text == nullptr ? day_ms : parse_interval_ms(*text).value_or(day_ms);
    const std::int64_t now_ms = SystemClock().now_ms();
    const std::int64_t cutoff_ms = (now_ms - retention_ms) / minute_ms * minute_ms;
    return LogCleaner().clean_before(*store_, log_->directory(), info, cutoff_ms, now_ms);
  }

  // Whether a version that can still be read has something that only the feature explains.
  Result<bool> history_uses_it() const {
    TRY_ASSIGN(const auto names, store_->list_names(log_->directory(), {}));
    const LogListing listing = read_listing(names);
    if (!listing.checkpoints.empty()) {
      TRY_ASSIGN(const auto first, log_->at_version(listing.checkpoints.front().version));
      if (uses_it(first->metadata())) return true;
      bool marked = false;
      first->files().for_each([&](const AddFilePtr& file) { marked = marked || uses_it(file); });
      if (marked) return true;
    }
    for (const std::int64_t version : listing.commits) {
      TRY_ASSIGN(const auto actions, log_->read_commit(version));
      if (std::ranges::any_of(actions, [&](const Action& action) { return uses_it(action); }))
        return true;
    }
    return false;
  }

  bool uses_it(const Action& action) const {
    if (const auto* metadata = std::get_if<Metadata>(&action)) {
      const auto is = [&](const char* property, auto&& holds) {
        const auto found = metadata->configuration.find(property);
        return found != metadata->configuration.end() && holds(found->second);
      };
      if (feature_ == "deletionVectors") {
        return is("delta.enableDeletionVectors",
                  [](const auto& value) { return parse_bool(value).value_or(false); });
      }
      if (feature_ == "columnMapping") {
        return is("delta.columnMapping.mode",
                  [](const auto& value) { return !equals_ignore_case(value, "none"); });
      }
      return feature_ == "v2Checkpoint" && is("delta.checkpointPolicy", [](const auto& value) {
               return !equals_ignore_case(value, "classic");
             });
    }
    if (feature_ == "v2Checkpoint")
      return std::holds_alternative<CheckpointMetadata>(action) ||
             std::holds_alternative<Sidecar>(action);
    if (feature_ != "deletionVectors") return false;
    if (const auto* add = std::get_if<AddFilePtr>(&action))
      return (*add)->deletion_vector != nullptr;
    const auto* remove = std::get_if<RemoveFilePtr>(&action);
    return remove != nullptr && (*remove)->deletion_vector != nullptr;
  }

  Result<SnapshotPtr> latest() const {
    TRY_ASSIGN(SnapshotPtr snapshot, log_->latest());
    if (snapshot == nullptr) return Status::not_found("no Delta table in {}", table_);
    return snapshot;
  }

  Status check(const Snapshot& snapshot) const {
    TRY(check_writable(snapshot.protocol(), snapshot.info(), table_, true, true));
    const auto features = features_of(snapshot.protocol());
    if (!lists(features, feature_)) {
      return Status::error("DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT", {{"feature", feature_}});
    }
    if (spelled_in(not_here, feature_)) {
      return Status::unsupported("DROP FEATURE {} is not supported by Millstream", feature_);
    }
    if (spelled_in(never_dropped, feature_)) {
      return Status::error("DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE", {{"feature", feature_}});
    }
    std::vector<std::string> dependent;
    for (const char* other : {"rowTracking", "clustering"}) {
      if (feature_ == "domainMetadata" && lists(features, other)) dependent.emplace_back(other);
    }
    if (dependent.empty()) return Status::OK();
    return Status::error("DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
                         {{"feature", feature_}, {"dependentFeatures", join(dependent, ", ")}});
  }

  Status remove_uses(const Snapshot& snapshot) {
    if (feature_ == "checkConstraints") return check_no_constraints(snapshot.metadata());
    if (feature_ == "rowTracking") return remove_row_ids();
    if (feature_ == "columnMapping") {
      return remove_column_mapping(store_, table_, drop_.time_zone, cancel_).status();
    }
    if (feature_ == "deletionVectors") return remove_vectors();
    if (feature_ == "v2Checkpoint" && snapshot.info().property("delta.checkpointPolicy")) {
      return set_properties({{"delta.checkpointPolicy", "classic"}});
    }
    if (feature_ == "inCommitTimestamp") return stop_telling_time();
    return Status::OK();
  }

  static Status check_no_constraints(const Metadata& metadata) {
    constexpr std::string_view prefix = "delta.constraints.";
    std::vector<std::string> names;
    for (const auto& [key, value] : metadata.configuration) {
      if (to_lower(key).starts_with(prefix)) names.push_back('`' + key.substr(prefix.size()) + '`');
    }
    if (names.empty()) return Status::OK();
    return Status::error("DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE",
                         {{"constraints", join(names, ", ")}});
  }

  Status change_properties(
      const char* operation, const std::string& parameters,
      const std::function<void(std::map<std::string, std::string>&)>& change) const {
    return change_metadata(store_, table_, {operation, parameters, false, true},
                           [&](Metadata& metadata, column::Schema&) {
                             change(metadata.configuration);
                             return Status::OK();
                           })
        .status();
  }

  Status set_properties(const std::map<std::string, std::string>& properties) const {
    std::vector<std::string> members;
    for (const auto& [key, value] : properties)
      members.push_back(json_quote(key) + ':' + json_quote(value));
    const std::string text = '{' + join(members, ",") + '}';
    return change_properties("SET TBLPROPERTIES",
                             fmt::format(R"({{"properties":{}}})", json_quote(text)),
                             [&](auto& configuration) {
                               for (const auto& [key, value] : properties)
                                 configuration[key] = value;
                             });
  }

  Status unset_property(const char* property, const auto& change) const {
    const std::string text = '[' + json_quote(property) + ']';
    return change_properties(
        "UNSET TBLPROPERTIES",
        fmt::format(R"({{"properties":{},"ifExists":true}})", json_quote(text)), change);
  }

  Status stop_telling_time() const {
    return unset_property("delta.enableInCommitTimestamps", [](auto& configuration) {
      if (configuration.contains("delta.enableInCommitTimestamps"))
        configuration["delta.enableInCommitTimestamps"] = "false";
      configuration.erase("delta.inCommitTimestampEnablementVersion");
      configuration.erase("delta.inCommitTimestampEnablementTimestamp");
    });
  }

  Status remove_row_ids() {
    TRY(set_properties(
        {{"delta.enableRowTracking", "false"}, {"delta.rowTrackingSuspended", "true"}}));
    return retried([&]() -> Status {
      TRY_ASSIGN(const SnapshotPtr snapshot, latest());
      Transaction txn = files_again(snapshot, "ROW TRACKING UNBACKFILL", [](AddFile& file) {
        const bool had = file.base_row_id || file.default_row_commit_version;
        file.base_row_id.reset();
        file.default_row_commit_version.reset();
        return had;
      });
      const auto domain = snapshot->domains().find(std::string(row_ids::domain));
      if (domain != snapshot->domains().end()) {
        txn.domains.push_back(domain->second);
        txn.domains.back().removed = true;
      }
      if (txn.adds.empty() && txn.domains.empty()) return Status::OK();
      return commit(*log_, txn).status();
    });
  }

  // The files that `change` changes, as they are then. One that goes meanwhile must not come back.
  Transaction files_again(const SnapshotPtr& snapshot, const char* operation,
                          const auto& change) const {
    Transaction txn;
    txn.read = snapshot;
    txn.isolation = "SnapshotIsolation";
    txn.rows_read = ReadSet{};
    snapshot->files().for_each([&](const AddFilePtr& file) {
      AddFile again = *file;
      if (!change(again)) return;
      again.data_change = false;
      txn.rows_read->files.insert(resolve_path(table_, file->path));
      txn.adds.push_back(std::make_shared<const AddFile>(std::move(again)));
    });
    txn.operation = operation;
    txn.parameters = R"({"batchId":"0"})";
    return txn;
  }

  Status remove_vectors() {
    TRY(unset_property("delta.enableDeletionVectors", [](auto& configuration) {
      configuration.erase("delta.enableDeletionVectors");
    }));
    return retried([&]() -> Status {
      TRY_ASSIGN(const SnapshotPtr snapshot, latest());
      std::vector<AddFilePtr> marked;
      snapshot->files().for_each([&](const AddFilePtr& file) {
        if (file->deletion_vector != nullptr) marked.push_back(file);
      });
      TRY_ASSIGN(const auto bins, bins_to_purge(*log_, *snapshot, marked));
      Rewriting rewriting;
      rewriting.operation = "REORG";
      rewriting.parameters = R"({"predicate":"[]","applyPurge":true})";
      rewriting.time_zone = drop_.time_zone;
      return rewrite_bins(log_, snapshot, bins, rewriting, cancel_).status();
    });
  }

  Status commit_nothing() const {
    return retried([&]() -> Status {
      Transaction txn;
      TRY_ASSIGN(txn.read, latest());
      txn.isolation = "SnapshotIsolation";
      txn.operation = "Empty Commit";
      return commit(*log_, txn).status();
    });
  }

  Status write_checkpoint() const {
    log_->wait_for_checkpoints();
    TRY_ASSIGN(const SnapshotPtr snapshot, latest());
    return delta::write_checkpoint(*store_, log_->directory(), *snapshot, SystemClock().now_ms());
  }

  Status commit_drop(History history) const {
    TRY_ASSIGN(const SnapshotPtr snapshot, latest());
    TRY(check(*snapshot));
    Transaction txn;
    txn.read = snapshot;
    // What came meanwhile may use the feature again.
    txn.read_whole_table = true;
    txn.metadata = snapshot->metadata();
    if (feature_ == "rowTracking") {
      std::erase_if(txn.metadata->configuration, [](const auto& property) {
        return property.first.starts_with("delta.rowTracking") ||
               property.first == "delta.enableRowTracking";
      });
    }
    if (feature_ == "columnMapping") txn.metadata->configuration.erase("delta.columnMapping.mode");
    txn.protocol = without_feature(snapshot->protocol(), feature_);
    if (history == History::is_protected) {
      txn.protocol = with_feature(*txn.protocol, "checkpointProtection");
      txn.protects_history = true;
    }
    txn.operation = "DROP FEATURE";
    txn.parameters = fmt::format(R"({{"featureName":{},"truncateHistory":{}}})",
                                 json_quote(feature_), history == History::is_gone);
    return commit(*log_, txn).status();
  }

  const std::shared_ptr<io::Store>& store_;
  const std::string& table_;
  const FeatureDrop& drop_;
  const std::string feature_;
  const CancelToken* cancel_;
  const std::shared_ptr<Log> log_;
};

// The table as it is without column mapping.
Result<TableInfoPtr> unmapped(const Snapshot& snapshot) {
  Metadata next = snapshot.metadata();
  next.configuration["delta.columnMapping.mode"] = "none";
  next.configuration.erase("delta.columnMapping.maxColumnId");
  const column::Schema schema = without_mapping(snapshot.schema());
  const Status names = check_column_names(schema, "METADATA_UPDATE", false);
  if (names.is("DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES")) {
    return Status::error("DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING",
                         names.info().parameters);
  }
  TRY(names);
  next.schema_string = column::schema_to_json(schema);
  return make_table_info(std::move(next));
}

Result<std::int64_t> remove_mapping_once(const std::shared_ptr<Log>& log,
                                         const std::string& time_zone, const CancelToken* cancel) {
  TRY_ASSIGN(const SnapshotPtr snapshot, log->latest());
  if (snapshot == nullptr) return Status::not_found("no Delta table in {}", log->table());
  TRY(check_writable(snapshot->protocol(), snapshot->info(), log->table(), true, true));
  if (snapshot->info().mapping == MappingMode::none) return snapshot->version();
  TRY_ASSIGN(const TableInfoPtr after, unmapped(*snapshot));
  TRY_ASSIGN(const TableInfoPtr from, as_rewritten(snapshot->info_ptr()));
  TRY_ASSIGN(const TableInfoPtr to, as_rewritten(after));
  Transaction txn;
  txn.read = snapshot;
  txn.read_whole_table = true;  // files that others add have the columns by their old names
  txn.metadata = after->metadata;
  txn.keeps_row_ids = keeps_row_ids(*after);
  if (const auto clustered = clustering_columns(*snapshot); clustered && !clustered->empty())
    txn.domains.push_back(clustering_domain(*after, *clustered));
  std::vector<AddFilePtr> files;
  const std::int64_t now_ms = SystemClock().now_ms();
  snapshot->files().for_each([&](const AddFilePtr& file) {
    files.push_back(file);
    txn.removes.push_back(std::make_shared<const RemoveFile>(remove_of(*file, now_ms, false)));
  });
  connector::ScanRequest request;
  for (const auto& field : from->schema) request.columns.push_back(field.name);
  TRY_ASSIGN(auto rows, scan_files(log->store(), log->table(), snapshot->info_ptr(),
                                   std::move(files), request, true, time_zone));
  rows.schema = to->schema;
  DataWriteOptions options;
  options.max_bytes_per_file = file_bytes_max;
  TRY_ASSIGN(const DataFiles written,
             write_data_files(log->store(), log->table(), *to, rows, options, cancel));
  for (const auto& file : written.adds) {
    AddFile add = *file;
    add.data_change = false;
    txn.adds.push_back(std::make_shared<const AddFile>(std::move(add)));
  }
  txn.operation = "REMOVE COLUMN MAPPING";
  auto version = commit_files(*log, txn, *after, written, {}, cancel);
  log->wait_for_checkpoints();
  return version;
}

}  // namespace

Status drop_feature(const std::shared_ptr<io::Store>& store, const std::string& table,
                    const FeatureDrop& drop, const CancelToken* cancel) {
  TRY(check_known(drop.feature));
  return retried([&] { return Dropping(store, table, drop, cancel).run(); });
}

Result<std::int64_t> remove_column_mapping(const std::shared_ptr<io::Store>& store,
                                           const std::string& table, const std::string& time_zone,
                                           const CancelToken* cancel) {
  const auto log = Log::shared(store, table);
  return retried([&] { return remove_mapping_once(log, time_zone, cancel); });
}

}  // namespace millstream::delta
