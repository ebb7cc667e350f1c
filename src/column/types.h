// Spark's data types, as immutable values shared by pointer. Equality is structural (names and
// nullability count, field metadata does not). Forms: DDL ("a INT, b ARRAY<STRING>"), Spark's
// schema JSON, Arrow. The Connect proto form lives in plan, which knows the messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace arrow {
class DataType;
class Field;
class Schema;
}  // namespace arrow

namespace millstream::column {

enum class TypeKind : std::uint8_t {
  null,  // "void"
  boolean,
  byte_,
  short_,
  int_,
  long_,
  float_,
  double_,
  decimal,
  string,
  char_,
  varchar,
  binary,
  date,
  timestamp,      // an instant, microseconds UTC
  timestamp_ntz,  // a wall-clock time without zone
  time,           // a time of day, nanoseconds since midnight, of which at most micros are seen
  day_time_interval,
  year_month_interval,
  calendar_interval,
  array,
  map,
  struct_,
  variant,
};

class DataType;
using TypePtr = std::shared_ptr<const DataType>;

struct Field {
  std::string name;
  TypePtr type;
  bool nullable = true;
  std::string metadata;  // JSON object text; empty: {}

  bool operator==(const Field& other) const;
};

// A row type: the fields of a struct, or the columns of a table.
using Schema = std::vector<Field>;

class DataType {
 public:
  TypeKind kind() const { return kind_; }
  int precision() const { return first_; }  // decimal, time
  int scale() const { return second_; }     // decimal
  int length() const { return first_; }     // char, varchar
  int start_field() const {
    return first_;
  }  // intervals: DAY 0 HOUR 1 MINUTE 2 SECOND 3; YEAR 0 MONTH 1
  int end_field() const { return second_; }
  // struct: its fields. array: one field "element". map: "key" (not null) and "value".
  const std::vector<Field>& fields() const { return fields_; }
  const TypePtr& element() const { return fields_[0].type; }
  bool contains_null() const { return fields_[0].nullable; }
  const TypePtr& key() const { return fields_[0].type; }
  const TypePtr& value() const { return fields_[1].type; }
  bool value_contains_null() const { return fields_[1].nullable; }

  bool is_integral() const { return kind_ >= TypeKind::byte_ && kind_ <= TypeKind::long_; }
  bool is_numeric() const { return kind_ >= TypeKind::byte_ && kind_ <= TypeKind::decimal; }
  bool is_string() const { return kind_ >= TypeKind::string && kind_ <= TypeKind::varchar; }
  bool is_nested() const { return kind_ >= TypeKind::array && kind_ <= TypeKind::struct_; }

  bool operator==(const DataType& other) const;

  std::string simple_string() const;  // "bigint", "struct<a:int>": df.dtypes, messages
  std::string sql() const;            // "BIGINT", "STRUCT<a: INT>": error messages, CAST names, DDL
  std::string to_json() const;  // "\"long\"" or {"type":"struct",…}: Spark's schema JSON, one line

  DataType(TypeKind kind, int first, int second, std::vector<Field> fields)
      : kind_(kind), first_(first), second_(second), fields_(std::move(fields)) {}
  DataType(const DataType&) = delete;
  DataType& operator=(const DataType&) = delete;
  ~DataType();  // at any depth

 private:
  TypeKind kind_;
  int first_;
  int second_;
  std::vector<Field> fields_;
};

// Types without parameters; the same pointer each time.
TypePtr type_of(TypeKind kind);
TypePtr null_type();
TypePtr boolean_type();
TypePtr byte_type();
TypePtr short_type();
TypePtr int_type();
TypePtr long_type();
TypePtr float_type();
TypePtr double_type();
TypePtr string_type();
TypePtr binary_type();
TypePtr date_type();
TypePtr timestamp_type();
TypePtr timestamp_ntz_type();
TypePtr variant_type();
TypePtr decimal_type(int precision, int scale);  // 1..38, 0..precision
TypePtr time_type(int precision);                // 0..6: digits of a second's fraction
TypePtr char_type(int length);
TypePtr varchar_type(int length);
TypePtr day_time_interval_type(int start_field, int end_field);
TypePtr year_month_interval_type(int start_field, int end_field);
TypePtr array_type(TypePtr element, bool contains_null = true);
TypePtr map_type(TypePtr key, TypePtr value, bool value_contains_null = true);
TypePtr struct_type(std::vector<Field> fields);

bool same_type(const TypePtr& a, const TypePtr& b);  // structural, as operator==
bool same_type_ignoring_nullability(const TypePtr& a, const TypePtr& b);
TypePtr as_nullable(const TypePtr& type);  // nullable at every depth
Schema as_nullable(const Schema& schema);
int find_field(const Schema& schema, std::string_view name);              // exact; -1: none
int find_field_ignore_case(const Schema& schema, std::string_view name);  // first match; -1: none

// "BIGINT", "decimal(10,2)", "array<struct<a:int>>". PARSE_SYNTAX_ERROR / UNSUPPORTED_DATATYPE
// otherwise.
Result<TypePtr> parse_type(std::string_view ddl);
// "a INT NOT NULL COMMENT 'x', `b c` STRING" or "a: int"; the columns of a table.
Result<Schema> parse_schema(std::string_view ddl);
// As Spark's ddl_parse: a table schema, or a bare type (then it is returned as it is).
Result<TypePtr> parse_schema_or_type(std::string_view ddl);
std::string to_ddl(const Schema& schema);  // "a INT,b STRING NOT NULL": StructType.toDDL

std::string schema_to_json(const Schema& schema);
Result<Schema> schema_from_json(std::string_view json);  // a struct
Result<TypePtr> type_from_json(std::string_view json);
// Text given by a user as a schema: JSON when it begins with '{', DDL otherwise.
Result<Schema> schema_from_text(std::string_view text);

// Arrow forms. `time_zone` labels timestamp columns (the values are UTC micros whatever it says).
std::shared_ptr<arrow::DataType> to_arrow(const TypePtr& type,
                                          const std::string& time_zone = "UTC");
std::shared_ptr<arrow::Field> to_arrow(const Field& field, const std::string& time_zone = "UTC");
std::shared_ptr<arrow::Schema> to_arrow(const Schema& schema, const std::string& time_zone = "UTC");
// Types that Spark reads from Arrow/Parquet (unsigned and other widths widen as Spark does).
// Unsupported ones are refused.
Result<TypePtr> from_arrow(const arrow::DataType& type);
Result<Schema> from_arrow(const arrow::Schema& schema);

}  // namespace millstream::column
