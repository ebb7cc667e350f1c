// What the lambdas of a correlated plan name of the rows around it becomes columns of the plan's
// own: DuckDB has no lambdas over columns of both sides of a correlation.
#include <algorithm>

#include "plan/optimize.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

using Ids = std::vector<AttributeId>;

bool is_outer(const Expr& e, const Ids& outer) {
  return e.kind == ExprKind::lambda_variable &&
         std::find(outer.begin(), outer.end(), e.id) != outer.end();
}

bool takes_lambda(const Expr& e) {
  return e.kind == ExprKind::call &&
         std::any_of(e.children.begin(), e.children.end(),
                     [](const ExprPtr& c) { return c->kind == ExprKind::lambda; });
}

// The outer values that calls with lambdas name, each with the column that holds it.
class Carried {
 public:
  explicit Carried(const Ids& outer) : outer_(outer) {}

  ExprPtr rewrite(const ExprPtr& expr) {
    return transform(expr, [&](const ExprPtr& call) {
      if (!takes_lambda(*call)) return call;
      return transform(call,
                       [&](const ExprPtr& e) { return is_outer(*e, outer_) ? column(e) : e; });
    });
  }

  bool any() const { return !columns_.empty(); }

  // The rows of `input`, or one row where there is none, with these columns beside them.
  NodePtr beside(const NodePtr& input) const {
    auto out = std::make_shared<Project>();
    if (input != nullptr) {
      for (const Attribute& a : input->output) out->exprs.push_back(make_attribute(a));
      out->output = input->output;
      out->children = {input};
    }
    for (const auto& [value, attribute] : columns_) {
      out->exprs.push_back(make_alias(value, attribute.name, attribute.id));
      out->output.push_back(attribute);
    }
    return out;
  }

 private:
  ExprPtr column(const ExprPtr& value) {
    auto found = std::find_if(columns_.begin(), columns_.end(),
                              [&](const auto& known) { return known.first->id == value->id; });
    if (found == columns_.end()) {
      Attribute attribute;
      attribute.id = next_attribute_id();
      attribute.name = value->name;
      attribute.type = value->type;
      attribute.nullable = value->nullable;
      found = columns_.insert(columns_.end(), {value, std::move(attribute)});
    }
    return make_attribute(found->second);
  }

  const Ids& outer_;
  std::vector<std::pair<ExprPtr, Attribute>> columns_;
};

// A Generate gives all columns of its input, and so the carried ones too: they go above it.
NodePtr without_carried(std::shared_ptr<Generate> generate, std::size_t before) {
  const std::vector<Attribute> wanted = generate->output;
  const auto& input = generate->children[0]->output;
  const auto at = static_cast<std::ptrdiff_t>(before);
  generate->output.insert(generate->output.begin() + at, input.begin() + at, input.end());
  auto out = std::make_shared<Project>();
  for (const Attribute& a : wanted) out->exprs.push_back(make_attribute(a));
  out->output = wanted;
  out->children = {std::move(generate)};
  return out;
}

}  // namespace

NodePtr carry_outer(const NodePtr& node, const std::vector<AttributeId>& outer) {
  if (outer.empty()) return node;
  std::shared_ptr<Node> copy = clone(*node);
  for (NodePtr& child : copy->children) child = carry_outer(child, outer);
  Carried carried(outer);
  map_expressions(*copy, [&](const ExprPtr& e) { return carried.rewrite(e); });
  if (!carried.any()) return copy;
  if (copy->children.empty()) copy->children.emplace_back();
  const std::size_t before = copy->children[0] == nullptr ? 0 : copy->children[0]->output.size();
  copy->children[0] = carried.beside(copy->children[0]);
  if (copy->kind != NodeKind::generate) return copy;
  return without_carried(std::static_pointer_cast<Generate>(copy), before);
}

}  // namespace millstream::plan
