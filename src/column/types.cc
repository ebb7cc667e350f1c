#include "column/types.h"

#include <array>

#include "base/release.h"
#include "base/text.h"
#include "base/time_of_day.h"

namespace millstream::column {
namespace {

TypePtr simple(TypeKind kind) {
  return std::make_shared<const DataType>(kind, 0, 0, std::vector<Field>{});
}

bool same(const DataType& a, const DataType& b, bool nullability) {
  if (a.kind() != b.kind() || a.precision() != b.precision() || a.scale() != b.scale())
    return false;
  if (a.fields().size() != b.fields().size()) return false;
  for (std::size_t i = 0; i < a.fields().size(); ++i) {
    const Field& x = a.fields()[i];
    const Field& y = b.fields()[i];
    if (x.name != y.name || (nullability && x.nullable != y.nullable)) return false;
    if (!same(*x.type, *y.type, nullability)) return false;
  }
  return true;
}

const char* interval_field(TypeKind kind, int field) {
  if (kind == TypeKind::year_month_interval) return field == 0 ? "year" : "month";
  constexpr std::array names = {"day", "hour", "minute", "second"};
  return names.at(static_cast<std::size_t>(field));
}

std::string interval_name(const DataType& type) {
  const std::string from = interval_field(type.kind(), type.start_field());
  if (type.start_field() == type.end_field()) return "interval " + from;
  return "interval " + from + " to " + interval_field(type.kind(), type.end_field());
}

const char* plain_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::null:
      return "void";
    case TypeKind::boolean:
      return "boolean";
    case TypeKind::byte_:
      return "tinyint";
    case TypeKind::short_:
      return "smallint";
    case TypeKind::int_:
      return "int";
    case TypeKind::long_:
      return "bigint";
    case TypeKind::float_:
      return "float";
    case TypeKind::double_:
      return "double";
    case TypeKind::string:
      return "string";
    case TypeKind::binary:
      return "binary";
    case TypeKind::date:
      return "date";
    case TypeKind::timestamp:
      return "timestamp";
    case TypeKind::timestamp_ntz:
      return "timestamp_ntz";
    case TypeKind::calendar_interval:
      return "interval";
    case TypeKind::variant:
      return "variant";
    default:
      CHECK(false);
  }
}

}  // namespace

DataType::~DataType() {
  if (fields_.empty()) return;
  Release release;
  for (Field& field : fields_) release.add(std::move(field.type));
}

bool Field::operator==(const Field& other) const {
  return name == other.name && nullable == other.nullable && same_type(type, other.type);
}

bool DataType::operator==(const DataType& other) const { return same(*this, other, true); }

std::string DataType::simple_string() const {
  switch (kind_) {
    case TypeKind::decimal:
      return fmt::format("decimal({},{})", first_, second_);
    case TypeKind::time:
      return fmt::format("time({})", first_);
    case TypeKind::char_:
      return fmt::format("char({})", first_);
    case TypeKind::varchar:
      return fmt::format("varchar({})", first_);
    case TypeKind::day_time_interval:
    case TypeKind::year_month_interval:
      return interval_name(*this);
    case TypeKind::array:
      return "array<" + element()->simple_string() + ">";
    case TypeKind::map:
      return "map<" + key()->simple_string() + "," + value()->simple_string() + ">";
    case TypeKind::struct_: {
      std::vector<std::string> parts;
      for (const Field& field : fields_)
        parts.push_back(field.name + ":" + field.type->simple_string());
      return "struct<" + join(parts, ",") + ">";
    }
    default:
      return plain_name(kind_);
  }
}

TypePtr type_of(TypeKind kind) {
  static const auto types = [] {
    std::array<TypePtr, static_cast<std::size_t>(TypeKind::variant) + 1> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = simple(static_cast<TypeKind>(i));
    all[static_cast<std::size_t>(TypeKind::time)] = time_type(time_precision_max);
    return all;
  }();
  return types.at(static_cast<std::size_t>(kind));
}

TypePtr null_type() { return type_of(TypeKind::null); }
TypePtr boolean_type() { return type_of(TypeKind::boolean); }
TypePtr byte_type() { return type_of(TypeKind::byte_); }
TypePtr short_type() { return type_of(TypeKind::short_); }
TypePtr int_type() { return type_of(TypeKind::int_); }
TypePtr long_type() { return type_of(TypeKind::long_); }
TypePtr float_type() { return type_of(TypeKind::float_); }
TypePtr double_type() { return type_of(TypeKind::double_); }
TypePtr string_type() { return type_of(TypeKind::string); }
TypePtr binary_type() { return type_of(TypeKind::binary); }
TypePtr date_type() { return type_of(TypeKind::date); }
TypePtr timestamp_type() { return type_of(TypeKind::timestamp); }
TypePtr timestamp_ntz_type() { return type_of(TypeKind::timestamp_ntz); }
TypePtr variant_type() { return type_of(TypeKind::variant); }

TypePtr decimal_type(int precision, int scale) {
  CHECK(precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision);
  return std::make_shared<const DataType>(TypeKind::decimal, precision, scale,
                                          std::vector<Field>{});
}

TypePtr time_type(int precision) {
  CHECK(precision >= 0 && precision <= time_precision_max);
  return std::make_shared<const DataType>(TypeKind::time, precision, 0, std::vector<Field>{});
}

TypePtr char_type(int length) {
  return std::make_shared<const DataType>(TypeKind::char_, length, 0, std::vector<Field>{});
}

TypePtr varchar_type(int length) {
  return std::make_shared<const DataType>(TypeKind::varchar, length, 0, std::vector<Field>{});
}

TypePtr day_time_interval_type(int start_field, int end_field) {
  CHECK(start_field >= 0 && end_field <= 3 && start_field <= end_field);
  return std::make_shared<const DataType>(TypeKind::day_time_interval, start_field, end_field,
                                          std::vector<Field>{});
}

TypePtr year_month_interval_type(int start_field, int end_field) {
  CHECK(start_field >= 0 && end_field <= 1 && start_field <= end_field);
  return std::make_shared<const DataType>(TypeKind::year_month_interval, start_field, end_field,
                                          std::vector<Field>{});
}

TypePtr array_type(TypePtr element, bool contains_null) {
  return std::make_shared<const DataType>(
      TypeKind::array, 0, 0,
      std::vector<Field>{{"element", std::move(element), contains_null, {}}});
}

TypePtr map_type(TypePtr key, TypePtr value, bool value_contains_null) {
  return std::make_shared<const DataType>(
      TypeKind::map, 0, 0,
      std::vector<Field>{{"key", std::move(key), false, {}},
                         {"value", std::move(value), value_contains_null, {}}});
}

TypePtr struct_type(std::vector<Field> fields) {
  return std::make_shared<const DataType>(TypeKind::struct_, 0, 0, std::move(fields));
}

bool same_type(const TypePtr& a, const TypePtr& b) { return a == b || same(*a, *b, true); }

bool same_type_ignoring_nullability(const TypePtr& a, const TypePtr& b) {
  return a == b || same(*a, *b, false);
}

TypePtr as_nullable(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::array:
      return array_type(as_nullable(type->element()));
    case TypeKind::map:
      return map_type(as_nullable(type->key()), as_nullable(type->value()));
    case TypeKind::struct_:
      return struct_type(as_nullable(type->fields()));
    default:
      return type;
  }
}

Schema as_nullable(const Schema& schema) {
  Schema out = schema;
  for (Field& field : out) {
    field.nullable = true;
    field.type = as_nullable(field.type);
  }
  return out;
}

int find_field(const Schema& schema, std::string_view name) {
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (schema[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int find_field_ignore_case(const Schema& schema, std::string_view name) {
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (equals_ignore_case(schema[i].name, name)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace millstream::column
