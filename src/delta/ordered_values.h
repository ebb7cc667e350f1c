// Values of a column as numbers or bytes that are ordered as the values are. Inside of the room.
#pragma once

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace millstream::delta {

namespace ordered_values {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

inline std::uint64_t ordered(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ sign_bit;
}

inline std::uint64_t ordered(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}

// Calls f(row, value) for rows that are not NULL, in order.
template <typename ArrayType, typename F>
bool each(const arrow::Array& column, const F& f) {
  const auto& values = static_cast<const ArrayType&>(column);
  for (std::int64_t i = 0; i < values.length(); ++i) {
    if (!values.IsNull(i)) f(i, values.Value(i));
  }
  return true;
}

}  // namespace ordered_values

// Calls f(row, number) for rows that are not NULL; false: the type's values are no such numbers.
template <typename F>
bool each_number(const arrow::Array& column, const F& f) {
  using ordered_values::each;
  const auto integer = [&](std::int64_t i, auto value) {
    f(i, ordered_values::ordered(static_cast<std::int64_t>(value)));
  };
  const auto real = [&](std::int64_t i, auto value) {
    f(i, ordered_values::ordered(static_cast<double>(value)));
  };
  switch (column.type_id()) {
    case arrow::Type::BOOL:
      return each<arrow::BooleanArray>(column, integer);
    case arrow::Type::INT8:
      return each<arrow::Int8Array>(column, integer);
    case arrow::Type::INT16:
      return each<arrow::Int16Array>(column, integer);
    case arrow::Type::INT32:
      return each<arrow::Int32Array>(column, integer);
    case arrow::Type::INT64:
      return each<arrow::Int64Array>(column, integer);
    case arrow::Type::DATE32:
      return each<arrow::Date32Array>(column, integer);
    case arrow::Type::TIME64:
      return each<arrow::Time64Array>(column, integer);
    case arrow::Type::TIMESTAMP:
      return each<arrow::TimestampArray>(column, integer);
    case arrow::Type::FLOAT:
      return each<arrow::FloatArray>(column, real);
    case arrow::Type::DOUBLE:
      return each<arrow::DoubleArray>(column, real);
    default:
      return false;
  }
}

// Calls f(row, bytes) for rows that are not NULL; false: the type's values are no such bytes.
template <typename F>
bool each_text(const arrow::Array& column, const F& f) {
  if (column.type_id() == arrow::Type::DECIMAL128) {
    const auto& values = static_cast<const arrow::Decimal128Array&>(column);
    for (std::int64_t i = 0; i < values.length(); ++i) {
      if (values.IsNull(i)) continue;
      std::string bytes(reinterpret_cast<const char*>(values.Value(i)), 16);
      std::ranges::reverse(bytes);
      bytes[0] = static_cast<char>(bytes[0] ^ '\x80');
      f(i, std::string_view(bytes));
    }
    return true;
  }
  if (column.type_id() != arrow::Type::STRING && column.type_id() != arrow::Type::BINARY)
    return false;
  const auto& values = static_cast<const arrow::BinaryArray&>(column);
  for (std::int64_t i = 0; i < values.length(); ++i) {
    if (!values.IsNull(i)) f(i, values.GetView(i));
  }
  return true;
}

}  // namespace millstream::delta
