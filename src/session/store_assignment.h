// What a value becomes when it is put into a table's column: spark.sql.storeAssignmentPolicy. Pure
// functions.
#pragma once

#include <string>

#include "column/types.h"
#include "plan/expr.h"
#include "plan/node.h"
#include "session/conf.h"

namespace millstream::session {

enum class StoreAssignment : std::uint8_t {
  ansi,    // as ANSI casts, where the types go together at all
  strict,  // without loss only
  legacy,  // as casts without ANSI: what does not fit is NULL or wraps
};

StoreAssignment store_assignment(const RuntimeConf& conf);
// Whether a value of that type may be put into a column of the other at all.
bool can_store(StoreAssignment policy, const column::TypePtr& from, const column::TypePtr& to);
// The value as one of the column, whose types are others.
Result<plan::ExprPtr> stored_value(const RuntimeConf& conf, const plan::ExprPtr& value,
                                   const column::Field& column);
// A cast that the statement (its text; empty: there is none) asks for as a whole: its error shows
// all of the text. Other values as they are.
plan::ExprPtr placed_in(const std::string& statement, const plan::ExprPtr& value);

// The error of a number that did not fit, as that of the column for which `rows` casts it.
Status overflow_in_insert(const Status& status, const plan::Node& rows);

}  // namespace millstream::session
