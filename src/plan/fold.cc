// Constants that are written as texts, CAST('1994-01-01' AS DATE), become what they mean: a
// condition on them can then choose files, and cannot fail.
#include <arrow/scalar.h>

#include "column/types.h"
#include "plan/optimize.h"
#include "plan/tree.h"
#include "sql/datetime.h"

namespace millstream::plan {
namespace {

bool is_date_text(const Expr& e) {
  if (e.kind != ExprKind::cast || e.type->kind() != column::TypeKind::date) return false;
  const Expr& text = *e.children[0];
  return text.kind == ExprKind::literal && text.type->is_string() && text.value->is_valid;
}

ExprPtr folded(const ExprPtr& e) {
  if (!is_date_text(*e)) return e;
  const auto days = sql::parse_date(e->children[0]->value->ToString());
  if (!days) return e;
  return make_literal(std::make_shared<arrow::Date32Scalar>(*days), e->type, e->pretty);
}

}  // namespace

NodePtr fold_constants(const NodePtr& node) {
  std::shared_ptr<Node> copy;
  bool any = false;
  for_each_expression(*node, [&](const Expr& expr) {
    visit(expr, [&](const Expr& e) {
      any = any || is_date_text(e);
      return !any;
    });
  });
  if (any) {
    copy = clone(*node);
    map_expressions(*copy, [](const ExprPtr& e) { return transform(e, folded); });
  }
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    NodePtr child = fold_constants(node->children[i]);
    if (child == node->children[i]) continue;
    if (copy == nullptr) copy = clone(*node);
    copy->children[i] = std::move(child);
  }
  return copy == nullptr ? node : NodePtr(copy);
}

}  // namespace millstream::plan
