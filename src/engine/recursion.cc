#include "engine/recursion.h"

#include <arrow/record_batch.h>

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "plan/analyzer.h"
#include "plan/tree.h"

namespace millstream::engine {

using plan::as;
using plan::Node;
using plan::NodeKind;
using plan::NodePtr;

namespace {

using Rows = std::vector<connector::RecordBatchPtr>;

std::int64_t count_of(const Rows& rows) {
  std::int64_t count = 0;
  for (const auto& batch : rows) count += batch->num_rows();
  return count;
}

NodePtr local_rows(const Node& in_place_of, const Rows& rows) {
  auto local = std::make_shared<plan::Local>();
  local->output = in_place_of.output;
  local->batches = rows;
  return local;
}

class Finder {
 public:
  bool find(const Node& node) {
    if (node.kind == NodeKind::recursion) return true;
    if (node.kind == NodeKind::shared) {
      const NodePtr& definition = as<plan::Shared>(node).definition;
      return seen_.insert(definition.get()).second && find(*definition);
    }
    for (const NodePtr& child : node.children) {
      if (find(*child)) return true;
    }
    bool found = false;
    plan::for_each_expression(node, [&](const plan::Expr& e) {
      plan::visit(e, [&](const plan::Expr& part) {
        found = found || (part.plan != nullptr && find(*part.plan));
        return !found;
      });
    });
    return found;
  }

 private:
  std::unordered_set<const Node*> seen_;
};

// Rewrites plans: recursions by their rows, and inputs of a loop by those of the step before.
class Rewriting {
 public:
  explicit Rewriting(const RunPlan& run) : run_(run) {}

  Result<NodePtr> rewrite(const NodePtr& node) {
    if (node->kind == NodeKind::recursion) return rows_of(as<plan::Recursion>(*node));
    if (node->kind == NodeKind::recursion_input) {
      const auto found = inputs_.find(as<plan::RecursionInput>(*node).loop);
      return found == inputs_.end() ? node : local_rows(*node, found->second);
    }
    if (node->kind == NodeKind::shared) return definition_of(node);
    std::shared_ptr<Node> copy = plan::clone(*node);
    for (NodePtr& child : copy->children) {
      if (node->kind == NodeKind::limit) child = limited(as<plan::Limit>(*node), child);
      TRY_ASSIGN(child, rewrite(child));
    }
    Status status;
    plan::map_expressions(*copy, [&](const plan::ExprPtr& e) { return rewrite_in(e, status); });
    if (!status.ok()) return status;
    return NodePtr(copy);
  }

 private:
  plan::ExprPtr rewrite_in(const plan::ExprPtr& e, Status& status) {
    if (!plan::contains(*e, plan::ExprKind::subquery)) return e;
    return plan::transform(e, [&](const plan::ExprPtr& part) -> plan::ExprPtr {
      if (part->plan == nullptr || !status.ok()) return part;
      auto plan = rewrite(part->plan);
      if (!plan.ok()) {
        status = plan.status();
        return part;
      }
      auto copy = std::make_shared<plan::Expr>(*part);
      copy->plan = std::move(plan).value();
      return copy;
    });
  }

  Result<NodePtr> definition_of(const NodePtr& node) {
    const NodePtr& definition = as<plan::Shared>(*node).definition;
    NodePtr& known = definitions_[definition.get()];
    if (known == nullptr) {
      TRY_ASSIGN(const NodePtr rewritten, rewrite(definition));
      definitions_[definition.get()] = rewritten;
    }
    auto copy = std::make_shared<plan::Shared>(as<plan::Shared>(*node));
    copy->definition = definitions_[definition.get()];
    return NodePtr(copy);
  }

  // LIMIT over a recursion, perhaps with projections between: no more rows are made than it wants.
  NodePtr limited(const plan::Limit& limit, const NodePtr& below) {
    if (limit.tail || !limit.count) return below;
    if (below->kind == NodeKind::project && !below->children.empty()) {
      const NodePtr child = limited(limit, below->children[0]);
      if (child == below->children[0]) return below;
      auto copy = plan::clone(*below);
      copy->children[0] = child;
      return copy;
    }
    if (below->kind != NodeKind::recursion) return below;
    auto copy = std::make_shared<plan::Recursion>(as<plan::Recursion>(*below));
    copy->limit = *limit.count + limit.offset;
    return copy;
  }

  Result<NodePtr> rows_of(const plan::Recursion& recursion) {
    TRY_ASSIGN(const NodePtr anchor, rewrite(recursion.anchor));
    TRY_ASSIGN(Rows all, run_(plan::optimize(anchor)));
    Rows last = all;
    std::int64_t rows = count_of(all);
    for (std::int64_t level = 1; count_of(last) > 0; ++level) {
      if (recursion.limit && rows >= *recursion.limit) break;
      if (recursion.levels_max >= 0 && level > recursion.levels_max) {
        return Status::error("RECURSION_LEVEL_LIMIT_EXCEEDED",
                             {{"levelLimit", std::to_string(recursion.levels_max)}});
      }
      if (recursion.rows_max >= 0 && rows > recursion.rows_max) {
        return Status::error("RECURSION_ROW_LIMIT_EXCEEDED",
                             {{"rowLimit", std::to_string(recursion.rows_max)}});
      }
      inputs_[recursion.loop] = last;
      definitions_.clear();  // what the step shares may read the loop's input
      auto step = rewrite(recursion.step);
      inputs_.erase(recursion.loop);
      TRY(step.status());
      TRY_ASSIGN(last, run_(plan::optimize(*step)));
      rows += count_of(last);
      all.insert(all.end(), last.begin(), last.end());
    }
    return local_rows(recursion, all);
  }

  const RunPlan& run_;
  std::unordered_map<const Node*, NodePtr> definitions_;
  std::map<plan::AttributeId, Rows> inputs_;  // by loop
};

}  // namespace

bool has_recursion(const NodePtr& node) { return Finder().find(*node); }

Result<NodePtr> run_recursions(const NodePtr& node, const RunPlan& run) {
  return Rewriting(run).rewrite(node);
}

}  // namespace millstream::engine
