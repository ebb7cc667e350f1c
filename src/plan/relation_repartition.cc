// How rows are spread over the files of a write: repartition, coalesce and their hints.
#include "base/text.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;

namespace {

NodePtr repartitioned(std::optional<int> partitions, bool shuffle, NodePtr input) {
  auto node = std::make_shared<Repartition>();
  node->partitions = partitions;
  node->shuffle = shuffle;
  node->output = input->output;
  node->children.push_back(std::move(input));
  return node;
}

Status check_number(int partitions) {
  if (partitions > 0) return Status::OK();
  return Status::plain(ErrorKind::illegal_argument, "requirement failed: Number of partitions (" +
                                                        std::to_string(partitions) +
                                                        ") must be positive.");
}

// What no partition can be chosen by.
Status check_key(const Expr& key) {
  TRY(check_no_generator(key, "RepartitionByExpression"));
  if (contains(key, ExprKind::window) || has_aggregate_function(key))
    return Status::error("UNSUPPORTED_EXPR_FOR_OPERATOR",
                         {{"invalidExprSqls", sql_expr(key.pretty)}});
  if (key.type->kind() == column::TypeKind::variant)
    return Status::error("UNSUPPORTED_FEATURE.PARTITION_BY_VARIANT",
                         {{"expr", sql_expr(key.pretty)}, {"dataType", sql_type(key.type)}});
  return Status::OK();
}

}  // namespace

Result<NodePtr> RelationAnalyzer::repartition(const sc::Repartition& proto, NodePtr input) {
  TRY(check_number(proto.num_partitions()));
  return repartitioned(proto.num_partitions(), proto.shuffle(), std::move(input));
}

Result<NodePtr> RelationAnalyzer::repartition_by(const sc::RepartitionByExpression& proto,
                                                 NodePtr input) {
  std::optional<int> partitions;
  if (proto.has_num_partitions()) {
    TRY(check_number(proto.num_partitions()));
    partitions = proto.num_partitions();
  }
  if (proto.partition_exprs().empty()) return repartitioned(partitions, true, std::move(input));
  Scope scope = scope_of({input});
  const MissingColumns missing(input, settings_.case_sensitive);
  scope.add_fallback([&](const NameParts& parts, std::optional<std::int64_t> plan_id) {
    return missing.find(parts, plan_id);
  });
  ExpressionAnalyzer analyzer(settings_, scope);
  auto node = std::make_shared<Repartition>();
  node->partitions = partitions;
  node->ranges = proto.partition_exprs(0).has_sort_order();
  Exprs keys;
  for (const auto& key : proto.partition_exprs()) {
    if (node->ranges) {
      TRY_ASSIGN(auto order, analyzer.sort_key(key.sort_order()));
      TRY(check_key(*order.expr));
      TRY(check_ordering(order));
      node->keys.push_back(std::move(order));
    } else {
      TRY_ASSIGN(const auto resolved, analyzer.resolve(key));
      node->keys.push_back({strip_alias(resolved), true, true});
      TRY(check_key(*node->keys.back().expr));
    }
    keys.push_back(node->keys.back().expr);
  }
  TRY_ASSIGN(NodePtr provider, missing.provide(keys));
  for (std::size_t i = 0; i < keys.size(); ++i) node->keys[i].expr = keys[i];
  node->output = provider->output;
  node->children.push_back(provider);
  if (provider == input) return NodePtr(node);
  return make_project(node, visible_columns(*input));
}

// A column of a hint: a name, also in quotes.
Result<sc::Expression> RelationAnalyzer::hint_column(const std::string& hint,
                                                     const sc::Expression& parameter,
                                                     const NodePtr& input) {
  if (parameter.has_unresolved_attribute()) return parameter;
  sc::Expression out;
  if (parameter.literal().has_string()) {
    out.mutable_unresolved_attribute()->set_unparsed_identifier(parameter.literal().string());
    return out;
  }
  Scope scope = scope_of({input});
  TRY_ASSIGN(const auto other, ExpressionAnalyzer(settings_, scope).resolve(parameter));
  return Status::error(
      "_LEGACY_ERROR_TEMP_1047",
      {{"hintName", hint}, {"invalidParams", sql_expr(strip_alias(other)->pretty)}});
}

// Of all hints those that say how many files a write makes; how a plan runs is found here anew.
Result<NodePtr> RelationAnalyzer::hinted(const sc::Hint& hint, NodePtr input) {
  const std::string name = to_upper(hint.name());
  const auto& parameters = hint.parameters();
  const bool counted = !parameters.empty() && parameters[0].literal().has_integer();
  if (name == "COALESCE") {
    if (!counted || parameters.size() != 1)
      return Status::error("_LEGACY_ERROR_TEMP_1048", {{"hintName", name}});
    TRY(check_number(parameters[0].literal().integer()));
    return repartitioned(parameters[0].literal().integer(), false, std::move(input));
  }
  const bool ranges = name == "REPARTITION_BY_RANGE";
  const bool rebalance = name == "REBALANCE";
  if (!ranges && !rebalance && name != "REPARTITION") return input;
  sc::RepartitionByExpression by;
  if (counted) {
    TRY(check_number(parameters[0].literal().integer()));
    // How many files a rebalance makes depends on their sizes alone.
    if (!rebalance) by.set_num_partitions(parameters[0].literal().integer());
  }
  for (int i = counted ? 1 : 0; i < parameters.size(); ++i) {
    TRY_ASSIGN(auto column, hint_column(name, parameters[i], input));
    auto& key = *by.add_partition_exprs();
    if (!ranges) {
      key = std::move(column);
      continue;
    }
    *key.mutable_sort_order()->mutable_child() = std::move(column);
    key.mutable_sort_order()->set_direction(sc::Expression_SortOrder::SORT_DIRECTION_ASCENDING);
    key.mutable_sort_order()->set_null_ordering(sc::Expression_SortOrder::SORT_NULLS_FIRST);
  }
  return repartition_by(by, std::move(input));
}

}  // namespace millstream::plan
