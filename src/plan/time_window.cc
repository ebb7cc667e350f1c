// window(time, duration[, slide[, start]]): the windows of a row become a struct column below the
// operator that names them.
#include <arrow/scalar.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "plan/interval_text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

using column::TypeKind;
using column::TypePtr;

namespace {

constexpr const char* window_name = "time_window";
constexpr const char* window_metadata = R"({"spark.timeWindow":true})";
// A row lies in that many windows at most.
constexpr std::int64_t windows_max = 1000;

TypePtr window_type() {
  return column::struct_type(
      {{"start", column::timestamp_type(), true, {}}, {"end", column::timestamp_type(), true, {}}});
}

ExprPtr long_literal(std::int64_t value) {
  return implicit_cast(literal_of(std::make_shared<arrow::Int64Scalar>(value), column::long_type()),
                       column::long_type(), true);
}

struct Windows {
  ExprPtr time;  // a timestamp
  std::int64_t duration_us = 0;
  std::int64_t slide_us = 0;
  std::int64_t start_us = 0;
};

Windows parameters_of(const Expr& window) {
  return {window.children[0], *constant_integer(*window.children[1]),
          *constant_integer(*window.children[2]), *constant_integer(*window.children[3])};
}

// The start of the latest window that the time may lie in, in microseconds.
Result<ExprPtr> latest_start(ExpressionAnalyzer& analyzer, const Windows& w,
                             const ExprPtr& micros) {
  ExprPtr shifted = micros;
  if (w.start_us != 0) {
    TRY_ASSIGN(shifted, analyzer.call("-", {micros, long_literal(w.start_us)}));
  }
  TRY_ASSIGN(ExprPtr rest, analyzer.call("pmod", {shifted, long_literal(w.slide_us)}));
  return analyzer.call("-", {micros, rest});
}

Result<ExprPtr> window_struct(ExpressionAnalyzer& analyzer, const Windows& w, const ExprPtr& latest,
                              std::int64_t back) {
  ExprPtr start = latest;
  if (back != 0) {
    TRY_ASSIGN(start, analyzer.call("-", {latest, long_literal(back * w.slide_us)}));
  }
  TRY_ASSIGN(ExprPtr end, analyzer.call("+", {start, long_literal(w.duration_us)}));
  TRY_ASSIGN(ExprPtr from, analyzer.call("timestamp_micros", {start}));
  TRY_ASSIGN(ExprPtr to, analyzer.call("timestamp_micros", {end}));
  return analyzer.call("named_struct", {string_literal("start"), from, string_literal("end"), to});
}

// "1 month", "2 years 1 month": the months among the parts of a duration, as Spark shows it;
// nothing where there are none.
std::optional<std::string> months_in(const std::string& duration) {
  const auto words = split(to_lower(trim(duration)), ' ');
  for (const auto& word : words) {
    if (word == "month" || word == "months" || word == "year" || word == "years") return duration;
  }
  return std::nullopt;
}

Status months_refused(const std::string& duration) {
  ErrorInfo info;
  info.kind = ErrorKind::illegal_argument;
  info.condition = "_LEGACY_ERROR_TEMP_3231";
  info.parameters = {{"interval", duration}};
  info.message = "Intervals greater than a month is not supported (" + duration + ").";
  return Status(std::move(info));
}

}  // namespace

Result<ExprPtr> ExpressionAnalyzer::time_window(const std::vector<ExprPtr>& arguments) {
  if (arguments.size() < 2 || arguments.size() > 4) {
    return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         {{"functionName", "`window`"},
                          {"expectedNum", "[2, 3, 4]"},
                          {"actualNum", std::to_string(arguments.size())},
                          {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  ExprPtr time = arguments[0];
  const TypeKind kind = time->type->kind();
  if (kind == TypeKind::string || kind == TypeKind::date || kind == TypeKind::null) {
    time = implicit_cast(time, column::timestamp_type(), ansi());
  } else if (kind == TypeKind::time) {
    return Status::error("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
                         {{"sqlExpr", sql_expr(time->pretty)},
                          {"srcType", sql_type(time->type)},
                          {"targetType", "\"TIMESTAMP\""}});
  } else if (kind == TypeKind::timestamp_ntz || kind == TypeKind::struct_) {
    return Status::unsupported("window over a column of the type {}", time->type->sql());
  }
  std::vector<std::int64_t> micros;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const auto text = constant_string(*arguments[i]);
    if (!text) return Status::unsupported("window wants constant durations");
    if (const auto months = months_in(*text)) return months_refused(*months);
    TRY_ASSIGN(const std::int64_t ms, parse_delay_ms(*text));
    micros.push_back(ms * 1000);
  }
  const std::int64_t duration = micros[0];
  const std::int64_t slide = micros.size() > 1 ? micros[1] : duration;
  const std::int64_t start = micros.size() > 2 ? micros[2] : 0;
  if (time->type->kind() != TypeKind::timestamp) {
    return Status::error(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        {{"sqlExpr",
          sql_expr(fmt::format("window({}, {}, {}, {})", time->pretty, duration, slide, start))},
         {"paramIndex", "first"},
         {"requiredType",
          "(\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\" or \"STRUCT<start: TIMESTAMP, end: "
          "TIMESTAMP>\" or \"STRUCT<start: TIMESTAMP_NTZ, end: TIMESTAMP_NTZ>\")"},
         {"inputSql", sql_expr(time->pretty)},
         {"inputType", sql_type(time->type)}});
  }
  const auto wrong = [&](const char* left, std::int64_t a, const char* right, std::int64_t b,
                         const char* relation) {
    return Status::error("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION",
                         {{"sqlExpr", "\"window\""},
                          {"leftExprName", left},
                          {"leftExprValue", fmt::format("{}L", a)},
                          {"constraint", relation},
                          {"rightExprName", right},
                          {"rightExprValue", fmt::format("{}L", b)}});
  };
  if (duration <= 0 || slide <= 0) {
    return Status::error("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                         {{"sqlExpr", "\"window\""},
                          {"exprName", duration <= 0 ? "`window_duration`" : "`slide_duration`"},
                          {"valueRange", "(0, 9223372036854775807]"},
                          {"currentValue", fmt::format("{}L", duration <= 0 ? duration : slide)}});
  }
  if (slide > duration) {
    return wrong("`slide_duration`", slide, "`window_duration`", duration, "<=");
  }
  if (std::abs(start) >= slide) {
    return wrong("`abs(start_time)`", std::abs(start), "`slide_duration`", slide, "<");
  }
  if ((duration + slide - 1) / slide > windows_max) {
    return Status::unsupported("a window of more than {} slides", windows_max);
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::call;
  out->name = window_name;
  out->pretty = "window";
  out->type = window_type();
  out->nullable = false;
  out->origin = origin();
  out->children = {time, long_literal(duration), long_literal(slide), long_literal(start)};
  return ExprPtr(out);
}

// The last instant of a window.
Result<ExprPtr> ExpressionAnalyzer::window_time(const ExprPtr& window) {
  if (!column::same_type_ignoring_nullability(window->type, window_type())) {
    return Status::unsupported("window_time of {}, which is not a window", window->pretty);
  }
  TRY_ASSIGN(ExprPtr end, extract_value(window, string_literal("end"), false, ansi()));
  TRY_ASSIGN(ExprPtr micros, call("unix_micros", {end}));
  TRY_ASSIGN(ExprPtr last, call("-", {micros, long_literal(1)}));
  TRY_ASSIGN(ExprPtr made, call("timestamp_micros", {last}));
  auto out = std::make_shared<Expr>(*made);
  out->pretty = "window_time(" + window->pretty + ")";
  return ExprPtr(out);
}

Result<NodePtr> RelationAnalyzer::expand_time_windows(NodePtr input, Exprs& exprs) {
  ExprPtr window;
  bool several = false;
  for (const ExprPtr& e : exprs) {
    visit(*e, [&](const Expr& x) {
      if (x.kind != ExprKind::call || x.name != window_name) return true;
      if (window == nullptr) {
        window = std::make_shared<Expr>(x);
      } else if (!same_expr(*window, x)) {
        several = true;
      }
      return false;
    });
  }
  if (window == nullptr) return input;
  if (several) {
    return Status::unsupported(
        "Multiple time/session window expressions would result in a cartesian product of rows, "
        "therefore they are currently not supported.");
  }
  if (input == nullptr) input = make_project(nullptr, {});
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const Windows w = parameters_of(*window);
  TRY_ASSIGN(ExprPtr there, analyzer.call("isnotnull", {w.time}));
  if (w.time->nullable) input = make_filter(input, there);
  TRY_ASSIGN(ExprPtr micros, analyzer.call("unix_micros", {w.time}));
  TRY_ASSIGN(ExprPtr latest, latest_start(analyzer, w, micros));
  const std::int64_t count = (w.duration_us + w.slide_us - 1) / w.slide_us;
  Attribute column;
  column.id = next_attribute_id();
  column.name = "window";
  column.type = window_type();
  column.nullable = false;
  column.metadata = window_metadata;
  Exprs below = visible_columns(*input);
  if (count == 1) {
    TRY_ASSIGN(ExprPtr only, window_struct(analyzer, w, latest, 0));
    below.push_back(make_alias(only, column.name, column.id, column.metadata));
    input = make_project(input, std::move(below));
  } else {
    Exprs candidates;
    for (std::int64_t back = 0; back < count; ++back) {
      TRY_ASSIGN(ExprPtr one, window_struct(analyzer, w, latest, back));
      candidates.push_back(std::move(one));
    }
    TRY_ASSIGN(ExprPtr all, analyzer.call("array", std::move(candidates)));
    TRY_ASSIGN(ExprPtr exploded, analyzer.call("explode", {all}));
    auto generate = std::make_shared<Generate>();
    generate->generator = exploded;
    generate->output = input->output;
    generate->output.push_back(column);
    generate->children.push_back(input);
    input = generate;
    // A duration that is no multiple of the slide leaves the oldest candidate too old for some
    // times.
    if (w.duration_us % w.slide_us != 0) {
      TRY_ASSIGN(ExprPtr end, extract_value(make_attribute(column), string_literal("end"), false,
                                            settings_.functions.ansi));
      TRY_ASSIGN(ExprPtr inside, analyzer.call("<", {w.time, end}));
      input = make_filter(input, inside);
    }
  }
  for (ExprPtr& e : exprs) {
    e = transform(e, [&](const ExprPtr& x) -> ExprPtr {
      if (x->kind != ExprKind::call || x->name != window_name) return x;
      return make_attribute(column);
    });
    // `window` itself is the column; what was named after it keeps that name.
    if (e->kind == ExprKind::alias && e->name == "window" &&
        e->children[0]->kind == ExprKind::attribute && e->children[0]->id == column.id) {
      e = e->children[0];
    }
  }
  return input;
}

}  // namespace millstream::plan
