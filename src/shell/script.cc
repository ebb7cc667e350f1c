#include "shell/script.h"

#include <algorithm>
#include <optional>

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

// The text from its first token, at `first`, on; `line` is that of the text.
Statement make_statement(std::string_view text, std::size_t first, int line) {
  line += lines_in(text.substr(0, first));
  text.remove_prefix(first);
  return {std::string(text.substr(0, text.find_last_not_of(blanks) + 1)), line};
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
  std::optional<std::size_t> first;  // the statement's first token
  for (const sql::Token& token : *tokens) {
    if (opens_quote(token)) break;
    if (token.kind != sql::TokenKind::symbol || token.text != ";") {
      if (!first) first = token.offset;
      continue;
    }
    const std::string_view text = std::string_view(*buffer).substr(begin, token.offset - begin);
    if (first) statements.push_back(make_statement(text, *first - begin, *first_line));
    *first_line += lines_in(text);
    begin = token.offset + 1;
    first.reset();
  }
  buffer->erase(0, begin);
  return statements;
}

std::vector<Statement> take_last(std::string* buffer, int first_line) {
  if (!says_something(*buffer)) return {};
  const auto tokens = sql::tokenize(*buffer);
  std::string text;
  text.swap(*buffer);
  return {make_statement(text, tokens.ok() ? tokens->front().offset : 0, first_line)};
}

}  // namespace millstream::shell
