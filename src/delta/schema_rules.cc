#include "delta/schema_rules.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "delta/type_changes.h"

namespace millstream::delta {
namespace {

using column::Field;
using column::Schema;
using column::TypeKind;
using column::TypePtr;

std::string type_name(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::struct_:
      return "struct";
    case TypeKind::array:
      return "array";
    case TypeKind::map:
      return "map";
    default: {
      std::string json = type->to_json();
      if (json.size() >= 2 && json.front() == '"') json = json.substr(1, json.size() - 2);
      return json;
    }
  }
}

void append_tree(const Schema& fields, const std::string& prefix, std::string& out);

void append_type_tree(const TypePtr& type, const std::string& prefix, std::string& out) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  if (type->kind() == TypeKind::struct_) {
    append_tree(type->fields(), prefix, out);
  } else if (type->kind() == TypeKind::array) {
    out += fmt::format("{}-- element: {} (containsNull = {})\n", prefix, type_name(type->element()),
                       flag(type->contains_null()));
    append_type_tree(type->element(), prefix + "    |", out);
  } else if (type->kind() == TypeKind::map) {
    out += fmt::format("{}-- key: {}\n", prefix, type_name(type->key()));
    append_type_tree(type->key(), prefix + "    |", out);
    out += fmt::format("{}-- value: {} (valueContainsNull = {})\n", prefix,
                       type_name(type->value()), flag(type->value_contains_null()));
    append_type_tree(type->value(), prefix + "    |", out);
  }
}

void append_tree(const Schema& fields, const std::string& prefix, std::string& out) {
  for (const auto& field : fields) {
    out += fmt::format("{}-- {}: {} (nullable = {})\n", prefix, field.name, type_name(field.type),
                       field.nullable ? "true" : "false");
    append_type_tree(field.type, prefix + "    |", out);
  }
}

struct Merge {
  bool merge;
  CastRule rule;
  bool widen;                   // columns take wider types of the data
  bool changes_schema = false;  // the data has columns that the table has not, or wider ones
};

Status cannot_merge(const Field& table, const Field& data, const TypePtr& current,
                    const TypePtr& update) {
  const bool decimals = current->kind() == TypeKind::decimal && update->kind() == TypeKind::decimal;
  const Status cause =
      decimals
          ? Status::error("DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE",
                          {{"decimalRanges", fmt::format("precision {} and {} & scale {} and {}",
                                                         current->precision(), update->precision(),
                                                         current->scale(), update->scale())}})
          : Status::error(
                "DELTA_MERGE_INCOMPATIBLE_DATATYPE",
                {{"currentDataType", type_name(current)}, {"updateDataType", type_name(update)}});
  return Status::error("DELTA_FAILED_TO_MERGE_FIELDS",
                       {{"currentField", table.name}, {"updateField", data.name}})
      .with_cause(cause);
}

bool small_integer(const TypePtr& type) {
  return type->kind() == TypeKind::byte_ || type->kind() == TypeKind::short_ ||
         type->kind() == TypeKind::int_;
}

Result<Schema> merge_fields(const Schema& table, const Schema& data, Merge& merge);

Result<TypePtr> merge_types(const Field& table_field, const Field& data_field, const TypePtr& table,
                            const TypePtr& data, Merge& merge) {
  if (data->kind() == TypeKind::null) return table;
  if (table->kind() == TypeKind::null && merge.rule == CastRule::merge_types) return data;
  if (table->kind() == data->kind() && table->is_nested()) {
    if (table->kind() == TypeKind::struct_) {
      TRY_ASSIGN(auto fields, merge_fields(table->fields(), data->fields(), merge));
      return column::struct_type(std::move(fields));
    }
    if (table->kind() == TypeKind::array) {
      TRY_ASSIGN(auto element,
                 merge_types(table_field, data_field, table->element(), data->element(), merge));
      return column::array_type(std::move(element), table->contains_null());
    }
    TRY_ASSIGN(auto key, merge_types(table_field, data_field, table->key(), data->key(), merge));
    TRY_ASSIGN(auto value,
               merge_types(table_field, data_field, table->value(), data->value(), merge));
    return column::map_type(std::move(key), std::move(value), table->value_contains_null());
  }
  if (merge.widen && *table != *data && is_widening(*table, *data)) {
    merge.changes_schema = true;
    return data;
  }
  // These are one in files: an older file is read as either.
  const bool goes_up = merge.merge && merge.rule == CastRule::merge_types && small_integer(table) &&
                       small_integer(data) && table->kind() < data->kind();
  if (goes_up) return data;
  if (*table == *data || (small_integer(table) && small_integer(data))) return table;
  if (table->is_string() && data->is_string()) return table;
  if (merge.rule == CastRule::cast && !table->is_nested() && !data->is_nested()) return table;
  return cannot_merge(table_field, data_field, table, data);
}

Result<Schema> merge_fields(const Schema& table, const Schema& data, Merge& merge) {
  Schema merged = table;
  for (auto& field : merged) {
    const int found = column::find_field_ignore_case(data, field.name);
    if (found < 0) continue;
    const Field& update = data[static_cast<std::size_t>(found)];
    TRY_ASSIGN(field.type, merge_types(field, update, field.type, update.type, merge));
  }
  for (const auto& field : data) {
    if (column::find_field_ignore_case(table, field.name) >= 0) continue;
    merge.changes_schema = true;
    merged.push_back({field.name, column::as_nullable(field.type), true, field.metadata});
  }
  return merged;
}

Status check_names_below(const Schema& schema, const std::string& prefix,
                         std::string_view duplicates_found_in, std::vector<std::string>& invalid) {
  std::set<std::string> seen;
  std::vector<std::string> twice;
  for (const auto& field : schema) {
    if (!seen.insert(to_lower(field.name)).second) twice.push_back(prefix + field.name);
    if (field.name.find_first_of(" ,;{}()\n\t=") != std::string::npos)
      invalid.push_back(field.name);
  }
  if (!twice.empty()) {
    return Status::error(fmt::format("DELTA_DUPLICATE_COLUMNS_FOUND.{}", duplicates_found_in),
                         {{"duplicateCols", join(twice, ", ")}});
  }
  const auto visit = [&](const auto& self, const std::string& name, const TypePtr& type) -> Status {
    if (type->kind() == TypeKind::struct_) {
      return check_names_below(type->fields(), name + '.', duplicates_found_in, invalid);
    }
    if (type->is_nested()) {
      for (const auto& inner : type->fields()) TRY(self(self, name + '.' + inner.name, inner.type));
    }
    return Status::OK();
  };
  for (const auto& field : schema) TRY(visit(visit, prefix + field.name, field.type));
  return Status::OK();
}

}  // namespace

std::string tree_string(const Schema& schema) {
  std::string out = "root\n";
  append_tree(schema, " |", out);
  return out;
}

Status metadata_mismatch(const std::vector<std::string>& problems) {
  return Status::error("DELTA_METADATA_MISMATCH", {{"problems", "- " + join(problems, "\n- ")}});
}

std::string partitioning_mismatch(const std::vector<std::string>& given,
                                  const std::vector<std::string>& table) {
  const auto list = [](const std::vector<std::string>& names) {
    std::vector<std::string> quoted;
    for (const auto& name : names) quoted.push_back('`' + name + '`');
    return '[' + join(quoted, ", ") + ']';
  };
  return fmt::format(
      "Partition columns do not match the partition columns of the table.\nGiven: {}\nTable: {}\n",
      list(given), list(table));
}

Result<Schema> schema_after_write(const TableInfo& table, const Schema& data, bool merge,
                                  CastRule rule, bool overwrite) {
  TRY(check_column_names(data, "DATA", table.mapping != MappingMode::none));
  const bool widen =
      (merge || rule == CastRule::merge_types) && table.flag("delta.enableTypeWidening", false);
  Merge state{merge, rule, widen};
  TRY_ASSIGN(Schema merged, merge_fields(table.schema, data, state));
  if (widen) merged = with_type_changes(table.schema, std::move(merged));
  if (state.changes_schema && !merge) {
    std::vector<std::string> problems = {fmt::format(
        "A schema mismatch detected when writing to the Delta table (Table ID: {}).\nTo enable "
        "schema migration using "
        "DataFrameWriter or DataStreamWriter, please set: '.option(\"mergeSchema\", "
        "\"true\")'.\nFor other operations, set "
        "the session configuration spark.databricks.delta.schema.autoMerge.enabled to \"true\". "
        "See the documentation "
        "specific to the operation for details.\n\nTable schema:\n{}\n\nData schema:\n{}\n",
        table.metadata.id, tree_string(table.schema), tree_string(data))};
    if (overwrite) {
      problems.push_back(
          "To overwrite your schema or change partitioning, please set: "
          "'.option(\"overwriteSchema\", \"true\")'.\nNote "
          "that the schema can't be overwritten when using 'replaceWhere'.");
    }
    return metadata_mismatch(problems);
  }
  for (const auto& field : table.schema) {
    if (!field.nullable && column::find_field_ignore_case(data, field.name) < 0) {
      return Status::error("DELTA_MISSING_NOT_NULL_COLUMN_VALUE", {{"columnName", field.name}});
    }
  }
  return merged;
}

Status check_column_names(const Schema& schema, std::string_view duplicates_found_in,
                          bool any_characters) {
  std::vector<std::string> invalid;
  TRY(check_names_below(schema, "", duplicates_found_in, invalid));
  if (invalid.empty() || any_characters) return Status::OK();
  return Status::error("DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
                       {{"invalidColumnNames", join(invalid, ", ")}});
}

Result<std::vector<std::string>> check_partition_columns(const Schema& schema,
                                                         const std::vector<std::string>& columns) {
  std::vector<std::string> spelled;
  std::set<std::string> seen;
  for (const auto& name : columns) {
    const int index = column::find_field_ignore_case(schema, name);
    if (index < 0) {
      std::vector<std::string> names;
      for (const auto& field : schema) names.push_back(field.name);
      return Status::error("DELTA_PARTITION_COLUMN_NOT_FOUND",
                           {{"columnName", '`' + name + '`'}, {"schemaMap", join(names, ", ")}});
    }
    const Field& field = schema[static_cast<std::size_t>(index)];
    if (field.type->is_nested() || field.type->kind() == TypeKind::null ||
        field.type->kind() == TypeKind::variant) {
      return Status::error("DELTA_INVALID_PARTITION_COLUMN_TYPE",
                           {{"name", name}, {"dataType", field.type->sql()}});
    }
    if (!seen.insert(to_lower(name)).second) {
      return Status::error("DELTA_DUPLICATE_COLUMNS_FOUND.PARTITION_COLUMNS",
                           {{"duplicateCols", name}});
    }
    spelled.push_back(field.name);
  }
  if (!spelled.empty() && spelled.size() == schema.size()) {
    return Status::error("DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION");
  }
  return spelled;
}

}  // namespace millstream::delta
