// ExpressionAnalyzer: unresolved Connect expressions in, resolved ones out: names by the scope,
// functions by the table (functions::resolve), implicit casts written out, Spark's column names as
// `pretty`. Made for one operator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <google/protobuf/repeated_field.h>

#include "plan/analyzer.h"
#include "plan/scope.h"

namespace spark::connect {
class Expression_Alias;
class Expression_Cast;
class Expression_LambdaFunction;
class Expression_SortOrder;
class Expression_UnresolvedAttribute;
class Expression_UnresolvedFunction;
class Expression_UnresolvedRegex;
class Expression_UnresolvedStar;
class Expression_UpdateFields;
class Expression_Window;
class Expression_Window_WindowFrame;
class SubqueryExpression;
}  // namespace spark::connect

namespace millstream::plan {

ExprPtr strip_alias(const ExprPtr& expr);
// An attribute or alias: the expression itself, or under the name that Spark gives it.
ExprPtr with_name(const ExprPtr& expr);
Attribute attribute_of(const Expr& named);  // of an attribute or alias
// An expression that is written twice in another, that one in a third, and so on, would never end.
Status check_parts(const Expr& expr);
// Whether it is a call with lambdas, or with values in their places.
bool is_higher_order(const spark::connect::Expression_UnresolvedFunction& proto);
// The argument in the type wanted; constants are converted at once.
ExprPtr implicit_cast(const ExprPtr& expr, const column::TypePtr& type, bool ansi);

class ExpressionAnalyzer {
 public:
  using Proto = spark::connect::Expression;

  ExpressionAnalyzer(const AnalyzerSettings& settings, Scope& scope)
      : settings_(settings), scope_(scope), text_(scope.text()) {}

  // One expression; an alias may be on top.
  Result<ExprPtr> resolve(const Proto& proto);
  // A member of a select list: a star gives several; a generator with several names gives one alias
  // whose `names` are in generator_names().
  Result<std::vector<ExprPtr>> expand(const Proto& proto);
  Result<SortKey> sort_key(const spark::connect::Expression_SortOrder& proto);
  // A boolean for WHERE and ON.
  Result<ExprPtr> condition(const Proto& proto);

  // A call by name with resolved arguments.
  Result<ExprPtr> call(const std::string& name, std::vector<ExprPtr> arguments,
                       bool distinct = false);
  Result<ExprPtr> cast(const ExprPtr& child, const column::TypePtr& to, bool ansi, bool try_cast);

  // The arguments of a function written in SQL, in the types of its parameters.
  Result<std::vector<ExprPtr>> sql_arguments(
      const SqlFunction& function, const google::protobuf::RepeatedPtrField<Proto>& arguments);

  // The error at the place of that expression.
  Status placed_at(const Status& status, const Proto& proto);

  // Names given to the columns of the generator that was expanded last; empty: its own.
  const std::vector<std::string>& generator_names() const { return generator_names_; }
  bool ansi() const { return settings_.functions.ansi; }

 private:
  Result<ExprPtr> resolve_kind(const Proto& proto);
  std::optional<QueryContext> origin() const;  // where the expression at hand was written
  Status placed(const Status& status) const;
  Result<ExprPtr> attribute(const spark::connect::Expression_UnresolvedAttribute& proto);
  Result<ExprPtr> expression_string(const std::string& text);
  Result<std::optional<ExprPtr>> named_time(const Expr& text, const column::TypePtr& to);
  Result<ExprPtr> alias(const spark::connect::Expression_Alias& proto);
  Result<ExprPtr> cast(const spark::connect::Expression_Cast& proto);
  Result<std::vector<ExprPtr>> star(const spark::connect::Expression_UnresolvedStar& proto);
  Result<std::vector<ExprPtr>> star_except(
      const spark::connect::Expression_UnresolvedFunction& proto);
  Result<std::vector<ExprPtr>> star_set(const spark::connect::Expression_UnresolvedFunction& proto);
  Result<std::vector<ExprPtr>> columns_by_regex(
      const spark::connect::Expression_UnresolvedRegex& proto);
  Result<std::vector<ExprPtr>> expand_string(const std::string& text);
  Result<std::vector<ExprPtr>> multi_alias(const spark::connect::Expression_Alias& proto);
  Result<ExprPtr> update_fields(const spark::connect::Expression_UpdateFields& proto);
  Result<ExprPtr> rebuilt_struct(const ExprPtr& base, const std::vector<std::string>& path,
                                 std::size_t at, const ExprPtr& value);

  // subquery.cc
  Result<ExprPtr> subquery(const spark::connect::SubqueryExpression& proto);

  // functions.cc
  Status fold_argument(const std::string& name, std::vector<ExprPtr>& arguments);
  Result<ExprPtr> function(const spark::connect::Expression_UnresolvedFunction& proto);
  Result<ExprPtr> named_function(const std::string& name, std::vector<ExprPtr> arguments,
                                 bool distinct);
  Result<std::optional<ExprPtr>> without_ansi(const std::string& name,
                                              const std::vector<ExprPtr>& arguments);
  Result<std::optional<ExprPtr>> truth_equality(const std::string& name, const ExprPtr& a,
                                                const ExprPtr& b);
  Result<std::optional<ExprPtr>> text_and_interval(const std::string& name, ExprPtr a, ExprPtr b);
  Result<std::optional<ExprPtr>> special_function(const std::string& lower, const std::string& name,
                                                  const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> case_when(const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> in_list(const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> between(const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> input_file(const std::string& name);
  Result<ExprPtr> null_if(const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> make_struct(const std::string& name, const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> variant_path(const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> local_timestamp(const ExprPtr& micros, bool has_zone);
  Result<ExprPtr> aggregate_filter(const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> time_window(const std::vector<ExprPtr>& arguments);  // time_window.cc
  Result<ExprPtr> window_time(const ExprPtr& window);
  Result<ExprPtr> sequence_id();
  Result<ExprPtr> session_window(const std::vector<ExprPtr>& arguments);  // session_window.cc

  // within_group.cc
  Result<ExprPtr> within_group(const spark::connect::Expression_UnresolvedFunction& proto);
  Result<ExprPtr> ordered_percentile(const std::string& name, const ExprPtr& percentage,
                                     const SortKey& key);
  // named_arguments.cc: the arguments in their places.
  Result<spark::connect::Expression_UnresolvedFunction> by_position(
      const spark::connect::Expression_UnresolvedFunction& proto);
  // sql_function.cc
  Result<ExprPtr> sql_call(const SqlFunction& function,
                           const spark::connect::Expression_UnresolvedFunction& proto);

  Result<ExprPtr> grouping(const std::string& name, const std::vector<ExprPtr>& arguments);
  Result<ExprPtr> stack(const std::vector<ExprPtr>& arguments);

  // higher_order.cc
  Result<ExprPtr> higher_order(const spark::connect::Expression_UnresolvedFunction& proto);
  Result<ExprPtr> lambda(const spark::connect::Expression_LambdaFunction& proto,
                         const std::vector<Attribute>& parameters);

  // window.cc
  Result<ExprPtr> window(const spark::connect::Expression_Window& proto);
  Status window_frame(const spark::connect::Expression_Window_WindowFrame& proto, WindowSpec& spec);
  Result<ExprPtr> frame_distance(const ExprPtr& value, const WindowSpec& spec);

  const AnalyzerSettings& settings_;
  Scope& scope_;
  const std::string* text_;    // of SQL, when there is one: what places are in
  const Proto* at_ = nullptr;  // what is being resolved, of that whose place is known
  bool in_window_ = false;     // the function of an OVER: window functions are allowed
  std::vector<std::string> generator_names_;
};

}  // namespace millstream::plan
