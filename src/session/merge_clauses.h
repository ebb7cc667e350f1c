// What the clauses of a MERGE mean: their conditions and values over the columns of the target and
// the source, and the table's columns after it. Inside of the room; one statement's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/table_change.h"
#include "sql/statement.h"

namespace millstream::session {

using MergeKind = sql::MergeClause::Kind;
using MergeAction = sql::MergeClause::Action;

struct ResolvedClause {
  MergeKind kind = MergeKind::matched;
  MergeAction action = MergeAction::update;
  plan::ExprPtr condition;            // null: none
  std::vector<plan::ExprPtr> values;  // a column of the table each; of a delete none

  bool removes() const { return action == MergeAction::remove; }
};

struct ResolvedMerge {
  plan::ExprPtr on;
  std::vector<ResolvedClause> clauses;  // without those whose condition is constantly false
  column::Schema schema;                // of the table after it

  std::vector<const ResolvedClause*> of(MergeKind kind) const;
  // Several source rows may match one row of the target.
  bool allows_several_matches() const;
};

// Sets `target.plan` where the columns change.
Result<ResolvedMerge> resolve_merge(const sql::Merge& merge, TableChange& target,
                                    const plan::NodePtr& source);

}  // namespace millstream::session
