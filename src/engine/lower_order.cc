// The order of values. DuckDB puts the NULLs within nested values last where Spark puts them first,
// and gives sort keys back with -0.0 as 0.0; so what is ordered there is a key of our own.
#include "base/text.h"
#include "engine/lower.h"
#include "functions/lowering.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using column::TypePtr;
using plan::Expr;

namespace {

bool is_floating(const DataType& type) {
  return type.kind() == TypeKind::float_ || type.kind() == TypeKind::double_;
}

bool members_may_be_null(const DataType& type) {
  if (type.kind() == TypeKind::array) {
    return type.contains_null() || members_may_be_null(*type.element());
  }
  if (type.kind() != TypeKind::struct_) return false;
  for (const auto& field : type.fields()) {
    if (field.nullable || members_may_be_null(*field.type)) return true;
  }
  return false;
}

bool holds_floating(const DataType& type) {
  if (is_floating(type)) return true;
  for (const auto& field : type.fields()) {
    if (holds_floating(*field.type)) return true;
  }
  return false;
}

}  // namespace

// The value itself where DuckDB compares it as Spark does.
std::string ExprLowering::compared(const std::string& sql, const TypePtr& type) {
  if (!members_may_be_null(*type)) return sql;
  return use("order_key", {type}, column::binary_type(), {sql});
}

// A column that is a sort key as it is comes back from DuckDB's key; one of a sum does not.
std::string ExprLowering::sort_key(const std::string& sql, const TypePtr& type) {
  if (is_floating(*type)) return "(" + sql + " + 0.0::FLOAT)";
  if (!type->is_nested()) return sql;
  if (!members_may_be_null(*type) && !holds_floating(*type)) return sql;
  return use("order_key", {type}, column::binary_type(), {sql});
}

Result<std::string> ExprLowering::lower_order(const std::vector<plan::SortKey>& keys) {
  std::vector<std::string> parts;
  for (const auto& key : keys) {
    TRY_ASSIGN(const std::string sql, lower(*key.expr));
    parts.push_back(fmt::format("{} {} NULLS {}", sort_key(sql, key.expr->type),
                                key.ascending ? "ASC" : "DESC",
                                key.nulls_first ? "FIRST" : "LAST"));
  }
  return join(parts, ", ");
}

std::optional<std::string> ExprLowering::ordering_call(const Expr& expr, const std::string& name,
                                                       const Arguments& a) {
  static constexpr std::string_view comparisons[] = {"less", "less_equal", "greater",
                                                     "greater_equal"};
  const TypePtr& type = expr.children.empty() ? expr.type : expr.children[0]->type;
  if (!members_may_be_null(*type)) return std::nullopt;
  if (name == "greatest" || name == "least") {
    std::vector<TypePtr> types;
    for (const auto& child : expr.children) types.push_back(child->type);
    return use("row_" + name, types, expr.type, a);
  }
  for (const std::string_view comparison : comparisons) {
    if (name != comparison) continue;
    return functions::expand_template(*functions::sql_template(name),
                                      {compared(a[0], type), compared(a[1], type)}, "", "");
  }
  return std::nullopt;
}

}  // namespace millstream::engine
