// A Sort or Filter may name columns that its input dropped: Spark finds them below, carries them up
// for the operator and drops them again above it.
#include "base/text.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

// Operators through which a column can be carried without changing what they mean.
bool carries(const Node& node) {
  switch (node.kind) {
    case NodeKind::project:
      return !as<Project>(node).alias && !node.children.empty();
    case NodeKind::filter:
    case NodeKind::sort:
    case NodeKind::limit:
    case NodeKind::generate:
    case NodeKind::watermark:
    case NodeKind::repartition:
    case NodeKind::sample:
    case NodeKind::collect_metrics:
    case NodeKind::aggregate:
      return true;
    case NodeKind::deduplicate:
      return as<Deduplicate>(node).keys.size() != node.output.size();
    default:
      return false;
  }
}

IdSet ids_of(const Node& node) {
  IdSet ids;
  for (const Attribute& a : node.output) ids.insert(key_of(a.id));
  return ids;
}

bool outputs_all(const Node& node, const IdSet& wanted) {
  const IdSet ids = ids_of(node);
  for (const std::int64_t id : wanted) {
    if (!ids.contains(id)) return false;
  }
  return true;
}

// nullptr: this node can not output all of `wanted`.
NodePtr carry(const NodePtr& node, const IdSet& wanted) {
  if (outputs_all(*node, wanted)) return node;
  if (!carries(*node)) return nullptr;
  IdSet below = wanted;
  const IdSet here = ids_of(*node);
  const Node& old_child = *node->children[0];
  const IdSet child_ids = ids_of(old_child);
  // What the node makes itself is not looked for below it.
  for (const std::int64_t id : here) {
    if (!child_ids.contains(id)) below.erase(id);
  }
  const NodePtr child = carry(node->children[0], below);
  if (child == nullptr) return nullptr;
  std::vector<Attribute> missing;
  for (const Attribute& a : child->output) {
    if (wanted.contains(key_of(a.id)) && !here.contains(key_of(a.id))) missing.push_back(a);
  }
  auto copy = clone(*node);
  copy->children[0] = child;
  for (Attribute a : missing) {
    a.hidden = false;
    if (copy->kind == NodeKind::project) {
      static_cast<Project&>(*copy).exprs.push_back(make_attribute(a));
    } else if (copy->kind == NodeKind::aggregate) {
      auto& aggregate = static_cast<Aggregate&>(*copy);
      bool is_key = false;
      for (const ExprPtr& key : aggregate.keys) {
        is_key = is_key || (key->kind == ExprKind::attribute && key->id == a.id);
      }
      if (!is_key) return nullptr;
      aggregate.exprs.push_back(make_attribute(a));
    }
    copy->output.push_back(std::move(a));
  }
  const bool passes_all = copy->kind != NodeKind::project && copy->kind != NodeKind::aggregate &&
                          copy->kind != NodeKind::generate;
  if (passes_all) copy->output = child->output;
  if (copy->kind == NodeKind::generate) {
    std::vector<Attribute> output = child->output;
    const std::size_t made = static_cast<const Generate&>(*node).generator->type->fields().size();
    output.insert(output.end(), node->output.end() - static_cast<std::ptrdiff_t>(made),
                  node->output.end());
    copy->output = std::move(output);
  }
  return outputs_all(*copy, wanted) ? copy : nullptr;
}

// Groups, also behind their HAVING.
bool is_of_groups(const Node& node) {
  return node.kind == NodeKind::aggregate ||
         (node.kind == NodeKind::filter && node.children[0]->kind == NodeKind::aggregate);
}

// Such a node with what the expressions ask of the groups.
Result<NodePtr> with_more_of_groups(const NodePtr& node, std::vector<ExprPtr>& exprs) {
  if (node->kind == NodeKind::aggregate) return extend_aggregate(node, exprs);
  auto filter = clone(*node);
  TRY_ASSIGN(filter->children[0], extend_aggregate(node->children[0], exprs));
  filter->output = filter->children[0]->output;
  return NodePtr(filter);
}

// The projection and the groups below it with what the expressions ask of the groups.
Result<NodePtr> extend_groups(const NodePtr& project, std::vector<ExprPtr>& exprs) {
  std::vector<ExprPtr> of_groups;
  for (const ExprPtr& e : exprs) {
    if (has_aggregate_function(*e)) of_groups.push_back(e);
  }
  auto copy = clone(*project);
  TRY_ASSIGN(copy->children[0], with_more_of_groups(project->children[0], of_groups));
  IdSet wanted;
  std::size_t next = 0;
  for (ExprPtr& e : exprs) {
    if (has_aggregate_function(*e)) e = of_groups[next++];
    add_references(*e, wanted);
  }
  const IdSet here = ids_of(*copy);
  auto& out = static_cast<Project&>(*copy);
  for (const Attribute& a : copy->children[0]->output) {
    if (!wanted.contains(key_of(a.id)) || here.contains(key_of(a.id))) continue;
    out.exprs.push_back(make_attribute(a));
    out.output.push_back(a);
  }
  return NodePtr(copy);
}

// All that the expression reads is a column of the node.
Status check_visible(const Expr& expr, const Node& node) {
  const IdSet here = ids_of(node);
  const Expr* lost = nullptr;
  visit(expr, [&](const Expr& x) {
    if (x.kind == ExprKind::attribute && !here.contains(key_of(x.id))) lost = &x;
    return lost == nullptr;
  });
  return lost == nullptr ? Status::OK() : unresolved_column({lost->name}, node.output);
}

// Whether HAVING asks for nothing that is not selected. Only then does Spark order by other
// aggregates.
bool having_is_selected(const Node& project) {
  const Node& having = *project.children[0];
  if (having.kind != NodeKind::filter) return true;
  IdSet selected;
  std::vector<ExprPtr> computed;
  for (const ExprPtr& e : as<Project>(project).exprs) {
    if (contains(*e, ExprKind::window)) return false;
    if (strip_alias(e)->kind == ExprKind::attribute) selected.insert(key_of(strip_alias(e)->id));
    if (e->kind == ExprKind::alias) computed.push_back(e);
    selected.insert(key_of(e->id));
  }
  const auto condition = transform(as<Filter>(having).condition, [&](const ExprPtr& part) {
    for (const ExprPtr& e : computed) {
      if (same_expr(*strip_alias(e), *part)) return make_attribute(attribute_of(*e));
    }
    return part;
  });
  return subset(*condition, selected);
}

// Aggregates of an order that Spark does not look for in the groups.
Status refuse_aggregates(const Node& project, const std::vector<ExprPtr>& exprs) {
  std::vector<std::string> wrong;
  for (const ExprPtr& e : exprs) {
    TRY(check_visible(*e, project));
    visit(*e, [&](const Expr& part) {
      const bool aggregate = part.kind == ExprKind::aggregate;
      if (aggregate) wrong.push_back(sql_expr(part.pretty));
      return !aggregate;
    });
  }
  return Status::error("UNSUPPORTED_EXPR_FOR_OPERATOR", {{"invalidExprSqls", join(wrong, ", ")}});
}

}  // namespace

Result<std::optional<ExprPtr>> MissingColumns::find(const NameParts& parts,
                                                    std::optional<std::int64_t> plan_id) const {
  NodePtr at = node_;
  while (carries(*at)) {
    at = at->children[0];
    if (plan_id) {
      TRY_ASSIGN(auto column, find_dataframe_column(at, parts, *plan_id, case_sensitive_));
      if (column) return column;
      continue;
    }
    TRY_ASSIGN(auto found, find_name(at->output, parts, case_sensitive_));
    if (found) return std::optional<ExprPtr>(found->expr);
  }
  return std::optional<ExprPtr>();
}

Result<NodePtr> MissingColumns::provide(std::vector<ExprPtr>& exprs) const {
  bool aggregates = false;
  for (const ExprPtr& e : exprs) aggregates = aggregates || has_aggregate_function(*e);
  IdSet wanted;
  for (const ExprPtr& e : exprs) add_references(*e, wanted);
  if (is_of_groups(*node_) && (aggregates || !outputs_all(*node_, wanted)))
    return with_more_of_groups(node_, exprs);
  // Above groups stand a projection of their window functions and one of what HAVING leaves.
  if (aggregates && node_->kind == NodeKind::project && !as<Project>(*node_).alias &&
      !node_->children.empty() && is_of_groups(*node_->children[0])) {
    if (!having_is_selected(*node_)) return refuse_aggregates(*node_, exprs);
    return extend_groups(node_, exprs);
  }
  if (outputs_all(*node_, wanted)) return node_;
  const NodePtr carried = carry(node_, wanted);
  if (carried != nullptr) return carried;
  for (const ExprPtr& e : exprs) TRY(check_visible(*e, *node_));
  return node_;
}

}  // namespace millstream::plan
