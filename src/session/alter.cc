// ALTER TABLE, VIEW and DATABASE.
#include "delta/alter.h"
#include "column/time_types.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "column/char_varchar.h"
#include "delta/column_mapping.h"
#include "delta/drop_feature.h"
#include "delta/identity.h"
#include "delta/log.h"
#include "delta/schema_rules.h"
#include "delta/snapshot.h"
#include "delta/table.h"
#include "delta/type_changes.h"
#include "delta/write.h"
#include "plan/text.h"
#include "session/column_rules.h"
#include "session/statement_run.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::session {

namespace {

using column::Field;
using column::Schema;
using Json = nlohmann::json;

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Status unresolved(const sql::Name& path, const Schema& schema) {
  std::vector<plan::Attribute> columns;
  for (const Field& field : schema) {
    plan::Attribute column;
    column.name = field.name;
    column.type = field.type;
    columns.push_back(std::move(column));
  }
  return plan::unresolved_column(path, columns);
}

using Fields = std::function<Result<Schema>(Schema)>;

Result<Schema> in_parent(const Schema& schema, const sql::Name& path, std::size_t at,
                         const Schema& root, const Fields& f);

// The type with what is directly inside of it changed, as fields "element", or "key" and "value":
// they have types, and nothing else that fields have.
Result<column::TypePtr> with_inner(const column::TypePtr& type, const Fields& f) {
  const bool array = type->kind() == column::TypeKind::array;
  Schema inner;
  if (array) {
    inner = {Field{"element", type->element(), type->contains_null(), ""}};
  } else {
    inner = {Field{"key", type->key(), false, ""},
             Field{"value", type->value(), type->value_contains_null(), ""}};
  }
  const std::size_t count = inner.size();
  TRY_ASSIGN(inner, f(std::move(inner)));
  const bool types_only =
      inner.size() == count && std::all_of(inner.begin(), inner.end(), [](const Field& field) {
        return field.metadata.empty() || field.metadata == "{}";
      });
  if (!types_only)
    return Status::unsupported("such a change inside {} is not supported", type->sql());
  if (array) return column::array_type(inner[0].type, inner[0].nullable);
  return column::map_type(inner[0].type, inner[1].type, inner[1].nullable);
}

// The same below a type: "element" leads into an array, "key" and "value" into a map.
Result<column::TypePtr> in_type(const column::TypePtr& type, const sql::Name& path, std::size_t at,
                                const Schema& root, const Fields& f) {
  const bool goes_on = at + 1 < path.size();
  if (!goes_on &&
      (type->kind() == column::TypeKind::array || type->kind() == column::TypeKind::map))
    return with_inner(type, f);
  const auto is = [&](const char* part) { return goes_on && equals_ignore_case(path[at], part); };
  if (type->kind() == column::TypeKind::struct_) {
    TRY_ASSIGN(Schema inner, in_parent(type->fields(), path, at, root, f));
    return column::struct_type(std::move(inner));
  }
  if (type->kind() == column::TypeKind::array && is("element")) {
    TRY_ASSIGN(auto element, in_type(type->element(), path, at + 1, root, f));
    return column::array_type(std::move(element), type->contains_null());
  }
  if (type->kind() == column::TypeKind::map && (is("key") || is("value"))) {
    auto key = type->key();
    auto value = type->value();
    auto& changed = is("key") ? key : value;
    TRY_ASSIGN(changed, in_type(changed, path, at + 1, root, f));
    return column::map_type(std::move(key), std::move(value), type->value_contains_null());
  }
  return Status::unsupported("a change of {} inside {} is not supported", join(path, "."),
                             type->sql());
}

// Calls `f` with the fields that hold the last part of the path and gives back the changed schema.
Result<Schema> in_parent(const Schema& schema, const sql::Name& path, std::size_t at,
                         const Schema& root, const Fields& f) {
  if (at + 1 == path.size()) return f(schema);
  Schema out = schema;
  const int index = column::find_field_ignore_case(out, path[at]);
  if (index < 0) return unresolved(path, root);
  Field& field = out[static_cast<std::size_t>(index)];
  TRY_ASSIGN(field.type, in_type(field.type, path, at + 1, root, f));
  return out;
}

std::string with_comment(const std::string& metadata, const std::string& comment) {
  Json json = Json::parse(metadata, nullptr, false);
  if (!json.is_object()) json = Json::object();
  json["comment"] = comment;
  return json_text(json);
}

Status place(Schema& fields, Field field, const sql::ColumnPosition& position,
             const sql::Name& path, const Schema& root) {
  if (!position.given) {
    fields.push_back(std::move(field));
  } else if (position.after.empty()) {
    fields.insert(fields.begin(), std::move(field));
  } else {
    const int after = column::find_field_ignore_case(fields, position.after);
    if (after < 0) {
      sql::Name wanted(path.begin(), path.end() - 1);
      wanted.push_back(position.after);
      return unresolved(wanted, root);
    }
    fields.insert(fields.begin() + after + 1, std::move(field));
  }
  return Status::OK();
}

Status already_there(const char* operation, const sql::Name& path, const Schema& schema) {
  return Status::error(
      "FIELD_ALREADY_EXISTS",
      {{"op", operation},
       {"fieldNames", quote_identifiers(path)},
       {"struct", "\"" + column::struct_type(column::as_nullable(schema))->sql() + "\""}});
}

Result<Schema> added(const Schema& schema, const sql::ColumnChange& change) {
  if (change.nullable == false) {
    return Status::error("DELTA_OPERATION_NOT_ALLOWED",
                         {{"operation", "NOT NULL in ALTER TABLE ADD COLUMNS"}});
  }
  return in_parent(schema, change.path, 0, schema, [&](Schema fields) -> Result<Schema> {
    if (column::find_field_ignore_case(fields, change.path.back()) >= 0)
      return already_there("add", change.path, schema);
    Field field;
    field.name = change.path.back();
    TRY_ASSIGN(field.type, column::parse_type(change.type));
    TRY(column::check_time_types(*field.type));
    if (field.type->kind() == column::TypeKind::time) {
      return Status::error(
          "DELTA_UNSUPPORTED_DATA_TYPES",
          {{"dataTypeList", fmt::format("[{}: TimeType({})]", field.name, field.type->precision())},
           {"config", "spark.databricks.delta.schema.typeCheck.enabled"}});
    }
    field = column::with_char_note(std::move(field));
    if (change.default_text) {
      return Status::error("WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED");
    }
    if (change.comment) field.metadata = with_comment(field.metadata, *change.comment);
    TRY(place(fields, std::move(field), change.position, change.path, schema));
    return fields;
  });
}

// What a column of texts may be declared as instead: as long or longer, or any text.
bool can_become(const column::DataType& from, const column::DataType& to) {
  using column::TypeKind;
  if (!from.is_string() || !to.is_string() || from.kind() == TypeKind::string) return false;
  if (to.kind() == TypeKind::string) return true;
  return to.kind() == TypeKind::varchar && from.length() <= to.length();
}

// Digits before the point that hold every value of the type.
int whole_digits(const column::DataType& type) {
  using column::TypeKind;
  switch (type.kind()) {
    case TypeKind::byte_:
      return 3;
    case TypeKind::short_:
      return 5;
    case TypeKind::int_:
      return 10;
    case TypeKind::long_:
      return 20;
    default:
      return type.precision() - type.scale();
  }
}

// Whether Spark casts from the one type to the other without asking.
bool can_up_cast(const column::DataType& from, const column::DataType& to) {
  using column::TypeKind;
  if (from.is_nested() || to.is_nested()) return false;
  if (to.is_string()) return true;
  const bool to_fraction = to.kind() == TypeKind::float_ || to.kind() == TypeKind::double_;
  if (from.is_integral() && to_fraction) return true;
  if (from.is_integral() && to.is_integral()) return from.kind() <= to.kind();
  if (from.kind() == TypeKind::float_) return to.kind() == TypeKind::double_;
  if (to.kind() == TypeKind::decimal && (from.is_integral() || from.kind() == TypeKind::decimal)) {
    const int scale = from.kind() == TypeKind::decimal ? from.scale() : 0;
    return to.scale() >= scale && whole_digits(to) >= whole_digits(from);
  }
  const bool to_timestamp =
      to.kind() == TypeKind::timestamp || to.kind() == TypeKind::timestamp_ntz;
  return to_timestamp && (from.kind() == TypeKind::date || from.kind() == TypeKind::timestamp ||
                          from.kind() == TypeKind::timestamp_ntz);
}

// `widens`: the table's columns may be given wider types.
Result<Schema> changed(const Schema& schema, const sql::ColumnChange& change, bool widens) {
  return in_parent(schema, change.path, 0, schema, [&](Schema fields) -> Result<Schema> {
    const int index = column::find_field_ignore_case(fields, change.path.back());
    if (index < 0) return unresolved(change.path, schema);
    Field field = fields[static_cast<std::size_t>(index)];
    if (!change.type.empty()) {
      TRY_ASSIGN(const auto type, column::parse_type(change.type));
      const auto declared = column::declared_type(field);
      const auto before = declared == nullptr ? field.type : declared;
      if (can_become(*before, *type)) {
        field.type = type;
        field = column::with_char_note(std::move(field));
      } else if (widens && declared == nullptr && *type != *before &&
                 delta::is_widening(*before, *type)) {
        field.type = type;
      } else if (!column::same_type_ignoring_nullability(type, before) &&
                 (column::has_char_or_varchar(type) || declared != nullptr ||
                  !can_up_cast(*before, *type))) {
        return Status::error("NOT_SUPPORTED_CHANGE_COLUMN",
                             {{"table", ""},
                              {"originName", quote_identifiers(change.path)},
                              {"originType", "\"" + before->sql() + "\""},
                              {"newName", quote_identifiers(change.path)},
                              {"newType", "\"" + type->sql() + "\""}});
      } else if (!column::same_type_ignoring_nullability(type, before)) {
        return Status::error("DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
                             {{"fieldPath", join(change.path, ".")},
                              {"oldField", before->sql()},
                              {"newField", type->sql()}});
      }
    }
    if (change.comment) field.metadata = with_comment(field.metadata, *change.comment);
    if (change.nullable == false && field.nullable) {
      ErrorInfo info;
      info.kind = ErrorKind::analysis;
      info.condition = "_LEGACY_ERROR_TEMP_2330";
      info.parameters = {{"fieldName", join(change.path, ".")}};
      info.message =
          "Cannot change nullable column to non-nullable: " + join(change.path, ".") + ".";
      return Status(std::move(info));
    }
    if (change.nullable == true) field.nullable = true;
    if (change.default_text) {
      const auto& text = *change.default_text;
      field.metadata = with_member(field.metadata, "CURRENT_DEFAULT",
                                   text.empty() ? std::nullopt : std::optional(text));
    }
    if (!change.position.given) {
      fields[static_cast<std::size_t>(index)] = std::move(field);
      return fields;
    }
    fields.erase(fields.begin() + index);
    TRY(place(fields, std::move(field), change.position, change.path, schema));
    return fields;
  });
}

// Columns are dropped and renamed where their names in the files are others.
Status needs_column_mapping(const char* condition, const Schema& schema,
                            const sql::ColumnChange& change) {
  TRY(in_parent(schema, change.path, 0, schema, [&](Schema fields) -> Result<Schema> {
        if (column::find_field_ignore_case(fields, change.path.back()) >= 0) return fields;
        return unresolved(change.path, schema);
      }).status());
  return Status::error(
      condition,
      {{"advice",
        "\nPlease enable Column Mapping on your Delta table with mapping mode 'name'.\nYou can use "
        "one of the following commands.\n\nALTER TABLE table_name SET TBLPROPERTIES "
        "('delta.columnMapping.mode' = 'name')\n\nNote, if your table is not on the required "
        "protocol version it will be upgraded.\nColumn mapping requires at least protocol (2, "
        "5)\n"}});
}

sql::Name renamed_path(const sql::AlterTable& alter) {
  sql::Name path = alter.columns[0].path;
  path.back() = alter.new_name.back();
  return path;
}

std::string quote_where_needed(const sql::Name& path) {
  std::vector<std::string> parts;
  for (const auto& part : path) {
    const bool plain = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
    parts.push_back(plain ? part : quote_identifier(part));
  }
  return join(parts, ".");
}

// Whether one of the two paths leads to what the other leads to, or to something below it.
bool overlap(const sql::Name& a, const sql::Name& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!equals_ignore_case(a[i], b[i])) return false;
  }
  return true;
}

// Whether an expression's text names the column.
bool names_column(const google::protobuf::Message& expression, const sql::Name& column) {
  if (const auto* attribute =
          dynamic_cast<const spark::connect::Expression_UnresolvedAttribute*>(&expression)) {
    const auto path = sql::parse_identifier(attribute->unparsed_identifier());
    return path.ok() && overlap(*path, column);
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  const auto* reflection = expression.GetReflection();
  reflection->ListFields(expression, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      if (names_column(reflection->GetMessage(expression, field), column)) return true;
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(expression, field); ++i) {
      if (names_column(reflection->GetRepeatedMessage(expression, field, i), column)) return true;
    }
  }
  return false;
}

bool names_column(const std::string& text, const sql::Name& column) {
  spark::connect::Expression expression;
  std::vector<spark::connect::Relation> subqueries;
  const Status parsed = sql::parse_expression(text, &expression, &subqueries);
  return !parsed.ok() || names_column(expression, column);  // who cannot tell says yes
}

// Constraints and generated columns have the column by its name.
Status check_nothing_depends(const sql::Name& path, const delta::Metadata& metadata,
                             const Schema& schema) {
  constexpr std::string_view prefix = "delta.constraints.";
  const std::string shown = quote_where_needed(path);
  std::vector<std::string> found;
  for (const auto& [key, text] : metadata.configuration) {
    if (to_lower(key).starts_with(prefix) && names_column(text, path))
      found.push_back(key + " -> " + text);
  }
  if (!found.empty()) {
    return Status::error("DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
                         {{"columnName", shown}, {"constraints", join(found, "\n")}});
  }
  for (const Field& field : schema) {
    const std::string text = generation_of(field);
    if (!text.empty() && names_column(text, path)) found.push_back(field.name + " -> " + text);
  }
  if (found.empty()) return Status::OK();
  return Status::error("DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
                       {{"columnName", shown}, {"generatedColumns", join(found, "\n")}});
}

// "a, `b,c`.d" -> a; `b,c`.d
std::vector<std::string> listed_columns(const std::string& text) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '`') quoted = !quoted;
    if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// The columns that statistics are kept of are listed by their names.
void rename_in_list(const sql::Name& path, const std::string& name, delta::Metadata& metadata) {
  const auto found = metadata.configuration.find("delta.dataSkippingStatsColumns");
  if (found == metadata.configuration.end()) return;
  std::vector<std::string> out;
  for (const auto& column : listed_columns(found->second)) {
    auto parts = sql::parse_identifier(trim(column));
    if (parts.ok() && parts->size() >= path.size() && overlap(*parts, path))
      (*parts)[path.size() - 1] = name;
    out.push_back(parts.ok() ? quote_where_needed(*parts) : column);
  }
  found->second = join(out, ",");
}

// Files are to be clustered by columns that are there.
Status check_not_clustered_by(const sql::AlterTable& alter, const delta::Snapshot& snapshot) {
  const auto columns = delta::clustering_columns(snapshot);
  for (const auto& change : alter.columns) {
    for (const auto& column : columns.value_or(std::vector<std::string>())) {
      if (!overlap(split(column, '.'), change.path)) continue;
      return Status::error("DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN", {{"columnList", column}});
    }
  }
  return Status::OK();
}

// RENAME COLUMN: the name is another, the column is the same.
Status rename_column(const sql::AlterTable& alter, delta::Metadata& metadata, Schema& schema) {
  const sql::Name& path = alter.columns[0].path;
  const std::string& name = alter.new_name.back();
  const bool is_new = !equals_ignore_case(name, path.back());
  TRY_ASSIGN(Schema next, in_parent(schema, path, 0, schema, [&](Schema fields) -> Result<Schema> {
               const int index = column::find_field_ignore_case(fields, path.back());
               if (index < 0) return unresolved(path, schema);
               if (is_new && column::find_field_ignore_case(fields, name) >= 0)
                 return already_there("rename", renamed_path(alter), schema);
               fields[static_cast<std::size_t>(index)].name = name;
               return fields;
             }));
  TRY(check_nothing_depends(path, metadata, schema));
  for (auto& column : metadata.partition_columns) {
    if (path.size() == 1 && equals_ignore_case(column, path[0])) column = name;
  }
  schema = std::move(next);
  rename_in_list(path, name, metadata);
  return Status::OK();
}

Status drop_column(const sql::Name& path, const delta::Metadata& metadata, const Schema& root,
                   Schema& schema) {
  TRY_ASSIGN(Schema next, in_parent(schema, path, 0, root, [&](Schema fields) -> Result<Schema> {
               const int index = column::find_field_ignore_case(fields, path.back());
               if (index < 0) return unresolved(path, root);
               if (fields.size() == 1) {
                 return Status::error("DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
                                      {{"schema", delta::tree_string(fields)}});
               }
               fields.erase(fields.begin() + index);
               return fields;
             }));
  const auto& partitions = metadata.partition_columns;
  if (path.size() == 1 && std::any_of(partitions.begin(), partitions.end(), [&](const auto& one) {
        return equals_ignore_case(one, path[0]);
      })) {
    return Status::error("DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", {{"columnList", path[0]}});
  }
  TRY(check_nothing_depends(path, metadata, root));
  schema = std::move(next);
  return Status::OK();
}

// Columns that are not there are no error of DROP COLUMN IF EXISTS.
Status drop_columns(const sql::AlterTable& alter, const delta::Metadata& metadata, Schema& schema) {
  const Schema root = schema;
  for (const auto& change : alter.columns) {
    const Status dropped = drop_column(change.path, metadata, root, schema);
    if (dropped.ok()) continue;
    const bool missing = dropped.condition().starts_with("UNRESOLVED_COLUMN");
    if (!alter.if_exists || !missing) return dropped;
  }
  return Status::OK();
}

std::string constraint_key(const std::string& name) {
  return "delta.constraints." + to_lower(name);
}

std::string operation_of(sql::AlterKind kind) {
  switch (kind) {
    case sql::AlterKind::unset_properties:
      return "UNSET TBLPROPERTIES";
    case sql::AlterKind::add_columns:
      return "ADD COLUMNS";
    case sql::AlterKind::alter_column:
      return "CHANGE COLUMN";
    case sql::AlterKind::drop_columns:
      return "DROP COLUMNS";
    case sql::AlterKind::rename_column:
      return "RENAME COLUMN";
    case sql::AlterKind::add_constraint:
      return "ADD CONSTRAINT";
    case sql::AlterKind::drop_constraint:
      return "DROP CONSTRAINT";
    default:
      return "SET TBLPROPERTIES";
  }
}

Json parameters_of(const sql::AlterTable& alter, bool constraint_was_there) {
  switch (alter.kind) {
    case sql::AlterKind::set_properties:
      return {{"properties", json_text(Json(alter.properties))}};
    case sql::AlterKind::unset_properties:
      return {{"properties", json_text(Json(alter.keys))}, {"ifExists", true}};
    case sql::AlterKind::comment:
      return {{"properties", json_text(Json{{"comment", alter.comment}})}};
    case sql::AlterKind::add_constraint:
      return {{"name", alter.constraint}, {"expr", alter.expression}};
    case sql::AlterKind::drop_constraint:
      return {{"name", alter.constraint}, {"existed", constraint_was_there ? "true" : "false"}};
    case sql::AlterKind::rename_column:
      return {{"oldColumnPath", quote_where_needed(alter.columns[0].path)},
              {"newColumnPath", quote_where_needed(renamed_path(alter))}};
    default: {
      std::vector<std::string> names;
      for (const auto& change : alter.columns) names.push_back(join(change.path, "."));
      return {{alter.kind == sql::AlterKind::alter_column ? "column" : "columns",
               json_text(Json(names))}};
    }
  }
}

const char* shown_operation(const sql::AlterTable& alter) {
  if (alter.view) return "ALTER VIEW";
  switch (alter.kind) {
    case sql::AlterKind::set_properties:
      return "ALTER TABLE ... SET TBLPROPERTIES";
    case sql::AlterKind::unset_properties:
      return "ALTER TABLE ... UNSET TBLPROPERTIES";
    case sql::AlterKind::add_columns:
      return "ALTER TABLE ... ADD COLUMN";
    case sql::AlterKind::alter_column:
      return "ALTER TABLE ... ALTER COLUMN";
    case sql::AlterKind::drop_columns:
      return "ALTER TABLE ... DROP COLUMN";
    case sql::AlterKind::rename_column:
      return "ALTER TABLE ... RENAME COLUMN";
    case sql::AlterKind::comment:
      return "COMMENT ON TABLE";
    case sql::AlterKind::set_location:
      return alter.partitions.empty() ? "ALTER TABLE ... SET LOCATION ..."
                                      : "ALTER TABLE ... PARTITION ... SET LOCATION";
    case sql::AlterKind::add_partitions:
      return "ALTER TABLE ... ADD PARTITION ...";
    case sql::AlterKind::drop_partitions:
      return "ALTER TABLE ... DROP PARTITION ...";
    case sql::AlterKind::rename_partition:
      return "ALTER TABLE ... RENAME TO PARTITION";
    case sql::AlterKind::recover_partitions:
      return "ALTER TABLE ... RECOVER PARTITIONS";
    case sql::AlterKind::add_constraint:
      return "ALTER TABLE ... ADD CONSTRAINT";
    case sql::AlterKind::drop_constraint:
      return "ALTER TABLE ... DROP CONSTRAINT";
    case sql::AlterKind::cluster_by:
      return "ALTER TABLE ... CLUSTER BY";
    case sql::AlterKind::drop_feature:
      return "ALTER TABLE ... DROP FEATURE";
    default:
      return "ALTER TABLE ... RENAME TO";
  }
}

}  // namespace

// SET LOCATION: the name is that of another table with the same columns.
Status StatementRun::move_delta_table(const sql::AlterTable& alter, const Target& target) {
  if (!target.name)
    return Status::unsupported("ALTER TABLE … SET LOCATION of a path is not supported");
  TRY_ASSIGN(const std::string directory, io::store_path(alter.location));
  TRY_ASSIGN(const bool exists, delta::is_delta_table(warehouse_.store(), directory));
  if (!exists) {
    return Status::error("DELTA_MISSING_DELTA_TABLE", {{"tableName", quote_identifier(directory)}});
  }
  TRY_ASSIGN(const auto from, delta::DeltaTable::open(warehouse_.store(), target.directory));
  TRY_ASSIGN(const auto to, delta::DeltaTable::open(warehouse_.store(), directory));
  const bool checked =
      !session_.conf().flag("spark.databricks.delta.alterLocation.bypassSchemaCheck");
  if (checked && column::schema_to_json(from->schema()) != column::schema_to_json(to->schema())) {
    return Status::error("DELTA_SET_LOCATION_SCHEMA_MISMATCH",
                         {{"original", delta::tree_string(from->schema())},
                          {"destination", delta::tree_string(to->schema())},
                          {"config", "spark.databricks.delta.alterLocation.bypassSchemaCheck"}});
  }
  Entry entry = target.entry.value_or(Entry());
  entry.provider = "delta";
  entry.location = directory;
  entry.external = true;
  return warehouse_.put_entry(*target.name, entry);
}

// The error of a column with the table's name in it.
Result<Schema> StatementRun::of_table(Result<Schema> changed, const Target& target) {
  if (changed.ok() || !changed.status().is("NOT_SUPPORTED_CHANGE_COLUMN")) return changed;
  auto parameters = changed.status().info().parameters;
  parameters["table"] = target.name ? target.name->quoted() : target.shown;
  return Status::error("NOT_SUPPORTED_CHANGE_COLUMN", std::move(parameters));
}

// ALTER COLUMN … SET DEFAULT: the table has the feature, and the column takes the value.
Status StatementRun::check_default_feature(const sql::AlterTable& alter,
                                           const Target& target) const {
  const bool sets = std::any_of(alter.columns.begin(), alter.columns.end(), [](const auto& one) {
    return one.default_text && !one.default_text->empty();
  });
  if (!sets) return Status::OK();
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(warehouse_.store(), target.directory));
  const auto& features = table->snapshot().protocol().writer_features;
  if (features &&
      std::find(features->begin(), features->end(), "allowColumnDefaults") != features->end()) {
    return Status::OK();
  }
  return Status::error("WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED",
                       {{"commandType", "ALTER TABLE"}});
}

Status StatementRun::check_new_default(const sql::ColumnChange& change, const Schema& schema,
                                       const delta::Metadata& metadata) const {
  (void)metadata;
  if (!change.default_text || change.default_text->empty()) return Status::OK();
  const int index = column::find_field_ignore_case(schema, change.path.back());
  if (index < 0) return Status::OK();
  return check_default(session_, "ALTER TABLE ALTER COLUMN",
                       schema[static_cast<std::size_t>(index)], *change.default_text, context_);
}

// Rows that are there must keep it too.
Status StatementRun::add_constraint(const sql::AlterTable& alter, const Target& target,
                                    delta::Metadata& metadata, const Schema& schema) const {
  const std::string key = constraint_key(alter.constraint);
  const std::string shown = target.name ? target.shown : "delta.`" + target.directory + "`";
  if (alter.expression.empty()) {
    return Status::error("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                         {{"tableName", target.name ? target.name->quoted() : shown},
                          {"operation", "ADD CONSTRAINT"}});
  }
  if (const auto known = metadata.configuration.find(key); known != metadata.configuration.end()) {
    return Status::error("DELTA_CONSTRAINT_ALREADY_EXISTS",
                         {{"constraintName", alter.constraint}, {"oldConstraint", known->second}});
  }
  spark::connect::Relation broken;
  auto* filter = broken.mutable_filter();
  filter->mutable_input()->mutable_read()->mutable_named_table()->set_unparsed_identifier(
      quote_identifiers({"delta", target.directory}));
  const auto add_text = [](spark::connect::Expression* out, const std::string& text) {
    out->mutable_expression_string()->set_expression(text);
  };
  spark::connect::Relation tried;
  *tried.mutable_project()->mutable_input() = filter->input();
  add_text(tried.mutable_project()->add_expressions(), alter.expression);
  TRY_ASSIGN(const auto plan, session_.analyze(tried));
  const auto type = plan::schema_of(*plan)[0].type;
  if (type->kind() != column::TypeKind::boolean) {
    return Status::error("DELTA_NON_BOOLEAN_CHECK_CONSTRAINT",
                         {{"name", alter.constraint}, {"expr", alter.expression}});
  }
  auto* unknown = filter->mutable_condition()->mutable_unresolved_function();
  unknown->set_function_name("not");
  auto* kept = unknown->add_arguments()->mutable_unresolved_function();
  kept->set_function_name("coalesce");
  add_text(kept->add_arguments(), alter.expression);
  kept->add_arguments()->mutable_literal()->set_boolean(false);
  TRY_ASSIGN(const auto broken_plan, session_.analyze(broken));
  TRY_ASSIGN(const auto rows, session_.execute(broken_plan, context_));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  std::int64_t count = 0;
  for (const auto& batch : batches) count += batch->num_rows();
  if (count > 0) {
    return Status::error("DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
                         {{"numRows", std::to_string(count)},
                          {"tableName", shown},
                          {"checkConstraint", alter.expression}});
  }
  (void)schema;
  metadata.configuration[key] = alter.expression;
  return Status::OK();
}

// SYNC IDENTITY: numbers go on behind the greatest that the rows have (the least, where they fall).
Status StatementRun::sync_identity(const sql::ColumnChange& change, const Target& target,
                                   Schema& schema) const {
  const int index =
      change.path.size() == 1 ? column::find_field_ignore_case(schema, change.path[0]) : -1;
  if (index < 0) return unresolved(change.path, schema);
  Field& field = schema[static_cast<std::size_t>(index)];
  if (!delta::is_identity(field))
    return Status::error("DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN");
  TRY_ASSIGN(const auto columns, delta::identity_columns({field}));
  const delta::IdentityColumn& column = columns[0];
  spark::connect::Relation found;
  auto* aggregate = found.mutable_aggregate();
  aggregate->set_group_type(spark::connect::Aggregate::GROUP_TYPE_GROUPBY);
  aggregate->mutable_input()->mutable_read()->mutable_named_table()->set_unparsed_identifier(
      quote_identifiers({"delta", target.directory}));
  aggregate->add_aggregate_expressions()->mutable_expression_string()->set_expression(
      fmt::format("{}({})", column.step > 0 ? "max" : "min", quote_identifier(field.name)));
  TRY_ASSIGN(const auto plan, session_.analyze(found));
  TRY_ASSIGN(const auto rows, session_.execute(plan, context_));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  for (const auto& batch : batches) {
    const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (std::int64_t i = 0; i < values.length(); ++i) {
      if (values.IsNull(i)) continue;
      TRY_ASSIGN(const std::int64_t mark, delta::mark_at(column, values.Value(i)));
      const bool known =
          column.mark && (column.step > 0 ? *column.mark >= mark : *column.mark <= mark);
      if (!known) delta::set_mark(field, mark);
    }
  }
  return Status::OK();
}

Status StatementRun::drop_constraint(const sql::AlterTable& alter,
                                     delta::Metadata& metadata) const {
  if (metadata.configuration.erase(constraint_key(alter.constraint)) > 0 || alter.if_exists)
    return Status::OK();
  return Status::error(
      "DELTA_CONSTRAINT_DOES_NOT_EXIST",
      {{"constraintName", alter.constraint},
       {"tableName", join(alter.table, ".")},
       {"config", "spark.databricks.delta.constraints.assumesDropIfExists.enabled"},
       {"confValue", "true"}});
}

namespace {

// Where a column has that type already there is nothing left of such a statement.
bool gives_types_only(const sql::AlterTable& alter) {
  return alter.kind == sql::AlterKind::alter_column &&
         std::all_of(alter.columns.begin(), alter.columns.end(), [](const auto& change) {
           return !change.type.empty() && !change.comment && !change.nullable &&
                  !change.default_text && !change.position.given && !change.sync_identity;
         });
}

bool syncs_identity(const sql::AlterTable& alter) {
  return std::any_of(alter.columns.begin(), alter.columns.end(),
                     [](const auto& change) { return change.sync_identity; });
}

// Alone: with other properties it is a change that a table cannot be given.
bool takes_mapping_off(const sql::AlterTable& alter, const delta::TableInfo& info) {
  if (info.mapping == delta::MappingMode::none) return false;
  if (alter.kind != sql::AlterKind::set_properties || alter.properties.size() != 1) return false;
  const auto& [key, value] = *alter.properties.begin();
  return equals_ignore_case(key, "delta.columnMapping.mode") && equals_ignore_case(value, "none");
}

}  // namespace

Status StatementRun::alter_metadata(const sql::AlterTable& alter, const Target& target) {
  const auto change = [&](delta::Metadata& metadata, Schema& schema) -> Status {
    const auto found = metadata.configuration.find("delta.enableTypeWidening");
    const bool widens =
        found != metadata.configuration.end() && parse_bool(found->second).value_or(false);
    switch (alter.kind) {
      case sql::AlterKind::set_properties:
        for (const auto& [key, value] : alter.properties) {
          if (to_lower(key).starts_with("delta.constraints.")) {
            return Status::error("DELTA_ADD_CONSTRAINTS");
          }
          if (key == "comment") {
            metadata.description = value;
          } else {
            metadata.configuration[key] = value;
          }
        }
        break;
      case sql::AlterKind::unset_properties:
        for (const auto& key : alter.keys) metadata.configuration.erase(key);
        break;
      case sql::AlterKind::comment:
        metadata.description = alter.comment;
        break;
      case sql::AlterKind::add_columns:
        for (const auto& one : alter.columns) {
          TRY_ASSIGN(schema, added(schema, one));
        }
        break;
      case sql::AlterKind::alter_column:
        for (const auto& one : alter.columns) {
          if (one.sync_identity) {
            TRY(sync_identity(one, target, schema));
            continue;
          }
          TRY_ASSIGN(Schema next, of_table(changed(schema, one, widens), target));
          if (widens && !one.type.empty()) {
            next = delta::with_type_changes(schema, std::move(next));
            if (column::as_nullable(next) != column::as_nullable(schema))
              TRY(check_nothing_depends(one.path, metadata, schema));
          }
          schema = std::move(next);
          TRY(check_new_default(one, schema, metadata));
        }
        break;
      case sql::AlterKind::add_constraint:
        return add_constraint(alter, target, metadata, schema);
      case sql::AlterKind::drop_constraint:
        return drop_constraint(alter, metadata);
      case sql::AlterKind::drop_columns: {
        TRY_ASSIGN(const auto mapping, delta::mapping_mode(metadata));
        if (mapping == delta::MappingMode::none) {
          const Status status =
              needs_column_mapping("DELTA_UNSUPPORTED_DROP_COLUMN", schema, alter.columns[0]);
          const bool missing = status.condition().starts_with("UNRESOLVED_COLUMN");
          return alter.if_exists && missing ? Status::OK() : status;
        }
        return drop_columns(alter, metadata, schema);
      }
      case sql::AlterKind::rename_column: {
        TRY_ASSIGN(const auto mapping, delta::mapping_mode(metadata));
        if (mapping == delta::MappingMode::none)
          return needs_column_mapping("DELTA_UNSUPPORTED_RENAME_COLUMN", schema, alter.columns[0]);
        return rename_column(alter, metadata, schema);
      }
      default:
        return Status::unsupported("this form of ALTER TABLE is not supported");
    }
    return Status::OK();
  };
  if (alter.kind == sql::AlterKind::alter_column) TRY(check_default_feature(alter, target));
  if (alter.kind == sql::AlterKind::drop_columns) {
    TRY_ASSIGN(const auto table, delta::DeltaTable::open(warehouse_.store(), target.directory));
    TRY(check_not_clustered_by(alter, table->snapshot()));
  }
  if (alter.kind == sql::AlterKind::drop_feature) {
    return delta::drop_feature(warehouse_.store(), target.directory,
                               {alter.feature, alter.truncate_history, session_.conf().time_zone()},
                               context_.cancel);
  }
  const auto log = delta::Log::shared(warehouse_.store(), target.directory);
  TRY_ASSIGN(const auto snapshot, log->latest());
  if (snapshot != nullptr && takes_mapping_off(alter, snapshot->info())) {
    return delta::remove_column_mapping(warehouse_.store(), target.directory,
                                        session_.conf().time_zone(), context_.cancel)
        .status();
  }
  if (alter.kind == sql::AlterKind::cluster_by) {
    return delta::change_clustering(warehouse_.store(), target.directory, alter.cluster_by)
        .status();
  }
  const bool constraint_was_there =
      snapshot != nullptr &&
      snapshot->metadata().configuration.contains(constraint_key(alter.constraint));
  delta::MetadataCommit as;
  as.operation = operation_of(alter.kind);
  as.parameters = json_text(parameters_of(alter, constraint_was_there));
  as.reads_rows = alter.kind == sql::AlterKind::add_constraint || syncs_identity(alter);
  as.if_changed = alter.kind == sql::AlterKind::drop_columns || gives_types_only(alter);
  return delta::change_metadata(warehouse_.store(), target.directory, as, change).status();
}

StatementRun::Outcome StatementRun::rename(const sql::AlterTable& alter) {
  if (alter.table.size() == 1 && is_view(alter.table)) {
    if (!alter.view) return view_expected_table(alter.table, shown_operation(alter));
    auto view = *session_.views().find(alter.table[0]);
    view.name = alter.new_name.back();
    if (!session_.views().put(std::move(view), false)) {
      return Status::error("TABLE_OR_VIEW_ALREADY_EXISTS",
                           {{"relationName", quote_identifiers(alter.new_name)}});
    }
    session_.views().drop(alter.table[0]);
    return nothing();
  }
  const auto from = session_.table_name(alter.table);
  if (!from.ok()) return session_.relation_not_found(alter.table);
  TRY_ASSIGN(const auto entry, warehouse_.entry(*from));
  TRY_ASSIGN(const bool there, warehouse_.is_taken(*from));
  if (!there) return session_.relation_not_found(alter.table);
  if (alter.view != (entry && entry->view)) {
    if (!alter.view)
      return view_expected_table({"spark_catalog", from->database, from->table},
                                 shown_operation(alter));
    return Status::error(
        "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE",
        {{"tableName", from->quoted()}, {"operation", "ALTER VIEW ... RENAME TO"}});
  }
  TRY_ASSIGN(const TableName to, session_.table_name(alter.new_name));
  if (to.database != from->database) {
    return Status::unsupported("ALTER TABLE … RENAME TO into another database is not supported");
  }
  TRY_ASSIGN(const bool taken, warehouse_.is_taken(to));
  if (taken) {
    return Status::error("TABLE_OR_VIEW_ALREADY_EXISTS",
                         {{"relationName", quote_identifiers({to.database, to.table})}});
  }
  TRY(warehouse_.rename_table(*from, to));
  return nothing();
}

// What of the partitions of a Delta table nobody may change by name.
Status StatementRun::refused_of_delta(const sql::AlterTable& alter, const Target& target) const {
  switch (alter.kind) {
    case sql::AlterKind::add_partitions:
    case sql::AlterKind::drop_partitions:
    case sql::AlterKind::rename_partition:
      return Status::error("INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED",
                           {{"name", target.name ? target.name->quoted() : target.shown}});
    case sql::AlterKind::recover_partitions:
      return Status::error(
          "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE",
          {{"cmd", alter.repair ? "MSCK REPAIR TABLE" : "ALTER TABLE ... RECOVER PARTITIONS"}});
    case sql::AlterKind::set_location:
      if (alter.partitions.empty()) return Status::OK();
      return legacy_error(ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1045", {},
                          "ALTER TABLE SET LOCATION does not support partition for v2 tables.");
    default:
      return Status::OK();
  }
}

StatementRun::Outcome StatementRun::operator()(const sql::AlterTable& alter) {
  if (alter.kind == sql::AlterKind::rename) return rename(alter);
  if (alter.view) {
    TRY_ASSIGN(const TableName name, session_.table_name(alter.table));
    TRY_ASSIGN(auto entry, warehouse_.entry(name));
    if (!entry || !entry->view) return session_.relation_not_found(alter.table);
    for (const auto& [key, value] : alter.properties) entry->properties[key] = value;
    for (const auto& key : alter.keys) entry->properties.erase(key);
    TRY(warehouse_.put_entry(name, *entry));
    return nothing();
  }
  TRY_ASSIGN(const Target target, target_of(alter.table, shown_operation(alter)));
  if (target.is_delta) {
    TRY(refused_of_delta(alter, target));
    if (alter.kind == sql::AlterKind::set_location) {
      TRY(move_delta_table(alter, target));
      return nothing();
    }
    TRY(alter_metadata(alter, target));
    return nothing();
  }
  Entry entry = *target.entry;
  switch (alter.kind) {
    case sql::AlterKind::set_properties:
      for (const auto& [key, value] : alter.properties) entry.properties[key] = value;
      break;
    case sql::AlterKind::unset_properties:
      for (const auto& key : alter.keys) entry.properties.erase(key);
      break;
    case sql::AlterKind::comment:
      entry.comment = alter.comment;
      break;
    case sql::AlterKind::add_partitions:
    case sql::AlterKind::drop_partitions:
    case sql::AlterKind::rename_partition:
    case sql::AlterKind::recover_partitions:
      TRY(alter_partitions(alter, target));
      return nothing();
    case sql::AlterKind::set_location: {
      if (!alter.partitions.empty()) {
        TRY(alter_partitions(alter, target));
        return nothing();
      }
      TRY_ASSIGN(entry.location, io::store_path(alter.location));
      if (!entry.partition_by.empty()) {
        TRY(move_file_table(target, entry.location));
        return nothing();
      }
      break;
    }
    default:
      return Status::unsupported("{} of a table of format {} is not supported",
                                 shown_operation(alter), entry.provider);
  }
  TRY(warehouse_.put_entry(*target.name, entry));
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::AlterView& alter) {
  sql::CreateView create;
  create.name = alter.name;
  create.replace = true;
  create.text = alter.text;
  create.query = alter.query;
  create.temporary = is_view(alter.name);
  create.global = create.temporary && alter.name.size() == 2;
  if (!create.temporary) {
    const auto name = session_.table_name(alter.name);
    if (!name.ok()) return session_.relation_not_found(alter.name);
    TRY_ASSIGN(const auto entry, warehouse_.entry(*name));
    if (!entry || !entry->view) return session_.relation_not_found(alter.name);
    create.comment = entry->comment;
    create.properties = entry->properties;
  }
  return (*this)(create);
}

StatementRun::Outcome StatementRun::operator()(const sql::AlterDatabase& alter) {
  TRY_ASSIGN(const std::string name, database_of(alter.name));
  TRY(require_database(name));
  TRY_ASSIGN(DatabaseInfo info, warehouse_.database_info(name));
  for (const auto& [key, value] : alter.properties) info.properties[key] = value;
  if (alter.comment) info.comment = *alter.comment;
  if (alter.location) {
    TRY_ASSIGN(const auto tables, warehouse_.tables(name));
    // Its tables are where it is.
    if (!tables.empty() || name == "default")
      return Status::unsupported("ALTER DATABASE … SET LOCATION of a database with tables");
    TRY_ASSIGN(info.location, database_location(*alter.location));
    TRY(warehouse_.store()->make_directories(info.location));
  }
  TRY(warehouse_.put_database_info(name, info));
  return nothing();
}

}  // namespace millstream::session
