// Columns of CHAR(n) in comparisons: the shorter side is filled up with blanks, so that 'a' is what
// a CHAR(3) holds of it. Pure.
#pragma once

#include <string>
#include <vector>

#include "plan/node.h"

namespace millstream::plan {

// Of the call `name` (as the registry's Call has it), whose arguments are texts.
void fill_up_chars(const std::string& name, std::vector<ExprPtr>& arguments);

// The rows of a table that was named by its path, with its columns of CHAR(n) filled up.
NodePtr with_filled_chars(NodePtr rows);

}  // namespace millstream::plan
