#include "session/catalog.h"

#include <arrow/api.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "column/time_types.h"
#include "delta/snapshot.h"
#include "delta/table.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "session/resolver.h"
#include "session/statements.h"
#include "spark/connect/catalog.pb.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::session {
namespace {

namespace proto = spark::connect;

Result<CatalogResult> value(std::string one) {
  ResultTable table;
  table.column("value", CellType::text, false).row({text(std::move(one))});
  return table.finish();
}

Result<CatalogResult> value(bool one) {
  ResultTable table;
  table.column("value", CellType::flag, false).row({flag(one)});
  return table.finish();
}

// What a call without result gives: no rows.
Result<CatalogResult> nothing() {
  ResultTable table;
  table.column("value");
  return table.finish();
}

template <typename Call>
bool matches(const Call& call, const std::string& name) {
  if (!call.has_pattern()) return true;
  return matches_pattern(call.pattern(), name);
}

class CatalogCall {
 public:
  explicit CatalogCall(Session& session)
      : session_(session), warehouse_(*session.runtime().warehouse) {}

  Result<CatalogResult> run(const proto::Catalog& call);

 private:
  static ResultTable databases_table() {
    ResultTable table;
    table.column("name", CellType::text, false).column("catalog").column("description");
    table.column("locationUri", CellType::text, false);
    return table;
  }
  static ResultTable tables_table() {
    ResultTable table;
    table.column("name", CellType::text, false)
        .column("catalog")
        .column("namespace", CellType::list);
    table.column("description").column("tableType", CellType::text, false);
    table.column("isTemporary", CellType::flag, false);
    return table;
  }
  Status database_row(ResultTable& table, const std::string& name) const {
    TRY_ASSIGN(const DatabaseInfo info, warehouse_.database_info(name));
    table.row({text(name), text("spark_catalog"), text(info.comment),
               text(io::to_uri(warehouse_.database_directory(name)))});
    return Status::OK();
  }
  static void view_row(ResultTable& table, const std::string& name, bool global) {
    table.row({text(name), null(), global ? list({"global_temp"}) : list({}), null(),
               text("TEMPORARY"), flag(true)});
  }
  // A table or a stored view.
  Status table_row(ResultTable& table, const TableName& name) const {
    TRY_ASSIGN(const auto entry, warehouse_.entry(name));
    std::string comment = entry ? entry->comment : "";
    if (!entry || (!entry->view && entry->provider == "delta")) {
      TRY_ASSIGN(const auto delta,
                 delta::DeltaTable::open(warehouse_.store(), warehouse_.table_directory(name)));
      comment = delta->snapshot().metadata().description.value_or("");
    }
    const char* type = entry && entry->view       ? "VIEW"
                       : entry && entry->external ? "EXTERNAL"
                                                  : "MANAGED";
    table.row({text(name.table), text("spark_catalog"), list({name.database}),
               comment.empty() ? null() : text(comment), text(type), flag(false)});
    return Status::OK();
  }
  static ResultTable functions_table() {
    ResultTable table;
    table.column("name", CellType::text, false)
        .column("catalog")
        .column("namespace", CellType::list);
    table.column("description").column("className", CellType::text, false);
    table.column("isTemporary", CellType::flag, false);
    return table;
  }
  // Spark calls the functions that it brings temporary too.
  static void function_row(ResultTable& table, const std::string& name) {
    table.row({text(name), null(), Cell{}, null(), text(""), flag(true)});
  }
  bool function_exists(const std::vector<std::string>& parts) const {
    if (parts.size() != 1) return false;
    return functions::exists(parts[0]) || session_.objects().function(parts[0]) != nullptr;
  }
  // "db" or "spark_catalog.db", in lower case.
  Result<std::string> database_name(const std::string& text) const {
    TRY_ASSIGN(const auto parts, sql::parse_identifier(text));
    const bool whole = parts.size() == 2 && equals_ignore_case(parts[0], "spark_catalog");
    return to_lower(whole ? parts[1] : text);
  }
  Result<CatalogResult> run(sql::Statement statement) {
    TRY(run_statement(session_, statement, ActionContext(), ExplainText()).status());
    return nothing();
  }
  Result<CatalogResult> list_functions(const proto::ListFunctions& call);
  Result<CatalogResult> create_table(const std::string& name, const std::string& path,
                                     const std::string& source, const std::string& description,
                                     const std::string& columns,
                                     const std::map<std::string, std::string>& options);
  Status require_database(const std::string& name) const {
    TRY_ASSIGN(const bool exists, warehouse_.database_exists(name));
    if (exists) return Status::OK();
    return Status::error("SCHEMA_NOT_FOUND",
                         {{"schemaName", quote_identifiers({"spark_catalog", name})}});
  }
  // A table or view as spark.table(name) sends it; an error when there is none of that name.
  Result<proto::Relation> table_relation(const std::string& name);
  Result<std::vector<std::string>> parts_of(const std::string& table, bool has_database,
                                            const std::string& database) const {
    if (has_database && !database.empty()) return std::vector<std::string>{database, table};
    return sql::parse_identifier(table);
  }
  bool is_view(const std::vector<std::string>& parts) const {
    if (parts.size() == 1) return session_.views().find(parts[0]).has_value();
    return parts.size() == 2 && equals_ignore_case(parts[0], "global_temp") &&
           session_.runtime().global_views->find(parts[1]).has_value();
  }
  Result<bool> table_exists(const std::vector<std::string>& parts) const {
    if (is_view(parts)) return true;
    const auto name = session_.table_name(parts);
    if (!name.ok()) return false;
    return warehouse_.is_taken(*name);
  }
  Status not_found(const std::vector<std::string>& parts) const {
    return session_.relation_not_found(parts);
  }

  Result<CatalogResult> list_tables(const proto::ListTables& call);
  Result<CatalogResult> get_table(const proto::GetTable& call);
  Result<CatalogResult> list_columns(const proto::ListColumns& call);
  Result<CatalogResult> table_properties(const std::string& name);
  Result<CatalogResult> drop_table(const proto::DropTable& call);

  Session& session_;
  Warehouse& warehouse_;
};

Result<CatalogResult> CatalogCall::list_tables(const proto::ListTables& call) {
  const std::string database =
      to_lower(call.has_db_name() ? call.db_name() : session_.current_database());
  ResultTable table = tables_table();
  if (database == "global_temp") {
    for (const auto& name : session_.runtime().global_views->names()) {
      if (matches(call, name)) view_row(table, name, true);
    }
  } else {
    TRY_ASSIGN(auto names, warehouse_.tables(database));
    TRY_ASSIGN(const auto views, warehouse_.views(database));
    names.insert(names.end(), views.begin(), views.end());
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
      if (matches(call, name)) TRY(table_row(table, {database, name}));
    }
  }
  for (const auto& name : session_.views().names()) {
    if (matches(call, name)) view_row(table, name, false);
  }
  return table.finish();
}

Result<CatalogResult> CatalogCall::get_table(const proto::GetTable& call) {
  TRY_ASSIGN(const auto parts, parts_of(call.table_name(), call.has_db_name(), call.db_name()));
  ResultTable table = tables_table();
  if (is_view(parts)) {
    view_row(table, parts.back(), parts.size() == 2);
    return table.finish();
  }
  TRY_ASSIGN(const bool exists, table_exists(parts));
  if (!exists) return not_found(parts);
  TRY_ASSIGN(const TableName name, session_.table_name(parts));
  TRY(table_row(table, name));
  return table.finish();
}

Result<CatalogResult> CatalogCall::list_columns(const proto::ListColumns& call) {
  TRY_ASSIGN(const auto parts, parts_of(call.table_name(), call.has_db_name(), call.db_name()));
  SessionResolver resolver(session_);
  TRY_ASSIGN(const bool exists, table_exists(parts));
  if (!exists) return not_found(parts);
  TRY_ASSIGN(const auto node, resolver.named_table(parts, Options(), false));
  std::vector<std::string> partitions;
  std::optional<Entry> entry;
  if (const auto name = session_.table_name(parts); name.ok()) {
    TRY_ASSIGN(entry, warehouse_.entry(*name));
  }
  if (entry && (entry->view || entry->provider != "delta")) {
    partitions = entry->partition_by;
  } else if (!is_view(parts)) {
    TRY_ASSIGN(const TableName name, session_.table_name(parts));
    TRY_ASSIGN(const auto delta,
               delta::DeltaTable::open(warehouse_.store(), warehouse_.table_directory(name)));
    partitions = delta->partition_columns();
  }
  ResultTable table;
  table.column("name", CellType::text, false)
      .column("description")
      .column("dataType", CellType::text, false);
  for (const char* name : {"nullable", "isPartition", "isBucket", "isCluster"})
    table.column(name, CellType::flag, false);
  for (const auto& field : plan::schema_of(*node)) {
    const bool partition =
        std::find(partitions.begin(), partitions.end(), field.name) != partitions.end();
    const auto metadata = nlohmann::json::parse(field.metadata, nullptr, false);
    const bool commented = metadata.is_object() && metadata.contains("comment");
    table.row({text(field.name), commented ? text(metadata["comment"].get<std::string>()) : null(),
               text(field.type->simple_string()), flag(field.nullable), flag(partition),
               flag(false), flag(false)});
  }
  return table.finish();
}

Result<CatalogResult> CatalogCall::table_properties(const std::string& table_name) {
  TRY_ASSIGN(const auto parts, sql::parse_identifier(table_name));
  TRY_ASSIGN(const bool exists, table_exists(parts));
  if (!exists || is_view(parts)) return not_found(parts);
  sql::Show show;
  show.kind = sql::ShowKind::properties;
  show.in = parts;
  TRY_ASSIGN(auto result, run_statement(session_, show, ActionContext(), ExplainText()));
  return std::move(*result);
}

Result<CatalogResult> CatalogCall::drop_table(const proto::DropTable& call) {
  TRY_ASSIGN(const auto parts, sql::parse_identifier(call.table_name()));
  TRY_ASSIGN(const bool exists, table_exists(parts));
  if (!exists || is_view(parts)) {
    if (call.if_exists()) return nothing();
    return not_found(parts);
  }
  TRY_ASSIGN(const TableName name, session_.table_name(parts));
  TRY(warehouse_.drop_table(name));
  return nothing();
}

Result<proto::Relation> CatalogCall::table_relation(const std::string& name) {
  proto::Relation relation;
  relation.mutable_common();
  relation.mutable_read()->mutable_named_table()->set_unparsed_identifier(name);
  TRY(session_.analyze(relation).status());
  return relation;
}

Result<CatalogResult> CatalogCall::list_functions(const proto::ListFunctions& call) {
  if (call.has_db_name()) {
    TRY_ASSIGN(const std::string database, database_name(call.db_name()));
    TRY(require_database(database));
  }
  auto names = functions::names();
  const auto own = session_.objects().functions();
  names.insert(names.end(), own.begin(), own.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  ResultTable table = functions_table();
  for (const auto& name : names) {
    if (matches(call, name)) function_row(table, name);
  }
  return table.finish();
}

// createTable and createExternalTable: over the files of a path, or an empty table of a schema.
Result<CatalogResult> CatalogCall::create_table(const std::string& name, const std::string& path,
                                                const std::string& source,
                                                const std::string& description,
                                                const std::string& columns,
                                                const std::map<std::string, std::string>& options) {
  sql::CreateTable create;
  TRY_ASSIGN(create.name, sql::parse_identifier(name));
  create.provider = source.empty() ? session_.conf().value("spark.sql.sources.default") : source;
  create.location = path;
  create.comment = description;
  create.columns = columns;
  create.options = options;
  return run(std::move(create));
}

Result<CatalogResult> CatalogCall::run(const proto::Catalog& call) {
  switch (call.cat_type_case()) {
    case proto::Catalog::kCurrentDatabase:
      return value(session_.current_database());
    case proto::Catalog::kSetCurrentDatabase: {
      TRY_ASSIGN(const std::string name, database_name(call.set_current_database().db_name()));
      TRY(require_database(name));
      session_.set_current_database(name);
      return nothing();
    }
    case proto::Catalog::kListDatabases: {
      ResultTable table = databases_table();
      TRY_ASSIGN(const auto names, warehouse_.databases());
      for (const auto& name : names) {
        if (matches(call.list_databases(), name)) TRY(database_row(table, name));
      }
      return table.finish();
    }
    case proto::Catalog::kGetDatabase: {
      TRY_ASSIGN(const std::string name, database_name(call.get_database().db_name()));
      TRY(require_database(name));
      ResultTable table = databases_table();
      TRY(database_row(table, name));
      return table.finish();
    }
    case proto::Catalog::kDatabaseExists: {
      TRY_ASSIGN(const std::string name, database_name(call.database_exists().db_name()));
      TRY_ASSIGN(const bool exists, warehouse_.database_exists(name));
      return value(exists);
    }
    case proto::Catalog::kCreateDatabase: {
      DatabaseInfo info;
      for (const auto& [key, entry] : call.create_database().properties())
        info.properties[key] = entry;
      if (const auto comment = info.properties.extract("comment")) info.comment = comment.mapped();
      TRY(warehouse_.create_database(call.create_database().db_name(),
                                     call.create_database().if_not_exists(), info));
      return nothing();
    }
    case proto::Catalog::kDropDatabase: {
      const auto& drop = call.drop_database();
      TRY(warehouse_.drop_database(drop.db_name(), drop.if_exists(), drop.cascade()));
      return nothing();
    }
    case proto::Catalog::kListTables:
      return list_tables(call.list_tables());
    case proto::Catalog::kGetTable:
      return get_table(call.get_table());
    case proto::Catalog::kListColumns:
      return list_columns(call.list_columns());
    case proto::Catalog::kTableExists: {
      const auto& ask = call.table_exists();
      TRY_ASSIGN(const auto parts, parts_of(ask.table_name(), ask.has_db_name(), ask.db_name()));
      TRY_ASSIGN(const bool exists, table_exists(parts));
      return value(exists);
    }
    case proto::Catalog::kFunctionExists: {
      const auto& ask = call.function_exists();
      if (ask.has_db_name() && !ask.db_name().empty()) return value(false);
      TRY_ASSIGN(const auto parts, sql::parse_identifier(ask.function_name()));
      return value(function_exists(parts));
    }
    case proto::Catalog::kListFunctions:
      return list_functions(call.list_functions());
    case proto::Catalog::kGetFunction: {
      TRY_ASSIGN(const auto parts, sql::parse_identifier(call.get_function().function_name()));
      if (!function_exists(parts)) {
        return Status::error(
            "UNRESOLVED_ROUTINE",
            {{"routineName", quote_identifiers(parts)},
             {"searchPath", "[`system`.`builtin`, `system`.`session`, " +
                                quote_identifiers({"spark_catalog", session_.current_database()}) +
                                "]"}});
      }
      ResultTable table = functions_table();
      function_row(table, to_lower(parts[0]));
      return table.finish();
    }
    case proto::Catalog::kCreateTable: {
      const auto& create = call.create_table();
      std::string columns;
      if (create.has_schema()) {
        TRY_ASSIGN(const auto type, plan::type_from_proto(create.schema()));
        columns = column::to_ddl(type->fields());
      }
      return create_table(create.table_name(), create.path(), create.source(), create.description(),
                          columns, {create.options().begin(), create.options().end()});
    }
    case proto::Catalog::kCreateExternalTable: {
      const auto& create = call.create_external_table();
      std::string columns;
      if (create.has_schema()) {
        TRY_ASSIGN(const auto type, plan::type_from_proto(create.schema()));
        columns = column::to_ddl(type->fields());
      }
      return create_table(create.table_name(), create.path(), create.source(), "", columns,
                          {create.options().begin(), create.options().end()});
    }
    case proto::Catalog::kRecoverPartitions: {
      TRY_ASSIGN(const auto parts, sql::parse_identifier(call.recover_partitions().table_name()));
      TRY_ASSIGN(const bool exists, table_exists(parts));
      if (!exists) return not_found(parts);
      const auto name = session_.table_name(parts);
      if (!name.ok()) return nothing();
      TRY_ASSIGN(const auto entry, warehouse_.entry(*name));
      const bool files = entry && !entry->view && entry->provider != "delta";
      if (files && entry->partition_by.empty()) {
        return Status::error("NOT_A_PARTITIONED_TABLE",
                             {{"operation", "ALTER TABLE RECOVER PARTITIONS"},
                              {"tableIdentWithDB", name->quoted()}});
      }
      return nothing();  // the partitions of files are found when they are read
    }
    case proto::Catalog::kDropView: {
      sql::Drop drop;
      drop.kind = sql::ObjectKind::view;
      drop.if_exists = call.drop_view().if_exists();
      TRY_ASSIGN(drop.name, sql::parse_identifier(call.drop_view().view_name()));
      return run(std::move(drop));
    }
    case proto::Catalog::kListPartitions: {
      sql::Show show;
      show.kind = sql::ShowKind::partition_names;
      TRY_ASSIGN(show.in, sql::parse_identifier(call.list_partitions().table_name()));
      TRY_ASSIGN(auto result, run_statement(session_, show, ActionContext(), ExplainText()));
      return std::move(*result);
    }
    case proto::Catalog::kTruncateTable: {
      sql::Truncate truncate;
      TRY_ASSIGN(truncate.table, sql::parse_identifier(call.truncate_table().table_name()));
      return run(std::move(truncate));
    }
    case proto::Catalog::kAnalyzeTable: {
      sql::Analyze analyze;
      TRY_ASSIGN(analyze.table, sql::parse_identifier(call.analyze_table().table_name()));
      return run(std::move(analyze));
    }
    case proto::Catalog::kGetCreateTableString: {
      sql::Show show;
      show.kind = sql::ShowKind::create_table;
      TRY_ASSIGN(show.in, sql::parse_identifier(call.get_create_table_string().table_name()));
      TRY_ASSIGN(auto result, run_statement(session_, show, ActionContext(), ExplainText()));
      return std::move(*result);
    }
    case proto::Catalog::kDropTempView:
      return value(session_.views().drop(call.drop_temp_view().view_name()));
    case proto::Catalog::kDropGlobalTempView:
      return value(session_.runtime().global_views->drop(call.drop_global_temp_view().view_name()));
    case proto::Catalog::kDropTable:
      return drop_table(call.drop_table());
    case proto::Catalog::kGetTableProperties:
      return table_properties(call.get_table_properties().table_name());
    case proto::Catalog::kIsCached: {
      TRY_ASSIGN(const auto table, table_relation(call.is_cached().table_name()));
      if (session_.storage_levels().contains(table)) return value(true);
      // The same table by its whole name, or by its last part.
      TRY_ASSIGN(const auto parts, sql::parse_identifier(call.is_cached().table_name()));
      const auto name = session_.table_name(parts);
      if (is_view(parts) || !name.ok()) return value(false);
      bool cached = false;
      std::vector<sql::Name> others{{"spark_catalog", name->database, name->table},
                                    {name->database, name->table}};
      if (name->database == session_.current_database()) others.push_back({name->table});
      for (const auto& other : others) {
        for (const std::string& written : {join(other, "."), quote_identifiers(other)}) {
          TRY_ASSIGN(const auto relation, table_relation(written));
          cached = cached || session_.storage_levels().contains(relation);
        }
      }
      return value(cached);
    }
    case proto::Catalog::kCacheTable: {
      const auto& cache = call.cache_table();
      TRY_ASSIGN(const auto table, table_relation(cache.table_name()));
      session_.storage_levels().put(table,
                                    cache.has_storage_level() ? &cache.storage_level() : nullptr);
      return nothing();
    }
    case proto::Catalog::kUncacheTable: {
      TRY_ASSIGN(const auto table, table_relation(call.uncache_table().table_name()));
      session_.storage_levels().remove(table);
      return nothing();
    }
    case proto::Catalog::kClearCache:
      session_.storage_levels().clear();
      return nothing();
    // Nothing is kept of a table, so there is nothing to look up again.
    case proto::Catalog::kRefreshTable:
      TRY(table_relation(call.refresh_table().table_name()).status());
      return nothing();
    case proto::Catalog::kRefreshByPath:
      return nothing();
    case proto::Catalog::kCurrentCatalog:
      return value(std::string("spark_catalog"));
    case proto::Catalog::kSetCurrentCatalog:
      if (call.set_current_catalog().catalog_name() == "spark_catalog") return nothing();
      return Status::error(
          "CATALOG_NOT_FOUND",
          {{"catalogName", quote_identifier(call.set_current_catalog().catalog_name())},
           {"config", "\"spark.sql.catalog." + call.set_current_catalog().catalog_name() + "\""}});
    case proto::Catalog::kListCatalogs: {
      ResultTable table;
      table.column("name", CellType::text, false).column("description");
      if (matches(call.list_catalogs(), "spark_catalog"))
        table.row({text("spark_catalog"), null()});
      return table.finish();
    }
    case proto::Catalog::kListViews: {
      ResultTable table = tables_table();
      const auto& ask = call.list_views();
      std::string database = session_.current_database();
      if (ask.has_db_name()) {
        TRY_ASSIGN(database, database_name(ask.db_name()));
        TRY(require_database(database));
      }
      TRY_ASSIGN(const auto names, warehouse_.views(database));
      for (const auto& name : names) {
        if (matches(ask, name)) TRY(table_row(table, {database, name}));
      }
      for (const auto& name : session_.views().names()) {
        if (matches(ask, name)) view_row(table, name, false);
      }
      return table.finish();
    }
    case proto::Catalog::CAT_TYPE_NOT_SET:
      return Status::error("CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET",
                           {{"fullName", "spark.connect.Catalog"}, {"name", "cat_type"}});
    default: {
      const auto* field = proto::Catalog::descriptor()->FindFieldByNumber(call.cat_type_case());
      return Status::unsupported("the catalog call {} is not supported by Millstream yet",
                                 field == nullptr ? "of this client" : field->name());
    }
  }
}

}  // namespace

Result<CatalogResult> run_catalog(Session& session, const proto::Catalog& call) {
  const column::TimestampMeaning word(timestamp_word(session.conf()));
  const column::TimeTypes times(time_types_enabled(session.conf()));
  return CatalogCall(session).run(call);
}

}  // namespace millstream::session
