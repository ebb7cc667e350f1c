// SHOW and DESCRIBE.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "column/timestamp_meaning.h"
#include "delta/alter.h"
#include "delta/log.h"
#include "delta/snapshot.h"
#include "delta/table.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "plan/text.h"
#include "session/json_rows.h"
#include "session/kept_functions.h"
#include "session/statement_run.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

namespace {

using Json = nlohmann::json;

// The comment that a column's metadata keeps; NULL: none.
Cell comment_of(const column::Field& field) {
  const auto metadata = Json::parse(field.metadata, nullptr, false);
  if (!metadata.is_object() || !metadata.contains("comment")) return null();
  return text(metadata["comment"].get<std::string>());
}

// "[a=1,b=2]"
std::string bracketed(const std::map<std::string, std::string>& properties) {
  std::vector<std::string> out;
  for (const auto& [key, value] : properties) out.push_back(key + "=" + value);
  return "[" + join(out, ",") + "]";
}

// What Spark shows of a Delta table: its configuration and its protocol.
std::map<std::string, std::string> properties_of(const delta::Snapshot& snapshot) {
  auto properties = snapshot.metadata().configuration;
  properties["delta.minReaderVersion"] = std::to_string(snapshot.protocol().min_reader);
  properties["delta.minWriterVersion"] = std::to_string(snapshot.protocol().min_writer);
  return properties;
}

ResultTable description_table() {
  ResultTable table;
  table.column("col_name", CellType::text, false, "name of the column")
      .column("data_type", CellType::text, false, "data type of the column")
      .column("comment", CellType::text, true, "comment of the column");
  return table;
}

}  // namespace

// --- SHOW
// -----------------------------------------------------------------------------------------------------------

// SHOW TABLES and SHOW VIEWS: the database's, then the session's temporary views.
StatementRun::Outcome StatementRun::show_relations(const sql::Show& show) {
  const bool views_only = show.kind == sql::ShowKind::views;
  ResultTable table;
  table.column("namespace", CellType::text, false)
      .column(views_only ? "viewName" : "tableName", CellType::text, false)
      .column("isTemporary", CellType::flag, false);
  const auto shown = [&](const std::string& name) {
    return !show.filtered || matches_pattern(show.pattern, name);
  };
  TRY_ASSIGN(const std::string database, database_of(show.in));
  if (database == "global_temp") {
    for (const auto& name : session_.runtime().global_views->names()) {
      if (shown(name)) table.row({text(database), text(name), flag(true)});
    }
  } else {
    TRY(require_database(database));
    TRY_ASSIGN(auto names, warehouse_.views(database));
    if (!views_only) {
      TRY_ASSIGN(const auto tables, warehouse_.tables(database));
      names.insert(names.end(), tables.begin(), tables.end());
    }
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
      if (shown(name)) table.row({text(database), text(name), flag(false)});
    }
  }
  for (const auto& name : session_.views().names()) {
    if (shown(name)) table.row({text(""), text(name), flag(true)});
  }
  return finish(table);
}

StatementRun::Outcome StatementRun::show_columns(const sql::Show& show) {
  SessionResolver resolver(session_);
  auto node = resolver.named_table(show.in, Options(), false);
  if (!node.ok()) {
    return node.status().is("TABLE_OR_VIEW_NOT_FOUND") ? session_.relation_not_found(show.in)
                                                       : node.status();
  }
  const bool temporary = is_view(show.in);
  ResultTable table;
  table.column("col_name", CellType::text, !temporary);
  for (const auto& field : plan::schema_of(**node)) table.row({text(field.name)});
  return finish(table);
}

// SHOW TBLPROPERTIES t [('key')]
StatementRun::Outcome StatementRun::show_properties(const sql::Show& show) {
  std::map<std::string, std::string> properties;
  std::string shown = join(show.in, ".");
  if (is_view(show.in)) return finish(ResultTable());
  const auto name = session_.table_name(show.in);
  if (!name.ok()) return session_.relation_not_found(show.in);
  TRY_ASSIGN(const auto entry, warehouse_.entry(*name));
  if (entry && (entry->view || entry->provider != "delta")) {
    properties = entry->properties;
    shown = "spark_catalog." + name->database + "." + name->table;
  } else {
    TRY_ASSIGN(const Target target, target_of(show.in, "SHOW TBLPROPERTIES"));
    TRY_ASSIGN(const auto table, delta::DeltaTable::open(warehouse_.store(), target.directory));
    properties = properties_of(table->snapshot());
    shown = target.shown;
  }
  ResultTable table;
  table.column("key", CellType::text, false).column("value", CellType::text, false);
  if (show.filtered) {
    const auto found = properties.find(show.pattern);
    table.row({text(show.pattern),
               text(found == properties.end()
                        ? "Table " + shown + " does not have property: " + show.pattern
                        : found->second)});
    return finish(table);
  }
  for (const auto& [key, value] : properties) table.row({text(key), text(value)});
  return finish(table);
}

namespace {

// The rows of those partitions alone. Names are compared with their case, as delta-spark does it.
Status only_partitions(const sql::PartitionSpec& spec, const std::vector<std::string>& columns,
                       spark::connect::Relation* rows) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : spec) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) unknown.push_back(name);
    spark::connect::Relation input;
    input.Swap(rows);
    auto* filter = rows->mutable_filter();
    filter->mutable_input()->Swap(&input);
    auto* same = filter->mutable_condition()->mutable_unresolved_function();
    same->set_function_name("<=>");
    same->add_arguments()->mutable_unresolved_attribute()->set_unparsed_identifier(
        quote_identifier(name));
    *same->add_arguments() = *value;
  }
  if (unknown.empty()) return Status::OK();
  return Status::error("DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_COLUMN",
                       {{"badCols", "[" + join(unknown, ", ") + "]"}});
}

}  // namespace

// The partitions that have rows: of a Delta table as columns, of others as "p=1/q=x".
StatementRun::Outcome StatementRun::show_partitions(const sql::Show& show) {
  TRY_ASSIGN(const Target target, target_of(show.in, "SHOW PARTITIONS"));
  TRY_ASSIGN(const auto columns, partition_columns(show.in));
  if (columns.empty()) {
    if (target.is_delta) {
      return Status::error("DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE",
                           {{"tableName", target.shown}});
    }
    return Status::error("INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY",
                         {{"name", target.name->quoted()}});
  }
  if (!target.is_delta && !target.entry->schema.empty()) {
    TRY_ASSIGN(const auto known, file_partitions(show.partition, target));
    ResultTable table;
    table.column("partition", CellType::text, false);
    for (const auto& partition : known) table.row({text(partition)});
    return finish(table);
  }
  spark::connect::Relation read;
  auto* project = read.mutable_deduplicate()->mutable_input()->mutable_project();
  read.mutable_deduplicate()->set_all_columns_as_keys(true);
  project->mutable_input()->mutable_read()->mutable_named_table()->set_unparsed_identifier(
      quote_identifiers(show.in));
  TRY(only_partitions(show.partition, columns, project->mutable_input()));
  const bool names = show.kind == sql::ShowKind::partition_names || !target.is_delta;
  std::vector<std::string> parts;
  for (const auto& column : columns) {
    const std::string quoted = quote_identifier(column);
    parts.push_back(
        fmt::format("concat('{}=', coalesce(CAST({} AS STRING), '__HIVE_DEFAULT_PARTITION__'))",
                    column, quoted));
    if (!names) {
      project->add_expressions()->mutable_unresolved_attribute()->set_unparsed_identifier(quoted);
    }
  }
  if (names) {
    project->add_expressions()->mutable_expression_string()->set_expression(
        "concat_ws('/', " + join(parts, ", ") + ") AS partition");
    decltype(read) unsorted;
    unsorted.Swap(&read);
    read.mutable_sort()->set_is_global(true);
    read.mutable_sort()->mutable_input()->Swap(&unsorted);
    read.mutable_sort()
        ->add_order()
        ->mutable_child()
        ->mutable_unresolved_attribute()
        ->set_unparsed_identifier("partition");
  }
  TRY_ASSIGN(const auto node, session_.analyze(read));
  TRY_ASSIGN(const auto rows, session_.execute(node, context_));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  CatalogResult result;
  result.schema = plan::schema_of(*node);
  TRY_ASSIGN(result.rows, concatenated(result.schema, batches));
  return std::optional<CatalogResult>(std::move(result));
}

namespace {

std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\\';
    out += c;
  }
  return out + "'";
}

// OPTIONS and TBLPROPERTIES: "WORD (\n  'a' = 'b')\n"; nothing where there are none.
std::string listed(const char* word, const std::map<std::string, std::string>& values) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : values)
    parts.push_back("  " + single_quoted(key) + " = " + single_quoted(value));
  return parts.empty() ? "" : fmt::format("{} (\n{})\n", word, join(parts, ",\n"));
}

std::string column_ddl(const column::Field& field) {
  const auto metadata = nlohmann::json::parse(field.metadata, nullptr, false);
  const auto said = [&](const char* key) {
    return metadata.is_object() ? metadata.value(key, std::string()) : std::string();
  };
  std::string out = "  " + field.name + " " + field.type->sql();
  if (field.type->is_string()) out += " COLLATE UTF8_BINARY";
  if (const auto value = said("CURRENT_DEFAULT"); !value.empty()) out += " DEFAULT " + value;
  if (const auto comment = said("comment"); !comment.empty())
    out += " COMMENT " + single_quoted(comment);
  return out;
}

}  // namespace

StatementRun::Outcome StatementRun::show_of_table(const sql::Show& show) {
  if (is_view(show.in)) {
    return Status::error(
        "EXPECT_PERMANENT_VIEW_NOT_TEMP",
        {{"viewName", quote_identifiers(show.in)}, {"operation", "SHOW CREATE TABLE"}});
  }
  const auto name = session_.table_name(show.in);
  if (!name.ok()) return session_.relation_not_found(show.in);
  TRY_ASSIGN(const auto entry, warehouse_.entry(*name));
  if (!entry || (!entry->view && entry->provider == "delta")) {
    TRY(target_of(show.in, "SHOW CREATE TABLE").status());
    return Status::error("DELTA_OPERATION_NOT_ALLOWED", {{"operation", "SHOW CREATE TABLE"}});
  }
  ResultTable table;
  table.column("createtab_stmt", CellType::text, false);
  std::vector<std::string> columns;
  std::string sql;
  if (entry->view) {
    for (std::size_t i = 0; i < entry->columns.size(); ++i) {
      const bool commented =
          i < entry->column_comments.size() && !entry->column_comments[i].empty();
      columns.push_back("  " + entry->columns[i] +
                        (commented ? " COMMENT '" + entry->column_comments[i] + "'" : ""));
    }
    sql = fmt::format("CREATE VIEW {}.{} (\n{})\n", name->database, name->table,
                      join(columns, ",\n"));
    if (!entry->comment.empty()) sql += "COMMENT '" + entry->comment + "'\n";
    sql += "WITH SCHEMA COMPENSATION\nAS " + entry->text + "\n";
  } else {
    TRY_ASSIGN(const auto schema, column::schema_from_text(entry->schema));
    for (const auto& field : schema) columns.push_back(column_ddl(field));
    sql = fmt::format("CREATE TABLE spark_catalog.{}.{} (\n{})\nUSING {}\n", name->database,
                      name->table, join(columns, ",\n"), entry->provider);
    sql += listed("OPTIONS", entry->options);
    if (!entry->partition_by.empty()) {
      sql += "PARTITIONED BY (" + join(entry->partition_by, ", ") + ")\n";
    }
    if (!entry->comment.empty()) sql += "COMMENT " + single_quoted(entry->comment) + "\n";
    if (entry->external) sql += "LOCATION '" + io::to_uri(entry->location) + "'\n";
    sql += listed("TBLPROPERTIES", entry->properties);
  }
  table.row({text(sql)});
  return finish(table);
}

StatementRun::Outcome StatementRun::operator()(const sql::Show& show) {
  const auto shown = [&](const std::string& name) {
    return !show.filtered || matches_pattern(show.pattern, name);
  };
  ResultTable table;
  switch (show.kind) {
    case sql::ShowKind::tables:
    case sql::ShowKind::views:
      return show_relations(show);
    case sql::ShowKind::columns:
      return show_columns(show);
    case sql::ShowKind::create_table:
      return show_of_table(show);
    case sql::ShowKind::properties:
      return show_properties(show);
    case sql::ShowKind::partitions:
    case sql::ShowKind::partition_names:
      return show_partitions(show);
    case sql::ShowKind::table_extended:
      return show_table_extended(show);
    case sql::ShowKind::current_namespace:
      table.column("catalog", CellType::text, false).column("namespace", CellType::text, false);
      table.row({text("spark_catalog"), text(session_.current_database())});
      break;
    case sql::ShowKind::databases: {
      table.column("namespace", CellType::text, false);
      TRY_ASSIGN(const auto names, warehouse_.databases());
      for (const auto& name : names) {
        if (shown(name)) table.row({text(name)});
      }
      break;
    }
    case sql::ShowKind::functions:
    case sql::ShowKind::user_functions: {
      table.column("function", CellType::text, false);
      auto names = session_.objects().functions();
      TRY_ASSIGN(const std::string database, database_of(show.in));
      TRY_ASSIGN(const auto kept, kept_functions(warehouse_, database));
      if (show.kind == sql::ShowKind::functions) {
        const auto builtin = functions::names();
        names.insert(names.end(), builtin.begin(), builtin.end());
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
      }
      for (const auto& name : names) {
        if (shown(name)) table.row({text(name)});
      }
      for (const auto& name : kept) {
        if (shown(name)) table.row({text("spark_catalog." + database + "." + name)});
      }
      break;
    }
    case sql::ShowKind::catalogs:
      table.column("catalog", CellType::text, false);
      if (shown("spark_catalog")) table.row({text("spark_catalog")});
      break;
  }
  return finish(table);
}

// --- DESCRIBE
// -------------------------------------------------------------------------------------------------------

Result<std::vector<std::string>> StatementRun::partition_columns(const sql::Name& name) const {
  if (name.empty() || is_view(name)) return std::vector<std::string>();
  const auto target = target_of(name, "DESCRIBE");
  if (!target.ok()) return std::vector<std::string>();
  if (!target->is_delta) return target->entry->partition_by;
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(warehouse_.store(), target->directory));
  return table->partition_columns();
}

namespace {

// What DESCRIBE FUNCTION says of a function written in SQL: keys, and values one below the other.
std::vector<std::string> function_lines(const plan::SqlFunction& function, const std::string& name,
                                        bool more) {
  std::vector<std::pair<std::string, std::string>> pairs = {
      {"Function:", name}, {"Type:", function.table ? "TABLE" : "SCALAR"}};
  std::size_t width = 0;
  for (const auto& parameter : function.parameters)
    width = std::max(width, parameter.name.size() + 1 + parameter.type->sql().size());
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const auto& parameter = function.parameters[i];
    pairs.emplace_back(i == 0 ? "Input:" : "",
                       fmt::format("{:<{}}", parameter.name + " " + parameter.type->sql(), width));
  }
  if (function.parameters.empty()) pairs.emplace_back("Input:", "()");
  if (function.returns != nullptr) pairs.emplace_back("Returns:", function.returns->sql());
  if (more) {
    if (!function.comment.empty()) pairs.emplace_back("Comment:", function.comment);
    pairs.emplace_back("Body:", function.body);
  }
  std::size_t indent = 0;
  for (const auto& [key, value] : pairs) indent = std::max(indent, key.size());
  std::vector<std::string> lines;
  for (const auto& [key, value] : pairs)
    lines.push_back(fmt::format("{:<{}} {}", key, indent, value));
  return lines;
}

}  // namespace

StatementRun::Outcome StatementRun::operator()(const sql::Describe& describe) {
  switch (describe.kind) {
    case sql::DescribeKind::history:
      return describe_history(describe);
    case sql::DescribeKind::detail:
      return describe_detail(describe);
    case sql::DescribeKind::database:
      return describe_database(describe);
    case sql::DescribeKind::function: {
      const std::string name = to_lower(describe.table.back());
      const auto written =
          SessionResolver(session_).sql_function(quote_identifiers(describe.table));
      if (written == nullptr && !functions::exists(name) && name != "case") {
        return Status::error(
            "UNRESOLVED_ROUTINE",
            {{"routineName", quote_identifiers(describe.table)},
             {"searchPath", "[`system`.`builtin`, `system`.`session`, " +
                                quote_identifiers({"spark_catalog", session_.current_database()}) +
                                "]"}});
      }
      ResultTable table;
      table.column("function_desc", CellType::text, false);
      if (written == nullptr) {
        table.row({text("Function: " + name)});
        table.row({text("Usage: N/A.")});
        return finish(table);
      }
      const bool temporary =
          describe.table.size() == 1 && session_.objects().function(name) != nullptr;
      TRY_ASSIGN(const TableName full, session_.table_name(describe.table));
      const std::string shown =
          temporary ? name : "spark_catalog." + full.database + "." + full.table;
      for (const auto& line : function_lines(*written, shown, describe.more))
        table.row({text(line)});
      return finish(table);
    }
    default:
      return describe_relation(describe);
  }
}

StatementRun::Outcome StatementRun::describe_relation(const sql::Describe& describe) {
  plan::NodePtr node;
  if (describe.query != nullptr) {
    TRY_ASSIGN(node, session_.analyze(*describe.query));
  } else {
    SessionResolver resolver(session_);
    auto found = resolver.named_table(describe.table, Options(), false);
    if (!found.ok()) {
      return found.status();
    }
    node = std::move(found).value();
  }
  if (!describe.column.empty()) return describe_column(describe, node);
  ResultTable table = description_table();
  const column::Schema schema = plan::schema_of(*node);
  for (const auto& field : schema) {
    table.row({text(field.name), text(field.type->simple_string()), comment_of(field)});
  }
  TRY_ASSIGN(const auto partitions, partition_columns(describe.table));
  if (!partitions.empty()) {
    table.row({text("# Partition Information"), text(""), text("")});
    table.row({text("# col_name"), text("data_type"), text("comment")});
    for (const auto& field : schema) {
      const bool partition =
          std::any_of(partitions.begin(), partitions.end(),
                      [&](const auto& name) { return equals_ignore_case(name, field.name); });
      if (!partition) continue;
      table.row({text(field.name), text(field.type->simple_string()), comment_of(field)});
    }
  }
  if (describe.kind == sql::DescribeKind::extended) TRY(describe_extended(describe, table));
  return finish(table);
}

StatementRun::Outcome StatementRun::describe_column(const sql::Describe& describe,
                                                    const plan::NodePtr& node) {
  const column::Schema schema = plan::schema_of(*node);
  const int index = column::find_field_ignore_case(schema, describe.column[0]);
  if (describe.column.size() > 1) {
    return Status::unsupported("DESCRIBE of the nested column {} is not supported",
                               join(describe.column, "."));
  }
  if (index < 0) return plan::unresolved_column(describe.column, node->output);
  const column::Field& field = schema[static_cast<std::size_t>(index)];
  const Cell comment = comment_of(field);
  ResultTable table;
  table.column("info_name", CellType::text, false, "name of the column info")
      .column("info_value", CellType::text, false, "value of the column info");
  table.row({text("col_name"), text(field.name)});
  table.row({text("data_type"), text(field.type->simple_string())});
  table.row({text("comment"), text(comment.text.value_or("NULL"))});
  return finish(table);
}

Status StatementRun::describe_extended(const sql::Describe& describe, ResultTable& table) {
  if (describe.query != nullptr || is_view(describe.table)) return Status::OK();
  const auto row = [&](const std::string& name, const std::string& value) {
    table.row({text(name), text(value), text("")});
  };
  const auto name = session_.table_name(describe.table);
  std::optional<Entry> entry;
  if (name.ok()) {
    TRY_ASSIGN(entry, warehouse_.entry(*name));
  }
  row("", "");
  row(entry && entry->view ? "# Detailed View Information" : "# Detailed Table Information", "");
  if (name.ok() && describe.table.back().find('/') == std::string::npos) {
    row("Catalog", "spark_catalog");
    row("Namespace", name->database);
    row("Database", name->database);
    row(entry && entry->view ? "View" : "Table", name->table);
  }
  if (entry && entry->view) {
    if (!entry->comment.empty()) row("Comment", entry->comment);
    row("Type", "VIEW");
    row("View Text", entry->text);
    row("View Catalog and Namespace", "spark_catalog." + entry->database);
    row("Table Properties", bracketed(entry->properties));
    return Status::OK();
  }
  TRY_ASSIGN(const Target target, target_of(describe.table, "DESCRIBE"));
  std::string comment = entry ? entry->comment : "";
  std::map<std::string, std::string> properties =
      entry ? entry->properties : std::map<std::string, std::string>();
  if (target.is_delta) {
    TRY_ASSIGN(const auto delta, delta::DeltaTable::open(warehouse_.store(), target.directory));
    comment = delta->snapshot().metadata().description.value_or("");
    properties = properties_of(delta->snapshot());
  }
  const bool external = (entry && entry->external) || !target.name;
  if (!comment.empty()) row("Comment", comment);
  row("Type", external ? "EXTERNAL" : "MANAGED");
  row("Location", io::to_uri(target.directory));
  row("Provider", target.is_delta ? "delta" : entry->provider);
  if (!external) row("Is_managed_location", "true");
  row("Table Properties", bracketed(properties));
  return Status::OK();
}

StatementRun::Outcome StatementRun::describe_database(const sql::Describe& describe) {
  TRY_ASSIGN(const std::string name, database_of(describe.table));
  TRY(require_database(name));
  TRY_ASSIGN(const DatabaseInfo info, warehouse_.database_info(name));
  ResultTable table;
  table.column("info_name", CellType::text, false, "name of the namespace info")
      .column("info_value", CellType::text, false, "value of the namespace info");
  table.row({text("Catalog Name"), text("spark_catalog")});
  table.row({text("Namespace Name"), text(name)});
  table.row({text("Comment"), text(info.comment)});
  table.row({text("Location"), text(io::to_uri(warehouse_.database_directory(name)))});
  table.row({text("Owner"), text(session_.user_id())});
  if (!describe.column.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [key, value] : info.properties) pairs.push_back("(" + key + "," + value + ")");
    table.row({text("Properties"), text(pairs.empty() ? "" : "(" + join(pairs, ", ") + ")")});
  }
  return finish(table);
}

// --- Delta
// ----------------------------------------------------------------------------------------------------------

// The commits that are left, newest first, as their commitInfo says.
StatementRun::Outcome StatementRun::describe_history(const sql::Describe& describe) {
  TRY_ASSIGN(const Target target, target_of(describe.table, "DESCRIBE HISTORY"));
  if (!target.is_delta) {
    return Status::error("DELTA_ONLY_OPERATION", {{"operation", "DESCRIBE HISTORY"}});
  }
  const auto log = delta::Log::shared(warehouse_.store(), target.directory);
  TRY(log->latest().status());
  TRY_ASSIGN(const auto commits, log->commit_times());
  std::vector<Json> rows;
  for (auto commit = commits.rbegin(); commit != commits.rend(); ++commit) {
    if (describe.limit && static_cast<std::int64_t>(rows.size()) >= *describe.limit) break;
    TRY_ASSIGN(const auto actions, log->read_commit(commit->version));
    Json row = Json::object();
    for (const auto& action : actions) {
      const auto* info = std::get_if<delta::CommitInfo>(&action);
      if (info == nullptr) continue;
      Json parsed = Json::parse(info->json, nullptr, false);
      if (parsed.is_object()) row = std::move(parsed);
    }
    // Parameters that are no texts are shown as they are written.
    if (row.contains("operationParameters") && row["operationParameters"].is_object()) {
      for (auto& [key, value] : row["operationParameters"].items()) {
        if (!value.is_string() && !value.is_null()) value = value.dump();
      }
    }
    row["version"] = commit->version;
    row["timestamp"] = commit->time_ms * 1000;
    rows.push_back(std::move(row));
  }
  static const column::Schema schema = *column::parse_noted_schema(
      "version BIGINT, timestamp TIMESTAMP, userId STRING, userName STRING, operation STRING, "
      "operationParameters MAP<STRING, STRING>, job STRUCT<jobId: STRING, jobName: STRING, "
      "jobRunId: STRING, runId: STRING, jobOwnerId: STRING, triggerType: STRING>, notebook "
      "STRUCT<notebookId: STRING>, clusterId STRING, readVersion BIGINT, isolationLevel STRING, "
      "isBlindAppend BOOLEAN, operationMetrics MAP<STRING, STRING>, userMetadata STRING, "
      "engineInfo STRING");
  TRY_ASSIGN(auto result, rows_of_json(schema, rows));
  return std::optional<CatalogResult>(std::move(result));
}

StatementRun::Outcome StatementRun::describe_detail(const sql::Describe& describe) {
  TRY_ASSIGN(const Target target, target_of(describe.table, "DESCRIBE DETAIL"));
  if (!target.is_delta) {
    return Status::error("DELTA_ONLY_OPERATION", {{"operation", "DESCRIBE DETAIL"}});
  }
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(warehouse_.store(), target.directory));
  const delta::Snapshot& snapshot = table->snapshot();
  const auto log = delta::Log::shared(warehouse_.store(), target.directory);
  TRY_ASSIGN(const std::int64_t modified_ms, log->file_time_ms(snapshot.version()));
  std::int64_t bytes = 0;
  snapshot.files().for_each([&](const auto& file) { bytes += file->size; });
  const delta::Metadata& metadata = snapshot.metadata();
  const delta::Protocol& protocol = snapshot.protocol();
  std::vector<std::string> features;
  if (protocol.writer_features) features = *protocol.writer_features;
  if (features.empty()) {
    features = {"appendOnly", "invariants"};
    if (protocol.min_writer >= 3) features.insert(features.end(), {"checkConstraints"});
    if (protocol.min_writer >= 4)
      features.insert(features.end(), {"changeDataFeed", "generatedColumns"});
    if (protocol.min_writer >= 5) features.insert(features.end(), {"columnMapping"});
  }
  Json row{{"format", "delta"},
           {"id", metadata.id},
           {"location", io::to_uri(target.directory)},
           {"partitionColumns", metadata.partition_columns},
           {"clusteringColumns",
            delta::clustering_columns(snapshot).value_or(std::vector<std::string>())},
           {"numFiles", static_cast<std::int64_t>(snapshot.files().size())},
           {"sizeInBytes", bytes},
           {"properties", metadata.configuration},
           {"minReaderVersion", protocol.min_reader},
           {"minWriterVersion", protocol.min_writer},
           {"tableFeatures", features}};
  if (target.name) row["name"] = target.shown;
  if (metadata.description) row["description"] = *metadata.description;
  if (metadata.created_time) row["createdAt"] = *metadata.created_time * 1000;
  if (modified_ms > 0) row["lastModified"] = modified_ms * 1000;
  static const column::Schema schema = *column::parse_noted_schema(
      "format STRING, id STRING, name STRING, description STRING, location STRING, createdAt "
      "TIMESTAMP, lastModified TIMESTAMP, partitionColumns ARRAY<STRING>, clusteringColumns "
      "ARRAY<STRING>, numFiles BIGINT, sizeInBytes BIGINT, properties MAP<STRING, STRING>, "
      "minReaderVersion INT, minWriterVersion INT, tableFeatures ARRAY<STRING>");
  TRY_ASSIGN(auto result, rows_of_json(schema, {row}));
  return std::optional<CatalogResult>(std::move(result));
}

}  // namespace millstream::session
