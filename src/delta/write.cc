#include "delta/write.h"

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/text.h"
#include "delta/alter.h"
#include "delta/commit_files.h"
#include "delta/features.h"
#include "delta/identity.h"
#include "delta/last_checkpoint.h"
#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/write_plan.h"

namespace millstream::delta {
namespace {

const char* mode_name(SaveMode mode) {
  switch (mode) {
    case SaveMode::append:
      return "Append";
    case SaveMode::overwrite:
      return "Overwrite";
    case SaveMode::error_if_exists:
      return "ErrorIfExists";
    case SaveMode::ignore:
      return "Ignore";
  }
  return "";
}

std::string json_list(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const auto& name : names) quoted.push_back(json_quote(name));
  return '[' + join(quoted, ",") + ']';
}

std::string json_map(const std::map<std::string, std::string>& values) {
  std::vector<std::string> members;
  for (const auto& [key, value] : values)
    members.push_back(json_quote(key) + ':' + json_quote(value));
  return '{' + join(members, ",") + '}';
}

// operationParameters, with the reference's names and habits: lists as text, flags as they are.
std::string parameters_of(const WriteOptions& options, const Metadata& metadata) {
  if (!options.parameters.empty()) return options.parameters;
  if (options.operation != "WRITE") {
    return fmt::format(
        R"({{"partitionBy":{},"clusterBy":"[]","description":{},"isManaged":"false","properties":{}}})",
        json_quote(json_list(metadata.partition_columns)),
        metadata.description ? json_quote(*metadata.description) : "null",
        json_quote(json_map(metadata.configuration)));
  }
  std::string out = fmt::format("{{\"mode\":\"{}\",\"partitionBy\":{}", mode_name(options.mode),
                                json_quote(json_list(options.partition_by)));
  if (options.merge_schema) out += ",\"canMergeSchema\":true";
  if (options.overwrite_schema) out += ",\"canOverwriteSchema\":true";
  return out + '}';
}

Status illegal_txn_version(const std::string& given) {
  return Status::error(
      "DELTA_ILLEGAL_OPTION",
      {{"input", given}, {"name", "txnVersion"}, {"explain", "must be a non-negative integer"}});
}

Status check_txn_options(const WriteOptions& options) {
  if (options.txn_app_id.has_value() != options.txn_version.has_value()) {
    return Status::error(
        "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS",
        {{"reason",
          "Both txnVersion and txnAppId must be specified for idempotent data frame writes"}});
  }
  if (options.txn_version && *options.txn_version < 0)
    return illegal_txn_version(fmt::to_string(*options.txn_version));
  return Status::OK();
}

Result<WriteResult> write(const std::shared_ptr<io::Store>& store, const std::string& table,
                          const connector::Batches& rows, const WriteOptions& options,
                          bool is_empty_table, const CancelToken* cancel) {
  TRY(check_txn_options(options));
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr snapshot, log->latest());
  if (snapshot != nullptr) {
    if (options.mode == SaveMode::error_if_exists) {
      return Status::error("DELTA_PATH_EXISTS", {{"path", io::to_uri(table)}});
    }
    if (options.mode == SaveMode::ignore) return WriteResult{snapshot->version(), true, 0, 0};
    if (options.txn_app_id &&
        snapshot->txn_version(*options.txn_app_id).value_or(-1) >= *options.txn_version) {
      return WriteResult{snapshot->version(), true, 0, 0};
    }
  }

  if (options.read_version && snapshot != nullptr && snapshot->version() != *options.read_version) {
    return Status::error("DELTA_CONCURRENT_APPEND.WITHOUT_HINT",
                         {{"operation", "commit"},
                          {"tableName", table},
                          {"version", fmt::to_string(snapshot->version())},
                          {"docLink", "https://docs.delta.io/latest/concurrency-control.html"}});
  }
  const std::int64_t now = SystemClock().now_ms();
  const bool overwrite = options.mode == SaveMode::overwrite;
  auto properties = options.properties;
  if (options.cluster_by) properties["delta.feature.clustering"] = "supported";
  WriteRequest request{rows.schema,
                       options.partition_by,
                       overwrite,
                       options.merge_schema,
                       options.overwrite_schema,
                       CastRule::merge_types,
                       is_empty_table,
                       std::move(properties),
                       options.comment,
                       options.guard != nullptr,
                       options.columns_computed,
                       options.operation.find("REPLACE") != std::string::npos};
  TRY_ASSIGN(const WritePlan plan, plan_write(snapshot, request, table, now));
  TRY_ASSIGN(const auto numbers, IdentityNumbers::of(*plan.info));
  // What makes a table or takes its place gives all columns, and no numbers.
  connector::Batches numbered = rows;
  if (snapshot != nullptr && !request.replaces_table) {
    TRY_ASSIGN(numbered, numbers->complete(rows));
  }
  TRY_ASSIGN(const auto checked, guarded(options.guard, *plan.info, std::move(numbered)));
  DataWriteOptions data;
  data.compression = options.compression;
  data.max_records_per_file = options.max_records_per_file;
  data.file_per_partition = options.file_per_partition;
  if (optimizes_writes(options.upkeep, *plan.info))
    data.max_bytes_per_file = options.upkeep.optimized_bytes;
  TRY_ASSIGN(const DataFiles files,
             write_data_files(store, table, *plan.info, checked, data, cancel));

  Transaction txn;
  txn.read = snapshot;
  txn.metadata = plan.metadata;
  txn.protocol = plan.protocol;
  if (numbers->are_used()) TRY(note_numbers(*numbers, *plan.info, txn));
  if (options.cluster_by) {
    TRY(check_clustering(*plan.info, *options.cluster_by));
    txn.domains.push_back(clustering_domain(*plan.info, *options.cluster_by));
  }
  if (options.txn_app_id) txn.txn = Txn{*options.txn_app_id, *options.txn_version, now};
  txn.adds = files.adds;
  const bool partitions_only = overwrite && snapshot != nullptr &&
                               options.dynamic_partitions.value_or(false) &&
                               !snapshot->metadata().partition_columns.empty();
  txn.read_whole_table = overwrite && snapshot != nullptr && !partitions_only;
  if (txn.read_whole_table && !options.cluster_by) {
    // The reference takes every overwrite of all rows for a table in another's place.
    if (auto ended = clustering_ended(*snapshot)) txn.domains.push_back(*std::move(ended));
  }
  txn.operation = options.operation;
  txn.parameters = parameters_of(options, plan.info->metadata);
  txn.user_metadata = options.user_metadata;
  const bool removes_nothing = !overwrite || partitions_only;
  if (snapshot != nullptr && removes_nothing && files.adds.empty() && !plan.metadata && !txn.txn) {
    return WriteResult{snapshot->version(), false, 0, 0};  // nothing to be committed
  }
  std::int64_t removed_bytes = 0;
  if (txn.read_whole_table) removed_bytes = remove_all(*snapshot, now, txn);
  if (partitions_only) {
    TRY_ASSIGN(removed_bytes,
               remove_partitions(*snapshot, table, files.adds, options.time_zone, now, txn));
  }
  if (!is_empty_table) {
    txn.metrics.emplace_back("numFiles", fmt::to_string(files.adds.size()));
    if (overwrite && snapshot != nullptr) {
      txn.metrics.emplace_back("numRemovedFiles", fmt::to_string(txn.removes.size()));
      txn.metrics.emplace_back("numRemovedBytes", fmt::to_string(removed_bytes));
    }
    txn.metrics.emplace_back("numOutputRows", fmt::to_string(files.rows));
    txn.metrics.emplace_back("numOutputBytes", fmt::to_string(files.bytes));
  }
  TRY_ASSIGN(const std::int64_t version,
             commit_files(*log, txn, *plan.info, files, options.upkeep, cancel));
  log->wait_for_checkpoints();  // the process of a batch job may end with the write
  return WriteResult{version, false, files.rows, static_cast<std::int64_t>(files.adds.size())};
}

}  // namespace

Result<WriteOptions> parse_write_options(const Options& options, SaveMode mode,
                                         std::vector<std::string> partition_by) {
  WriteOptions out;
  out.mode = mode;
  out.partition_by = std::move(partition_by);
  for (const auto& [name, entry] : options.entries()) {
    if (name == "path") continue;
    if (name == "mergeschema") {
      TRY_ASSIGN(out.merge_schema, options.get_bool(name, false));
    } else if (name == "overwriteschema") {
      TRY_ASSIGN(out.overwrite_schema, options.get_bool(name, false));
    } else if (name == "txnappid") {
      out.txn_app_id = entry.value;
    } else if (name == "txnversion") {
      out.txn_version = parse_int64(entry.value);
      if (!out.txn_version) return illegal_txn_version(entry.value);
    } else if (name == "usermetadata") {
      out.user_metadata = entry.value;
    } else if (name == "maxrecordsperfile") {
      TRY_ASSIGN(out.max_records_per_file, options.get_int(name, 0));
    } else if (name == "compression") {
      out.compression = entry.value;
    } else if (name == "partitionoverwritemode" && (equals_ignore_case(entry.value, "static") ||
                                                    equals_ignore_case(entry.value, "dynamic"))) {
      out.dynamic_partitions = equals_ignore_case(entry.value, "dynamic");
    } else if (name == "replacewhere") {
      out.replace_where = entry.value;
    } else if (name == "optimizewrite") {
      out.upkeep.optimize_write = parse_bool(entry.value);
      if (!out.upkeep.optimize_write) {
        return Status::error("DELTA_ILLEGAL_OPTION", {{"input", entry.value},
                                                      {"name", "optimizeWrite"},
                                                      {"explain", "must be 'true' or 'false'"}});
      }
    } else if (name == "datachange" && equals_ignore_case(entry.value, "true")) {
      continue;
    } else if (name == "partitionoverwritemode" || name == "replaceusing" || name == "replaceon" ||
               name == "datachange") {
      return Status::unsupported(
          "the option {}={} of a Delta write is not supported by Millstream yet", entry.name,
          entry.value);
    } else if (name.starts_with("delta.")) {
      out.properties[entry.name] = entry.value;
    } else {
      return Status::invalid("a Delta write has no option '{}'", entry.name);
    }
  }
  return out;
}

Result<WriteResult> write_table(const std::shared_ptr<io::Store>& store, const std::string& table,
                                const connector::Batches& rows, const WriteOptions& options,
                                const CancelToken* cancel) {
  return write(store, table, rows, options, false, cancel);
}

Result<WriteResult> create_table(const std::shared_ptr<io::Store>& store, const std::string& table,
                                 const column::Schema& schema, const WriteOptions& options) {
  WriteOptions create = options;
  if (create.operation == "WRITE") create.operation = "CREATE TABLE";
  return write(store, table, connector::Batches{schema, {}}, create, true, nullptr);
}

Result<bool> is_delta_table(const std::shared_ptr<io::Store>& store, const std::string& table) {
  // A listing is as long as the log. Most logs have their first commit, the others the one of their
  // last checkpoint.
  const std::string log = io::join_path(table, "_delta_log");
  TRY_ASSIGN(const bool has_first, store->exists(io::join_path(log, commit_name(0))));
  if (has_first) return true;
  if (const auto bytes = store->get(io::join_path(log, "_last_checkpoint")); bytes.ok()) {
    const auto pointer = parse_last_checkpoint(*bytes);
    if (pointer && pointer->version >= 0) {
      TRY_ASSIGN(const bool there,
                 store->exists(io::join_path(log, commit_name(pointer->version))));
      if (there) return true;
    }
  }
  const auto names = store->list_names(log, {});
  if (!names.ok()) {
    if (names.status().is(ErrorKind::file_not_found)) return false;
    return names.status();
  }
  return read_listing(*names).latest >= 0;
}

}  // namespace millstream::delta
