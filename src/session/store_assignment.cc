#include "session/store_assignment.h"

#include "base/text.h"
#include "functions/registry.h"
#include "functions/store.h"
#include "plan/expr.h"
#include "plan/text.h"
#include "session/resolver.h"
#include "sql/parser.h"

namespace millstream::session {

namespace {

using column::TypeKind;
using column::TypePtr;
using functions::is_atomic;
using functions::members_go;

bool is_datetime(TypeKind kind) {
  return kind == TypeKind::date || kind == TypeKind::timestamp || kind == TypeKind::timestamp_ntz;
}

// The digits before and behind the point that every value of the type has room for.
std::pair<int, int> digits_of(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::byte_:
      return {3, 0};
    case TypeKind::short_:
      return {5, 0};
    case TypeKind::int_:
      return {10, 0};
    case TypeKind::long_:
      return {20, 0};
    case TypeKind::decimal:
      return {type->precision() - type->scale(), type->scale()};
    default:
      return {0, 0};
  }
}

bool numbers_widen(const TypePtr& from, const TypePtr& to) {
  const bool exact = from->is_integral() || from->kind() == TypeKind::decimal;
  if (to->kind() == TypeKind::decimal) {
    const auto given = digits_of(from);
    const auto room = digits_of(to);
    return exact && given.first <= room.first && given.second <= room.second;
  }
  if (from->kind() == TypeKind::decimal) {
    return to->kind() == TypeKind::float_ || to->kind() == TypeKind::double_;
  }
  return from->kind() <= to->kind();
}

bool strict_stores(const TypePtr& from, const TypePtr& to) {
  if (column::same_type_ignoring_nullability(from, to) || from->kind() == TypeKind::null) {
    return true;
  }
  if (from->is_numeric() && to->is_numeric()) return numbers_widen(from, to);
  if (is_atomic(from) && to->is_string()) return true;
  if (from->kind() == TypeKind::date) return is_datetime(to->kind());
  if (from->kind() == TypeKind::timestamp_ntz) return to->kind() == TypeKind::timestamp;
  if (from->kind() == TypeKind::timestamp) return to->kind() == TypeKind::timestamp_ntz;
  return from->is_nested() && members_go(from, to, strict_stores);
}

}  // namespace

StoreAssignment store_assignment(const RuntimeConf& conf) {
  const std::string policy = to_upper(conf.value("spark.sql.storeAssignmentPolicy"));
  if (policy == "STRICT") return StoreAssignment::strict;
  return policy == "LEGACY" ? StoreAssignment::legacy : StoreAssignment::ansi;
}

bool can_store(StoreAssignment policy, const TypePtr& from, const TypePtr& to) {
  switch (policy) {
    case StoreAssignment::ansi:
      return functions::ansi_stores(from, to);
    case StoreAssignment::strict:
      return strict_stores(from, to);
    case StoreAssignment::legacy:
      break;
  }
  return functions::can_cast(from, to, false);
}

Result<plan::ExprPtr> stored_value(const RuntimeConf& conf, const plan::ExprPtr& value,
                                   const column::Field& column) {
  return plan::make_cast(value, column.type, store_assignment(conf) != StoreAssignment::legacy);
}

plan::ExprPtr placed_in(const std::string& statement, const plan::ExprPtr& value) {
  if (statement.empty() || value->kind != plan::ExprKind::cast || value->origin) return value;
  auto out = std::make_shared<plan::Expr>(*value);
  out->origin = sql::query_context(statement, 0, statement.size());
  return out;
}

namespace {

bool has_failed(const Status& status, const column::DataType& from, const column::DataType& to) {
  const auto& parameters = status.info().parameters;
  const auto is = [&](const char* name, const std::string& value) {
    const auto found = parameters.find(name);
    return found != parameters.end() && found->second == value;
  };
  if (status.is("CAST_OVERFLOW"))
    return is("sourceType", '"' + from.sql() + '"') && is("targetType", '"' + to.sql() + '"');
  return to.kind() == TypeKind::decimal && is("precision", std::to_string(to.precision())) &&
         is("scale", std::to_string(to.scale()));
}

}  // namespace

Status overflow_in_insert(const Status& status, const plan::Node& rows) {
  const bool overflow = status.is("CAST_OVERFLOW") ||
                        status.is("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION") ||
                        status.is("NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION");
  if (!overflow) return status;
  for (const plan::Node* node = &rows; node->kind == plan::NodeKind::project;
       node = node->children[0].get()) {
    const auto& project = static_cast<const plan::Project&>(*node);
    for (std::size_t i = 0; i < project.exprs.size(); ++i) {
      const plan::Expr* value = project.exprs[i].get();
      if (value->kind == plan::ExprKind::alias) value = value->children[0].get();
      if (value->kind != plan::ExprKind::cast) continue;
      const column::TypePtr& from = value->children[0]->type;
      if (!has_failed(status, *from, *value->type)) continue;
      return Status::error("CAST_OVERFLOW_IN_TABLE_INSERT",
                           {{"sourceType", '"' + from->sql() + '"'},
                            {"targetType", '"' + value->type->sql() + '"'},
                            {"columnName", plan::sql_id(project.output[i].name)}});
    }
    if (node->children.empty()) break;
  }
  return status;
}

}  // namespace millstream::session
