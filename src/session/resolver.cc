#include "session/resolver.h"

#include <arrow/scalar.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "connector/formats.h"
#include "delta/table.h"
#include "delta/write.h"
#include "format/file_table.h"
#include "format/xml_options.h"
#include "functions/registry.h"
#include "io/store.h"
#include "plan/time_zone.h"
#include "plan/tree.h"
#include "session/char_columns.h"
#include "session/kept_functions.h"
#include "session/kept_rows.h"
#include "session/text_rows.h"
#include "session/time_travel.h"
#include "session/variables.h"
#include "source/providers.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"
#include "sql/statement.h"

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
  for (const char* known : {"json", "parquet", "orc", "avro", "text", "csv", "xml", "binaryfile"}) {
    if (format == known) return true;
  }
  return false;
}

}  // namespace

Status check_format(const std::string& format) {
  const std::string lower = to_lower(format);
  if (lower == "delta" || is_spark_format(lower)) return Status::OK();
  return connector::unknown_format(
      format, "df.write takes delta, parquet, orc, avro, json, csv, text and noop.");
}

plan::AnalyzerSettings analyzer_settings(const RuntimeConf& conf) {
  plan::AnalyzerSettings settings;
  settings.functions.ansi = conf.flag("spark.sql.ansi.enabled");
  settings.functions.time_zone = conf.time_zone();
  settings.functions.map_keys_last_win =
      to_upper(trim(conf.value("spark.sql.mapKeyDedupPolicy"))) == "LAST_WIN";
  settings.case_sensitive = conf.flag("spark.sql.caseSensitive");
  settings.recursion_levels_max = conf.number("spark.sql.cteRecursionLevelLimit", 100);
  settings.group_by_ordinal = conf.flag("spark.sql.groupByOrdinal");
  settings.order_by_ordinal = conf.flag("spark.sql.orderByOrdinal");
  settings.recursion_rows_max = conf.number("spark.sql.cteRecursionRowLimit", 1'000'000);
  return settings;
}

namespace {

plan::AnalyzerSettings settings_of(const Meaning& meaning, const RuntimeConf& conf) {
  auto settings = analyzer_settings(conf);
  settings.functions.ansi = meaning.ansi;
  settings.functions.time_zone = meaning.time_zone;
  settings.case_sensitive = meaning.case_sensitive;
  return settings;
}

// What a view shows of its query.
struct ViewColumns {
  std::string view;                   // quoted
  const column::Schema* made;         // what the query gave when the view was made; null: not known
  std::vector<std::string> names;     // what its columns are called; empty: as in the query
  std::vector<std::string> comments;  // may be shorter
  std::vector<std::string> qualifier;
  bool case_sensitive = false;
  bool temporary = false;
};

bool same_name(const ViewColumns& view, const std::string& a, const std::string& b) {
  return view.case_sensitive ? a == b : equals_ignore_case(a, b);
}

Status schema_changed(const ViewColumns& view, const std::string& column, std::size_t expected,
                      const std::vector<std::string>& found) {
  return Status::error("INCOMPATIBLE_VIEW_SCHEMA_CHANGE",
                       {{"viewName", view.view},
                        {"colName", column},
                        {"expectedNum", std::to_string(expected)},
                        {"actualCols", "[" + join(found, ",") + "]"},
                        {"suggestion", view.temporary ? "CREATE OR REPLACE TEMPORARY VIEW"
                                                      : "CREATE OR REPLACE VIEW " + view.view}});
}

// A temporary view's column may have become narrower, not wider.
Status check_up_cast(const plan::Attribute& column, const column::TypePtr& to) {
  const column::TypePtr& from = column.type;
  const auto wider = functions::wider_type(from, to, false);
  const bool fits = to->is_string() || (!from->is_string() && wider != nullptr &&
                                        column::same_type_ignoring_nullability(wider, to));
  if (fits) return Status::OK();
  std::vector<std::string> name;
  if (!column.qualifier.empty()) name.push_back(column.qualifier.back());
  name.push_back(column.name);
  return Status::error(
      "CANNOT_UP_CAST_DATATYPE",
      {{"expression", join(name, ".")},
       {"sourceType", "\"" + from->sql() + "\""},
       {"targetType", "\"" + to->sql() + "\""},
       {"details",
        "The type path of the target object is:\n\nYou can either add an explicit cast to the "
        "input "
        "data or choose a higher precision type of the field in the target object"}});
}

// The query's columns that the view was made of, by their names: it may have more today.
Result<std::vector<plan::Attribute>> columns_made(const ViewColumns& view,
                                                  const std::vector<plan::Attribute>& today) {
  std::vector<plan::Attribute> out;
  for (std::size_t i = 0; i < view.made->size(); ++i) {
    const std::string& name = (*view.made)[i].name;
    std::size_t before = 0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < view.made->size(); ++k) {
      if (!same_name(view, (*view.made)[k].name, name)) continue;
      ++count;
      before += k < i ? 1 : 0;
    }
    std::vector<const plan::Attribute*> found;
    std::vector<std::string> names;
    for (const plan::Attribute& attribute : today) {
      if (!same_name(view, attribute.name, name)) continue;
      found.push_back(&attribute);
      names.push_back(attribute.name);
    }
    if (found.size() != count) return schema_changed(view, name, count, names);
    out.push_back(*found[before]);
  }
  return out;
}

Result<plan::NodePtr> shown(const ViewColumns& view, const plan::NodePtr& node) {
  std::vector<plan::Attribute> columns;
  for (const plan::Attribute& attribute : node->output) {
    if (!attribute.hidden) columns.push_back(attribute);
  }
  if (view.made != nullptr) {
    TRY_ASSIGN(columns, columns_made(view, columns));
  }
  if (!view.names.empty() && view.names.size() != columns.size()) {
    return Status::error("ASSIGNMENT_ARITY_MISMATCH",
                         {{"numExpr", std::to_string(view.names.size())},
                          {"numTarget", std::to_string(columns.size())}});
  }
  auto project = std::make_shared<plan::Project>();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    plan::Attribute column = columns[i];
    plan::ExprPtr value = plan::make_attribute(columns[i]);
    column.qualifier = view.qualifier;
    if (view.made != nullptr) column.name = (*view.made)[i].name;
    if (!view.names.empty()) column.name = view.names[i];
    if (i < view.comments.size() && !view.comments[i].empty()) {
      column.metadata = nlohmann::json{{"comment", view.comments[i]}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    if (view.made != nullptr &&
        !column::same_type_ignoring_nullability(column.type, (*view.made)[i].type)) {
      if (view.temporary) TRY(check_up_cast(columns[i], (*view.made)[i].type));
      value = plan::make_cast(value, (*view.made)[i].type, true);
      column.type = value->type;
      column.nullable = value->nullable;
    }
    column.id = plan::next_attribute_id();
    project->exprs.push_back(plan::make_alias(value, column.name, column.id, column.metadata));
    project->output.push_back(std::move(column));
  }
  project->children.push_back(node);
  return plan::NodePtr(project);
}

constexpr std::size_t view_depth_max = 100;

}  // namespace

// What was written under another time zone keeps it.
plan::NodePtr SessionResolver::in_zone_of(const Meaning& meaning, const plan::NodePtr& node) const {
  if (meaning.time_zone == session_.conf().time_zone()) return node;
  return plan::in_time_zone(node, meaning.time_zone);
}

// The views that are read inside each other, with one more.
Result<std::vector<std::string>> SessionResolver::path_to(const std::string& view) const {
  std::vector<std::string> path = view_path_;
  path.push_back(view);
  if (!view_path_.empty() && view == view_path_[0]) {
    return Status::error("RECURSIVE_VIEW", {{"viewIdent", view}, {"newPath", join(path, " -> ")}});
  }
  if (path.size() <= view_depth_max) return path;
  return Status::error("VIEW_EXCEED_MAX_NESTED_DEPTH",
                       {{"viewName", view}, {"maxNestedDepth", std::to_string(view_depth_max)}});
}

Result<plan::NodePtr> SessionResolver::view_node(const View& view,
                                                 std::vector<std::string> qualifier) {
  named_->other = true;
  if (view.table != nullptr) return plan::make_scan(view.table, std::move(qualifier));
  if (view.columns) return text_view(view, std::move(qualifier));
  if (view.node != nullptr)
    return qualified(in_zone_of(view.meaning, plan::with_fresh_ids(view.node)), qualifier);
  spark::connect::Relation relation;
  CHECK(relation.ParseFromString(view.relation));
  const column::TimestampMeaning word(view.meaning.timestamp);
  SessionResolver inner(session_, view.database);
  TRY_ASSIGN(const auto node,
             plan::analyze(relation, inner, settings_of(view.meaning, session_.conf())));
  return qualified(in_zone_of(view.meaning, node), qualifier);
}

// A temporary view of SQL text: today's tables, views and functions, under the settings then.
Result<plan::NodePtr> SessionResolver::text_view(const View& view,
                                                 std::vector<std::string> qualifier) {
  const std::string quoted = quote_identifiers(qualifier);
  TRY_ASSIGN(auto path, path_to(quoted));
  spark::connect::Relation relation;
  CHECK(relation.ParseFromString(view.relation));
  ViewColumns columns{
      quoted, &*view.columns, {}, view.column_comments, qualifier, view.meaning.case_sensitive,
      true};
  spark::connect::Relation query = relation;
  if (relation.has_to_df()) {
    columns.names = {relation.to_df().column_names().begin(),
                     relation.to_df().column_names().end()};
    query = relation.to_df().input();
  }
  const column::TimestampMeaning word(view.meaning.timestamp);
  SessionResolver inner(session_, view.database);
  inner.view_path_ = std::move(path);
  TRY_ASSIGN(const auto node,
             plan::analyze(query, inner, settings_of(view.meaning, session_.conf())));
  TRY_ASSIGN(auto out, shown(columns, node));
  return in_zone_of(view.meaning, out);
}

// The text of a stored view means today's tables, by names as they were looked up when it was made.
Result<plan::NodePtr> SessionResolver::stored_view(const TableName& name, const Entry& entry) {
  TRY_ASSIGN(auto path, path_to(name.quoted()));
  named_->other = true;
  spark::connect::SQL text;
  text.set_query(entry.text);
  spark::connect::Relation query;
  TRY(sql::parse_query(text, &query));
  SessionResolver inner(session_, entry.database);
  inner.view_path_ = std::move(path);
  inner.lasting_ = true;
  const Meaning meaning = entry.meaning.value_or(Meaning::of(session_.conf()));
  const column::TimestampMeaning word(meaning.timestamp);
  auto settings = settings_of(meaning, session_.conf());
  settings.database = entry.database;
  TRY_ASSIGN(const auto node, plan::analyze(query, inner, settings));
  const ViewColumns columns{name.quoted(),
                            entry.query_columns ? &*entry.query_columns : nullptr,
                            entry.columns,
                            entry.column_comments,
                            {"spark_catalog", name.database, name.table},
                            meaning.case_sensitive,
                            false};
  TRY_ASSIGN(auto out, shown(columns, node));
  return in_zone_of(meaning, out);
}

// A table of files that are no Delta table.
Result<plan::NodePtr> SessionResolver::stored_table(const TableName& name, const Entry& entry,
                                                    const Options& options, bool streaming) {
  if (streaming) {
    return Status::unsupported("a stream of the table {}, which is of format {}, is not supported",
                               name.quoted(), entry.provider);
  }
  Options all;
  for (const auto& [key, value] : entry.options) all.set(key, value);
  for (const auto& [key, option] : options.entries()) all.set(option.name, option.value);
  const std::string directory = session_.runtime().warehouse->table_directory(name);
  // Nothing was written yet: the folder may not even be there.
  TRY(session_.runtime().store->make_directories(directory));
  std::string schema = entry.schema;
  std::vector<std::string> paths{directory};
  std::map<std::string, std::string> placed;
  if (entry.partitions) {
    paths.clear();
    for (const auto& partition : *entry.partitions) {
      const auto elsewhere = entry.placed.find(partition);
      const bool own = elsewhere == entry.placed.end();
      const std::string folder = own ? io::join_path(directory, partition) : elsewhere->second;
      TRY_ASSIGN(const bool exists, session_.runtime().store->exists(folder));
      if (!exists) continue;
      paths.push_back(folder);
      placed[folder] = partition;
    }
    all.set("basePath", directory);
    if (paths.empty()) {
      // No file is the table's, whatever lies there.
      paths.push_back(directory);
      all.set("pathGlobFilter", ".millstream-none");
    }
  }
  TRY_ASSIGN(auto table, file_table(entry.provider, schema, all, std::move(paths), placed));
  return with_filled_chars(
      session_, *this,
      plan::make_scan(std::move(table), {"spark_catalog", name.database, name.table}));
}

std::optional<plan::ExprPtr> SessionResolver::variable(const std::vector<std::string>& parts) {
  if (lasting_) return std::nullopt;
  const auto found = find_variable(session_, parts);
  if (!found) return std::nullopt;
  if (named_->variable.empty()) named_->variable = quote_identifiers(parts);
  named_->other = true;
  auto value = std::make_shared<plan::Expr>(*found->value);
  const bool text = found->value->type->is_string() && found->value->pretty != "NULL";
  const bool null = found->value->value == nullptr || !found->value->value->is_valid;
  const std::string shown = null   ? "CAST(NULL AS " + found->value->type->sql() + ")"
                            : text ? "'" + found->value->pretty + "'"
                                   : found->value->pretty;
  value->pretty =
      fmt::format("variablereference(system.session.{}={})", to_lower(parts.back()), shown);
  return plan::ExprPtr(value);
}

std::shared_ptr<const plan::SqlFunction> SessionResolver::sql_function(const std::string& name) {
  if (!lasting_) {
    if (auto temporary = session_.objects().function(name)) {
      // As in Spark, a table function is not looked at.
      const bool counts = !temporary->table && !temporary->name.starts_with(trial_prefix);
      if (named_->function.empty() && counts) named_->function = quote_identifier(temporary->name);
      return temporary;
    }
  }
  const auto parts = sql::parse_identifier(name);
  if (!parts.ok()) return nullptr;
  auto full = session_.table_name(*parts);
  if (!full.ok()) return nullptr;
  if (parts->size() == 1 && !database_.empty()) full->database = database_;
  const auto kept = kept_function(*session_.runtime().warehouse, *full);
  if (!kept.ok()) return nullptr;
  named_->other = named_->other || *kept != nullptr;
  return *kept;
}

// The body of a function that is kept names what is kept; that of a temporary one means what it
// would mean here.
std::unique_ptr<plan::Resolver> SessionResolver::inside(const plan::SqlFunction& function) {
  if (!function.made) return nullptr;
  auto inner = std::make_unique<SessionResolver>(session_, function.made->database);
  inner->lasting_ = function.kept && !function.name.starts_with(trial_prefix);
  inner->view_path_ = view_path_;
  if (!inner->lasting_) inner->named_ = named_;
  return inner;
}

Status SessionResolver::check_lasting(const std::string& kind, const std::string& name) const {
  const auto wrong = [&](const char* what, const std::string& named) {
    return Status::error(
        "INVALID_TEMP_OBJ_REFERENCE",
        {{"obj", kind}, {"objName", name}, {"tempObj", what}, {"tempObjName", named}});
  };
  if (!named_->view.empty()) return wrong("VIEW", named_->view);
  if (!named_->function.empty()) return wrong("FUNCTION", named_->function);
  if (!named_->variable.empty()) return wrong("VARIABLE", named_->variable);
  return Status::OK();
}

namespace {

Status no_time(const char* why, const std::string& text) {
  return Status::error(std::string("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.") + why,
                       {{"expr", "\"" + text + "\""}});
}

// Whether the expression of TIMESTAMP AS OF can be a time.
Status check_time(Session& session, const std::string& text) {
  spark::connect::Relation relation;
  relation.mutable_project()->add_expressions()->mutable_expression_string()->set_expression(text);
  TRY_ASSIGN(const auto node, session.analyze(relation));
  const plan::Attribute& value = node->output[0];
  if (node->output.size() != 1 || node->kind == plan::NodeKind::generate ||
      (!node->children.empty() && node->children[0]->kind == plan::NodeKind::generate))
    return no_time("INPUT", text);
  bool evaluable = node->kind == plan::NodeKind::project;
  bool deterministic = true;
  plan::for_each_expression(*node, [&](const plan::Expr& expr) {
    evaluable = evaluable && !plan::contains(expr, plan::ExprKind::window);
    deterministic = deterministic && plan::is_deterministic(expr);
  });
  if (value.type->kind() == column::TypeKind::boolean ||
      !functions::can_cast(value.type, column::timestamp_type(), true))
    return no_time("INPUT", value.name);
  if (!evaluable) return no_time("UNEVALUABLE", value.name);
  return deterministic ? Status::OK() : no_time("NON_DETERMINISTIC", value.name);
}

// The options with the time that an expression gives, of TIMESTAMP AS OF.
Result<Options> at_time_of(Session& session, const Options& options, const std::string& text) {
  TRY(check_time(session, text));
  const std::string as_text = "CAST(TRY_CAST((" + text + ") AS TIMESTAMP_LTZ) AS STRING)";
  TRY_ASSIGN(const auto when, value_of_text(session, as_text, column::string_type(), {}));
  Options out;
  for (const auto& [name, entry] : options.entries()) {
    if (name != "ms_timestampasof") out.set(entry.name, entry.value);
  }
  if (when->value == nullptr || !when->value->is_valid) {
    return no_time("INPUT", text);
  }
  out.set("timestampAsOf", when->value->ToString());
  return out;
}

}  // namespace

Result<plan::NodePtr> SessionResolver::delta_node(const std::string& directory,
                                                  const Options& options, bool streaming,
                                                  std::vector<std::string> qualifier) {
  if (streaming) {
    TRY_ASSIGN(auto table, stream_source("delta", "", options, {directory}));
    return plan::make_scan(std::move(table), std::move(qualifier));
  }
  TRY_ASSIGN(auto table, data_source("delta", "", options, {directory}));
  return with_filled_chars(session_, *this,
                           plan::make_scan(std::move(table), std::move(qualifier)));
}

Result<plan::NodePtr> SessionResolver::named_table(const std::vector<std::string>& parts,
                                                   const Options& options, bool streaming) {
  Runtime& runtime = session_.runtime();
  if (const std::string* text = options.find("ms_timestampAsOf")) {
    TRY_ASSIGN(const Options dated, at_time_of(session_, options, *text));
    return named_table(parts, dated, streaming);
  }
  if (parts.size() == 1 && !lasting_) {
    if (const auto view = session_.views().find(parts[0])) {
      if (named_->view.empty()) named_->view = quote_identifier(parts[0]);
      return view_node(*view, {parts[0]});
    }
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
      TRY_ASSIGN(const std::string path, io::store_path(parts[1]));
      return delta_node(path, options, streaming, {"delta", parts[1]});
    }
    if (is_file_format(first) && parts[1].find('/') != std::string::npos && !streaming) {
      TRY_ASSIGN(auto table, data_source(first, "", options, {parts[1]}));
      return plan::make_scan(std::move(table), {first, parts[1]});
    }
  }
  auto name = session_.table_name(parts);
  if (name.ok() && parts.size() == 1 && !database_.empty()) name->database = database_;
  if (!name.ok() && parts.size() > 3) {
    return Status::error(
        "REQUIRES_SINGLE_PART_NAMESPACE",
        {{"sessionCatalog", "spark_catalog"}, {"identifier", quote_identifiers(parts)}});
  }
  if (!name.ok()) return session_.table_not_found(parts);
  TRY_ASSIGN(const auto entry, runtime.warehouse->entry(*name));
  if (entry && entry->view) return stored_view(*name, *entry);
  if (entry && entry->provider != "delta") return stored_table(*name, *entry, options, streaming);
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
    named_->delta = true;
    TRY_ASSIGN(std::string directory, io::store_path(paths[0]));
    TRY_ASSIGN(auto read, delta::parse_read_options(options, conf.time_zone()));
    const auto& store = session_.runtime().store;
    TRY(take_version_of_path(conf, *store, &directory, &read));
    read.case_sensitive = conf.flag("spark.sql.caseSensitive");
    if (read.changes) {
      read.changes->beyond_is_empty =
          conf.find("spark.databricks.delta.changeDataFeed.timestampOutOfRange.enabled") == "true";
    }
    TRY_ASSIGN(auto table, delta::open_table(store, directory, read));
    if (read.version_as_of || read.timestamp_as_of) {
      const auto& version = static_cast<const delta::DeltaTable&>(*table);
      TRY(check_within_retention(conf, store, directory, version.snapshot()));
    }
    return table;
  }
  named_->other = true;
  if (format == "cloudfiles" || format == "rate" || format == "rate-micro-batch") {
    return Status::unsupported(
        "the format {} is a stream: use spark.readStream in place of spark.read", given_format);
  }
  if (!is_spark_format(format)) {
    return connector::unknown_format(given_format,
                                     "spark.read takes delta, parquet, orc, avro, json, csv, text "
                                     "and binaryFile; spark.readStream "
                                     "cloudFiles too.");
  }
  return file_table(format, schema, options, std::move(paths), {});
}

Result<std::shared_ptr<const connector::Table>> SessionResolver::file_table(
    const std::string& format, const std::string& schema, const Options& options,
    std::vector<std::string> paths, const std::map<std::string, std::string>& placed) {
  named_->other = true;
  format::FileTableRequest request;
  request.format = format;
  request.placed = placed;
  if (!schema.empty()) {
    TRY_ASSIGN(request.schema, column::schema_from_text(schema));
  }
  request.options = options;
  request.paths = std::move(paths);
  request.time_zone = session_.conf().time_zone();
  request.store = session_.runtime().store;
  return format::make_file_table(request);
}

Result<std::shared_ptr<const connector::StreamTable>> SessionResolver::stream_source(
    const std::string& format, const std::string& schema, const Options& options,
    const std::vector<std::string>& paths) {
  named_->other = true;
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
  named_->other = true;
  TRY_ASSIGN(const auto node, session_.kept_relation(id));
  return plan::with_fresh_ids(node);
}

Result<std::vector<connector::RecordBatchPtr>> SessionResolver::rows_of(const plan::NodePtr& node) {
  // The plan's columns follow from these rows: it must not be resolved to others later.
  named_->other = true;
  TRY_ASSIGN(const auto rows, session_.execute(node, {}));
  return connector::collect(rows);
}

std::shared_ptr<const connector::Table> SessionResolver::cached_rows(
    const spark::connect::Relation& relation, const plan::NodePtr& node) {
  return session_.storage_levels().rows(relation, node, [&](const plan::NodePtr& plan) {
    return std::make_shared<const CachedRows>(session_.runtime(), session_.conf().time_zone(),
                                              plan);
  });
}

Result<std::shared_ptr<const connector::Table>> SessionResolver::parsed_texts(
    const std::string& format, const std::string& schema, const Options& options,
    const plan::NodePtr& texts) {
  TRY_ASSIGN(const auto rows, session_.execute(texts, {}));
  const bool xml = format == "xml";
  TRY_ASSIGN(auto file, TextRows::write(rows, session_.runtime().temporary_directory,
                                        format == "json" ? "{}"
                                        : xml            ? "<null/>"
                                                         : "",
                                        xml ? format::xml_text_end : '\n'));
  Options given = options;
  if (xml) given.set(std::string(format::xml_texts_option), "true");
  TRY_ASSIGN(auto table, data_source(format, schema, given, {file->path()}));
  return std::shared_ptr<const connector::Table>(
      std::make_shared<TextRowsTable>(std::move(table), std::move(file)));
}

Result<std::string> SessionResolver::cached_artifact(const std::string& hash) {
  return session_.artifacts().cached(hash);
}

}  // namespace millstream::session
