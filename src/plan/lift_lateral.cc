// A lateral join whose right side names the left one in projections and filters on top alone is
// those over a join that is not lateral. So are written those with lambdas: DuckDB has no lambdas
// over columns of both sides of its lateral joins.
#include <algorithm>

#include "plan/relations.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

using Ids = std::vector<AttributeId>;

bool names_any(const Expr& expr, const Ids& ids) {
  bool found = false;
  visit(expr, [&](const Expr& e) {
    found = found || (e.kind == ExprKind::lambda_variable &&
                      std::find(ids.begin(), ids.end(), e.id) != ids.end());
    return !found;
  });
  return found;
}

bool names_in_lambda(const Expr& expr, const Ids& ids) {
  bool found = false;
  visit(expr, [&](const Expr& e) {
    found = found || (e.kind == ExprKind::lambda && names_any(e, ids)) ||
            (e.kind == ExprKind::call &&
             std::any_of(e.children.begin(), e.children.end(),
                         [](const ExprPtr& c) { return c->kind == ExprKind::lambda; }) &&
             names_any(e, ids));
    return !found;
  });
  return found;
}

// Of both sides: attributes are the right one's own.
bool names_both_in_lambda(const Expr& expr, const Ids& ids) {
  bool found = false;
  visit(expr, [&](const Expr& e) {
    found = found || (names_in_lambda(e, ids) && e.kind == ExprKind::call &&
                      contains(e, ExprKind::attribute));
    return !found;
  });
  return found;
}

bool any_expression(const Node& node, bool below, const std::function<bool(const Expr&)>& matches) {
  bool found = false;
  for_each_expression(node, [&](const Expr& e) { found = found || matches(e); });
  if (!below) return found;
  for (const NodePtr& child : node.children) found = found || any_expression(*child, true, matches);
  return found;
}

// The join with what is on top of its right side above it.
class Lifting {
 public:
  explicit Lifting(const Join& join) : join_(join) {}

  NodePtr run() {
    const auto named = [&](const Expr& e) { return names_any(e, join_.lateral); };
    const auto in_lambda = [&](const Expr& e) { return names_in_lambda(e, join_.lateral); };
    std::vector<NodePtr> tops;
    NodePtr base = join_.children[1];
    bool lambdas = false;
    while (any_expression(*base, true, named)) {
      const bool simple = base->kind == NodeKind::project || base->kind == NodeKind::filter;
      if (!simple || base->children.empty()) return nullptr;
      lambdas = lambdas || any_expression(*base, false, in_lambda);
      tops.push_back(base);
      base = base->children[0];
    }
    if (!lambdas) return nullptr;
    auto below = std::make_shared<Join>();
    below->type = JoinType::cross;
    below->children = {join_.children[0], base};
    below->output = with_left(base->output);
    NodePtr node = std::move(below);
    for (auto top = tops.rbegin(); top != tops.rend(); ++top) node = lifted(**top, node);
    if (join_.condition != nullptr) node = make_filter(node, join_.condition);
    auto out = std::make_shared<Project>();
    for (const Attribute& a : join_.output) out->exprs.push_back(make_attribute(a));
    out->output = join_.output;
    out->children.push_back(std::move(node));
    return out;
  }

 private:
  std::vector<Attribute> with_left(const std::vector<Attribute>& right) const {
    std::vector<Attribute> out = join_.children[0]->output;
    out.insert(out.end(), right.begin(), right.end());
    return out;
  }

  NodePtr lifted(const Node& top, const NodePtr& input) const {
    if (top.kind == NodeKind::filter) return make_filter(input, valued(as<Filter>(top).condition));
    auto out = std::make_shared<Project>();
    for (const Attribute& a : join_.children[0]->output) out->exprs.push_back(make_attribute(a));
    for (const ExprPtr& e : as<Project>(top).exprs) out->exprs.push_back(valued(e));
    out->output = with_left(top.output);
    out->children.push_back(input);
    return out;
  }

  ExprPtr valued(const ExprPtr& expr) const {
    return transform(expr, [&](const ExprPtr& e) -> ExprPtr {
      if (e->kind != ExprKind::lambda_variable) return e;
      for (std::size_t i = 0; i < join_.lateral.size(); ++i) {
        if (join_.lateral[i] == e->id) return join_.lateral_values[i];
      }
      return e;
    });
  }

  const Join& join_;
};

}  // namespace

Result<NodePtr> lift_lateral(const NodePtr& join) {
  const Join& lateral = as<Join>(*join);
  const bool inner = lateral.type == JoinType::inner || lateral.type == JoinType::cross;
  const NodePtr lifted = inner ? Lifting(lateral).run() : nullptr;
  if (lifted != nullptr) return lifted;
  const bool both = any_expression(*lateral.children[1], true, [&](const Expr& e) {
    return names_both_in_lambda(e, lateral.lateral);
  });
  if (!both) return join;
  return Status::unsupported("a lambda over columns of both sides of this lateral join");
}

}  // namespace millstream::plan
