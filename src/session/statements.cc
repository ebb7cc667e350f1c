#include "session/statements.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "delta/table.h"
#include "delta/write.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "session/insert.h"
#include "session/resolver.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {
namespace {

// Runs one statement; a method for each kind.
class StatementRun {
 public:
  StatementRun(Session& session, const ActionContext& context, const ExplainText& explain_text)
      : session_(session),
        warehouse_(*session.runtime().warehouse),
        context_(context),
        explain_text_(explain_text) {}

  using Outcome = Result<std::optional<CatalogResult>>;

  Outcome operator()(const sql::Query&) { return std::optional<CatalogResult>(); }
  Outcome operator()(const sql::CreateView& create);
  Outcome operator()(const sql::CreateTable& create);
  Outcome operator()(const sql::Insert& insert);
  Outcome operator()(const sql::Drop& drop);
  Outcome operator()(const sql::CreateDatabase& create);
  Outcome operator()(const sql::Show& show);
  Outcome operator()(const sql::Describe& describe);
  Outcome operator()(const sql::Set& set);
  Outcome operator()(const sql::Reset& reset);
  Outcome operator()(const sql::Use& use);
  Outcome operator()(const sql::Explain& explain);
  Outcome operator()(const sql::Cache& cache);

 private:
  static Outcome finish(const ResultTable& table) {
    TRY_ASSIGN(auto result, table.finish());
    return std::optional<CatalogResult>(std::move(result));
  }
  static Outcome nothing() { return finish(ResultTable()); }

  Result<std::string> database_of(const sql::Name& name) const;
  Status require_database(const std::string& name) const;
  Status not_found(const sql::Name& parts) const;
  bool is_view(const sql::Name& name) const;
  Status drop_view(const sql::Drop& drop);
  Status drop_table(const sql::Drop& drop);
  Outcome show_relations(const sql::Show& show);
  Outcome show_columns(const sql::Show& show);
  Result<delta::WriteOptions> table_options(const sql::CreateTable& create, bool replaces) const;
  Result<std::vector<std::string>> partition_columns(const sql::Name& table) const;

  Session& session_;
  Warehouse& warehouse_;
  const ActionContext& context_;
  const ExplainText& explain_text_;
};

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

StatementRun::Outcome StatementRun::operator()(const sql::CreateView& create) {
  if (create.query->has_to_df()) {
    TRY_ASSIGN(const auto inner, session_.analyze(create.query->to_df().input()));
    TRY(check_view_columns(create.name.back(), create.query->to_df(), plan::schema_of(*inner)));
  }
  TRY(session_.create_view(*create.query, create.name.back(), create.global, create.replace));
  return nothing();
}

Result<delta::WriteOptions> StatementRun::table_options(const sql::CreateTable& create,
                                                        bool replaces) const {
  const auto mode = replaces ? delta::SaveMode::overwrite : delta::SaveMode::error_if_exists;
  TRY_ASSIGN(auto options, delta::parse_write_options(Options(), mode, create.partition_by));
  options.overwrite_schema = replaces;
  options.properties = create.properties;
  options.comment = create.comment;
  options.operation = create.query != nullptr ? "CREATE TABLE AS SELECT" : "CREATE TABLE";
  if (create.replace) {
    options.operation =
        create.query != nullptr ? "CREATE OR REPLACE TABLE AS SELECT" : "CREATE OR REPLACE TABLE";
  }
  return options;
}

StatementRun::Outcome StatementRun::operator()(const sql::CreateTable& create) {
  if (!create.provider.empty() && !equals_ignore_case(create.provider, "delta")) {
    TRY(check_format(create.provider));
    return Status::unsupported(
        "CREATE TABLE … USING {} is not supported: the tables of the warehouse are Delta tables",
        create.provider);
  }
  TRY_ASSIGN(const std::string directory, insert_directory(session_, create.name));
  TRY_ASSIGN(const bool exists, delta::is_delta_table(session_.runtime().store, directory));
  if (exists && create.if_not_exists) return nothing();
  if (exists && !create.replace) {
    sql::Name shown = create.name;
    if (shown.size() == 1) shown.insert(shown.begin(), session_.current_database());
    return Status::error("TABLE_OR_VIEW_ALREADY_EXISTS",
                         {{"relationName", quote_identifiers(shown)}});
  }
  TRY_ASSIGN(const auto options, table_options(create, exists));
  if (create.query != nullptr) {
    if (!create.columns.empty()) {
      return Status::unsupported("CREATE TABLE with columns and AS is not supported");
    }
    TRY_ASSIGN(const auto node, session_.analyze(*create.query));
    TRY_ASSIGN(const auto rows, session_.execute(node, context_));
    TRY(delta::write_table(session_.runtime().store, directory, rows, options, context_.cancel)
            .status());
    return nothing();
  }
  TRY_ASSIGN(const auto schema, column::parse_schema(create.columns));
  TRY(check_duplicates(schema));
  if (exists) {
    // Replaced by no rows of the new schema.
    const auto none = connector::batches_of(schema, {});
    TRY(delta::write_table(session_.runtime().store, directory, none, options, context_.cancel)
            .status());
    return nothing();
  }
  TRY(delta::create_table(session_.runtime().store, directory, schema, options).status());
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::Insert& insert) {
  TRY(insert_rows(session_, insert, context_));
  return nothing();
}

Status StatementRun::drop_view(const sql::Drop& drop) {
  Views& views = drop.name.size() == 1 ? session_.views() : *session_.runtime().global_views;
  if (is_view(drop.name)) {
    views.drop(drop.name.back());
    return Status::OK();
  }
  return drop.if_exists ? Status::OK() : not_found(drop.name);
}

Status StatementRun::drop_table(const sql::Drop& drop) {
  if (is_view(drop.name)) {
    return Status::unsupported("DROP TABLE of a view: use DROP VIEW {}", join(drop.name, "."));
  }
  const auto name = session_.table_name(drop.name);
  if (!name.ok()) return drop.if_exists ? Status::OK() : name.status();
  TRY_ASSIGN(const bool exists, warehouse_.table_exists(*name));
  if (exists) return warehouse_.drop_table(*name);
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
  }
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::CreateDatabase& create) {
  TRY_ASSIGN(const std::string name, database_of(create.name));
  TRY(warehouse_.create_database(name, create.if_not_exists));
  return nothing();
}

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
  } else if (views_only) {
    TRY(require_database(database));
  } else {
    TRY_ASSIGN(const auto names, warehouse_.tables(database));
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
  if (!node.ok()) return node.status();
  ResultTable table;
  table.column("col_name");
  for (const auto& field : plan::schema_of(**node)) table.row({text(field.name)});
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
    case sql::ShowKind::databases: {
      table.column("namespace", CellType::text, false);
      TRY_ASSIGN(const auto names, warehouse_.databases());
      for (const auto& name : names) {
        if (shown(name)) table.row({text(name)});
      }
      break;
    }
    case sql::ShowKind::functions:
      table.column("function", CellType::text, false);
      for (const auto& name : functions::names()) {
        if (shown(name)) table.row({text(name)});
      }
      break;
    case sql::ShowKind::catalogs:
      table.column("catalog", CellType::text, false);
      if (shown("spark_catalog")) table.row({text("spark_catalog")});
      break;
  }
  return finish(table);
}

Result<std::vector<std::string>> StatementRun::partition_columns(const sql::Name& name) const {
  if (name.empty() || is_view(name)) return std::vector<std::string>();
  const auto directory = insert_directory(session_, name);
  if (!directory.ok()) return std::vector<std::string>();
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(warehouse_.store(), *directory));
  return table->partition_columns();
}

namespace {

// The comment that a column's metadata keeps; NULL: none.
Cell comment_of(const column::Field& field) {
  const auto metadata = nlohmann::json::parse(field.metadata, nullptr, false);
  if (!metadata.is_object() || !metadata.contains("comment")) return null();
  return text(metadata["comment"].get<std::string>());
}

}  // namespace

StatementRun::Outcome StatementRun::operator()(const sql::Describe& describe) {
  plan::NodePtr node;
  if (describe.query != nullptr) {
    TRY_ASSIGN(node, session_.analyze(*describe.query));
  } else {
    SessionResolver resolver(session_);
    TRY_ASSIGN(node, resolver.named_table(describe.table, Options(), false));
  }
  ResultTable table;
  table.column("col_name", CellType::text, false, "name of the column")
      .column("data_type", CellType::text, false, "data type of the column")
      .column("comment", CellType::text, true, "comment of the column");
  const column::Schema schema = plan::schema_of(*node);
  for (const auto& field : schema) {
    table.row({text(field.name), text(field.type->simple_string()), comment_of(field)});
  }
  TRY_ASSIGN(const auto partitions, partition_columns(describe.table));
  if (partitions.empty()) return finish(table);
  table.row({text("# Partition Information"), text(""), text("")});
  table.row({text("# col_name"), text("data_type"), text("comment")});
  for (const auto& field : schema) {
    const bool partition =
        std::find(partitions.begin(), partitions.end(), field.name) != partitions.end();
    if (!partition) continue;
    table.row({text(field.name), text(field.type->simple_string()), comment_of(field)});
  }
  return finish(table);
}

StatementRun::Outcome StatementRun::operator()(const sql::Set& set) {
  ResultTable table;
  table.column("key", CellType::text, false).column("value", CellType::text, false);
  if (set.key.empty()) {
    for (const auto& [key, value] : session_.conf().explicitly_set()) {
      table.row({text(key), text(value)});
    }
    return finish(table);
  }
  if (set.has_value) {
    TRY(session_.conf().set(set.key, set.value));
    table.row({text(set.key), text(set.value)});
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
    session_.set_current_database("default");
    return nothing();
  }
  TRY_ASSIGN(const std::string name, database_of(use.name));
  TRY(require_database(name));
  session_.set_current_database(name);
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::Explain& explain) {
  TRY_ASSIGN(const auto node, session_.analyze(*explain.query));
  ResultTable table;
  table.column("plan", CellType::text, false);
  TRY_ASSIGN(const std::string shown, explain_text_(node, explain.extended));
  table.row({text(shown)});
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

}  // namespace

Result<std::optional<CatalogResult>> run_statement(Session& session,
                                                   const sql::Statement& statement,
                                                   const ActionContext& context,
                                                   const ExplainText& explain_text) {
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
  return run_statement(session, statement, context, explain_text);
}

}  // namespace millstream::session
