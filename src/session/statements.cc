#include "session/statements.h"

#include "base/text.h"
#include "column/time_types.h"
#include "delta/alter.h"
#include "plan/analyzer.h"
#include "session/insert.h"
#include "session/session_texts.h"
#include "session/statement_run.h"
#include "session/time_travel.h"
#include "session/writes.h"
#include "spark/connect/commands.pb.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

// The database of SHOW … IN, USE: `db` or `spark_catalog.db`.
Result<std::string> StatementRun::database_of(const sql::Name& name) const {
  if (name.empty()) return session_.current_database();
  if (name.size() == 1) return to_lower(name[0]);
  if (name.size() == 2 && equals_ignore_case(name[0], "spark_catalog")) return to_lower(name[1]);
  return Status::error("REQUIRES_SINGLE_PART_NAMESPACE", {{"sessionCatalog", "`spark_catalog`"},
                                                          {"identifier", quote_identifiers(name)}});
}

Status StatementRun::require_database(const std::string& name) const {
  TRY_ASSIGN(const bool exists, warehouse_.database_exists(name));
  if (exists) return Status::OK();
  return Status::error("SCHEMA_NOT_FOUND",
                       {{"schemaName", quote_identifiers({"spark_catalog", name})}});
}

// As Spark says it of statements, whose names are made whole first.
Status StatementRun::not_found(const sql::Name& parts) const {
  const auto name = session_.table_name(parts);
  return Status::error(
      "TABLE_OR_VIEW_NOT_FOUND",
      {{"relationName", name.ok() ? name->quoted() : quote_identifiers(parts)},
       {"searchPath",
        "[" + quote_identifiers({"spark_catalog", session_.current_database()}) + "]"}});
}

bool StatementRun::is_view(const sql::Name& name) const {
  if (name.size() == 1) return session_.views().find(name[0]).has_value();
  return name.size() == 2 && equals_ignore_case(name[0], "global_temp") &&
         session_.runtime().global_views->find(name[1]).has_value();
}

StatementRun::Outcome StatementRun::operator()(const sql::Insert& insert) {
  TRY(insert_rows(session_, insert, context_));
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::MultiInsert& all) {
  // Nothing is written where one of them means nothing.
  for (const auto& insert : all.inserts) TRY(check_insert(session_, insert, context_));
  for (const auto& insert : all.inserts) TRY(insert_rows(session_, insert, context_));
  return nothing();
}

Status StatementRun::view_expected_table(const sql::Name& name,
                                         const std::string& operation) const {
  return Status::error("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
                       {{"viewName", quote_identifiers(name)}, {"operation", operation}});
}

Result<StatementRun::Target> StatementRun::target_of(const sql::Name& name,
                                                     const std::string& operation) const {
  Target target;
  if (name.size() == 2 && equals_ignore_case(name[0], "delta") &&
      name[1].find('/') != std::string::npos) {
    TRY_ASSIGN(target.directory, io::store_path(name[1]));
    TRY_ASSIGN(const bool exists, delta::is_delta_table(warehouse_.store(), target.directory));
    if (!exists) TRY(refuse_version_of_path(*warehouse_.store(), target.directory));
    if (!exists) return session_.relation_not_found(name);
    target.shown = "delta.`" + target.directory + "`";
    return target;
  }
  if (is_view(name)) return view_expected_table(name, operation);
  const auto table = session_.table_name(name);
  if (!table.ok()) return session_.relation_not_found(name);
  target.name = *table;
  TRY_ASSIGN(target.entry, warehouse_.entry(*table));
  if (target.entry && target.entry->view) {
    return view_expected_table({"spark_catalog", table->database, table->table}, operation);
  }
  TRY_ASSIGN(const bool exists, warehouse_.table_exists(*table));
  if (!exists) return session_.relation_not_found(name);
  target.directory = warehouse_.table_directory(*table);
  target.shown = "spark_catalog." + table->database + "." + table->table;
  target.is_delta = !target.entry || target.entry->provider == "delta";
  return target;
}

StatementRun::Outcome StatementRun::operator()(const sql::InsertDirectory& insert) {
  if (equals_ignore_case(insert.provider, "delta")) {
    return Status::error("DELTA_OPERATION_NOT_ALLOWED",
                         {{"operation", "INSERT OVERWRITE DIRECTORY"}});
  }
  spark::connect::WriteOperation write;
  write.mutable_input()->CopyFrom(*insert.query);
  write.set_source(insert.provider);
  write.set_mode(spark::connect::WriteOperation::SAVE_MODE_OVERWRITE);
  if (!insert.path.empty()) write.set_path(insert.path);
  for (const auto& [key, value] : insert.options) (*write.mutable_options())[key] = value;
  TRY(run_write(session_, write, context_));
  return nothing();
}

namespace {

Status wrong_object(const TableName& name, const char* operation, const char* alternative,
                    const char* required, const char* found) {
  return Status::error("WRONG_COMMAND_FOR_OBJECT_TYPE",
                       {{"operation", operation},
                        {"requiredType", required},
                        {"objectName", "spark_catalog." + name.database + "." + name.table},
                        {"foundType", found},
                        {"alternative", alternative}});
}

}  // namespace

Status StatementRun::drop_view(const sql::Drop& drop) {
  if (is_view(drop.name)) {
    Views& views = drop.name.size() == 1 ? session_.views() : *session_.runtime().global_views;
    views.drop(drop.name.back());
    return Status::OK();
  }
  const auto name = session_.table_name(drop.name);
  if (!name.ok()) return drop.if_exists ? Status::OK() : name.status();
  TRY_ASSIGN(const auto entry, warehouse_.entry(*name));
  if (entry && entry->view) return warehouse_.drop_entry(*name);
  TRY_ASSIGN(const bool is_table, warehouse_.table_exists(*name));
  if (is_table) {
    return wrong_object(*name, "DROP VIEW", "DROP TABLE", "VIEW or METRIC_VIEW",
                        entry && entry->external ? "EXTERNAL" : "MANAGED");
  }
  return drop.if_exists ? Status::OK() : not_found(drop.name);
}

Status StatementRun::drop_table(const sql::Drop& drop) {
  if (is_view(drop.name)) return drop_view(drop);
  const auto name = session_.table_name(drop.name);
  if (!name.ok()) return drop.if_exists ? Status::OK() : name.status();
  TRY_ASSIGN(const auto entry, warehouse_.entry(*name));
  if (entry && entry->view) {
    return wrong_object(*name, "DROP TABLE", "DROP VIEW", "EXTERNAL or MANAGED", "VIEW");
  }
  TRY_ASSIGN(const bool exists, warehouse_.table_exists(*name));
  if (exists || entry) return warehouse_.drop_table(*name);
  return drop.if_exists ? Status::OK() : not_found(drop.name);
}

StatementRun::Outcome StatementRun::operator()(const sql::Drop& drop) {
  switch (drop.kind) {
    case sql::ObjectKind::view:
      TRY(drop_view(drop));
      break;
    case sql::ObjectKind::table:
      TRY(drop_table(drop));
      break;
    case sql::ObjectKind::database: {
      TRY_ASSIGN(const std::string name, database_of(drop.name));
      TRY(warehouse_.drop_database(name, drop.if_exists, drop.cascade));
      break;
    }
    case sql::ObjectKind::function:
      TRY(drop_function(drop));
      break;
    case sql::ObjectKind::variable:
      if (!session_.objects().drop_variable(drop.name.back()) && !drop.if_exists) {
        return Status::error(
            "VARIABLE_NOT_FOUND",
            {{"variableName", quote_identifiers({"system", "session", drop.name.back()})}});
      }
      break;
  }
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::Truncate& truncate) {
  TRY_ASSIGN(const Target target, target_of(truncate.table, "TRUNCATE TABLE"));
  if (target.is_delta) {
    if (!truncate.partition.empty())
      return Status::error("DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED");
    TRY(delta::truncate_table(warehouse_.store(), target.directory).status());
    return nothing();
  }
  TRY(truncate_files(target, truncate.partition));
  return nothing();
}

// Nothing is planned by statistics that are computed beforehand; Delta's files have theirs.
StatementRun::Outcome StatementRun::operator()(const sql::Analyze& analyze) {
  if (analyze.table.empty()) return nothing();
  TRY_ASSIGN(const Target target, target_of(analyze.table, "ANALYZE TABLE"));
  if (!target.is_delta) return nothing();
  return Status::error("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", {{"cmd", "ANALYZE TABLE"}});
}

// SET -v: every setting that is known. What each is for stands in Spark's documentation.
StatementRun::Outcome StatementRun::show_settings() const {
  ResultTable table;
  for (const char* column : {"key", "value", "meaning", "Since version"})
    table.column(column, CellType::text, false);
  for (const auto& [key, value] : session_.conf().effective())
    table.row({text(key), text(value), text(""), text("")});
  return finish(table);
}

StatementRun::Outcome StatementRun::operator()(const sql::Set& set) {
  ResultTable table;
  table.column("key", CellType::text, false).column("value", CellType::text, false);
  if (set.verbose) return show_settings();
  if (set.key.empty()) {
    for (const auto& [key, value] : session_.conf().explicitly_set()) {
      table.row({text(key), text(value)});
    }
    return finish(table);
  }
  if (set.has_value) {
    const bool local = set.key == "spark.sql.session.timeZone" && set.value == "LOCAL";
    const std::string value = local ? machine_time_zone() : set.value;
    TRY(session_.conf().set(set.key, value));
    table.row({text(set.key), text(value)});
    return finish(table);
  }
  table.row({text(set.key), text(session_.conf().find(set.key).value_or("<undefined>"))});
  return finish(table);
}

StatementRun::Outcome StatementRun::operator()(const sql::Reset& reset) {
  if (!reset.key.empty()) {
    TRY(session_.conf().unset(reset.key));
    return nothing();
  }
  for (const auto& [key, value] : session_.conf().explicitly_set()) {
    TRY(session_.conf().unset(key));
  }
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::Use& use) {
  if (use.name.size() == 1 && equals_ignore_case(use.name[0], "spark_catalog")) {
    if (!use.catalog) session_.set_current_database("default");
    return nothing();
  }
  if (use.catalog) {
    return Status::error("CATALOG_NOT_FOUND",
                         {{"catalogName", quote_identifier(use.name.back())},
                          {"config", "\"spark.sql.catalog." + use.name.back() + "\""}});
  }
  if (use.name.size() > 1 && !equals_ignore_case(use.name[0], "spark_catalog")) {
    sql::Name shown = use.name;
    shown.insert(shown.begin(), "spark_catalog");
    return Status::error("SCHEMA_NOT_FOUND", {{"schemaName", quote_identifiers(shown)}});
  }
  TRY_ASSIGN(const std::string name, database_of(use.name));
  TRY(require_database(name));
  session_.set_current_database(name);
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::Explain& explain) {
  ResultTable table;
  table.column("plan", CellType::text);
  const auto analyzed = session_.analyze(*explain.query);
  const bool plain =
      explain.mode == sql::ExplainMode::simple || explain.mode == sql::ExplainMode::formatted;
  if (!analyzed.ok() && plain) {
    // The error is the plan that is shown.
    table.row({text("Error occurred during query planning: ")});
    table.row({text(analyzed.status().message())});
    return finish(table);
  }
  TRY_ASSIGN(const auto node, analyzed);
  TRY_ASSIGN(const std::string shown, explain_text_(node, explain.mode));
  table.row({text(shown)});
  return finish(table);
}

StatementRun::Outcome StatementRun::operator()(const sql::ListResources&) {
  ResultTable table;
  table.column("Results", CellType::text, false);
  return finish(table);
}

StatementRun::Outcome StatementRun::operator()(const sql::Cache& cache) {
  if (cache.query != nullptr) {
    TRY(session_.create_view(*cache.query, cache.table.back(), false, false));
    return nothing();
  }
  if (cache.table.empty()) return nothing();
  SessionResolver resolver(session_);
  const auto table = resolver.named_table(cache.table, Options(), false);
  if (!table.ok() && !cache.if_exists) return table.status();
  return nothing();
}

Result<std::optional<CatalogResult>> run_statement(Session& session,
                                                   const sql::Statement& statement,
                                                   const ActionContext& context,
                                                   const ExplainText& explain_text) {
  const column::TimestampMeaning word(timestamp_word(session.conf()));
  const column::TimeTypes times(time_types_enabled(session.conf()));
  return std::visit(StatementRun(session, context, explain_text), statement);
}

namespace {

// The query of a statement, null: it has none.
sql::QueryPtr query_of(const sql::Statement& statement) {
  return std::visit(
      [](const auto& one) -> sql::QueryPtr {
        if constexpr (requires { one.query; }) {
          return one.query;
        } else {
          return nullptr;
        }
      },
      statement);
}

}  // namespace

Result<std::optional<CatalogResult>> run_sql(Session& session,
                                             const spark::connect::Relation& relation,
                                             const ActionContext& context,
                                             const ExplainText& explain_text) {
  const bool wrapped = relation.has_with_relations();
  const auto& root = wrapped ? relation.with_relations().root() : relation;
  if (!root.has_sql()) return std::optional<CatalogResult>();
  const SessionTexts texts(session);
  TRY_ASSIGN(const auto statement, sql::parse_statement(root.sql()));
  if (const auto query = query_of(statement); wrapped && query != nullptr) {
    spark::connect::Relation inner;
    inner.Swap(query.get());
    *query = relation;
    query->mutable_with_relations()->mutable_root()->Swap(&inner);
    for (auto& reference : *query->mutable_with_relations()->mutable_references()) {
      // Names for the query, whatever ids the client gave them.
      if (reference.has_subquery_alias()) reference.mutable_common()->clear_plan_id();
    }
  }
  const column::TimestampMeaning word(timestamp_word(session.conf()));
  const column::TimeTypes times(time_types_enabled(session.conf()));
  StatementRun run(session, context, explain_text);
  run.set_arguments(&root.sql());
  return std::visit(run, statement);
}

}  // namespace millstream::session
