#include "avro/types.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "column/time_types.h"
#include "column/timestamp_meaning.h"

namespace millstream::avro {
namespace {

using column::TypeKind;
using column::TypePtr;

constexpr std::size_t fields_max = 200'000;  // a recursive schema may unfold to more than memory
constexpr int depth_max = 200;

class Converter {
 public:
  explicit Converter(const TypeRules& rules) : rules_(rules) {}

  Result<SparkType> convert(const Type& type) {
    if (++converted_ > fields_max || open_.size() > depth_max)
      return Status::invalid("an Avro schema with too many or too deep fields");
    switch (type.kind) {
      case Kind::null:
        return SparkType{column::null_type(), false};
      case Kind::boolean:
        return SparkType{column::boolean_type(), false};
      case Kind::int_:
        if (type.logical == Logical::date) return SparkType{column::date_type(), false};
        return noted(type, column::int_type());
      case Kind::long_:
        return long_type(type);
      case Kind::float_:
        return SparkType{column::float_type(), false};
      case Kind::double_:
        return SparkType{column::double_type(), false};
      case Kind::bytes:
      case Kind::fixed:
        if (type.logical == Logical::decimal) return decimal(type);
        return SparkType{column::binary_type(), false};
      case Kind::string:
      case Kind::enum_:
        return SparkType{column::string_type(), false};
      case Kind::record:
        return record(type);
      case Kind::array: {
        TRY_ASSIGN(const auto items, convert(*type.parts[0]));
        if (items.type == nullptr) return items;
        return SparkType{column::array_type(items.type, items.nullable), false};
      }
      case Kind::map: {
        TRY_ASSIGN(const auto values, convert(*type.parts[0]));
        if (values.type == nullptr) return values;
        return SparkType{column::map_type(column::string_type(), values.type, values.nullable),
                         false};
      }
      case Kind::union_:
        return union_type(type);
    }
    return Status::internal("an unknown type of Avro");
  }

 private:
  // Spark's own note of a type that Avro has not.
  static Result<SparkType> noted(const Type& type, const TypePtr& plain) {
    if (type.catalyst.empty()) return SparkType{plain, false};
    TRY_ASSIGN(auto noted, column::parse_noted_type(type.catalyst));
    return SparkType{std::move(noted), false};
  }

  static Result<SparkType> long_type(const Type& type) {
    switch (type.logical) {
      case Logical::timestamp_millis:
      case Logical::timestamp_micros:
        return SparkType{column::timestamp_type(), false};
      case Logical::local_timestamp_millis:
      case Logical::local_timestamp_micros:
        return SparkType{column::timestamp_ntz_type(), false};
      case Logical::time_micros:
        TRY(column::check_time_types());
        return noted(type, column::type_of(TypeKind::time));
      default:
        return noted(type, column::long_type());
    }
  }

  static Result<SparkType> decimal(const Type& type) {
    if (type.precision > 38) {
      ErrorInfo info =
          Status::error("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                        {{"precision", std::to_string(type.precision)}, {"maxPrecision", "38"}})
              .info();
      info.kind = ErrorKind::arithmetic;
      return Status(std::move(info));
    }
    return SparkType{column::decimal_type(type.precision, type.scale), false};
  }

  Result<SparkType> record(const Type& type) {
    int& depth = open_[type.full_name];
    if (depth > 0 && rules_.recursive_depth_max <= 0) {
      return incompatible_schema(fmt::format(
          "\nFound recursive reference in Avro schema, which can not be processed by Spark by\n "
          "default: {}. Try setting the option `recursiveFieldMaxDepth`\n to 1 - 15.",
          type.full_name));
    }
    if (depth > 0 && depth >= rules_.recursive_depth_max) return SparkType{};
    ++depth;
    column::Schema fields;
    for (const auto& field : type.fields) {
      TRY_ASSIGN(const auto converted, convert(*field.type));
      if (converted.type != nullptr)
        fields.push_back({field.name, converted.type, converted.nullable, {}});
    }
    if (--open_[type.full_name] == 0) open_.erase(type.full_name);
    return SparkType{column::struct_type(std::move(fields)), false};
  }

  Result<SparkType> union_type(const Type& type) {
    const auto branches = branches_without_null(type);
    const bool nullable = has_null(type);
    if (branches.empty()) return SparkType{column::struct_type({}), true};
    if (branches.size() == 1) {
      TRY_ASSIGN(auto only, convert(*branches[0]));
      only.nullable = only.nullable || nullable;
      return only;
    }
    if (branches.size() == 2) {
      const std::set<Kind> two = {branches[0]->kind, branches[1]->kind};
      if (two == std::set<Kind>{Kind::int_, Kind::long_})
        return SparkType{column::long_type(), nullable};
      if (two == std::set<Kind>{Kind::float_, Kind::double_})
        return SparkType{column::double_type(), nullable};
    }
    column::Schema fields;
    std::set<std::string> names;
    for (const auto* branch : branches) {
      TRY_ASSIGN(const auto converted, convert(*branch));
      if (converted.type == nullptr) return converted;
      std::string name = fmt::format("member{}", fields.size());
      if (rules_.stable_union_names) {
        name = rules_.stable_prefix +
               to_lower(branch->name.empty() ? branch->kind_name() : branch->name);
        if (!names.insert(name).second) {
          return incompatible_schema(
              fmt::format("Cannot generate stable identifier for Avro union type due to name "
                          "conflict of type name {}",
                          name));
        }
      }
      fields.push_back({name, converted.type, true, {}});
    }
    return SparkType{column::struct_type(std::move(fields)), nullable};
  }

  const TypeRules& rules_;
  std::map<std::string, int> open_;  // records around this one, by name
  std::size_t converted_ = 0;
};

// The type as Scala prints it, as far as no schema has it.
std::string catalyst_name(const column::DataType& type) {
  switch (type.kind()) {
    case TypeKind::map:
      return fmt::format("MapType({},{},{})", catalyst_name(*type.key()),
                         catalyst_name(*type.value()), type.value_contains_null());
    case TypeKind::int_:
      return "IntegerType";
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::long_:
    case TypeKind::float_:
    case TypeKind::double_:
    case TypeKind::boolean:
    case TypeKind::string:
    case TypeKind::binary:
    case TypeKind::date: {
      std::string name = type.kind() == TypeKind::long_    ? "long"
                         : type.kind() == TypeKind::short_ ? "short"
                         : type.kind() == TypeKind::byte_  ? "byte"
                                                           : type.simple_string();
      name[0] = static_cast<char>(name[0] - 'a' + 'A');
      return name + "Type";
    }
    default:
      return type.sql();
  }
}

bool is_name(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return !name.empty();
}

Status check_name(std::string_view name) {
  if (is_name(name)) return Status::OK();
  return Status::invalid("'{}' is not a name that Avro allows: letters, digits and _ are", name);
}

// Writes the schema of a type. A name is defined once and used from then on.
class SchemaText {
 public:
  Result<std::string> write(const TypePtr& type, bool nullable, const std::string& name,
                            const std::string& space) {
    TRY_ASSIGN(std::string text, bare(type, name, space));
    if (!nullable || type->kind() == TypeKind::null) return text;
    return "[" + text + R"(,"null"])";
  }

 private:
  Result<std::string> bare(const TypePtr& type, const std::string& name, const std::string& space) {
    const auto logical = [](const char* kind, const char* what) {
      return fmt::format(R"({{"type":"{}","logicalType":"{}"}})", kind, what);
    };
    switch (type->kind()) {
      case TypeKind::null:
        return std::string(R"("null")");
      case TypeKind::boolean:
        return std::string(R"("boolean")");
      case TypeKind::byte_:
      case TypeKind::short_:
      case TypeKind::int_:
        return std::string(R"("int")");
      case TypeKind::long_:
        return std::string(R"("long")");
      case TypeKind::float_:
        return std::string(R"("float")");
      case TypeKind::double_:
        return std::string(R"("double")");
      case TypeKind::string:
      case TypeKind::char_:
      case TypeKind::varchar:
        return std::string(R"("string")");
      case TypeKind::binary:
        return std::string(R"("bytes")");
      case TypeKind::date:
        return logical("int", "date");
      case TypeKind::timestamp:
        return logical("long", "timestamp-micros");
      case TypeKind::timestamp_ntz:
        return logical("long", "local-timestamp-micros");
      case TypeKind::decimal:
        return decimal(*type, name, space);
      case TypeKind::year_month_interval:
        return fmt::format(R"({{"type":"int","spark.sql.catalyst.type":{}}})",
                           json_quote(type->simple_string()));
      case TypeKind::time:
        return fmt::format(
            R"({{"type":"long","logicalType":"time-micros","spark.sql.catalyst.type":{}}})",
            json_quote(type->simple_string()));
      case TypeKind::day_time_interval:
        return fmt::format(R"({{"type":"long","spark.sql.catalyst.type":{}}})",
                           json_quote(type->simple_string()));
      case TypeKind::array: {
        TRY_ASSIGN(const auto items, write(type->element(), type->contains_null(), name, space));
        return R"({"type":"array","items":)" + items + "}";
      }
      case TypeKind::map: {
        if (!type->key()->is_string()) return unexpected(*type);
        TRY_ASSIGN(const auto values,
                   write(type->value(), type->value_contains_null(), name, space));
        return R"({"type":"map","values":)" + values + "}";
      }
      case TypeKind::struct_:
        return record(*type, name, space);
      default:
        return unexpected(*type);
    }
  }

  static Status unexpected(const column::DataType& type) {
    return incompatible_schema(fmt::format("Unexpected type {}.", catalyst_name(type)));
  }

  // A name that is taken stands for what it was; another thing under it is an error, as in Avro.
  Result<std::string> defined(const std::string& full_name, std::string definition) {
    const auto [at, is_new] = defined_.emplace(full_name, definition);
    if (is_new) return definition;
    if (at->second != definition) {
      return Status::invalid("Can't redefine: {}", full_name);
    }
    return json_quote(full_name);
  }

  Result<std::string> decimal(const column::DataType& type, const std::string& name,
                              const std::string& space) {
    TRY(check_name(name));
    const std::string inner = space.empty() ? name : space + "." + name;
    return defined(inner + ".fixed",
                   fmt::format(R"({{"type":"fixed","name":"fixed","namespace":{},"size":{},)"
                               R"("logicalType":"decimal","precision":{},"scale":{}}})",
                               json_quote(inner), bytes_for_precision(type.precision()),
                               type.precision(), type.scale()));
  }

  Result<std::string> record(const column::DataType& type, const std::string& name,
                             const std::string& space) {
    TRY(check_name(name));
    const std::string full = space.empty() ? name : space + "." + name;
    std::string text = R"({"type":"record","name":)" + json_quote(name);
    if (!space.empty()) text += R"(,"namespace":)" + json_quote(space);
    text += R"(,"fields":[)";
    for (std::size_t i = 0; i < type.fields().size(); ++i) {
      const auto& field = type.fields()[i];
      TRY(check_name(field.name));
      TRY_ASSIGN(const auto inner, write(field.type, field.nullable, field.name, full));
      text += (i > 0 ? "," : "") + std::string(R"({"name":)") + json_quote(field.name) +
              R"(,"type":)" + inner + "}";
    }
    return defined(full, text + "]}");
  }

  std::map<std::string, std::string> defined_;
};

}  // namespace

Status incompatible_schema(std::string message) {
  ErrorInfo info;
  info.kind = ErrorKind::io;
  info.java_class = "org.apache.spark.sql.avro.IncompatibleSchemaException";
  info.message = std::move(message);
  return Status(std::move(info));
}

Result<SparkType> to_spark(const Type& type, const TypeRules& rules) {
  return Converter(rules).convert(type);
}

Result<std::string> to_avro_schema(const TypePtr& type, bool nullable, const std::string& name,
                                   const std::string& space) {
  return SchemaText().write(type, nullable, name, space);
}

int bytes_for_precision(int precision) {
  // The smallest n with 2^(8n-1) > 10^precision.
  int bytes = 1;
  for (; bytes < 16; ++bytes) {
    __extension__ using Wide = unsigned __int128;
    Wide ten = 1;
    for (int i = 0; i < precision; ++i) ten *= 10;
    if ((Wide{1} << (8 * bytes - 1)) > ten) break;
  }
  return bytes;
}

}  // namespace millstream::avro
