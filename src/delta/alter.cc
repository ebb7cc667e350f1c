#include "delta/alter.h"

#include "base/clock.h"
#include "delta/change_feed.h"
#include "delta/commit_files.h"
#include "delta/features.h"
#include "delta/log.h"
#include "delta/row_id_backfill.h"
#include "delta/row_tracking.h"
#include "delta/schema_rules.h"
#include "delta/transaction.h"

namespace millstream::delta {
namespace {

// Only the table itself says which ids it has given.
Status check_greatest_id(const Metadata& before, const Metadata& after) {
  constexpr const char* property = "delta.columnMapping.maxColumnId";
  const auto text_of = [&](const Metadata& metadata) {
    const auto found = metadata.configuration.find(property);
    return found == metadata.configuration.end() ? std::string() : found->second;
  };
  if (text_of(before) == text_of(after)) return Status::OK();
  return Status::error("DELTA_CANNOT_MODIFY_TABLE_PROPERTY", {{"prop", property}});
}

// A value that a property cannot have is no change that a table can be given.
Result<std::map<std::string, std::string>> checked_properties(
    const std::map<std::string, std::string>& given) {
  auto checked = check_properties(given);
  const Status status = checked.status();
  if (checked.ok() || status.kind() != ErrorKind::illegal_argument || !status.condition().empty()) {
    return checked;
  }
  return Status::error("UNSUPPORTED_TABLE_CHANGE", {{"message", status.message()}});
}

// Ids and physical names for the columns that have none, where the table maps its columns. Files of
// a table that comes to do so have the columns by the names that these have now.
Status map_columns(const TableInfo& before, column::Schema& schema, Metadata& next) {
  TRY(check_mapping_change(before.metadata, next));
  TRY(check_greatest_id(before.metadata, next));
  TRY_ASSIGN(const MappingMode mapping, mapping_mode(next));
  if (mapping == MappingMode::none) return Status::OK();
  const auto names =
      before.mapping == MappingMode::none ? PhysicalNames::as_named : PhysicalNames::made_up;
  schema = with_mapping(schema, names, next);
  return Status::OK();
}

}  // namespace

Result<std::int64_t> change_metadata(const std::shared_ptr<io::Store>& store,
                                     const std::string& table, const MetadataCommit& as,
                                     const MetadataChange& change) {
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr snapshot, log->latest());
  if (snapshot == nullptr) return Status::not_found("no Delta table in {}", table);
  TRY(check_writable(snapshot->protocol(), snapshot->info(), table, true, true));
  Metadata next = snapshot->metadata();
  column::Schema schema = snapshot->schema();
  TRY(change(next, schema));
  const auto asked = next.configuration;
  if (next.configuration != snapshot->metadata().configuration) {
    TRY_ASSIGN(next.configuration, checked_properties(next.configuration));
  }
  TRY(map_columns(snapshot->info(), schema, next));
  const std::string schema_string = column::schema_to_json(schema);
  if (schema_string != column::schema_to_json(snapshot->schema())) {
    TRY_ASSIGN(const MappingMode mapping, mapping_mode(next));
    TRY(check_column_names(schema, "METADATA_UPDATE", mapping != MappingMode::none));
    next.schema_string = schema_string;
  }
  const Protocol raised = upgraded(snapshot->protocol(), schema, asked);
  name_row_ids(raised, snapshot->metadata(), next);
  const bool changed = !(next == snapshot->metadata() && raised == snapshot->protocol());
  if (as.if_changed && !changed) return snapshot->version();
  TRY_ASSIGN(const auto after, make_table_info(next));
  TRY(check_feed_columns(&snapshot->info(), *after));
  const bool tracks_rows = keeps_row_ids(*after) && !keeps_row_ids(snapshot->info());
  if (tracks_rows) {
    TRY_ASSIGN(const bool moved, give_ids_to_files(*log));
    if (moved) return change_metadata(store, table, as, change);
  }
  Transaction txn;
  txn.tracks_rows_only = tracks_rows;
  txn.read = snapshot;
  if (raised != snapshot->protocol()) txn.protocol = raised;
  TRY(check_writable(raised, *snapshot->info_ptr(), table, true, true));
  txn.metadata = std::move(next);
  txn.operation = as.operation;
  txn.parameters = as.parameters;
  txn.read_whole_table = as.reads_rows;
  return commit(*log, txn);
}

Result<std::int64_t> truncate_table(const std::shared_ptr<io::Store>& store,
                                    const std::string& table) {
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr snapshot, log->latest());
  if (snapshot == nullptr) return Status::not_found("no Delta table in {}", table);
  TRY(check_writable(snapshot->protocol(), snapshot->info(), table, true, true));
  if (snapshot->files().size() == 0) return snapshot->version();
  Transaction txn;
  txn.read = snapshot;
  txn.read_whole_table = true;
  txn.operation = "TRUNCATE";
  const std::int64_t began_ms = SystemClock().now_ms();
  remove_all(*snapshot, began_ms, txn);
  txn.metrics.emplace_back("numRemovedFiles", fmt::to_string(txn.removes.size()));
  txn.metrics.emplace_back("executionTimeMs", fmt::to_string(SystemClock().now_ms() - began_ms));
  TRY(check_transaction(txn, snapshot->info()));
  return commit(*log, txn);
}

}  // namespace millstream::delta
