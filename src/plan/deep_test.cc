// Trees far deeper than any stack are destroyed like others.
#include <gtest/gtest.h>

#include "plan/node.h"

namespace millstream::plan {
namespace {

constexpr int depth = 100'000;

ExprPtr deep_expression() {
  ExprPtr expr;
  column::TypePtr type = column::int_type();
  for (int i = 0; i < depth; ++i) {
    auto parent = std::make_shared<Expr>();
    parent->kind = ExprKind::call;
    parent->type = type = column::array_type(type, true);
    parent->children = {std::move(expr)};
    expr = std::move(parent);
  }
  return expr;
}

TEST(Deep, Expressions) { EXPECT_NE(deep_expression(), nullptr); }

TEST(Deep, Plans) {
  NodePtr node = std::make_shared<Range>();
  for (int i = 0; i < depth; ++i) {
    auto parent = std::make_shared<Filter>();
    parent->children = {std::move(node)};
    node = std::move(parent);
  }
  EXPECT_EQ(node->kind, NodeKind::filter);
}

TEST(Deep, SubqueriesInSubqueries) {
  NodePtr node = std::make_shared<Range>();
  for (int i = 0; i < depth; ++i) {
    auto subquery = std::make_shared<Expr>();
    subquery->kind = ExprKind::call;
    subquery->plan = std::move(node);
    auto filter = std::make_shared<Filter>();
    filter->condition = std::move(subquery);
    node = std::move(filter);
  }
  EXPECT_EQ(node->kind, NodeKind::filter);
}

}  // namespace
}  // namespace millstream::plan
