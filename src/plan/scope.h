// Scope: what the names of one operator's expressions can mean: its inputs' columns, a DataFrame
// among its inputs (plan_id), lambda parameters, and, where Spark looks further, columns below the
// input or aliases of the same list. Made for one operator; used by one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/node.h"
#include "plan/text.h"

namespace millstream::plan {

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
  void add_fallback(Fallback fallback) { fallbacks_.push_back(std::move(fallback)); }

  // UNRESOLVED_COLUMN.*, AMBIGUOUS_REFERENCE and the errors of struct member access.
  Result<ExprPtr> resolve(const NameParts& parts) const;
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
  ExprPtr as_input(const ExprPtr& expr) const;

  std::vector<NodePtr> inputs_;
  std::vector<Attribute> attributes_;
  bool case_sensitive_;
  std::vector<Fallback> fallbacks_;
  std::vector<std::vector<Attribute>> lambdas_;
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
