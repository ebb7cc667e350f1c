// CLUSTER BY: the columns stand in the domain delta.clustering. Files are clustered by OPTIMIZE.
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "delta/alter.h"
#include "delta/features.h"
#include "delta/log.h"
#include "delta/schema_rules.h"
#include "delta/stats.h"
#include "delta/stats_columns.h"
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

// Whether files tell bounds of such values, which tell them apart.
bool has_bounds(const column::DataType& type) {
  using column::TypeKind;
  return type.is_numeric() || type.is_string() || type.kind() == TypeKind::date ||
         type.kind() == TypeKind::timestamp || type.kind() == TypeKind::timestamp_ntz;
}

Status check_types(const TableInfo& info, const std::vector<std::string>& columns) {
  std::vector<std::string> refused;
  for (const auto& name : columns) {
    const auto path = path_of(info.schema, name);
    const auto found = find_column(info, path);
    if (!found || has_bounds(*found->field->type)) continue;
    refused.push_back(join(path, ".") + " : " + found->field->type->sql());
  }
  if (refused.empty()) return Status::OK();
  return Status::error("DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED",
                       {{"columnsWithDataTypes", join(refused, ", ")}});
}

// The columns, and their members, that files have statistics of.
column::Schema with_statistics(const TableInfo& info, const column::Schema& fields,
                               std::vector<std::string> path) {
  column::Schema out;
  for (auto field : fields) {
    path.push_back(field.name);
    if (has_statistics(info, path)) {
      if (field.type->kind() == column::TypeKind::struct_)
        field.type = column::struct_type(with_statistics(info, field.type->fields(), path));
      out.push_back(std::move(field));
    }
    path.pop_back();
  }
  return out;
}

Status check_statistics(const TableInfo& info, const std::vector<std::string>& columns) {
  std::vector<std::string> without;
  for (const auto& name : columns) {
    const auto path = path_of(info.schema, name);
    if (!has_statistics(info, path)) without.push_back(join(path, "."));
  }
  if (without.empty()) return Status::OK();
  return Status::error("DELTA_CLUSTERING_COLUMN_MISSING_STATS",
                       {{"columns", join(without, ", ")},
                        {"schema", tree_string(with_statistics(info, info.schema, {}))}});
}

}  // namespace

Status check_clustering(const TableInfo& info, const std::vector<std::string>& columns) {
  if (!columns.empty() && !info.metadata.partition_columns.empty()) {
    return Status::error("DELTA_CLUSTER_BY_WITH_PARTITIONED_BY");
  }
  if (columns.size() > clustering_columns_max) {
    return Status::error("DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS",
                         {{"numColumnsLimit", fmt::to_string(clustering_columns_max)},
                          {"actualNumColumns", fmt::to_string(columns.size())}});
  }
  std::set<std::string> seen;
  for (const auto& name : columns) {
    if (path_of(info.schema, name).empty()) {
      return Status::error("UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED",
                           {{"cols", "`" + name + "`"}});
    }
    if (!seen.insert(to_lower(name)).second) {
      return Status::error("COLUMN_ALREADY_EXISTS", {{"columnName", "`" + to_lower(name) + "`"}});
    }
  }
  TRY(check_types(info, columns));
  return check_statistics(info, columns);
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

std::optional<DomainMetadata> clustering_ended(const Snapshot& before) {
  if (!clustering_columns(before)) return std::nullopt;
  return clustering_domain(before.info(), {});
}

std::optional<DomainMetadata> clustering_restored(const Snapshot& before, const Snapshot& then) {
  const auto columns = clustering_columns(then);
  if (!columns || columns->empty()) return clustering_ended(before);
  return then.domains().at(domain_name);
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
  TRY(check_clustering(snapshot->info(), columns));
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
