// OPTIMIZE and VACUUM of Delta tables.
#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "column/timestamp_meaning.h"
#include "delta/alter.h"
#include "delta/optimize.h"
#include "delta/retry.h"
#include "delta/stats.h"
#include "delta/stats_columns.h"
#include "delta/vacuum.h"
#include "plan/tree.h"
#include "session/json_rows.h"
#include "session/space_sort.h"
#include "session/statement_run.h"
#include "session/stream_guards.h"
#include "session/table_change.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::session {
namespace {

constexpr double hour_ms = 3600.0 * 1000;

// What OPTIMIZE answers with.
const column::Schema& optimize_columns() {
  const std::string sizes =
      "STRUCT<min: BIGINT, max: BIGINT, avg: DOUBLE NOT NULL, total"
      "Files: BIGINT NOT NULL, totalSize: BIGINT NOT NULL>";
  const std::string cubes = "STRUCT<num: BIGINT NOT NULL, size: BIGINT NOT NULL>";
  const std::string clusters = "STRUCT<numFiles: BIGINT NOT NULL, size: BIGINT NOT NULL>";
  static const column::Schema schema = *column::parse_noted_schema(
      "path STRING, metrics STRUCT<numFilesAdded: BIGINT NOT NULL, numFilesRemoved: BIGINT "
      "NOT NULL, filesAdded: " +
      sizes + ", filesRemoved: " + sizes +
      ", partitionsOptimized: BIGINT NOT NULL, zOrderStats: STRUCT<strategyName: STRING, "
      "inputCubeFiles: " +
      cubes + ", inputOtherFiles: " + cubes +
      ", inputNumCubes: BIGINT NOT NULL, mergedFiles: " + cubes +
      ", numOutputCubes: BIGINT NOT NULL, mergedNumCubes: BIGINT>, clusteringStats: "
      "STRUCT<inputZCubeFiles: " +
      clusters + ", inputOtherFiles: " + clusters +
      ", inputNumZCubes: BIGINT NOT NULL, mergedFiles: " + clusters +
      ", numOutputZCubes: BIGINT NOT NULL>, numBins: BIGINT NOT NULL, numBatches: BIGINT "
      "NOT NULL, totalConsideredFiles: BIGINT NOT NULL, totalFilesSkipped: BIGINT NOT NULL,"
      " preserveInsertionOrder: BOOLEAN NOT NULL, "
      "numFilesSkippedToReduceWriteAmplification: BIGINT NOT NULL, "
      "numBytesSkippedToReduceWriteAmplification: BIGINT NOT NULL, startTimeMs: BIGINT NOT "
      "NULL, endTimeMs: BIGINT NOT NULL, totalClusterParallelism: BIGINT NOT NULL, "
      "totalScheduledTasks: BIGINT NOT NULL, autoCompactParallelismStats: "
      "STRUCT<maxClusterActiveParallelism: BIGINT, minClusterActiveParallelism: BIGINT, "
      "maxSessionActiveParallelism: BIGINT, minSessionActiveParallelism: BIGINT>, "
      "deletionVectorStats: STRUCT<numDeletionVectorsRemoved: BIGINT NOT NULL, "
      "numDeletionVectorRowsRemoved: BIGINT NOT NULL>, numTableColumns: BIGINT NOT NULL, "
      "numTableColumnsWithStats: BIGINT NOT NULL>");
  return schema;
}

nlohmann::json json_of(const delta::FileSizes& sizes) {
  nlohmann::json out{
      {"avg", sizes.average()}, {"totalFiles", sizes.count}, {"totalSize", sizes.total}};
  if (sizes.count > 0) {
    out["min"] = sizes.min;
    out["max"] = sizes.max;
  }
  return out;
}

nlohmann::json metrics_of(const delta::Optimized& done, const delta::TableInfo& info,
                          std::size_t files) {
  const auto considered = static_cast<std::int64_t>(files);
  const auto width = static_cast<std::int64_t>(info.schema.size());
  return {{"numFilesAdded", done.added.count},
          {"numFilesRemoved", done.removed.count},
          {"filesAdded", json_of(done.added)},
          {"filesRemoved", json_of(done.removed)},
          {"partitionsOptimized", done.partitions},
          {"numBins", done.bins},
          {"numBatches", 1},
          {"totalConsideredFiles", considered},
          {"totalFilesSkipped", considered - done.removed.count},
          {"preserveInsertionOrder", false},
          {"numFilesSkippedToReduceWriteAmplification", 0},
          {"numBytesSkippedToReduceWriteAmplification", 0},
          {"totalClusterParallelism", 0},
          {"totalScheduledTasks", done.bins},
          {"numTableColumns", width},
          {"numTableColumnsWithStats",
           std::min(width, info.number("delta.dataSkippingNumIndexedCols", 32))}};
}

nlohmann::json zorder_stats(const delta::Optimized& done) {
  const nlohmann::json none{{"num", 0}, {"size", 0}};
  const nlohmann::json read{{"num", done.removed.count}, {"size", done.removed.total}};
  return {{"strategyName", "all"}, {"inputCubeFiles", none}, {"inputOtherFiles", read},
          {"inputNumCubes", 0},    {"mergedFiles", read},    {"numOutputCubes", done.partitions}};
}

nlohmann::json json_of(const delta::FileCount& count) {
  return {{"numFiles", count.files}, {"size", count.bytes}};
}

nlohmann::json clustering_stats(const delta::Clustering& clustering) {
  return {{"inputZCubeFiles", json_of(clustering.in_cubes)},
          {"inputOtherFiles", json_of(clustering.others)},
          {"inputNumZCubes", clustering.cubes},
          {"mergedFiles", json_of(clustering.merged)},
          {"numOutputZCubes", clustering.bins.size()}};
}

// By what an OPTIMIZE puts rows in order: one of these, or nothing.
struct RowOrder {
  std::vector<std::string> zorder_by;   // as they are told
  std::vector<std::string> cluster_by;  // of the table
  bool clustered_table = false;         // with CLUSTER BY, maybe of no columns
  std::vector<ColumnPath> columns;      // of either
};

// The path in the schema's spelling.
Result<ColumnPath> zorder_column(const delta::TableInfo& info, const sql::Name& name) {
  const std::string shown = join(name, ".");
  for (const auto& partition : info.metadata.partition_columns) {
    if (equals_ignore_case(partition, shown))
      return Status::error("DELTA_ZORDERING_ON_PARTITION_COLUMN", {{"colName", shown}});
  }
  ColumnPath path;
  const column::Schema* fields = &info.schema;
  for (const auto& part : name) {
    const int index = fields == nullptr ? -1 : column::find_field_ignore_case(*fields, part);
    if (index < 0 && (path.empty() || fields == nullptr))
      return Status::error("DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", {{"columnName", shown}});
    if (index < 0) {
      std::vector<std::string> members;
      for (const auto& field : *fields) members.push_back(quote_identifier(field.name));
      return Status::error("FIELD_NOT_FOUND", {{"fieldName", quote_identifier(part)},
                                               {"fields", join(members, ", ")}});
    }
    const auto& field = (*fields)[static_cast<std::size_t>(index)];
    path.push_back(field.name);
    fields = field.type->kind() == column::TypeKind::struct_ ? &field.type->fields() : nullptr;
  }
  return path;
}

Status check_zorder_statistics(TableChange& table, const std::vector<ColumnPath>& columns) {
  const char* check = "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled";
  const auto& conf = table.session().conf();
  if (equals_ignore_case(conf.find(check).value_or("true"), "false")) return Status::OK();
  std::vector<std::string> without;
  for (const auto& path : columns) {
    if (!delta::has_statistics(table.snapshot().info(), path)) without.push_back(join(path, "."));
  }
  if (without.empty()) return Status::OK();
  return Status::error("DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS",
                       {{"cols", '[' + join(without, ", ") + ']'}, {"zorderColStatKey", check}});
}

Result<RowOrder> order_of(TableChange& table, const sql::Optimize& optimize) {
  RowOrder order;
  if (optimize.purge) return order;
  for (const auto& name : optimize.zorder_by) order.zorder_by.push_back(join(name, "."));
  if (const auto cluster_by = delta::clustering_columns(table.snapshot())) {
    order.clustered_table = true;
    order.cluster_by = *cluster_by;
    if (optimize.where != nullptr) {
      return Status::error("DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
                           {{"predicates", optimize.where_text}});
    }
    if (!order.zorder_by.empty()) {
      return Status::error("DELTA_CLUSTERING_WITH_ZORDER_BY",
                           {{"zOrderBy", join(order.zorder_by, ", ")}});
    }
    for (const auto& column : order.cluster_by) order.columns.push_back(split(column, '.'));
  }
  if (optimize.full && order.cluster_by.empty())
    return Status::error("DELTA_OPTIMIZE_FULL_NOT_SUPPORTED");
  for (const auto& name : optimize.zorder_by) {
    TRY_ASSIGN(auto path, zorder_column(table.snapshot().info(), name));
    order.columns.push_back(std::move(path));
  }
  if (!order.zorder_by.empty()) TRY(check_zorder_statistics(table, order.columns));
  return order;
}

struct Work {
  std::vector<delta::Bin> bins;
  std::optional<delta::Clustering> clustering;
};

delta::FileBounds file_bounds(const RuntimeConf& conf) {
  delta::FileBounds bounds;
  const auto number = [&](const char* name, std::int64_t fallback) {
    const auto text = conf.find(std::string("spark.databricks.delta.optimize.") + name);
    return text ? parse_int64(*text).value_or(fallback) : fallback;
  };
  bounds.min_bytes = number("minFileSize", bounds.min_bytes);
  bounds.max_bytes = number("maxFileSize", bounds.max_bytes);
  return bounds;
}

Result<Work> work_of(TableChange& table, const sql::Optimize& optimize, const RowOrder& order,
                     const std::vector<delta::AddFilePtr>& files) {
  Work work;
  if (optimize.purge) {
    TRY_ASSIGN(work.bins, delta::bins_to_purge(*table.log(), table.snapshot(), files));
  } else if (!order.cluster_by.empty()) {
    work.clustering = delta::files_to_cluster(files, order.cluster_by, optimize.full);
    work.bins = work.clustering->bins;
  } else if (!order.zorder_by.empty()) {
    work.bins = delta::partitions_of(files);
  } else {
    work.bins = delta::bins_of(files, file_bounds(table.session().conf()));
  }
  return work;
}

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const auto& text : texts) quoted.push_back(json_quote(text));
  return '[' + join(quoted, ",") + ']';
}

// The commit's operationParameters.
std::string parameters_of(const sql::Optimize& optimize, const RowOrder& order) {
  const std::vector<std::string> predicates(optimize.where == nullptr ? 0 : 1,
                                            '(' + optimize.where_text + ')');
  const std::string predicate = json_quote(json_list(predicates));
  if (optimize.purge) return fmt::format(R"({{"predicate":{},"applyPurge":true}})", predicate);
  std::string out =
      fmt::format(R"({{"predicate":{},"zOrderBy":{},"clusterBy":{})", predicate,
                  json_quote(json_list(order.zorder_by)), json_quote(json_list(order.cluster_by)));
  if (!order.cluster_by.empty())
    out += fmt::format(R"(,"isFull":{})", optimize.full ? "true" : "false");
  return out + R"(,"auto":false})";
}

delta::Rewriting rewriting_of(TableChange& table, const sql::Optimize& optimize,
                              const RowOrder& order) {
  delta::Rewriting rewriting;
  rewriting.operation = optimize.purge ? "REORG" : "OPTIMIZE";
  rewriting.parameters = parameters_of(optimize, order);
  rewriting.time_zone = table.session().conf().time_zone();
  rewriting.max_bytes = file_bounds(table.session().conf()).max_bytes;
  rewriting.cluster_by = order.cluster_by;
  if (!order.columns.empty()) {
    rewriting.rows = [&table, columns = order.columns](const delta::Bin& bin,
                                                       const delta::TableInfoPtr& info) {
      return sorted_in_space(table.session(), table.context(), *table.log(), info, bin, columns);
    };
  }
  return rewriting;
}

Status not_a_partition_column(const std::string& name, const TableChange& table) {
  return Status::error("DELTA_NON_PARTITION_COLUMN_REFERENCE",
                       {{"columnName", name},
                        {"columnList", join(table.snapshot().metadata().partition_columns, ", ")}});
}

// A column that is not there is no partition column either.
Status not_of_partitions(const Status& status, const TableChange& table) {
  const auto& parameters = status.info().parameters;
  const auto name = parameters.find("objectName");
  if (!status.condition().starts_with("UNRESOLVED_COLUMN") || name == parameters.end())
    return status;
  const auto parts = sql::parse_identifier(name->second);
  return not_a_partition_column(parts.ok() ? join(*parts, ".") : name->second, table);
}

// OPTIMIZE chooses whole partitions.
Status check_partition_condition(const TableChange& table, const plan::Expr& condition) {
  const auto& partitions = table.snapshot().metadata().partition_columns;
  plan::IdSet used;
  plan::add_references(condition, used);
  for (const auto& attribute : table.rows()->output) {
    const bool is_partition = std::ranges::find(partitions, attribute.name) != partitions.end();
    if (is_partition || !used.contains(plan::key_of(attribute.id))) continue;
    return not_a_partition_column(attribute.name, table);
  }
  return Status::OK();
}

// The files that somebody has listed: path, length, isDir, modificationTime (ms).
Result<std::vector<io::FileInfo>> inventory_of(Session& session, const plan::NodePtr& node,
                                               const std::string& table,
                                               const ActionContext& context) {
  const column::Schema wanted = *column::parse_noted_schema(
      "path STRING, length BIGINT, isDir BOOLEAN, modificationTime BIGINT");
  std::vector<NamedExpr> columns;
  for (const auto& field : wanted) {
    const auto found = std::ranges::find_if(node->output, [&](const auto& attribute) {
      return equals_ignore_case(attribute.name, field.name);
    });
    if (found == node->output.end() || *found->type != *field.type) {
      return Status::error("DELTA_INVALID_INVENTORY_SCHEMA",
                           {{"expectedSchema", column::to_ddl(wanted)}});
    }
    columns.push_back({field.name, plan::make_attribute(*found)});
  }
  std::vector<io::FileInfo> out;
  TRY_ASSIGN(const auto rows, session.execute(project(node, columns), context));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  for (const auto& batch : batches) {
    const auto& paths = static_cast<const arrow::StringArray&>(*batch->column(0));
    const auto& sizes = static_cast<const arrow::Int64Array&>(*batch->column(1));
    const auto& folders = static_cast<const arrow::BooleanArray&>(*batch->column(2));
    const auto& times = static_cast<const arrow::Int64Array&>(*batch->column(3));
    for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
      if (paths.IsNull(i) || folders.IsNull(i) || times.IsNull(i)) continue;
      const std::string path = paths.GetString(i);
      io::FileInfo file;
      if (path.starts_with('/') || path.find(":/") != std::string::npos) {
        TRY_ASSIGN(file.path, io::store_path(path));
      } else {
        file.path = io::join_path(table, path);
      }
      file.size = sizes.IsNull(i) ? 0 : sizes.Value(i);
      file.is_directory = folders.Value(i);
      file.modified_us = times.Value(i) * 1000;
      out.push_back(std::move(file));
    }
  }
  return out;
}

}  // namespace

Result<StatementRun::Target> StatementRun::maintained_table(const sql::Name& name,
                                                            const std::string& operation) const {
  TRY_ASSIGN(Target target, target_of(name, operation));
  if (target.is_delta) return target;
  return Status::error("DELTA_ONLY_OPERATION", {{"operation", operation}});
}

StatementRun::Outcome StatementRun::operator()(const sql::Optimize& optimize) {
  return delta::retried([&] { return optimize_once(optimize); });
}

StatementRun::Outcome StatementRun::optimize_once(const sql::Optimize& optimize) {
  const std::string operation = optimize.purge ? "REORG" : "OPTIMIZE";
  TRY_ASSIGN(const Target target, maintained_table(optimize.table, operation));
  TRY_ASSIGN(const auto table,
             TableChange::begin(session_, context_, target.directory, optimize.text));
  TRY_ASSIGN(const auto order, order_of(*table, optimize));
  plan::ExprPtr condition;
  if (optimize.where != nullptr) {
    auto resolved = table->expressions().condition({table->rows()}, *optimize.where);
    if (!resolved.ok()) return not_of_partitions(resolved.status(), *table);
    condition = *std::move(resolved);
    TRY(check_partition_condition(*table, *condition));
  }
  TRY_ASSIGN(const auto files, table->files_where(condition));
  const std::int64_t start_ms = session_.runtime().clock->now_ms();
  TRY_ASSIGN(const auto work, work_of(*table, optimize, order, files));
  TRY_ASSIGN(const auto done,
             delta::rewrite_bins(table->log(), table->snapshot_ptr(), work.bins,
                                 rewriting_of(*table, optimize, order), context_.cancel));
  nlohmann::json row;
  row["path"] = io::to_uri(target.directory);
  row["metrics"] = metrics_of(done, table->snapshot().info(), files.size());
  row["metrics"]["startTimeMs"] = start_ms;
  row["metrics"]["endTimeMs"] = session_.runtime().clock->now_ms();
  if (!order.zorder_by.empty()) row["metrics"]["zOrderStats"] = zorder_stats(done);
  if (work.clustering) row["metrics"]["clusteringStats"] = clustering_stats(*work.clustering);
  TRY_ASSIGN(auto result, rows_of_json(optimize_columns(), {row}));
  return std::optional<CatalogResult>(std::move(result));
}

StatementRun::Outcome StatementRun::operator()(const sql::Vacuum& vacuum) {
  TRY_ASSIGN(const Target target, maintained_table(vacuum.table, "VACUUM"));
  delta::VacuumRequest request;
  if (vacuum.retain_hours) {
    constexpr double far_ms = 1e15;  // longer than anything has been written
    request.retention_ms =
        static_cast<std::int64_t>(std::llround(std::min(*vacuum.retain_hours * hour_ms, far_ms)));
  }
  request.check_retention =
      !equals_ignore_case(session_.conf()
                              .find("spark.databricks.delta.retentionDurationCheck.enabled")
                              .value_or("true"),
                          "false");
  request.dry_run = vacuum.dry_run;
  request.lite = vacuum.lite;
  if (vacuum.query != nullptr) {
    TRY_ASSIGN(const auto node, session_.analyze(*vacuum.query));
    TRY_ASSIGN(request.inventory, inventory_of(session_, node, target.directory, context_));
  }
  TRY_ASSIGN(const auto done,
             delta::vacuum_table(warehouse_.store(), target.directory, request, context_.cancel));
  warn_of_vacuum(session_.runtime(), target.directory, done.cutoff_ms);
  ResultTable table;
  table.column("path");
  if (!vacuum.dry_run) {
    table.row({text(io::to_uri(target.directory))});
    return finish(table);
  }
  constexpr std::size_t shown_max = 1000;
  for (std::size_t i = 0; i < std::min(done.files.size(), shown_max); ++i) {
    table.row({text(io::to_uri(done.files[i]))});
  }
  return finish(table);
}

}  // namespace millstream::session
