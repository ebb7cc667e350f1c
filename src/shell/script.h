// Cuts text into SQL statements at the semicolons that are no part of a quote or comment. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace millstream::shell {

struct Statement {
  std::string text;  // without the semicolon, trimmed
  int line = 1;      // where it begins, in the text that was given
};

// The statements that end with a semicolon go out of `buffer`; what is left is not complete yet.
// Statements of blanks and comments alone are left out. `first_line`: of the buffer; it moves on.
std::vector<Statement> take_statements(std::string* buffer, int* first_line);

// What is left at the end of a script is a statement too, if it says anything.
std::vector<Statement> take_last(std::string* buffer, int first_line);

// Whether the text holds anything but blanks and comments.
bool says_something(std::string_view text);

}  // namespace millstream::shell
