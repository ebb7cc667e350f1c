// df.describe, df.summary and df.stat: desugared into aggregates, so that they run as one query.
#include <arrow/scalar.h>

#include <cstdlib>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "spark/connect/expressions.pb.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;

namespace {

ExprPtr double_literal(double value) {
  return literal_of(std::make_shared<arrow::DoubleScalar>(value), column::double_type());
}

ExprPtr named(const ExprPtr& value, const std::string& name) {
  return make_alias(value, name, next_attribute_id());
}

Status legacy(std::string text) {
  return Status::invalid("requirement failed: {}", std::move(text));
}

// "25%" as 0.25.
Result<double> percentage_of(const std::string& statistic) {
  const std::string number = statistic.substr(0, statistic.size() - 1);
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end) / 100.0;
  if (number.empty() || *end != '\0') {
    return Status::error("UNRECOGNIZED_STATISTIC", {{"stats", "'" + statistic + "'"}});
  }
  if (!(value >= 0 && value <= 1)) return legacy("Percentiles must be in the range [0, 1]");
  return value;
}

// A statistic of a column, before it becomes a text.
Result<ExprPtr> statistic_of(ExpressionAnalyzer& analyzer, const std::string& name,
                             const ExprPtr& column) {
  ExprPtr number = column;
  if (column->type->is_string()) {
    TRY_ASSIGN(number, analyzer.cast(column, column::double_type(), analyzer.ansi(), true));
  }
  if (name.ends_with('%')) {
    TRY_ASSIGN(const double p, percentage_of(name));
    if (number->type->kind() == TypeKind::decimal) {
      TRY_ASSIGN(number, analyzer.cast(number, column::double_type(), analyzer.ansi(), false));
    }
    return analyzer.call("percentile_approx", {number, double_literal(p)});
  }
  const std::string lower = to_lower(name);
  if (lower == "count") return analyzer.call("count", {column});
  if (lower == "count_distinct") return analyzer.call("count", {column}, true);
  if (lower == "approx_count_distinct") return analyzer.call(lower, {column});
  if (lower == "mean") return analyzer.call("avg", {number});
  if (lower == "stddev") return analyzer.call("stddev_samp", {number});
  if (lower == "min" || lower == "max") return analyzer.call(lower, {column});
  return Status::error("UNRECOGNIZED_STATISTIC", {{"stats", "'" + name + "'"}});
}

Status check_numeric(const char* what, const ExprPtr& column) {
  if (column->type->is_numeric()) return Status::OK();
  return legacy(fmt::format("Currently {} calculation for columns with dataType {} not supported.",
                            what, to_lower(column->type->sql())));
}

}  // namespace

Result<NodePtr> make_unfolded(NodePtr input, std::vector<ExprPtr> before,
                              std::vector<ExprPtr> arrays, std::size_t length,
                              ExpressionAnalyzer& analyzer) {
  std::vector<ExprPtr> places;
  for (std::size_t i = 0; i < length; ++i) places.push_back(int_literal(static_cast<int>(i)));
  TRY_ASSIGN(ExprPtr all, analyzer.call("array", std::move(places)));
  TRY_ASSIGN(ExprPtr each, analyzer.call("explode", {all}));
  input = make_generate(std::move(input), each, {});
  const ExprPtr place = make_attribute(input->output.back());
  std::vector<ExprPtr> columns = std::move(before);
  for (const ExprPtr& array : arrays) {
    TRY_ASSIGN(ExprPtr element, analyzer.call("get", {array->children[0], place}));
    auto value = std::make_shared<Expr>(*element);
    value->nullable = array->children[0]->type->contains_null();
    columns.push_back(make_alias(value, array->name, array->id));
  }
  return make_project(std::move(input), std::move(columns));
}

Result<ExprPtr> RelationAnalyzer::column_named(const std::string& name, const NodePtr& input) {
  TRY_ASSIGN(const NameParts parts, sql::parse_identifier(name));
  const Scope scope = scope_of({input});
  TRY_ASSIGN(ExprPtr column, scope.resolve(parts));
  return with_name(column);
}

Result<NodePtr> RelationAnalyzer::describe(const sc::StatDescribe& proto, NodePtr input) {
  if (proto.cols_size() > 0) {
    Exprs columns;
    for (const std::string& name : proto.cols()) {
      TRY_ASSIGN(ExprPtr column, column_named(name, input));
      columns.push_back(std::move(column));
    }
    input = make_project(std::move(input), std::move(columns));
  }
  return summary({"count", "mean", "stddev", "min", "max"}, std::move(input));
}

Result<NodePtr> RelationAnalyzer::summary(std::vector<std::string> statistics, NodePtr input) {
  if (statistics.empty())
    statistics = {"count", "mean", "stddev", "min", "25%", "50%", "75%", "max"};
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  for (const std::string& name : statistics) {
    if (name.ends_with('%')) TRY(percentage_of(name).status());
    TRY(statistic_of(analyzer, name, int_literal(0)).status());
  }
  Exprs columns;
  for (const ExprPtr& column : visible_columns(*input)) {
    if (column->type->is_numeric() || column->type->is_string()) columns.push_back(column);
  }
  Exprs values;
  for (const ExprPtr& column : columns) {
    for (const std::string& name : statistics) {
      TRY_ASSIGN(ExprPtr value, statistic_of(analyzer, name, column));
      TRY_ASSIGN(value, analyzer.cast(value, column::string_type(), analyzer.ansi(), false));
      auto text = std::make_shared<Expr>(*value);
      text->nullable = true;
      values.push_back(named(text, name));
    }
  }
  NodePtr computed;
  if (values.empty()) {
    computed = make_project(nullptr, {named(int_literal(0), "none")});
  } else {
    TRY_ASSIGN(computed, make_aggregate(std::move(input), {}, std::move(values)));
  }
  Exprs names;
  for (const std::string& name : statistics) names.push_back(string_literal(name));
  Exprs arrays;
  TRY_ASSIGN(ExprPtr first, analyzer.call("array", std::move(names)));
  TRY_ASSIGN(first,
             analyzer.cast(first, column::array_type(column::string_type(), true), true, false));
  arrays.push_back(named(first, "summary"));
  std::size_t at = 0;
  for (const ExprPtr& column : columns) {
    Exprs texts;
    for (std::size_t i = 0; i < statistics.size(); ++i)
      texts.push_back(make_attribute(computed->output[at++]));
    TRY_ASSIGN(ExprPtr array, analyzer.call("array", std::move(texts)));
    arrays.push_back(named(array, column->name));
  }
  return make_unfolded(std::move(computed), {}, std::move(arrays), statistics.size(), analyzer);
}

namespace {

// The value as a text, "null" for NULL.
Result<ExprPtr> category(ExpressionAnalyzer& analyzer, const ExprPtr& column) {
  TRY_ASSIGN(ExprPtr text,
             analyzer.cast(strip_alias(column), column::string_type(), analyzer.ansi(), false));
  return analyzer.call("coalesce", {text, string_literal("null")});
}

}  // namespace

// How often each pair of values is there; a row for each value of the first column.
Result<NodePtr> RelationAnalyzer::crosstab(const sc::StatCrosstab& proto, NodePtr input) {
  TRY_ASSIGN(const ExprPtr first, column_named(proto.col1(), input));
  TRY_ASSIGN(const ExprPtr second, column_named(proto.col2(), input));
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  TRY_ASSIGN(ExprPtr key, category(analyzer, first));
  auto shown = std::make_shared<Expr>(*key);
  shown->nullable = true;
  key = std::move(shown);
  TRY_ASSIGN(ExprPtr column, category(analyzer, second));
  TRY_ASSIGN(column, analyzer.call("replace", {column, string_literal("`"), string_literal("")}));
  const std::string key_name = proto.col1() + "_" + proto.col2();
  input = make_project(std::move(input), {named(key, key_name), named(column, "column")});
  const Exprs columns = visible_columns(*input);
  TRY_ASSIGN(const Exprs values, distinct_values(input, columns[1]));
  TRY_ASSIGN(ExprPtr count, analyzer.call("count", {int_literal(1)}));
  TRY_ASSIGN(NodePtr counts,
             pivot(values, input, {columns[0]}, {named(count, "count")}, columns[1]));
  Exprs filled = visible_columns(*counts);
  const ExprPtr zero = literal_of(std::make_shared<arrow::Int64Scalar>(0), column::long_type());
  for (std::size_t i = 1; i < filled.size(); ++i) {
    TRY_ASSIGN(ExprPtr either, analyzer.call("coalesce", {filled[i], zero}));
    filled[i] = named(either, filled[i]->name);
  }
  return make_project(std::move(counts), std::move(filled));
}

namespace {

// A column of those two that are compared: NULL counts as 0, as df.stat has it.
Result<ExprPtr> compared(ExpressionAnalyzer& analyzer, const NodePtr& input,
                         const std::string& name, const char* what, bool case_sensitive) {
  std::vector<std::string> all;
  for (const ExprPtr& column : visible_columns(*input)) {
    all.push_back(sql_id(column->name));
    if (!same_name(column->name, name, case_sensitive)) continue;
    TRY(check_numeric(what, column));
    TRY_ASSIGN(const ExprPtr number,
               analyzer.cast(column, column::double_type(), analyzer.ansi(), false));
    return analyzer.call("coalesce", {number, double_literal(0)});
  }
  return Status::error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                       {{"objectName", sql_id(name)}, {"proposal", join(all, ", ")}});
}

}  // namespace

Result<NodePtr> RelationAnalyzer::covariance(const sc::StatCov& proto, NodePtr input) {
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const bool sensitive = settings_.case_sensitive;
  TRY_ASSIGN(const ExprPtr a, compared(analyzer, input, proto.col1(), "covariance", sensitive));
  TRY_ASSIGN(const ExprPtr b, compared(analyzer, input, proto.col2(), "covariance", sensitive));
  TRY_ASSIGN(ExprPtr value, analyzer.call("covar_samp", {a, b}));
  TRY_ASSIGN(value, analyzer.call("coalesce", {value, double_literal(0)}));
  return make_aggregate(std::move(input), {}, {named(value, "cov")});
}

Result<NodePtr> RelationAnalyzer::correlation(const sc::StatCorr& proto, NodePtr input) {
  if (proto.has_method() && proto.method() != "pearson") {
    return legacy(
        "Currently only the calculation of the Pearson Correlation coefficient is "
        "supported.");
  }
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const bool sensitive = settings_.case_sensitive;
  TRY_ASSIGN(const ExprPtr a, compared(analyzer, input, proto.col1(), "correlation", sensitive));
  TRY_ASSIGN(const ExprPtr b, compared(analyzer, input, proto.col2(), "correlation", sensitive));
  TRY_ASSIGN(ExprPtr value, analyzer.call("corr", {a, b}));
  return make_aggregate(std::move(input), {}, {named(value, "corr")});
}

// The percentiles that are asked for, exactly: no error is within any bound.
Result<NodePtr> RelationAnalyzer::approx_quantile(const sc::StatApproxQuantile& proto,
                                                  NodePtr input) {
  if (proto.relative_error() < 0) {
    return legacy(fmt::format("Relative Error must be non-negative but got {}",
                              java_double(proto.relative_error())));
  }
  for (const double p : proto.probabilities()) {
    if (!(p >= 0 && p <= 1))
      return legacy(
          fmt::format("percentile should be in the range [0.0, 1.0] but got {}", java_double(p)));
  }
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  Exprs percentages;
  for (const double p : proto.probabilities()) percentages.push_back(double_literal(p));
  TRY_ASSIGN(const ExprPtr wanted, analyzer.call("array", percentages));
  const auto list = column::array_type(column::double_type(), false);
  Exprs aggregates;
  for (const std::string& name : proto.cols()) {
    TRY_ASSIGN(ExprPtr column, column_named(name, input));
    if (!column->type->is_numeric()) {
      std::string type = to_lower(column->type->sql());
      type[0] = static_cast<char>(type[0] - 'a' + 'A');
      return legacy(
          fmt::format("Quantile calculation for column {} with data type {}Type is not "
                      "supported.",
                      name, type));
    }
    TRY_ASSIGN(ExprPtr number,
               analyzer.cast(strip_alias(column), column::double_type(), analyzer.ansi(), false));
    TRY_ASSIGN(number, analyzer.call("nanvl", {number, null_literal(column::double_type())}));
    if (percentages.empty()) {
      aggregates.push_back(null_literal(list));
    } else {
      const ExprPtr accuracy = double_literal(1.0 / proto.relative_error());  // of 0: exact
      TRY_ASSIGN(ExprPtr value, analyzer.call("percentile_approx", {number, wanted, accuracy}));
      aggregates.push_back(std::move(value));
    }
  }
  Exprs columns;
  for (const ExprPtr& aggregate : aggregates) columns.push_back(named(aggregate, "quantiles"));
  TRY_ASSIGN(NodePtr computed, make_aggregate(std::move(input), {}, std::move(columns)));
  TRY_ASSIGN(ExprPtr none, analyzer.call("array", {}));
  TRY_ASSIGN(none, analyzer.cast(none, list, true, false));
  Exprs lists;
  for (const ExprPtr& column : visible_columns(*computed)) {
    TRY_ASSIGN(ExprPtr either, analyzer.call("coalesce", {column, none}));
    lists.push_back(std::move(either));
  }
  TRY_ASSIGN(ExprPtr all, analyzer.call("array", std::move(lists)));
  return make_project(std::move(computed), {named(all, "approx_quantile")});
}

Result<NodePtr> RelationAnalyzer::frequent_items(const sc::StatFreqItems& proto, NodePtr input) {
  const double support = proto.has_support() ? proto.support() : 0.01;
  if (!(support >= 1e-4 && support <= 1.0)) {
    return legacy(fmt::format("Support must be in [1e-4, 1], but got {}.", java_double(support)));
  }
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const auto size = static_cast<std::int32_t>(1 / support);
  Exprs aggregates;
  for (const std::string& name : proto.cols()) {
    TRY_ASSIGN(ExprPtr column, column_named(name, input));
    TRY_ASSIGN(ExprPtr items,
               analyzer.call("ms_freq_items", {strip_alias(column), int_literal(size)}));
    aggregates.push_back(named(items, name + "_freqItems"));
  }
  return make_aggregate(std::move(input), {}, std::move(aggregates));
}

// A row of a stratum stays when its random number is below the stratum's fraction.
Result<NodePtr> RelationAnalyzer::sample_by(const sc::StatSampleBy& proto, NodePtr input) {
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  TRY_ASSIGN(ExprPtr column, analyzer.resolve(proto.col()));
  column = strip_alias(column);
  ExprPtr fraction = double_literal(0);
  for (const auto& given : proto.fractions()) {
    TRY_ASSIGN(ExprPtr stratum, literal_from_proto(given.stratum()));
    if (!(given.fraction() >= 0 && given.fraction() <= 1)) {
      return legacy(fmt::format("Fractions must be in [0, 1], but got Map({} -> {}).",
                                stratum->pretty, java_double(given.fraction())));
    }
    TRY_ASSIGN(ExprPtr same, analyzer.call("<=>", {column, stratum}));
    TRY_ASSIGN(fraction, analyzer.call("if", {same, double_literal(given.fraction()), fraction}));
  }
  auto sampled = std::make_shared<Sample>();
  sampled->seed = proto.seed();
  sampled->by = fraction;
  sampled->output = input->output;
  sampled->children.push_back(std::move(input));
  return NodePtr(sampled);
}

}  // namespace millstream::plan
