#include "avro/schema.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "avro/bytes.h"

namespace millstream::avro {
namespace {

using Json = nlohmann::ordered_json;

constexpr int depth_max = 200;  // of JSON; a level of types takes up to two of them
constexpr std::size_t text_bytes_max = 16 << 20;
constexpr std::int64_t fixed_bytes_max = 1 << 20;

constexpr std::array<std::pair<std::string_view, Kind>, 14> kinds = {{
    {"null", Kind::null},
    {"boolean", Kind::boolean},
    {"int", Kind::int_},
    {"long", Kind::long_},
    {"float", Kind::float_},
    {"double", Kind::double_},
    {"bytes", Kind::bytes},
    {"string", Kind::string},
    {"record", Kind::record},
    {"enum", Kind::enum_},
    {"array", Kind::array},
    {"map", Kind::map},
    {"union", Kind::union_},
    {"fixed", Kind::fixed},
}};

Status malformed(std::string_view what) {
  return Status::invalid("malformed Avro schema: {}", what);
}

std::optional<Kind> kind_of(std::string_view name) {
  for (const auto& [text, kind] : kinds) {
    if (text == name && kind != Kind::union_) return kind;
  }
  return name == "error" ? std::optional(Kind::record) : std::nullopt;
}

bool is_named(Kind kind) {
  return kind == Kind::record || kind == Kind::enum_ || kind == Kind::fixed;
}

// Looked at before parsing: objects that keep their order are copied as they grow.
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
      if (++depth > depth_max) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Status check_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty()) return malformed("an empty name");
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    if (!is_letter(name[i]) && !(i > 0 && digit)) {
      return malformed(fmt::format("'{}' is not a name", name));
    }
  }
  return Status::OK();
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_of(const Json& json, const char* key, std::int64_t fallback) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : fallback;
}

}  // namespace

// Builds the types of one schema.
class SchemaParser {
 public:
  explicit SchemaParser(Schema& schema) : schema_(schema) {}

  Status parse(const Json& json) {
    TRY_ASSIGN(schema_.root_, read(json, ""));
    return read_defaults();
  }

 private:
  // Defaults wait until every name is known.
  struct Default {
    Type* record;
    std::size_t field;
    Json value;
  };

  Result<const Type*> read(const Json& json, const std::string& space) {
    if (json.is_string()) return named(json.get<std::string>(), space);
    if (json.is_array()) return read_union(json, space);
    if (!json.is_object()) return malformed("a type is a name, an object or an array");
    const auto type = json.find("type");
    if (type == json.end()) return malformed("a type without \"type\"");
    if (!type->is_string()) return read(*type, space);
    const auto kind = kind_of(type->get<std::string>());
    if (!kind) return named(type->get<std::string>(), space);
    Type& out = schema_.types_.emplace_back();
    out.kind = *kind;
    if (is_named(*kind)) return read_named(out, json, space);
    if (*kind == Kind::array || *kind == Kind::map) {
      const auto part = json.find(*kind == Kind::array ? "items" : "values");
      if (part == json.end()) return malformed("an array without items, or a map without values");
      TRY_ASSIGN(const Type* read_part, read(*part, space));
      out.parts.push_back(read_part);
    }
    read_logical(out, json);
    return &out;
  }

  Result<const Type*> named(const std::string& name, const std::string& space) {
    const auto kind = kind_of(name);
    if (kind && !is_named(*kind) && *kind != Kind::array && *kind != Kind::map) {
      Type& out = schema_.types_.emplace_back();
      out.kind = *kind;
      return &out;
    }
    const bool is_full = name.find('.') != std::string::npos;
    for (const auto& full : {is_full || space.empty() ? name : space + "." + name, name}) {
      const auto found = names_.find(full);
      if (found != names_.end()) return found->second;
    }
    return malformed(fmt::format("the type \"{}\" is not defined", name));
  }

  Result<const Type*> read_union(const Json& json, const std::string& space) {
    Type& out = schema_.types_.emplace_back();
    out.kind = Kind::union_;
    std::set<std::string> seen;
    for (const auto& item : json) {
      TRY_ASSIGN(const Type* branch, read(item, space));
      if (branch->kind == Kind::union_) return malformed("a union within a union");
      if (!seen.insert(branch->shown_name()).second) {
        return malformed(fmt::format("{} twice in a union", branch->shown_name()));
      }
      out.parts.push_back(branch);
    }
    return &out;
  }

  Result<const Type*> read_named(Type& out, const Json& json, const std::string& outer) {
    const std::string given = text_of(json, "name");
    std::string space = json.contains("namespace") ? text_of(json, "namespace") : outer;
    const auto dot = given.rfind('.');
    if (dot != std::string::npos) space = given.substr(0, dot);
    out.name = dot == std::string::npos ? given : given.substr(dot + 1);
    TRY(check_name(out.name));
    out.full_name = space.empty() ? out.name : space + "." + out.name;
    if (kind_of(out.name) && !is_named(*kind_of(out.name)))
      return malformed(fmt::format("'{}' cannot be the name of a type", out.name));
    for (const auto& alias : names_in(json, "aliases")) {
      const bool full = alias.find('.') != std::string::npos || space.empty();
      out.aliases.push_back(full ? alias : space + "." + alias);
    }
    if (!names_.emplace(out.full_name, &out).second) {
      return malformed(fmt::format("the type \"{}\" is defined twice", out.full_name));
    }
    if (out.kind == Kind::record) TRY(read_fields(out, json, space));
    if (out.kind == Kind::enum_) TRY(read_symbols(out, json));
    if (out.kind == Kind::fixed) {
      out.size = number_of(json, "size", -1);
      if (out.size < 0 || out.size > fixed_bytes_max) return malformed("the size of a fixed type");
    }
    read_logical(out, json);
    return &out;
  }

  Status read_fields(Type& out, const Json& json, const std::string& space) {
    const auto fields = json.find("fields");
    if (fields == json.end() || !fields->is_array()) return malformed("a record without fields");
    std::set<std::string> seen;
    for (const auto& item : *fields) {
      if (!item.is_object() || !item.contains("type")) return malformed("a field without a type");
      Field field;
      field.name = text_of(item, "name");
      TRY(check_name(field.name));
      if (!seen.insert(field.name).second) {
        return malformed(fmt::format("the field \"{}\" twice in a record", field.name));
      }
      field.aliases = names_in(item, "aliases");
      TRY_ASSIGN(field.type, read(item["type"], space));
      if (item.contains("default")) defaults_.push_back({&out, out.fields.size(), item["default"]});
      out.fields.push_back(std::move(field));
    }
    return Status::OK();
  }

  Status read_symbols(Type& out, const Json& json) {
    out.symbols = names_in(json, "symbols");
    if (!json.contains("symbols")) return malformed("an enum without symbols");
    for (const auto& symbol : out.symbols) {
      TRY(check_name(symbol));
      if (std::count(out.symbols.begin(), out.symbols.end(), symbol) > 1) {
        return malformed(fmt::format("the symbol \"{}\" twice in an enum", symbol));
      }
    }
    if (json.contains("default")) out.default_symbol = text_of(json, "default");
    return Status::OK();
  }

  static std::vector<std::string> names_in(const Json& json, const char* key) {
    std::vector<std::string> out;
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array()) return out;
    for (const auto& item : *found) {
      if (item.is_string()) out.push_back(item.get<std::string>());
    }
    return out;
  }

  static void read_logical(Type& out, const Json& json) {
    out.catalyst = text_of(json, "spark.sql.catalyst.type");
    const std::string name = text_of(json, "logicalType");
    if (name.empty()) return;
    if (name == "decimal" && (out.kind == Kind::bytes || out.kind == Kind::fixed)) {
      const auto precision = number_of(json, "precision", 0);
      const auto scale = number_of(json, "scale", 0);
      const auto fits =
          out.kind == Kind::bytes
              ? std::numeric_limits<std::int32_t>::max()
              : static_cast<std::int64_t>(static_cast<double>(8 * out.size - 1) * std::log10(2));
      if (precision < 1 || precision > fits || scale < 0 || scale > precision) return;
      out.precision = static_cast<int>(std::min<std::int64_t>(precision, 1000));
      out.scale = static_cast<int>(std::min<std::int64_t>(scale, 1000));
      out.logical = Logical::decimal;
      return;
    }
    if (name == "date" && out.kind == Kind::int_) out.logical = Logical::date;
    if (out.kind == Kind::long_) {
      if (name == "timestamp-millis") out.logical = Logical::timestamp_millis;
      if (name == "timestamp-micros") out.logical = Logical::timestamp_micros;
      if (name == "local-timestamp-millis") out.logical = Logical::local_timestamp_millis;
      if (name == "local-timestamp-micros") out.logical = Logical::local_timestamp_micros;
      if (name == "time-micros") out.logical = Logical::time_micros;
      for (const char* other : {"timestamp-nanos", "local-timestamp-nanos"}) {
        if (name == other) out.logical = Logical::other;
      }
    }
  }

  Status read_defaults() {
    for (const auto& one : defaults_) {
      Field& field = one.record->fields[one.field];
      std::string bytes;
      if (!encode_default(*field.type, one.value, 0, bytes).ok()) {
        return malformed(
            fmt::format("invalid default for field {}: {}", field.name,
                        one.value.dump(-1, ' ', false, Json::error_handler_t::replace)));
      }
      field.default_value = std::move(bytes);
    }
    return Status::OK();
  }

  static Status encode_default(const Type& type, const Json& value, int depth, std::string& out) {
    if (depth > depth_max) return malformed("a default that names itself");
    const auto wrong = [&] { return malformed("a default of another type"); };
    switch (type.kind) {
      case Kind::null:
        return value.is_null() ? Status::OK() : wrong();
      case Kind::boolean:
        if (!value.is_boolean()) return wrong();
        out += value.get<bool>() ? '\1' : '\0';
        return Status::OK();
      case Kind::int_:
      case Kind::long_:
        if (!value.is_number_integer()) return wrong();
        append_long(value.get<std::int64_t>(), out);
        return Status::OK();
      case Kind::float_:
        if (!value.is_number()) return wrong();
        append_float(value.get<float>(), out);
        return Status::OK();
      case Kind::double_:
        if (!value.is_number()) return wrong();
        append_double(value.get<double>(), out);
        return Status::OK();
      case Kind::string:
        if (!value.is_string()) return wrong();
        append_bytes(value.get<std::string>(), out);
        return Status::OK();
      case Kind::bytes:
      case Kind::fixed:
        return value.is_string() ? encode_latin(type, value.get<std::string>(), out) : wrong();
      case Kind::enum_: {
        if (!value.is_string()) return wrong();
        const auto at =
            std::find(type.symbols.begin(), type.symbols.end(), value.get<std::string>());
        if (at == type.symbols.end()) return wrong();
        append_long(at - type.symbols.begin(), out);
        return Status::OK();
      }
      case Kind::union_:
        return encode_branch(type, value, depth, out);
      case Kind::record:
        return value.is_object() ? encode_record(type, value, depth, out) : wrong();
      case Kind::array:
        if (!value.is_array()) return wrong();
        if (!value.empty()) append_long(static_cast<std::int64_t>(value.size()), out);
        for (const auto& item : value) TRY(encode_default(*type.parts[0], item, depth + 1, out));
        out += '\0';
        return Status::OK();
      case Kind::map:
        if (!value.is_object()) return wrong();
        if (!value.empty()) append_long(static_cast<std::int64_t>(value.size()), out);
        for (const auto& [key, item] : value.items()) {
          append_bytes(key, out);
          TRY(encode_default(*type.parts[0], item, depth + 1, out));
        }
        out += '\0';
        return Status::OK();
    }
    return wrong();
  }

  // Of a union any branch will do.
  static Status encode_branch(const Type& type, const Json& value, int depth, std::string& out) {
    for (std::size_t i = 0; i < type.parts.size(); ++i) {
      std::string bytes;
      append_long(static_cast<std::int64_t>(i), bytes);
      if (encode_default(*type.parts[i], value, depth + 1, bytes).ok()) {
        out += bytes;
        return Status::OK();
      }
    }
    return malformed("a default that is of no branch");
  }

  static Status encode_record(const Type& type, const Json& value, int depth, std::string& out) {
    for (const auto& field : type.fields) {
      const auto member = value.find(field.name);
      if (member != value.end()) {
        TRY(encode_default(*field.type, *member, depth + 1, out));
      } else if (field.default_value) {
        out += *field.default_value;
      } else {
        return malformed("a default without a member");
      }
    }
    return Status::OK();
  }

  // Text whose characters are the bytes.
  static Status encode_latin(const Type& type, const std::string& text, std::string& out) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < 0x80) {
        bytes += text[i];
      } else if ((byte == 0xc2 || byte == 0xc3) && i + 1 < text.size()) {
        bytes += static_cast<char>((byte << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
      } else {
        return malformed("a default that is not of bytes");
      }
    }
    if (type.kind == Kind::fixed) {
      if (static_cast<std::int64_t>(bytes.size()) != type.size) return malformed("its size");
      out += bytes;
    } else {
      append_bytes(bytes, out);
    }
    return Status::OK();
  }

  Schema& schema_;
  std::map<std::string, const Type*> names_;
  std::vector<Default> defaults_;
};

const char* Type::kind_name() const {
  for (const auto& [text, known] : kinds) {
    if (known == kind) return text.data();
  }
  return "";
}

Result<std::shared_ptr<const Schema>> Schema::parse(std::string_view text) {
  if (text.size() > text_bytes_max) return malformed("longer than 16 MB");
  if (is_too_deep(text)) return malformed("nested too deeply");
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return malformed("not JSON");
  auto schema = std::make_shared<Schema>();
  TRY(SchemaParser(*schema).parse(json));
  schema->text_ = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return std::shared_ptr<const Schema>(std::move(schema));
}

std::vector<const Type*> branches_without_null(const Type& type) {
  if (type.kind != Kind::union_) return {&type};
  std::vector<const Type*> out;
  for (const auto* part : type.parts) {
    if (part->kind != Kind::null) out.push_back(part);
  }
  return out;
}

bool has_null(const Type& type) {
  return type.kind == Kind::union_ &&
         std::any_of(type.parts.begin(), type.parts.end(),
                     [](const Type* part) { return part->kind == Kind::null; });
}

}  // namespace millstream::avro
