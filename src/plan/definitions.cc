// The names of WITH: where each is read its plan is put, or, when it is read several times and
// costs something, a leaf that shares it; and names that refer to themselves.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <unordered_map>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::plan {

namespace sc = spark::connect;

namespace {

// Whether a plan is as quickly read again as kept: columns and rows picked from one leaf.
bool is_cheap(const Node& node) {
  switch (node.kind) {
    case NodeKind::scan:
    case NodeKind::local:
    case NodeKind::range:
      return true;
    case NodeKind::project:
    case NodeKind::filter:
      break;
    default:
      return false;
  }
  bool cheap = true;
  for_each_expression(node, [&](const Expr& e) {
    cheap = cheap && is_deterministic(e) && !contains(e, ExprKind::subquery) &&
            !contains(e, ExprKind::window);
  });
  for (const NodePtr& child : node.children) cheap = cheap && is_cheap(*child);
  return cheap;
}

class Placement {
 public:
  void count(const Node& node) {
    if (node.kind == NodeKind::shared) {
      const NodePtr& definition = as<Shared>(node).definition;
      if (++uses_[definition.get()] == 1) count(*definition);
    } else if (node.kind == NodeKind::recursion) {
      count(*as<Recursion>(node).anchor);
      count(*as<Recursion>(node).step);
    }
    for (const NodePtr& child : node.children) count(*child);
    for_each_expression(node, [&](const Expr& e) {
      visit(e, [&](const Expr& part) {
        if (part.plan != nullptr) count(*part.plan);
        return true;
      });
    });
  }

  bool any() const { return !uses_.empty(); }

  NodePtr place(const NodePtr& node) {
    if (node->kind == NodeKind::shared) return placed_definition(as<Shared>(*node));
    std::shared_ptr<Node> copy;
    if (node->kind == NodeKind::recursion) {
      copy = clone(*node);
      auto& recursion = static_cast<Recursion&>(*copy);
      recursion.anchor = place(recursion.anchor);
      recursion.step = place(recursion.step);
    }
    bool subqueries = false;
    for_each_expression(
        *node, [&](const Expr& e) { subqueries = subqueries || contains(e, ExprKind::subquery); });
    if (subqueries) {
      if (copy == nullptr) copy = clone(*node);
      map_expressions(*copy, [&](const ExprPtr& e) { return place_in(e); });
    }
    for (std::size_t i = 0; i < node->children.size(); ++i) {
      NodePtr child = place(node->children[i]);
      if (child == node->children[i]) continue;
      if (copy == nullptr) copy = clone(*node);
      copy->children[i] = std::move(child);
    }
    return copy == nullptr ? node : NodePtr(copy);
  }

 private:
  ExprPtr place_in(const ExprPtr& e) {
    return transform(e, [&](const ExprPtr& part) -> ExprPtr {
      if (part->plan == nullptr) return part;
      NodePtr plan = place(part->plan);
      if (plan == part->plan) return part;
      auto copy = std::make_shared<Expr>(*part);
      copy->plan = std::move(plan);
      return copy;
    });
  }

  NodePtr placed_definition(const Shared& node) {
    const auto [at, added] = placed_.try_emplace(node.definition.get());
    if (added) {
      NodePtr plan = place(node.definition);
      const bool once = uses_[node.definition.get()] == 1;
      const bool put_in = once || is_cheap(*plan);
      // What is shared is optimized here, once for all.
      at->second = {put_in ? plan : optimize(plan), !put_in};
    }
    const auto& [plan, is_shared] = placed_[node.definition.get()];
    if (!is_shared) return with_ids(plan, node.output);
    auto copy = std::make_shared<Shared>(node);
    copy->definition = plan;
    return copy;
  }

  struct Placed {
    NodePtr plan;
    bool is_shared = false;
  };
  std::unordered_map<const Node*, int> uses_;
  std::unordered_map<const Node*, Placed> placed_;
};

}  // namespace

NodePtr place_definitions(const NodePtr& node) {
  Placement placement;
  placement.count(*node);
  return placement.any() ? placement.place(node) : node;
}

// The relation of that name in WITH, innermost first; null when there is none.
NodePtr RelationAnalyzer::defined(const std::string& name) {
  for (auto at = definitions_.rbegin(); at != definitions_.rend(); ++at) {
    if (!same_name(at->name, name, settings_.case_sensitive)) continue;
    if (at->inlined || is_streaming(*at->node)) return with_fresh_ids(at->node);
    auto shared = std::make_shared<Shared>();
    shared->definition = at->node;
    std::unordered_map<std::int64_t, AttributeId> fresh;
    for (Attribute a : at->node->output) {
      shared->columns.push_back(a.id);
      const auto [id, added] = fresh.try_emplace(key_of(a.id));
      if (added) id->second = next_attribute_id();
      a.id = id->second;
      shared->output.push_back(std::move(a));
    }
    return shared;
  }
  return nullptr;
}

// --- WITH RECURSIVE
// -------------------------------------------------------------------------------------------------
namespace {

// Whether a table of that name is read somewhere in the message.
bool mentions(const google::protobuf::Message& message, const std::string& name) {
  if (message.GetDescriptor() == sc::Read_NamedTable::descriptor()) {
    const auto& table = static_cast<const sc::Read_NamedTable&>(message);
    return equals_ignore_case(table.unparsed_identifier(), sql_id(name));
  }
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      if (mentions(reflection->GetMessage(message, field), name)) return true;
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      if (mentions(reflection->GetRepeatedMessage(message, field, i), name)) return true;
    }
  }
  return false;
}

bool reads_loop(const Node& node, AttributeId loop) {
  if (node.kind == NodeKind::recursion_input && as<RecursionInput>(node).loop == loop) return true;
  for (const NodePtr& child : node.children) {
    if (reads_loop(*child, loop)) return true;
  }
  return false;
}

// The places where Spark does not let a step read what the one before gave.
bool is_misplaced(const Node& node, AttributeId loop) {
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (is_misplaced(*node.children[i], loop)) return true;
    if (!reads_loop(*node.children[i], loop)) continue;
    if (node.kind == NodeKind::aggregate) return true;
    if (node.kind != NodeKind::join) continue;
    const JoinType type = as<Join>(node).type;
    const bool right_only =
        type == JoinType::left || type == JoinType::semi || type == JoinType::anti;
    if (type == JoinType::full || (right_only && i == 1) || (type == JoinType::right && i == 0)) {
      return true;
    }
  }
  return false;
}

Status check_step(const Node& anchor, const Node& step, AttributeId loop) {
  if (anchor.output.size() != step.output.size()) {
    return Status::error("NUM_COLUMNS_MISMATCH",
                         {{"operator", "UNION"},
                          {"firstNumColumns", std::to_string(anchor.output.size())},
                          {"invalidOrdinalNum", "second"},
                          {"invalidNumColumns", std::to_string(step.output.size())}});
  }
  if (is_misplaced(step, loop)) return Status::error("INVALID_RECURSIVE_REFERENCE.PLACE");
  for (std::size_t i = 0; i < anchor.output.size(); ++i) {
    const auto& left = anchor.output[i].type;
    const auto& right = step.output[i].type;
    if (column::same_type_ignoring_nullability(left, right)) continue;
    return Status::error("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
                         {{"left", sql_type(left)}, {"right", sql_type(right)}});
  }
  return Status::OK();
}

}  // namespace

// name AS (anchor UNION ALL step), where the step reads `name`.
Result<NodePtr> RelationAnalyzer::recursion(const std::string& name, const sc::Relation& hint) {
  const sc::Relation* body = &hint.hint().input();
  std::vector<std::string> names;
  if (body->has_to_df()) {
    names.assign(body->to_df().column_names().begin(), body->to_df().column_names().end());
    body = &body->to_df().input();
  }
  if (!mentions(*body, name)) return relation(hint.hint().input());
  const auto& both = body->set_op();
  const bool is_union =
      body->has_set_op() && both.set_op_type() == sc::SetOperation::SET_OP_TYPE_UNION;
  if (is_union && !both.is_all()) return Status::error("UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE");
  if (!is_union || mentions(both.left_input(), name)) return Status::error("INVALID_RECURSIVE_CTE");
  auto node = std::make_shared<Recursion>();
  TRY_ASSIGN(NodePtr anchor, relation(both.left_input()));
  node->anchor = visible_only(std::move(anchor));
  if (!names.empty() && names.size() != node->anchor->output.size()) {
    return Status::error("ASSIGNMENT_ARITY_MISMATCH",
                         {{"numExpr", std::to_string(names.size())},
                          {"numTarget", std::to_string(node->anchor->output.size())}});
  }
  node->loop = next_attribute_id();
  for (std::size_t i = 0; i < node->anchor->output.size(); ++i) {
    Attribute column = node->anchor->output[i];
    column.id = next_attribute_id();
    column.nullable = true;
    column.qualifier.clear();
    if (!names.empty()) column.name = names[i];
    node->output.push_back(std::move(column));
  }
  auto before = std::make_shared<RecursionInput>();
  before->loop = node->loop;
  before->output = node->output;
  definitions_.push_back({name, before, true});
  auto step = relation(both.right_input());
  definitions_.pop_back();
  if (!step.ok()) return step.status();
  node->step = visible_only(std::move(step).value());
  TRY(check_step(*node->anchor, *node->step, node->loop));
  node->levels_max = settings_.recursion_levels_max;
  node->rows_max = settings_.recursion_rows_max;
  if (hint.hint().parameters_size() > 0) {
    TRY_ASSIGN(const ExprPtr level, literal_from_proto(hint.hint().parameters(0).literal()));
    node->levels_max = constant_integer(*level).value_or(node->levels_max);
  }
  return NodePtr(node);
}

}  // namespace millstream::plan
