// INSERT INTO and what CREATE statements check about columns. Functions; any thread.
#pragma once

#include "column/types.h"
#include "session/session.h"
#include "sql/statement.h"

namespace spark::connect {
class ToDF;
}  // namespace spark::connect

namespace millstream::session {

// The folder of a table of the warehouse, or of delta.`/path`.
Result<std::string> insert_directory(Session& session, const sql::Name& name);
Status insert_rows(Session& session, const sql::Insert& insert, const ActionContext& context);
// Whether its names and types mean something; writes nothing.
Status check_insert(Session& session, const sql::Insert& insert, const ActionContext& context);

// What a DataFrame's writer appends to a Delta table, each column in the type of the table's column
// of its name: a store assignment. `insert`: the table, and whether members of structs go by name.
Result<plan::NodePtr> with_stored_types(Session& session, const plan::NodePtr& node,
                                        const column::Schema& table, const sql::Insert& insert);

Status check_duplicates(const column::Schema& schema);  // COLUMN_ALREADY_EXISTS
Status check_view_columns(const std::string& view, const spark::connect::ToDF& names,
                          const column::Schema& query);

}  // namespace millstream::session
