#include "connect/schema_tree.h"

#include <limits>

namespace millstream::connect {
namespace {

using column::DataType;
using column::TypeKind;

std::string type_name(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::byte_:
      return "byte";
    case TypeKind::short_:
      return "short";
    case TypeKind::int_:
      return "integer";
    case TypeKind::long_:
      return "long";
    case TypeKind::array:
      return "array";
    case TypeKind::map:
      return "map";
    case TypeKind::struct_:
      return "struct";
    default:
      return type.simple_string();
  }
}

const char* text_of(bool flag) { return flag ? "true" : "false"; }

void add_type(const DataType& type, const std::string& prefix, int levels, std::string* out);

void add_line(const std::string& prefix, const std::string& name, const DataType& type,
              const std::string& note, int levels, std::string* out) {
  *out += prefix + "-- " + name + ": " + type_name(type) + note + "\n";
  if (levels > 1) add_type(type, prefix + "    |", levels - 1, out);
}

void add_type(const DataType& type, const std::string& prefix, int levels, std::string* out) {
  switch (type.kind()) {
    case TypeKind::struct_:
      for (const auto& field : type.fields()) {
        add_line(prefix, field.name, *field.type,
                 std::string(" (nullable = ") + text_of(field.nullable) + ")", levels, out);
      }
      break;
    case TypeKind::array:
      add_line(prefix, "element", *type.element(),
               std::string(" (containsNull = ") + text_of(type.contains_null()) + ")", levels, out);
      break;
    case TypeKind::map:
      add_line(prefix, "key", *type.key(), "", levels, out);
      add_line(prefix, "value", *type.value(),
               std::string(" (valueContainsNull = ") + text_of(type.value_contains_null()) + ")",
               levels, out);
      break;
    default:
      break;
  }
}

}  // namespace

std::string schema_tree(const column::Schema& schema, int level_max) {
  std::string out = "root\n";
  add_type(*column::struct_type(schema), " |",
           level_max > 0 ? level_max : std::numeric_limits<int>::max(), &out);
  return out;
}

}  // namespace millstream::connect
