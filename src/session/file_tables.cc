#include "session/file_tables.h"

#include <algorithm>

#include "base/text.h"
#include "plan/analyzer.h"
#include "plan/by_name.h"
#include "session/char_columns.h"
#include "session/insert.h"
#include "session/partition_spec.h"
#include "session/resolver.h"
#include "session/store_assignment.h"
#include "session/writes.h"
#include "spark/connect/commands.pb.h"

namespace millstream::session {

using delta::SaveMode;

bool is_table_format(const std::string& format) {
  for (const char* known : {"parquet", "orc", "avro", "json", "csv", "text", "xml"}) {
    if (format == known) return true;
  }
  return false;
}

namespace {

// "MAP<INT,INT>": without blanks, as this error has it.
std::string shown_type(const column::TypePtr& type) {
  return "\"" + to_upper(type->simple_string()) + "\"";
}

}  // namespace

Result<plan::NodePtr> as_stored(Session& session, const plan::NodePtr& rows,
                                const column::Schema& table, const std::string& table_shown,
                                const std::string& statement) {
  const StoreAssignment policy = store_assignment(session.conf());
  auto project = std::make_shared<plan::Project>();
  for (const plan::Attribute& attribute : rows->output) {
    if (attribute.hidden) continue;
    const std::size_t i = project->exprs.size();
    if (i >= table.size()) return Status::internal("rows wider than their table");
    plan::ExprPtr value = plan::make_attribute(attribute);
    if (!column::same_type_ignoring_nullability(attribute.type, table[i].type)) {
      if (!can_store(policy, attribute.type, table[i].type)) {
        return Status::error("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
                             {{"tableName", table_shown},
                              {"colName", quote_identifier(table[i].name)},
                              {"srcType", shown_type(attribute.type)},
                              {"targetType", shown_type(table[i].type)}});
      }
      TRY_ASSIGN(value, stored_value(session.conf(), value, table[i]));
      value = placed_in(statement, value);
    }
    plan::Attribute out = attribute;
    out.name = table[i].name;
    out.type = table[i].type;
    out.nullable = true;
    out.qualifier.clear();
    out.id = plan::next_attribute_id();
    project->exprs.push_back(plan::make_alias(value, out.name, out.id));
    project->output.push_back(std::move(out));
  }
  project->children.push_back(rows);
  return with_fitted_chars(session, project, table);
}

Status insert_into_file_table(Session& session, const TableName& name, const Entry& entry,
                              SaveMode mode, const plan::NodePtr& rows,
                              const ActionContext& context) {
  TRY_ASSIGN(const auto schema, column::schema_from_text(entry.schema));
  TRY_ASSIGN(const auto stored, as_stored(session, rows, schema, name.quoted()));
  const auto written = write_files(
      session, entry.provider, session.runtime().warehouse->table_directory(name), mode,
      Options(entry.options), entry.partition_by, stored, context, entry.buckets, {}, entry.placed);
  if (!written.ok()) return overflow_in_insert(written.status(), *stored);
  TRY_ASSIGN(const bool dynamic, keeps_partitions(Options(entry.options), session.conf()));
  return note_partitions(*session.runtime().warehouse, name, *written,
                         mode == SaveMode::overwrite && !dynamic, {});
}

namespace {

// The columns of `node`, and their members, in the order of the table's, by name.
Result<plan::NodePtr> in_order(Session& session, const plan::NodePtr& node,
                               const column::Schema& table, const TableName& name) {
  const column::Schema data = plan::schema_of(*node);
  if (data.size() != table.size()) {
    return legacy_error(
        ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1161",
        {{"tableName", name.database + "." + name.table}},
        fmt::format("The column number of the existing table {} (struct{}) doesn't match the data "
                    "schema (struct{}).",
                    name.quoted(), column::struct_type(table)->simple_string().substr(6),
                    column::struct_type(data)->simple_string().substr(6)));
  }
  const plan::NameRules rules;
  SessionResolver resolver(session);
  const auto settings = analyzer_settings(session.conf());
  const std::string no_text;
  plan::RowExpressions expressions(resolver, settings, no_text);
  const auto call = [&](const std::string& function, std::vector<plan::ExprPtr> arguments) {
    return expressions.call(function, std::move(arguments));
  };
  auto project = std::make_shared<plan::Project>();
  for (const auto& field : table) {
    const auto found = std::find_if(node->output.begin(), node->output.end(), [&](const auto& one) {
      return !one.hidden && equals_ignore_case(one.name, field.name);
    });
    if (found == node->output.end()) {
      return legacy_error(ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1160",
                          {{"colName", field.name}, {"inputColumns", column::to_ddl(data)}},
                          fmt::format("cannot resolve '{}' given input columns: [{}].", field.name,
                                      column::to_ddl(data)));
    }
    plan::ExprPtr value = plan::make_attribute(*found);
    plan::Attribute out = *found;
    if (!plan::is_in_order_of(out.type, field.type, rules)) {
      TRY_ASSIGN(value, plan::in_order_of(value, field.type, rules, call));
      out.id = plan::next_attribute_id();
      out.type = value->type;
      value = plan::make_alias(value, out.name, out.id);
    }
    project->exprs.push_back(std::move(value));
    project->output.push_back(std::move(out));
  }
  project->children.push_back(node);
  return plan::NodePtr(project);
}

}  // namespace

Status save_file_table(Session& session, const spark::connect::WriteOperation& write,
                       const std::string& format, const TableName& name,
                       const std::optional<Entry>& entry, bool exists, const plan::NodePtr& node,
                       const ActionContext& context) {
  Warehouse& warehouse = *session.runtime().warehouse;
  const bool append = write.mode() == spark::connect::WriteOperation::SAVE_MODE_APPEND;
  if (exists && append) {
    const std::string provider = entry ? entry->provider : "delta";
    if (!format.empty() && provider != format) {
      return legacy_error(
          ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1159",
          {{"tableName", name.quoted()}, {"existingProvider", provider}, {"provider", format}},
          fmt::format("The format of the existing table {} is `{}`. It doesn't match the specified "
                      "format `{}`.",
                      name.quoted(), provider, format));
    }
    TRY_ASSIGN(const auto schema, column::schema_from_text(entry->schema));
    TRY_ASSIGN(const auto rows, in_order(session, node, schema, name));
    return insert_into_file_table(session, name, *entry, SaveMode::append, rows, context);
  }
  TRY(check_format(write.source().empty() ? format : write.source()));
  if (!is_table_format(format)) {
    return Status::unsupported("saveAsTable with format {} is not supported by Millstream yet",
                               format);
  }
  Entry table;
  table.provider = format;
  for (const auto& [key, value] : write.options()) table.options[key] = value;
  for (const auto& column : write.partitioning_columns()) table.partition_by.push_back(column);
  if (write.has_bucket_by()) {
    const auto& by = write.bucket_by();
    table.buckets.count = by.num_buckets();
    table.buckets.columns = {by.bucket_column_names().begin(), by.bucket_column_names().end()};
    table.buckets.sorted_by = {write.sort_column_names().begin(), write.sort_column_names().end()};
  }
  std::string directory = warehouse.own_directory(name);
  if (const auto path = table.options.find("path"); path != table.options.end()) {
    TRY_ASSIGN(directory, io::store_path(path->second));
    table.location = directory;
    table.external = true;
    table.options.erase(path);
  }
  column::Schema schema = plan::schema_of(*node);
  TRY(check_duplicates(schema));
  const auto is_partition = [&](const column::Field& field) {
    return std::any_of(table.partition_by.begin(), table.partition_by.end(),
                       [&](const auto& by) { return equals_ignore_case(by, field.name); });
  };
  std::stable_partition(schema.begin(), schema.end(),
                        [&](const column::Field& field) { return !is_partition(field); });
  table.schema = column::schema_to_json(column::as_nullable(schema));
  // The rows may come from the very table that they replace.
  plan::NodePtr rows = node;
  if (exists) {
    TRY_ASSIGN(rows, session.checkpoint(node, true, context));
    TRY(warehouse.drop_table(name));
  }
  TRY_ASSIGN(const bool there, warehouse.store()->exists(directory));
  TRY(warehouse.store()->make_directories(directory));
  const auto written =
      write_files(session, format, directory, exists ? SaveMode::overwrite : SaveMode::append,
                  Options(table.options), table.partition_by, rows, context, table.buckets);
  // A folder without a table would be in the way of the next one of that name.
  if (!written.ok() && !there) (void)warehouse.store()->remove_tree(directory);
  TRY(written.status());
  if (!table.partition_by.empty()) table.partitions.emplace(written->begin(), written->end());
  return warehouse.put_entry(name, table);
}

}  // namespace millstream::session
