// Calls that only the parser writes, for what Connect has no message for (see README.md). Their
// shape is taken for granted, so a user's text and a client's message may not name them.
#pragma once

#include <string_view>

#include "base/status.h"

namespace millstream::sql {

// `function` may be qualified and quoted.
bool is_own_call(std::string_view function);
Status unknown_routine(std::string_view function);  // UNRESOLVED_ROUTINE

}  // namespace millstream::sql
