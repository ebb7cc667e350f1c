#include "session/insert.h"

#include <arrow/api.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "delta/identity.h"
#include "delta/retry.h"
#include "delta/snapshot.h"
#include "delta/table.h"
#include "delta/write.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "plan/by_name.h"
#include "plan/literal.h"
#include "plan/text.h"
#include "session/batch_writes.h"
#include "session/column_rules.h"
#include "session/file_tables.h"
#include "session/output_files.h"
#include "session/partition_spec.h"
#include "session/replace_rows.h"
#include "session/resolver.h"
#include "session/store_assignment.h"
#include "session/time_travel.h"
#include "session/upkeep.h"
#include "session/writes.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

Result<std::string> insert_directory(Session& session, const sql::Name& name) {
  if (name.size() == 2 && equals_ignore_case(name[0], "delta") &&
      name[1].find('/') != std::string::npos) {
    return io::store_path(name[1]);
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

constexpr int of_partition = -2;

bool has_rule(const column::Field& field) {
  if (delta::is_identity(field)) return true;
  return !default_of(field).empty() || !generation_of(field).empty();
}

// What the cast of that column of the rows says, which there is none of.
Status no_cast(Session& session, const plan::NodePtr& rows, const std::string& column,
               const column::TypePtr& type) {
  spark::connect::Relation relation;
  const std::string kept = session.keep_relation(rows);
  auto* project = relation.mutable_project();
  project->mutable_input()->mutable_cached_remote_relation()->set_relation_id(kept);
  auto* cast = project->add_expressions()->mutable_cast();
  cast->mutable_expr()->mutable_unresolved_attribute()->set_unparsed_identifier(
      quote_identifier(column));
  plan::type_to_proto(type, cast->mutable_type());
  cast->set_eval_mode(spark::connect::Expression_Cast::EVAL_MODE_ANSI);
  const Status said = session.analyze(relation).status();
  session.forget_relation(kept);
  if (!said.ok()) return said;
  return Status::internal("a cast of {} to {} that was refused", column, type->sql());
}

// The column of PARTITION (p = 1, q) of that name; null: it is not among them.
const std::pair<std::string, std::shared_ptr<spark::connect::Expression>>* partition_of(
    const sql::Insert& insert, const std::string& name) {
  for (const auto& one : insert.partition) {
    if (equals_ignore_case(one.first, name)) return &one;
  }
  return nullptr;
}

// Which of the query's columns goes into each of the table's; -1: none, which is NULL;
// of_partition: the constant of PARTITION. Columns that the table does not have go behind, for the
// write to refuse.
Result<std::vector<int>> sources_of(Session& session, const sql::Insert& insert,
                                    const std::vector<plan::Attribute>& columns,
                                    const column::Schema& table) {
  std::vector<std::string> names = insert.columns;
  if (insert.by_name) {
    for (const auto& column : columns) names.push_back(column.name);
  }
  std::vector<int> sources;
  if (names.empty() && !insert.partition.empty()) {
    int next = 0;
    for (const auto& field : table) {
      const auto* partition = partition_of(insert, field.name);
      sources.push_back(partition != nullptr && partition->second != nullptr ? of_partition
                                                                             : next++);
    }
    if (static_cast<std::size_t>(next) > columns.size()) {
      return too_few(session, insert, columns.size(), static_cast<std::size_t>(next));
    }
    for (std::size_t i = static_cast<std::size_t>(next); i < columns.size(); ++i) {
      sources.push_back(static_cast<int>(i));
    }
    return sources;
  }
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
    const auto* partition = partition_of(insert, field.name);
    sources.push_back(partition != nullptr && partition->second != nullptr ? of_partition : -1);
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

Status members_differ(Session& session, const sql::Insert& insert, const column::Field& column,
                      plan::NameMismatch mismatch) {
  const auto name = session.table_name(insert.table);
  ErrorParameters parameters{
      {"tableName", name.ok() ? name->quoted() : quote_identifiers(insert.table)}};
  std::vector<std::string> path{column.name};
  path.insert(path.end(), mismatch.path.begin(), mismatch.path.end());
  if (mismatch.missing.empty()) {
    for (auto& one : mismatch.extra) one = quote_identifier(one);
    parameters["colName"] = quote_identifiers(path);
    parameters["extraFields"] = join(mismatch.extra, ", ");
    return Status::error("INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS", parameters);
  }
  path.push_back(mismatch.missing);
  parameters["colName"] = quote_identifiers(path);
  return Status::error("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA", parameters);
}

Status too_few_members(Session& session, const sql::Insert& insert, const column::Field& column,
                       const column::TypePtr& given) {
  return Status::error("DELTA_INSERT_COLUMN_ARITY_MISMATCH",
                       {{"tableName", dotted(session, insert.table)},
                        {"columnName", "not enough nested fields in " + column.name},
                        {"numColumns", std::to_string(column.type->fields().size())},
                        {"insertColumns", std::to_string(given->fields().size())}});
}

Result<plan::ExprPtr> in_order_of(Session& session, const plan::ExprPtr& value,
                                  const column::TypePtr& type, const plan::NameRules& rules) {
  SessionResolver resolver(session);
  const auto settings = analyzer_settings(session.conf());
  const std::string no_text;
  plan::RowExpressions expressions(resolver, settings, no_text);
  const auto call = [&](const std::string& name, std::vector<plan::ExprPtr> arguments) {
    return expressions.call(name, std::move(arguments));
  };
  return plan::in_order_of(value, type, rules, call);
}

// The value of a DataFrame's column with the members that the table's has, those that it lacks as
// NULL. Null: it has others, of which Delta decides.
Result<plan::ExprPtr> with_known_members(Session& session, const plan::ExprPtr& value,
                                         const column::Field& column) {
  plan::NameRules rules;
  rules.fills = true;
  const auto mismatch = plan::name_mismatch(value->type, column.type, rules);
  if (mismatch && !mismatch->extra.empty()) return plan::ExprPtr();
  if (plan::is_in_order_of(value->type, column.type, rules)) return value;
  return in_order_of(session, value, column.type, rules);
}

// The value with the members of its structs where the column has them. BY NAME says so; elsewhere
// Delta goes by names where nothing but the order differs.
Result<plan::ExprPtr> with_members_placed(Session& session, const sql::Insert& insert,
                                          const plan::ExprPtr& value, const column::Field& column,
                                          bool delta) {
  const plan::NameRules rules;
  if (plan::is_in_order_of(value->type, column.type, rules)) return value;
  auto mismatch = plan::name_mismatch(value->type, column.type, rules);
  if (insert.by_name && mismatch) {
    const bool struct_value = value->type->kind() == column::TypeKind::struct_;
    if (delta && struct_value && value->type->fields().size() < column.type->fields().size())
      return too_few_members(session, insert, column, value->type);
    // What Delta's tables lack they may learn.
    if (!delta || !mismatch->missing.empty())
      return members_differ(session, insert, column, std::move(*mismatch));
  }
  if (!insert.by_name && (!delta || mismatch)) return value;
  TRY_ASSIGN(const auto placed, in_order_of(session, value, column.type, rules));
  const bool same = column::same_type_ignoring_nullability(placed->type, column.type);
  return insert.by_name || same ? placed : value;
}

// As with_known_members, by place.
Result<plan::ExprPtr> with_places_filled(Session& session, const sql::Insert& insert,
                                         const plan::ExprPtr& value, const column::Field& column) {
  const bool structs = value->type->kind() == column::TypeKind::struct_ &&
                       column.type->kind() == column::TypeKind::struct_;
  const std::size_t given = value->type->fields().size();
  if (structs && given < column.type->fields().size())
    return too_few_members(session, insert, column, value->type);
  if (structs && given > column.type->fields().size()) return plan::ExprPtr();
  return with_members_placed(session, insert, value, column, true);
}

// The value as one of the column, which has another type. `shown`: what errors call the value.
Result<plan::ExprPtr> assigned(Session& session, const plan::NodePtr& node,
                               const plan::ExprPtr& value, const std::string& shown,
                               const column::Field& column) {
  const StoreAssignment policy = store_assignment(session.conf());
  if (policy == StoreAssignment::strict && !can_store(policy, value->type, column.type)) {
    return Status::error(
        "CANNOT_UP_CAST_DATATYPE",
        {{"expression", shown},
         {"sourceType", "\"" + value->type->sql() + "\""},
         {"targetType", "\"" + column.type->sql() + "\""},
         {"details",
          "The type path of the target object is:\n\nYou can either add an explicit cast to "
          "the input data or choose a higher precision type of the field in the target "
          "object"}});
  }
  if (!functions::can_cast(value->type, column.type, policy != StoreAssignment::legacy))
    return no_cast(session, node, shown, column.type);
  return stored_value(session.conf(), value, column);
}

// The query's rows with the table's columns, cast as a store assignment is.
// `casts`: not for tables of files, whose types go together by rules of their own.
Result<plan::NodePtr> as_table_rows(Session& session, const sql::Insert& insert,
                                    const plan::NodePtr& node, const column::Schema& table,
                                    bool casts) {
  const StoreAssignment policy = store_assignment(session.conf());
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
    if (sources[i] == of_partition) {
      TRY_ASSIGN(value,
                 plan::literal_from_proto(partition_of(insert, table[i].name)->second->literal()));
      out.type = value->type;
    } else if (sources[i] < 0) {
      if (has_rule(table[i])) continue;  // completed later
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
      TRY_ASSIGN(value, with_members_placed(session, insert, value, table[i], casts));
      out.type = value->type;
      // The constant of a partition is cast, whatever the table is made of.
      const bool constant =
          sources[i] == of_partition &&
          functions::can_cast(out.type, table[i].type, policy != StoreAssignment::legacy);
      if ((casts || constant) && !column::same_type_ignoring_nullability(out.type, table[i].type)) {
        const std::string& shown =
            sources[i] < 0 ? table[i].name : columns[static_cast<std::size_t>(sources[i])].name;
        const bool can =
            functions::can_cast(out.type, table[i].type, policy != StoreAssignment::legacy);
        if (!can && sources[i] < 0)
          return Status::error("DELTA_FAILED_TO_MERGE_FIELDS",
                               {{"currentField", table[i].name}, {"updateField", out.name}});
        TRY_ASSIGN(value, assigned(session, node, value, shown, table[i]));
        value = placed_in(insert.text, value);
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

// The names of the columns that the query gives, in order, so far as the statement says.
std::vector<std::string> given_names(const sql::Insert& insert, const column::Schema& table) {
  if (!insert.columns.empty() || insert.by_name) return insert.columns;
  std::vector<std::string> names;
  for (const auto& field : table) {
    const auto* partition = partition_of(insert, field.name);
    if (partition == nullptr || partition->second == nullptr) names.push_back(field.name);
  }
  return names;
}

Status arity_mismatch(Session& session, const sql::Insert& insert, const column::Schema& data,
                      const column::Schema& table) {
  const auto names = [](const column::Schema& schema) {
    std::vector<std::string> quoted;
    for (const auto& field : schema) quoted.push_back(quote_identifier(field.name));
    return join(quoted, ", ");
  };
  const auto name = session.table_name(insert.table);
  return Status::error(data.size() < table.size()
                           ? "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
                           : "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
                       {{"tableName", name.ok() ? name->quoted() : quote_identifiers(insert.table)},
                        {"tableColumns", names(table)},
                        {"dataColumns", names(data)}});
}

Status partition_arity_mismatch(Session& session, const sql::Insert& insert,
                                const column::Schema& data, const column::Schema& table) {
  const auto names = [](const column::Schema& schema) {
    std::vector<std::string> quoted;
    for (const auto& field : schema) quoted.push_back(quote_identifier(field.name));
    return join(quoted, ", ");
  };
  std::vector<std::string> constants;
  for (const auto& [column, value] : insert.partition) {
    if (value != nullptr) constants.push_back(quote_identifier(column));
  }
  const auto name = session.table_name(insert.table);
  return Status::error("INSERT_PARTITION_COLUMN_ARITY_MISMATCH",
                       {{"tableName", name.ok() ? name->quoted() : quote_identifiers(insert.table)},
                        {"tableColumns", names(table)},
                        {"staticPartCols", join(constants, ", ")},
                        {"dataColumns", names(data)}});
}

// Of a table of files: as many columns as it has, or none that it has not by name.
Status check_columns(Session& session, const sql::Insert& insert, const column::Schema& data,
                     const column::Schema& table) {
  if (insert.by_name) {
    std::vector<std::string> extra;
    for (const auto& field : data) {
      const bool known = column::find_field_ignore_case(table, field.name) >= 0;
      if (!known) extra.push_back(quote_identifier(field.name));
    }
    if (extra.empty()) return Status::OK();
    const auto name = session.table_name(insert.table);
    return Status::error(
        "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
        {{"tableName", name.ok() ? name->quoted() : quote_identifiers(insert.table)},
         {"extraColumns", join(extra, ", ")}});
  }
  const auto constants = std::count_if(insert.partition.begin(), insert.partition.end(),
                                       [](const auto& one) { return one.second != nullptr; });
  if (data.size() + static_cast<std::size_t>(constants) > table.size() && constants > 0)
    return partition_arity_mismatch(session, insert, data, table);
  const bool whole = insert.columns.empty() && insert.partition.empty();
  if (!whole || data.size() == table.size()) return Status::OK();
  return arity_mismatch(session, insert, data, table);
}

// The rows of the query, as those of the table.
Result<plan::NodePtr> rows_of(Session& session, const sql::Insert& insert,
                              const column::Schema& table, bool casts,
                              const ActionContext& context) {
  spark::connect::Relation query = *insert.query;
  TRY(put_defaults(&query, given_names(insert, table), table));
  TRY_ASSIGN(const auto node, session.analyze(query));
  if (!casts) TRY(check_columns(session, insert, plan::schema_of(*node), table));
  TRY_ASSIGN(const auto rows, as_table_rows(session, insert, node, table, casts));
  return complete_rows(session, rows, table, context);
}

}  // namespace

namespace {

namespace proto = spark::connect;

// What an INSERT goes into.
struct Goal {
  std::string directory;
  std::optional<Entry> files;  // of a table that is no Delta table
  column::Schema schema;
  std::vector<std::string> partition_by;
  std::int64_t version = 0;
};

Status not_a_table(const std::string& view) {
  return Status::error("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
                       {{"viewName", view}, {"operation", "INSERT"}});
}

Result<Goal> goal_of(Session& session, const sql::Name& name) {
  Goal goal;
  const Warehouse& warehouse = *session.runtime().warehouse;
  if (name.size() == 1 && session.views().find(name[0]))
    return not_a_table(quote_identifiers(name));
  TRY_ASSIGN(goal.directory, insert_directory(session, name));
  const bool by_path = name.size() == 2 && name[1].find('/') != std::string::npos;
  const auto table_name = session.table_name(name);
  if (!by_path && table_name.ok()) {
    TRY_ASSIGN(const auto entry, warehouse.entry(*table_name));
    if (entry && entry->view) return not_a_table(table_name->quoted());
    if (entry && entry->provider != "delta") {
      goal.files = entry;
      TRY_ASSIGN(goal.schema, column::schema_from_text(entry->schema));
      goal.partition_by = entry->partition_by;
      return goal;
    }
  }
  TRY_ASSIGN(const bool exists, delta::is_delta_table(session.runtime().store, goal.directory));
  if (!exists && by_path) TRY(refuse_version_of_path(*session.runtime().store, goal.directory));
  if (!exists) return session.table_not_found(name);
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(session.runtime().store, goal.directory));
  goal.schema = table->snapshot().schema();  // with the rules of its columns
  goal.partition_by = table->partition_columns();
  goal.version = table->version();
  return goal;
}

std::string shown_table(Session& session, const sql::Insert& insert) {
  const auto name = session.table_name(insert.table);
  return name.ok() ? name->quoted() : quote_identifiers(insert.table);
}

Status check_names(Session& session, const sql::Insert& insert, const Goal& goal) {
  if (insert.if_not_exists && !goal.files) {
    return Status::error("UNSUPPORTED_FEATURE.INSERT_PARTITION_SPEC_IF_NOT_EXISTS",
                         {{"tableName", shown_table(session, insert)}});
  }
  for (const auto& [column, value] : insert.partition) {
    const bool known = std::any_of(goal.partition_by.begin(), goal.partition_by.end(),
                                   [&](const auto& by) { return equals_ignore_case(by, column); });
    if (!known && goal.files) {
      return Status::error("PARTITIONS_NOT_FOUND", {{"partitionList", quote_identifier(column)},
                                                    {"tableName", shown_table(session, insert)}});
    }
    if (!known)
      return Status::error("NON_PARTITION_COLUMN", {{"columnName", quote_identifier(column)}});
    if (value != nullptr && value->has_unresolved_attribute())
      return Status::unsupported("PARTITION ({} = DEFAULT) is not supported", column);
  }
  if (insert.by_name) return Status::OK();
  for (const auto& column : insert.columns) {
    if (column::find_field_ignore_case(goal.schema, column) >= 0) continue;
    std::vector<plan::Attribute> known;
    for (const auto& field : goal.schema) {
      plan::Attribute one;
      one.name = field.name;
      known.push_back(std::move(one));
    }
    return plan::unresolved_column({column}, known);
  }
  return Status::OK();
}

// Which rows of the table the new ones replace; none: all of them, or no row.
std::optional<proto::Expression> replaced_rows(const sql::Insert& insert) {
  if (insert.replace_where != nullptr) return *insert.replace_where;
  std::optional<proto::Expression> all;
  if (!insert.overwrite) return all;
  for (const auto& [column, value] : insert.partition) {
    if (value == nullptr) continue;
    proto::Expression same;
    same.mutable_unresolved_function()->set_function_name("<=>");
    same.mutable_unresolved_function()
        ->add_arguments()
        ->mutable_unresolved_attribute()
        ->set_unparsed_identifier(quote_identifier(column));
    *same.mutable_unresolved_function()->add_arguments() = *value;
    if (!all) {
      all = same;
      continue;
    }
    proto::Expression both;
    both.mutable_unresolved_function()->set_function_name("and");
    *both.mutable_unresolved_function()->add_arguments() = *all;
    *both.mutable_unresolved_function()->add_arguments() = same;
    all = both;
  }
  return all;
}

// PARTITION (p = 1) as the condition that it is.
std::string partition_text(const sql::Insert& insert) {
  std::vector<std::string> terms;
  for (const auto& [column, value] : insert.partition) {
    if (value == nullptr) continue;
    const auto literal = plan::literal_from_proto(value->literal());
    terms.push_back(column + " <=> " + (literal.ok() ? (*literal)->pretty : ""));
  }
  return join(terms, " AND ");
}

Status insert_into_files(Session& session, const sql::Insert& insert, const Goal& goal,
                         const ActionContext& context) {
  if (insert.replace_where != nullptr) {
    return Status::unsupported("INSERT … REPLACE WHERE of a table of format {} is not supported",
                               goal.files->provider);
  }
  TRY_ASSIGN(const auto below,
             partition_folders(session, insert.partition, goal.schema, goal.partition_by, context));
  if (insert.if_not_exists) {
    TRY_ASSIGN(const auto there,
               partitions_of(*session.runtime().store, goal.directory, goal.partition_by));
    std::set<std::string> all;
    for (const auto& [partition, folder] : there) all.insert(partition);
    const auto known = goal.files->partitions.value_or(all);
    for (const auto& partition : known) {
      if (lies_in(partition, below)) return Status::OK();
    }
  }
  TRY_ASSIGN(const auto given, rows_of(session, insert, goal.schema, false, context));
  TRY_ASSIGN(const TableName name, session.table_name(insert.table));
  TRY_ASSIGN(const auto rows, as_stored(session, given, goal.schema, name.quoted(), insert.text));
  const auto mode = insert.overwrite ? delta::SaveMode::overwrite : delta::SaveMode::append;
  const auto written =
      write_files(session, goal.files->provider, goal.directory, mode, Options(goal.files->options),
                  goal.partition_by, rows, context, goal.files->buckets, below, goal.files->placed);
  if (!written.ok()) return overflow_in_insert(written.status(), *rows);
  TRY_ASSIGN(const bool dynamic, keeps_partitions(Options(goal.files->options), session.conf()));
  const bool replaced = insert.overwrite && !(dynamic && below.size() < goal.partition_by.size());
  return note_partitions(*session.runtime().warehouse, name, *written, replaced, below);
}

Status insert_once(Session& session, const sql::Insert& given, const ActionContext& context) {
  TRY_ASSIGN(const Goal goal, goal_of(session, given.table));
  TRY(check_names(session, given, goal));
  sql::Insert insert = given;
  TRY_ASSIGN(insert.partition, as_texts(session, given.partition, goal.schema, context));
  if (goal.files) return insert_into_files(session, insert, goal, context);
  TRY_ASSIGN(auto rows_plan, rows_of(session, insert, goal.schema, true, context));
  auto replaced = replaced_rows(insert);
  TRY_ASSIGN(const bool dynamic, keeps_partitions(Options(), session.conf()));
  const auto constants = std::count_if(insert.partition.begin(), insert.partition.end(),
                                       [](const auto& one) { return one.second != nullptr; });
  // The partitions that get rows are replaced, not all that the constants name.
  if (dynamic && insert.overwrite && insert.replace_where == nullptr &&
      static_cast<std::size_t>(constants) < goal.partition_by.size()) {
    replaced.reset();
  }
  const bool overwrite = insert.overwrite || replaced.has_value();
  TRY_ASSIGN(auto options,
             delta::parse_write_options(
                 Options(), overwrite ? delta::SaveMode::overwrite : delta::SaveMode::append, {}));
  TRY(prepare_delta_write(session, options));
  TRY(note_batch_write(session, *rows_plan, goal.directory, txn_of(options)));
  options.columns_computed = true;
  if (replaced) {
    const bool where = insert.replace_where != nullptr;
    const std::string text = where ? insert.replace_where_text : partition_text(insert);
    const Status written = replace_rows(session, {goal.directory, &*replaced, text, where}, options,
                                        rows_plan, context);
    return overflow_in_insert(written, *rows_plan);
  }
  TRY_ASSIGN(const auto arranged, for_few_files(session, goal.directory, options, rows_plan));
  const auto output = execute_for_files(session, arranged, context);
  if (!output.ok()) return overflow_in_insert(output.status(), *rows_plan);
  options.file_per_partition = output->file_per_partition;
  const auto written = delta::write_table(session.runtime().store, goal.directory, output->rows,
                                          options, context.cancel);
  return overflow_in_insert(written.status(), *rows_plan);
}

}  // namespace

Status check_insert(Session& session, const sql::Insert& given, const ActionContext& context) {
  TRY_ASSIGN(const Goal goal, goal_of(session, given.table));
  TRY(check_names(session, given, goal));
  sql::Insert insert = given;
  TRY_ASSIGN(insert.partition, as_texts(session, given.partition, goal.schema, context));
  return rows_of(session, insert, goal.schema, !goal.files, context).status();
}

Status insert_rows(Session& session, const sql::Insert& insert, const ActionContext& context) {
  return delta::retried([&] { return insert_once(session, insert, context); });
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

Result<plan::NodePtr> with_stored_types(Session& session, const plan::NodePtr& node,
                                        const column::Schema& table, const sql::Insert& insert) {
  auto project = std::make_shared<plan::Project>();
  bool any = false;
  for (const plan::Attribute& attribute : node->output) {
    if (attribute.hidden) continue;
    plan::Attribute out = attribute;
    plan::ExprPtr value = plan::make_attribute(attribute);
    const int at = column::find_field_ignore_case(table, attribute.name);
    if (at >= 0) {
      const column::Field& column = table[static_cast<std::size_t>(at)];
      TRY_ASSIGN(value, insert.by_name ? with_known_members(session, value, column)
                                       : with_places_filled(session, insert, value, column));
      if (value != nullptr && !column::same_type_ignoring_nullability(value->type, column.type)) {
        TRY_ASSIGN(value, assigned(session, node, value, attribute.name, column));
        any = true;
      }
      if (value == nullptr) value = plan::make_attribute(attribute);
    }
    out.type = value->type;
    out.nullable = value->nullable;
    out.id = plan::next_attribute_id();
    out.qualifier.clear();
    project->exprs.push_back(plan::make_alias(value, out.name, out.id));
    project->output.push_back(std::move(out));
  }
  if (!any) return node;
  project->children.push_back(node);
  return plan::NodePtr(project);
}

}  // namespace millstream::session
