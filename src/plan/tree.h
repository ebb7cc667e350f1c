// Rewriting of resolved trees: copies of a node or an expression with parts replaced. Pure; any
// thread.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "plan/node.h"

namespace millstream::plan {

using ExprMap = std::function<ExprPtr(const ExprPtr&)>;

// The expression with `f` applied to each node bottom-up; nodes that do not change are shared. `f`
// gets a node whose children are rewritten already and gives it back or another one.
ExprPtr transform(const ExprPtr& expr, const ExprMap& f);
// Calls `f` for each node, parents first; children are skipped where `f` gives false.
void visit(const Expr& expr, const std::function<bool(const Expr&)>& f);

// A shallow copy of the same concrete type.
std::shared_ptr<Node> clone(const Node& node);
// Replaces each expression that the node itself holds.
void map_expressions(Node& node, const ExprMap& f);
// Each expression that the node itself holds.
void for_each_expression(const Node& node, const std::function<void(const Expr&)>& f);

// Structural equality: what is computed, not how it is named or written.
bool same_expr(const Expr& a, const Expr& b);

using IdSet = std::unordered_set<std::int64_t>;
inline std::int64_t key_of(AttributeId id) { return static_cast<std::int64_t>(id); }
void add_references(const Expr& expr, IdSet& ids);
bool subset(const Expr& expr, const IdSet& ids);

}  // namespace millstream::plan
