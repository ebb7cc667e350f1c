// Expressions whose value is wanted before there are rows: what LIMIT, range() and frames go by.
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include <set>

#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/tree.h"

namespace millstream::plan {

bool is_foldable(const Expr& expr) {
  bool foldable = true;
  std::set<AttributeId> bound;
  visit(expr, [&](const Expr& e) {
    if (e.kind == ExprKind::lambda) bound.insert(e.parameters.begin(), e.parameters.end());
    return true;
  });
  visit(expr, [&](const Expr& e) {
    const bool depends = e.kind == ExprKind::attribute || e.kind == ExprKind::aggregate ||
                         e.kind == ExprKind::window || e.kind == ExprKind::subquery ||
                         e.kind == ExprKind::generator ||
                         // of an outer query
                         (e.kind == ExprKind::lambda_variable && !bound.contains(e.id));
    const bool raises = e.name == "raise_error" || e.name == "assert_true";
    foldable = foldable && !depends && !raises && e.deterministic;
    return foldable;
  });
  return foldable;
}

Result<ExprPtr> RelationAnalyzer::constant_value(const ExprPtr& constant) {
  const ExprPtr bare = strip_alias(constant);
  if (bare->kind == ExprKind::literal) return bare;
  const auto row = make_project(nullptr, {make_alias(bare, "value", next_attribute_id())});
  TRY_ASSIGN(const auto batches, resolver_.rows_of(row));
  ExprPtr value = null_literal(bare->type);
  for (const auto& batch : batches) {
    if (batch->num_rows() == 0) continue;
    const auto scalar = batch->column(0)->GetScalar(0);
    if (!scalar.ok()) return Status::internal("{}", scalar.status().ToString());
    if ((*scalar)->is_valid) value = literal_of(*scalar, bare->type);
  }
  auto out = std::make_shared<Expr>(*value);
  out->pretty = bare->pretty;
  return ExprPtr(out);
}

}  // namespace millstream::plan
