// Adjacent projections and filters become one, so that a chain of withColumn or filter calls is one
// operator to run.
#include "plan/optimize.h"

#include <algorithm>

#include "column/types.h"
#include "plan/analyzer.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

// Merged expressions stay below this depth: what runs them recurses over them.
constexpr int merged_depth_max = 100;

int depth_of(const Expr& e) {
  int deepest = 0;
  for (const ExprPtr& child : e.children) deepest = std::max(deepest, depth_of(*child));
  return deepest + 1;
}

bool is_cheap(const Expr& e) {
  if (e.kind == ExprKind::attribute || e.kind == ExprKind::literal) return true;
  return e.kind == ExprKind::get_field && is_cheap(*e.children[0]);
}

using Definitions = std::unordered_map<std::int64_t, ExprPtr>;

ExprPtr substitute(const ExprPtr& expr, const Definitions& definitions) {
  return transform(expr, [&](const ExprPtr& e) -> ExprPtr {
    if (e->kind != ExprKind::attribute) return e;
    const auto found = definitions.find(key_of(e->id));
    return found == definitions.end() ? e : found->second;
  });
}

// Whether `upper` may be computed from `lower`'s definitions at once.
bool may_merge(const std::vector<ExprPtr>& upper, const Project& lower, Definitions& definitions) {
  std::unordered_map<std::int64_t, int> uses;
  int upper_depth = 0;
  for (const ExprPtr& e : upper) {
    upper_depth = std::max(upper_depth, depth_of(*e));
    visit(*e, [&](const Expr& x) {
      if (x.kind == ExprKind::attribute) ++uses[key_of(x.id)];
      return true;
    });
  }
  for (const ExprPtr& e : lower.exprs) {
    if (e->kind != ExprKind::alias) continue;
    const ExprPtr& definition = e->children[0];
    definitions[key_of(e->id)] = definition;
    const int count = uses[key_of(e->id)];
    if (count == 0) continue;
    if (contains(*definition, ExprKind::window) || !is_deterministic(*definition)) return false;
    if (count > 1 && !is_cheap(*definition)) return false;
    if (upper_depth + depth_of(*definition) > merged_depth_max) return false;
  }
  return true;
}

NodePtr merge_projects(const Project& upper, const Project& lower) {
  Definitions definitions;
  if (!may_merge(upper.exprs, lower, definitions)) return nullptr;
  auto merged = std::make_shared<Project>(upper);
  merged->children = lower.children;
  for (ExprPtr& e : merged->exprs) {
    if (e->kind == ExprKind::attribute) {
      const auto found = definitions.find(key_of(e->id));
      if (found != definitions.end()) e = make_alias(found->second, e->name, e->id, e->metadata);
    } else {
      e = substitute(e, definitions);
    }
  }
  return merged;
}

bool is_identity(const Project& project) {
  if (project.children.empty()) return false;
  const auto& below = project.children[0]->output;
  if (below.size() != project.exprs.size()) return false;
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (project.exprs[i]->kind != ExprKind::attribute || project.exprs[i]->id != below[i].id ||
        project.output[i].hidden != below[i].hidden) {
      return false;
    }
  }
  return true;
}

}  // namespace

ExprPtr all_of(const std::vector<ExprPtr>& conditions, std::size_t from, std::size_t to) {
  if (to - from == 1) return conditions[from];
  const std::size_t middle = from + (to - from) / 2;
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::call;
  out->name = "and";
  out->type = column::boolean_type();
  out->children = {all_of(conditions, from, middle), all_of(conditions, middle, to)};
  out->nullable = out->children[0]->nullable || out->children[1]->nullable;
  out->pretty = "(" + out->children[0]->pretty + " AND " + out->children[1]->pretty + ")";
  return out;
}

void split_conjuncts(const ExprPtr& condition, std::vector<ExprPtr>& out) {
  std::vector<ExprPtr> open = {condition};
  while (!open.empty()) {
    const ExprPtr e = std::move(open.back());
    open.pop_back();
    if (e->kind == ExprKind::call && e->name == "and") {
      open.push_back(e->children[1]);
      open.push_back(e->children[0]);
    } else {
      out.push_back(e);
    }
  }
}

NodePtr collapse_projects(const NodePtr& node) {
  if (node->kind == NodeKind::filter) {
    // The filters of a chain, innermost first.
    std::vector<ExprPtr> conditions;
    NodePtr at = node;
    while (at->kind == NodeKind::filter && is_deterministic(*as<Filter>(*at).condition)) {
      conditions.push_back(as<Filter>(*at).condition);
      at = at->children[0];
    }
    if (conditions.size() > 1) {
      std::reverse(conditions.begin(), conditions.end());
      auto merged = std::make_shared<Filter>(as<Filter>(*node));
      merged->condition = all_of(conditions, 0, conditions.size());
      merged->children = {collapse_projects(at)};
      return merged;
    }
  }
  std::shared_ptr<Node> copy;
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    NodePtr child = collapse_projects(node->children[i]);
    // The order and names of what is below matter to nobody, except where rows are matched by
    // position.
    if (child->kind == NodeKind::project && node->kind != NodeKind::set_operation &&
        is_identity(as<Project>(*child))) {
      child = child->children[0];
    }
    if (child == node->children[i]) continue;
    if (copy == nullptr) copy = clone(*node);
    copy->children[i] = std::move(child);
  }
  const NodePtr rebuilt = copy == nullptr ? node : NodePtr(copy);
  if (rebuilt->kind == NodeKind::project && !rebuilt->children.empty() &&
      rebuilt->children[0]->kind == NodeKind::project) {
    NodePtr merged = merge_projects(as<Project>(*rebuilt), as<Project>(*rebuilt->children[0]));
    if (merged != nullptr) return merged;
  }
  return rebuilt;
}

namespace {

// EXISTS counts rows alone.
NodePtr without_columns(NodePtr node) {
  auto project = std::make_shared<Project>();
  project->children.push_back(std::move(node));
  return project;
}

// The plans of subqueries are optimized each for itself. Correlations are made ready to run, once
// nothing moves expressions any more.
NodePtr optimize_subqueries(const NodePtr& node) {
  std::shared_ptr<Node> copy;
  bool any = false;
  for_each_expression(*node, [&](const Expr& e) { any = any || contains(e, ExprKind::subquery); });
  if (any) {
    copy = clone(*node);
    map_expressions(*copy, [](const ExprPtr& e) {
      return transform(e, [](const ExprPtr& part) -> ExprPtr {
        if (part->kind != ExprKind::subquery) return part;
        auto optimized = std::make_shared<Expr>(*part);
        optimized->plan =
            carry_outer(optimize(part->name == "exists" ? without_columns(part->plan) : part->plan),
                        part->parameters);
        return optimized;
      });
    });
  }
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    NodePtr child = optimize_subqueries(node->children[i]);
    if (node->kind == NodeKind::join && i == 1) child = carry_outer(child, as<Join>(*node).lateral);
    if (child == node->children[i]) continue;
    if (copy == nullptr) copy = clone(*node);
    copy->children[i] = std::move(child);
  }
  return copy == nullptr ? node : NodePtr(copy);
}

}  // namespace

NodePtr optimize(NodePtr node) {
  node = collapse_projects(push_filters(fold_constants(node)));
  // What a projection left out nobody may read now: then it is none.
  return optimize_subqueries(push_into_scans(cut_deep(collapse_projects(prune_columns(node)))));
}

}  // namespace millstream::plan
