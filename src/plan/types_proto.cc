#include "base/time_of_day.h"
#include "plan/analyzer.h"
#include "plan/refusals.h"
#include "spark/connect/types.pb.h"

namespace millstream::plan {
namespace {

using Proto = spark::connect::DataType;
using column::TypeKind;

Result<column::TypePtr> struct_from_proto(const Proto::Struct& proto) {
  std::vector<column::Field> fields;
  fields.reserve(static_cast<std::size_t>(proto.fields_size()));
  for (const auto& field : proto.fields()) {
    TRY_ASSIGN(auto type, type_from_proto(field.data_type()));
    std::string metadata = field.has_metadata() && field.metadata() != "{}" ? field.metadata() : "";
    fields.push_back(column::Field{field.name(), std::move(type), field.nullable(), metadata});
  }
  return column::struct_type(std::move(fields));
}

Result<column::TypePtr> nested_from_proto(const Proto& proto) {
  if (proto.has_array()) {
    TRY_ASSIGN(auto element, type_from_proto(proto.array().element_type()));
    return column::array_type(std::move(element), proto.array().contains_null());
  }
  if (proto.has_map()) {
    TRY_ASSIGN(auto key, type_from_proto(proto.map().key_type()));
    TRY_ASSIGN(auto value, type_from_proto(proto.map().value_type()));
    return column::map_type(std::move(key), std::move(value), proto.map().value_contains_null());
  }
  return struct_from_proto(proto.struct_());
}

// What a client names as the first and the last unit of an interval.
Status check_interval_fields(int start, int end, int last) {
  if (start >= 0 && start <= end && end <= last) return Status::OK();
  return Status::plain(
      ErrorKind::invalid_plan,
      fmt::format("an interval from unit {} to unit {} is not a type", start, end));
}

Result<column::TypePtr> decimal_from_proto(const Proto::Decimal& proto) {
  const int precision = proto.has_precision() ? proto.precision() : 10;
  const int scale = proto.has_scale() ? proto.scale() : 0;
  if (precision > 38) {
    return Status::error("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                         {{"precision", std::to_string(precision)}, {"maxPrecision", "38"}});
  }
  if (precision < 1 || scale < 0 || scale > precision) {
    return Status::plain(ErrorKind::invalid_plan,
                         fmt::format("decimal({},{}) is not a type", precision, scale));
  }
  return column::decimal_type(precision, scale);
}

}  // namespace

Result<column::TypePtr> type_from_proto(const Proto& proto) {
  switch (proto.kind_case()) {
    case Proto::kNull:
      return column::null_type();
    case Proto::kBinary:
      return column::binary_type();
    case Proto::kBoolean:
      return column::boolean_type();
    case Proto::kByte:
      return column::byte_type();
    case Proto::kShort:
      return column::short_type();
    case Proto::kInteger:
      return column::int_type();
    case Proto::kLong:
      return column::long_type();
    case Proto::kFloat:
      return column::float_type();
    case Proto::kDouble:
      return column::double_type();
    case Proto::kDecimal:
      return decimal_from_proto(proto.decimal());
    case Proto::kString:
      if (!proto.string().collation().empty() && proto.string().collation() != "UTF8_BINARY") {
        return Status::unsupported("collation {} is not supported", proto.string().collation());
      }
      return column::string_type();
    case Proto::kChar:
      return column::char_type(proto.char_().length());
    case Proto::kVarChar:
      return column::varchar_type(proto.var_char().length());
    case Proto::kDate:
      return column::date_type();
    case Proto::kTimestamp:
      return column::timestamp_type();
    case Proto::kTimestampNtz:
      return column::timestamp_ntz_type();
    case Proto::kCalendarInterval:
      return column::type_of(TypeKind::calendar_interval);
    case Proto::kYearMonthInterval: {
      const auto& p = proto.year_month_interval();
      const int start = p.has_start_field() ? p.start_field() : 0;
      const int end = p.has_end_field() ? p.end_field() : 1;
      TRY(check_interval_fields(start, end, 1));
      return column::year_month_interval_type(start, end);
    }
    case Proto::kDayTimeInterval: {
      const auto& p = proto.day_time_interval();
      const int start = p.has_start_field() ? p.start_field() : 0;
      const int end = p.has_end_field() ? p.end_field() : 3;
      TRY(check_interval_fields(start, end, 3));
      return column::day_time_interval_type(start, end);
    }
    case Proto::kArray:
    case Proto::kMap:
    case Proto::kStruct:
      return nested_from_proto(proto);
    case Proto::kVariant:
      return column::variant_type();
    case Proto::kUnparsed:
      return column::parse_type(proto.unparsed().data_type_string());
    case Proto::kUdt:
      if (!proto.udt().has_sql_type()) {
        return Status::unsupported("the user-defined type {} is not supported",
                                   proto.udt().python_class());
      }
      return type_from_proto(proto.udt().sql_type());
    case Proto::kGeometry:
      return Status::unsupported("the type GEOMETRY is not supported");
    case Proto::kGeography:
      return Status::unsupported("the type GEOGRAPHY is not supported");
    case Proto::kTime: {
      const int precision =
          proto.time().has_precision() ? proto.time().precision() : time_precision_max;
      if (precision < 0 || precision > time_precision_max) {
        return Status::error("UNSUPPORTED_TIME_PRECISION",
                             {{"precision", std::to_string(precision)}});
      }
      return column::time_type(precision);
    }
    case Proto::KIND_NOT_SET:
      break;
  }
  return Status::plain(ErrorKind::invalid_plan,
                       "a data type without kind in the plan" + unknown_fields(proto));
}

void schema_to_proto(const column::Schema& schema, Proto* proto) {
  auto* out = proto->mutable_struct_();
  for (const column::Field& field : schema) {
    auto* f = out->add_fields();
    f->set_name(field.name);
    f->set_nullable(field.nullable);
    if (!field.metadata.empty()) f->set_metadata(field.metadata);
    type_to_proto(field.type, f->mutable_data_type());
  }
}

void type_to_proto(const column::TypePtr& type, Proto* proto) {
  switch (type->kind()) {
    case TypeKind::null:
      proto->mutable_null();
      return;
    case TypeKind::boolean:
      proto->mutable_boolean();
      return;
    case TypeKind::byte_:
      proto->mutable_byte();
      return;
    case TypeKind::short_:
      proto->mutable_short_();
      return;
    case TypeKind::int_:
      proto->mutable_integer();
      return;
    case TypeKind::long_:
      proto->mutable_long_();
      return;
    case TypeKind::float_:
      proto->mutable_float_();
      return;
    case TypeKind::double_:
      proto->mutable_double_();
      return;
    case TypeKind::decimal:
      proto->mutable_decimal()->set_precision(type->precision());
      proto->mutable_decimal()->set_scale(type->scale());
      return;
    case TypeKind::string:
      proto->mutable_string()->set_collation("UTF8_BINARY");
      return;
    case TypeKind::char_:
      proto->mutable_char_()->set_length(type->length());
      return;
    case TypeKind::varchar:
      proto->mutable_var_char()->set_length(type->length());
      return;
    case TypeKind::binary:
      proto->mutable_binary();
      return;
    case TypeKind::date:
      proto->mutable_date();
      return;
    case TypeKind::timestamp:
      proto->mutable_timestamp();
      return;
    case TypeKind::timestamp_ntz:
      proto->mutable_timestamp_ntz();
      return;
    case TypeKind::time:
      proto->mutable_time()->set_precision(type->precision());
      return;
    case TypeKind::day_time_interval:
      proto->mutable_day_time_interval()->set_start_field(type->start_field());
      proto->mutable_day_time_interval()->set_end_field(type->end_field());
      return;
    case TypeKind::year_month_interval:
      proto->mutable_year_month_interval()->set_start_field(type->start_field());
      proto->mutable_year_month_interval()->set_end_field(type->end_field());
      return;
    case TypeKind::calendar_interval:
      proto->mutable_calendar_interval();
      return;
    case TypeKind::array:
      type_to_proto(type->element(), proto->mutable_array()->mutable_element_type());
      proto->mutable_array()->set_contains_null(type->contains_null());
      return;
    case TypeKind::map:
      type_to_proto(type->key(), proto->mutable_map()->mutable_key_type());
      type_to_proto(type->value(), proto->mutable_map()->mutable_value_type());
      proto->mutable_map()->set_value_contains_null(type->value_contains_null());
      return;
    case TypeKind::struct_:
      schema_to_proto(type->fields(), proto);
      return;
    case TypeKind::variant:
      proto->mutable_variant();
      return;
  }
}

}  // namespace millstream::plan
