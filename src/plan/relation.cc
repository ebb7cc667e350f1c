#include <google/protobuf/stubs/logging.h>

#include <unordered_map>

#include "base/called_off.h"
#include "base/text.h"
#include "plan/literal.h"
#include "plan/refusals.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/catalog.pb.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::plan {

namespace sc = spark::connect;
using Rel = sc::Relation;

namespace {

// The only input of a one-input relation; nullptr for all others.
const Rel* input_of(const Rel& r) {
  switch (r.rel_type_case()) {
    case Rel::kProject:
      return r.project().has_input() ? &r.project().input() : nullptr;
    case Rel::kFilter:
      return &r.filter().input();
    case Rel::kSort:
      return &r.sort().input();
    case Rel::kLimit:
      return &r.limit().input();
    case Rel::kAggregate:
      return &r.aggregate().input();
    case Rel::kSample:
      return &r.sample().input();
    case Rel::kOffset:
      return &r.offset().input();
    case Rel::kDeduplicate:
      return &r.deduplicate().input();
    case Rel::kSubqueryAlias:
      return &r.subquery_alias().input();
    case Rel::kRepartition:
      return &r.repartition().input();
    case Rel::kToDf:
      return &r.to_df().input();
    case Rel::kWithColumnsRenamed:
      return &r.with_columns_renamed().input();
    case Rel::kDrop:
      return &r.drop().input();
    case Rel::kTail:
      return &r.tail().input();
    case Rel::kWithColumns:
      return &r.with_columns().input();
    case Rel::kHint:
      return &r.hint().input();
    case Rel::kToSchema:
      return &r.to_schema().input();
    case Rel::kRepartitionByExpression:
      return &r.repartition_by_expression().input();
    case Rel::kCollectMetrics:
      return &r.collect_metrics().input();
    case Rel::kWithWatermark:
      return &r.with_watermark().input();
    case Rel::kFillNa:
      return &r.fill_na().input();
    case Rel::kDropNa:
      return &r.drop_na().input();
    case Rel::kReplace:
      return &r.replace().input();
    case Rel::kDescribe:
      return &r.describe().input();
    case Rel::kSummary:
      return &r.summary().input();
    case Rel::kCrosstab:
      return &r.crosstab().input();
    case Rel::kCov:
      return &r.cov().input();
    case Rel::kCorr:
      return &r.corr().input();
    case Rel::kApproxQuantile:
      return &r.approx_quantile().input();
    case Rel::kFreqItems:
      return &r.freq_items().input();
    case Rel::kSampleBy:
      return &r.sample_by().input();
    case Rel::kUnpivot:
      return &r.unpivot().input();
    case Rel::kTranspose:
      return &r.transpose().input();
    case Rel::kParse:
      return &r.parse().input();
    default:
      return nullptr;
  }
}

}  // namespace

namespace {

// Errors of an operator as a whole; those of its expressions have places of their own.
bool is_of_relation(const std::string& condition) {
  for (const char* known :
       {"TABLE_OR_VIEW_NOT_FOUND", "NUM_COLUMNS_MISMATCH", "INCOMPATIBLE_COLUMN_TYPE",
        "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE",
        "MISSING_GROUP_BY", "ASSIGNMENT_ARITY_MISMATCH", "UNRESOLVABLE_TABLE_VALUED_FUNCTION",
        "INVALID_WHERE_CONDITION", "NUM_TABLE_VALUE_ALIASES_MISMATCH",
        "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE"}) {
    if (condition == known) return true;
  }
  return false;
}

}  // namespace

Status RelationAnalyzer::placed(const Status& status, const Rel& proto) const {
  const auto& written = proto.common().origin().jvm_origin();
  if (text_ == nullptr || !written.has_stop_index() || !status.info().contexts.empty() ||
      !is_of_relation(status.condition())) {
    return status;
  }
  return sql::with_place(status, *text_, static_cast<std::size_t>(written.start_index()),
                         static_cast<std::size_t>(written.stop_index()));
}

Result<NodePtr> RelationAnalyzer::relation(const Rel& proto) {
  const std::string* const around = text_;
  const auto& written = proto.common().origin().jvm_origin();
  if (!written.has_sql_text()) return operators(proto);
  const sql::TextScope places(written.sql_text());
  text_ = &written.sql_text();
  auto node = operators(proto);
  text_ = around;
  return node;
}

Result<NodePtr> RelationAnalyzer::operators(const Rel& proto) {
  std::vector<const Rel*> chain;
  const Rel* at = &proto;
  while (const Rel* input = input_of(*at)) {
    chain.push_back(at);
    at = input;
  }
  // The error of an operator is at its place, or at that of the next one above which has one.
  const auto at_place = [&](Status status, const Rel& here, std::size_t above) {
    status = placed(status, here);
    while (above > 0) status = placed(status, *chain[--above]);
    return status;
  };
  TRY(check_called_off());
  auto made = leaf(*at);
  if (!made.ok()) return at_place(made.status(), *at, chain.size());
  NodePtr node = std::move(made).value();
  if (at->common().has_plan_id()) node = with_plan_id(node, at->common().plan_id());
  node = with_cached_rows(*at, std::move(node));
  for (std::size_t i = chain.size(); i-- > 0;) {
    const Rel& link = *chain[i];
    const NodePtr input = node;
    TRY(check_called_off());
    made = unary(link, input);
    if (!made.ok()) return at_place(made.status(), link, i);
    node = std::move(made).value();
    // A relation that changes nothing is still a DataFrame of its own.
    if (link.common().has_plan_id()) {
      if (node == input) node = make_identity(input);
      node = with_plan_id(node, link.common().plan_id());
    }
    node = with_cached_rows(link, std::move(node));
  }
  return node;
}

NodePtr RelationAnalyzer::with_cached_rows(const Rel& proto, NodePtr node) {
  auto rows = resolver_.cached_rows(proto, node);
  if (rows == nullptr) return node;
  auto copy = clone(*node);
  copy->kept = std::move(rows);
  return copy;
}

Result<NodePtr> RelationAnalyzer::leaf(const Rel& r) {
  switch (r.rel_type_case()) {
    case Rel::kRead:
      return read(r.read());
    case Rel::kProject:
      return project(r.project(), nullptr);
    case Rel::kJoin:
      return join_relation(r.join());
    case Rel::kSetOp:
      return set_operation(r.set_op());
    case Rel::kLocalRelation:
      return local(r.local_relation());
    case Rel::kCachedLocalRelation:
      return cached_local(r.cached_local_relation());
    case Rel::kChunkedCachedLocalRelation:
      return chunked_local(r.chunked_cached_local_relation());
    case Rel::kRange:
      return range(r.range());
    case Rel::kSql:
      return sql(r.sql());
    case Rel::kWithRelations:
      return with_relations(r.with_relations());
    case Rel::kUnresolvedTableValuedFunction:
      return table_function(r.unresolved_table_valued_function());
    case Rel::kLateralJoin:
      return lateral_join(r.lateral_join());
    case Rel::kAsOfJoin:
      return as_of_join(r.as_of_join());
    case Rel::kNearestByJoin:
      return nearest_by_join(r.nearest_by_join());
    case Rel::kCatalog:
      // createTable() gives the table; it was made when the call itself ran.
      if (r.catalog().has_create_table()) {
        TRY_ASSIGN(const auto parts,
                   sql::parse_identifier(r.catalog().create_table().table_name()));
        return resolver_.named_table(parts, Options(), false);
      }
      return refused_relation(r);
    case Rel::kCachedRemoteRelation: {
      TRY_ASSIGN(NodePtr kept, resolver_.cached_relation(r.cached_remote_relation().relation_id()));
      return with_fresh_ids(kept);
    }
    default:
      return refused_relation(r);
  }
}

Result<NodePtr> RelationAnalyzer::unary(const Rel& r, NodePtr input) {
  switch (r.rel_type_case()) {
    case Rel::kProject:
      return project(r.project(), std::move(input));
    case Rel::kFilter: {
      const auto& call = r.filter().condition().unresolved_function();
      if (call.function_name() == "ms_limit" || call.function_name() == "ms_offset") {
        return limit_by(call, std::move(input));
      }
      return filter(r.filter().condition(), std::move(input));
    }
    case Rel::kSort:
      return sort(r.sort(), std::move(input));
    case Rel::kLimit:
      return limit(std::move(input), r.limit().limit(), 0, false);
    case Rel::kOffset:
      return limit(std::move(input), std::nullopt, r.offset().offset(), false);
    case Rel::kTail:
      return limit(std::move(input), r.tail().limit(), 0, true);
    case Rel::kAggregate:
      if (is_sql_select(r.aggregate())) return select_query(r.aggregate(), std::move(input));
      if (is_sql_pivot(r.aggregate())) return pivot_query(r.aggregate(), std::move(input));
      return aggregate(r.aggregate(), std::move(input));
    case Rel::kSample:
      return sample(r.sample(), std::move(input));
    case Rel::kDeduplicate:
      return deduplicate(r.deduplicate(), std::move(input));
    case Rel::kSubqueryAlias:
      return subquery_alias(r.subquery_alias(), std::move(input));
    case Rel::kToDf: {
      const auto& function = r.to_df().input().unresolved_table_valued_function();
      const auto wanted = static_cast<std::size_t>(r.to_df().column_names_size());
      const auto columns = visible_columns(*input).size();
      if (!function.function_name().empty() && function.function_name() != "ms_values" &&
          wanted != columns) {
        return Status::error("NUM_TABLE_VALUE_ALIASES_MISMATCH",
                             {{"funcName", sql_id(function.function_name())},
                              {"aliasesNum", std::to_string(wanted)},
                              {"outColsNum", std::to_string(columns)}});
      }
      return to_df(r.to_df(), std::move(input));
    }
    case Rel::kToSchema:
      return to_schema(r.to_schema(), std::move(input));
    case Rel::kWithColumns:
      return with_columns(r.with_columns(), std::move(input));
    case Rel::kWithColumnsRenamed:
      return renamed(r.with_columns_renamed(), std::move(input));
    case Rel::kDrop:
      return drop(r.drop(), std::move(input));
    case Rel::kHint:
      return hinted(r.hint(), std::move(input));
    case Rel::kRepartition:
      return repartition(r.repartition(), std::move(input));
    case Rel::kRepartitionByExpression:
      return repartition_by(r.repartition_by_expression(), std::move(input));
    case Rel::kCollectMetrics:
      return collect_metrics(r.collect_metrics(), std::move(input));
    case Rel::kWithWatermark:
      return watermark(r.with_watermark(), std::move(input));
    case Rel::kFillNa:
      return fill_na(r.fill_na(), std::move(input));
    case Rel::kDropNa:
      return drop_na(r.drop_na(), std::move(input));
    case Rel::kReplace:
      return replace(r.replace(), std::move(input));
    default:
      return statistic(r, std::move(input));
  }
}

Result<NodePtr> RelationAnalyzer::statistic(const Rel& r, NodePtr input) {
  switch (r.rel_type_case()) {
    case Rel::kDescribe:
      return describe(r.describe(), std::move(input));
    case Rel::kSummary:
      return summary({r.summary().statistics().begin(), r.summary().statistics().end()},
                     std::move(input));
    case Rel::kCrosstab:
      return crosstab(r.crosstab(), std::move(input));
    case Rel::kCov:
      return covariance(r.cov(), std::move(input));
    case Rel::kCorr:
      return correlation(r.corr(), std::move(input));
    case Rel::kApproxQuantile:
      return approx_quantile(r.approx_quantile(), std::move(input));
    case Rel::kFreqItems:
      return frequent_items(r.freq_items(), std::move(input));
    case Rel::kSampleBy:
      return sample_by(r.sample_by(), std::move(input));
    case Rel::kUnpivot:
      return unpivot(r.unpivot(), std::move(input));
    case Rel::kTranspose:
      return transpose(r.transpose(), std::move(input));
    case Rel::kParse:
      return parse(r.parse(), std::move(input));
    default:
      return refused_relation(r);
  }
}

Result<NodePtr> analyze(const Rel& relation, Resolver& resolver, const AnalyzerSettings& settings) {
  // A call that only the parser writes has its arguments; a client's may lack them, and protobuf
  // tells so by an exception.
  try {
    TRY_ASSIGN(const NodePtr node, RelationAnalyzer(resolver, settings).relation(relation));
    return place_definitions(node);
  } catch (const google::protobuf::FatalException& malformed) {
    return Status::plain(ErrorKind::invalid_plan,
                         fmt::format("the plan is malformed: {}", malformed.what()));
  }
}

// --- nodes
// ----------------------------------------------------------------------------------------------------------

NodePtr make_project(NodePtr input, std::vector<ExprPtr> exprs) {
  auto node = std::make_shared<Project>();
  IdSet present;
  std::unordered_map<std::int64_t, const Attribute*> known;
  if (input != nullptr) {
    for (const Attribute& a : input->output) known[key_of(a.id)] = &a;
  }
  node->output.reserve(exprs.size());
  for (const ExprPtr& e : exprs) {
    node->output.push_back(attribute_of(*e));
    present.insert(key_of(e->id));
    if (e->kind != ExprKind::attribute) continue;
    // A column that is passed on keeps the name of its table.
    const auto found = known.find(key_of(e->id));
    if (found != known.end()) node->output.back().qualifier = found->second->qualifier;
  }
  if (input != nullptr) {
    for (const Attribute& a : input->output) {
      if (!a.hidden || present.contains(key_of(a.id))) continue;
      exprs.push_back(make_attribute(a));
      node->output.push_back(a);
    }
    node->children.push_back(std::move(input));
  }
  node->exprs = std::move(exprs);
  return node;
}

std::vector<ExprPtr> visible_columns(const Node& node) {
  std::vector<ExprPtr> out;
  for (const Attribute& a : node.output) {
    if (!a.hidden) out.push_back(make_attribute(a));
  }
  return out;
}

NodePtr make_identity(NodePtr input) {
  auto node = std::make_shared<Project>();
  for (const Attribute& a : input->output) {
    node->exprs.push_back(make_attribute(a));
    node->output.push_back(a);
  }
  node->children.push_back(std::move(input));
  return node;
}

NodePtr make_filter(NodePtr input, ExprPtr condition) {
  auto node = std::make_shared<Filter>();
  node->output = input->output;
  node->condition = std::move(condition);
  node->children.push_back(std::move(input));
  return node;
}

NodePtr visible_only(NodePtr input) {
  bool any_hidden = false;
  for (const Attribute& a : input->output) any_hidden = any_hidden || a.hidden;
  if (!any_hidden) return input;
  auto node = std::make_shared<Project>();
  for (const Attribute& a : input->output) {
    if (a.hidden) continue;
    node->exprs.push_back(make_attribute(a));
    node->output.push_back(a);
  }
  node->children.push_back(std::move(input));
  return node;
}

NodePtr with_plan_id(const NodePtr& node, std::int64_t plan_id) {
  if (node->plan_id == plan_id) return node;
  auto copy = node->plan_id ? std::const_pointer_cast<Node>(make_identity(node)) : clone(*node);
  copy->plan_id = plan_id;
  return copy;
}

void visit_outside_aggregates(const Expr& e, const std::function<void(const Expr&)>& f) {
  f(e);
  if (e.kind == ExprKind::aggregate) return;
  if (e.kind != ExprKind::window) {
    for (const ExprPtr& child : e.children) visit_outside_aggregates(*child, f);
    return;
  }
  // The function of OVER is no aggregate of the group; what it is computed from may be.
  for (const ExprPtr& child : e.children[0]->children) visit_outside_aggregates(*child, f);
  for (const ExprPtr& p : e.window->partition) visit_outside_aggregates(*p, f);
  for (const SortKey& key : e.window->order) visit_outside_aggregates(*key.expr, f);
}

bool has_aggregate_function(const Expr& expr) {
  bool found = false;
  visit_outside_aggregates(expr,
                           [&](const Expr& e) { found = found || e.kind == ExprKind::aggregate; });
  return found;
}

bool has_nested_aggregate(const Expr& expr) {
  bool nested = false;
  visit_outside_aggregates(expr, [&](const Expr& e) {
    if (e.kind != ExprKind::aggregate) return;
    for (const ExprPtr& child : e.children) nested = nested || has_aggregate_function(*child);
  });
  return nested;
}

Status check_no_generator(const Expr& expr, const std::string& operator_name) {
  if (!contains(expr, ExprKind::generator)) return Status::OK();
  return Status::error("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
                       {{"plan", operator_name + " " + expr.pretty}});
}

}  // namespace millstream::plan
