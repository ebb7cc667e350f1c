// The as-of join and the nearest-by join: of all rows of the right input those that are nearest to
// each left row.
#include "base/text.h"
#include "functions/coerce.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;

namespace {

constexpr int results_max = 100'000;

Result<JoinType> outer_or_inner(const char* condition, const std::string& text) {
  std::string type = to_lower(text);
  std::erase(type, '_');
  if (type == "inner" || type.empty()) return JoinType::inner;
  if (type == "left" || type == "leftouter") return JoinType::left;
  if (std::string_view(condition) == "UNSUPPORTED_JOIN_TYPE") {
    return Status::error(
        condition, {{"typ", text}, {"supported", "'inner', 'leftouter', 'left', 'left_outer'"}});
  }
  return Status::error(condition, {{"joinType", text}, {"supported", "'INNER', 'LEFT OUTER'"}});
}

// The input with a number for each of its rows, which comes last.
Result<NodePtr> numbered(const NodePtr& input, ExpressionAnalyzer& analyzer) {
  std::vector<ExprPtr> columns = visible_columns(*input);
  TRY_ASSIGN(const ExprPtr number, analyzer.call("monotonically_increasing_id", {}));
  columns.push_back(make_alias(number, "row", next_attribute_id()));
  return make_project(visible_only(input), std::move(columns));
}

ExprPtr last_column(const Node& node) { return make_attribute(node.output.back()); }

ExprPtr place_in_order(const ExprPtr& partition, std::vector<SortKey> order) {
  auto number = std::make_shared<Expr>();
  number->kind = ExprKind::call;
  number->name = "row_number";
  number->pretty = "row_number()";
  number->type = column::int_type();
  number->nullable = false;
  auto spec = std::make_shared<WindowSpec>();
  spec->rows = true;
  spec->partition = {partition};
  spec->order = std::move(order);
  auto over = std::make_shared<Expr>();
  over->kind = ExprKind::window;
  over->type = number->type;
  over->nullable = false;
  over->children = {number};
  over->window = std::move(spec);
  return over;
}

NodePtr joined(JoinType type, const NodePtr& left, const NodePtr& right, const ExprPtr& condition) {
  auto node = std::make_shared<Join>();
  node->type = type;
  node->condition = condition;
  node->output = left->output;
  for (Attribute a : right->output) {
    a.nullable = a.nullable || type == JoinType::left;
    node->output.push_back(std::move(a));
  }
  node->children = {left, right};
  return node;
}

struct Nearest {
  JoinType type = JoinType::inner;
  ExprPtr condition;  // which right rows may be taken; null: all
  ExprPtr rank;       // the least first
  bool descending = false;
  std::int32_t count = 1;
};

// Of rows that are equally near the last ones are taken, as min_by does.
Result<NodePtr> nearest_rows(const Nearest& join, const NodePtr& left, const NodePtr& right,
                             ExpressionAnalyzer& analyzer) {
  TRY_ASSIGN(const NodePtr left_rows, numbered(left, analyzer));
  TRY_ASSIGN(const NodePtr right_rows, numbered(right, analyzer));
  const NodePtr pairs = joined(join.type, left_rows, right_rows, join.condition);
  std::vector<ExprPtr> wanted;
  for (const Attribute& a : pairs->output) {
    const bool number = a.id == left_rows->output.back().id || a.id == right_rows->output.back().id;
    if (!number) wanted.push_back(make_attribute(a));
  }
  std::vector<ExprPtr> columns = wanted;
  const ExprPtr place = make_alias(
      place_in_order(last_column(*left_rows),
                     {{join.rank, !join.descending, false}, {last_column(*pairs), false, false}}),
      "place", next_attribute_id());
  columns.push_back(place);
  const NodePtr placed = make_project(pairs, std::move(columns));
  TRY_ASSIGN(const ExprPtr near,
             analyzer.call("<=", {last_column(*placed), int_literal(join.count)}));
  return make_project(make_filter(placed, near), std::move(wanted));
}

Result<ExprPtr> both(ExpressionAnalyzer& analyzer, const ExprPtr& a, const ExprPtr& b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return analyzer.call("and", {a, b});
}

// left >= right, and no further away than the tolerance.
struct AsOf {
  ExprPtr left, right, tolerance;
  bool exact = true;
};

Result<ExprPtr> within(ExpressionAnalyzer& analyzer, const AsOf& as_of, bool backward) {
  if (as_of.tolerance == nullptr) return ExprPtr();
  TRY_ASSIGN(const ExprPtr limit,
             analyzer.call(backward ? "-" : "+", {as_of.left, as_of.tolerance}));
  return analyzer.call(backward ? ">=" : "<=", {as_of.right, limit});
}

Result<ExprPtr> as_of_condition(ExpressionAnalyzer& analyzer, const AsOf& as_of,
                                const std::string& direction) {
  if (direction == "nearest") {
    TRY_ASSIGN(const ExprPtr after, within(analyzer, as_of, true));
    TRY_ASSIGN(const ExprPtr before, within(analyzer, as_of, false));
    TRY_ASSIGN(const ExprPtr near, both(analyzer, after, before));
    if (as_of.exact) return near;
    TRY_ASSIGN(const ExprPtr differs, analyzer.call("!=", {as_of.left, as_of.right}));
    return both(analyzer, differs, near);
  }
  const bool backward = direction == "backward";
  const std::string compare = std::string(backward ? ">" : "<") + (as_of.exact ? "=" : "");
  TRY_ASSIGN(const ExprPtr side, analyzer.call(compare, {as_of.left, as_of.right}));
  TRY_ASSIGN(const ExprPtr near, within(analyzer, as_of, backward));
  return both(analyzer, side, near);
}

Result<ExprPtr> distance(ExpressionAnalyzer& analyzer, const AsOf& as_of,
                         const std::string& direction) {
  TRY_ASSIGN(const ExprPtr back, analyzer.call("-", {as_of.left, as_of.right}));
  if (direction == "backward") return back;
  TRY_ASSIGN(const ExprPtr forward, analyzer.call("-", {as_of.right, as_of.left}));
  if (direction == "forward") return forward;
  TRY_ASSIGN(const ExprPtr behind, analyzer.call(">", {as_of.left, as_of.right}));
  return analyzer.call("if", {behind, back, forward});
}

Status check_tolerance(const ExprPtr& tolerance) {
  if (tolerance == nullptr) return Status::OK();
  if (!references_only(*tolerance, {})) return Status::error("AS_OF_JOIN.TOLERANCE_IS_UNFOLDABLE");
  if (tolerance->kind == ExprKind::literal && tolerance->pretty.starts_with('-'))
    return Status::error("AS_OF_JOIN.TOLERANCE_IS_NON_NEGATIVE");
  if (tolerance->kind != ExprKind::literal)
    return Status::unsupported("an as-of join with a tolerance that is no literal");
  return Status::OK();
}

}  // namespace

Result<NodePtr> RelationAnalyzer::as_of_join(const sc::AsOfJoin& proto) {
  TRY_ASSIGN(const NodePtr left, relation(proto.left()));
  TRY_ASSIGN(NodePtr right, relation(proto.right()));
  right = apart_from(*left, right);
  Nearest join;
  TRY_ASSIGN(join.type, outer_or_inner("UNSUPPORTED_JOIN_TYPE", proto.join_type()));
  const std::string direction = to_lower(proto.direction());
  if (direction != "backward" && direction != "forward" && direction != "nearest") {
    return Status::error(
        "AS_OF_JOIN.UNSUPPORTED_DIRECTION",
        {{"direction", proto.direction()}, {"supported", "'forward', 'backward', 'nearest'"}});
  }
  Scope scope = scope_of({left, right});
  ExpressionAnalyzer analyzer(settings_, scope);
  AsOf as_of;
  as_of.exact = proto.allow_exact_matches();
  TRY_ASSIGN(as_of.left, analyzer.resolve(proto.left_as_of()));
  TRY_ASSIGN(as_of.right, analyzer.resolve(proto.right_as_of()));
  if (proto.has_tolerance()) {
    TRY_ASSIGN(as_of.tolerance, analyzer.resolve(proto.tolerance()));
    TRY(check_tolerance(as_of.tolerance));
  }
  if (proto.has_join_expr()) {
    TRY_ASSIGN(join.condition, analyzer.condition(proto.join_expr()));
  }
  for (const std::string& name : proto.using_columns()) {
    Scope left_scope = scope_of({left});
    Scope right_scope = scope_of({right});
    TRY_ASSIGN(const ExprPtr l, left_scope.resolve(NameParts{name}));
    TRY_ASSIGN(const ExprPtr r, right_scope.resolve(NameParts{name}));
    TRY_ASSIGN(const ExprPtr equal, analyzer.call("==", {l, r}));
    TRY_ASSIGN(join.condition, both(analyzer, join.condition, equal));
  }
  TRY_ASSIGN(const ExprPtr timely, as_of_condition(analyzer, as_of, direction));
  TRY_ASSIGN(join.condition, both(analyzer, join.condition, timely));
  TRY_ASSIGN(join.rank, distance(analyzer, as_of, direction));
  TRY_ASSIGN(const ExprPtr comparable, analyzer.call("isnotnull", {join.rank}));
  TRY_ASSIGN(join.condition, both(analyzer, join.condition, comparable));
  return nearest_rows(join, left, right, analyzer);
}

Result<NodePtr> RelationAnalyzer::nearest_by_join(const sc::NearestByJoin& proto) {
  TRY_ASSIGN(const NodePtr left, relation(proto.left()));
  TRY_ASSIGN(NodePtr right, relation(proto.right()));
  right = apart_from(*left, right);
  if (is_streaming(*left) || is_streaming(*right))
    return Status::error("NEAREST_BY_JOIN.STREAMING_NOT_SUPPORTED");
  Nearest join;
  TRY_ASSIGN(join.type, outer_or_inner("NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE", proto.join_type()));
  if (proto.num_results() < 1 || proto.num_results() > results_max) {
    return Status::error("NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE",
                         {{"numResults", std::to_string(proto.num_results())},
                          {"min", "1"},
                          {"max", std::to_string(results_max)}});
  }
  join.count = proto.num_results();
  const std::string direction = to_lower(proto.direction());
  if (direction != "distance" && direction != "similarity") {
    return Status::error(
        "NEAREST_BY_JOIN.UNSUPPORTED_DIRECTION",
        {{"direction", proto.direction()}, {"supported", "'distance', 'similarity'"}});
  }
  join.descending = direction == "similarity";
  if (const std::string mode = to_lower(proto.mode()); mode != "exact" && mode != "approx") {
    return Status::error("NEAREST_BY_JOIN.UNSUPPORTED_MODE",
                         {{"mode", proto.mode()}, {"supported", "'approx', 'exact'"}});
  }
  Scope scope = scope_of({left, right});
  ExpressionAnalyzer analyzer(settings_, scope);
  TRY_ASSIGN(join.rank, analyzer.resolve(proto.ranking_expression()));
  if (!functions::is_orderable(*join.rank->type)) {
    return Status::error(
        "NEAREST_BY_JOIN.NON_ORDERABLE_RANKING_EXPRESSION",
        {{"expression", sql_expr(join.rank->pretty)}, {"type", sql_type(join.rank->type)}});
  }
  TRY_ASSIGN(join.condition, analyzer.call("isnotnull", {join.rank}));
  return nearest_rows(join, left, right, analyzer);
}

}  // namespace millstream::plan
