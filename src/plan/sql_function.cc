// Calls of functions that are written in SQL: the body with the arguments in the places of the
// parameters.
#include "base/called_off.h"
#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/time_zone.h"
#include "plan/tree.h"
#include "spark/connect/expressions.pb.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"
#include "sql/statement.h"

namespace millstream::plan {

namespace sc = spark::connect;

namespace {

// Functions that call functions: each is put in, so that a cycle would have no end, and some that
// call one another twice would have none that anybody sees.
constexpr int nesting_max = 50;
constexpr int calls_max = 5000;
thread_local int nesting = 0;
thread_local int calls = 0;  // within the outermost one

class Nesting {
 public:
  Nesting() {
    if (nesting++ == 0) calls = 0;
    ++calls;
  }
  ~Nesting() { --nesting; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  Status check(const std::string& name) const {
    if (nesting > nesting_max) {
      return Status::unsupported("the function {} calls others to a depth of more than {}", name,
                                 nesting_max);
    }
    if (calls > calls_max) {
      return Status::unsupported("functions that call others more than {} times, {} among them",
                                 calls_max, name);
    }
    return check_called_off();
  }
};

AnalyzerSettings settings_inside(const SqlFunction& function, AnalyzerSettings settings) {
  if (!function.made) return settings;
  settings.functions.ansi = function.made->ansi;
  settings.functions.time_zone = function.made->time_zone;
  settings.case_sensitive = function.made->case_sensitive;
  settings.database = function.made->database;
  return settings;
}

// Who analyses a function's body: apart from the query around the call, whose names of WITH are not
// its own, and under the settings of the session that made it.
class Body {
 public:
  Body(const SqlFunction& function, Resolver& around, const AnalyzerSettings& settings)
      : settings_(settings_inside(function, settings)),
        resolver_(around.inside(function)),
        relations_(resolver_ != nullptr ? *resolver_ : around, settings_) {
    if (function.made) timestamps_.emplace(function.made->timestamp);
    if (function.made && function.made->time_zone != settings.functions.time_zone)
      zone_ = function.made->time_zone;
  }

  RelationAnalyzer& relations() { return relations_; }
  const AnalyzerSettings& settings() const { return settings_; }
  // What was written under another time zone keeps it.
  template <typename T>
  T zoned(const T& part) const {
    return zone_ ? in_time_zone(part, *zone_) : part;
  }

 private:
  const AnalyzerSettings settings_;
  const std::unique_ptr<Resolver> resolver_;
  RelationAnalyzer relations_;
  std::optional<column::TimestampMeaning> timestamps_;
  std::optional<std::string> zone_;
};

Status wrong_count(const SqlFunction& function, int given) {
  std::size_t required = 0;
  for (const auto& parameter : function.parameters) {
    required += parameter.default_text.empty() ? 1 : 0;
  }
  std::string expected = std::to_string(function.parameters.size());
  if (required != function.parameters.size()) {
    std::vector<std::string> counts;
    for (std::size_t n = required; n <= function.parameters.size(); ++n) {
      counts.push_back(std::to_string(n));
    }
    expected = "[" + join(counts, ", ") + "]";
  }
  return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                       {{"functionName", sql_id(function.name)},
                        {"expectedNum", expected},
                        {"actualNum", std::to_string(given)},
                        {"docroot", "https://spark.apache.org/docs/latest"}});
}

// One row whose columns are the parameters.
NodePtr parameters_of(const SqlFunction& function, const std::vector<ExprPtr>& arguments) {
  auto node = std::make_shared<Project>();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ExprPtr alias =
        make_alias(arguments[i], function.parameters[i].name, next_attribute_id());
    node->exprs.push_back(alias);
    node->output.push_back(attribute_of(*alias));
    node->output.back().qualifier = {function.qualifier.empty() ? function.name
                                                                : function.qualifier};
  }
  return node;
}

}  // namespace

Result<std::vector<ExprPtr>> ExpressionAnalyzer::sql_arguments(
    const SqlFunction& function, const google::protobuf::RepeatedPtrField<Proto>& given) {
  const auto& parameters = function.parameters;
  std::vector<ExprPtr> arguments(parameters.size());
  if (static_cast<std::size_t>(given.size()) > parameters.size()) {
    return wrong_count(function, given.size());
  }
  std::size_t place = 0;
  for (const auto& argument : given) {
    std::size_t at = place++;
    if (argument.has_named_argument_expression()) {
      const std::string& key = argument.named_argument_expression().key();
      at = 0;
      while (at < parameters.size() && !equals_ignore_case(parameters[at].name, key)) ++at;
      if (at == parameters.size()) {
        return Status::error("UNRECOGNIZED_PARAMETER_NAME", {{"routineName", sql_id(function.name)},
                                                             {"argumentName", sql_id(key)},
                                                             {"proposal", ""}});
      }
    }
    TRY_ASSIGN(ExprPtr resolved, resolve(argument));
    arguments[at] = strip_alias(resolved);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (arguments[i] == nullptr && parameters[i].default_text.empty()) {
      return wrong_count(function, given.size());
    }
    if (arguments[i] == nullptr) {
      TRY_ASSIGN(ExprPtr value, expression_string(parameters[i].default_text));
      arguments[i] = strip_alias(value);
    }
    if (column::same_type_ignoring_nullability(arguments[i]->type, parameters[i].type)) continue;
    const std::string pretty = arguments[i]->pretty;
    TRY_ASSIGN(ExprPtr converted, cast(arguments[i], parameters[i].type, true, false));
    auto named = std::make_shared<Expr>(*converted);
    named->pretty = pretty;
    arguments[i] = named;
  }
  return arguments;
}

// An argument that differs each time would be computed as often as the body names it.
static Status check_computed_once(const Expr& body, const Node& parameters,
                                  const std::vector<ExprPtr>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_deterministic(*arguments[i])) continue;
    std::size_t named = 0;
    visit(body, [&](const Expr& e) {
      if (e.kind == ExprKind::attribute && e.id == parameters.output[i].id) ++named;
      return true;
    });
    if (named > 1) {
      return Status::unsupported("{} for a parameter that the function's body names {} times",
                                 arguments[i]->pretty, named);
    }
  }
  return Status::OK();
}

Result<ExprPtr> ExpressionAnalyzer::sql_call(const SqlFunction& function,
                                             const sc::Expression_UnresolvedFunction& proto) {
  const Nesting nested;
  TRY(nested.check(function.name));
  if (function.table) {
    return Status::error("NOT_A_SCALAR_FUNCTION", {{"functionName", sql_id(function.name)}});
  }
  TRY_ASSIGN(const std::vector<ExprPtr> arguments, sql_arguments(function, proto.arguments()));
  const std::size_t written = static_cast<std::size_t>(proto.arguments_size());
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < arguments.size() && i < written; ++i) {
    shown.push_back(arguments[i]->pretty);
  }
  const NodePtr parameters = parameters_of(function, arguments);
  Body around(function, scope_.subqueries()->resolver(), settings_);
  Scope scope = around.relations().scope_over({parameters}, nullptr);
  ExpressionAnalyzer inner(around.settings(), scope);
  TRY_ASSIGN(ExprPtr body, inner.expression_string(function.body));
  body = strip_alias(body);
  if (function.returns != nullptr &&
      !column::same_type_ignoring_nullability(body->type, function.returns)) {
    TRY_ASSIGN(body, inner.cast(body, function.returns, true, false));
  }
  TRY(check_parts(*body));
  TRY(check_computed_once(*body, *parameters, arguments));
  body = transform(around.zoned(body), [&](const ExprPtr& e) -> ExprPtr {
    if (e->kind != ExprKind::attribute) return e;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (parameters->output[i].id == e->id) return arguments[i];
    }
    return e;
  });
  TRY(check_parts(*body));
  auto out = std::make_shared<Expr>(*body);
  out->pretty = to_lower(function.name) + "(" + join(shown, ", ") + ")";
  return ExprPtr(out);
}

// The rows of the body's query, which may name the parameters as a subquery names outer columns.
Result<NodePtr> RelationAnalyzer::sql_table_function(const SqlFunction& function,
                                                     const sc::UnresolvedTableValuedFunction& proto,
                                                     ExpressionAnalyzer& analyzer) {
  const Nesting nested;
  TRY(nested.check(function.name));
  TRY_ASSIGN(std::vector<ExprPtr> arguments, analyzer.sql_arguments(function, proto.arguments()));
  NodePtr parameters = parameters_of(function, arguments);
  sc::SQL text;
  text.set_query(function.body);
  sc::Relation query;
  Body around(function, resolver_, settings_);
  TRY(sql::parse_query(text, &query));
  Scope scope = around.relations().scope_over({parameters}, nullptr);
  OuterScope outer(scope);
  around.relations().outer_ = &outer;
  TRY_ASSIGN(NodePtr rows, around.relations().relation(query));
  rows = around.zoned(visible_only(std::move(rows)));
  const auto& fields = function.returns->fields();
  if (rows->output.size() != fields.size()) {
    return Status::error("ASSIGNMENT_ARITY_MISMATCH",
                         {{"numExpr", std::to_string(rows->output.size())},
                          {"numTarget", std::to_string(fields.size())}});
  }
  Exprs columns;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ExprPtr column = make_attribute(rows->output[i]);
    if (!column::same_type_ignoring_nullability(column->type, fields[i].type)) {
      TRY_ASSIGN(column, analyzer.cast(column, fields[i].type, true, false));
    }
    columns.push_back(make_alias(column, fields[i].name, next_attribute_id()));
  }
  if (outer.values().empty()) return make_project(std::move(rows), std::move(columns));
  auto join_node = std::make_shared<Join>();
  join_node->type = JoinType::inner;
  join_node->output = parameters->output;
  join_node->output.insert(join_node->output.end(), rows->output.begin(), rows->output.end());
  join_node->children = {std::move(parameters), std::move(rows)};
  join_node->lateral = outer.parameters();
  join_node->lateral_values = outer.values();
  return make_project(NodePtr(join_node), std::move(columns));
}

}  // namespace millstream::plan
