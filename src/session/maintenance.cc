// OPTIMIZE and VACUUM of Delta tables.
#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "column/timestamp_meaning.h"
#include "delta/optimize.h"
#include "delta/vacuum.h"
#include "plan/tree.h"
#include "session/json_rows.h"
#include "session/statement_run.h"
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
        TRY_ASSIGN(file.path, io::local_path(path));
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
  const std::string operation = optimize.purge ? "REORG" : "OPTIMIZE";
  TRY_ASSIGN(const Target target, maintained_table(optimize.table, operation));
  TRY_ASSIGN(const auto table,
             TableChange::begin(session_, context_, target.directory, optimize.text));
  if (!optimize.zorder_by.empty()) {
    return Status::unsupported("OPTIMIZE … ZORDER BY is not supported by Millstream yet");
  }
  plan::ExprPtr condition;
  if (optimize.where != nullptr) {
    auto resolved = table->expressions().condition({table->rows()}, *optimize.where);
    if (!resolved.ok()) return not_of_partitions(resolved.status(), *table);
    condition = *std::move(resolved);
    TRY(check_partition_condition(*table, *condition));
  }
  TRY_ASSIGN(const auto files, table->files_where(condition));
  const std::string predicate =
      condition == nullptr ? "[]" : '[' + json_quote('(' + optimize.where_text + ')') + ']';
  const std::int64_t start_ms = session_.runtime().clock->now_ms();
  auto bins = delta::bins_of(files);
  if (optimize.purge) {
    TRY_ASSIGN(bins, delta::bins_to_purge(*table->log(), table->snapshot(), files));
  }
  const char* more =
      optimize.purge ? R"("applyPurge":true)" : R"("zOrderBy":"[]","clusterBy":"[]","auto":false)";
  TRY_ASSIGN(
      const auto done,
      delta::rewrite_bins(table->log(), table->snapshot_ptr(), bins, operation,
                          fmt::format(R"({{"predicate":{},{}}})", json_quote(predicate), more),
                          session_.conf().time_zone(), context_.cancel));
  nlohmann::json row;
  row["path"] = io::to_uri(target.directory);
  const auto width = static_cast<std::int64_t>(table->schema().size());
  row["metrics"] = {
      {"numFilesAdded", done.added.count},
      {"numFilesRemoved", done.removed.count},
      {"filesAdded", json_of(done.added)},
      {"filesRemoved", json_of(done.removed)},
      {"partitionsOptimized", done.partitions},
      {"numBins", done.bins},
      {"numBatches", 1},
      {"totalConsideredFiles", files.size()},
      {"totalFilesSkipped", static_cast<std::int64_t>(files.size()) - done.removed.count},
      {"preserveInsertionOrder", false},
      {"numFilesSkippedToReduceWriteAmplification", 0},
      {"numBytesSkippedToReduceWriteAmplification", 0},
      {"startTimeMs", start_ms},
      {"endTimeMs", session_.runtime().clock->now_ms()},
      {"totalClusterParallelism", 0},
      {"totalScheduledTasks", done.bins},
      {"numTableColumns", width},
      {"numTableColumnsWithStats", width}};
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
