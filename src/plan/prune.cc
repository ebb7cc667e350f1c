// Column pruning: each operator is asked for the columns that something above it reads.
#include "plan/optimize.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

NodePtr prune(const NodePtr& node, const IdSet& required);

IdSet ids_of(const std::vector<Attribute>& attributes) {
  IdSet ids;
  for (const Attribute& a : attributes) ids.insert(key_of(a.id));
  return ids;
}

// What is left of the operator's columns when its inputs have fewer.
void keep_available(Node& node) {
  IdSet available;
  for (const NodePtr& child : node.children) {
    for (const Attribute& a : child->output) available.insert(key_of(a.id));
  }
  std::erase_if(node.output, [&](const Attribute& a) { return !available.contains(key_of(a.id)); });
}

template <typename ScanType>
NodePtr prune_scan(const NodePtr& node, const IdSet& required) {
  auto copy = std::make_shared<ScanType>(as<ScanType>(*node));
  copy->output.clear();
  copy->columns.clear();
  for (std::size_t i = 0; i < node->output.size(); ++i) {
    if (!required.contains(key_of(node->output[i].id))) continue;
    copy->output.push_back(node->output[i]);
    copy->columns.push_back(as<ScanType>(*node).columns[i]);
  }
  return copy;
}

NodePtr prune_project(const NodePtr& node, const IdSet& required) {
  auto copy = std::make_shared<Project>(as<Project>(*node));
  copy->exprs.clear();
  copy->output.clear();
  IdSet below;
  for (std::size_t i = 0; i < node->output.size(); ++i) {
    if (!required.contains(key_of(node->output[i].id))) continue;
    const ExprPtr& e = as<Project>(*node).exprs[i];
    add_references(*e, below);
    copy->exprs.push_back(e);
    copy->output.push_back(node->output[i]);
  }
  for (NodePtr& child : copy->children) child = prune(child, below);
  return copy;
}

NodePtr prune_aggregate(const NodePtr& node, const IdSet& required) {
  auto copy = std::make_shared<Aggregate>(as<Aggregate>(*node));
  copy->exprs.clear();
  copy->output.clear();
  IdSet below;
  const auto& exprs = as<Aggregate>(*node).exprs;
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    // One column stays even when none is read: the number of groups may be.
    const bool last_chance = copy->exprs.empty() && i + 1 == exprs.size();
    if (!required.contains(key_of(exprs[i]->id)) && !last_chance) continue;
    copy->exprs.push_back(exprs[i]);
    copy->output.push_back(node->output[i]);
    add_references(*exprs[i], below);
  }
  for (const ExprPtr& key : copy->keys) add_references(*key, below);
  for (NodePtr& child : copy->children) child = prune(child, below);
  return copy;
}

// The child with exactly these columns in this order.
NodePtr exactly(NodePtr child, const std::vector<Attribute>& columns) {
  bool same = child->output.size() == columns.size();
  for (std::size_t i = 0; same && i < columns.size(); ++i) {
    same = child->output[i].id == columns[i].id;
  }
  if (same) return child;
  auto project = std::make_shared<Project>();
  for (const Attribute& a : columns) {
    project->exprs.push_back(make_attribute(a));
    project->output.push_back(a);
  }
  project->children.push_back(std::move(child));
  return project;
}

NodePtr prune_set_operation(const NodePtr& node, const IdSet& required) {
  auto copy = std::make_shared<SetOperation>(as<SetOperation>(*node));
  std::vector<bool> keep(node->output.size(), true);
  if (copy->type == SetOperationType::union_all) {
    copy->output.clear();
    for (std::size_t i = 0; i < node->output.size(); ++i) {
      keep[i] = required.contains(key_of(node->output[i].id));
      if (keep[i]) copy->output.push_back(node->output[i]);
    }
  }
  for (NodePtr& child : copy->children) {
    std::vector<Attribute> columns;
    for (std::size_t i = 0; i < keep.size(); ++i) {
      if (keep[i]) columns.push_back(child->output[i]);
    }
    child = exactly(prune(child, ids_of(columns)), columns);
  }
  return copy;
}

NodePtr prune_join(const NodePtr& node, IdSet required) {
  auto copy = std::make_shared<Join>(as<Join>(*node));
  for_each_expression(*copy, [&](const Expr& e) { add_references(e, required); });
  for (NodePtr& child : copy->children) child = prune(child, required);
  keep_available(*copy);
  return copy;
}

NodePtr prune_generate(const NodePtr& node, IdSet required) {
  auto copy = std::make_shared<Generate>(as<Generate>(*node));
  const std::size_t made = copy->generator->type->fields().size();
  const std::vector<Attribute> generated(node->output.end() - static_cast<std::ptrdiff_t>(made),
                                         node->output.end());
  add_references(*copy->generator, required);
  copy->children[0] = prune(copy->children[0], required);
  keep_available(*copy);
  copy->output.insert(copy->output.end(), generated.begin(), generated.end());
  return copy;
}

// Where each row's file is matters to who writes the rows, and that is seen to before.
NodePtr prune_repartition(const NodePtr& node, const IdSet& required) {
  auto copy = std::make_shared<Repartition>(as<Repartition>(*node));
  copy->keys.clear();
  copy->children[0] = prune(copy->children[0], required);
  keep_available(*copy);
  return copy;
}

// Operators whose output is their input's.
NodePtr prune_passing(const NodePtr& node, IdSet required) {
  for_each_expression(*node, [&](const Expr& e) { add_references(e, required); });
  if (node->kind == NodeKind::watermark) {
    required.insert(key_of(as<Watermark>(*node).event_time));
  }
  if (node->kind == NodeKind::deduplicate && as<Deduplicate>(*node).keys.empty()) {
    required = ids_of(node->output);
  }
  auto copy = clone(*node);
  copy->children[0] = prune(copy->children[0], required);
  keep_available(*copy);
  return copy;
}

NodePtr prune(const NodePtr& node, const IdSet& required) {
  switch (node->kind) {
    case NodeKind::scan:
      return prune_scan<Scan>(node, required);
    case NodeKind::stream_scan:
      return prune_scan<StreamScan>(node, required);
    case NodeKind::local:
    case NodeKind::range:
    case NodeKind::shared:
    case NodeKind::recursion:
    case NodeKind::recursion_input:
      return node;
    case NodeKind::project:
      return prune_project(node, required);
    case NodeKind::aggregate:
      return prune_aggregate(node, required);
    case NodeKind::join:
      return prune_join(node, required);
    case NodeKind::set_operation:
      return prune_set_operation(node, required);
    case NodeKind::generate:
      return prune_generate(node, required);
    case NodeKind::repartition:
      return prune_repartition(node, required);
    default:
      return prune_passing(node, required);
  }
}

}  // namespace

NodePtr prune_columns(const NodePtr& root) {
  IdSet required;
  for (const Attribute& a : root->output) {
    if (!a.hidden) required.insert(key_of(a.id));
  }
  return prune(root, required);
}

}  // namespace millstream::plan
