#include "plan/time_zone.h"

#include <map>

#include "plan/tree.h"

namespace millstream::plan {
namespace {

class Zoned {
 public:
  explicit Zoned(const std::string& zone) : zone_(std::make_shared<const std::string>(zone)) {}

  NodePtr node(const NodePtr& given) {
    // A node that several places read stays one.
    if (const auto known = known_.find(given.get()); known != known_.end()) return known->second;
    const auto copy = clone(*given);
    map_expressions(*copy, [&](const ExprPtr& e) { return expression(e); });
    for (NodePtr& child : copy->children) child = node(child);
    if (given->kind == NodeKind::shared) {
      auto& shared = static_cast<Shared&>(*copy);
      shared.definition = node(shared.definition);
    }
    if (given->kind == NodeKind::recursion) {
      auto& recursion = static_cast<Recursion&>(*copy);
      recursion.anchor = node(recursion.anchor);
      recursion.step = node(recursion.step);
    }
    known_.emplace(given.get(), copy);
    return copy;
  }

  ExprPtr expression(const ExprPtr& given) {
    return transform(given, [&](const ExprPtr& e) -> ExprPtr {
      // current_timezone() is the reader's.
      const bool own = e->time_zone != nullptr || e->kind == ExprKind::attribute ||
                       (e->kind == ExprKind::call && e->name == "current_timezone");
      if (own) return e;
      auto copy = std::make_shared<Expr>(*e);
      copy->time_zone = zone_;
      if (copy->plan != nullptr) copy->plan = node(copy->plan);
      return copy;
    });
  }

 private:
  std::shared_ptr<const std::string> zone_;
  std::map<const Node*, NodePtr> known_;
};

}  // namespace

NodePtr in_time_zone(const NodePtr& node, const std::string& time_zone) {
  return Zoned(time_zone).node(node);
}

ExprPtr in_time_zone(const ExprPtr& expr, const std::string& time_zone) {
  return Zoned(time_zone).expression(expr);
}

}  // namespace millstream::plan
