#include "shell/script.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
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

// How deep the tokens of a statement are in BEGIN … END and what stands in it: its semicolons end
// no statement of the shell.
class BlockDepth {
 public:
  void see(const sql::Token& token) {
    const bool word = token.kind == sql::TokenKind::word;
    const std::string text = word ? to_upper(token.text) : std::string(token.text);
    if (first_ && word && text != "BEGIN" && !labelled_) {
      labelled_ = true;  // perhaps a label
    } else if (first_ && labelled_ && text == ":") {
      starts_ = true;
    } else if (first_) {
      script_ = text == "BEGIN" && (starts_ || !labelled_);
      first_ = false;
      depth_ = script_ ? 1 : 0;
      starts_ = true;
    } else if (script_) {
      step(text, word);
    }
  }
  bool open() const { return depth_ > 0; }

 private:
  void step(const std::string& text, bool word) {
    const bool ended = std::exchange(ended_, false);
    if (!word) {
      starts_ = text == ";" || text == ":";
      return;
    }
    const bool loops =
        text == "IF" || text == "WHILE" || text == "FOR" || text == "LOOP" || text == "REPEAT";
    if (text == "END") {
      --depth_;
      ended_ = true;
    } else if (!(ended && (loops || text == "CASE"))) {
      depth_ += text == "BEGIN" || text == "CASE" || (loops && starts_) ? 1 : 0;
    }
    starts_ = text == "BEGIN" || text == "THEN" || text == "ELSE" || text == "DO" ||
              text == "LOOP" || text == "REPEAT";
  }

  bool first_ = true;
  bool labelled_ = false;
  bool starts_ = false;  // a statement begins here
  bool script_ = false;
  bool ended_ = false;  // END was the last word
  int depth_ = 0;
};

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
  std::size_t first = 0;  // where the statement's first token is, if `found`
  bool found = false;
  BlockDepth depth;
  for (const sql::Token& token : *tokens) {
    if (opens_quote(token)) break;
    depth.see(token);
    if (token.kind != sql::TokenKind::symbol || token.text != ";" || depth.open()) {
      if (!found) first = token.offset;
      found = true;
      continue;
    }
    const std::string_view text = std::string_view(*buffer).substr(begin, token.offset - begin);
    if (found) statements.push_back(make_statement(text, first - begin, *first_line));
    *first_line += lines_in(text);
    begin = token.offset + 1;
    found = false;
    depth = BlockDepth();
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
