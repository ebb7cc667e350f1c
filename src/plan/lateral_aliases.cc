#include <algorithm>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

// What a projection below cannot compute, and what is nothing to compute.
bool stays_in_place(const Expr& definition) {
  if (definition.kind == ExprKind::attribute || definition.kind == ExprKind::literal) return true;
  bool stays = has_aggregate_function(definition);
  visit(definition, [&](const Expr& e) {
    const bool time_window =
        e.kind == ExprKind::call && (e.name == "time_window" || e.name == "session_window");
    stays = stays || time_window || e.kind == ExprKind::window || e.kind == ExprKind::generator ||
            e.kind == ExprKind::subquery || e.kind == ExprKind::aggregate;
    return !stays;
  });
  return stays;
}

}  // namespace

Result<std::optional<ExprPtr>> LateralAliases::find(const NameParts& parts) {
  const ExprPtr named = column_of(parts);
  if (named == nullptr) return std::optional<ExprPtr>();
  ExprPtr value = named;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    TRY_ASSIGN(value, extract_value(value, string_literal(parts[i]), case_sensitive_, true));
  }
  auto out = std::make_shared<Expr>(*value);
  out->pretty = "lateralAliasReference(" + join(parts, ".") + ")";
  return std::optional<ExprPtr>(std::move(out));
}

ExprPtr LateralAliases::column_of(const NameParts& parts) {
  ExprPtr found;
  for (const ExprPtr& e : list_) {
    if (e->kind != ExprKind::alias || !same_name(e->name, parts[0], case_sensitive_)) continue;
    if (found != nullptr) return nullptr;
    found = e;
  }
  if (found == nullptr) return nullptr;
  const ExprPtr& definition = found->children[0];
  if (settled_ || stays_in_place(*definition)) return definition;
  auto known = std::find_if(named_.begin(), named_.end(),
                            [&](const Named& one) { return one.alias == found->id; });
  if (known == named_.end()) {
    Attribute column = attribute_of(*found);
    column.id = next_attribute_id();
    known = named_.insert(named_.end(), {found->id, definition, std::move(column)});
  }
  return make_attribute(known->column);
}

NodePtr LateralAliases::settle(NodePtr input, bool grouped) {
  settled_ = true;
  if (named_.empty()) return input;
  const bool groups = grouped || std::any_of(list_.begin(), list_.end(), [](const ExprPtr& e) {
                        return has_aggregate_function(*e);
                      });
  if (groups) {
    // From the last on: its definition may name the columns of others.
    for (auto one = named_.rbegin(); one != named_.rend(); ++one) {
      for (ExprPtr& item : list_) {
        item = transform(item, [&](const ExprPtr& e) {
          return e->kind == ExprKind::attribute && e->id == one->column.id ? one->definition : e;
        });
      }
    }
    return input;
  }
  for (const Named& one : named_) {
    std::vector<ExprPtr> columns;
    if (input != nullptr) {
      for (const Attribute& a : input->output) columns.push_back(make_attribute(a));
    }
    columns.push_back(make_alias(one.definition, one.column.name, one.column.id));
    auto below = clone(*make_project(input, std::move(columns)));
    if (input != nullptr)
      std::copy(input->output.begin(), input->output.end(), below->output.begin());
    below->output.back().hidden = true;
    input = std::move(below);
    for (ExprPtr& item : list_) {
      if (item->kind != ExprKind::alias || item->id != one.alias) continue;
      item = make_alias(make_attribute(one.column), item->name, item->id, item->metadata);
    }
  }
  return input;
}

}  // namespace millstream::plan
