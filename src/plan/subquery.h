// Subqueries: queries inside expressions and lateral joins, which may name columns of the query
// around them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plan/scope.h"

namespace spark::connect {
class Relation;
}  // namespace spark::connect

namespace millstream::plan {

class Resolver;
struct SqlFunction;

// The columns of the query around a subquery that the subquery names. Each is a parameter of the
// subquery's plan: a lambda_variable in it, whose value the outer expression gives for each row.
class OuterScope {
 public:
  explicit OuterScope(const Scope& scope) : scope_(scope) {}

  // Nothing when the outer query has no such column either. Spark looks one query up, no further.
  Result<std::optional<ExprPtr>> resolve(const NameParts& parts);

  const std::vector<ExprPtr>& values() const { return values_; }
  const std::vector<AttributeId>& parameters() const { return parameters_; }

 private:
  const Scope& scope_;
  std::vector<ExprPtr> values_;
  std::vector<AttributeId> parameters_;
};

// Who analyses the subqueries that an expression names by plan id. Implemented by RelationAnalyzer.
class SubqueryAnalyzer {
 public:
  virtual ~SubqueryAnalyzer() = default;
  virtual Result<NodePtr> analyze_subquery(std::int64_t plan_id, OuterScope& outer) = 0;
  // Subqueries of an expression's text; they outlive the call of the matching forget.
  virtual void define_subqueries(const std::vector<spark::connect::Relation>& subqueries) = 0;
  virtual void forget_subqueries(std::size_t count) = 0;
  // What names of expressions may mean beyond columns and the functions table.
  virtual std::optional<ExprPtr> session_variable(const NameParts& parts) = 0;
  virtual std::shared_ptr<const SqlFunction> sql_function(const std::string& name) = 0;
  virtual Resolver& resolver() = 0;
  // The value of an expression that is_foldable, as a literal with the expression's text.
  virtual Result<ExprPtr> constant_value(const ExprPtr& constant) = 0;
};

// Whether its value can be told before there are rows.
bool is_foldable(const Expr& expr);

}  // namespace millstream::plan
