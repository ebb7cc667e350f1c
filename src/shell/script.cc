#include "shell/script.h"

#include <algorithm>

#include "sql/lexer.h"

namespace millstream::shell {
namespace {

constexpr const char* blanks = " \t\r\n\f\v";

bool opens_quote(const sql::Token& token) {
  return token.kind == sql::TokenKind::unknown && !token.text.empty() &&
         std::string_view("'\"`").find(token.text.front()) != std::string_view::npos;
}

int lines_in(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// Trimmed, with the line on which it begins.
Statement make_statement(std::string_view text, int line) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {"", line};
  line += lines_in(text.substr(0, begin));
  const std::size_t end = text.find_last_not_of(blanks);
  return {std::string(text.substr(begin, end + 1 - begin)), line};
}

}  // namespace

bool says_something(std::string_view text) {
  const auto tokens = sql::tokenize(text);
  // What cannot be cut into tokens is for the server to refuse.
  return !tokens.ok() || tokens->front().kind != sql::TokenKind::end;
}

std::vector<Statement> take_statements(std::string* buffer, int* first_line) {
  const auto tokens = sql::tokenize(*buffer);
  if (!tokens.ok()) return {};  // a comment that is not closed yet
  std::vector<Statement> statements;
  std::size_t begin = 0;
  bool empty = true;
  for (const sql::Token& token : *tokens) {
    if (opens_quote(token)) break;
    if (token.kind != sql::TokenKind::symbol || token.text != ";") {
      empty = false;
      continue;
    }
    const std::string_view text = std::string_view(*buffer).substr(begin, token.offset - begin);
    if (!empty) statements.push_back(make_statement(text, *first_line));
    *first_line += lines_in(text);
    begin = token.offset + 1;
    empty = true;
  }
  buffer->erase(0, begin);
  return statements;
}

std::vector<Statement> take_last(std::string* buffer, int first_line) {
  if (!says_something(*buffer)) return {};
  std::string text;
  text.swap(*buffer);
  return {make_statement(text, first_line)};
}

}  // namespace millstream::shell
