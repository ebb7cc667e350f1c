// Window functions over window functions: the inner ones become columns of a projection below.
#include <algorithm>

#include "plan/relations.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

// Windows within others that hold none themselves.
void find_inner_windows(const ExprPtr& e, bool inside, std::vector<ExprPtr>& found) {
  if (e->kind != ExprKind::window) {
    for (const ExprPtr& child : e->children) find_inner_windows(child, inside, found);
    if (e->filter != nullptr) find_inner_windows(e->filter, inside, found);
    return;
  }
  const std::size_t before = found.size();
  bool innermost = true;
  const auto look = [&](const ExprPtr& part) {
    innermost = innermost && !contains(*part, ExprKind::window);
    find_inner_windows(part, true, found);
  };
  for (const ExprPtr& argument : e->children[0]->children) look(argument);
  if (e->children[0]->filter != nullptr) look(e->children[0]->filter);
  for (const ExprPtr& key : e->window->partition) look(key);
  for (const SortKey& key : e->window->order) look(key.expr);
  if (inside && innermost && found.size() == before) found.push_back(e);
}

}  // namespace

NodePtr separate_windows(NodePtr input, std::vector<ExprPtr>& exprs) {
  for (;;) {
    std::vector<ExprPtr> inner;
    for (const ExprPtr& e : exprs) find_inner_windows(e, false, inner);
    if (inner.empty()) return input;
    if (input == nullptr) input = make_project(nullptr, {});
    std::vector<ExprPtr> below;
    for (const Attribute& a : input->output) below.push_back(make_attribute(a));
    std::vector<std::pair<ExprPtr, ExprPtr>> columns;
    for (const ExprPtr& window : inner) {
      const bool known = std::any_of(columns.begin(), columns.end(), [&](const auto& column) {
        return same_expr(*column.first, *window);
      });
      if (known) continue;
      below.push_back(make_alias(window, window->pretty, next_attribute_id()));
      auto column = std::make_shared<Expr>(*make_attribute(attribute_of(*below.back())));
      column->pretty = window->pretty;
      columns.emplace_back(window, std::move(column));
    }
    input = make_project(std::move(input), std::move(below));
    for (ExprPtr& e : exprs) {
      e = transform(e, [&](const ExprPtr& part) -> ExprPtr {
        if (part->kind != ExprKind::window) return part;
        for (const auto& [window, column] : columns) {
          if (same_expr(*window, *part)) return column;
        }
        return part;
      });
    }
  }
}

}  // namespace millstream::plan
