// Column: an expression that no table has been asked about yet. Names and types are checked when
// the DataFrame that uses it is analyzed or run.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "millstream/value.h"

namespace spark::connect {
class Expression;
}  // namespace spark::connect

namespace millstream::api {

class WindowSpec;

class Column {
 public:
  explicit Column(std::shared_ptr<const spark::connect::Expression> expression)
      : expression_(std::move(expression)) {}

  Column alias(const std::string& name) const;
  Column as(const std::string& name) const { return alias(name); }
  // "int", "decimal(10,2)", "array<string>"
  Column cast(const std::string& type) const;
  Column try_cast(const std::string& type) const;

  Column asc() const;
  Column asc_nulls_first() const;
  Column asc_nulls_last() const;
  Column desc() const;
  Column desc_nulls_first() const;
  Column desc_nulls_last() const;

  Column is_null() const;
  Column is_not_null() const;
  Column is_nan() const;
  Column eq_null_safe(const Column& other) const;
  Column between(const Column& low, const Column& high) const;
  Column is_in(const std::vector<Value>& values) const;
  Column like(const std::string& pattern) const;
  Column ilike(const std::string& pattern) const;
  Column rlike(const std::string& pattern) const;
  Column starts_with(const Column& prefix) const;
  Column ends_with(const Column& suffix) const;
  Column contains(const Column& part) const;
  Column substr(const Column& start, const Column& length) const;

  // An array's element by position (from 0), a map's value by key.
  Column get_item(const Value& key) const;
  // A struct's field.
  Column get_field(const std::string& name) const;
  Column with_field(const std::string& name, const Column& value) const;
  Column drop_field(const std::string& name) const;

  // `when` of functions.h begins a CASE; these go on and end it.
  Column when(const Column& condition, const Column& value) const;
  Column otherwise(const Column& value) const;

  Column over(const WindowSpec& window) const;

  const spark::connect::Expression& expression() const { return *expression_; }

 private:
  std::shared_ptr<const spark::connect::Expression> expression_;
};

// A column by name ("a", "a.b", "*"), or any constant.
Column col(const std::string& name);
Column lit(const Value& value);
// SQL: "a + 1 AS b".
Column expr(const std::string& sql);
// Any function of the server by its name.
Column call_function(const std::string& name, const std::vector<Column>& arguments,
                     bool is_distinct = false);

// What an operator takes beside a column: a column, or a constant ("x" is a text, not a name).
class Operand {
 public:
  Operand(const Column& column) : column_(column) {}
  template <typename T>
  requires(std::is_constructible_v<Value, T> && !std::is_base_of_v<Column, std::decay_t<T>>)
      Operand(T&& value)
      : column_(lit(Value(std::forward<T>(value)))) {}
  const Column& column() const { return column_; }

 private:
  Column column_;
};

// What a function takes: a column, or the name of one, as in Python.
class ColumnOrName {
 public:
  ColumnOrName(const Column& column) : column_(column) {}
  ColumnOrName(const char* name) : column_(col(name)) {}
  ColumnOrName(const std::string& name) : column_(col(name)) {}
  const Column& column() const { return column_; }

 private:
  Column column_;
};

Column operator+(const Column& left, const Operand& right);
Column operator-(const Column& left, const Operand& right);
Column operator*(const Column& left, const Operand& right);
Column operator/(const Column& left, const Operand& right);
Column operator%(const Column& left, const Operand& right);
Column operator==(const Column& left, const Operand& right);
Column operator!=(const Column& left, const Operand& right);
Column operator<(const Column& left, const Operand& right);
Column operator<=(const Column& left, const Operand& right);
Column operator>(const Column& left, const Operand& right);
Column operator>=(const Column& left, const Operand& right);
Column operator&&(const Column& left, const Column& right);
Column operator||(const Column& left, const Column& right);
Column operator!(const Column& operand);
Column operator-(const Column& operand);

// Rows that a window function sees. Bounds are relative to the current row.
class WindowSpec {
 public:
  static constexpr std::int64_t unbounded_preceding = INT64_MIN;
  static constexpr std::int64_t unbounded_following = INT64_MAX;
  static constexpr std::int64_t current_row = 0;

  WindowSpec partition_by(const std::vector<ColumnOrName>& columns) const;
  WindowSpec order_by(const std::vector<ColumnOrName>& columns) const;
  WindowSpec rows_between(std::int64_t start, std::int64_t end) const;
  WindowSpec range_between(std::int64_t start, std::int64_t end) const;

 private:
  friend class Column;
  enum class Frame : std::uint8_t { none, rows, range };
  std::vector<Column> partition_by_;
  std::vector<Column> order_by_;
  Frame frame_ = Frame::none;
  std::int64_t start_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace millstream::api
