// MergeSource: the rows that a MERGE merges, computed once and numbered; which of them met a row of
// the target. Used by one thread.
#pragma once

#include <memory>
#include <vector>

#include "session/kept_rows.h"
#include "session/session.h"

namespace millstream::session {

class MergeSource {
 public:
  // Of `node`'s columns those in `wanted`, which expressions refer to.
  static Result<MergeSource> make(Session& session, const plan::NodePtr& node,
                                  const std::vector<plan::AttributeId>& wanted,
                                  const ActionContext& context);

  // The rows: the wanted columns under their own ids, and the number.
  const plan::NodePtr& rows() const { return rows_; }
  plan::ExprPtr number() const { return plan::make_attribute(rows_->output.back()); }
  std::int64_t row_count() const { return row_count_; }

  void note_match(std::int64_t number);
  // The rows that were not noted: of the same columns.
  plan::NodePtr unmatched() const;

 private:
  std::shared_ptr<const KeptRows> kept_;
  plan::NodePtr rows_;
  std::int64_t row_count_ = 0;
  std::shared_ptr<std::vector<bool>> matched_;
};

}  // namespace millstream::session
