#include "session/insert.h"

#include <set>

#include "base/text.h"
#include "delta/table.h"
#include "delta/write.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "plan/literal.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

Result<std::string> insert_directory(Session& session, const sql::Name& name) {
  if (name.size() == 2 && equals_ignore_case(name[0], "delta") &&
      name[1].find('/') != std::string::npos) {
    return io::local_path(name[1]);
  }
  TRY_ASSIGN(const TableName table, session.table_name(name));
  TRY_ASSIGN(const bool exists, session.runtime().warehouse->database_exists(table.database));
  if (!exists) {
    return Status::error("SCHEMA_NOT_FOUND",
                         {{"schemaName", quote_identifiers({"spark_catalog", table.database})}});
  }
  return session.runtime().warehouse->table_directory(table);
}

namespace {

std::string dotted(Session& session, const sql::Name& name) {
  const auto table = session.table_name(name);
  return table.ok() ? "spark_catalog." + table->database + "." + table->table : join(name, ".");
}

Status too_few(Session& session, const sql::Insert& insert, std::size_t columns,
               std::size_t wanted) {
  return Status::error("DELTA_INSERT_COLUMN_ARITY_MISMATCH",
                       {{"tableName", dotted(session, insert.table)},
                        {"columnName", "not enough data columns"},
                        {"numColumns", std::to_string(wanted)},
                        {"insertColumns", std::to_string(columns)}});
}

// Which of the query's columns goes into each of the table's; -1: none, which is NULL. Columns that
// the table does not have go behind, for the write to refuse.
Result<std::vector<int>> sources_of(Session& session, const sql::Insert& insert,
                                    const std::vector<plan::Attribute>& columns,
                                    const column::Schema& table) {
  std::vector<std::string> names = insert.columns;
  if (insert.by_name) {
    for (const auto& column : columns) names.push_back(column.name);
  }
  std::vector<int> sources;
  if (names.empty()) {
    if (columns.size() < table.size()) {
      return too_few(session, insert, columns.size(), table.size());
    }
    for (std::size_t i = 0; i < columns.size(); ++i) sources.push_back(static_cast<int>(i));
    return sources;
  }
  if (names.size() != columns.size()) {
    return too_few(session, insert, columns.size(), names.size());
  }
  std::vector<bool> used(names.size(), false);
  for (const auto& field : table) {
    sources.push_back(-1);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!equals_ignore_case(names[i], field.name)) continue;
      sources.back() = static_cast<int>(i);
      used[i] = true;
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!used[i]) sources.push_back(static_cast<int>(i));
  }
  return sources;
}

// The query's rows with the table's columns, cast as a store assignment is.
Result<plan::NodePtr> as_table_rows(Session& session, const sql::Insert& insert,
                                    const plan::NodePtr& node, const column::Schema& table) {
  std::vector<plan::Attribute> columns;
  for (const auto& attribute : node->output) {
    if (!attribute.hidden) columns.push_back(attribute);
  }
  TRY_ASSIGN(const auto sources, sources_of(session, insert, columns, table));
  auto project = std::make_shared<plan::Project>();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const bool known = i < table.size();
    plan::Attribute out;
    plan::ExprPtr value;
    if (sources[i] < 0) {
      value = plan::null_literal(table[i].type);
      out.type = table[i].type;
    } else {
      const auto& source = columns[static_cast<std::size_t>(sources[i])];
      value = plan::make_attribute(source);
      out = source;
      out.qualifier.clear();
    }
    if (known) {
      out.name = table[i].name;
      if (!column::same_type_ignoring_nullability(out.type, table[i].type)) {
        if (!functions::can_cast(out.type, table[i].type, true)) {
          return Status::error("DELTA_FAILED_TO_MERGE_FIELDS",
                               {{"currentField", table[i].name}, {"updateField", out.name}});
        }
        value = plan::make_cast(value, table[i].type, true);
        out.type = table[i].type;
        out.nullable = true;
      }
    }
    out.id = plan::next_attribute_id();
    project->exprs.push_back(plan::make_alias(value, out.name, out.id));
    project->output.push_back(std::move(out));
  }
  project->children.push_back(node);
  return plan::NodePtr(project);
}

}  // namespace

Status insert_rows(Session& session, const sql::Insert& insert, const ActionContext& context) {
  TRY_ASSIGN(const std::string directory, insert_directory(session, insert.table));
  const auto& store = session.runtime().store;
  TRY_ASSIGN(const bool exists, delta::is_delta_table(store, directory));
  if (!exists) return session.table_not_found(insert.table);
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(store, directory));
  TRY_ASSIGN(const auto node, session.analyze(*insert.query));
  TRY_ASSIGN(const auto rows_plan, as_table_rows(session, insert, node, table->schema()));
  TRY_ASSIGN(const auto rows, session.execute(rows_plan, context));
  const auto mode = insert.overwrite ? delta::SaveMode::overwrite : delta::SaveMode::append;
  TRY_ASSIGN(const auto options, delta::parse_write_options(Options(), mode, {}));
  return delta::write_table(store, directory, rows, options, context.cancel).status();
}

Status check_duplicates(const column::Schema& schema) {
  std::set<std::string> names;
  for (const auto& field : schema) {
    const std::string name = to_lower(field.name);
    if (names.insert(name).second) continue;
    return Status::error("COLUMN_ALREADY_EXISTS", {{"columnName", quote_identifier(name)}});
  }
  return Status::OK();
}

Status check_view_columns(const std::string& view, const spark::connect::ToDF& names,
                          const column::Schema& query) {
  const auto wanted = static_cast<std::size_t>(names.column_names_size());
  if (wanted == query.size()) return Status::OK();
  std::vector<std::string> view_columns;
  std::vector<std::string> data_columns;
  for (const auto& name : names.column_names()) view_columns.push_back(quote_identifier(name));
  for (const auto& field : query) data_columns.push_back(quote_identifier(field.name));
  return Status::error(wanted < query.size()
                           ? "CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
                           : "CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
                       {{"viewName", quote_identifier(view)},
                        {"viewColumns", join(view_columns, ", ")},
                        {"dataColumns", join(data_columns, ", ")}});
}

}  // namespace millstream::session
