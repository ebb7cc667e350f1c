// select, filter, sort and the column helpers that are select in disguise.
#include <algorithm>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

// Older clients fill fields that are deprecated since.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::plan {

namespace sc = spark::connect;
using Exprs = std::vector<ExprPtr>;

NodePtr make_generate(NodePtr input, const ExprPtr& generator,
                      const std::vector<std::string>& names) {
  auto node = std::make_shared<Generate>();
  node->generator = generator;
  node->outer = generator->outer;
  node->output = input->output;
  const auto& fields = generator->type->fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Attribute a;
    a.id = next_attribute_id();
    a.name = i < names.size() ? names[i] : fields[i].name;
    a.type = fields[i].type;
    a.nullable = fields[i].nullable || node->outer;
    node->output.push_back(std::move(a));
  }
  node->children.push_back(std::move(input));
  return node;
}

Result<std::vector<std::string>> generator_names(const ExprPtr& item,
                                                 const ExpressionAnalyzer& analyzer) {
  const ExprPtr bare = strip_alias(item);
  const bool named = item->kind == ExprKind::alias;
  if (named && bare->type->fields().size() != 1) {
    return Status::error("UDTF_ALIAS_NUMBER_MISMATCH",
                         {{"aliasesSize", std::to_string(bare->type->fields().size())},
                          {"aliasesNames", item->name}});
  }
  if (named) return std::vector<std::string>{item->name};
  return analyzer.generator_names();
}

void GeneratorsAbove::add(const ExprPtr& item, std::vector<std::string> names, Exprs& below) {
  items_.push_back({nullptr, below.size(), std::move(names)});
  if (item->kind != ExprKind::generator) {
    below.push_back(item);
    return;
  }
  any_ = true;
  items_.back().generator = item;
  for (const ExprPtr& child : item->children) {
    if (is_foldable(*child)) continue;
    below.push_back(make_alias(child, "_gen_input", next_attribute_id()));
  }
}

Exprs GeneratorsAbove::over(const Node& aggregate) const {
  Exprs list;
  for (const Item& item : items_) {
    std::size_t next = item.first;
    if (item.generator == nullptr) {
      list.push_back(make_attribute(aggregate.output[next]));
      continue;
    }
    auto generator = std::make_shared<Expr>(*item.generator);
    for (ExprPtr& child : generator->children) {
      if (!is_foldable(*child)) child = make_attribute(aggregate.output[next++]);
    }
    list.push_back(std::move(generator));
  }
  return list;
}

std::vector<std::vector<std::string>> GeneratorsAbove::names() const {
  std::vector<std::vector<std::string>> out;
  for (const Item& item : items_) out.push_back(item.names);
  return out;
}

Result<NodePtr> RelationAnalyzer::project(const sc::Project& proto, NodePtr input) {
  Scope scope = input == nullptr ? scope_of({}) : scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  Exprs exprs;
  std::vector<std::vector<std::string>> names;
  LateralAliases aliases(exprs, settings_.case_sensitive);
  scope.add_fallback([&](const NameParts& parts,
                         std::optional<std::int64_t> plan_id) -> Result<std::optional<ExprPtr>> {
    if (plan_id) return std::optional<ExprPtr>();
    return aliases.find(parts);
  });
  for (const auto& e : proto.expressions()) {
    TRY_ASSIGN(Exprs expanded, analyzer.expand(e));
    for (ExprPtr& one : expanded) {
      const ExprPtr bare = strip_alias(one);
      const bool generator = bare->kind == ExprKind::generator;
      names.emplace_back();
      if (generator) {
        TRY_ASSIGN(names.back(), generator_names(one, analyzer));
        exprs.push_back(bare);
        continue;
      }
      exprs.push_back(with_name(one));
    }
  }
  input = aliases.settle(std::move(input), false);
  return select(std::move(exprs), names, std::move(input));
}

Result<NodePtr> RelationAnalyzer::select(
    Exprs exprs, const std::vector<std::vector<std::string>>& generator_names, NodePtr input) {
  TRY_ASSIGN(input, expand_time_windows(input, exprs));
  TRY_ASSIGN(input, expand_session_windows(input, exprs, 0, false));
  bool aggregates = false;
  bool generators = false;
  for (const ExprPtr& e : exprs) {
    aggregates = aggregates || has_aggregate_function(*e);
    generators = generators || e->kind == ExprKind::generator;
    if (e->kind != ExprKind::generator && contains(*e, ExprKind::generator)) {
      return Status::error("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
                           {{"expression", sql_expr(strip_alias(e)->pretty)}});
    }
  }
  if (aggregates && generators) {
    std::vector<std::string> several;
    for (const ExprPtr& e : exprs) {
      if (e->kind == ExprKind::generator) several.push_back(sql_expr(e->pretty));
    }
    if (several.size() > 1) {
      return Status::error(
          "UNSUPPORTED_GENERATOR.MULTI_GENERATOR",
          {{"num", std::to_string(several.size())}, {"generators", join(several, ", ")}});
    }
    GeneratorsAbove above;
    Exprs below;
    for (std::size_t i = 0; i < exprs.size(); ++i) above.add(exprs[i], generator_names[i], below);
    TRY_ASSIGN(const NodePtr groups, make_aggregate(std::move(input), {}, std::move(below)));
    return select(above.over(*groups), above.names(), groups);
  }
  if (aggregates) return make_aggregate(std::move(input), {}, std::move(exprs));
  if (!generators) {
    input = separate_windows(std::move(input), exprs);
    return make_project(std::move(input), std::move(exprs));
  }
  if (input == nullptr) input = make_project(nullptr, {});
  Exprs columns;
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    if (exprs[i]->kind != ExprKind::generator) {
      columns.push_back(exprs[i]);
      continue;
    }
    static const std::vector<std::string> own_names;
    const std::size_t below = input->output.size();
    input =
        make_generate(input, exprs[i], i < generator_names.size() ? generator_names[i] : own_names);
    for (std::size_t c = below; c < input->output.size(); ++c) {
      columns.push_back(make_attribute(input->output[c]));
    }
  }
  return make_project(std::move(input), std::move(columns));
}

Result<NodePtr> RelationAnalyzer::filter(const sc::Expression& proto, NodePtr input) {
  Scope scope = scope_of({input});
  const MissingColumns missing(input, settings_.case_sensitive);
  scope.add_fallback([&](const NameParts& parts, std::optional<std::int64_t> plan_id) {
    return missing.find(parts, plan_id);
  });
  ExpressionAnalyzer analyzer(settings_, scope);
  auto resolved = analyzer.condition(proto);
  if (!resolved.ok() && resolved.status().is("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS")) {
    const std::string& shown = resolved.status().info().parameters.at("expression");
    return Status::error("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
                         {{"plan", "'Filter " + shown.substr(1, shown.size() - 2)}});
  }
  TRY_ASSIGN(ExprPtr condition, std::move(resolved));
  TRY(check_no_generator(*condition, "Filter"));
  if (condition->type->kind() != column::TypeKind::boolean &&
      condition->type->kind() != column::TypeKind::null) {
    return Status::error("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
                         {{"sqlExpr", sql_expr(condition->pretty)},
                          {"filter", sql_expr(condition->pretty)},
                          {"type", sql_type(condition->type)}});
  }
  condition = implicit_cast(condition, column::boolean_type(), analyzer.ansi());
  TRY(check_no_generator(*condition, "'Filter"));
  if (contains(*condition, ExprKind::window)) {
    return Status::error("WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", {{"clauseName", "WHERE"}});
  }
  const bool over_aggregate = input->kind == NodeKind::aggregate;
  if (has_aggregate_function(*condition) && !over_aggregate) {
    std::vector<std::string> wrong;
    visit(*condition, [&](const Expr& e) {
      const bool bad = e.kind == ExprKind::aggregate;
      if (bad) wrong.push_back(e.pretty);
      return !bad;
    });
    if (!wrong.empty() && wrong[0].starts_with("grouping")) {
      return Status::error("UNSUPPORTED_GROUPING_EXPRESSION");
    }
    return Status::error("INVALID_WHERE_CONDITION", {{"condition", sql_expr(condition->pretty)},
                                                     {"expressionList", join(wrong, ", ")}});
  }
  Exprs conditions{condition};
  TRY_ASSIGN(NodePtr provider, missing.provide(conditions));
  NodePtr filtered = make_filter(provider, conditions[0]);
  if (provider == input) return filtered;
  return make_project(filtered, visible_columns(*input));
}

namespace {

// ORDER BY ALL: the column in the order's direction.
SortKey sort_key_like(const sc::Expression_SortOrder& order, const ExprPtr& column) {
  SortKey key;
  key.expr = column;
  key.ascending = order.direction() == sc::Expression_SortOrder::SORT_DIRECTION_ASCENDING;
  key.nulls_first = order.null_ordering() == sc::Expression_SortOrder::SORT_NULLS_FIRST;
  return key;
}

}  // namespace

Status check_ordering(const SortKey& key) {
  const auto kind = key.expr->type->kind();
  if (kind != column::TypeKind::map && kind != column::TypeKind::variant &&
      kind != column::TypeKind::calendar_interval) {
    return Status::OK();
  }
  const std::string text = key.expr->pretty + (key.ascending ? " ASC" : " DESC") +
                           (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
  return Status::error("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                       {{"sqlExpr", sql_expr(text)},
                        {"functionName", "`sortorder`"},
                        {"dataType", sql_type(key.expr->type)}});
}

Result<NodePtr> RelationAnalyzer::sort(const sc::Sort& proto, NodePtr input) {
  Scope scope = scope_of({input});
  const MissingColumns missing(input, settings_.case_sensitive);
  scope.add_fallback([&](const NameParts& parts, std::optional<std::int64_t> plan_id) {
    return missing.find(parts, plan_id);
  });
  scope.pass_over_ambiguous();
  ExpressionAnalyzer analyzer(settings_, scope);
  auto node = std::make_shared<Sort>();
  node->global = !proto.has_is_global() || proto.is_global();
  const Exprs columns = visible_columns(*input);
  Exprs exprs;
  for (const auto& order : proto.order()) {
    if (order.child().unresolved_function().function_name() == "ms_all") {
      for (const ExprPtr& column : columns) {
        node->keys.push_back(sort_key_like(order, column));
        exprs.push_back(column);
      }
      continue;
    }
    TRY_ASSIGN(SortKey key, analyzer.sort_key(order));
    const bool ordinal = settings_.order_by_ordinal && key.expr->kind == ExprKind::literal &&
                         key.expr->type->kind() == column::TypeKind::int_ &&
                         !key.expr->pretty.starts_with("variablereference(");
    if (ordinal && constant_integer(*key.expr)) {
      const std::int64_t index = *constant_integer(*key.expr);
      if (index < 1 || index > static_cast<std::int64_t>(columns.size())) {
        return analyzer.placed_at(
            Status::error("ORDER_BY_POS_OUT_OF_RANGE", {{"index", std::to_string(index)},
                                                        {"size", std::to_string(columns.size())}}),
            order.child());
      }
      key.expr = columns[static_cast<std::size_t>(index - 1)];
    }
    TRY(check_no_generator(*key.expr, "'Sort"));
    if (contains(*key.expr, ExprKind::window)) {
      return Status::error("UNSUPPORTED_EXPR_FOR_OPERATOR",
                           {{"invalidExprSqls", sql_expr(key.expr->pretty)}});
    }
    exprs.push_back(key.expr);
    node->keys.push_back(std::move(key));
  }
  auto provided = missing.provide(exprs);
  if (!provided.ok() && proto.order_size() == 1) {
    return analyzer.placed_at(provided.status(), proto.order(0).child());
  }
  TRY_ASSIGN(NodePtr provider, std::move(provided));
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    // One that no groups below compute.
    if (has_aggregate_function(*exprs[i]))
      return Status::error("UNSUPPORTED_EXPR_FOR_OPERATOR",
                           {{"invalidExprSqls", sql_expr(exprs[i]->pretty)}});
    node->keys[i].expr = exprs[i];
    TRY(check_ordering(node->keys[i]));
  }
  node->output = provider->output;
  node->children.push_back(provider);
  if (provider == input) return NodePtr(node);
  return make_project(node, visible_columns(*input));
}

Result<NodePtr> RelationAnalyzer::with_columns(const sc::WithColumns& proto, NodePtr input) {
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  Exprs added;
  std::vector<std::vector<std::string>> added_names;
  for (const auto& alias : proto.aliases()) {
    if (alias.name_size() != 1) {
      return Status::error("MULTI_ALIAS_WITHOUT_GENERATOR",
                           {{"expr", "\"withColumns\""},
                            {"names", join({alias.name().begin(), alias.name().end()}, ", ")}});
    }
    for (const ExprPtr& other : added) {
      if (same_name(other->name, alias.name(0), settings_.case_sensitive)) {
        return Status::error("COLUMN_ALREADY_EXISTS",
                             {{"columnName", sql_id(to_lower(alias.name(0)))}});
      }
    }
    sc::Expression wrapped;
    *wrapped.mutable_alias() = alias;
    TRY_ASSIGN(ExprPtr expr, analyzer.resolve(wrapped));
    added.push_back(std::move(expr));
  }
  Exprs out;
  std::vector<std::vector<std::string>> names;
  std::vector<bool> used(added.size(), false);
  const auto take = [&](std::size_t i) {
    const ExprPtr bare = strip_alias(added[i]);
    const bool generator = bare->kind == ExprKind::generator;
    out.push_back(generator ? bare : added[i]);
    names.push_back(generator ? std::vector<std::string>{added[i]->name}
                              : std::vector<std::string>());
  };
  for (const ExprPtr& column : visible_columns(*input)) {
    bool replaced = false;
    for (std::size_t i = 0; i < added.size() && !replaced; ++i) {
      if (!same_name(added[i]->name, column->name, settings_.case_sensitive)) continue;
      replaced = true;
      used[i] = true;
      take(i);
      // Two columns of that name are both replaced: the second needs an id of its own.
      added[i] = make_alias(strip_alias(added[i]), added[i]->name, next_attribute_id(),
                            added[i]->metadata);
    }
    if (replaced) continue;
    out.push_back(column);
    names.emplace_back();
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!used[i]) take(i);
  }
  return select(std::move(out), names, std::move(input));
}

Result<NodePtr> RelationAnalyzer::renamed(const sc::WithColumnsRenamed& proto, NodePtr input) {
  std::vector<std::pair<std::string, std::string>> renames;
  for (const auto& r : proto.renames()) renames.emplace_back(r.col_name(), r.new_col_name());
  if (renames.empty()) {
    for (const auto& [from, to] : proto.rename_columns_map()) renames.emplace_back(from, to);
  }
  Exprs columns = visible_columns(*input);
  bool changed = false;
  for (ExprPtr& column : columns) {
    const ExprPtr original = column;
    std::string name = column->name;
    for (const auto& [from, to] : renames) {
      if (!same_name(name, from, settings_.case_sensitive)) continue;
      name = to;
      changed = true;
    }
    if (name != original->name) column = make_alias(original, name, next_attribute_id());
  }
  if (!changed) return input;
  return make_project(std::move(input), std::move(columns));
}

Result<NodePtr> RelationAnalyzer::drop(const sc::Drop& proto, NodePtr input) {
  Exprs columns = visible_columns(*input);
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  for (const auto& e : proto.columns()) {
    auto resolved = analyzer.resolve(e);
    if (!resolved.ok()) {
      // A column that is not there needs no dropping.
      const std::string& condition = resolved.status().condition();
      if (condition.starts_with("UNRESOLVED_COLUMN") ||
          condition == "CANNOT_RESOLVE_DATAFRAME_COLUMN") {
        continue;
      }
      return resolved.status();
    }
    if ((*resolved)->kind != ExprKind::attribute) continue;
    std::erase_if(columns, [&](const ExprPtr& c) { return c->id == (*resolved)->id; });
  }
  for (const std::string& name : proto.column_names()) {
    std::erase_if(columns, [&](const ExprPtr& c) {
      return same_name(c->name, name, settings_.case_sensitive);
    });
  }
  return make_project(std::move(input), std::move(columns));
}

}  // namespace millstream::plan
