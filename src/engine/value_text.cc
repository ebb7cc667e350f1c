#include "engine/value_text.h"

#include <arrow/array.h>
#include <arrow/util/decimal.h>

#include "base/time_of_day.h"
#include "engine/text.h"
#include "engine/utf8.h"
#include "engine/variant.h"
#include "engine/zone.h"

namespace millstream::engine {
namespace {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

template <typename ArrayType>
auto value_at(const arrow::Array& array, std::int64_t row) {
  return static_cast<const ArrayType&>(array).Value(row);
}

std::string binary_text(std::string_view bytes) {
  std::string out = "[";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    out += fmt::format("{}{:02X}", i == 0 ? "" : " ", static_cast<unsigned char>(bytes[i]));
  return out + "]";
}

Result<std::string> list_text(const arrow::Array& values, std::int64_t begin, std::int64_t end,
                              const TypePtr& type, const TextStyle& style) {
  std::string out = "[";
  for (std::int64_t i = begin; i < end; ++i) {
    TRY_ASSIGN(const std::string item, value_text(values, i, type, style));
    out += (i > begin ? ", " : "") + item;
  }
  return out + "]";
}

Result<std::string> nested_text(const arrow::Array& array, std::int64_t row, const DataType& type,
                                const TextStyle& style) {
  if (type.kind() == TypeKind::array) {
    const auto& list = static_cast<const arrow::ListArray&>(array);
    return list_text(*list.values(), list.value_offset(row), list.value_offset(row + 1),
                     type.element(), style);
  }
  std::string out = "{";
  if (type.kind() == TypeKind::map) {
    const auto& map = static_cast<const arrow::MapArray&>(array);
    for (std::int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
      TRY_ASSIGN(const std::string key, value_text(*map.keys(), i, type.key(), style));
      TRY_ASSIGN(const std::string item, value_text(*map.items(), i, type.value(), style));
      out += (i > map.value_offset(row) ? ", " : "") + key + " -> " + item;
    }
    return out + "}";
  }
  const auto& members = static_cast<const arrow::StructArray&>(array);
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    TRY_ASSIGN(const std::string item,
               value_text(*members.field(static_cast<int>(i)), row, type.fields()[i].type, style));
    out += (i > 0 ? ", " : "") + item;
  }
  return out + "}";
}

}  // namespace

Result<std::string> value_text(const arrow::Array& array, std::int64_t row, const TypePtr& type,
                               const TextStyle& style) {
  if (type->kind() == TypeKind::null || array.IsNull(row))
    return std::string(style.pretty ? "NULL" : "null");
  switch (type->kind()) {
    case TypeKind::boolean:
      return std::string(value_at<arrow::BooleanArray>(array, row) ? "true" : "false");
    case TypeKind::byte_:
      return std::to_string(value_at<arrow::Int8Array>(array, row));
    case TypeKind::short_:
      return std::to_string(value_at<arrow::Int16Array>(array, row));
    case TypeKind::int_:
      return std::to_string(value_at<arrow::Int32Array>(array, row));
    case TypeKind::long_:
      return std::to_string(value_at<arrow::Int64Array>(array, row));
    case TypeKind::float_:
      return float_text(value_at<arrow::FloatArray>(array, row));
    case TypeKind::double_:
      return double_text(value_at<arrow::DoubleArray>(array, row));
    case TypeKind::decimal:
      return decimal_text(
          arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(array).GetValue(row))
              .ToIntegerString(),
          static_cast<const arrow::Decimal128Type&>(*array.type()).scale());
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return std::string(static_cast<const arrow::StringArray&>(array).GetView(row));
    case TypeKind::binary: {
      const auto bytes = static_cast<const arrow::BinaryArray&>(array).GetView(row);
      return style.pretty ? binary_text(bytes) : valid_utf8(bytes);
    }
    case TypeKind::date:
      return date_text(value_at<arrow::Date32Array>(array, row));
    case TypeKind::timestamp: {
      TRY_ASSIGN(const Zone* zone, Zone::find(style.time_zone));
      return timestamp_text(zone->to_local(value_at<arrow::TimestampArray>(array, row)));
    }
    case TypeKind::timestamp_ntz:
      return timestamp_text(value_at<arrow::TimestampArray>(array, row));
    case TypeKind::time:
      return time_of_day_text(value_at<arrow::Time64Array>(array, row));
    case TypeKind::day_time_interval:
      return day_time_text(value_at<arrow::DurationArray>(array, row), type->start_field(),
                           type->end_field());
    case TypeKind::year_month_interval:
      return year_month_text(value_at<arrow::MonthIntervalArray>(array, row), type->start_field(),
                             type->end_field());
    case TypeKind::calendar_interval: {
      const auto value = value_at<arrow::MonthDayNanoIntervalArray>(array, row);
      return calendar_text(value.months, value.days, value.nanoseconds / 1000);
    }
    case TypeKind::array:
    case TypeKind::map:
    case TypeKind::struct_:
      return nested_text(array, row, *type, style);
    case TypeKind::variant: {
      const auto& members = static_cast<const arrow::StructArray&>(array);
      const auto bytes = [&](int i) {
        return static_cast<const arrow::BinaryArray&>(*members.field(i)).GetView(row);
      };
      return VariantView(bytes(0), bytes(1)).json(style.time_zone);
    }
    case TypeKind::null:
      break;
  }
  return Status::unsupported("the text of {} values is not supported", type->sql());
}

}  // namespace millstream::engine
