#include "source/delta_schema_tracking.h"

#include <variant>
#include <vector>

namespace millstream::source {
namespace {

struct TableState {
  delta::TableInfoPtr info;
  std::optional<delta::Protocol> protocol;
};

// What a commit says of the table, when it says nothing of files. Nothing: it is no such commit, or
// there is none.
std::optional<TableState> change_alone(const delta::Log& log, std::int64_t version) {
  const auto actions = log.read_commit(version);
  if (!actions.ok()) return std::nullopt;
  for (const auto& action : *actions) {
    if (std::holds_alternative<delta::AddFilePtr>(action) ||
        std::holds_alternative<delta::RemoveFilePtr>(action) ||
        std::holds_alternative<delta::ChangeFile>(action))
      return std::nullopt;
  }
  auto changes = delta::changes_of(*actions);
  if (!changes.ok() || (changes->info == nullptr && !changes->protocol)) return std::nullopt;
  return TableState{std::move(changes->info), std::move(changes->protocol)};
}

// The entry with the changes that follow its own at once; nothing: there are none.
std::optional<TrackedSchema> merged(const delta::Log& log, const TrackedSchema& entry) {
  TableState last;
  std::int64_t version = entry.version;
  for (auto next = change_alone(log, version); next; next = change_alone(log, ++version)) {
    if (next->info != nullptr) last.info = std::move(next->info);
    if (next->protocol) last.protocol = std::move(next->protocol);
  }
  if (version - 1 <= entry.version) return std::nullopt;
  TrackedSchema out = entry;
  out.version = version - 1;
  if (last.protocol) out.protocol = std::move(last.protocol);
  if (last.info != nullptr) {
    const delta::Protocol protocol = out.protocol.value_or(delta::Protocol());
    const auto whole =
        tracked_schema(last.info->metadata, protocol, out.version, out.metadata_path);
    out.schema = whole.schema;
    out.partitions = whole.partitions;
    out.configuration = whole.configuration;
  }
  return out;
}

Result<delta::SnapshotPtr> snapshot_at(delta::Log& log, std::int64_t version) {
  auto snapshot = log.at_version(version);
  if (snapshot.ok()) return snapshot;
  return Status::error("DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE")
      .with_cause(snapshot.status());
}

bool reads(const delta::TableInfo& newer, const delta::TableInfo& older) {
  return delta::keeps_columns(older, newer) &&
         delta::is_read_compatible(older.schema, newer.schema);
}

}  // namespace

Result<ReadState> read_state(DeltaSchemaLog* schemas, const delta::Log& log,
                             const delta::Snapshot& newest, bool merge) {
  if (schemas == nullptr || !schemas->current())
    return ReadState{newest.info_ptr(), newest.protocol(), newest.version(), std::nullopt};
  if (merge) {
    if (auto one = merged(log, *schemas->current())) {
      TRY(schemas->add(*std::move(one), true, io::to_uri(log.table())));
    }
  }
  const TrackedSchema& entry = *schemas->current();
  ReadState state{nullptr, entry.protocol.value_or(newest.protocol()), entry.version,
                  schemas->newest()};
  TRY_ASSIGN(state.info, tracked_info(entry, newest.metadata()));
  return state;
}

Status SchemaTracking::open(DeltaSchemaLog schemas, const UnblockedChanges& unblocked,
                            bool own_path) {
  metadata_path_ = unblocked.metadata_path;
  schemas_ = std::move(schemas);
  if (state_.log_number.value_or(-1) != schemas_->newest()) {
    return Status::error("DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT",
                         {{"loc", schemas_->directory()}, {"table", io::to_uri(log_->table())}});
  }
  if (!is_on()) return Status::OK();
  const std::string& noted = schemas_->current()->metadata_path;
  if (own_path && noted != metadata_path_) {
    return Status::invalid(
        "requirement failed: The Delta source metadata path used for execution '{}' is different "
        "from the one persisted for previous processing '{}'. Please check if the schema location "
        "has been reused across different streaming sources. Pick a new `schemaTrackingLocation` "
        "or use `streamingSourceTrackingId` to distinguish between streaming sources.",
        metadata_path_, noted);
  }
  if (!schemas_->previous()) return Status::OK();
  const TrackedSchema& previous = *schemas_->previous();
  TRY_ASSIGN(const auto before, tracked_info(previous, state_.info->metadata));
  return check_unblocked({before, previous.version}, {state_.info, state_.version}, unblocked);
}

Status SchemaTracking::add(const delta::TableInfo& info, const delta::Protocol& protocol,
                           std::int64_t version, bool replaces) {
  return schemas_->add(tracked_schema(info.metadata, protocol, version, metadata_path_), replaces,
                       io::to_uri(log_->table()));
}

Status SchemaTracking::begin(std::int64_t version) {
  TRY_ASSIGN(const auto snapshot, snapshot_at(*log_, version));
  TRY(add(snapshot->info(), snapshot->protocol(), version, false));
  if (!is_change(&snapshot->info(), &snapshot->protocol(), version)) return Status::OK();
  return metadata_evolution(snapshot->info(), snapshot->protocol());
}

Status SchemaTracking::begin_in_batch(std::int64_t first, std::int64_t last) {
  TRY_ASSIGN(const auto snapshot, snapshot_at(*log_, first));
  std::vector<delta::TableInfoPtr> states{snapshot->info_ptr()};
  delta::Protocol protocol = snapshot->protocol();
  for (std::int64_t version = first; version <= last; ++version) {
    const auto actions = log_->read_commit(version);
    if (!actions.ok()) continue;  // the batch itself finds out what is missing
    TRY_ASSIGN(auto changes, delta::changes_of(*actions));
    if (changes.info != nullptr) states.push_back(std::move(changes.info));
    if (changes.protocol) protocol = *std::move(changes.protocol);
  }
  const delta::TableInfo& newest = *states.back();
  for (const auto& state : states) {
    if (reads(newest, *state)) continue;
    return Status::error("DELTA_STREAMING_SCHEMA_LOG_INIT_FAILED_INCOMPATIBLE_METADATA",
                         {{"a", fmt::to_string(first)}, {"b", fmt::to_string(last)}});
  }
  TRY(add(newest, protocol, last, false));
  return is_change(&newest, &protocol, last) ? metadata_evolution(newest, protocol) : Status::OK();
}

bool SchemaTracking::is_change(const delta::TableInfo* info, const delta::Protocol* protocol,
                               std::int64_t version) const {
  if (state_.log_number && state_.version >= version) return false;
  return (protocol != nullptr && !same_protocol(*protocol, state_.protocol)) ||
         (info != nullptr && changes_reading(*state_.info, *info));
}

Status SchemaTracking::take(const delta::TableInfo* info, const delta::Protocol* protocol,
                            std::int64_t version, bool replaces) {
  if (!is_change(info, protocol, version)) return Status::OK();
  const delta::TableInfo& new_info = info != nullptr ? *info : *state_.info;
  const delta::Protocol& new_protocol = protocol != nullptr ? *protocol : state_.protocol;
  TRY(add(new_info, new_protocol, version, replaces));
  return metadata_evolution(new_info, new_protocol);
}

}  // namespace millstream::source
