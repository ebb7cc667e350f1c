// session_window(time, gap): rows of a group whose times are no further apart than the gap lie in
// one window. The windows become a struct column below the aggregate that names them.
#include <arrow/scalar.h>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"

namespace millstream::plan {

using column::TypeKind;
using column::TypePtr;

namespace {

constexpr const char* session_name = "session_window";
constexpr const char* session_metadata = R"({"spark.sessionWindow":true})";

TypePtr window_type(const TypePtr& time) {
  return column::struct_type({{"start", time, true, {}}, {"end", time, true, {}}});
}

Status legacy_error(std::string condition, std::string message) {
  ErrorInfo error;
  error.kind = ErrorKind::analysis;
  error.condition = std::move(condition);
  error.message = std::move(message);
  return Status(std::move(error));
}

ExprPtr long_literal(std::int64_t value) {
  return literal_of(std::make_shared<arrow::Int64Scalar>(value), column::long_type());
}

ExprPtr over(const ExprPtr& function, WindowSpec spec) {
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::window;
  out->type = function->type;
  out->pretty = function->pretty + " OVER (session)";
  out->children = {function};
  out->window = std::make_shared<const WindowSpec>(std::move(spec));
  return out;
}

// The input with one more column.
struct Extended {
  NodePtr node;
  ExprPtr column;
};

Extended with_column(const NodePtr& input, const ExprPtr& value, const std::string& name) {
  std::vector<ExprPtr> columns;
  for (const Attribute& a : input->output) columns.push_back(make_attribute(a));
  const ExprPtr added = make_alias(value, name, next_attribute_id());
  columns.push_back(added);
  return {make_project(input, std::move(columns)), make_attribute(attribute_of(*added))};
}

WindowSpec spec_of(std::vector<ExprPtr> partition, std::vector<SortKey> order, FrameBound upper) {
  WindowSpec spec;
  spec.partition = std::move(partition);
  spec.order = std::move(order);
  spec.rows = true;
  spec.upper = std::move(upper);
  return spec;
}

}  // namespace

Result<ExprPtr> ExpressionAnalyzer::session_window(const std::vector<ExprPtr>& arguments) {
  if (arguments.size() != 2) {
    return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         {{"functionName", "`session_window`"},
                          {"expectedNum", "2"},
                          {"actualNum", std::to_string(arguments.size())},
                          {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  ExprPtr time = arguments[0];
  const TypeKind kind = time->type->kind();
  if (kind == TypeKind::string || kind == TypeKind::date || kind == TypeKind::null) {
    time = implicit_cast(time, column::timestamp_type(), ansi());
  } else if (kind != TypeKind::timestamp && kind != TypeKind::timestamp_ntz) {
    return Status::unsupported("session_window over a column of the type {}", time->type->sql());
  }
  // What is no interval is NULL, and rows without a gap are in no window.
  ExprPtr gap = arguments[1];
  if (gap->type->is_string()) {
    TRY_ASSIGN(gap, cast(gap, column::type_of(TypeKind::calendar_interval), false, true));
  } else if (gap->type->kind() != TypeKind::calendar_interval) {
    return legacy_error("_LEGACY_ERROR_TEMP_1040",
                        fmt::format("Gap duration expression used in session window must be "
                                    "CalendarIntervalType, but got {}.",
                                    gap->type->sql()));
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::call;
  out->name = session_name;
  out->pretty = session_name;
  out->type = window_type(time->type);
  out->nullable = false;
  out->children = {time, gap};
  return ExprPtr(out);
}

namespace {

// Neighbours in time whose windows meet become one: `start` and `end` of it for each row.
Result<NodePtr> merged(ExpressionAnalyzer& analyzer, NodePtr input,
                       const std::vector<ExprPtr>& keys, ExprPtr& start, ExprPtr& end) {
  FrameBound before{FrameBound::Kind::preceding, int_literal(1)};
  TRY_ASSIGN(const ExprPtr latest, analyzer.call("max", {end}));
  const ExprPtr reached = over(latest, spec_of(keys, {{start, true, true}}, before));
  Extended known = with_column(input, reached, "reached");
  TRY_ASSIGN(const ExprPtr first, analyzer.call("isnull", {known.column}));
  TRY_ASSIGN(const ExprPtr later, analyzer.call(">", {start, known.column}));
  TRY_ASSIGN(const ExprPtr begins, analyzer.call("or", {first, later}));
  TRY_ASSIGN(const ExprPtr one, analyzer.call("if", {begins, long_literal(1), long_literal(0)}));
  known = with_column(known.node, one, "begins");
  TRY_ASSIGN(const ExprPtr count, analyzer.call("sum", {known.column}));
  // Of rows with one time that which begins a session comes first.
  const std::vector<SortKey> order = {{start, true, true}, {known.column, false, false}};
  known = with_column(known.node, over(count, spec_of(keys, order, FrameBound{})), "session");
  std::vector<ExprPtr> partition = keys;
  partition.push_back(known.column);
  const FrameBound all{FrameBound::Kind::unbounded_following, nullptr};
  TRY_ASSIGN(const ExprPtr lowest, analyzer.call("min", {start}));
  TRY_ASSIGN(const ExprPtr highest, analyzer.call("max", {end}));
  Extended from = with_column(known.node, over(lowest, spec_of(partition, {}, all)), "start");
  Extended to = with_column(from.node, over(highest, spec_of(partition, {}, all)), "end");
  start = from.column;
  end = to.column;
  return to.node;
}

}  // namespace

Result<NodePtr> RelationAnalyzer::expand_session_windows(NodePtr input, Exprs& exprs,
                                                         std::size_t key_count, bool grouped) {
  ExprPtr window;
  bool other = false;  // a second window, of either kind
  IdSet time_windows;
  if (input != nullptr) {
    for (const Attribute& a : input->output) {
      if (a.metadata.find("spark.timeWindow") != std::string::npos)
        time_windows.insert(key_of(a.id));
    }
  }
  for (const ExprPtr& e : exprs) {
    visit(*e, [&](const Expr& x) {
      if (x.kind == ExprKind::attribute) other = other || time_windows.contains(key_of(x.id));
      if (x.kind != ExprKind::call || x.name != session_name) return true;
      if (window == nullptr) window = std::make_shared<Expr>(x);
      other = other || !same_expr(*window, x);
      return false;
    });
  }
  if (window == nullptr) return input;
  if (other) {
    return legacy_error("_LEGACY_ERROR_TEMP_1039",
                        "Multiple time/session window expressions would result in a cartesian "
                        "product of rows, therefore they are currently not supported.");
  }
  if (input == nullptr) input = make_project(nullptr, {});
  if (is_streaming(*input))
    return Status::unsupported("session_window in a streaming query is not supported");
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  Extended at = with_column(input, window->children[0], "time");
  ExprPtr start = at.column;
  TRY_ASSIGN(const ExprPtr until, analyzer.call("+", {start, window->children[1]}));
  at = with_column(at.node, until, "until");
  ExprPtr end = at.column;
  TRY_ASSIGN(const ExprPtr positive, analyzer.call(">", {end, start}));
  NodePtr node = make_filter(at.node, positive);
  const auto is_window = [&](const ExprPtr& e) {
    const ExprPtr bare = strip_alias(e);
    return bare->kind == ExprKind::call && bare->name == session_name;
  };
  if (grouped) {
    // Keys that compute something are columns below, so that both levels see the same values.
    Exprs keys;
    for (std::size_t i = 0; i < key_count; ++i) {
      if (is_window(exprs[i])) continue;
      if (exprs[i]->kind != ExprKind::attribute) {
        const Extended key = with_column(node, strip_alias(exprs[i]), exprs[i]->name);
        node = key.node;
        keys.push_back(key.column);
      } else {
        keys.push_back(exprs[i]);
      }
    }
    TRY_ASSIGN(node, merged(analyzer, node, keys, start, end));
  }
  TRY_ASSIGN(const ExprPtr made, analyzer.call("named_struct", {string_literal("start"), start,
                                                                string_literal("end"), end}));
  Attribute column;
  column.id = next_attribute_id();
  column.name = session_name;
  column.type = window->type;
  column.nullable = false;
  column.metadata = session_metadata;
  Exprs below;
  for (const Attribute& a : input->output) below.push_back(make_attribute(a));
  below.push_back(make_alias(made, column.name, column.id, column.metadata));
  node = make_project(std::move(node), std::move(below));
  for (ExprPtr& e : exprs) {
    e = transform(e, [&](const ExprPtr& x) -> ExprPtr {
      if (x->kind != ExprKind::call || x->name != session_name) return x;
      return make_attribute(column);
    });
    if (e->kind == ExprKind::alias && e->name == session_name &&
        e->children[0]->kind == ExprKind::attribute && e->children[0]->id == column.id) {
      e = e->children[0];
    }
  }
  return node;
}

}  // namespace millstream::plan
