#include "plan/tree.h"

#include <arrow/scalar.h>

namespace millstream::plan {
namespace {

std::shared_ptr<const WindowSpec> transform_window(const WindowSpec& spec, const ExprMap& f,
                                                   bool* changed) {
  WindowSpec out = spec;
  const auto apply = [&](ExprPtr& e) {
    if (e == nullptr) return;
    ExprPtr next = transform(e, f);
    *changed = *changed || next != e;
    e = std::move(next);
  };
  for (auto& e : out.partition) apply(e);
  for (auto& key : out.order) apply(key.expr);
  apply(out.lower.offset);
  apply(out.upper.offset);
  return std::make_shared<const WindowSpec>(std::move(out));
}

bool same_window(const WindowSpec& a, const WindowSpec& b) {
  const auto same_bound = [](const FrameBound& x, const FrameBound& y) {
    return x.kind == y.kind && (x.offset == nullptr) == (y.offset == nullptr) &&
           (x.offset == nullptr || same_expr(*x.offset, *y.offset));
  };
  if (a.rows != b.rows || a.partition.size() != b.partition.size() ||
      a.order.size() != b.order.size() || !same_bound(a.lower, b.lower) ||
      !same_bound(a.upper, b.upper)) {
    return false;
  }
  for (std::size_t i = 0; i < a.partition.size(); ++i) {
    if (!same_expr(*a.partition[i], *b.partition[i])) return false;
  }
  for (std::size_t i = 0; i < a.order.size(); ++i) {
    if (a.order[i].ascending != b.order[i].ascending ||
        a.order[i].nulls_first != b.order[i].nulls_first ||
        !same_expr(*a.order[i].expr, *b.order[i].expr)) {
      return false;
    }
  }
  return true;
}

template <typename T>
std::shared_ptr<Node> copy_as(const Node& node) {
  return std::make_shared<T>(as<T>(node));
}

// One place that knows which expressions a node holds: `f` gets a reference to each pointer.
template <typename N, typename F>
void each_expression(N& node, const F& f) {
  const auto cast = [&]<typename T>(T*) -> auto& {
    if constexpr (std::is_const_v<N>) {
      return static_cast<const T&>(node);
    } else {
      return static_cast<T&>(node);
    }
  };
  switch (node.kind) {
    case NodeKind::project:
      for (auto& e : cast(static_cast<Project*>(nullptr)).exprs) f(e);
      break;
    case NodeKind::filter:
      f(cast(static_cast<Filter*>(nullptr)).condition);
      break;
    case NodeKind::aggregate: {
      auto& aggregate = cast(static_cast<Aggregate*>(nullptr));
      for (auto& e : aggregate.keys) f(e);
      for (auto& e : aggregate.exprs) f(e);
      break;
    }
    case NodeKind::join: {
      auto& join = cast(static_cast<Join*>(nullptr));
      if (join.condition != nullptr) f(join.condition);
      for (auto& e : join.lateral_values) f(e);
      break;
    }
    case NodeKind::deduplicate:
      for (auto& e : cast(static_cast<Deduplicate*>(nullptr)).keys) f(e);
      break;
    case NodeKind::sort:
      for (auto& key : cast(static_cast<Sort*>(nullptr)).keys) f(key.expr);
      break;
    case NodeKind::generate:
      f(cast(static_cast<Generate*>(nullptr)).generator);
      break;
    case NodeKind::repartition:
      for (auto& key : cast(static_cast<Repartition*>(nullptr)).keys) f(key.expr);
      break;
    case NodeKind::sample:
      if (auto& sample = cast(static_cast<Sample*>(nullptr)); sample.by != nullptr) f(sample.by);
      break;
    case NodeKind::collect_metrics:
      for (auto& e : cast(static_cast<CollectMetrics*>(nullptr)).metrics) f(e);
      break;
    default:
      break;
  }
}

}  // namespace

ExprPtr transform(const ExprPtr& expr, const ExprMap& f) {
  bool changed = false;
  std::vector<ExprPtr> children;
  children.reserve(expr->children.size());
  for (const auto& child : expr->children) {
    children.push_back(transform(child, f));
    changed = changed || children.back() != child;
  }
  ExprPtr filter = expr->filter == nullptr ? nullptr : transform(expr->filter, f);
  changed = changed || filter != expr->filter;
  std::shared_ptr<const WindowSpec> window = expr->window;
  if (window != nullptr) {
    bool window_changed = false;
    auto next = transform_window(*window, f, &window_changed);
    if (window_changed) {
      window = std::move(next);
      changed = true;
    }
  }
  if (!changed) return f(expr);
  auto copy = std::make_shared<Expr>(*expr);
  copy->children = std::move(children);
  copy->filter = std::move(filter);
  copy->window = std::move(window);
  return f(copy);
}

void visit(const Expr& expr, const std::function<bool(const Expr&)>& f) {
  if (!f(expr)) return;
  for (const auto& child : expr.children) visit(*child, f);
  if (expr.filter != nullptr) visit(*expr.filter, f);
  if (expr.window == nullptr) return;
  for (const auto& e : expr.window->partition) visit(*e, f);
  for (const auto& key : expr.window->order) visit(*key.expr, f);
  if (expr.window->lower.offset != nullptr) visit(*expr.window->lower.offset, f);
  if (expr.window->upper.offset != nullptr) visit(*expr.window->upper.offset, f);
}

std::shared_ptr<Node> clone(const Node& node) {
  switch (node.kind) {
    case NodeKind::scan:
      return copy_as<Scan>(node);
    case NodeKind::stream_scan:
      return copy_as<StreamScan>(node);
    case NodeKind::local:
      return copy_as<Local>(node);
    case NodeKind::range:
      return copy_as<Range>(node);
    case NodeKind::project:
      return copy_as<Project>(node);
    case NodeKind::filter:
      return copy_as<Filter>(node);
    case NodeKind::aggregate:
      return copy_as<Aggregate>(node);
    case NodeKind::join:
      return copy_as<Join>(node);
    case NodeKind::set_operation:
      return copy_as<SetOperation>(node);
    case NodeKind::deduplicate:
      return copy_as<Deduplicate>(node);
    case NodeKind::sort:
      return copy_as<Sort>(node);
    case NodeKind::limit:
      return copy_as<Limit>(node);
    case NodeKind::generate:
      return copy_as<Generate>(node);
    case NodeKind::watermark:
      return copy_as<Watermark>(node);
    case NodeKind::collect_metrics:
      return copy_as<CollectMetrics>(node);
    case NodeKind::repartition:
      return copy_as<Repartition>(node);
    case NodeKind::sample:
      return copy_as<Sample>(node);
    case NodeKind::shared:
      return copy_as<Shared>(node);
    case NodeKind::recursion:
      return copy_as<Recursion>(node);
    case NodeKind::recursion_input:
      return copy_as<RecursionInput>(node);
  }
  CHECK(false);
  return nullptr;
}

void map_expressions(Node& node, const ExprMap& f) {
  each_expression(node, [&](ExprPtr& e) { e = f(e); });
}

void for_each_expression(const Node& node, const std::function<void(const Expr&)>& f) {
  each_expression(node, [&](const ExprPtr& e) { f(*e); });
}

bool same_expr(const Expr& a, const Expr& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.children.size() != b.children.size() || a.id != b.id ||
      a.distinct != b.distinct || a.try_cast != b.try_cast || a.ansi != b.ansi ||
      a.ordinal != b.ordinal || a.parameters != b.parameters || a.plan != b.plan ||
      (a.filter == nullptr) != (b.filter == nullptr) ||
      (a.window == nullptr) != (b.window == nullptr) || !a.deterministic || !b.deterministic) {
    return false;
  }
  if (a.time_zone != b.time_zone &&
      (a.time_zone == nullptr || b.time_zone == nullptr || *a.time_zone != *b.time_zone))
    return false;
  const bool named =
      a.kind == ExprKind::call || a.kind == ExprKind::aggregate || a.kind == ExprKind::generator;
  if (named && a.name != b.name) return false;
  if (!column::same_type(a.type, b.type)) return false;
  if (a.kind == ExprKind::literal && !a.value->Equals(*b.value)) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    if (!same_expr(*a.children[i], *b.children[i])) return false;
  }
  if (a.filter != nullptr && !same_expr(*a.filter, *b.filter)) return false;
  return a.window == nullptr || same_window(*a.window, *b.window);
}

void add_references(const Expr& expr, IdSet& ids) {
  visit(expr, [&](const Expr& e) {
    if (e.kind == ExprKind::attribute) ids.insert(key_of(e.id));
    return true;
  });
}

bool subset(const Expr& expr, const IdSet& ids) {
  bool inside = true;
  visit(expr, [&](const Expr& e) {
    if (e.kind == ExprKind::attribute && !ids.contains(key_of(e.id))) inside = false;
    return inside;
  });
  return inside;
}

}  // namespace millstream::plan
