#include "engine/locate.h"

#include <set>

namespace millstream::engine {
namespace {

using plan::Expr;
using plan::ExprKind;

bool may_raise(const Expr& expr, const std::string& condition) {
  const std::string& name = expr.name;
  const bool call = expr.kind == ExprKind::call;
  if (condition == "DIVIDE_BY_ZERO") return call && (name == "divide" || name == "div");
  if (condition == "REMAINDER_BY_ZERO") return call && (name == "remainder" || name == "pmod");
  if (condition == "CAST_INVALID_INPUT" || condition == "CAST_OVERFLOW")
    return expr.kind == ExprKind::cast;
  if (condition == "ARITHMETIC_OVERFLOW" || condition == "BINARY_ARITHMETIC_OVERFLOW") {
    return call && (name == "add" || name == "subtract" || name == "multiply" ||
                    name == "negative" || name == "abs" || name == "div");
  }
  if (condition == "INVALID_ARRAY_INDEX") return call && name == "get_item";
  if (condition == "INVALID_ARRAY_INDEX_IN_ELEMENT_AT" || condition == "INVALID_INDEX_OF_ZERO")
    return call && name == "element_at";
  if (condition.starts_with("NUMERIC_VALUE_OUT_OF_RANGE")) {
    return (call || expr.kind == ExprKind::cast) && expr.type->kind() == column::TypeKind::decimal;
  }
  if (condition == "CANNOT_PARSE_TIMESTAMP")
    return call && name.find("parse_") != std::string::npos;
  return false;
}

class Finder {
 public:
  explicit Finder(const std::string& condition) : condition_(condition) {}

  void visit(const Expr& expr) {
    if (expr.origin.has_value() && may_raise(expr, condition_)) found_.push_back(&*expr.origin);
    for (const auto& child : expr.children) visit(*child);
    if (expr.filter != nullptr) visit(*expr.filter);
  }

  void visit(const plan::Node& node) {
    using plan::NodeKind;
    if (node.kind == NodeKind::project) visit_all(plan::as<plan::Project>(node).exprs);
    if (node.kind == NodeKind::filter) visit(*plan::as<plan::Filter>(node).condition);
    if (node.kind == NodeKind::aggregate) {
      visit_all(plan::as<plan::Aggregate>(node).keys);
      visit_all(plan::as<plan::Aggregate>(node).exprs);
    }
    if (node.kind == NodeKind::sort) {
      for (const auto& key : plan::as<plan::Sort>(node).keys) visit(*key.expr);
    }
    if (node.kind == NodeKind::join && plan::as<plan::Join>(node).condition != nullptr)
      visit(*plan::as<plan::Join>(node).condition);
    for (const auto& child : node.children) visit(*child);
  }

  // The one place, if there is only one.
  const QueryContext* only() const {
    for (const auto* context : found_) {
      if (context->call_site != found_[0]->call_site || context->fragment != found_[0]->fragment ||
          context->start_index != found_[0]->start_index) {
        return nullptr;
      }
    }
    return found_.empty() ? nullptr : found_[0];
  }

 private:
  void visit_all(const std::vector<plan::ExprPtr>& exprs) {
    for (const auto& expr : exprs) visit(*expr);
  }

  const std::string& condition_;
  std::vector<const QueryContext*> found_;
};

}  // namespace

Status locate_error(const Status& status, const plan::Node& node) {
  if (status.ok() || status.condition().empty() || !status.info().contexts.empty()) return status;
  Finder finder(status.condition());
  finder.visit(node);
  const QueryContext* place = finder.only();
  return place == nullptr ? status : status.with_context(*place);
}

}  // namespace millstream::engine
