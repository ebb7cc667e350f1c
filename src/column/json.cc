// Spark's schema JSON: {"type":"struct","fields":[{"name","type","nullable","metadata"}]}.
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "column/timestamp_meaning.h"
#include "column/types.h"

namespace millstream::column {
namespace {

using Json = nlohmann::ordered_json;

constexpr int depth_max = 200;  // nested types; Spark's own recursion gives out not far beyond

std::string field_json(const Field& field) {
  return fmt::format(R"({{"name":{},"type":{},"nullable":{},"metadata":{}}})",
                     json_quote(field.name), field.type->to_json(), field.nullable,
                     field.metadata.empty() ? "{}" : field.metadata);
}

std::string fields_json(const std::vector<Field>& fields) {
  std::vector<std::string> parts;
  for (const Field& field : fields) parts.push_back(field_json(field));
  return R"({"type":"struct","fields":[)" + join(parts, ",") + "]}";
}

Status malformed(std::string_view what) {
  return Status::invalid("malformed schema JSON: {}", what);
}

Result<TypePtr> named_type(const std::string& name) {
  // JSON names are the DDL's, but for these.
  if (name == "long") return long_type();
  if (name == "integer") return int_type();
  if (name == "short") return short_type();
  if (name == "byte") return byte_type();
  if (name == "null" || name == "void") return null_type();
  if (name == "calendar_interval") return type_of(TypeKind::calendar_interval);
  return parse_noted_type(name);
}

Result<TypePtr> read_type(const Json& json, int depth);

Result<Schema> read_fields(const Json& json, int depth) {
  if (!json.contains("fields") || !json["fields"].is_array())
    return malformed("a struct without fields");
  Schema schema;
  for (const Json& item : json["fields"]) {
    if (!item.is_object() || !item.contains("name") || !item["name"].is_string() ||
        !item.contains("type")) {
      return malformed("a field needs a name and a type");
    }
    Field field;
    field.name = item["name"].get<std::string>();
    TRY_ASSIGN(field.type, read_type(item["type"], depth + 1));
    field.nullable = !item.contains("nullable") || item["nullable"] != false;
    if (item.contains("metadata") && item["metadata"].is_object() && !item["metadata"].empty()) {
      field.metadata = item["metadata"].dump();
    }
    schema.push_back(std::move(field));
  }
  return schema;
}

Result<TypePtr> read_type(const Json& json, int depth) {
  if (depth > depth_max) return malformed("types are nested too deeply");
  if (json.is_string()) return named_type(json.get<std::string>());
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
    return malformed("a type is a name or an object with \"type\"");
  }
  const std::string kind = json["type"].get<std::string>();
  if (kind == "struct") {
    TRY_ASSIGN(Schema fields, read_fields(json, depth));
    return struct_type(std::move(fields));
  }
  if (kind == "array") {
    if (!json.contains("elementType")) return malformed("an array without elementType");
    TRY_ASSIGN(TypePtr element, read_type(json["elementType"], depth + 1));
    return array_type(std::move(element),
                      !json.contains("containsNull") || json["containsNull"] != false);
  }
  if (kind == "map") {
    if (!json.contains("keyType") || !json.contains("valueType")) {
      return malformed("a map without keyType or valueType");
    }
    TRY_ASSIGN(TypePtr key, read_type(json["keyType"], depth + 1));
    TRY_ASSIGN(TypePtr value, read_type(json["valueType"], depth + 1));
    return map_type(std::move(key), std::move(value),
                    !json.contains("valueContainsNull") || json["valueContainsNull"] != false);
  }
  if (kind == "udt") {
    if (!json.contains("sqlType")) return malformed("a udt without sqlType");
    return read_type(json["sqlType"], depth + 1);
  }
  return malformed("unknown type \"" + kind + "\"");
}

// A type takes at most three levels of JSON: its object, its list of fields, a field.
constexpr int json_depth_max = 3 * depth_max + 3;

// Looked at before parsing: objects that keep their order are copied as they grow, with all in
// them.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > json_depth_max) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Result<Json> parse(std::string_view text) {
  if (is_too_deep(text)) return malformed("types are nested too deeply");
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return malformed(text.substr(0, 200));
  return json;
}

}  // namespace

std::string DataType::to_json() const {
  switch (kind_) {
    case TypeKind::byte_:
      return "\"byte\"";
    case TypeKind::short_:
      return "\"short\"";
    case TypeKind::int_:
      return "\"integer\"";
    case TypeKind::long_:
      return "\"long\"";
    case TypeKind::array:
      return fmt::format(R"({{"type":"array","elementType":{},"containsNull":{}}})",
                         element()->to_json(), contains_null());
    case TypeKind::map:
      return fmt::format(R"({{"type":"map","keyType":{},"valueType":{},"valueContainsNull":{}}})",
                         key()->to_json(), value()->to_json(), value_contains_null());
    case TypeKind::struct_:
      return fields_json(fields_);
    default:
      return json_quote(simple_string());
  }
}

std::string schema_to_json(const Schema& schema) { return fields_json(schema); }

Result<TypePtr> type_from_json(std::string_view text) {
  TRY_ASSIGN(const Json json, parse(text));
  return read_type(json, 0);
}

Result<Schema> schema_from_json(std::string_view text) {
  TRY_ASSIGN(const Json json, parse(text));
  if (!json.is_object() || !json.contains("type") || json["type"] != "struct") {
    return malformed("a schema is a struct");
  }
  return read_fields(json, 0);
}

Result<Schema> schema_from_text(std::string_view text) {
  return trim(text).starts_with('{') ? schema_from_json(text) : parse_schema(text);
}

}  // namespace millstream::column
