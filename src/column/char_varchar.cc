#include "column/char_varchar.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "column/timestamp_meaning.h"

namespace millstream::column {
namespace {

using Json = nlohmann::json;

constexpr const char* note = "__CHAR_VARCHAR_TYPE_STRING";

bool is_limited(const DataType& type) {
  return type.kind() == TypeKind::char_ || type.kind() == TypeKind::varchar;
}

}  // namespace

bool has_char_or_varchar(const TypePtr& type) {
  if (is_limited(*type)) return true;
  if (!type->is_nested()) return false;
  return std::any_of(type->fields().begin(), type->fields().end(),
                     [](const Field& field) { return has_char_or_varchar(field.type); });
}

TypePtr as_strings(const TypePtr& type) {
  if (is_limited(*type)) return string_type();
  if (!has_char_or_varchar(type)) return type;
  Schema fields = type->fields();
  for (Field& field : fields) field.type = as_strings(field.type);
  switch (type->kind()) {
    case TypeKind::array:
      return array_type(fields[0].type, fields[0].nullable);
    case TypeKind::map:
      return map_type(fields[0].type, fields[1].type, fields[1].nullable);
    default:
      return struct_type(std::move(fields));
  }
}

Field with_char_note(Field field) {
  Json json = Json::parse(field.metadata, nullptr, false);
  if (!json.is_object()) json = Json::object();
  json.erase(note);
  if (has_char_or_varchar(field.type)) json[note] = field.type->simple_string();
  field.type = as_strings(field.type);
  field.metadata = json.empty() ? "" : json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return field;
}

Schema with_char_notes(Schema schema) {
  for (Field& field : schema) {
    if (has_char_or_varchar(field.type)) field = with_char_note(std::move(field));
  }
  return schema;
}

TypePtr declared_type(const Field& field) { return declared_type(field.metadata); }

TypePtr declared_type(const std::string& metadata) {
  if (metadata.find(note) == std::string::npos) return nullptr;
  const Json json = Json::parse(metadata, nullptr, false);
  if (!json.is_object() || !json.contains(note) || !json[note].is_string()) return nullptr;
  auto type = parse_noted_type(json[note].get<std::string>());
  return type.ok() && has_char_or_varchar(*type) ? *type : nullptr;
}

}  // namespace millstream::column
