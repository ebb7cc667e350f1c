// groupBy().agg(), aggregates in a select without groupBy, observe.
#include <arrow/scalar.h>

#include <algorithm>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/optimize.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;

namespace {

// What a grouping key computes, and the column that holds it.
struct Key {
  ExprPtr definition;
  ExprPtr column;
};

// The expression with every part that is a key replaced by the key's column. Arguments of aggregate
// functions stay.
ExprPtr over_keys(const ExprPtr& expr, const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    if (same_expr(*expr, *key.definition) || same_expr(*expr, *key.column)) {
      auto column = std::make_shared<Expr>(*key.column);
      if (expr->kind == ExprKind::attribute) column->name = expr->name;
      column->pretty = expr->pretty;
      return column;
    }
  }
  const bool of_keys = expr->name == "grouping" || expr->name == "grouping_id";
  if (expr->kind == ExprKind::aggregate && !of_keys) return expr;
  bool changed = false;
  std::vector<ExprPtr> children;
  for (const ExprPtr& child : expr->children) {
    children.push_back(over_keys(child, keys));
    changed = changed || children.back() != child;
  }
  std::shared_ptr<const WindowSpec> window = expr->window;
  if (window != nullptr) {
    auto spec = std::make_shared<WindowSpec>(*window);
    for (ExprPtr& e : spec->partition) e = over_keys(e, keys);
    for (SortKey& key : spec->order) key.expr = over_keys(key.expr, keys);
    window = std::move(spec);
    changed = true;
  }
  if (!changed) return expr;
  auto copy = std::make_shared<Expr>(*expr);
  copy->children = std::move(children);
  copy->window = std::move(window);
  return copy;
}

std::string column_list(const std::vector<ExprPtr>& columns) {
  std::vector<std::string> out;
  for (const ExprPtr& e : columns) out.push_back(fmt::format("{}#{}", e->pretty, key_of(e->id)));
  return join(out, ",");
}

// grouping(k) and grouping_id(…) are of keys of GROUPING SETS, ROLLUP or CUBE; grouping_id() is of
// all of them.
Result<ExprPtr> with_grouping_keys(const ExprPtr& expr, const std::vector<Key>& keys, bool sets) {
  std::vector<ExprPtr> definitions;
  for (const Key& key : keys) definitions.push_back(key.definition);
  Status status;
  ExprPtr out = transform(expr, [&](const ExprPtr& e) -> ExprPtr {
    const bool one = e->name == "grouping";
    if (e->kind != ExprKind::aggregate || !(one || e->name == "grouping_id")) return e;
    if (!sets) {
      status = Status::error("UNSUPPORTED_GROUPING_EXPRESSION");
      if (e->origin) status = placed_in_text(status, *e->origin);
      return e;
    }
    if (!one && e->children.empty()) {
      auto all = std::make_shared<Expr>(*e);
      for (const Key& key : keys) all->children.push_back(key.column);
      return all;
    }
    const auto is_key = [&](std::size_t argument, std::size_t key) {
      return same_expr(*e->children[argument], *keys[key].definition) ||
             same_expr(*e->children[argument], *keys[key].column);
    };
    bool fits = one ? false : e->children.size() == keys.size();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (one) fits = fits || is_key(0, i);
      if (!one && fits) fits = is_key(i, i);
    }
    if (fits || !status.ok()) return e;
    status = one ? Status::error("GROUPING_COLUMN_MISMATCH",
                                 {{"grouping", column_list(e->children)},
                                  {"groupingColumns", column_list(definitions)}})
                 : Status::error("GROUPING_ID_COLUMN_MISMATCH",
                                 {{"groupingIdColumn", column_list(e->children)},
                                  {"groupByColumns", column_list(definitions)}});
    return e;
  });
  if (!status.ok()) return status;
  return out;
}

// A column outside of aggregate functions that no key determines; nullptr: there is none.
const Expr* ungrouped(const Expr& expr, const IdSet& keys) {
  const Expr* wrong = nullptr;
  visit_outside_aggregates(expr, [&](const Expr& e) {
    if (e.kind == ExprKind::attribute && !keys.contains(key_of(e.id)) && wrong == nullptr)
      wrong = &e;
  });
  return wrong;
}

Status check_grouped(const ExprPtr& expr, const IdSet& keys, bool grouped) {
  const Expr* wrong = ungrouped(*expr, keys);
  if (wrong == nullptr) return Status::OK();
  if (!grouped) return Status::error("MISSING_GROUP_BY");
  Status status =
      Status::error("MISSING_AGGREGATION",
                    {{"expression", sql_expr(wrong->pretty)},
                     {"expressionAnyValue", sql_expr("any_value(" + wrong->pretty + ")")}});
  return expr->origin && !expr->origin->is_sql ? status.with_context(*expr->origin) : status;
}

Status check_key(const Expr& key) {
  if (has_aggregate_function(key)) {
    return Status::error("GROUP_BY_AGGREGATE",
                         {{"sqlExpr", strip_alias(std::make_shared<Expr>(key))->pretty}});
  }
  if (contains(key, ExprKind::window)) {
    return Status::error("UNSUPPORTED_EXPR_FOR_OPERATOR",
                         {{"invalidExprSqls", sql_expr(key.pretty)}});
  }
  if (key.type->kind() == column::TypeKind::variant) {
    return Status::error("GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
                         {{"sqlExpr", sql_expr(strip_alias(std::make_shared<Expr>(key))->pretty)},
                          {"dataType", sql_type(key.type)}});
  }
  return check_no_generator(key, "'Aggregate");
}

// sum(outer.x) in a subquery: an aggregate of the query around it, which Spark refuses.
Status check_outer_aggregates(const Expr& expr) {
  Status status;
  visit_outside_aggregates(expr, [&](const Expr& e) {
    if (e.kind != ExprKind::aggregate) return;
    bool outer = false;
    bool own = false;
    for (const ExprPtr& child : e.children) {
      visit(*child, [&](const Expr& part) {
        outer = outer || part.kind == ExprKind::lambda_variable;
        own = own || part.kind == ExprKind::attribute ||
              (part.kind == ExprKind::lambda && contains(part, ExprKind::attribute));
        return part.kind != ExprKind::lambda && part.kind != ExprKind::subquery;
      });
    }
    if (!outer || own) return;
    status = Status::error("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.CORRELATED_REFERENCE",
                           {{"sqlExprs", sql_expr(e.pretty)}});
  });
  return status;
}

// Replaces the aggregates inside `expr` by columns, adding them to `columns`.
ExprPtr aggregates_to_columns(const ExprPtr& expr, std::vector<ExprPtr>& columns,
                              bool under_window) {
  if (expr->kind == ExprKind::window) {
    // OVER's own function stays; what it is computed from is of the group.
    auto copy = std::make_shared<Expr>(*expr);
    auto function = std::make_shared<Expr>(*expr->children[0]);
    for (ExprPtr& e : function->children) e = aggregates_to_columns(e, columns, true);
    copy->children[0] = std::move(function);
    auto spec = std::make_shared<WindowSpec>(*expr->window);
    for (ExprPtr& e : spec->partition) e = aggregates_to_columns(e, columns, true);
    for (SortKey& key : spec->order) key.expr = aggregates_to_columns(key.expr, columns, true);
    copy->window = std::move(spec);
    return copy;
  }
  if (expr->kind == ExprKind::aggregate) {
    for (const ExprPtr& column : columns) {
      if (same_expr(*strip_alias(column), *expr)) {
        auto out = std::make_shared<Expr>(*make_attribute(attribute_of(*column)));
        out->pretty = expr->pretty;
        return out;
      }
    }
    ExprPtr column = make_alias(expr, expr->pretty, next_attribute_id());
    columns.push_back(column);
    return make_attribute(attribute_of(*column));
  }
  bool changed = false;
  auto copy = std::make_shared<Expr>(*expr);
  for (ExprPtr& child : copy->children) {
    ExprPtr next = aggregates_to_columns(child, columns, under_window);
    changed = changed || next != child;
    child = std::move(next);
  }
  return changed ? ExprPtr(copy) : expr;
}

// The keys that some set of GROUPING SETS has not.
IdSet keys_left_out(const Aggregate& node) {
  IdSet out;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const bool in_all =
        std::all_of(node.grouping_sets.begin(), node.grouping_sets.end(), [&](const auto& set) {
          return std::find(set.begin(), set.end(), static_cast<int>(i)) != set.end();
        });
    if (!in_all) out.insert(key_of(node.keys[i]->id));
  }
  return out;
}

void set_output(Aggregate& node) {
  node.output.clear();
  for (const ExprPtr& e : node.exprs) node.output.push_back(attribute_of(*e));
  if (node.grouping_sets.empty()) return;
  // A key is NULL in the sets that leave it out.
  const IdSet left_out = keys_left_out(node);
  IdSet keys;
  for (const ExprPtr& key : node.keys) keys.insert(key_of(key->id));
  for (std::size_t i = 0; i < node.exprs.size(); ++i) {
    IdSet used;
    add_references(*node.exprs[i], used);
    const bool of_sets = contains(*node.exprs[i], ExprKind::aggregate);
    const bool may_be_null = std::any_of(used.begin(), used.end(),
                                         [&](std::int64_t id) { return left_out.contains(id); });
    if (may_be_null && !of_sets && subset(*node.exprs[i], keys)) node.output[i].nullable = true;
  }
}

// The expressions over groups with the keys that sets leave out as columns that may be NULL.
ExprPtr with_null_keys(const ExprPtr& expr, const IdSet& left_out) {
  return transform(expr, [&](const ExprPtr& e) -> ExprPtr {
    const bool key = e->kind == ExprKind::attribute && left_out.contains(key_of(e->id));
    const bool alias = e->kind == ExprKind::alias && e->children[0]->nullable;
    if ((!key && !alias) || e->nullable) return e;
    auto out = std::make_shared<Expr>(*e);
    out->nullable = true;
    return out;
  });
}

// The keys' definitions: those columns of the projection below that are not passed on as they are.
std::vector<Key> keys_of(const Aggregate& node) {
  std::vector<Key> keys;
  for (const ExprPtr& key : node.keys) {
    keys.push_back({key, key});
    if (node.children.empty() || node.children[0]->kind != NodeKind::project) continue;
    for (const ExprPtr& e : as<Project>(*node.children[0]).exprs) {
      if (e->kind == ExprKind::alias && e->id == key->id) keys.back().definition = e->children[0];
    }
  }
  return keys;
}

}  // namespace

Result<NodePtr> make_aggregate(NodePtr input, std::vector<ExprPtr> keys, std::vector<ExprPtr> exprs,
                               std::vector<std::vector<int>> grouping_sets, ExprPtr having) {
  auto node = std::make_shared<Aggregate>();
  if (input == nullptr) input = make_project(nullptr, {});
  std::vector<Key> known;
  // Keys that compute something become columns of a projection below, so that a key is always a
  // column.
  std::vector<ExprPtr> below;
  for (const Attribute& a : input->output) below.push_back(make_attribute(a));
  const std::size_t before = below.size();
  for (const ExprPtr& key : keys) {
    TRY(check_key(*key));
    ExprPtr column = key;
    if (key->kind == ExprKind::alias) {
      below.push_back(key);
      column = make_attribute(attribute_of(*key));
    }
    node->keys.push_back(column);
    known.push_back({strip_alias(key), column});
  }
  if (below.size() > before) input = make_project(input, std::move(below));
  IdSet key_ids;
  for (const ExprPtr& key : node->keys) key_ids.insert(key_of(key->id));
  bool windows = false;
  for (ExprPtr& e : exprs) {
    TRY(check_outer_aggregates(*e));
    TRY_ASSIGN(e, with_grouping_keys(e, known, !grouping_sets.empty()));
    e = over_keys(e, known);
    TRY(check_grouped(e, key_ids, !keys.empty()));
    windows = windows || contains(*e, ExprKind::window);
  }
  if (having != nullptr) {
    TRY_ASSIGN(having, with_grouping_keys(having, known, !grouping_sets.empty()));
    having = over_keys(having, known);
    if (const Expr* wrong = ungrouped(*having, key_ids)) {
      std::vector<Attribute> outputs;
      for (const ExprPtr& e : exprs) outputs.push_back(attribute_of(*e));
      return unresolved_column({wrong->name}, outputs);
    }
  }
  node->grouping_sets = std::move(grouping_sets);
  node->children.push_back(std::move(input));
  if (!windows && having == nullptr) {
    node->exprs = std::move(exprs);
    set_output(*node);
    return NodePtr(node);
  }
  node->exprs = node->keys;
  for (ExprPtr& e : exprs) e = aggregates_to_columns(e, node->exprs, false);
  if (having != nullptr) having = aggregates_to_columns(having, node->exprs, false);
  set_output(*node);
  const IdSet left_out = keys_left_out(*node);
  for (ExprPtr& e : exprs) e = with_null_keys(e, left_out);
  NodePtr groups = node;
  if (having != nullptr) groups = make_filter(groups, having);
  groups = separate_windows(std::move(groups), exprs);
  return make_project(groups, std::move(exprs));
}

Result<NodePtr> extend_aggregate(const NodePtr& given, std::vector<ExprPtr>& exprs) {
  auto node = std::make_shared<Aggregate>(as<Aggregate>(*given));
  const std::vector<Key> keys = keys_of(*node);
  IdSet available;
  for (const Attribute& a : node->output) available.insert(key_of(a.id));
  // Columns that the aggregate computes already are used as they are.
  std::vector<Key> computed;
  for (const ExprPtr& e : node->exprs) {
    if (e->kind == ExprKind::alias) {
      computed.push_back({e->children[0], make_attribute(attribute_of(*e))});
    }
  }
  for (ExprPtr& e : exprs) {
    TRY_ASSIGN(e, with_grouping_keys(e, keys, !node->grouping_sets.empty()));
    e = over_keys(e, computed);
    e = over_keys(e, keys);
    e = aggregates_to_columns(e, node->exprs, false);
    IdSet wanted;
    add_references(*e, wanted);
    for (const ExprPtr& key : node->keys) {
      const bool there = std::any_of(node->exprs.begin(), node->exprs.end(),
                                     [&](const ExprPtr& x) { return x->id == key->id; });
      if (wanted.contains(key_of(key->id)) && !there) node->exprs.push_back(key);
    }
    set_output(*node);
    IdSet here;
    for (const Attribute& a : node->output) here.insert(key_of(a.id));
    const Expr* lost = nullptr;
    visit(*e, [&](const Expr& x) {
      if (x.kind == ExprKind::attribute && !here.contains(key_of(x.id))) lost = &x;
      return lost == nullptr;
    });
    if (lost != nullptr) return unresolved_column({lost->name}, given->output);
  }
  return NodePtr(node);
}

namespace {

std::vector<std::vector<int>> sets_of(sc::Aggregate::GroupType type, int keys) {
  std::vector<std::vector<int>> sets;
  if (type == sc::Aggregate::GROUP_TYPE_ROLLUP) {
    for (int n = keys; n >= 0; --n) {
      std::vector<int> set;
      for (int i = 0; i < n; ++i) set.push_back(i);
      sets.push_back(std::move(set));
    }
  } else if (type == sc::Aggregate::GROUP_TYPE_CUBE) {
    for (int mask = (1 << keys) - 1; mask >= 0; --mask) {
      std::vector<int> set;
      for (int i = 0; i < keys; ++i) {
        if ((mask >> (keys - 1 - i)) & 1) set.push_back(i);
      }
      sets.push_back(std::move(set));
    }
  }
  return sets;
}

// The sets of df.groupingSets, as indexes into the keys.
Result<std::vector<std::vector<int>>> given_sets(const sc::Aggregate& proto,
                                                 ExpressionAnalyzer& analyzer,
                                                 const std::vector<ExprPtr>& keys) {
  std::vector<std::vector<int>> sets;
  for (const auto& given : proto.grouping_sets()) {
    std::vector<int>& set = sets.emplace_back();
    for (const auto& e : given.grouping_set()) {
      TRY_ASSIGN(const ExprPtr member, analyzer.resolve(e));
      int place = -1;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (same_expr(*strip_alias(keys[i]), *strip_alias(member))) place = static_cast<int>(i);
      }
      if (place < 0) {
        return Status::unsupported("groupingSets by {}, which is not among the grouping columns",
                                   member->pretty);
      }
      set.push_back(place);
    }
  }
  return sets;
}

bool is_count_of_star(const sc::Expression& expr) {
  if (expr.has_alias()) return is_count_of_star(expr.alias().expr());
  const auto& call = expr.unresolved_function();
  return equals_ignore_case(call.function_name(), "count") && call.arguments_size() == 1 &&
         call.arguments(0).has_unresolved_star();
}

// A value as the name of its column: as it is cast to STRING.
std::string pivot_name(const Expr& value) {
  switch (value.type->kind()) {
    case column::TypeKind::date:
    case column::TypeKind::timestamp:
    case column::TypeKind::timestamp_ntz:
    case column::TypeKind::time: {
      const auto quote = value.pretty.find('\'');
      if (quote == std::string::npos) return value.pretty;
      return value.pretty.substr(quote + 1, value.pretty.rfind('\'') - quote - 1);
    }
    default:
      return value.pretty;
  }
}

}  // namespace

Result<NodePtr> RelationAnalyzer::aggregate(const sc::Aggregate& proto, NodePtr input) {
  const auto type = proto.group_type();
  if (type == sc::Aggregate::GROUP_TYPE_UNSPECIFIED) {
    return Status::error("CONNECT_INVALID_PLAN.INVALID_ENUM",
                         {{"fullName", "spark.connect.Aggregate.GroupType"},
                          {"name", "GROUP_TYPE_UNSPECIFIED"},
                          {"number", "0"}});
  }
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  Exprs all;
  for (const auto& e : proto.grouping_expressions()) {
    TRY_ASSIGN(Exprs expanded, analyzer.expand(e));
    for (const ExprPtr& one : expanded) all.push_back(with_name(one));
  }
  const auto key_count = static_cast<std::ptrdiff_t>(all.size());
  TRY_ASSIGN(auto sets, given_sets(proto, analyzer, all));
  for (const auto& e : proto.aggregate_expressions()) {
    if (type == sc::Aggregate::GROUP_TYPE_PIVOT && is_count_of_star(e)) {
      return Status::error("INVALID_USAGE_OF_STAR_OR_REGEX",
                           {{"elem", "'*'"}, {"prettyName", "Pivot"}});
    }
    TRY_ASSIGN(Exprs expanded, analyzer.expand(e));
    for (const ExprPtr& one : expanded) all.push_back(with_name(one));
  }
  if (type == sc::Aggregate::GROUP_TYPE_PIVOT) {
    TRY_ASSIGN(ExprPtr column, analyzer.resolve(proto.pivot().col()));
    column = with_name(column);
    TRY_ASSIGN(const Exprs values, pivot_values(proto, input, column));
    return pivot(values, std::move(input), {all.begin(), all.begin() + key_count},
                 {all.begin() + key_count, all.end()}, column);
  }
  TRY_ASSIGN(input, expand_time_windows(input, all));
  TRY_ASSIGN(input, expand_session_windows(input, all, static_cast<std::size_t>(key_count), true));
  const Exprs keys(all.begin(), all.begin() + key_count);
  Exprs exprs;
  for (const ExprPtr& key : keys) {
    // A member of a struct or a constant has no id of its own until it gets one here.
    exprs.push_back(key->kind == ExprKind::alias ? make_attribute(attribute_of(*key)) : key);
  }
  exprs.insert(exprs.end(), all.begin() + key_count, all.end());
  if (keys.size() > 12 && type == sc::Aggregate::GROUP_TYPE_CUBE) {
    return Status::unsupported("a cube of more than 12 columns is not supported");
  }
  if (type != sc::Aggregate::GROUP_TYPE_GROUPING_SETS)
    sets = sets_of(type, static_cast<int>(keys.size()));
  return make_aggregate(std::move(input), keys, std::move(exprs), std::move(sets));
}

namespace {

ExprPtr column_of(const ExprPtr& e) {
  return e->kind == ExprKind::alias ? make_attribute(attribute_of(*e)) : e;
}

// The name of a pivoted column: of the value, and of the aggregate where there are several.
std::string pivoted_name(const Expr& value, const std::string& aggregate, std::size_t count) {
  const std::string name = value.value->is_valid ? pivot_name(value) : "null";
  return count == 1 ? name : name + "_" + aggregate;
}

// Spark's PivotFirst holds values of these types.
bool fits_pivot_first(const ExprPtr& aggregate) {
  return aggregate->type->is_numeric() || aggregate->type->kind() == column::TypeKind::boolean;
}

// The aggregates in `expr` over the rows where `condition` holds. Those that look at the first or
// last row pass over NULLs, which Spark makes of the other rows' values.
ExprPtr aggregates_where(const ExprPtr& expr, const ExprPtr& condition) {
  return transform(expr, [&](const ExprPtr& e) -> ExprPtr {
    if (e->kind != ExprKind::aggregate) return e;
    auto out = std::make_shared<Expr>(*e);
    out->filter = e->filter == nullptr ? condition : all_of({e->filter, condition}, 0, 2);
    if (out->name == "first" || out->name == "last") out->name += "_ignore_nulls";
    return out;
  });
}

}  // namespace

// Groups by keys and pivot column first, then puts each value's result into a column of its own: a
// combination that no row has is NULL, also where the aggregate is a count. Where an aggregate is
// neither a number nor a truth value, each is computed over the rows of each value, and a count of
// none is 0.
Result<NodePtr> RelationAnalyzer::pivot(const Exprs& values, NodePtr input, Exprs keys,
                                        Exprs aggregates, ExprPtr column) {
  if (!std::all_of(aggregates.begin(), aggregates.end(), fits_pivot_first))
    return pivot_by_conditions(values, std::move(input), std::move(keys), aggregates, column);
  Exprs inner_keys = keys;
  inner_keys.push_back(column);
  Exprs inner;
  for (const ExprPtr& key : inner_keys) inner.push_back(column_of(key));
  inner.insert(inner.end(), aggregates.begin(), aggregates.end());
  TRY_ASSIGN(NodePtr grouped, make_aggregate(std::move(input), inner_keys, std::move(inner)));
  Scope scope = scope_of({grouped});
  ExpressionAnalyzer analyzer(settings_, scope);
  Exprs outer_keys;
  Exprs outer;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    outer_keys.push_back(make_attribute(grouped->output[i]));
    outer.push_back(outer_keys.back());
  }
  const ExprPtr pivoted = make_attribute(grouped->output[keys.size()]);
  for (const ExprPtr& value : values) {
    TRY_ASSIGN(ExprPtr same, analyzer.call("<=>", {pivoted, value}));
    for (std::size_t i = 0; i < aggregates.size(); ++i) {
      const ExprPtr result = make_attribute(grouped->output[keys.size() + 1 + i]);
      TRY_ASSIGN(ExprPtr first, analyzer.call("first", {result}));
      auto filtered = std::make_shared<Expr>(*first);
      filtered->filter = same;
      filtered->nullable = true;
      outer.push_back(make_alias(filtered, pivoted_name(*value, result->name, aggregates.size()),
                                 next_attribute_id()));
    }
  }
  return make_aggregate(grouped, std::move(outer_keys), std::move(outer));
}

Result<NodePtr> RelationAnalyzer::pivot_by_conditions(const Exprs& values, NodePtr input,
                                                      Exprs keys, const Exprs& aggregates,
                                                      const ExprPtr& column) {
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  Exprs out;
  for (const ExprPtr& key : keys) out.push_back(column_of(key));
  for (const ExprPtr& value : values) {
    TRY_ASSIGN(const ExprPtr same, analyzer.call("<=>", {strip_alias(column), value}));
    for (const ExprPtr& aggregate : aggregates)
      out.push_back(make_alias(aggregates_where(strip_alias(aggregate), same),
                               pivoted_name(*value, aggregate->name, aggregates.size()),
                               next_attribute_id()));
  }
  return make_aggregate(std::move(input), std::move(keys), std::move(out));
}

Result<NodePtr> RelationAnalyzer::collect_metrics(const sc::CollectMetrics& proto, NodePtr input) {
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  auto node = std::make_shared<CollectMetrics>();
  node->name = proto.name();
  if (node->name.empty()) {
    return Status::error("INVALID_OBSERVED_METRICS.MISSING_NAME", {{"operator", "CollectMetrics"}});
  }
  for (const auto& e : proto.metrics()) {
    TRY_ASSIGN(Exprs expanded, analyzer.expand(e));
    for (const ExprPtr& one : expanded) {
      ExprPtr metric = with_name(one);
      if (contains(*metric, ExprKind::window)) {
        return Status::error("INVALID_OBSERVED_METRICS.WINDOW_EXPRESSIONS_UNSUPPORTED",
                             {{"expr", sql_expr(strip_alias(metric)->pretty)}});
      }
      const Expr* bare = nullptr;
      visit_outside_aggregates(*metric, [&](const Expr& x) {
        if (x.kind == ExprKind::attribute) bare = &x;
      });
      if (bare != nullptr) {
        return Status::error("INVALID_OBSERVED_METRICS.NON_AGGREGATE_FUNC_ARG_IS_ATTRIBUTE",
                             {{"expr", sql_expr(bare->pretty)}});
      }
      node->metrics.push_back(std::move(metric));
    }
  }
  node->output = input->output;
  node->children.push_back(std::move(input));
  return NodePtr(node);
}

}  // namespace millstream::plan
