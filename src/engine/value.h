// One value of any type, for functions over arrays, maps and structs whose types are only known
// with the query. Values of one column have one type, which is kept beside them. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "column/types.h"

namespace arrow {
class Array;
}  // namespace arrow

namespace millstream::engine {

struct Value {
  enum class Kind : std::uint8_t {
    null,
    boolean,   // integer: 0 or 1
    integer,   // all integers, dates, timestamps and intervals
    floating,  // FLOAT too
    decimal,   // the unscaled number
    text,      // strings and binaries
    list,      // an array's elements; a struct's members; a map's entries, each a list of two; a
               // variant's value and metadata; a calendar interval's months, days and microseconds
  };
  Kind kind = Kind::null;
  std::int64_t integer = 0;
  double floating = 0;
  __int128 decimal = 0;
  std::string text;
  std::vector<Value> items;

  bool is_null() const { return kind == Kind::null; }
};

Value null_value();
Value boolean_value(bool value);
Value integer_value(std::int64_t value);
Value floating_value(double value);
Value text_value(std::string value);
Value list_value(std::vector<Value> items);

// Spark's order: NULL before all, NaN after all, -0.0 equal to 0.0; nested values member by member.
int compare(const Value& a, const Value& b);
bool holds_null(const Value& list);
// Bytes whose order is that of `compare`, of values of one type.
std::string order_key(const Value& value);

struct ValueHash {
  std::size_t operator()(const Value& value) const;
};
struct ValueEqual {
  bool operator()(const Value& a, const Value& b) const { return compare(a, b) == 0; }
};

// A row of an Arrow array in the physical form (physical.h).
Value read_value(const arrow::Array& array, std::int64_t row, const column::DataType& type);

// The value as CAST AS STRING gives it.
std::string text_of(const Value& value, const column::DataType& type, const std::string& zone);

}  // namespace millstream::engine
