#include "delta/column_mapping.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

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
    if (!equals_ignore_case(key, "delta.columnMapping.mode")) continue;
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
