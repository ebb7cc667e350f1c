// Spark's types as Arrow types, as Spark Connect sends them, and back.
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "column/types.h"

namespace millstream::column {
namespace {

std::shared_ptr<arrow::DataType> struct_to_arrow(const DataType& type,
                                                 const std::string& time_zone) {
  arrow::FieldVector fields;
  for (const Field& field : type.fields()) fields.push_back(to_arrow(field, time_zone));
  return arrow::struct_(fields);
}

// As Arrow for Java names it.
std::string java_name(const arrow::DataType& type) {
  const auto id = type.id();
  if (id != arrow::Type::TIME32 && id != arrow::Type::TIME64) return type.ToString();
  static constexpr const char* units[] = {"SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND"};
  return fmt::format("Time({}, {})", units[static_cast<const arrow::TimeType&>(type).unit()],
                     id == arrow::Type::TIME32 ? 32 : 64);
}

Status unsupported_arrow(const arrow::DataType& type) {
  return Status::error("UNSUPPORTED_ARROWTYPE", {{"typeName", java_name(type)}});
}

Result<Field> field_from_arrow(const arrow::Field& field) {
  TRY_ASSIGN(TypePtr type, from_arrow(*field.type()));
  return Field{field.name(), std::move(type), field.nullable(), {}};
}

Result<TypePtr> nested_from_arrow(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      TRY_ASSIGN(TypePtr key, from_arrow(*map.key_type()));
      TRY_ASSIGN(TypePtr value, from_arrow(*map.item_type()));
      return map_type(std::move(key), std::move(value), map.item_field()->nullable());
    }
    case arrow::Type::STRUCT: {
      Schema fields;
      for (const auto& child : type.fields()) {
        TRY_ASSIGN(Field field, field_from_arrow(*child));
        fields.push_back(std::move(field));
      }
      return struct_type(std::move(fields));
    }
    default: {
      TRY_ASSIGN(TypePtr element, from_arrow(*type.field(0)->type()));
      return array_type(std::move(element), type.field(0)->nullable());
    }
  }
}

}  // namespace

std::shared_ptr<arrow::DataType> to_arrow(const TypePtr& type, const std::string& time_zone) {
  switch (type->kind()) {
    case TypeKind::null:
      return arrow::null();
    case TypeKind::boolean:
      return arrow::boolean();
    case TypeKind::byte_:
      return arrow::int8();
    case TypeKind::short_:
      return arrow::int16();
    case TypeKind::int_:
      return arrow::int32();
    case TypeKind::long_:
      return arrow::int64();
    case TypeKind::float_:
      return arrow::float32();
    case TypeKind::double_:
      return arrow::float64();
    case TypeKind::decimal:
      return arrow::decimal128(type->precision(), type->scale());
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return arrow::utf8();
    case TypeKind::binary:
      return arrow::binary();
    case TypeKind::date:
      return arrow::date32();
    case TypeKind::timestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO, time_zone);
    case TypeKind::timestamp_ntz:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeKind::time:
      return arrow::time64(arrow::TimeUnit::NANO);
    case TypeKind::day_time_interval:
      return arrow::duration(arrow::TimeUnit::MICRO);
    case TypeKind::year_month_interval:
      return arrow::month_interval();
    case TypeKind::calendar_interval:
      return arrow::month_day_nano_interval();
    case TypeKind::array:
      return arrow::list(
          arrow::field("element", to_arrow(type->element(), time_zone), type->contains_null()));
    case TypeKind::map:
      return std::make_shared<arrow::MapType>(
          arrow::field("key", to_arrow(type->key(), time_zone), false),
          arrow::field("value", to_arrow(type->value(), time_zone), type->value_contains_null()));
    case TypeKind::struct_:
      return struct_to_arrow(*type, time_zone);
    case TypeKind::variant:
      return arrow::struct_({arrow::field("value", arrow::binary(), false),
                             arrow::field("metadata", arrow::binary(), false,
                                          arrow::key_value_metadata({{"variant", "true"}}))});
  }
  CHECK(false);
}

std::shared_ptr<arrow::Field> to_arrow(const Field& field, const std::string& time_zone) {
  return arrow::field(field.name, to_arrow(field.type, time_zone), field.nullable);
}

std::shared_ptr<arrow::Schema> to_arrow(const Schema& schema, const std::string& time_zone) {
  arrow::FieldVector fields;
  for (const Field& field : schema) fields.push_back(to_arrow(field, time_zone));
  return arrow::schema(std::move(fields));
}

Result<TypePtr> from_arrow(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return null_type();
    case arrow::Type::BOOL:
      return boolean_type();
    case arrow::Type::INT8:
      return byte_type();
    case arrow::Type::INT16:
      return short_type();
    case arrow::Type::INT32:
      return int_type();
    case arrow::Type::INT64:
      return long_type();
    case arrow::Type::UINT8:
      return short_type();
    case arrow::Type::UINT16:
      return int_type();
    case arrow::Type::UINT32:
      return long_type();
    case arrow::Type::UINT64:
      return decimal_type(20, 0);
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
      return float_type();
    case arrow::Type::DOUBLE:
      return double_type();
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      if (decimal.scale() < 0 || decimal.scale() > decimal.precision())
        return unsupported_arrow(type);
      return decimal_type(decimal.precision(), decimal.scale());
    }
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return string_type();
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return binary_type();
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return date_type();
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).timezone().empty()
                 ? timestamp_ntz_type()
                 : timestamp_type();
    case arrow::Type::TIME64:
      if (static_cast<const arrow::TimeType&>(type).unit() != arrow::TimeUnit::NANO)
        return unsupported_arrow(type);
      return type_of(TypeKind::time);
    case arrow::Type::DURATION:
      return day_time_interval_type(0, 3);
    case arrow::Type::INTERVAL_MONTHS:
      return year_month_interval_type(0, 1);
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return type_of(TypeKind::calendar_interval);
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::MAP:
    case arrow::Type::STRUCT:
      return nested_from_arrow(type);
    case arrow::Type::DICTIONARY:
      return from_arrow(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return unsupported_arrow(type);
  }
}

Result<Schema> from_arrow(const arrow::Schema& schema) {
  Schema out;
  for (const auto& child : schema.fields()) {
    TRY_ASSIGN(Field field, field_from_arrow(*child));
    out.push_back(std::move(field));
  }
  return out;
}

}  // namespace millstream::column
