// What a Delta table says of its columns beyond their types: DEFAULT values, and columns that are
// computed from others. They stand in the metadata of the schema's fields. Functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "column/types.h"
#include "session/session.h"
#include "sql/statement.h"

namespace millstream::session {

std::string default_of(const column::Field& field);     // its text; empty: none
std::string generation_of(const column::Field& field);  // its expression's text; empty: none
bool has_rules(const column::Schema& schema);
bool has_defaults(const column::Schema& schema);

// `metadata` (JSON) with a member put to it, or without it when `text` is nothing.
std::string with_member(const std::string& metadata, const char* key,
                        const std::optional<std::string>& text);

// Puts what CREATE TABLE says of the columns into their metadata. INVALID_DEFAULT_VALUE,
// UNSUPPORTED_EXPRESSION_GENERATED_COLUMN, …
Status put_clauses(Session& session, const sql::CreateTable& create, column::Schema* schema,
                   const ActionContext& context);
Status check_default(Session& session, const std::string& statement, const column::Field& field,
                     const std::string& text, const ActionContext& context);

// Column references DEFAULT of an INSERT's query, at the places of the table's columns `names`,
// become these columns' values. DEFAULT_PLACEMENT_INVALID.
Status put_defaults(spark::connect::Relation* query, const std::vector<std::string>& names,
                    const column::Schema& table);

// Whether the whole value is DEFAULT. DEFAULT_PLACEMENT_INVALID inside of something else.
Result<bool> stands_for_default(const spark::connect::Expression& value);
spark::connect::Expression default_value(const column::Field& field);  // NULL: it has none
// Of a generated column, over the table's columns. `given`: the column has a value, which must be
// the same; `shown` are the columns that the error shows.
spark::connect::Expression value_by_rule(Session& session, const column::Schema& table,
                                         const column::Field& field, bool given,
                                         const column::Schema& shown);

// `rows`, whose columns have the table's names, with the columns that are missing and have a rule.
// What is given for a generated column must be what its expression gives:
// DELTA_VIOLATE_CONSTRAINT_WITH_VALUES when a row is computed.
Result<plan::NodePtr> complete_rows(Session& session, const plan::NodePtr& rows,
                                    const column::Schema& table, const ActionContext& context);

}  // namespace millstream::session
