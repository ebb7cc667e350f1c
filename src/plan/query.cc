// SQL text as a relation, WITH and subqueries, table-valued functions, lateral joins, LIMIT by an
// expression.
#include <arrow/scalar.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"
#include "sql/statement.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;

// --- text, WITH, subqueries
// -----------------------------------------------------------------------------------------

Result<NodePtr> RelationAnalyzer::sql(const sc::SQL& proto) {
  sc::Relation parsed;
  TRY(sql::parse_query(proto, &parsed));
  return relation(parsed);
}

// The references are names for the root to use (WITH, DataFrames given to spark.sql) and the
// subqueries of its expressions.
Result<NodePtr> RelationAnalyzer::with_relations(const sc::WithRelations& proto) {
  const std::size_t definitions = definitions_.size();
  const std::size_t subqueries = subqueries_.size();
  Status status;
  for (const auto& reference : proto.references()) {
    const bool named = reference.has_subquery_alias() &&
                       (!reference.common().has_plan_id() || proto.root().has_sql());
    if (!named) {
      subqueries_.emplace_back(reference.common().plan_id(), &reference);
      continue;
    }
    OuterScope* const outer = std::exchange(outer_, nullptr);
    const std::string& name = reference.subquery_alias().alias();
    const auto& definition = reference.subquery_alias().input();
    auto node = definition.hint().name() == "ms_recursive" ? recursion(name, definition)
                                                           : relation(definition);
    outer_ = outer;
    if (!node.ok()) {
      status = node.status();
      break;
    }
    // DataFrames that were given to the text keep the ids by which their columns are known.
    definitions_.push_back(
        {name, proto.root().has_sql() ? *node : visible_only(*node), proto.root().has_sql()});
  }
  Result<NodePtr> root = status.ok() ? relation(proto.root()) : Result<NodePtr>(status);
  definitions_.resize(definitions);
  subqueries_.resize(subqueries);
  return root;
}

Result<NodePtr> RelationAnalyzer::analyze_subquery(std::int64_t plan_id, OuterScope& outer) {
  const auto found = std::find_if(subqueries_.rbegin(), subqueries_.rend(),
                                  [&](const auto& known) { return known.first == plan_id; });
  if (found == subqueries_.rend()) {
    return Status::plain(ErrorKind::invalid_plan,
                         fmt::format("there is no subquery with the plan id {}", plan_id));
  }
  const sc::Relation* const query = found->second;
  if (std::ranges::find(subqueries_open_, query) != subqueries_open_.end()) {
    return Status::plain(ErrorKind::invalid_plan,
                         fmt::format("the subquery with the plan id {} contains itself", plan_id));
  }
  OuterScope* const around = std::exchange(outer_, &outer);
  subqueries_open_.push_back(query);
  auto node = relation(*query);
  subqueries_open_.pop_back();
  outer_ = around;
  return node;
}

void RelationAnalyzer::define_subqueries(const std::vector<sc::Relation>& subqueries) {
  for (const auto& one : subqueries) subqueries_.emplace_back(one.common().plan_id(), &one);
}

void RelationAnalyzer::forget_subqueries(std::size_t count) {
  subqueries_.resize(subqueries_.size() - count);
}

// --- table-valued functions
// -----------------------------------------------------------------------------------------
namespace {

Status wrong_range_arguments(int count) {
  return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                       {{"functionName", "`range`"},
                        {"expectedNum", "[1, 2, 3, 4]"},
                        {"actualNum", std::to_string(count)},
                        {"docroot", "https://spark.apache.org/docs/latest"}});
}

// A generator's columns as those of a relation of their own.
NodePtr generated_only(const NodePtr& generate, std::size_t below) {
  std::vector<ExprPtr> columns;
  for (std::size_t i = below; i < generate->output.size(); ++i) {
    columns.push_back(make_attribute(generate->output[i]));
  }
  return make_project(generate, std::move(columns));
}

const sc::UnresolvedTableValuedFunction* function_of(const sc::Relation& relation) {
  const sc::Relation* at = &relation;
  while (at->has_subquery_alias() || at->has_to_df()) {
    at = at->has_to_df() ? &at->to_df().input() : &at->subquery_alias().input();
  }
  return at->has_unresolved_table_valued_function() ? &at->unresolved_table_valued_function()
                                                    : nullptr;
}

}  // namespace

Result<ExprPtr> RelationAnalyzer::generator(const sc::UnresolvedTableValuedFunction& proto,
                                            ExpressionAnalyzer& analyzer) {
  TRY_ASSIGN(auto parts, sql::parse_identifier(proto.function_name()));
  const std::string& name = parts.back();
  if (!functions::exists(name) && !equals_ignore_case(name, "stack")) {
    return Status::error("UNRESOLVABLE_TABLE_VALUED_FUNCTION", {{"name", sql_id(parts)}});
  }
  sc::Expression called;
  called.mutable_unresolved_function()->set_function_name(name);
  *called.mutable_unresolved_function()->mutable_arguments() = proto.arguments();
  TRY_ASSIGN(ExprPtr call, analyzer.resolve(called));
  bool tables = false;
  visit(*call, [&](const Expr& e) {
    tables = tables || (e.kind == ExprKind::subquery && e.name == "tableargument");
    return !tables;
  });
  if (tables) return Status::unsupported("table arguments of {} are not supported", name);
  if (call->kind == ExprKind::generator) return call;
  return Status::error("NOT_A_TABLE_FUNCTION", {{"functionName", sql_id(parts)}});
}

Result<NodePtr> RelationAnalyzer::table_function(const sc::UnresolvedTableValuedFunction& proto) {
  const std::string name = to_lower(proto.function_name());
  if (name == "ms_values") return inline_table(proto);
  Scope scope = scope_of({});
  ExpressionAnalyzer analyzer(settings_, scope);
  if (name == "range") return range_function(proto, analyzer);
  if (name == "table_changes" || name == "table_changes_by_path") {
    return table_changes(proto, name == "table_changes_by_path", analyzer);
  }
  if (name == "sql_keywords" && proto.arguments_size() == 0) return sql_keywords();
  if (name == "collations" && proto.arguments_size() == 0) return collations();
  if (!functions::exists(name)) {
    const auto written = resolver_.sql_function(name);
    if (written != nullptr && written->table) return sql_table_function(*written, proto, analyzer);
  }
  TRY_ASSIGN(ExprPtr call, generator(proto, analyzer));
  return generated_only(make_generate(make_project(nullptr, {}), call, {}), 0);
}

// range([start,] end [, step [, partitions]])
Result<NodePtr> RelationAnalyzer::range_function(const sc::UnresolvedTableValuedFunction& proto,
                                                 ExpressionAnalyzer& analyzer) {
  const int count = proto.arguments_size();
  if (count < 1 || count > 4) return wrong_range_arguments(count);
  static const std::array<std::string, 4> names = {"start", "end", "step", "numSlices"};
  const auto not_foldable = [](const std::string& parameter) {
    return Status::error("NON_FOLDABLE_ARGUMENT", {{"funcName", "`range`"},
                                                   {"paramName", "`" + parameter + "`"},
                                                   {"paramType", "\"BIGINT\""}});
  };
  std::vector<std::int64_t> values;
  for (const auto& argument : proto.arguments()) {
    // Spark knows their names and yet takes what is named for no constant.
    if (argument.has_named_argument_expression())
      return not_foldable(argument.named_argument_expression().key());
    TRY_ASSIGN(ExprPtr resolved, analyzer.resolve(argument));
    resolved = strip_alias(resolved);
    const std::size_t place = values.size();
    const std::string parameter = count == 1 ? "end" : names[place];
    const bool variable = resolved->pretty.starts_with("variablereference(");
    if (!is_foldable(*resolved) || variable) return not_foldable(parameter);
    const Status unexpected = Status::error(
        "UNEXPECTED_INPUT_TYPE", {{"paramIndex", ordinal_word(place + (count == 1 ? 2 : 1))},
                                  {"functionName", "`range`"},
                                  {"requiredType", "\"BIGINT\""},
                                  {"inputSql", sql_expr(resolved->pretty)},
                                  {"inputType", sql_type(resolved->type)}});
    if (!resolved->type->is_numeric() && !resolved->type->is_string()) return unexpected;
    TRY_ASSIGN(const ExprPtr whole,
               analyzer.cast(resolved, column::long_type(), analyzer.ansi(), false));
    TRY_ASSIGN(const ExprPtr computed, constant_value(whole));
    const auto value = constant_integer(*computed);
    if (!value) return unexpected;
    values.push_back(*value);
  }
  sc::Range proto_range;
  proto_range.set_start(count > 1 ? values[0] : 0);
  proto_range.set_end(count > 1 ? values[1] : values[0]);
  proto_range.set_step(count > 2 ? values[2] : 1);
  if (proto_range.step() == 0)
    return Status::error("FAILED_FUNCTION_CALL", {{"funcName", "`range`"}});
  if (count > 3 && values[3] <= 0)
    return Status::plain(ErrorKind::illegal_argument, "Positive number of partitions required");
  if (count > 3) proto_range.set_num_partitions(static_cast<int>(values[3]));
  return range(proto_range);
}

// --- lateral joins
// ---------------------------------------------------------------------------------------------------

Result<NodePtr> RelationAnalyzer::lateral_join(const sc::LateralJoin& proto) {
  TRY_ASSIGN(NodePtr left, relation(proto.left()));
  const auto* function = function_of(proto.right());
  const bool rows = function == nullptr ||
                    resolver_.sql_function(function->function_name()) != nullptr ||
                    equals_ignore_case(function->function_name(), "range") ||
                    function->function_name() == "ms_values";
  if (rows) return lateral_query(proto, std::move(left));
  return lateral_generator(proto, *function, std::move(left));
}

// LATERAL VIEW and LATERAL explode(xs) [AS a(b)]: the function's columns beside those of the row.
Result<NodePtr> RelationAnalyzer::lateral_generator(
    const sc::LateralJoin& proto, const sc::UnresolvedTableValuedFunction& function, NodePtr left) {
  Scope scope = scope_of({left});
  ExpressionAnalyzer analyzer(settings_, scope);
  TRY_ASSIGN(ExprPtr call, generator(function, analyzer));
  // Spark drops the rows for which the function gives none of a LEFT JOIN too.
  const bool left_outer = proto.join_type() == sc::Join::JOIN_TYPE_LEFT_OUTER;
  if (proto.has_join_condition() ||
      (!left_outer && proto.join_type() != sc::Join::JOIN_TYPE_INNER &&
       proto.join_type() != sc::Join::JOIN_TYPE_CROSS)) {
    return Status::unsupported("a lateral join with a function and a condition is not supported");
  }
  const sc::Relation* at = &proto.right();
  std::vector<std::string> names;
  std::vector<std::string> qualifier;
  for (; at->has_subquery_alias() || at->has_to_df();
       at = at->has_to_df() ? &at->to_df().input() : &at->subquery_alias().input()) {
    if (at->has_to_df())
      names.assign(at->to_df().column_names().begin(), at->to_df().column_names().end());
    if (at->has_subquery_alias()) qualifier = {at->subquery_alias().alias()};
  }
  const std::size_t fields = call->type->fields().size();
  if (!names.empty() && names.size() != fields) {
    return Status::error("UDTF_ALIAS_NUMBER_MISMATCH", {{"aliasesSize", std::to_string(fields)},
                                                        {"aliasesNames", join(names, ",")}});
  }
  auto node = std::const_pointer_cast<Node>(make_generate(std::move(left), call, names));
  for (std::size_t i = node->output.size() - fields; i < node->output.size(); ++i) {
    node->output[i].qualifier = qualifier;
  }
  return NodePtr(node);
}

Result<NodePtr> RelationAnalyzer::lateral_query(const sc::LateralJoin& proto, NodePtr left) {
  Scope scope = scope_of({left});
  OuterScope outer(scope);
  OuterScope* const around = std::exchange(outer_, &outer);
  auto analyzed = relation(proto.right());
  outer_ = around;
  TRY_ASSIGN(NodePtr right, std::move(analyzed));
  sc::Join join;
  join.set_join_type(proto.join_type());
  if (proto.has_join_condition()) *join.mutable_join_condition() = proto.join_condition();
  TRY_ASSIGN(NodePtr joined, join_nodes(join, std::move(left), std::move(right)));
  if (outer.values().empty()) return joined;
  const JoinType type = as<Join>(*joined).type;
  if (type != JoinType::inner && type != JoinType::left && type != JoinType::cross) {
    return Status::error("UNSUPPORTED_JOIN_TYPE",
                         {{"typ", "lateral"}, {"supported", "'inner', 'leftouter', 'cross'"}});
  }
  auto node = std::static_pointer_cast<Join>(clone(*joined));
  node->lateral = outer.parameters();
  node->lateral_values = outer.values();
  return NodePtr(node);
}

// --- LIMIT and OFFSET by an expression
// ------------------------------------------------------------------------------

Result<NodePtr> RelationAnalyzer::limit_by(const sc::Expression_UnresolvedFunction& call,
                                           NodePtr input) {
  const bool is_limit = call.function_name() == "ms_limit";
  const std::string name = is_limit ? "limit" : "offset";
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  TRY_ASSIGN(ExprPtr count, analyzer.resolve(call.arguments(0)));
  count = strip_alias(count);
  const auto wrong = [&](const char* condition, ErrorParameters more) {
    more.emplace("name", name);
    more.emplace("expr", sql_expr(count->pretty));
    return analyzer.placed_at(
        Status::error(std::string("INVALID_LIMIT_LIKE_EXPRESSION.") + condition, std::move(more)),
        call.arguments(0));
  };
  if (!is_foldable(*count)) return wrong("IS_UNFOLDABLE", {});
  if (count->type->kind() != TypeKind::int_)
    return wrong("DATA_TYPE", {{"dataType", sql_type(count->type)}});
  TRY_ASSIGN(const ExprPtr computed, constant_value(count));
  const auto value = constant_integer(*computed);
  if (!value) return wrong("IS_NULL", {});
  if (*value < 0) return wrong("IS_NEGATIVE", {{"v", std::to_string(*value)}});
  return is_limit ? limit(std::move(input), *value, 0, false)
                  : limit(std::move(input), std::nullopt, *value, false);
}

}  // namespace millstream::plan
