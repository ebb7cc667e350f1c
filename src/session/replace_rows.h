// Writes that replace some rows of a Delta table: the option replaceWhere, INSERT … REPLACE WHERE,
// INSERT OVERWRITE of a partition, writeTo(…).overwrite(condition). Functions; any thread.
#pragma once

#include <string>

#include "delta/write.h"
#include "session/session.h"

namespace spark::connect {
class Expression;
}  // namespace spark::connect

namespace millstream::session {

struct RowReplacement {
  std::string directory;
  const spark::connect::Expression* where = nullptr;  // the rows that go
  std::string where_text;
  bool check_rows = true;  // it must be true of the new rows too
};

// `rows`: the new ones, by name. DELTA_REPLACE_WHERE_MISMATCH.
Status replace_rows(Session& session, const RowReplacement& replacement,
                    const delta::WriteOptions& options, const plan::NodePtr& rows,
                    const ActionContext& context);

}  // namespace millstream::session
