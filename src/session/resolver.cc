#include "session/resolver.h"

#include "base/text.h"
#include "connector/formats.h"
#include "delta/table.h"
#include "delta/write.h"
#include "format/file_table.h"
#include "io/store.h"
#include "source/providers.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {
namespace {

// The node with its columns addressable by the view's name (and no longer by the names inside it).
plan::NodePtr qualified(const plan::NodePtr& node, const std::vector<std::string>& qualifier) {
  auto project = std::make_shared<plan::Project>();
  for (plan::Attribute attribute : node->output) {
    if (attribute.hidden) continue;
    attribute.qualifier = qualifier;
    project->exprs.push_back(plan::make_attribute(attribute));
    project->output.push_back(std::move(attribute));
  }
  project->children.push_back(node);
  return project;
}

// Formats that Spark has: the refusal names what Millstream lacks. Any other name is nobody's.
bool is_spark_format(const std::string& format) {
  for (const char* known :
       {"json", "parquet", "text", "csv", "orc", "avro", "xml", "binaryfile", "image", "libsvm",
        "jdbc", "kafka", "socket", "console", "memory", "noop", "hive"}) {
    if (format == known) return true;
  }
  return false;
}

bool is_file_format(const std::string& format) {
  return format == "json" || format == "parquet" || format == "text";
}

}  // namespace

Status check_format(const std::string& format) {
  const std::string lower = to_lower(format);
  if (lower == "delta" || is_spark_format(lower)) return Status::OK();
  return connector::unknown_format(format, "df.write takes delta, parquet, json, text and noop.");
}

plan::AnalyzerSettings analyzer_settings(const RuntimeConf& conf) {
  plan::AnalyzerSettings settings;
  settings.functions.ansi = conf.flag("spark.sql.ansi.enabled");
  settings.functions.time_zone = conf.time_zone();
  settings.case_sensitive = conf.flag("spark.sql.caseSensitive");
  return settings;
}

Result<plan::NodePtr> SessionResolver::view_node(const View& view,
                                                 std::vector<std::string> qualifier) {
  read_other_ = true;
  if (view.table != nullptr) return plan::make_scan(view.table, std::move(qualifier));
  if (view.node != nullptr) return qualified(plan::with_fresh_ids(view.node), qualifier);
  spark::connect::Relation relation;
  CHECK(relation.ParseFromString(view.relation));
  SessionResolver inner(session_, view.database);
  TRY_ASSIGN(const auto node, plan::analyze(relation, inner, analyzer_settings(session_.conf())));
  return qualified(node, qualifier);
}

Result<plan::NodePtr> SessionResolver::delta_node(const std::string& directory,
                                                  const Options& options, bool streaming,
                                                  std::vector<std::string> qualifier) {
  if (streaming) {
    TRY_ASSIGN(auto table, stream_source("delta", "", options, {directory}));
    return plan::make_scan(std::move(table), std::move(qualifier));
  }
  TRY_ASSIGN(auto table, data_source("delta", "", options, {directory}));
  return plan::make_scan(std::move(table), std::move(qualifier));
}

Result<plan::NodePtr> SessionResolver::named_table(const std::vector<std::string>& parts,
                                                   const Options& options, bool streaming) {
  Runtime& runtime = session_.runtime();
  if (parts.size() == 1) {
    if (const auto view = session_.views().find(parts[0])) return view_node(*view, {parts[0]});
  }
  if (parts.size() == 2) {
    const std::string first = to_lower(parts[0]);
    if (first == "global_temp") {
      const auto view = runtime.global_views->find(parts[1]);
      if (!view) return session_.table_not_found(parts);
      return view_node(*view, {"global_temp", parts[1]});
    }
    // "delta.`/path`": the table of a path.
    if (first == "delta" && parts[1].find('/') != std::string::npos) {
      TRY_ASSIGN(const std::string path, io::local_path(parts[1]));
      return delta_node(path, options, streaming, {"delta", parts[1]});
    }
    if (is_file_format(first) && parts[1].find('/') != std::string::npos && !streaming) {
      TRY_ASSIGN(auto table, data_source(first, "", options, {parts[1]}));
      return plan::make_scan(std::move(table), {first, parts[1]});
    }
  }
  auto name = session_.table_name(parts);
  if (name.ok() && parts.size() == 1 && !database_.empty()) name->database = database_;
  if (!name.ok()) return session_.table_not_found(parts);
  TRY_ASSIGN(const bool exists, runtime.warehouse->table_exists(*name));
  if (!exists) return session_.table_not_found(parts);
  return delta_node(runtime.warehouse->table_directory(*name), options, streaming,
                    {"spark_catalog", name->database, name->table});
}

Result<std::shared_ptr<const connector::Table>> SessionResolver::data_source(
    const std::string& given_format, const std::string& schema, const Options& options,
    const std::vector<std::string>& given) {
  const RuntimeConf& conf = session_.conf();
  const std::string format =
      to_lower(given_format.empty() ? conf.value("spark.sql.sources.default") : given_format);
  std::vector<std::string> paths = given;
  if (const std::string* path = options.find("path"); path != nullptr && paths.empty())
    paths.push_back(*path);

  if (format == "delta") {
    if (!schema.empty()) {
      return Status::unsupported(
          "a schema cannot be given for a Delta table: it has its own (format delta, schema {})",
          schema);
    }
    if (paths.size() != 1) {
      return Status::invalid("format delta reads exactly one path, {} were given", paths.size());
    }
    read_delta_ = true;
    TRY_ASSIGN(const std::string directory, io::local_path(paths[0]));
    TRY_ASSIGN(auto read, delta::parse_read_options(options, conf.time_zone()));
    read.case_sensitive = conf.flag("spark.sql.caseSensitive");
    TRY_ASSIGN(auto table, delta::DeltaTable::open(session_.runtime().store, directory, read));
    return std::shared_ptr<const connector::Table>(std::move(table));
  }
  read_other_ = true;
  if (format == "cloudfiles" || format == "rate" || format == "rate-micro-batch") {
    return Status::unsupported(
        "the format {} is a stream: use spark.readStream in place of spark.read", given_format);
  }
  if (!is_spark_format(format)) {
    return connector::unknown_format(
        given_format,
        "spark.read takes delta, parquet, json and text; spark.readStream cloudFiles too.");
  }
  format::FileTableRequest request;
  request.format = format;
  if (!schema.empty()) {
    TRY_ASSIGN(request.schema, column::schema_from_text(schema));
  }
  request.options = options;
  request.paths = std::move(paths);
  request.time_zone = conf.time_zone();
  request.store = session_.runtime().store;
  return format::make_file_table(request);
}

Result<std::shared_ptr<const connector::StreamTable>> SessionResolver::stream_source(
    const std::string& format, const std::string& schema, const Options& options,
    const std::vector<std::string>& paths) {
  read_other_ = true;
  const RuntimeConf& conf = session_.conf();
  source::SourceEnv env;
  env.store = session_.runtime().store;
  env.time_zone = conf.time_zone();
  env.case_sensitive = conf.flag("spark.sql.caseSensitive");
  env.clock = session_.runtime().clock;
  env.conf = conf.effective();
  return source::make_stream_table(
      format.empty() ? conf.value("spark.sql.sources.default") : format, schema, options, paths,
      env);
}

Result<plan::NodePtr> SessionResolver::cached_relation(const std::string& id) {
  read_other_ = true;
  TRY_ASSIGN(const auto node, session_.kept_relation(id));
  return plan::with_fresh_ids(node);
}

Result<std::string> SessionResolver::cached_artifact(const std::string& hash) {
  return session_.artifacts().cached(hash);
}

}  // namespace millstream::session
