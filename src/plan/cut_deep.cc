// An expression of a projection that is very deep is computed in steps, each a projection of its
// own: what works on an expression costs more than its depth.
#include <algorithm>

#include "plan/optimize.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

constexpr int depth_max = 100;

using Marks = std::unordered_set<const Expr*>;

bool is_eager(const Expr& e) {
  if (e.kind == ExprKind::cast || e.kind == ExprKind::alias || e.kind == ExprKind::get_field)
    return true;
  if (e.kind != ExprKind::call || !e.deterministic) return false;
  static const std::unordered_set<std::string_view> names = {
      "add",    "subtract",    "multiply",   "divide",      "remainder",
      "concat", "negative",    "abs",        "upper",       "lower",
      "trim",   "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"};
  return names.contains(e.name);
}

// Parts that are computed for each row whatever the others are.
void mark_eager(const Expr& e, Marks& marks) {
  if (!marks.insert(&e).second || !is_eager(e)) return;
  for (const ExprPtr& child : e.children) mark_eager(*child, marks);
}

class Cutter {
 public:
  // The expression over the columns of the steps.
  ExprPtr cut(const ExprPtr& e) {
    marks_.clear();
    depths_.clear();
    mark_eager(*e, marks_);
    return walk(e, true).expr;
  }
  const std::vector<std::vector<ExprPtr>>& steps() const { return steps_; }

 private:
  struct Part {
    ExprPtr expr;
    int depth = 1;
    std::size_t step = 0;  // the first that has all columns that it reads
  };

  Part walk(const ExprPtr& e, bool root) {
    if (const auto known = depths_.find(e.get()); known != depths_.end()) return known->second;
    Part out{e, 1, 0};
    std::vector<ExprPtr> children;
    bool changed = false;
    for (const ExprPtr& child : e->children) {
      const Part part = walk(child, false);
      out.depth = std::max(out.depth, part.depth + 1);
      out.step = std::max(out.step, part.step);
      changed = changed || part.expr != child;
      children.push_back(part.expr);
    }
    if (changed) {
      auto copy = std::make_shared<Expr>(*e);
      copy->children = std::move(children);
      out.expr = std::move(copy);
    }
    if (!root && out.depth >= depth_max && marks_.contains(e.get()) && is_eager(*e) &&
        e->kind != ExprKind::alias) {
      ExprPtr column = make_alias(out.expr, "step", next_attribute_id());
      if (steps_.size() <= out.step) steps_.resize(out.step + 1);
      steps_[out.step].push_back(column);
      out = {make_attribute({column->id, column->name, column->type, column->nullable, {}, {}}), 1,
             out.step + 1};
    }
    depths_.emplace(e.get(), out);
    return out;
  }

  Marks marks_;
  std::unordered_map<const Expr*, Part> depths_;
  std::vector<std::vector<ExprPtr>> steps_;
};

bool is_deep(const Expr& e, int left) {
  if (left == 0) return true;
  return std::any_of(e.children.begin(), e.children.end(),
                     [&](const ExprPtr& child) { return is_deep(*child, left - 1); });
}

NodePtr one_row() { return std::make_shared<Project>(); }

NodePtr in_steps(const Project& project) {
  auto top = std::make_shared<Project>(project);
  Cutter cutter;
  for (ExprPtr& e : top->exprs) e = cutter.cut(e);
  NodePtr below = project.children.empty() ? one_row() : project.children[0];
  for (const auto& step : cutter.steps()) {
    auto next = std::make_shared<Project>();
    for (const Attribute& a : below->output) {
      next->exprs.push_back(make_attribute(a));
      next->output.push_back(a);
    }
    for (const ExprPtr& e : step) {
      next->exprs.push_back(e);
      next->output.push_back({e->id, e->name, e->type, e->nullable, {}, {}});
    }
    next->children = {std::move(below)};
    below = std::move(next);
  }
  top->children = {std::move(below)};
  return top;
}

}  // namespace

NodePtr cut_deep(const NodePtr& node) {
  std::shared_ptr<Node> copy;
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    NodePtr child = cut_deep(node->children[i]);
    if (child == node->children[i]) continue;
    if (copy == nullptr) copy = clone(*node);
    copy->children[i] = std::move(child);
  }
  const NodePtr rebuilt = copy == nullptr ? node : NodePtr(copy);
  if (rebuilt->kind != NodeKind::project) return rebuilt;
  const auto& project = as<Project>(*rebuilt);
  const bool deep = std::any_of(project.exprs.begin(), project.exprs.end(),
                                [](const ExprPtr& e) { return is_deep(*e, depth_max + 2); });
  return deep ? in_steps(project) : rebuilt;
}

}  // namespace millstream::plan
