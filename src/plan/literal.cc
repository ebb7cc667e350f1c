#include "plan/literal.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <cstdlib>

#include "base/time_of_day.h"
#include "plan/analyzer.h"
#include "plan/refusals.h"
#include "plan/text.h"
#include "spark/connect/expressions.pb.h"

// Older clients fill fields that are deprecated since.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::plan {
namespace {

using Proto = spark::connect::Expression_Literal;
using column::TypeKind;
using column::TypePtr;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

struct Value {
  ScalarPtr scalar;
  TypePtr type;
};

Status invalid_plan(std::string message) {
  return Status::plain(ErrorKind::invalid_plan, std::move(message));
}

Result<Value> value_from_proto(const Proto& proto, const TypePtr& expected);

Result<Value> array_of(const std::vector<Value>& values, const TypePtr& element) {
  bool contains_null = false;
  auto builder = arrow::MakeBuilder(column::to_arrow(element));
  if (!builder.ok()) return Status::internal("{}", builder.status().ToString());
  for (const Value& v : values) {
    contains_null = contains_null || !v.scalar->is_valid;
    const auto appended =
        v.scalar->is_valid ? (*builder)->AppendScalar(*v.scalar) : (*builder)->AppendNull();
    if (!appended.ok()) {
      return invalid_plan("an array literal whose elements are not of one type");
    }
  }
  const TypePtr type = column::array_type(element, contains_null);
  auto array = (*builder)->Finish();
  if (!array.ok()) return Status::internal("{}", array.status().ToString());
  return Value{std::make_shared<arrow::ListScalar>(*array, column::to_arrow(type)), type};
}

template <typename Repeated>
Result<Value> elements_of(const Repeated& elements, TypePtr element) {
  std::vector<Value> values;
  for (const Proto& e : elements) {
    TRY_ASSIGN(Value v, value_from_proto(e, element));
    if (element == nullptr && v.type->kind() != TypeKind::null) element = v.type;
    values.push_back(std::move(v));
  }
  return array_of(values, element == nullptr ? column::null_type() : element);
}

Result<Value> array_from_proto(const Proto& proto, const TypePtr& expected) {
  TypePtr element;
  if (expected != nullptr && expected->kind() == TypeKind::array) {
    element = expected->element();
  } else if (proto.array().has_element_type()) {
    TRY_ASSIGN(element, type_from_proto(proto.array().element_type()));
  }
  return elements_of(proto.array().elements(), element);
}

Result<Value> map_from_proto(const Proto& proto, const TypePtr& expected) {
  TypePtr key;
  TypePtr value;
  if (expected != nullptr && expected->kind() == TypeKind::map) {
    key = expected->key();
    value = expected->value();
  } else if (proto.map().has_key_type()) {
    TRY_ASSIGN(key, type_from_proto(proto.map().key_type()));
    TRY_ASSIGN(value, type_from_proto(proto.map().value_type()));
  }
  if (proto.map().keys_size() != proto.map().values_size()) {
    return invalid_plan("a map literal with different numbers of keys and values");
  }
  TRY_ASSIGN(Value keys, elements_of(proto.map().keys(), key));
  TRY_ASSIGN(Value values, elements_of(proto.map().values(), value));
  const TypePtr type =
      column::map_type(keys.type->element(), values.type->element(), values.type->contains_null());
  const auto arrow_type = std::static_pointer_cast<arrow::MapType>(column::to_arrow(type));
  auto entries =
      arrow::StructArray::Make({static_cast<const arrow::ListScalar&>(*keys.scalar).value,
                                static_cast<const arrow::ListScalar&>(*values.scalar).value},
                               arrow_type->value_type()->fields());
  if (!entries.ok()) return Status::internal("{}", entries.status().ToString());
  return Value{std::make_shared<arrow::MapScalar>(*entries, arrow_type), type};
}

Result<Value> struct_from_proto(const Proto& proto, const TypePtr& expected) {
  TypePtr type = expected;
  if (type == nullptr && proto.struct_().has_struct_type()) {
    TRY_ASSIGN(type, type_from_proto(proto.struct_().struct_type()));
  }
  if (type == nullptr || type->kind() != TypeKind::struct_) {
    return Status::error("CONNECT_INVALID_PLAN.STRUCT_LITERAL_MISSING_DATA_TYPE");
  }
  const auto& elements = proto.struct_().elements();
  if (static_cast<std::size_t>(elements.size()) != type->fields().size()) {
    return invalid_plan("a struct literal whose values do not fit its fields");
  }
  arrow::ScalarVector scalars;
  for (int i = 0; i < elements.size(); ++i) {
    const auto& field = type->fields()[static_cast<std::size_t>(i)];
    TRY_ASSIGN(Value v, value_from_proto(elements[i], field.type));
    scalars.push_back(v.scalar->is_valid ? v.scalar
                                         : arrow::MakeNullScalar(column::to_arrow(field.type)));
  }
  return Value{std::make_shared<arrow::StructScalar>(std::move(scalars), column::to_arrow(type)),
               type};
}

Result<Value> decimal_from_proto(const Proto::Decimal& proto) {
  arrow::Decimal128 value;
  std::int32_t precision = 0;
  std::int32_t scale = 0;
  if (!arrow::Decimal128::FromString(proto.value(), &value, &precision, &scale).ok()) {
    return invalid_plan(fmt::format("{} is not a decimal", proto.value()));
  }
  if (scale < -38 || proto.scale() > 38)  // beyond what can be rescaled to
    return invalid_plan(fmt::format("{} is out of range", proto.value()));
  // 0.001 counts three digits, 1e3 has scale -3: as java.math.BigDecimal, then made a Spark type.
  if (scale < 0) {
    auto rescaled = value.Rescale(scale, 0);
    if (!rescaled.ok()) return invalid_plan(fmt::format("{} is out of range", proto.value()));
    value = *rescaled;
    precision -= scale;
    scale = 0;
  }
  precision = std::max(precision, scale);
  precision = std::max(precision, 1);
  // What the client declares may be more, never less: it says decimal(10,0) of 1.20.
  if (proto.has_scale() && proto.scale() > scale) {
    auto rescaled = value.Rescale(scale, proto.scale());
    if (!rescaled.ok()) return invalid_plan(fmt::format("{} does not fit", proto.value()));
    value = *rescaled;
    precision += proto.scale() - scale;
    scale = proto.scale();
  }
  if (proto.has_precision()) precision = std::max(precision, proto.precision());
  if (precision > 38) {
    return Status::error("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                         {{"precision", std::to_string(precision)}, {"maxPrecision", "38"}});
  }
  const TypePtr type = column::decimal_type(precision, scale);
  return Value{std::make_shared<arrow::Decimal128Scalar>(value, column::to_arrow(type)), type};
}

Result<Value> specialized_array(const Proto::SpecializedArray& proto) {
  std::vector<Value> values;
  const auto take = [&](const auto& list, const TypePtr& type, const auto& scalar) {
    for (const auto& v : list) values.push_back(Value{scalar(v), type});
    return array_of(values, type);
  };
  switch (proto.value_type_case()) {
    case Proto::SpecializedArray::kBools:
      return take(proto.bools().values(), column::boolean_type(),
                  [](bool v) { return std::make_shared<arrow::BooleanScalar>(v); });
    case Proto::SpecializedArray::kInts:
      return take(proto.ints().values(), column::int_type(),
                  [](std::int32_t v) { return std::make_shared<arrow::Int32Scalar>(v); });
    case Proto::SpecializedArray::kLongs:
      return take(proto.longs().values(), column::long_type(),
                  [](std::int64_t v) { return std::make_shared<arrow::Int64Scalar>(v); });
    case Proto::SpecializedArray::kFloats:
      return take(proto.floats().values(), column::float_type(),
                  [](float v) { return std::make_shared<arrow::FloatScalar>(v); });
    case Proto::SpecializedArray::kDoubles:
      return take(proto.doubles().values(), column::double_type(),
                  [](double v) { return std::make_shared<arrow::DoubleScalar>(v); });
    case Proto::SpecializedArray::kStrings:
      return take(proto.strings().values(), column::string_type(),
                  [](const std::string& v) { return std::make_shared<arrow::StringScalar>(v); });
    case Proto::SpecializedArray::VALUE_TYPE_NOT_SET:
      break;
  }
  return invalid_plan("a specialized array literal without values");
}

Result<Value> simple_from_proto(const Proto& proto) {
  const auto made = [](auto scalar, TypePtr type) {
    return Value{std::move(scalar), std::move(type)};
  };
  switch (proto.literal_type_case()) {
    case Proto::kNull: {
      TRY_ASSIGN(TypePtr type, type_from_proto(proto.null()));
      return made(arrow::MakeNullScalar(column::to_arrow(type)), type);
    }
    case Proto::kBinary:
      return made(std::make_shared<arrow::BinaryScalar>(proto.binary()), column::binary_type());
    case Proto::kBoolean:
      return made(std::make_shared<arrow::BooleanScalar>(proto.boolean()), column::boolean_type());
    case Proto::kByte:
      return made(std::make_shared<arrow::Int8Scalar>(static_cast<std::int8_t>(proto.byte())),
                  column::byte_type());
    case Proto::kShort:
      return made(std::make_shared<arrow::Int16Scalar>(static_cast<std::int16_t>(proto.short_())),
                  column::short_type());
    case Proto::kInteger:
      return made(std::make_shared<arrow::Int32Scalar>(proto.integer()), column::int_type());
    case Proto::kLong:
      return made(std::make_shared<arrow::Int64Scalar>(proto.long_()), column::long_type());
    case Proto::kFloat:
      return made(std::make_shared<arrow::FloatScalar>(proto.float_()), column::float_type());
    case Proto::kDouble:
      return made(std::make_shared<arrow::DoubleScalar>(proto.double_()), column::double_type());
    case Proto::kString:
      return made(std::make_shared<arrow::StringScalar>(proto.string()), column::string_type());
    case Proto::kDate:
      return made(std::make_shared<arrow::Date32Scalar>(proto.date()), column::date_type());
    case Proto::kTimestamp:
      return made(std::make_shared<arrow::TimestampScalar>(
                      proto.timestamp(), column::to_arrow(column::timestamp_type())),
                  column::timestamp_type());
    case Proto::kTimestampNtz:
      return made(std::make_shared<arrow::TimestampScalar>(
                      proto.timestamp_ntz(), column::to_arrow(column::timestamp_ntz_type())),
                  column::timestamp_ntz_type());
    default:
      return invalid_plan("a literal without value" + unknown_fields(proto));
  }
}

Result<Value> interval_from_proto(const Proto& proto, const TypePtr& declared) {
  if (proto.has_day_time_interval()) {
    const TypePtr type = declared != nullptr && declared->kind() == TypeKind::day_time_interval
                             ? declared
                             : column::day_time_interval_type(0, 3);
    return Value{
        std::make_shared<arrow::DurationScalar>(proto.day_time_interval(), column::to_arrow(type)),
        type};
  }
  if (proto.has_year_month_interval()) {
    const TypePtr type = declared != nullptr && declared->kind() == TypeKind::year_month_interval
                             ? declared
                             : column::year_month_interval_type(0, 1);
    return Value{std::make_shared<arrow::MonthIntervalScalar>(proto.year_month_interval()), type};
  }
  const auto& c = proto.calendar_interval();
  const arrow::MonthDayNanoIntervalType::MonthDayNanos value{c.months(), c.days(),
                                                             c.microseconds() * 1000};
  return Value{std::make_shared<arrow::MonthDayNanoIntervalScalar>(value),
               column::type_of(TypeKind::calendar_interval)};
}

Result<Value> time_from_proto(const Proto::Time& proto) {
  const int precision = proto.has_precision() ? proto.precision() : time_precision_max;
  if (precision < 0 || precision > time_precision_max) {
    return Status::error("UNSUPPORTED_TIME_PRECISION", {{"precision", std::to_string(precision)}});
  }
  if (proto.nano() < 0 || proto.nano() >= nanos_per_day)
    return invalid_plan(fmt::format("{} nanoseconds are no time of a day", proto.nano()));
  const TypePtr type = column::time_type(precision);
  return Value{std::make_shared<arrow::Time64Scalar>(proto.nano(), column::to_arrow(type)), type};
}

Result<Value> value_from_proto(const Proto& proto, const TypePtr& expected) {
  TypePtr declared = expected;
  if (proto.has_data_type()) {
    TRY_ASSIGN(declared, type_from_proto(proto.data_type()));
  }
  switch (proto.literal_type_case()) {
    case Proto::kDecimal:
      return decimal_from_proto(proto.decimal());
    case Proto::kArray:
      return array_from_proto(proto, declared);
    case Proto::kMap:
      return map_from_proto(proto, declared);
    case Proto::kStruct:
      return struct_from_proto(proto, declared);
    case Proto::kSpecializedArray:
      return specialized_array(proto.specialized_array());
    case Proto::kCalendarInterval:
    case Proto::kYearMonthInterval:
    case Proto::kDayTimeInterval:
      return interval_from_proto(proto, declared);
    case Proto::kTime:
      return time_from_proto(proto.time());
    default:
      return simple_from_proto(proto);
  }
}

}  // namespace

Result<ExprPtr> literal_from_proto(const Proto& proto, const TypePtr& expected) {
  TRY_ASSIGN(Value value, value_from_proto(proto, expected));
  return literal_of(std::move(value.scalar), value.type);
}

ExprPtr literal_of(ScalarPtr value, const TypePtr& type) {
  std::string name = literal_name(*value, type);
  return make_literal(std::move(value), type, std::move(name));
}

ExprPtr null_literal(const TypePtr& type) {
  return literal_of(arrow::MakeNullScalar(column::to_arrow(type)), type);
}

ExprPtr int_literal(std::int32_t value) {
  return literal_of(std::make_shared<arrow::Int32Scalar>(value), column::int_type());
}

ExprPtr string_literal(const std::string& value) {
  return literal_of(std::make_shared<arrow::StringScalar>(value), column::string_type());
}

std::optional<std::int64_t> constant_integer(const Expr& expr) {
  if (expr.kind == ExprKind::call && expr.name == "negative" && expr.children.size() == 1) {
    const auto inner = constant_integer(*expr.children[0]);
    if (inner && *inner != INT64_MIN) return -*inner;
    return std::nullopt;
  }
  if (expr.kind != ExprKind::literal || !expr.value->is_valid) return std::nullopt;
  switch (expr.type->kind()) {
    case TypeKind::byte_:
      return static_cast<const arrow::Int8Scalar&>(*expr.value).value;
    case TypeKind::short_:
      return static_cast<const arrow::Int16Scalar&>(*expr.value).value;
    case TypeKind::int_:
      return static_cast<const arrow::Int32Scalar&>(*expr.value).value;
    case TypeKind::long_:
      return static_cast<const arrow::Int64Scalar&>(*expr.value).value;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> constant_string(const Expr& expr) {
  if (expr.kind != ExprKind::literal || !expr.value->is_valid ||
      expr.type->kind() != TypeKind::string) {
    return std::nullopt;
  }
  return static_cast<const arrow::StringScalar&>(*expr.value).value->ToString();
}

}  // namespace millstream::plan
