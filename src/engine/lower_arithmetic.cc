// + - * / % and rounding, where integers overflow, divisors are zero and decimals have Spark's
// types.
#include <arrow/scalar.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using plan::Expr;
using plan::ExprKind;

std::string DecimalKernel::name() const {
  static constexpr std::string_view ops[] = {"add",   "sub", "mul", "div",  "rem", "pmod", "idiv",
                                             "round", "str", "dbl", "high", "low", "whole"};
  const auto digits =
      right_scale < 0 ? fmt::format("m{}", -right_scale) : std::to_string(right_scale);
  return fmt::format("ms_dec_{}_{}_{}_{}_{}_{}{}", ops[static_cast<std::size_t>(op)], left_scale,
                     digits, precision, scale, static_cast<int>(rounding),
                     null_on_error ? "_try" : "");
}

std::string ExprLowering::use(DecimalKernel kernel) {
  const std::string name = kernel.name();
  decimal_kernels_.insert(std::move(kernel));
  return name;
}

namespace {

bool is_decimal(const DataType& type) { return type.kind() == TypeKind::decimal; }

// "i8", "i16", "i32", "i64", "f32", "f64": the ending of a kernel's name.
std::string suffix_of(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::byte_:
      return "i8";
    case TypeKind::short_:
      return "i16";
    case TypeKind::int_:
    case TypeKind::year_month_interval:
      return "i32";
    case TypeKind::float_:
      return "f32";
    case TypeKind::double_:
      return "f64";
    default:
      return "i64";
  }
}

bool literal_is_safe_divisor(const Expr& expr) {
  const Expr* e = &expr;
  while (e->kind == ExprKind::cast) e = e->children[0].get();
  if (e->kind != ExprKind::literal || !e->value->is_valid || !e->type->is_integral()) return false;
  const auto value = parse_int64(e->value->ToString());
  return value.has_value() && *value != 0 && *value != -1;
}

}  // namespace

Result<std::string> ExprLowering::decimal_arithmetic(const Expr& expr, const std::string& op,
                                                     const Arguments& a, bool attempt) {
  using Op = DecimalKernel::Op;
  const DataType& left = *expr.children[0]->type;
  const DataType& right = *expr.children[1]->type;
  const bool whole = op == "div";
  const int precision = whole ? 38 : expr.type->precision();
  const int scale = whole ? 0 : expr.type->scale();
  const bool sum = op == "add" || op == "subtract";
  if ((sum || op == "multiply") && may_narrow()) {
    TRY_ASSIGN(const auto small, narrow(expr));
    if (small) return fmt::format("CAST({} AS DECIMAL({},{}))", small->sql, precision, scale);
  }
  // The exact result fits DuckDB's own addition.
  if (sum && !attempt && precision < 38 && scale == std::max(left.scale(), right.scale())) {
    return fmt::format(
        "CAST(CAST({0} AS DECIMAL({2},{3})) {4} CAST({1} AS DECIMAL({2},{3})) AS DECIMAL({2},{3}))",
        a[0], a[1], precision, scale, op == "add" ? "+" : "-");
  }
  // So does the exact product. Of two numbers of 64 bits DuckDB keeps 18 digits, so one is made
  // wider.
  if (op == "multiply" && !attempt && left.precision() + right.precision() < 38 &&
      precision == left.precision() + right.precision() + 1 &&
      scale == left.scale() + right.scale()) {
    const bool small = std::max(left.precision(), right.precision()) <= 18;
    const int wide = small && precision > 18 ? 19 : left.precision();
    return fmt::format(
        "CAST(CAST({} AS DECIMAL({},{})) * CAST({} AS DECIMAL({},{})) AS DECIMAL({},{}))", a[0],
        wide, left.scale(), a[1], right.precision(), right.scale(), precision, scale);
  }
  static const std::map<std::string, Op> ops = {
      {"add", Op::add},       {"subtract", Op::subtract},   {"multiply", Op::multiply},
      {"divide", Op::divide}, {"remainder", Op::remainder}, {"pmod", Op::pmod},
      {"div", Op::div}};
  const std::string name =
      use({ops.at(op), left.scale(), right.scale(), precision, scale, {}, attempt || !expr.ansi});
  const std::string value =
      fmt::format("{}(CAST({} AS DECIMAL(38,{})), CAST({} AS DECIMAL(38,{})))", name, a[0],
                  left.scale(), a[1], right.scale());
  if (whole) return fmt::format("CAST({} AS BIGINT)", value);
  return fmt::format("CAST({} AS DECIMAL({},{}))", value, precision, scale);
}

Result<std::string> ExprLowering::integral_arithmetic(const Expr& expr, const std::string& op,
                                                      const Arguments& a, bool attempt) {
  const std::string suffix = suffix_of(*expr.type);
  if (attempt) return fmt::format("ms_try_{}_{}({}, {})", op, suffix, a[0], a[1]);
  if (!expr.ansi) return fmt::format("ms_wrap_{}_{}({}, {})", op, suffix, a[0], a[1]);
  const char sign = op == "add" ? '+' : op == "subtract" ? '-' : '*';
  return fmt::format("({} {} {})", a[0], sign, a[1]);
}

std::optional<Result<std::string>> ExprLowering::arithmetic_call(const Expr& expr,
                                                                 const std::string& full,
                                                                 const Arguments& a) {
  static const std::unordered_set<std::string_view> names = {
      "add",      "subtract", "multiply", "divide", "remainder", "div",  "pmod",
      "negative", "abs",      "round",    "bround", "ceil",      "floor"};
  const bool attempt = full.starts_with("try_");
  const std::string name = attempt ? full.substr(4) : full;
  if (!names.contains(name)) return std::nullopt;
  if (name == "round" || name == "bround" || name == "ceil" || name == "floor")
    return rounding(expr, name, a);
  const DataType& type = *expr.children[0]->type;
  if (name == "negative" || name == "abs") {
    const bool plain =
        is_decimal(type) || type.kind() == TypeKind::float_ || type.kind() == TypeKind::double_;
    if (name == "negative" && type.kind() == TypeKind::day_time_interval)
      return fmt::format("ms_interval_negate({}, false)", a[0]);
    if (name == "negative" && type.kind() == TypeKind::year_month_interval)
      return fmt::format("CAST(ms_interval_negate(CAST({} AS BIGINT), true) AS INTEGER)", a[0]);
    if (plain) return (name == "abs" ? "abs(" : "(-") + a[0] + ")";
    // Intervals never wrap around.
    const bool wraps = !expr.ansi && type.is_integral();
    return fmt::format("ms_{}{}_{}({})", wraps ? "wrap_" : "", name, suffix_of(type), a[0]);
  }
  if (is_decimal(type)) return decimal_arithmetic(expr, name, a, attempt);
  const bool floating = type.kind() == TypeKind::float_ || type.kind() == TypeKind::double_;
  if (name == "add" || name == "subtract" || name == "multiply") {
    if (!floating) return integral_arithmetic(expr, name, a, attempt);
    return fmt::format("({} {} {})", a[0],
                       name == "add"        ? '+'
                       : name == "subtract" ? '-'
                                            : '*',
                       a[1]);
  }
  const bool null_on_zero = attempt || !expr.ansi;
  if (name == "divide") {
    if (!null_on_zero) return fmt::format("ms_divide({}, {})", a[0], a[1]);
    return from_template(expr, "CASE WHEN {1} = 0 THEN NULL ELSE {0} / {1} END", a, "");
  }
  if (literal_is_safe_divisor(*expr.children[1]) && name != "pmod") {
    return fmt::format("({} {} {})", a[0], name == "div" ? "//" : "%", a[1]);
  }
  const bool wraps = !attempt && !expr.ansi && name == "div";
  return fmt::format("ms_{}{}_{}({}, {})",
                     wraps          ? "wrap_"
                     : null_on_zero ? "try_"
                                    : "",
                     name, suffix_of(name == "div" ? *expr.type : type), a[0], a[1]);
}

Result<std::string> ExprLowering::rounding(const Expr& expr, const std::string& name,
                                           const Arguments& a) {
  using Rounding = DecimalKernel::Rounding;
  const DataType& type = *expr.children[0]->type;
  const bool to_digits = expr.children.size() > 1;
  const Rounding mode = name == "round"    ? Rounding::half_up
                        : name == "bround" ? Rounding::half_even
                        : name == "floor"  ? Rounding::floor
                                           : Rounding::ceiling;
  int digits = 0;
  if (to_digits) {
    const Expr* scale = expr.children[1].get();
    while (scale->kind == ExprKind::cast) scale = scale->children[0].get();
    if (scale->kind != ExprKind::literal || !scale->value->is_valid) {
      return Status::unsupported("{} to a scale that is not constant is not supported", name);
    }
    // Further off than this no number has digits.
    constexpr std::int64_t digits_max = 400;
    const std::int64_t wanted = parse_int64(scale->value->ToString()).value_or(0);
    digits = static_cast<int>(std::clamp(wanted, -digits_max, digits_max));
  }
  if (is_decimal(type)) {
    const std::string kernel = use({DecimalKernel::Op::round, type.scale(), digits,
                                    expr.type->precision(), expr.type->scale(), mode, !expr.ansi});
    return fmt::format("CAST({}(CAST({} AS DECIMAL(38,{}))) AS DECIMAL({},{}))", kernel, a[0],
                       type.scale(), expr.type->precision(), expr.type->scale());
  }
  if (!to_digits) {
    if (type.is_integral()) return a[0];
    return fmt::format("ms_{}_f64({})", name, a[0]);
  }
  if (type.is_integral() && digits >= 0) return a[0];
  const bool wraps = !expr.ansi && type.is_integral();
  const std::string rounded =
      fmt::format("ms_{}{}_{}({}, {})", wraps ? "wrap_" : "", name, suffix_of(type), a[0], digits);
  // A number that is rounded by its digits has no negative zero.
  return type.is_integral() ? rounded : "(" + rounded + " + 0.0::FLOAT)";
}

}  // namespace millstream::engine
