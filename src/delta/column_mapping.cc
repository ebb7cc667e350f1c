#include "delta/column_mapping.h"

#include <arrow/array/data.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "base/text.h"

namespace millstream::delta {
namespace {

using column::Field;
using column::Schema;
using column::TypeKind;
using column::TypePtr;
using nlohmann::json;

constexpr const char* physical_name_key = "delta.columnMapping.physicalName";
constexpr const char* id_key = "delta.columnMapping.id";
constexpr const char* mode_property = "delta.columnMapping.mode";
constexpr const char* max_id_property = "delta.columnMapping.maxColumnId";

json notes_of(const Field& field) {
  json notes = field.metadata.empty() ? json::object()
                                      : json::parse(field.metadata, nullptr, /*exceptions=*/false);
  return notes.is_object() ? notes : json::object();
}

// The type with `change` applied to each list of struct fields in it, from the outside in.
template <typename Change>
Result<TypePtr> with_fields(const TypePtr& type, const Change& change) {
  switch (type->kind()) {
    case TypeKind::struct_: {
      TRY_ASSIGN(Schema fields, change(type->fields()));
      return column::struct_type(std::move(fields));
    }
    case TypeKind::array: {
      TRY_ASSIGN(TypePtr element, with_fields(type->element(), change));
      return column::array_type(std::move(element), type->contains_null());
    }
    case TypeKind::map: {
      TRY_ASSIGN(TypePtr key, with_fields(type->key(), change));
      TRY_ASSIGN(TypePtr value, with_fields(type->value(), change));
      return column::map_type(std::move(key), std::move(value), type->value_contains_null());
    }
    default:
      return type;
  }
}

std::string text_of(const json& notes) {
  return notes.empty() ? "" : notes.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::int64_t greatest_id(const Schema& schema);

std::int64_t greatest_id(const TypePtr& type) {
  return type->is_nested() ? greatest_id(type->fields()) : 0;
}

std::int64_t greatest_id(const Schema& schema) {
  std::int64_t greatest = 0;
  for (const auto& field : schema) {
    const json notes = notes_of(field);
    if (const auto id = notes.find(id_key); id != notes.end() && id->is_number_integer())
      greatest = std::max(greatest, id->get<std::int64_t>());
    greatest = std::max(greatest, greatest_id(field.type));
  }
  return greatest;
}

// From the outside in: a struct's id is before those of its members.
Schema numbered(const Schema& schema, PhysicalNames names, std::int64_t& last_id) {
  Schema out = schema;
  for (auto& field : out) {
    json notes = notes_of(field);
    if (!notes.contains(id_key) || !notes[id_key].is_number_integer()) notes[id_key] = ++last_id;
    if (!notes.contains(physical_name_key) || !notes[physical_name_key].is_string()) {
      notes[physical_name_key] =
          names == PhysicalNames::as_named ? field.name : "col-" + new_uuid();
    }
    field.metadata = text_of(notes);
    field.type = with_fields(field.type, [&](const Schema& fields) -> Result<Schema> {
                   return numbered(fields, names, last_id);
                 }).value();
  }
  return out;
}

bool is_delta_note(const std::string& key) {
  constexpr std::array<std::string_view, 6> notes = {id_key,
                                                     physical_name_key,
                                                     "delta.columnMapping.nested.ids",
                                                     "delta.typeChanges",
                                                     "delta.generationExpression",
                                                     "delta.invariants"};
  return std::find(notes.begin(), notes.end(), key) != notes.end() ||
         key.starts_with("delta.identity.");
}

}  // namespace

Result<MappingMode> mapping_mode(const Metadata& metadata) {
  for (const auto& [key, value] : metadata.configuration) {
    if (!equals_ignore_case(key, mode_property)) continue;
    if (equals_ignore_case(value, "none")) return MappingMode::none;
    if (equals_ignore_case(value, "name")) return MappingMode::name;
    if (equals_ignore_case(value, "id")) return MappingMode::id;
    return Status::illegal_state("the table has the unknown delta.columnMapping.mode '{}'", value);
  }
  return MappingMode::none;
}

Result<Schema> physical_schema(const Schema& schema, MappingMode mode) {
  if (mode == MappingMode::none) return schema;
  Schema out = schema;
  for (auto& field : out) {
    const json notes = notes_of(field);
    const auto name = notes.find(physical_name_key);
    const auto id = notes.find(id_key);
    const bool has_id = id != notes.end() && id->is_number_integer();
    if (name == notes.end() || !name->is_string() || (mode == MappingMode::id && !has_id)) {
      return Status::illegal_state(
          "the table maps columns, but its field {} has no {} in the schema of its Delta log",
          field.name, mode == MappingMode::id && !has_id ? id_key : physical_name_key);
    }
    field.name = name->get<std::string>();
    field.metadata =
        has_id ? fmt::format(R"({{"parquet.field.id":{}}})", id->get<std::int64_t>()) : "";
    TRY_ASSIGN(field.type, with_fields(field.type, [&](const Schema& fields) {
                 return physical_schema(fields, mode);
               }));
  }
  return out;
}

Schema with_mapping(const Schema& schema, PhysicalNames names, Metadata& metadata) {
  std::int64_t last_id = greatest_id(schema);
  std::string& noted = metadata.configuration[max_id_property];
  last_id = std::max(last_id, parse_int64(noted).value_or(0));
  Schema out = numbered(schema, names, last_id);
  noted = fmt::to_string(last_id);
  return out;
}

void keep_greatest_id(const Metadata& known, Metadata& restored) {
  const auto from = known.configuration.find(max_id_property);
  const auto to = restored.configuration.find(max_id_property);
  if (from == known.configuration.end() || to == restored.configuration.end()) return;
  if (parse_int64(from->second).value_or(0) > parse_int64(to->second).value_or(0))
    to->second = from->second;
}

Status check_not_given(const std::map<std::string, std::string>& properties) {
  for (const auto& [key, value] : properties) {
    if (equals_ignore_case(key, max_id_property))
      return Status::error("DELTA_CANNOT_MODIFY_TABLE_PROPERTY", {{"prop", max_id_property}});
  }
  return Status::OK();
}

Schema with_mapping_of(const Schema& schema, const Schema& old) {
  Schema out = schema;
  for (auto& field : out) {
    const int index = column::find_field_ignore_case(old, field.name);
    if (index < 0) continue;
    const Field& before = old[static_cast<std::size_t>(index)];
    if (!column::same_type_ignoring_nullability(field.type, before.type)) continue;
    const json old_notes = notes_of(before);
    json notes = notes_of(field);
    for (const char* key : {id_key, physical_name_key}) {
      if (old_notes.contains(key)) notes[key] = old_notes[key];
    }
    field.metadata = text_of(notes);
    // The same members, whose fields may be nullable where they were not.
    if (field.type->kind() == TypeKind::struct_) {
      field.type =
          column::struct_type(with_mapping_of(field.type->fields(), before.type->fields()));
    } else if (field.type->is_nested()) {
      field.type = before.type;
    }
  }
  return out;
}

Schema without_mapping(const Schema& schema) {
  Schema out = schema;
  for (auto& field : out) {
    if (field.metadata.find("delta.columnMapping.") != std::string::npos) {
      json notes = notes_of(field);
      for (const char* key : {id_key, physical_name_key}) notes.erase(key);
      field.metadata = text_of(notes);
    }
    field.type = with_fields(field.type, [](const Schema& fields) -> Result<Schema> {
                   return without_mapping(fields);
                 }).value();
  }
  return out;
}

Status check_mapping_change(const Metadata& before, const Metadata& after) {
  constexpr std::array names = {"none", "name", "id"};
  TRY_ASSIGN(const MappingMode from, mapping_mode(before));
  TRY_ASSIGN(const MappingMode to, mapping_mode(after));
  if (from == to || (from == MappingMode::none && to == MappingMode::name)) return Status::OK();
  return Status::error("DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
                       {{"oldMode", names[static_cast<std::size_t>(from)]},
                        {"newMode", names[static_cast<std::size_t>(to)]}});
}

std::shared_ptr<arrow::ArrayData> renamed(const std::shared_ptr<arrow::ArrayData>& data,
                                          const std::shared_ptr<arrow::DataType>& type) {
  auto out = data->Copy();
  out->type = type;
  for (std::size_t i = 0; i < out->child_data.size(); ++i) {
    out->child_data[i] = renamed(out->child_data[i], type->field(static_cast<int>(i))->type());
  }
  return out;
}

Schema without_delta_notes(const Schema& schema) {
  Schema out = schema;
  for (auto& field : out) {
    if (field.metadata.find("delta.") != std::string::npos) {
      json notes = notes_of(field);
      for (auto it = notes.begin(); it != notes.end();)
        it = is_delta_note(it.key()) ? notes.erase(it) : std::next(it);
      field.metadata = notes.empty() ? "" : notes.dump();
    }
    field.type = with_fields(field.type, [](const Schema& fields) -> Result<Schema> {
                   return without_delta_notes(fields);
                 }).value();
  }
  return out;
}

}  // namespace millstream::delta
