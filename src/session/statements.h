// SQL statements that are no queries, as sql::parse_statement gives them: views, tables, INSERT,
// SHOW, DESCRIBE, settings. Functions; any thread.
#pragma once

#include <functional>

#include "session/result_table.h"
#include "session/session.h"
#include "sql/statement.h"

namespace millstream::session {

// An analysed plan as EXPLAIN shows it.
using ExplainText = std::function<Result<std::string>(const plan::NodePtr&, sql::ExplainMode)>;

// A Relation SQL, or a WithRelations of one whose references the text names: the rows of a
// statement; nothing for a query, which is left to be run as a relation.
Result<std::optional<CatalogResult>> run_sql(Session& session,
                                             const spark::connect::Relation& relation,
                                             const ActionContext& context,
                                             const ExplainText& explain_text);
// The statement's rows; nothing for a query.
Result<std::optional<CatalogResult>> run_statement(Session& session,
                                                   const sql::Statement& statement,
                                                   const ActionContext& context,
                                                   const ExplainText& explain_text);

}  // namespace millstream::session
