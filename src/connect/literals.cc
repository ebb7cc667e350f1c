#include "connect/literals.h"

#include <arrow/array.h>
#include <arrow/util/decimal.h>

#include "plan/analyzer.h"
#include "spark/connect/expressions.pb.h"

// The types of nested literals have a newer field, which clients up to 4.3 do not read: they need
// the deprecated ones.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::connect {
namespace {

template <typename Array>
auto at(const arrow::Array& array, std::int64_t index) {
  return static_cast<const Array&>(array).Value(index);
}

Status list_literal(const arrow::Array& array, std::int64_t index, const column::TypePtr& type,
                    spark::connect::Expression_Literal* literal) {
  const auto& lists = static_cast<const arrow::ListArray&>(array);
  auto* out = literal->mutable_array();
  plan::type_to_proto(type->element(), out->mutable_element_type());
  for (std::int64_t i = lists.value_offset(index); i < lists.value_offset(index + 1); ++i) {
    TRY(to_literal(*lists.values(), i, type->element(), out->add_elements()));
  }
  return Status::OK();
}

Status map_literal(const arrow::Array& array, std::int64_t index, const column::TypePtr& type,
                   spark::connect::Expression_Literal* literal) {
  const auto& maps = static_cast<const arrow::MapArray&>(array);
  auto* out = literal->mutable_map();
  plan::type_to_proto(type->key(), out->mutable_key_type());
  plan::type_to_proto(type->value(), out->mutable_value_type());
  for (std::int64_t i = maps.value_offset(index); i < maps.value_offset(index + 1); ++i) {
    TRY(to_literal(*maps.keys(), i, type->key(), out->add_keys()));
    TRY(to_literal(*maps.items(), i, type->value(), out->add_values()));
  }
  return Status::OK();
}

Status struct_literal(const arrow::Array& array, std::int64_t index, const column::TypePtr& type,
                      spark::connect::Expression_Literal* literal) {
  const auto& structs = static_cast<const arrow::StructArray&>(array);
  auto* out = literal->mutable_struct_();
  plan::type_to_proto(type, out->mutable_struct_type());
  for (std::size_t i = 0; i < type->fields().size(); ++i) {
    TRY(to_literal(*structs.field(static_cast<int>(i)), index, type->fields()[i].type,
                   out->add_elements()));
  }
  return Status::OK();
}

}  // namespace

Status to_literal(const arrow::Array& array, std::int64_t index, const column::TypePtr& type,
                  spark::connect::Expression_Literal* literal) {
  using column::TypeKind;
  if (array.IsNull(index) || type->kind() == TypeKind::null) {
    plan::type_to_proto(type, literal->mutable_null());
    return Status::OK();
  }
  switch (type->kind()) {
    case TypeKind::boolean:
      literal->set_boolean(at<arrow::BooleanArray>(array, index));
      break;
    case TypeKind::byte_:
      literal->set_byte(at<arrow::Int8Array>(array, index));
      break;
    case TypeKind::short_:
      literal->set_short_(at<arrow::Int16Array>(array, index));
      break;
    case TypeKind::int_:
      literal->set_integer(at<arrow::Int32Array>(array, index));
      break;
    case TypeKind::long_:
      literal->set_long_(at<arrow::Int64Array>(array, index));
      break;
    case TypeKind::float_:
      literal->set_float_(at<arrow::FloatArray>(array, index));
      break;
    case TypeKind::double_:
      literal->set_double_(at<arrow::DoubleArray>(array, index));
      break;
    case TypeKind::decimal: {
      auto* out = literal->mutable_decimal();
      out->set_value(static_cast<const arrow::Decimal128Array&>(array).FormatValue(index));
      out->set_precision(type->precision());
      out->set_scale(type->scale());
      break;
    }
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      literal->set_string(
          std::string(static_cast<const arrow::StringArray&>(array).GetView(index)));
      break;
    case TypeKind::binary:
      literal->set_binary(
          std::string(static_cast<const arrow::BinaryArray&>(array).GetView(index)));
      break;
    case TypeKind::date:
      literal->set_date(at<arrow::Date32Array>(array, index));
      break;
    case TypeKind::timestamp:
      literal->set_timestamp(at<arrow::TimestampArray>(array, index));
      break;
    case TypeKind::timestamp_ntz:
      literal->set_timestamp_ntz(at<arrow::TimestampArray>(array, index));
      break;
    case TypeKind::time:
      literal->mutable_time()->set_nano(at<arrow::Time64Array>(array, index));
      literal->mutable_time()->set_precision(type->precision());
      break;
    case TypeKind::day_time_interval:
      literal->set_day_time_interval(at<arrow::DurationArray>(array, index));
      break;
    case TypeKind::array:
      return list_literal(array, index, type, literal);
    case TypeKind::map:
      return map_literal(array, index, type, literal);
    case TypeKind::struct_:
      return struct_literal(array, index, type, literal);
    default:
      return Status::unsupported("an observed metric of type {} cannot be sent to the client yet",
                                 type->simple_string());
  }
  return Status::OK();
}

}  // namespace millstream::connect
