#include "format/orc_adapt.h"

#include <arrow/array.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/key_value_metadata.h>

#include <cmath>
#include <limits>

#include "base/text.h"
#include "column/timestamp_meaning.h"
#include "format/arrow_status.h"
#include "format/calendar.h"

namespace millstream::format {
namespace {

using column::TypeKind;
using column::TypePtr;
using ArrayPtr = std::shared_ptr<arrow::Array>;

constexpr const char* type_note = "spark.sql.catalyst.type";
constexpr std::int64_t second_us = 1'000'000;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// A fixed-width array from another by `convert`, which says whether there is a value.
template <typename Builder, typename From, typename Convert>
Result<ArrayPtr> mapped(const arrow::Array& array, const std::shared_ptr<arrow::DataType>& type,
                        const Convert& convert) {
  const auto& from = static_cast<const From&>(array);
  Builder builder(type, arrow::default_memory_pool());
  TRY_ARROW(builder.Reserve(array.length()));
  for (std::int64_t row = 0; row < array.length(); ++row) {
    typename Builder::value_type value{};
    if (from.IsNull(row) || !convert(from.Value(row), value)) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(value);
    }
  }
  TRY_ARROW_ASSIGN(auto out, builder.Finish());
  return out;
}

// Calls `body` with the array's own class, if it is one of numbers.
template <typename Body>
Result<ArrayPtr> with_numbers(const arrow::Array& array, const Status& otherwise,
                              const Body& body) {
  switch (array.type_id()) {
    case arrow::Type::INT8:
      return body(static_cast<const arrow::Int8Array*>(nullptr));
    case arrow::Type::INT16:
      return body(static_cast<const arrow::Int16Array*>(nullptr));
    case arrow::Type::INT32:
      return body(static_cast<const arrow::Int32Array*>(nullptr));
    case arrow::Type::INT64:
      return body(static_cast<const arrow::Int64Array*>(nullptr));
    case arrow::Type::FLOAT:
      return body(static_cast<const arrow::FloatArray*>(nullptr));
    case arrow::Type::DOUBLE:
      return body(static_cast<const arrow::DoubleArray*>(nullptr));
    case arrow::Type::BOOL:
      return body(static_cast<const arrow::BooleanArray*>(nullptr));
    default:
      return otherwise;
  }
}

// The validity of an array, from its beginning.
Result<std::shared_ptr<arrow::Buffer>> validity_of(const arrow::Array& array) {
  if (array.null_bitmap() == nullptr || array.offset() == 0) return array.null_bitmap();
  TRY_ARROW_ASSIGN(auto copy, arrow::internal::CopyBitmap(arrow::default_memory_pool(),
                                                          array.null_bitmap()->data(),
                                                          array.offset(), array.length()));
  return copy;
}

class FromOrc {
 public:
  FromOrc(const std::string& column, const OrcRules& rules) : column_(column), rules_(rules) {}

  Result<ArrayPtr> convert(const ArrayPtr& array, const TypePtr& wanted) const {
    const auto type = column::to_arrow(wanted);
    switch (wanted->kind()) {
      case TypeKind::struct_:
        if (array->type_id() != arrow::Type::STRUCT) return refuse(*array, *wanted);
        return structs(static_cast<const arrow::StructArray&>(*array), wanted, type);
      case TypeKind::array: {
        if (array->type_id() != arrow::Type::LIST) return refuse(*array, *wanted);
        TRY_ASSIGN(const auto values, convert(static_cast<const arrow::ListArray&>(*array).values(),
                                              wanted->element()));
        return with_children(*array, type, {values->data()});
      }
      case TypeKind::map: {
        if (array->type_id() != arrow::Type::MAP) return refuse(*array, *wanted);
        const auto& map = static_cast<const arrow::MapArray&>(*array);
        TRY_ASSIGN(const auto keys, convert(map.keys(), wanted->key()));
        TRY_ASSIGN(const auto values, convert(map.items(), wanted->value()));
        return with_children(
            *array, type,
            {arrow::ArrayData::Make(type->field(0)->type(), keys->length(), {nullptr},
                                    {keys->data(), values->data()}, 0)});
      }
      default:
        return leaf(array, *wanted, type);
    }
  }

 private:
  Status refuse(const arrow::Array& array, const column::DataType& wanted) const {
    return Status::unsupported(
        "reading the column {} of ORC files, which is {} there, as {} is not supported by "
        "Millstream yet",
        column_, array.type()->ToString(), wanted.sql());
  }

  static Result<ArrayPtr> with_children(const arrow::Array& array,
                                        const std::shared_ptr<arrow::DataType>& type,
                                        std::vector<std::shared_ptr<arrow::ArrayData>> children) {
    auto data = array.data()->Copy();
    data->type = type;
    data->child_data = std::move(children);
    return arrow::MakeArray(data);
  }

  Result<ArrayPtr> structs(const arrow::StructArray& array, const TypePtr& wanted,
                           const std::shared_ptr<arrow::DataType>& type) const {
    std::vector<std::shared_ptr<arrow::ArrayData>> members;
    for (const auto& field : wanted->fields()) {
      int found = -1;
      for (int i = 0; found < 0 && i < array.num_fields(); ++i) {
        if (equals_ignore_case(array.struct_type()->field(i)->name(), field.name)) found = i;
      }
      if (found < 0) {
        TRY_ARROW_ASSIGN(const auto nulls,
                         arrow::MakeArrayOfNull(column::to_arrow(field.type), array.length()));
        members.push_back(nulls->data());
      } else {
        TRY_ASSIGN(const auto member, convert(array.field(found), field.type));
        members.push_back(member->data());
      }
    }
    TRY_ASSIGN(auto validity, validity_of(array));
    return arrow::MakeArray(
        arrow::ArrayData::Make(type, array.length(), {std::move(validity)}, std::move(members)));
  }

  Result<ArrayPtr> leaf(const ArrayPtr& array, const column::DataType& wanted,
                        const std::shared_ptr<arrow::DataType>& type) const {
    switch (wanted.kind()) {
      case TypeKind::boolean:
        return with_numbers(*array, refuse(*array, wanted), [&](const auto* own) {
          using Own = std::remove_const_t<std::remove_pointer_t<decltype(own)>>;
          return mapped<arrow::BooleanBuilder, Own>(*array, type, [](auto value, bool& out) {
            out = static_cast<std::int64_t>(value) != 0;
            return true;
          });
        });
      case TypeKind::byte_:
        return integers<arrow::Int8Builder>(array, wanted, type);
      case TypeKind::short_:
        return integers<arrow::Int16Builder>(array, wanted, type);
      case TypeKind::int_:
        return integers<arrow::Int32Builder>(array, wanted, type);
      case TypeKind::long_:
        return integers<arrow::Int64Builder>(array, wanted, type);
      case TypeKind::float_:
        return fractions<arrow::FloatBuilder>(array, wanted, type);
      case TypeKind::double_:
        return fractions<arrow::DoubleBuilder>(array, wanted, type);
      case TypeKind::date:
        return dates(array, wanted, type);
      case TypeKind::timestamp:
        return instants(array, wanted, type);
      case TypeKind::timestamp_ntz:
      case TypeKind::time:
      case TypeKind::day_time_interval:
        if (array->type_id() != arrow::Type::INT64) return refuse(*array, wanted);
        return viewed(array, type);
      case TypeKind::year_month_interval:
        if (array->type_id() != arrow::Type::INT32) return refuse(*array, wanted);
        return viewed(array, type);
      case TypeKind::decimal:
        return decimals(array, wanted, type);
      default:
        return texts(array, wanted, type);
    }
  }

  static Result<ArrayPtr> viewed(const ArrayPtr& array,
                                 const std::shared_ptr<arrow::DataType>& type) {
    TRY_ARROW_ASSIGN(auto out, array->View(type));
    return out;
  }

  template <typename Builder>
  Result<ArrayPtr> integers(const ArrayPtr& array, const column::DataType& wanted,
                            const std::shared_ptr<arrow::DataType>& type) const {
    if (array->type()->Equals(*type)) return array;
    using Value = typename Builder::value_type;
    return with_numbers(*array, refuse(*array, wanted), [&](const auto* own) {
      using Own = std::remove_const_t<std::remove_pointer_t<decltype(own)>>;
      return mapped<Builder, Own>(*array, type, [](auto value, Value& out) {
        using Limits = std::numeric_limits<Value>;
        if constexpr (std::is_floating_point_v<decltype(value)>) {
          // The greatest of them is no double: the next is.
          const double whole = std::trunc(static_cast<double>(value));
          if (!(whole >= static_cast<double>(Limits::min()) &&
                whole < -static_cast<double>(Limits::min()))) {
            return false;
          }
        } else if constexpr (!std::is_same_v<decltype(value), bool>) {
          const auto wide = static_cast<std::int64_t>(value);
          if (wide < Limits::min() || wide > Limits::max()) return false;
        }
        out = static_cast<Value>(value);
        return true;
      });
    });
  }

  template <typename Builder>
  Result<ArrayPtr> fractions(const ArrayPtr& array, const column::DataType& wanted,
                             const std::shared_ptr<arrow::DataType>& type) const {
    if (array->type()->Equals(*type)) return array;
    if (array->type_id() == arrow::Type::DECIMAL128) {
      const int scale = static_cast<const arrow::DecimalType&>(*array->type()).scale();
      const auto& from = static_cast<const arrow::Decimal128Array&>(*array);
      Builder builder(type, arrow::default_memory_pool());
      for (std::int64_t row = 0; row < from.length(); ++row) {
        const double value =
            from.IsNull(row) ? 0 : arrow::Decimal128(from.GetValue(row)).ToDouble(scale);
        TRY_ARROW(from.IsNull(row)
                      ? builder.AppendNull()
                      : builder.Append(static_cast<typename Builder::value_type>(value)));
      }
      TRY_ARROW_ASSIGN(auto out, builder.Finish());
      return out;
    }
    return with_numbers(*array, refuse(*array, wanted), [&](const auto* own) {
      using Own = std::remove_const_t<std::remove_pointer_t<decltype(own)>>;
      return mapped<Builder, Own>(*array, type, [](auto value, typename Builder::value_type& out) {
        out = static_cast<typename Builder::value_type>(value);
        return true;
      });
    });
  }

  Result<ArrayPtr> dates(const ArrayPtr& array, const column::DataType& wanted,
                         const std::shared_ptr<arrow::DataType>& type) const {
    if (array->type_id() != arrow::Type::DATE32) return refuse(*array, wanted);
    return mapped<arrow::Date32Builder, arrow::Date32Array>(
        *array, type, [&](std::int32_t day, std::int32_t& out) {
          out = rules_.julian ? gregorian_of_julian(day) : day;
          return true;
        });
  }

  Result<ArrayPtr> instants(const ArrayPtr& array, const column::DataType& wanted,
                            const std::shared_ptr<arrow::DataType>& type) const {
    const TimeZone zone = rules_.zone;
    const auto at_zone = [&zone](std::int64_t local) {
      return local - zone.offset_of_local(floor_div(local, second_us)) * second_us;
    };
    if (array->type_id() == arrow::Type::DATE32) {
      return mapped<arrow::TimestampBuilder, arrow::Date32Array>(
          *array, type, [&](std::int32_t day, std::int64_t& out) {
            out = at_zone((rules_.julian ? gregorian_of_julian(day) : day) * 86'400 * second_us);
            return true;
          });
    }
    if (array->type_id() != arrow::Type::TIMESTAMP) return refuse(*array, wanted);
    const auto& from = static_cast<const arrow::TimestampType&>(*array->type());
    if (from.unit() != arrow::TimeUnit::NANO) return refuse(*array, wanted);
    const bool instant = !from.timezone().empty();
    return mapped<arrow::TimestampBuilder, arrow::TimestampArray>(
        *array, type, [&](std::int64_t nanos, std::int64_t& out) {
          const std::int64_t micros = floor_div(nanos, 1000);
          out = instant ? micros : at_zone(micros);
          return true;
        });
  }

  Result<ArrayPtr> decimals(const ArrayPtr& array, const column::DataType& wanted,
                            const std::shared_ptr<arrow::DataType>& type) const {
    if (array->type()->Equals(*type)) return array;
    if (array->type_id() != arrow::Type::DECIMAL128) return refuse(*array, wanted);
    const int scale = static_cast<const arrow::DecimalType&>(*array->type()).scale();
    const auto& from = static_cast<const arrow::Decimal128Array&>(*array);
    arrow::Decimal128Builder builder(type, arrow::default_memory_pool());
    for (std::int64_t row = 0; row < from.length(); ++row) {
      std::optional<arrow::Decimal128> value;
      if (from.IsValid(row)) {
        value = arrow::Decimal128(from.GetValue(row));
        if (scale > wanted.scale()) {
          value = value->ReduceScaleBy(scale - wanted.scale(), true);
        } else if (scale < wanted.scale()) {
          const auto scaled = value->Rescale(scale, wanted.scale());
          value = scaled.ok() ? std::optional(*scaled) : std::nullopt;
        }
      }
      const bool fits = value && value->FitsInPrecision(wanted.precision());
      TRY_ARROW(fits ? builder.Append(*value) : builder.AppendNull());
    }
    TRY_ARROW_ASSIGN(auto out, builder.Finish());
    return out;
  }

  Result<ArrayPtr> texts(const ArrayPtr& array, const column::DataType& wanted,
                         const std::shared_ptr<arrow::DataType>& type) const {
    if (array->type()->Equals(*type)) return array;
    const auto id = array->type_id();
    if (wanted.kind() == TypeKind::binary) {
      return id == arrow::Type::STRING ? viewed(array, type) : refuse(*array, wanted);
    }
    const bool whole = id == arrow::Type::INT8 || id == arrow::Type::INT16 ||
                       id == arrow::Type::INT32 || id == arrow::Type::INT64;
    if (!wanted.is_string() || !whole) return refuse(*array, wanted);
    TRY_ARROW_ASSIGN(auto out, arrow::compute::Cast(*array, type));
    return out;
  }

  const std::string& column_;
  const OrcRules& rules_;
};

bool has_note(const arrow::Field& field) {
  return field.HasMetadata() && field.metadata()->Contains(type_note);
}

Result<TypePtr> type_of_orc(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::LIST: {
      TRY_ASSIGN(auto element, spark_type_of_orc(*type.field(0)));
      return column::array_type(std::move(element));
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      TRY_ASSIGN(auto key, spark_type_of_orc(*map.key_field()));
      TRY_ASSIGN(auto value, spark_type_of_orc(*map.item_field()));
      return column::map_type(std::move(key), std::move(value));
    }
    case arrow::Type::STRUCT: {
      column::Schema fields;
      for (const auto& field : type.fields()) {
        TRY_ASSIGN(auto member, spark_type_of_orc(*field));
        fields.push_back({field->name(), std::move(member), true, {}});
      }
      return column::struct_type(std::move(fields));
    }
    case arrow::Type::TIMESTAMP:
      return column::timestamp_type();
    default:
      return column::from_arrow(type);
  }
}

// The Arrow form of a type that the adapter writes as Spark would.
std::shared_ptr<arrow::DataType> orc_type(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::timestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeKind::timestamp_ntz:
    case TypeKind::time:
    case TypeKind::day_time_interval:
      return arrow::int64();
    case TypeKind::year_month_interval:
      return arrow::int32();
    case TypeKind::array:
      return arrow::list(orc_field({"element", type->element(), true, {}}));
    case TypeKind::map:
      return std::make_shared<arrow::MapType>(
          orc_field({"key", type->key(), true, {}})->WithNullable(false),
          orc_field({"value", type->value(), true, {}}));
    case TypeKind::struct_: {
      arrow::FieldVector members;
      for (const auto& field : type->fields()) members.push_back(orc_field(field));
      return arrow::struct_(members);
    }
    default:
      return column::to_arrow(type);
  }
}

class ToOrc {
 public:
  explicit ToOrc(const OrcRules& rules) : rules_(rules) {}

  Result<ArrayPtr> convert(const ArrayPtr& array, const TypePtr& wanted) const {
    const auto type = orc_type(wanted);
    switch (wanted->kind()) {
      case TypeKind::date:
        return mapped<arrow::Date32Builder, arrow::Date32Array>(
            *array, type, [&](std::int32_t day, std::int32_t& out) {
              out = rules_.julian ? julian_of_gregorian(day) : day;
              return true;
            });
      case TypeKind::timestamp:
        return wall_clocks(*array, type);
      case TypeKind::timestamp_ntz:
      case TypeKind::time:
      case TypeKind::day_time_interval:
      case TypeKind::year_month_interval: {
        TRY_ARROW_ASSIGN(auto out, array->View(type));
        return out;
      }
      case TypeKind::array: {
        TRY_ASSIGN(const auto values, convert(static_cast<const arrow::ListArray&>(*array).values(),
                                              wanted->element()));
        return with_children(*array, type, {values->data()});
      }
      case TypeKind::map: {
        const auto& map = static_cast<const arrow::MapArray&>(*array);
        TRY_ASSIGN(const auto keys, convert(map.keys(), wanted->key()));
        TRY_ASSIGN(const auto values, convert(map.items(), wanted->value()));
        return with_children(
            *array, type,
            {arrow::ArrayData::Make(type->field(0)->type(), keys->length(), {nullptr},
                                    {keys->data(), values->data()}, 0)});
      }
      case TypeKind::struct_:
        return structs(static_cast<const arrow::StructArray&>(*array), *wanted, type);
      default:
        return array;
    }
  }

 private:
  static Result<ArrayPtr> with_children(const arrow::Array& array,
                                        const std::shared_ptr<arrow::DataType>& type,
                                        std::vector<std::shared_ptr<arrow::ArrayData>> children) {
    auto data = array.data()->Copy();
    data->type = type;
    data->child_data = std::move(children);
    return arrow::MakeArray(data);
  }

  Result<ArrayPtr> structs(const arrow::StructArray& array, const column::DataType& wanted,
                           const std::shared_ptr<arrow::DataType>& type) const {
    std::vector<std::shared_ptr<arrow::ArrayData>> members;
    for (int i = 0; i < array.num_fields(); ++i) {
      TRY_ASSIGN(const auto member,
                 convert(array.field(i), wanted.fields()[static_cast<std::size_t>(i)].type));
      members.push_back(member->data());
    }
    TRY_ASSIGN(auto validity, validity_of(array));
    return arrow::MakeArray(
        arrow::ArrayData::Make(type, array.length(), {std::move(validity)}, std::move(members)));
  }

  // The adapter splits a time into seconds and a fraction that is negative before 1970, which no
  // reader takes: such times are refused.
  Result<ArrayPtr> wall_clocks(const arrow::Array& array,
                               const std::shared_ptr<arrow::DataType>& type) const {
    bool refused = false;
    TRY_ASSIGN(auto out, (mapped<arrow::TimestampBuilder, arrow::TimestampArray>(
                             array, type, [&](std::int64_t micros, std::int64_t& local) {
                               const auto seconds = floor_div(micros, second_us);
                               local = micros + rules_.zone.offset_at(seconds) * second_us;
                               refused = refused || (local < 0 && local % second_us != 0);
                               return true;
                             })));
    if (refused) {
      return Status::unsupported(
          "writing timestamps before 1970 with a fraction of a second to ORC files is not "
          "supported by Millstream yet");
    }
    return out;
  }

  const OrcRules& rules_;
};

}  // namespace

Result<TypePtr> spark_type_of_orc(const arrow::Field& field) {
  if (!has_note(field)) return type_of_orc(*field.type());
  TRY_ARROW_ASSIGN(const auto note, field.metadata()->Get(type_note));
  return column::parse_noted_type(note);
}

std::shared_ptr<arrow::Field> orc_field(const column::Field& field) {
  auto out = arrow::field(field.name, orc_type(field.type));
  switch (field.type->kind()) {
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return out->WithMetadata(arrow::key_value_metadata({{type_note, "string"}}));
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
    case TypeKind::time:
    case TypeKind::day_time_interval:
    case TypeKind::year_month_interval:
      return out->WithMetadata(
          arrow::key_value_metadata({{type_note, field.type->simple_string()}}));
    default:
      return out;
  }
}

Result<ArrayPtr> from_orc(const ArrayPtr& array, const TypePtr& wanted, const std::string& column,
                          const OrcRules& rules) {
  return FromOrc(column, rules).convert(array, wanted);
}

Result<ArrayPtr> to_orc(const ArrayPtr& array, const TypePtr& type, const OrcRules& rules) {
  return ToOrc(rules).convert(array, type);
}

}  // namespace millstream::format
