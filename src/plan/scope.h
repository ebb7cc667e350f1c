// Scope: what the names of one operator's expressions can mean: its inputs' columns, a DataFrame
// among its inputs (plan_id), lambda parameters, and, where Spark looks further, columns below the
// input or aliases of the same list. Made for one operator; used by one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/node.h"
#include "plan/text.h"

namespace millstream::plan {

class OuterScope;
class SubqueryAnalyzer;

// A name that was found: the column, and whether only a hidden one matched.
struct Found {
  ExprPtr expr;
  bool hidden = false;
};

class Scope {
 public:
  // Last resorts for a name that the inputs do not have: nothing when they do not have it either.
  // With a plan_id: the DataFrame that the name was taken from, which is then among what is below
  // the inputs.
  using Fallback = std::function<Result<std::optional<ExprPtr>>(
      const NameParts&, std::optional<std::int64_t> plan_id)>;

  Scope(std::vector<NodePtr> inputs, bool case_sensitive);

  const std::vector<NodePtr>& inputs() const { return inputs_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  bool case_sensitive() const { return case_sensitive_; }
  // `for_subqueries`: a subquery's reference to the query around it may use it too.
  void add_fallback(Fallback fallback, bool for_subqueries = false) {
    fallbacks_.push_back({std::move(fallback), for_subqueries});
  }

  // Asked before the inputs are: a query's own rule for some names.
  void set_preference(Fallback preference) { preference_ = std::move(preference); }
  // A name that the inputs have twice is looked for as one that they do not have.
  void pass_over_ambiguous() { passes_over_ambiguous_ = true; }

  // Of a query with others around it: who analyses subqueries, and the query around; both may be
  // null.
  void set_surroundings(SubqueryAnalyzer* subqueries, OuterScope* outer) {
    subqueries_ = subqueries;
    outer_ = outer;
  }
  // The SQL text that the places of its expressions are in; null: none.
  void set_text(const std::string* text) { text_ = text; }
  const std::string* text() const { return text_; }
  SubqueryAnalyzer* subqueries() const { return subqueries_; }
  bool in_lambda() const { return !lambdas_.empty(); }

  // UNRESOLVED_COLUMN.*, AMBIGUOUS_REFERENCE and the errors of struct member access.
  Result<ExprPtr> resolve(const NameParts& parts) const;
  Result<ExprPtr> resolve_here(const NameParts& parts) const;  // not in the query around
  // For a subquery that names it; nothing when there is no such column.
  Result<std::optional<ExprPtr>> resolve_for_subquery(const NameParts& parts) const;
  // By the DataFrame that the name was taken from; see the .cc for the rules.
  Result<ExprPtr> resolve(const NameParts& parts, std::int64_t plan_id, bool metadata_column) const;
  // The columns of `*`, of `target.*` (a qualifier or a struct), of a DataFrame's `*`.
  Result<std::vector<ExprPtr>> expand_star() const;
  Result<std::vector<ExprPtr>> expand_star(const NameParts& target) const;
  Result<std::vector<ExprPtr>> expand_star(std::int64_t plan_id) const;

  void push_lambda(std::vector<Attribute> parameters);
  void pop_lambda() { lambdas_.pop_back(); }

 private:
  std::optional<ExprPtr> lambda_variable(const NameParts& parts) const;
  Result<std::optional<Found>> find(const NameParts& parts) const;
  ExprPtr as_input(const ExprPtr& expr) const;

  std::vector<NodePtr> inputs_;
  std::vector<Attribute> attributes_;
  // Places in attributes_ by lower-case name; made when it is first needed.
  mutable std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
  bool case_sensitive_;
  struct KnownFallback {
    Fallback find;
    bool for_subqueries = false;
  };
  std::vector<KnownFallback> fallbacks_;
  Fallback preference_;
  bool passes_over_ambiguous_ = false;
  std::vector<std::vector<Attribute>> lambdas_;
  SubqueryAnalyzer* subqueries_ = nullptr;
  OuterScope* outer_ = nullptr;
  const std::string* text_ = nullptr;
};

// The column of the DataFrame `plan_id` in or below `node`; nothing when there is none that `node`
// outputs.
Result<std::optional<ExprPtr>> find_dataframe_column(const NodePtr& node, const NameParts& parts,
                                                     std::int64_t plan_id, bool case_sensitive);

bool same_name(const std::string& a, const std::string& b, bool case_sensitive);
// Among `attributes`: nothing when none matches. A struct member gets an alias with its name on
// top.
Result<std::optional<Found>> find_name(const std::vector<Attribute>& attributes,
                                       const NameParts& parts, bool case_sensitive);

// base.field, base[key]: UnresolvedExtractValue.
Result<ExprPtr> extract_value(const ExprPtr& base, const ExprPtr& extraction, bool case_sensitive,
                              bool ansi);

}  // namespace millstream::plan
