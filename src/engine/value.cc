#include "engine/value.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/util/decimal.h>

#include <cmath>
#include <functional>

#include "base/time_of_day.h"
#include "engine/text.h"
#include "engine/variant.h"
#include "engine/zone.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

Value null_value() { return {}; }

Value boolean_value(bool value) {
  Value out;
  out.kind = Value::Kind::boolean;
  out.integer = value ? 1 : 0;
  return out;
}

Value integer_value(std::int64_t value) {
  Value out;
  out.kind = Value::Kind::integer;
  out.integer = value;
  return out;
}

Value floating_value(double value) {
  Value out;
  out.kind = Value::Kind::floating;
  out.floating = value;
  return out;
}

Value text_value(std::string value) {
  Value out;
  out.kind = Value::Kind::text;
  out.text = std::move(value);
  return out;
}

Value list_value(std::vector<Value> items) {
  Value out;
  out.kind = Value::Kind::list;
  out.items = std::move(items);
  return out;
}

namespace {

template <typename T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_floating(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return three_way(std::isnan(a), std::isnan(b));
  return three_way(a, b);
}

}  // namespace

int compare(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return three_way(!a.is_null(), !b.is_null());
  switch (a.kind) {
    case Value::Kind::floating:
      return compare_floating(a.floating, b.floating);
    case Value::Kind::decimal:
      return three_way(a.decimal, b.decimal);
    case Value::Kind::text:
      return three_way(a.text.compare(b.text), 0);
    case Value::Kind::list:
      for (std::size_t i = 0; i < a.items.size() && i < b.items.size(); ++i) {
        if (const int order = compare(a.items[i], b.items[i])) return order;
      }
      return three_way(a.items.size(), b.items.size());
    default:
      return three_way(a.integer, b.integer);
  }
}

bool holds_null(const Value& list) {
  for (const Value& item : list.items) {
    if (item.is_null()) return true;
  }
  return false;
}

std::size_t ValueHash::operator()(const Value& value) const {
  switch (value.kind) {
    case Value::Kind::null:
      return 0;
    case Value::Kind::floating:
      if (std::isnan(value.floating)) return 1;
      return std::hash<double>()(value.floating == 0 ? 0.0 : value.floating);
    case Value::Kind::decimal:
      return std::hash<std::int64_t>()(static_cast<std::int64_t>(value.decimal));
    case Value::Kind::text:
      return std::hash<std::string>()(value.text);
    case Value::Kind::list: {
      std::size_t hash = value.items.size();
      for (const Value& item : value.items) hash = hash * 31 + (*this)(item);
      return hash;
    }
    default:
      return std::hash<std::int64_t>()(value.integer);
  }
}

namespace {

template <typename ArrayType>
auto plain(const arrow::Array& array, std::int64_t row) {
  return static_cast<const ArrayType&>(array).Value(row);
}

std::int64_t read_integer(const arrow::Array& array, std::int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::INT8:
      return plain<arrow::Int8Array>(array, row);
    case arrow::Type::INT16:
      return plain<arrow::Int16Array>(array, row);
    case arrow::Type::INT32:
      return plain<arrow::Int32Array>(array, row);
    case arrow::Type::DATE32:
      return plain<arrow::Date32Array>(array, row);
    case arrow::Type::TIMESTAMP:
      return plain<arrow::TimestampArray>(array, row);
    case arrow::Type::TIME64:
      return plain<arrow::Time64Array>(array, row);
    default:
      return plain<arrow::Int64Array>(array, row);
  }
}

std::vector<Value> read_items(const arrow::Array& values, std::int64_t begin, std::int64_t end,
                              const DataType& type) {
  std::vector<Value> out;
  for (std::int64_t i = begin; i < end; ++i) out.push_back(read_value(values, i, type));
  return out;
}

Value read_map(const arrow::MapArray& map, std::int64_t row, const DataType& type) {
  std::vector<Value> entries;
  for (std::int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
    entries.push_back(list_value(
        {read_value(*map.keys(), i, *type.key()), read_value(*map.items(), i, *type.value())}));
  }
  return list_value(std::move(entries));
}

}  // namespace

Value read_value(const arrow::Array& array, std::int64_t row, const DataType& type) {
  if (type.kind() == TypeKind::null || array.IsNull(row)) return null_value();
  switch (type.kind()) {
    case TypeKind::boolean:
      return boolean_value(plain<arrow::BooleanArray>(array, row));
    case TypeKind::float_:
      return floating_value(static_cast<double>(plain<arrow::FloatArray>(array, row)));
    case TypeKind::double_:
      return floating_value(plain<arrow::DoubleArray>(array, row));
    case TypeKind::decimal: {
      const arrow::Decimal128 number(
          static_cast<const arrow::Decimal128Array&>(array).GetValue(row));
      Value out;
      out.kind = Value::Kind::decimal;
      out.decimal = (static_cast<__int128>(number.high_bits()) << 64) |
                    static_cast<__int128>(number.low_bits());
      return out;
    }
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
    case TypeKind::binary:
      return text_value(std::string(static_cast<const arrow::BinaryArray&>(array).GetView(row)));
    case TypeKind::array: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      return list_value(read_items(*list.values(), list.value_offset(row),
                                   list.value_offset(row + 1), *type.element()));
    }
    case TypeKind::map:
      return read_map(static_cast<const arrow::MapArray&>(array), row, type);
    case TypeKind::variant: {
      const auto& members = static_cast<const arrow::StructArray&>(array);
      return list_value({read_value(*members.field(0), row, *column::binary_type()),
                         read_value(*members.field(1), row, *column::binary_type())});
    }
    case TypeKind::calendar_interval: {
      const auto& members = static_cast<const arrow::StructArray&>(array);
      std::vector<Value> items;
      for (int i = 0; i < 3; ++i)
        items.push_back(integer_value(read_integer(*members.field(i), row)));
      return list_value(std::move(items));
    }
    case TypeKind::struct_: {
      const auto& members = static_cast<const arrow::StructArray&>(array);
      std::vector<Value> items;
      for (std::size_t i = 0; i < type.fields().size(); ++i) {
        items.push_back(
            read_value(*members.field(static_cast<int>(i)), row, *type.fields()[i].type));
      }
      return list_value(std::move(items));
    }
    default:
      return integer_value(read_integer(array, row));
  }
}

namespace {

std::string decimal_digits(__int128 value, int scale) {
  const arrow::Decimal128 number(static_cast<std::int64_t>(value >> 64),
                                 static_cast<std::uint64_t>(value));
  return decimal_text(number.ToIntegerString(), scale);
}

std::string nested_text(const Value& value, const DataType& type, const std::string& zone) {
  const auto item_text = [&](const Value& item, const DataType& item_type) {
    return item.is_null() ? std::string("null") : text_of(item, item_type, zone);
  };
  const bool array = type.kind() == TypeKind::array;
  std::string out = array ? "[" : "{";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out += ", ";
    if (type.kind() == TypeKind::map) {
      out += item_text(value.items[i].items[0], *type.key()) + " -> " +
             item_text(value.items[i].items[1], *type.value());
    } else {
      out += item_text(value.items[i], array ? *type.element() : *type.fields()[i].type);
    }
  }
  return out + (array ? "]" : "}");
}

}  // namespace

std::string text_of(const Value& value, const DataType& type, const std::string& zone) {
  switch (type.kind()) {
    case TypeKind::boolean:
      return value.integer != 0 ? "true" : "false";
    case TypeKind::float_:
      return float_text(static_cast<float>(value.floating));
    case TypeKind::double_:
      return double_text(value.floating);
    case TypeKind::decimal:
      return decimal_digits(value.decimal, type.scale());
    case TypeKind::date:
      return date_text(value.integer);
    case TypeKind::timestamp: {
      const auto found = Zone::find(zone);
      return timestamp_text(found.ok() ? (*found)->to_local(value.integer) : value.integer);
    }
    case TypeKind::timestamp_ntz:
      return timestamp_text(value.integer);
    case TypeKind::time:
      return time_of_day_text(value.integer);
    case TypeKind::day_time_interval:
      return day_time_text(value.integer, type.start_field(), type.end_field());
    case TypeKind::year_month_interval:
      return year_month_text(value.integer, type.start_field(), type.end_field());
    case TypeKind::calendar_interval:
      return calendar_text(value.items[0].integer, value.items[1].integer, value.items[2].integer);
    case TypeKind::array:
    case TypeKind::map:
    case TypeKind::struct_:
      return nested_text(value, type, zone);
    case TypeKind::variant:
      return VariantView(value.items[0].text, value.items[1].text).json(zone);
    default:
      return value.kind == Value::Kind::text ? value.text : std::to_string(value.integer);
  }
}

}  // namespace millstream::engine
