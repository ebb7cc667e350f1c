// Work that recurses over a deep statement, on a stack that is large enough. Any thread.
#pragma once

#include <functional>
#include <string_view>

namespace millstream::engine {

// How deep the parentheses of a statement nest: DuckDB recurses about as deep.
int nesting_of(std::string_view sql);

// The same within one SELECT: the depth of its expressions. What DuckDB does with one grows with
// the depth's cube.
int expression_depth_of(std::string_view sql);

// Runs `work` before it returns: here when the nesting is small, else on a thread with a stack of
// its own.
void on_deep_stack(int nesting, const std::function<void()>& work);

}  // namespace millstream::engine
