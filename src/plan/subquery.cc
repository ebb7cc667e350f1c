#include "plan/subquery.h"

#include "base/text.h"
#include "plan/expressions.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypePtr;
using Subquery = sc::SubqueryExpression;

Result<std::optional<ExprPtr>> OuterScope::resolve(const NameParts& parts) {
  auto resolved = scope_.resolve_for_subquery(parts);
  // A name that the outer query has twice is none for the inner one.
  if (!resolved.ok() && resolved.status().is("AMBIGUOUS_REFERENCE"))
    return std::optional<ExprPtr>();
  TRY_ASSIGN(auto found, std::move(resolved));
  if (!found) return std::optional<ExprPtr>();
  const std::string name = (*found)->name;
  const ExprPtr value = strip_alias(*found);
  std::size_t at = 0;
  while (at < values_.size() && !same_expr(*values_[at], *value)) ++at;
  if (at == values_.size()) {
    values_.push_back(value);
    parameters_.push_back(next_attribute_id());
  }
  auto variable = std::make_shared<Expr>();
  variable->kind = ExprKind::lambda_variable;
  variable->id = parameters_[at];
  variable->name = name;
  variable->type = value->type;
  variable->nullable = value->nullable;
  variable->pretty = "outer(" + value->pretty + ")";
  return std::optional<ExprPtr>(make_alias(variable, name, next_attribute_id()));
}

namespace {

// The expression that stands for the subquery, its plan and the outer columns in place.
std::shared_ptr<Expr> make_subquery(const char* name, NodePtr plan, const OuterScope& outer,
                                    std::vector<ExprPtr> values) {
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::subquery;
  out->name = name;
  out->plan = std::move(plan);
  out->ordinal = static_cast<int>(values.size());
  out->children = std::move(values);
  out->children.insert(out->children.end(), outer.values().begin(), outer.values().end());
  out->parameters = outer.parameters();
  std::vector<std::string> texts;
  for (const ExprPtr& value : outer.values()) texts.push_back(value->pretty);
  out->pretty = std::string(name) + "(" + join(texts, ", ") + ")";
  return out;
}

// The left side of IN as Spark writes it: several values are a struct.
std::string left_text(const std::vector<ExprPtr>& values) {
  if (values.size() == 1) return values[0]->pretty;
  std::vector<std::string> members;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool named = values[i]->kind == ExprKind::attribute;
    members.push_back(fmt::format("'{}'", named ? values[i]->name : fmt::format("col{}", i + 1)));
    members.push_back(values[i]->pretty);
  }
  return "named_struct(" + join(members, ", ") + ")";
}

// `x IN (subquery)`: both sides in their common types.
Result<ExprPtr> make_in(std::vector<ExprPtr> values, NodePtr plan, const OuterScope& outer,
                        bool ansi) {
  std::vector<ExprPtr> columns = visible_columns(*plan);
  std::vector<std::string> left;
  std::vector<std::string> right;
  for (const ExprPtr& value : values) left.push_back(sql_expr(value->pretty));
  for (const ExprPtr& column : columns) right.push_back(sql_expr(column->pretty));
  if (values.size() != columns.size()) {
    return Status::error("DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
                         {{"sqlExpr", sql_expr("(" + left_text(values) + " IN (listquery()))")},
                          {"leftLength", std::to_string(values.size())},
                          {"rightLength", std::to_string(columns.size())},
                          {"leftColumns", join(left, ", ")},
                          {"rightColumns", join(right, ", ")}});
  }
  const std::string shown = left_text(values);
  bool nullable = false;
  bool changed = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TypePtr common = functions::compared_type(values[i]->type, columns[i]->type, ansi);
    if (common == nullptr) {
      return Status::error(
          "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH",
          {{"sqlExpr", sql_expr("(" + left_text(values) + " IN (listquery()))")},
           {"mismatchedColumns", "\"(" + values[i]->pretty + ":" + values[i]->type->sql() + ", " +
                                     columns[i]->pretty + ":" + columns[i]->type->sql() + ")\""},
           {"leftType", sql_type(values[i]->type)},
           {"rightType", sql_type(columns[i]->type)}});
    }
    values[i] = implicit_cast(values[i], common, ansi);
    const ExprPtr cast = implicit_cast(columns[i], common, ansi);
    changed = changed || cast != columns[i];
    columns[i] =
        cast == columns[i] ? cast : make_alias(cast, columns[i]->name, next_attribute_id());
    nullable = nullable || values[i]->nullable || columns[i]->nullable;
  }
  const std::string pretty = "(" + shown + " IN (listquery(";
  if (changed) plan = make_project(plan, std::move(columns));
  auto out = make_subquery("in", std::move(plan), outer, std::move(values));
  out->type = column::boolean_type();
  out->nullable = nullable;
  std::vector<std::string> texts;
  for (const ExprPtr& value : outer.values()) texts.push_back(value->pretty);
  out->pretty = pretty + join(texts, ", ") + ")))";
  return ExprPtr(out);
}

}  // namespace

Result<ExprPtr> ExpressionAnalyzer::subquery(const sc::SubqueryExpression& proto) {
  if (scope_.in_lambda()) {
    return Status::error("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION");
  }
  std::vector<ExprPtr> values;
  for (const auto& value : proto.in_subquery_values()) {
    TRY_ASSIGN(ExprPtr resolved, resolve(value));
    values.push_back(strip_alias(resolved));
  }
  if (scope_.subqueries() == nullptr)
    return Status::unsupported("a subquery is not supported here");
  OuterScope outer(scope_);
  TRY_ASSIGN(NodePtr plan, scope_.subqueries()->analyze_subquery(proto.plan_id(), outer));
  if (is_streaming(*plan)) return Status::unsupported("a subquery over a stream is not supported");
  plan = visible_only(std::move(plan));
  switch (proto.subquery_type()) {
    case Subquery::SUBQUERY_TYPE_IN:
      if (!values.empty()) return make_in(std::move(values), std::move(plan), outer, ansi());
      break;
    case Subquery::SUBQUERY_TYPE_EXISTS: {
      auto out = make_subquery("exists", std::move(plan), outer, {});
      out->type = column::boolean_type();
      out->nullable = false;
      return ExprPtr(out);
    }
    case Subquery::SUBQUERY_TYPE_SCALAR: {
      if (plan->output.size() != 1) {
        return Status::error(
            "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
            {{"number", std::to_string(plan->output.size())}});
      }
      const TypePtr type = plan->output[0].type;
      auto out = make_subquery("scalarsubquery", std::move(plan), outer, {});
      out->type = type;
      return ExprPtr(out);
    }
    case Subquery::SUBQUERY_TYPE_TABLE_ARG: {
      // A row of the table; only functions written in other languages are given whole tables.
      auto out = make_subquery("tableargument", plan, outer, {});
      out->type = column::struct_type(schema_of(*plan));
      out->pretty = "functiontablesubqueryargumentexpression()";
      return ExprPtr(out);
    }
    default:
      break;
  }
  return Status::unsupported("this kind of subquery is not supported");
}

}  // namespace millstream::plan
