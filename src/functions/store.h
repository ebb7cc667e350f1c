// What may be put into a column of another type. Pure functions.
#pragma once

#include "column/types.h"

namespace millstream::functions {

// As ANSI store assignment has it: numbers go to numbers, dates and times to such, everything
// atomic to texts; a text goes to nothing else. Of nested types, member by member.
bool ansi_stores(const column::TypePtr& from, const column::TypePtr& to);
// The members' types go as `goes` says, and none that may be NULL to one that must not.
bool members_go(const column::TypePtr& from, const column::TypePtr& to,
                bool (*goes)(const column::TypePtr&, const column::TypePtr&));
bool is_atomic(const column::TypePtr& type);

}  // namespace millstream::functions
