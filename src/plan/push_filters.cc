// Conditions go down to where their columns come from, as Spark's optimizer moves them: through
// projections, joins, grouping keys and UNION ALL. A condition of both sides becomes the join's. So
// a condition that may raise an error meets the rows that it meets in Spark, a scan learns what it
// may skip, and no product of tables is left where a join was meant.
#include <algorithm>

#include "column/types.h"
#include "plan/optimize.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

using Conditions = std::vector<ExprPtr>;
using Definitions = std::unordered_map<std::int64_t, ExprPtr>;

// A condition does not grow beyond this number of parts when columns are replaced by what they are.
constexpr int replaced_parts_max = 200;

NodePtr push(const NodePtr& node, Conditions conditions);

int parts_of(const Expr& e) {
  int parts = 0;
  visit(e, [&](const Expr&) { return ++parts <= replaced_parts_max; });
  return parts;
}

bool movable(const Expr& e) {
  return is_deterministic(e) && !contains(e, ExprKind::subquery) && !contains(e, ExprKind::window);
}

NodePtr filtered(NodePtr node, const Conditions& conditions) {
  if (conditions.empty()) return node;
  auto filter = std::make_shared<Filter>();
  filter->output = node->output;
  filter->condition = all_of(conditions, 0, conditions.size());
  filter->children.push_back(std::move(node));
  return filter;
}

NodePtr with_children_pushed(const NodePtr& node) {
  std::shared_ptr<Node> copy;
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    NodePtr child = push(node->children[i], {});
    if (child == node->children[i]) continue;
    if (copy == nullptr) copy = clone(*node);
    copy->children[i] = std::move(child);
  }
  return copy == nullptr ? node : NodePtr(copy);
}

NodePtr with_child(const NodePtr& node, NodePtr child) {
  if (child == node->children[0]) return node;
  auto copy = clone(*node);
  copy->children[0] = std::move(child);
  return copy;
}

// The condition over what the columns are; nothing when one of them is not to be computed twice.
ExprPtr replaced(const ExprPtr& condition, const Definitions& definitions) {
  bool fits = true;
  int uses = 0;
  int parts = 0;
  visit(*condition, [&](const Expr& e) {
    if (e.kind != ExprKind::attribute) return fits;
    const auto found = definitions.find(key_of(e.id));
    fits = fits && found != definitions.end() && movable(*found->second);
    if (fits && found->second->kind != ExprKind::attribute) {
      ++uses;
      parts += parts_of(*found->second);
    }
    return fits;
  });
  const bool grows = (uses > 1 && parts > uses * 4) ||
                     (uses > 0 && parts + parts_of(*condition) > replaced_parts_max);
  if (!fits || grows) return nullptr;
  return transform(condition, [&](const ExprPtr& e) -> ExprPtr {
    return e->kind == ExprKind::attribute ? definitions.at(key_of(e->id)) : e;
  });
}

NodePtr through(const NodePtr& node, const Definitions& definitions, const Conditions& conditions) {
  Conditions below;
  Conditions here;
  for (const ExprPtr& condition : conditions) {
    ExprPtr moved = here.empty() ? replaced(condition, definitions) : nullptr;
    (moved == nullptr ? here : below).push_back(moved == nullptr ? condition : moved);
  }
  return filtered(with_child(node, push(node->children[0], std::move(below))), here);
}

NodePtr push_project(const NodePtr& node, const Conditions& conditions) {
  const auto& project = as<Project>(*node);
  if (project.children.empty()) return filtered(node, conditions);
  Definitions definitions;
  for (const ExprPtr& e : project.exprs) {
    // A condition below would take rows out of the window's sight, or change a random column.
    if (contains(*e, ExprKind::window) || !is_deterministic(*e))
      return filtered(with_children_pushed(node), conditions);
    definitions[key_of(e->id)] = e->kind == ExprKind::alias ? e->children[0] : e;
  }
  return through(node, definitions, conditions);
}

// Conditions of grouping keys alone. The group of no keys is there without a row: no condition on
// it, be it a constant, may move to the rows.
NodePtr push_aggregate(const NodePtr& node, const Conditions& conditions) {
  const auto& aggregate = as<Aggregate>(*node);
  if (aggregate.keys.empty() || !aggregate.grouping_sets.empty())
    return filtered(with_children_pushed(node), conditions);
  Definitions definitions;
  for (const ExprPtr& e : aggregate.exprs) {
    const ExprPtr& source = e->kind == ExprKind::alias ? e->children[0] : e;
    if (source->kind != ExprKind::attribute) continue;
    for (const ExprPtr& key : aggregate.keys) {
      if (key->kind == ExprKind::attribute && key->id == source->id)
        definitions[key_of(e->id)] = source;
    }
  }
  return through(node, definitions, conditions);
}

NodePtr push_union(const NodePtr& node, const Conditions& conditions) {
  auto copy = std::make_shared<SetOperation>(as<SetOperation>(*node));
  for (NodePtr& child : copy->children) {
    Definitions definitions;
    std::size_t at = 0;
    for (const Attribute& a : child->output) {
      if (a.hidden || at >= node->output.size()) continue;
      definitions[key_of(node->output[at++].id)] = make_attribute(a);
    }
    Conditions below;
    for (const ExprPtr& condition : conditions) {
      ExprPtr moved = replaced(condition, definitions);
      if (moved == nullptr) return filtered(with_children_pushed(node), conditions);
      below.push_back(std::move(moved));
    }
    child = push(child, std::move(below));
  }
  return copy;
}

IdSet ids_of(const Node& node) {
  IdSet ids;
  for (const Attribute& a : node.output) ids.insert(key_of(a.id));
  return ids;
}

bool has_reference(const Expr& e) {
  IdSet ids;
  add_references(e, ids);
  return !ids.empty();
}

// Where conditions of a join go: those above it, and its own.
struct JoinConditions {
  Conditions left;
  Conditions right;
  Conditions on;
  Conditions above;
};

JoinConditions divided(const Join& join, const Conditions& conditions) {
  const IdSet left = ids_of(*join.children[0]);
  const IdSet right = ids_of(*join.children[1]);
  const bool inner = join.type == JoinType::inner || join.type == JoinType::cross;
  const bool semi = join.type == JoinType::semi;
  const bool keeps_left =
      inner || semi || join.type == JoinType::left || join.type == JoinType::anti;
  const bool keeps_right = inner || join.type == JoinType::right;
  JoinConditions out;
  for (const ExprPtr& e : conditions) {
    const bool constant = !has_reference(*e);
    if (keeps_left && !constant && subset(*e, left)) {
      out.left.push_back(e);
    } else if (keeps_right && !constant && subset(*e, right)) {
      out.right.push_back(e);
    } else {
      (inner && !constant ? out.on : out.above).push_back(e);
    }
  }
  if (join.condition == nullptr) return out;
  Conditions own;
  split_conjuncts(join.condition, own);
  Conditions on;
  for (const ExprPtr& e : own) {
    const bool moves = movable(*e) && has_reference(*e);
    if (moves && (inner || semi || join.type == JoinType::right) && subset(*e, left)) {
      out.left.push_back(e);
    } else if (moves && join.type != JoinType::right && join.type != JoinType::full &&
               subset(*e, right)) {
      out.right.push_back(e);
    } else {
      on.push_back(e);
    }
  }
  out.on.insert(out.on.begin(), on.begin(), on.end());
  return out;
}

NodePtr push_join(const NodePtr& node, const Conditions& conditions) {
  const auto& join = as<Join>(*node);
  if (!join.lateral.empty()) return filtered(with_children_pushed(node), conditions);
  JoinConditions parts = divided(join, conditions);
  auto copy = std::make_shared<Join>(join);
  copy->condition = parts.on.empty() ? nullptr : all_of(parts.on, 0, parts.on.size());
  if (copy->type == JoinType::cross && copy->condition != nullptr) copy->type = JoinType::inner;
  copy->children = {push(join.children[0], std::move(parts.left)),
                    push(join.children[1], std::move(parts.right))};
  return filtered(copy, parts.above);
}

NodePtr push_filter(const NodePtr& node, Conditions conditions) {
  Conditions own;
  split_conjuncts(as<Filter>(*node).condition, own);
  Conditions below;
  Conditions here;
  for (const ExprPtr& e : own) (movable(*e) ? below : here).push_back(e);
  // What comes behind a condition that must stay here may count on it.
  const bool random =
      std::any_of(here.begin(), here.end(), [](const ExprPtr& e) { return !is_deterministic(*e); });
  if (random) return filtered(with_children_pushed(node), conditions);
  below.insert(below.end(), conditions.begin(), conditions.end());
  return filtered(push(node->children[0], std::move(below)), here);
}

// The node's rows that meet all conditions; they name its columns and are movable.
NodePtr push(const NodePtr& node, Conditions conditions) {
  if (node->kept != nullptr) return filtered(node, conditions);
  switch (node->kind) {
    case NodeKind::filter:
      return push_filter(node, std::move(conditions));
    case NodeKind::project:
      return push_project(node, conditions);
    case NodeKind::aggregate:
      return push_aggregate(node, conditions);
    case NodeKind::join:
      return push_join(node, conditions);
    case NodeKind::set_operation:
      if (as<SetOperation>(*node).type == SetOperationType::union_all)
        return push_union(node, conditions);
      break;
    case NodeKind::sort:
    case NodeKind::repartition:
      return with_child(node, push(node->children[0], std::move(conditions)));
    default:
      break;
  }
  return filtered(with_children_pushed(node), conditions);
}

}  // namespace

NodePtr push_filters(const NodePtr& root) { return push(root, {}); }

}  // namespace millstream::plan
