// SET of UPDATE and MERGE: what each column of the table is after it. Functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "plan/row_expressions.h"

namespace millstream::session {

// `path`: a column, then members of its struct. Its value as it was resolved.
struct Assignment {
  std::vector<std::string> path;
  plan::ExprPtr value;
};

// The column that SET names, without what qualifies it: of the table's alias, or its name's parts.
std::vector<std::string> without_qualifier(const std::vector<std::string>& path,
                                           const std::vector<std::string>& qualifier,
                                           const column::Schema& schema);

// One value for each column of `schema`: `current[i]` where it is not assigned. Each value is cast
// to its column's type. DELTA_CONFLICT_SET_COLUMN; DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION for a
// struct of other members, unless `members_may_differ`; the errors of casts.
Result<std::vector<plan::ExprPtr>> assigned(plan::RowExpressions& expressions,
                                            const column::Schema& schema,
                                            const std::vector<plan::ExprPtr>& current,
                                            const std::vector<Assignment>& assignments,
                                            bool members_may_differ = false);

// What no condition or value of a changed row may hold: aggregates, windows, generators.
// UNSUPPORTED_EXPR_FOR_OPERATOR.
Status check_row_expression(const plan::Expr& expr);
// CAST_OVERFLOW of the cast that puts a value into its column, as that of a write.
Status overflow_in_write(const Status& status, const column::Schema& schema,
                         const std::vector<plan::ExprPtr>& values);

}  // namespace millstream::session
