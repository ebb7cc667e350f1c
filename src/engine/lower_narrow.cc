// Decimal arithmetic in 64 bits where every value is known to fit: Spark's result types soon have
// more digits than that, and DuckDB computes in 128 bits then. What is known comes from the
// statistics of files (set_magnitude). DuckDB still looks for overflow, so wrong statistics end in
// an error, and the statement runs again without them.
#include <arrow/scalar.h>

#include "base/text.h"
#include "engine/lower.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using plan::Expr;
using plan::ExprKind;

namespace {

constexpr int digits_max = 18;
constexpr std::int64_t limit = 1'000'000'000'000'000'000;  // of DECIMAL(18), exclusive

bool is_decimal(const DataType& type) { return type.kind() == TypeKind::decimal; }
int scale_of(const DataType& type) { return is_decimal(type) ? type.scale() : 0; }

// value * 10^digits; nothing: it does not fit.
std::optional<std::int64_t> scaled(std::int64_t value, int digits) {
  if (digits < 0 || value >= limit) return std::nullopt;
  for (; digits > 0; --digits) {
    if (value >= limit / 10) return std::nullopt;
    value *= 10;
  }
  return value;
}

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  const __int128 exact = static_cast<__int128>(a) * b;
  if (exact >= limit) return std::nullopt;
  return static_cast<std::int64_t>(exact);
}

std::string as_narrow(const std::string& sql, int scale) {
  return fmt::format("CAST({} AS DECIMAL({},{}))", sql, digits_max, scale);
}

}  // namespace

ExprLowering::MaybeNarrow ExprLowering::narrow(const Expr& expr) {
  if (!is_decimal(*expr.type) && !expr.type->is_integral()) return std::optional<Narrow>();
  if (scale_of(*expr.type) > digits_max) return std::optional<Narrow>();
  switch (expr.kind) {
    case ExprKind::alias:
      return narrow(*expr.children[0]);
    case ExprKind::attribute:
      return narrow_attribute(expr);
    case ExprKind::literal:
      return narrow_literal(expr);
    case ExprKind::cast:
      return narrow_cast(expr);
    case ExprKind::case_when:
      return narrow_case(expr);
    case ExprKind::call:
      return narrow_arithmetic(expr);
    default:
      return std::optional<Narrow>();
  }
}

ExprLowering::MaybeNarrow ExprLowering::narrow_attribute(const Expr& expr) {
  const auto known = magnitudes_.find(expr.id);
  if (known == magnitudes_.end() || known->second >= limit) return std::optional<Narrow>();
  TRY_ASSIGN(const std::string sql, lower(expr));
  const int scale = scale_of(*expr.type);
  if (!scaled(1, scale)) return std::optional<Narrow>();
  return std::optional<Narrow>({as_narrow(sql, scale), scale, known->second});
}

ExprLowering::MaybeNarrow ExprLowering::narrow_literal(const Expr& expr) {
  if (!expr.value->is_valid) return std::optional<Narrow>();
  std::string digits = expr.value->ToString();
  if (is_decimal(*expr.type))
    digits = static_cast<const arrow::Decimal128Scalar&>(*expr.value).value.ToIntegerString();
  const auto value = parse_int64(digits);
  if (!value || *value <= -limit || *value >= limit) return std::optional<Narrow>();
  TRY_ASSIGN(const std::string sql, lower(expr));
  const int scale = scale_of(*expr.type);
  return std::optional<Narrow>({as_narrow(sql, scale), scale, std::abs(*value)});
}

// To more digits behind the point, and no fewer before it than there are.
ExprLowering::MaybeNarrow ExprLowering::narrow_cast(const Expr& expr) {
  if (!is_decimal(*expr.type)) return std::optional<Narrow>();
  TRY_ASSIGN(auto value, narrow(*expr.children[0]));
  if (!value) return value;
  const int scale = expr.type->scale();
  const auto max = scaled(value->max, scale - value->scale);
  const auto fits = scaled(1, std::min(expr.type->precision(), digits_max - 1));
  if (!max || !fits || *max >= (expr.type->precision() < digits_max ? *fits : limit))
    return std::optional<Narrow>();
  const std::string sql = scale == value->scale ? value->sql : as_narrow(value->sql, scale);
  return std::optional<Narrow>({sql, scale, *max});
}

ExprLowering::MaybeNarrow ExprLowering::narrow_arithmetic(const Expr& expr) {
  const bool sum = expr.name == "add" || expr.name == "subtract";
  if ((!sum && expr.name != "multiply") || !is_decimal(*expr.type)) return std::optional<Narrow>();
  TRY_ASSIGN(auto left, narrow(*expr.children[0]));
  if (!left) return left;
  TRY_ASSIGN(auto right, narrow(*expr.children[1]));
  if (!right) return right;
  const int scale = sum ? std::max(left->scale, right->scale) : left->scale + right->scale;
  if (scale != expr.type->scale() || scale > digits_max) return std::optional<Narrow>();
  if (!sum) {
    const auto max = product(left->max, right->max);
    if (!max) return std::optional<Narrow>();
    return std::optional<Narrow>({as_narrow(left->sql + " * " + right->sql, scale), scale, *max});
  }
  const auto a = scaled(left->max, scale - left->scale);
  const auto b = scaled(right->max, scale - right->scale);
  if (!a || !b || *a + *b >= limit) return std::optional<Narrow>();
  const auto aligned = [&](const Narrow& value) {
    return value.scale == scale ? value.sql : as_narrow(value.sql, scale);
  };
  const char* sign = expr.name == "add" ? " + " : " - ";
  return std::optional<Narrow>(
      {as_narrow(aligned(*left) + sign + aligned(*right), scale), scale, *a + *b});
}

ExprLowering::MaybeNarrow ExprLowering::narrow_case(const Expr& expr) {
  const int scale = scale_of(*expr.type);
  Narrow out{"CASE", scale, 0};
  const auto add = [&](const Expr& value, const std::string& before) -> Result<bool> {
    TRY_ASSIGN(const auto small, narrow(value));
    if (!small || small->scale != scale) return false;
    out.sql += before + small->sql;
    out.max = std::max(out.max, small->max);
    return true;
  };
  std::size_t i = 0;
  for (; i + 1 < expr.children.size(); i += 2) {
    TRY_ASSIGN(const std::string condition, lower(*expr.children[i]));
    TRY_ASSIGN(const bool fits, add(*expr.children[i + 1], " WHEN " + condition + " THEN "));
    if (!fits) return std::optional<Narrow>();
  }
  if (i < expr.children.size()) {
    TRY_ASSIGN(const bool fits, add(*expr.children[i], " ELSE "));
    if (!fits) return std::optional<Narrow>();
  }
  out.sql = as_narrow(out.sql + " END", scale);
  return std::optional<Narrow>(std::move(out));
}

Result<std::string> ExprLowering::lower_key(const Expr& expr) {
  ++narrow_off_;
  auto sql = lower(expr);
  --narrow_off_;
  return sql;
}

Status ExprLowering::pass_magnitude(plan::AttributeId id, const Expr& expr) {
  if (magnitudes_.empty()) return Status::OK();
  TRY_ASSIGN(const auto small, narrow(expr));
  if (small && small->scale == scale_of(*expr.type)) set_magnitude(id, small->max);
  return Status::OK();
}

// What SUM is given: of 64 bits where the value is. `sql` is the value lowered.
Result<std::string> ExprLowering::summed(const Expr& expr, const std::string& sql) {
  const bool wide = is_decimal(*expr.type) &&
                    (expr.kind != ExprKind::attribute || expr.type->precision() > digits_max);
  if (!wide || magnitudes_.empty() || !may_narrow()) return sql;
  TRY_ASSIGN(const auto small, narrow(expr));
  return small && small->scale == expr.type->scale() ? small->sql : sql;
}

}  // namespace millstream::engine
