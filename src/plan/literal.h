// Literals: the wire's 24 kinds as typed Arrow scalars, with the text that names them. Pure.
#pragma once

#include <memory>
#include <string>

#include "plan/expr.h"

namespace spark::connect {
class Expression_Literal;
}  // namespace spark::connect

namespace millstream::plan {

// `expected`: the type that an enclosing array, map or struct gives its members; may be null.
Result<ExprPtr> literal_from_proto(const spark::connect::Expression_Literal& proto,
                                   const column::TypePtr& expected = nullptr);

ExprPtr null_literal(const column::TypePtr& type);
ExprPtr int_literal(std::int32_t value);
ExprPtr string_literal(const std::string& value);
ExprPtr literal_of(std::shared_ptr<arrow::Scalar> value, const column::TypePtr& type);

// The text of a value as a column name ("abc", 1, DATE '2024-01-01').
std::string literal_name(const arrow::Scalar& value, const column::TypePtr& type);
// The text of a value inside other text ('abc', 1L): Literal.sql.
std::string literal_sql(const arrow::Scalar& value, const column::TypePtr& type);

// Nothing when the expression is not an integral (or string) constant.
std::optional<std::int64_t> constant_integer(const Expr& expr);
std::optional<std::string> constant_string(const Expr& expr);

}  // namespace millstream::plan
