#include "session/writes.h"

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "base/text.h"
#include "column/time_types.h"
#include "delta/identity.h"
#include "delta/log.h"
#include "delta/retry.h"
#include "delta/snapshot.h"
#include "delta/table.h"
#include "delta/write.h"
#include "format/file_table.h"
#include "plan/analyzer.h"
#include "session/batch_writes.h"
#include "session/column_rules.h"
#include "session/file_tables.h"
#include "session/insert.h"
#include "session/output_files.h"
#include "session/partition_spec.h"
#include "session/replace_rows.h"
#include "session/resolver.h"
#include "session/row_guard.h"
#include "session/store_assignment.h"
#include "session/upkeep.h"
#include "spark/connect/commands.pb.h"
#include "sql/parser.h"
#include "sql/statement.h"

namespace millstream::session {
namespace {

namespace proto = spark::connect;
using delta::SaveMode;

template <typename Map>
Options options_of(const Map& map) {
  Options options;
  for (const auto& [name, value] : map) options.set(name, value);
  return options;
}

template <typename Repeated>
std::vector<std::string> strings_of(const Repeated& repeated) {
  return {repeated.begin(), repeated.end()};
}

Result<SaveMode> save_mode(proto::WriteOperation::SaveMode mode, SaveMode fallback) {
  switch (mode) {
    case proto::WriteOperation::SAVE_MODE_UNSPECIFIED:
      return fallback;
    case proto::WriteOperation::SAVE_MODE_APPEND:
      return SaveMode::append;
    case proto::WriteOperation::SAVE_MODE_OVERWRITE:
      return SaveMode::overwrite;
    case proto::WriteOperation::SAVE_MODE_ERROR_IF_EXISTS:
      return SaveMode::error_if_exists;
    case proto::WriteOperation::SAVE_MODE_IGNORE:
      return SaveMode::ignore;
    default:
      return Status::invalid("unknown save mode {}", static_cast<int>(mode));
  }
}

Status require_database(Session& session, const TableName& name) {
  TRY_ASSIGN(const bool exists, session.runtime().warehouse->database_exists(name.database));
  if (exists) return Status::OK();
  return Status::error("SCHEMA_NOT_FOUND",
                       {{"schemaName", quote_identifiers({"spark_catalog", name.database})}});
}

Status refuse_streaming(const plan::Node& node, const char* method) {
  if (!plan::is_streaming(node)) return Status::OK();
  return Status::error("CALL_ON_STREAMING_DATASET_UNSUPPORTED", {{"methodName", method}});
}

// A condition as a text, where it was given as one.
std::string text_of(const proto::Expression& condition) {
  return condition.has_expression_string() ? condition.expression_string().expression()
                                           : "condition";
}

// Every file below a directory that readers can see, so that an overwrite can remove what was there
// before.
Status collect_files(io::Store& store, const std::string& directory,
                     std::vector<std::string>* files) {
  TRY_ASSIGN(const auto children, store.list(directory));
  for (const io::FileInfo& child : children) {
    if (io::base_name(child.path) == "_temporary") continue;  // of a write that goes on
    std::error_code error;
    const bool is_link =  // goes itself
        store.is_local(child.path) && std::filesystem::is_symlink(child.path, error);
    if (child.is_directory && !is_link) {
      TRY(collect_files(store, child.path, files));
    } else {
      files->push_back(child.path);
    }
  }
  return Status::OK();
}

}  // namespace

namespace {

constexpr const char* bucket_column = "ms_bucket";

// The rows with the number of their bucket, in the order that the files of buckets have.
Result<plan::NodePtr> in_buckets(Session& session, const plan::NodePtr& node,
                                 const Buckets& buckets,
                                 const std::vector<std::string>& partition_by) {
  proto::Relation out;
  const std::string kept = session.keep_relation(node);
  auto* project = out.mutable_project();
  if (!buckets.sorted_by.empty()) {
    out.mutable_sort()->set_is_global(true);
    project = out.mutable_sort()->mutable_input()->mutable_project();
  }
  project->mutable_input()->mutable_cached_remote_relation()->set_relation_id(kept);
  project->add_expressions()->mutable_unresolved_star();
  std::vector<std::string> columns;
  for (const auto& column : buckets.columns) columns.push_back(quote_identifier(column));
  project->add_expressions()->mutable_expression_string()->set_expression(
      fmt::format("pmod(hash({}), {}) AS {}", join(columns, ", "), buckets.count, bucket_column));
  std::vector<std::string> order = partition_by;
  order.emplace_back(bucket_column);
  order.insert(order.end(), buckets.sorted_by.begin(), buckets.sorted_by.end());
  for (const auto& column : order) {
    if (buckets.sorted_by.empty()) break;
    auto* key = out.mutable_sort()->add_order();
    key->mutable_child()->mutable_unresolved_attribute()->set_unparsed_identifier(
        quote_identifier(column));
    key->set_direction(proto::Expression::SortOrder::SORT_DIRECTION_ASCENDING);
    key->set_null_ordering(proto::Expression::SortOrder::SORT_NULLS_FIRST);
  }
  auto analyzed = session.analyze(out);
  session.forget_relation(kept);
  return analyzed;
}

// The codec of the session where the writer has none.
Options with_codec(const Options& options, const std::string& format, const RuntimeConf& conf) {
  const std::string lower = to_lower(format);
  if (lower != "parquet" && lower != "orc" && lower != "avro") return options;
  for (const char* own : {"compression", "parquet.compression", "orc.compress"}) {
    if (options.has(own)) return options;
  }
  Options out = options;
  out.set("compression", conf.value("spark.sql." + lower + ".compression.codec"));
  return out;
}

}  // namespace

namespace {

// The folder of a file below `root`: "p=1/q=x"; empty: the root itself.
std::string folder_below(const std::string& root, const std::string& file) {
  const std::string folder(io::parent_path(file));
  return folder.size() > root.size() ? folder.substr(root.size() + 1) : std::string();
}

// A file that an overwrite may replace, and the folder of its partition.
struct OldFile {
  std::string path;
  std::string folder;
};

Result<std::vector<OldFile>> old_files(io::Store& store, const std::string& root,
                                       const std::map<std::string, std::string>& placed) {
  std::vector<std::string> files;
  TRY(collect_files(store, root, &files));
  std::vector<OldFile> out;
  for (const auto& file : files) {
    const std::string folder = folder_below(root, file);
    // What lies in a folder of that name is not the partition's, which is elsewhere.
    if (!placed.contains(folder)) out.push_back({file, folder});
  }
  for (const auto& [folder, directory] : placed) {
    files.clear();
    TRY_ASSIGN(const bool exists, store.exists(directory));
    if (exists) TRY(collect_files(store, directory, &files));
    for (const auto& file : files) out.push_back({file, folder});
  }
  return out;
}

}  // namespace

Result<bool> keeps_partitions(const Options& options, const RuntimeConf& conf) {
  const std::string mode =
      options.get("partitionOverwriteMode", conf.value("spark.sql.sources.partitionOverwriteMode"));
  if (equals_ignore_case(mode, "dynamic")) return true;
  if (equals_ignore_case(mode, "static")) return false;
  return Status::invalid("partitionOverwriteMode must be static or dynamic, not {}", mode);
}

Result<std::vector<std::string>> write_files(
    Session& session, const std::string& format, const std::string& path, SaveMode mode,
    const Options& options, std::vector<std::string> partition_by, const plan::NodePtr& node,
    const ActionContext& context, const Buckets& buckets, const std::vector<std::string>& below,
    const std::map<std::string, std::string>& placed) {
  // CSV tells its columns apart by their places.
  if (format != "csv" && !analyzer_settings(session.conf()).case_sensitive)
    TRY(check_duplicates(plan::schema_of(*node)));
  TRY(check_time_types(session.conf(), plan::schema_of(*node)));
  const auto& store = session.runtime().store;
  TRY_ASSIGN(const bool exists, store->exists(path));
  std::vector<OldFile> before;
  if (exists) {
    if (mode == SaveMode::ignore) return std::vector<std::string>();
    if (mode == SaveMode::error_if_exists) {
      return Status::error("PATH_ALREADY_EXISTS", {{"outputPath", io::to_uri(path)}});
    }
    if (mode == SaveMode::overwrite) {
      TRY_ASSIGN(before, old_files(*store, path, placed));
    }
  }
  TRY(note_batch_write(session, *node, path, std::nullopt));
  TRY_ASSIGN(bool dynamic, keeps_partitions(options, session.conf()));
  dynamic = dynamic && below.size() < partition_by.size();
  plan::NodePtr arranged = node;
  format::FileWriteRequest request;
  if (buckets.count > 0) {
    TRY_ASSIGN(arranged, in_buckets(session, node, buckets, partition_by));
    request.bucket_column = bucket_column;
  }
  TRY_ASSIGN(const auto output, execute_for_files(session, arranged, context));
  request.format = format;
  request.directory = path;
  Options own;  // of the format
  for (const auto& [name, entry] : options.entries()) {
    if (name != "partitionoverwritemode") own.set(entry.name, entry.value);
  }
  request.options = with_codec(own, format, session.conf());
  request.partition_by = std::move(partition_by);
  request.placed = placed;
  request.time_zone = session.conf().time_zone();
  request.store = store;
  TRY_ASSIGN(auto written, format::write_files(request, output.rows));
  // Last, so that a failed overwrite leaves the old rows.
  for (const auto& [file, folder] : before) {
    const bool replaced = lies_in(folder, below) &&
                          (!dynamic || std::binary_search(written.partitions.begin(),
                                                          written.partitions.end(), folder));
    if (replaced && io::base_name(file) != "_SUCCESS") TRY(store->remove(file));
  }
  return std::move(written.partitions);
}

Status prepare_delta_write(Session& session, delta::WriteOptions& options) {
  const RuntimeConf& conf = session.conf();
  options.guard = make_row_guard(session.runtime(), analyzer_settings(conf));
  options.time_zone = conf.time_zone();
  const auto optimized = options.upkeep.optimize_write;  // as the write's option says
  TRY_ASSIGN(options.upkeep, session_upkeep(conf));
  options.properties = new_table_properties(conf, std::move(options.properties));
  if (optimized) options.upkeep.optimize_write = optimized;
  if (options.mode == SaveMode::overwrite) {
    const bool said = options.dynamic_partitions.value_or(false);
    const bool dynamic =
        options.dynamic_partitions
            ? said
            : equals_ignore_case(conf.value("spark.sql.sources.partitionOverwriteMode"), "dynamic");
    if (said && !options.replace_where.empty())
      return Status::error("DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE");
    if (said && options.overwrite_schema)
      return Status::error("DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE");
    options.dynamic_partitions =
        dynamic && !options.overwrite_schema && options.replace_where.empty();
  }
  if (options.txn_app_id || options.txn_version) return Status::OK();
  TRY_ASSIGN(const auto txn, session_txn(conf));
  if (!txn) return Status::OK();
  options.txn_app_id = txn->app_id;
  options.txn_version = txn->version;
  return Status::OK();
}

std::optional<delta::Txn> txn_of(const delta::WriteOptions& options) {
  if (!options.txn_app_id || !options.txn_version) return std::nullopt;
  return delta::Txn{*options.txn_app_id, *options.txn_version, SystemClock().now_ms()};
}

Result<std::optional<delta::Txn>> session_txn(const RuntimeConf& conf) {
  const auto app = conf.find("spark.databricks.delta.write.txnAppId");
  const auto version = conf.find("spark.databricks.delta.write.txnVersion");
  if (!app && !version) return std::optional<delta::Txn>();
  const auto number = version ? parse_int64(*version) : std::nullopt;
  if (!app || !number) {
    return Status::error(
        "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS",
        {{"reason",
          "Both spark.databricks.delta.write.txnAppId and "
          "spark.databricks.delta.write.txnVersion must be specified for idempotent Delta "
          "writes"}});
  }
  return std::optional(delta::Txn{*app, *number, SystemClock().now_ms()});
}

namespace {

// The rows with the columns that the table there computes itself.
Result<plan::NodePtr> with_columns(Session& session, const std::string& directory,
                                   const delta::WriteOptions& options, const plan::NodePtr& node,
                                   const ActionContext& context) {
  const bool writes = options.mode == SaveMode::append || options.mode == SaveMode::overwrite;
  if (!writes || options.overwrite_schema) return node;
  TRY_ASSIGN(const bool exists, delta::is_delta_table(session.runtime().store, directory));
  if (!exists) return node;
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(session.runtime().store, directory));
  // As it is stored: with the rules of its columns.
  return complete_rows(session, node, table->snapshot().schema(), context);
}

// An append whose rows get numbers: others that were first have taken them.
Result<bool> numbers_rows(Session& session, const std::string& directory,
                          const delta::WriteOptions& options) {
  if (options.mode != SaveMode::append) return false;
  const auto log = delta::Log::shared(session.runtime().store, directory);
  TRY_ASSIGN(const auto snapshot, log->latest());
  return snapshot != nullptr && std::ranges::any_of(snapshot->schema(), [](const auto& field) {
           return delta::is_identity(field);
         });
}

Status write_delta(Session& session, const std::string& directory, delta::WriteOptions options,
                   const plan::NodePtr& node, const ActionContext& context) {
  TRY(check_time_types(session.conf(), plan::schema_of(*node)));
  TRY(prepare_delta_write(session, options));
  TRY(note_batch_write(session, *node, directory, txn_of(options)));
  const auto& store = session.runtime().store;
  TRY_ASSIGN(const auto completed, with_columns(session, directory, options, node, context));
  options.columns_computed = true;
  if (!options.replace_where.empty() && options.mode == SaveMode::overwrite) {
    TRY_ASSIGN(const bool exists, delta::is_delta_table(store, directory));
    if (exists) {
      proto::Expression where;
      where.mutable_expression_string()->set_expression(options.replace_where);
      return replace_rows(session, {directory, &where, options.replace_where, true}, options,
                          completed, context);
    }
  }
  TRY_ASSIGN(const auto arranged, for_few_files(session, directory, options, completed));
  const auto attempt = [&]() -> Status {
    TRY_ASSIGN(const auto output, execute_for_files(session, arranged, context));
    options.file_per_partition = output.file_per_partition;
    return delta::write_table(store, directory, output.rows, options, context.cancel).status();
  };
  TRY_ASSIGN(const bool numbers, numbers_rows(session, directory, options));
  return numbers ? delta::retried(attempt) : attempt();
}

sql::Insert into(const std::vector<std::string>& table, bool by_name) {
  sql::Insert out;
  out.table = table;
  out.by_name = by_name;
  return out;
}

// insertInto goes by position: the columns take the table's names. More than Delta's table has keep
// theirs.
Result<plan::NodePtr> by_position(const plan::NodePtr& node, const column::Schema& table,
                                  const TableName& name, bool delta) {
  const column::Schema data = plan::schema_of(*node);
  if (data.size() < table.size() || (!delta && data.size() > table.size())) {
    const auto names = [](const column::Schema& schema) {
      std::vector<std::string> quoted;
      for (const auto& field : schema) quoted.push_back(quote_identifier(field.name));
      return join(quoted, ", ");
    };
    if (delta && data.size() < table.size()) {
      return Status::error("DELTA_INSERT_COLUMN_ARITY_MISMATCH",
                           {{"tableName", "spark_catalog." + name.database + "." + name.table},
                            {"columnName", "not enough data columns"},
                            {"numColumns", std::to_string(table.size())},
                            {"insertColumns", std::to_string(data.size())}});
    }
    return Status::error(data.size() < table.size()
                             ? "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
                             : "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
                         {{"tableName", name.quoted()},
                          {"tableColumns", names(table)},
                          {"dataColumns", names(data)}});
  }
  auto project = std::make_shared<plan::Project>();
  std::size_t i = 0;
  for (const plan::Attribute& attribute : node->output) {
    if (attribute.hidden) continue;
    plan::Attribute renamed = attribute;
    if (i < table.size()) renamed.name = table[i++].name;
    renamed.id = plan::next_attribute_id();
    renamed.qualifier.clear();
    project->exprs.push_back(
        plan::make_alias(plan::make_attribute(attribute), renamed.name, renamed.id));
    project->output.push_back(std::move(renamed));
  }
  project->children.push_back(node);
  return plan::NodePtr(project);
}

// df.write.clusterBy: of a table that is made; one that is there keeps its own.
Status put_clustering(Session& session, const proto::WriteOperation& write,
                      const std::string& directory, delta::WriteOptions* options) {
  if (write.clustering_columns_size() == 0) return Status::OK();
  TRY_ASSIGN(const bool exists, delta::is_delta_table(session.runtime().store, directory));
  if (exists && !options->overwrite_schema) return Status::OK();
  options->cluster_by = strings_of(write.clustering_columns());
  return Status::OK();
}

Status check_buckets(const proto::WriteOperation& write) {
  const bool sorted = write.sort_column_names_size() > 0;
  if (sorted && !write.has_bucket_by()) return Status::error("SORT_BY_WITHOUT_BUCKETING");
  if (!write.has_bucket_by()) return Status::OK();
  const bool insert =
      write.has_table() && write.table().save_method() ==
                               proto::WriteOperation::SaveTable::TABLE_SAVE_METHOD_INSERT_INTO;
  if (!write.has_table() || insert) {
    const std::string operation = insert ? "insertInto" : "save";
    return legacy_error(ErrorKind::analysis,
                        sorted ? "_LEGACY_ERROR_TEMP_1313" : "_LEGACY_ERROR_TEMP_1312",
                        {{"operation", operation}},
                        fmt::format("'{}' does not support bucketBy{} right now.", operation,
                                    sorted ? " and sortBy" : ""));
  }
  const std::string format = to_lower(write.source());
  if (format == "delta") {
    return Status::error("DELTA_OPERATION_NOT_ALLOWED", {{"operation", "Bucketing"}});
  }
  const int count = write.bucket_by().num_buckets();
  if (count > 0 && count <= 100'000) return Status::OK();
  return Status::error("INVALID_BUCKET_COUNT",
                       {{"bucketingMaxBuckets", "100000"}, {"numBuckets", std::to_string(count)}});
}

// An overwrite puts a Delta table in the place of one of files, whose rows it may read.
Status replace_file_table(Session& session, const proto::WriteOperation& write,
                          const TableName& name, const plan::NodePtr& node,
                          const ActionContext& context) {
  TRY_ASSIGN(auto options,
             delta::parse_write_options(options_of(write.options()), SaveMode::error_if_exists,
                                        strings_of(write.partitioning_columns())));
  options.operation = "CREATE TABLE AS SELECT";
  TRY_ASSIGN(const auto rows, session.checkpoint(node, true, context));
  Warehouse& warehouse = *session.runtime().warehouse;
  TRY(warehouse.drop_table(name));
  const std::string directory = warehouse.own_directory(name);
  TRY(put_clustering(session, write, directory, &options));
  return write_delta(session, directory, std::move(options), rows, context);
}

bool is_delta_path(const std::vector<std::string>& parts) {
  return parts.size() == 2 && equals_ignore_case(parts[0], "delta") &&
         parts[1].find('/') != std::string::npos;
}

Status write_to_table(Session& session, const proto::WriteOperation& write,
                      const std::string& format, const plan::NodePtr& node,
                      const ActionContext& context) {
  const auto& target = write.table();
  TRY_ASSIGN(const auto parts, sql::parse_identifier(target.table_name()));
  const bool insert =
      target.save_method() == proto::WriteOperation::SaveTable::TABLE_SAVE_METHOD_INSERT_INTO;
  if (is_delta_path(parts)) {
    TRY_ASSIGN(const auto directory, io::store_path(parts[1]));
    TRY_ASSIGN(const auto mode,
               save_mode(write.mode(), insert ? SaveMode::append : SaveMode::error_if_exists));
    plan::NodePtr rows = node;
    if (insert) {
      TRY_ASSIGN(const auto table, delta::DeltaTable::open(session.runtime().store, directory));
      TRY_ASSIGN(rows, by_position(node, table->schema(), {parts[0], parts[1]}, true));
      TRY_ASSIGN(rows, with_stored_types(session, rows, table->schema(), into(parts, false)));
    }
    TRY_ASSIGN(auto options, delta::parse_write_options(options_of(write.options()), mode,
                                                        strings_of(write.partitioning_columns())));
    return write_delta(session, directory, std::move(options), rows, context);
  }
  TRY_ASSIGN(const TableName name, session.table_name(parts));
  TRY(require_database(session, name));
  const std::string directory = session.runtime().warehouse->table_directory(name);
  TRY_ASSIGN(const bool exists, session.runtime().warehouse->table_exists(name));
  TRY_ASSIGN(const auto entry, session.runtime().warehouse->entry(name));
  const bool files = entry && !entry->view && entry->provider != "delta";
  if (!insert) TRY(Warehouse::check_name(name));
  if (insert) {
    if (!exists) return session.table_not_found(parts);
    if (write.partitioning_columns_size() > 0) {
      return Status::plain(ErrorKind::analysis,
                           "insertInto() can't be used together with partitionBy(). Partition "
                           "columns have already been "
                           "defined for the table. It is not necessary to use partitionBy().");
    }
    TRY_ASSIGN(const auto mode, save_mode(write.mode(), SaveMode::append));
    if (files) {
      TRY_ASSIGN(const auto schema, column::schema_from_text(entry->schema));
      TRY_ASSIGN(const auto renamed, by_position(node, schema, name, false));
      return insert_into_file_table(session, name, *entry, mode, renamed, context);
    }
    TRY_ASSIGN(const auto table, delta::DeltaTable::open(session.runtime().store, directory));
    TRY_ASSIGN(const auto renamed, by_position(node, table->schema(), name, true));
    TRY_ASSIGN(const auto stored,
               with_stored_types(session, renamed, table->schema(), into(parts, false)));
    TRY_ASSIGN(auto options, delta::parse_write_options(options_of(write.options()), mode, {}));
    return overflow_in_insert(write_delta(session, directory, std::move(options), stored, context),
                              *stored);
  }
  TRY_ASSIGN(const auto mode, save_mode(write.mode(), SaveMode::error_if_exists));
  if (exists && mode == SaveMode::error_if_exists) {
    return Status::error("TABLE_OR_VIEW_ALREADY_EXISTS",
                         {{"relationName", quote_identifiers({name.database, name.table})}});
  }
  if (exists && mode == SaveMode::ignore) return Status::OK();
  const bool as_files = !format.empty() && format != "delta";
  if (as_files || (files && mode == SaveMode::append)) {
    return save_file_table(session, write, format, name, entry, exists, node, context);
  }
  if (files) return replace_file_table(session, write, name, node, context);
  TRY_ASSIGN(auto options, delta::parse_write_options(options_of(write.options()), mode,
                                                      strings_of(write.partitioning_columns())));
  TRY(put_clustering(session, write, directory, &options));
  if (!exists) options.operation = "CREATE TABLE AS SELECT";
  plan::NodePtr rows = node;
  if (exists && mode == SaveMode::append) {
    TRY_ASSIGN(const auto table, delta::DeltaTable::open(session.runtime().store, directory));
    TRY_ASSIGN(rows, with_stored_types(session, node, table->schema(), into(parts, true)));
  }
  return overflow_in_insert(write_delta(session, directory, std::move(options), rows, context),
                            *rows);
}

// The nearest thing on the way to `path` that exists and is no directory; empty: there is none.
std::string file_in_the_way(io::Store& store, std::string path) {
  for (; path.size() > 1; path = std::string(io::parent_path(path))) {
    if (const auto found = store.stat(path); found.ok())
      return found->is_directory ? std::string() : path;
  }
  return {};
}

Status no_log_path(const std::string& path) {
  return Status::error("DELTA_CANNOT_CREATE_LOG_PATH",
                       {{"path", io::to_uri(io::join_path(path, "_delta_log"))}});
}

bool is_for_delta(const column::DataType& type) {
  using column::TypeKind;
  switch (type.kind()) {
    case TypeKind::time:
    case TypeKind::day_time_interval:
    case TypeKind::year_month_interval:
    case TypeKind::calendar_interval:
      return false;
    default:
      return std::all_of(type.fields().begin(), type.fields().end(),
                         [](const column::Field& field) { return is_for_delta(*field.type); });
  }
}

// Spark asks the source of Delta for its types before Delta does.
Status refuse_types(Session& session, const column::Schema& schema) {
  TRY(check_time_types(session.conf(), schema));
  for (const auto& field : schema) {
    if (is_for_delta(*field.type)) continue;
    return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         {{"format", "org.apache.spark.sql.delta.sources.DeltaDataSource"},
                          {"columnName", quote_identifier(field.name)},
                          {"columnType", "\"" + field.type->sql() + "\""}});
  }
  return Status::OK();
}

// A target that cannot be a directory, as the writers of Spark say it.
Status check_target(io::Store& store, const std::string& format, const std::string& path,
                    SaveMode mode) {
  const std::string file = file_in_the_way(store, path);
  if (file.empty()) return Status::OK();
  if (format == "delta") return no_log_path(path);
  // It exists, which is all that these modes ask.
  if (file == path && (mode == SaveMode::error_if_exists || mode == SaveMode::ignore))
    return Status::OK();
  ErrorInfo error;
  error.kind = ErrorKind::io;
  error.java_class = "org.apache.hadoop.fs.ParentNotDirectoryException";
  error.message = "Parent path is not a directory: " + io::to_uri(file);
  return Status(std::move(error));
}

// What went wrong in a write whose target could not even be made: no permission, no such device.
Status failed_write(io::Store& store, const std::string& format, const std::string& path,
                    const Status& status) {
  if (!status.is(ErrorKind::io) && !status.is(ErrorKind::file_not_found)) return status;
  if (!store.is_local(path)) return status;  // it says what request failed, and why
  if (status.message().find(path) == std::string::npos) return status;  // of the rows' source
  const auto exists = store.exists(path);
  if (exists.ok() && *exists) return status;
  if (format == "delta") return no_log_path(path).with_cause(status);
  return Status::plain(ErrorKind::spark,
                       "cannot write to " + io::to_uri(path) + ": " + status.message())
      .with_cause(status);
}

}  // namespace

Status run_write(Session& session, const proto::WriteOperation& write,
                 const ActionContext& context) {
  TRY(check_buckets(write));
  TRY_ASSIGN(const auto node, session.analyze(write.input()));
  TRY(refuse_streaming(*node, "`write`"));
  Options options = options_of(write.options());
  if (write.with_schema_evolution()) options.set("mergeSchema", "true");
  std::string format = to_lower(write.source());

  if (write.has_table() && write.has_bucket_by() && format.empty()) format = "parquet";
  if (write.has_table()) return write_to_table(session, write, format, node, context);

  if (format.empty()) format = to_lower(session.conf().value("spark.sql.sources.default"));
  TRY(check_format(write.source().empty() ? format : write.source()));
  if (format == "noop") {
    TRY_ASSIGN(const auto rows, session.execute(node, context));
    for (const auto& partition : rows.partitions) {
      TRY_ASSIGN(const auto reader, partition());
      for (;;) {
        TRY_ASSIGN(const auto batch, reader->next());
        if (batch == nullptr) break;
      }
    }
    return Status::OK();
  }
  std::string target = write.path();
  if (target.empty()) target = options.get("path", "");
  if (target.empty()) {
    return Status::invalid(
        "'path' is not specified: call save(path) or set the option path (format {})", format);
  }
  TRY_ASSIGN(const std::string path, io::store_path(target));
  TRY_ASSIGN(const auto mode, save_mode(write.mode(), SaveMode::error_if_exists));
  auto partition_by = strings_of(write.partitioning_columns());
  io::Store& store = *session.runtime().store;
  TRY(check_target(store, format, path, mode));
  if (format == "delta") {
    TRY(refuse_types(session, plan::schema_of(*node)));
    TRY_ASSIGN(auto delta_options,
               delta::parse_write_options(options, mode, std::move(partition_by)));
    TRY(put_clustering(session, write, path, &delta_options));
    const Status done = write_delta(session, path, std::move(delta_options), node, context);
    return failed_write(store, format, path, done);
  }
  const Status done =
      write_files(session, format, path, mode, options, std::move(partition_by), node, context)
          .status();
  return failed_write(store, format, path, done);
}

namespace {

struct V2Target {
  TableName name;
  std::string directory;
  bool exists = false;
};

// Where writeTo goes: a Delta table of the warehouse, or delta.`/path`. Tables of files are left
// alone.
Result<V2Target> v2_target(Session& session, const proto::WriteOperationV2& write,
                           const std::vector<std::string>& parts) {
  V2Target out;
  if (is_delta_path(parts)) {
    out.name = {parts[0], parts[1]};
    TRY_ASSIGN(out.directory, io::store_path(parts[1]));
    TRY_ASSIGN(out.exists, delta::is_delta_table(session.runtime().store, out.directory));
    return out;
  }
  const Warehouse& warehouse = *session.runtime().warehouse;
  TRY_ASSIGN(out.name, session.table_name(parts));
  TRY(require_database(session, out.name));
  TRY(Warehouse::check_name(out.name));
  TRY_ASSIGN(out.exists, warehouse.table_exists(out.name));
  out.directory = warehouse.table_directory(out.name);
  TRY_ASSIGN(const auto entry, warehouse.entry(out.name));
  const bool files = entry && !entry->view && entry->provider != "delta";
  if (!files || write.mode() == proto::WriteOperationV2::MODE_CREATE) return out;
  if (write.mode() == proto::WriteOperationV2::MODE_REPLACE ||
      write.mode() == proto::WriteOperationV2::MODE_CREATE_OR_REPLACE) {
    return Status::error("DELTA_NOT_A_DELTA_TABLE", {{"tableName", out.name.table}});
  }
  const std::string quoted = out.name.quoted();
  return legacy_error(ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1012", {{"identifier", quoted}},
                      fmt::format("Cannot write into v1 table: {}.", quoted));
}

}  // namespace

Status run_write_v2(Session& session, const proto::WriteOperationV2& write,
                    const ActionContext& context) {
  TRY_ASSIGN(auto node, session.analyze(write.input()));
  TRY(refuse_streaming(*node, "`writeTo`"));
  if (!write.provider().empty() && !equals_ignore_case(write.provider(), "delta")) {
    return Status::unsupported(
        "writeTo(...).using(\"{}\") is not supported: the tables of the warehouse are Delta tables",
        write.provider());
  }
  TRY_ASSIGN(const auto parts, sql::parse_identifier(write.table_name()));
  const Status not_found = session.table_not_found(parts);
  TRY_ASSIGN(const auto target, v2_target(session, write, parts));
  const auto& [name, directory, exists] = target;

  std::vector<std::string> partition_by;
  for (const auto& column : write.partitioning_columns()) {
    if (!column.has_unresolved_attribute()) {
      return Status::unsupported(
          "writeTo(...).partitionedBy takes plain columns only; transforms are not supported");
    }
    TRY_ASSIGN(const auto path,
               sql::parse_identifier(column.unresolved_attribute().unparsed_identifier()));
    partition_by.push_back(path.back());
  }
  SaveMode mode = SaveMode::append;
  bool overwrite_schema = false;
  bool some_rows = false;  // overwrite(condition)
  bool partitions = false;
  switch (write.mode()) {
    case proto::WriteOperationV2::MODE_CREATE:
      if (exists)
        return Status::error("TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", name.quoted()}});
      mode = SaveMode::error_if_exists;
      break;
    case proto::WriteOperationV2::MODE_APPEND:
      if (!exists) return not_found;
      break;
    case proto::WriteOperationV2::MODE_REPLACE:
      if (!exists) return not_found;
      [[fallthrough]];
    case proto::WriteOperationV2::MODE_CREATE_OR_REPLACE:
      mode = SaveMode::overwrite;
      overwrite_schema = exists;
      break;
    case proto::WriteOperationV2::MODE_OVERWRITE:
      if (!exists) return not_found;
      some_rows = !(write.overwrite_condition().has_literal() &&
                    write.overwrite_condition().literal().boolean());
      mode = SaveMode::overwrite;
      break;
    case proto::WriteOperationV2::MODE_OVERWRITE_PARTITIONS:
      if (!exists) return not_found;
      partitions = true;
      mode = SaveMode::overwrite;
      break;
    default:
      return Status::invalid("writeTo: unknown mode {}", static_cast<int>(write.mode()));
  }
  TRY_ASSIGN(auto options, delta::parse_write_options(options_of(write.options()), mode,
                                                      std::move(partition_by)));
  options.overwrite_schema = options.overwrite_schema || overwrite_schema;
  if (write.clustering_columns_size() > 0 && (!exists || options.overwrite_schema)) {
    options.cluster_by = strings_of(write.clustering_columns());
  }
  options.merge_schema = options.merge_schema || write.with_schema_evolution();
  for (const auto& [key, value] : write.table_properties()) options.properties[key] = value;
  if (!exists) options.operation = "CREATE TABLE AS SELECT";
  if (overwrite_schema) options.operation = "CREATE OR REPLACE TABLE AS SELECT";
  if (mode == SaveMode::overwrite && !overwrite_schema) options.dynamic_partitions = partitions;
  if (exists && !overwrite_schema) {
    TRY_ASSIGN(const auto table, delta::DeltaTable::open(session.runtime().store, directory));
    TRY_ASSIGN(node, with_stored_types(session, node, table->schema(), into(parts, true)));
  }
  if (some_rows) {
    TRY(prepare_delta_write(session, options));
    const auto& where = write.overwrite_condition();
    TRY_ASSIGN(const auto completed, with_columns(session, directory, options, node, context));
    return overflow_in_insert(replace_rows(session, {directory, &where, text_of(where), true},
                                           options, completed, context),
                              *node);
  }
  return overflow_in_insert(write_delta(session, directory, std::move(options), node, context),
                            *node);
}

}  // namespace millstream::session
