// Columns of CHAR(n) and VARCHAR(n) when rows are written and read. Functions; any thread.
#pragma once

#include <string>

#include "column/types.h"
#include "plan/analyzer.h"
#include "plan/node.h"
#include "session/session.h"

namespace millstream::session {

// The SQL of a column of a Delta table, which takes no longer texts than it was declared for:
// DELTA_EXCEED_CHAR_VARCHAR_LIMIT. It keeps them as they are.
std::string checked_text(const std::string& name, const column::TypePtr& declared);
// The rows with their CHAR columns filled up, where the session asks for that.
Result<plan::NodePtr> with_filled_chars(Session& session, plan::Resolver& resolver,
                                        const plan::NodePtr& rows);
// Rows with the columns of a table of files, in order, as the columns take them: filled up, cut of
// blanks, or refused (EXCEED_LIMIT_LENGTH).
Result<plan::NodePtr> with_fitted_chars(Session& session, const plan::NodePtr& rows,
                                        const column::Schema& table);

}  // namespace millstream::session
