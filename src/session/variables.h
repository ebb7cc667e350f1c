// Variables of the session and of the script that runs, and values that texts and queries give.
// Functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "sql/statement.h"

namespace millstream::session {

// `v`, `session.v`, `system.session.v`, or one of the script around.
std::optional<Variable> find_variable(Session& session, const sql::Name& name);
Status unresolved_variable(const Session& session, const sql::Name& name);
void assign_variable(Session& session, const sql::Name& name, plan::ExprPtr value);

// The first row's values in these types (null: as they are); no row: NULLs, or nothing where the
// caller asks.
Result<std::vector<plan::ExprPtr>> first_row(Session& session,
                                             const spark::connect::Relation& relation,
                                             const std::vector<column::TypePtr>& types,
                                             const ActionContext& context, bool* empty = nullptr);
// Of an expression; an empty text is NULL. `type`: null: the expression's own.
Result<plan::ExprPtr> value_of_text(Session& session, const std::string& text,
                                    const column::TypePtr& type, const ActionContext& context);

}  // namespace millstream::session
