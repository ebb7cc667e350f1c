// CLUSTER BY: the columns stand in the domain delta.clustering. Files are clustered by OPTIMIZE.
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "delta/alter.h"
#include "delta/features.h"
#include "delta/log.h"
#include "delta/stats.h"
#include "delta/transaction.h"

namespace millstream::delta {

namespace {

using Json = nlohmann::json;

constexpr const char* domain_name = "delta.clustering";
constexpr std::size_t clustering_columns_max = 4;

// The column's path in the schema's spelling; empty: there is none.
std::vector<std::string> path_of(const column::Schema& schema, const std::string& name) {
  std::vector<std::string> path;
  const column::Schema* fields = &schema;
  for (const auto& part : split(name, '.')) {
    const int index = fields == nullptr ? -1 : column::find_field_ignore_case(*fields, part);
    if (index < 0) return {};
    const auto& field = (*fields)[static_cast<std::size_t>(index)];
    path.push_back(field.name);
    fields = field.type->kind() == column::TypeKind::struct_ ? &field.type->fields() : nullptr;
  }
  return path;
}

// As users see it; as it is where the table has no such column.
std::vector<std::string> logical_path(const TableInfo& info, std::vector<std::string> path) {
  const column::Schema* fields = &info.schema;
  const column::Schema* physical = &info.physical;
  for (auto& part : path) {
    const int index = physical == nullptr ? -1 : column::find_field(*physical, part);
    if (index < 0) return path;
    const auto at = static_cast<std::size_t>(index);
    part = (*fields)[at].name;
    const bool is_struct = (*fields)[at].type->kind() == column::TypeKind::struct_;
    physical = is_struct ? &(*physical)[at].type->fields() : nullptr;
    fields = is_struct ? &(*fields)[at].type->fields() : nullptr;
  }
  return path;
}

}  // namespace

Status check_clustering(const column::Schema& schema, const std::vector<std::string>& columns,
                        const std::vector<std::string>& partition_by) {
  if (!columns.empty() && !partition_by.empty()) {
    return Status::error("DELTA_CLUSTER_BY_WITH_PARTITIONED_BY");
  }
  if (columns.size() > clustering_columns_max) {
    return Status::error("DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS",
                         {{"numColumnsLimit", fmt::to_string(clustering_columns_max)},
                          {"actualNumColumns", fmt::to_string(columns.size())}});
  }
  std::set<std::string> seen;
  for (const auto& name : columns) {
    if (path_of(schema, name).empty()) {
      return Status::error("UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED",
                           {{"cols", "`" + name + "`"}});
    }
    if (!seen.insert(to_lower(name)).second) {
      return Status::error("COLUMN_ALREADY_EXISTS", {{"columnName", "`" + to_lower(name) + "`"}});
    }
  }
  return Status::OK();
}

DomainMetadata clustering_domain(const TableInfo& info, const std::vector<std::string>& columns) {
  Json paths = Json::array();
  for (const auto& name : columns) {
    const auto path = split(name, '.');
    const auto found = find_column(info, path);
    paths.push_back(found ? found->physical_path : path);
  }
  DomainMetadata domain;
  domain.domain = domain_name;
  domain.configuration = Json{{"clusteringColumns", paths}, {"domainName", domain_name}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
  return domain;
}

std::optional<std::vector<std::string>> clustering_columns(const Snapshot& snapshot) {
  const auto found = snapshot.domains().find(domain_name);
  if (found == snapshot.domains().end() || found->second.removed) return std::nullopt;
  std::vector<std::string> out;
  const Json json = Json::parse(found->second.configuration, nullptr, false);
  if (!json.is_object() || !json.contains("clusteringColumns")) return out;
  for (const auto& path : json["clusteringColumns"]) {
    std::vector<std::string> parts;
    if (!path.is_array()) continue;
    for (const auto& part : path) parts.push_back(part.is_string() ? part.get<std::string>() : "");
    out.push_back(join(logical_path(snapshot.info(), std::move(parts)), "."));
  }
  return out;
}

Result<std::int64_t> change_clustering(const std::shared_ptr<io::Store>& store,
                                       const std::string& table,
                                       const std::vector<std::string>& columns) {
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr snapshot, log->latest());
  if (snapshot == nullptr) return Status::not_found("no Delta table in {}", table);
  TRY(check_writable(snapshot->protocol(), snapshot->info(), table, true, true));
  const auto old = clustering_columns(*snapshot);
  if (!old && columns.empty()) return snapshot->version();
  if (!old) return Status::error("DELTA_ALTER_TABLE_CLUSTER_BY_NOT_ALLOWED");
  TRY(check_clustering(snapshot->schema(), columns, snapshot->metadata().partition_columns));
  Transaction txn;
  txn.read = snapshot;
  txn.domains.push_back(clustering_domain(snapshot->info(), columns));
  txn.operation = "CLUSTER BY";
  txn.parameters =
      Json{{"oldClusteringColumns", join(*old, ",")}, {"newClusteringColumns", join(columns, ",")}}
          .dump(-1, ' ', false, Json::error_handler_t::replace);
  return commit(*log, txn);
}

}  // namespace millstream::delta
