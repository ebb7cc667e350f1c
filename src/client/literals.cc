#include <algorithm>
#include <limits>

#include "base/time_of_day.h"
#include "client/errors.h"
#include "client/expressions.h"
#include "spark/connect/expressions.pb.h"

// Older servers fill fields that are deprecated since.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::client {
namespace {

namespace proto = spark::connect;
using Literal = proto::Expression_Literal;

class ToLiteral {
 public:
  explicit ToLiteral(Literal* literal) : literal_(literal) {}

  void operator()(std::monostate) const { literal_->mutable_null()->mutable_null(); }
  void operator()(bool value) const { literal_->set_boolean(value); }
  // As Python's client: the smaller type that holds the number.
  void operator()(std::int64_t value) const {
    const bool is_int = value >= std::numeric_limits<std::int32_t>::min() &&
                        value <= std::numeric_limits<std::int32_t>::max();
    if (is_int) {
      literal_->set_integer(static_cast<std::int32_t>(value));
    } else {
      literal_->set_long_(value);
    }
  }
  void operator()(double value) const { literal_->set_double_(value); }
  void operator()(const std::string& value) const { literal_->set_string(value); }
  void operator()(const api::Binary& value) const { literal_->set_binary(value.bytes); }
  void operator()(const api::Decimal& value) const {
    literal_->mutable_decimal()->set_value(value.text);
  }
  void operator()(api::Date value) const { literal_->set_date(value.days); }
  void operator()(api::Timestamp value) const { literal_->set_timestamp(value.micros); }
  void operator()(api::TimestampNtz value) const { literal_->set_timestamp_ntz(value.micros); }
  void operator()(api::DayTimeInterval value) const {
    literal_->set_day_time_interval(value.micros);
  }
  void operator()(api::YearMonthInterval value) const {
    literal_->set_year_month_interval(value.months);
  }
  template <typename Nested>
  void operator()(const Nested&) const {
    throw api::SparkException(
        "[UNSUPPORTED_FEATURE.LITERAL_TYPE] a constant is one value: make arrays, maps and structs "
        "by call_function(\"array\", …), \"map\" and \"struct\"");
  }

 private:
  Literal* literal_;
};

api::Value from_typed(const Literal& literal, const proto::DataType& inherited);

// Servers say the type of a nested value once, at its top; older ones in each level's own field.
const proto::DataType& either(bool has, const proto::DataType& own,
                              const proto::DataType& otherwise) {
  return has ? own : otherwise;
}

api::Value from_array(const Literal::Array& array, const proto::DataType& type) {
  const auto& element =
      either(array.has_element_type(), array.element_type(), type.array().element_type());
  api::Values values;
  for (const Literal& one : array.elements()) values.push_back(from_typed(one, element));
  return values;
}

template <typename T>
api::Value from_values(const T& specialized) {
  api::Values values;
  for (const auto& value : specialized.values()) values.emplace_back(value);
  return values;
}

api::Value from_specialized_array(const Literal::SpecializedArray& array) {
  switch (array.value_type_case()) {
    case Literal::SpecializedArray::kBools:
      return from_values(array.bools());
    case Literal::SpecializedArray::kInts:
      return from_values(array.ints());
    case Literal::SpecializedArray::kLongs:
      return from_values(array.longs());
    case Literal::SpecializedArray::kFloats:
      return from_values(array.floats());
    case Literal::SpecializedArray::kDoubles:
      return from_values(array.doubles());
    case Literal::SpecializedArray::kStrings:
      return from_values(array.strings());
    case Literal::SpecializedArray::VALUE_TYPE_NOT_SET:
      break;
  }
  return api::Values{};
}

api::Value from_map(const Literal::Map& map, const proto::DataType& type) {
  const auto& key = either(map.has_key_type(), map.key_type(), type.map().key_type());
  const auto& value = either(map.has_value_type(), map.value_type(), type.map().value_type());
  api::Entries entries;
  for (int i = 0; i < std::min(map.keys_size(), map.values_size()); ++i)
    entries.emplace_back(from_typed(map.keys(i), key), from_typed(map.values(i), value));
  return entries;
}

api::Value from_struct(const Literal::Struct& fields, const proto::DataType& inherited) {
  const auto& type = either(fields.has_struct_type(), fields.struct_type(), inherited);
  auto names = std::make_shared<std::vector<std::string>>();
  api::Values values;
  for (int i = 0; i < fields.elements_size(); ++i) {
    const bool is_named = i < type.struct_().fields_size();
    names->push_back(is_named ? type.struct_().fields(i).name() : "col" + std::to_string(i + 1));
    values.push_back(from_typed(fields.elements(i), is_named
                                                        ? type.struct_().fields(i).data_type()
                                                        : proto::DataType::default_instance()));
  }
  return api::Row(std::move(names), std::move(values));
}

}  // namespace

void to_literal(const api::Value& value, Literal* literal) {
  std::visit(ToLiteral(literal), value.storage());
}

api::Value from_literal(const Literal& literal) {
  return from_typed(literal, proto::DataType::default_instance());
}

namespace {

api::Value from_typed(const Literal& literal, const proto::DataType& inherited) {
  const auto& type = either(literal.has_data_type(), literal.data_type(), inherited);
  switch (literal.literal_type_case()) {
    case Literal::kNull:
    case Literal::LITERAL_TYPE_NOT_SET:
      return {};
    case Literal::kBinary:
      return api::Binary{literal.binary()};
    case Literal::kBoolean:
      return literal.boolean();
    case Literal::kByte:
      return literal.byte();
    case Literal::kShort:
      return literal.short_();
    case Literal::kInteger:
      return literal.integer();
    case Literal::kLong:
      return literal.long_();
    case Literal::kFloat:
      return double{literal.float_()};
    case Literal::kDouble:
      return literal.double_();
    case Literal::kDecimal:
      return api::Decimal{literal.decimal().value()};
    case Literal::kString:
      return literal.string();
    case Literal::kDate:
      return api::Date{literal.date()};
    case Literal::kTimestamp:
      return api::Timestamp{literal.timestamp()};
    case Literal::kTimestampNtz:
      return api::TimestampNtz{literal.timestamp_ntz()};
    case Literal::kYearMonthInterval:
      return api::YearMonthInterval{literal.year_month_interval()};
    case Literal::kDayTimeInterval:
      return api::DayTimeInterval{literal.day_time_interval()};
    case Literal::kArray:
      return from_array(literal.array(), type);
    case Literal::kSpecializedArray:
      return from_specialized_array(literal.specialized_array());
    case Literal::kMap:
      return from_map(literal.map(), type);
    case Literal::kStruct:
      return from_struct(literal.struct_(), type);
    case Literal::kTime:
      return time_of_day_text(literal.time().nano());
    case Literal::kCalendarInterval:
      break;
  }
  return literal.ShortDebugString();  // the API has no form for it
}

}  // namespace

}  // namespace millstream::client
