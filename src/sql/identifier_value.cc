#include "sql/identifier_value.h"

#include <utility>

#include "sql/grammar.h"

namespace millstream::sql {
namespace {

thread_local const ComputeIdentifier* current = nullptr;

}  // namespace

IdentifierValues::IdentifierValues(ComputeIdentifier compute)
    : compute_(std::move(compute)), outer_(std::exchange(current, &compute_)) {}

IdentifierValues::~IdentifierValues() { current = outer_; }

Result<std::string> identifier_value(const sc::Expression& constant) {
  if (constant.literal().has_string()) return constant.literal().string();
  if (current == nullptr) return Status::unsupported("IDENTIFIER takes a literal here");
  return (*current)(constant);
}

Result<std::vector<std::string>> parse_name(std::string_view text) {
  TRY_ASSIGN(auto tokens, tokenize(text));
  return Grammar(text, std::move(tokens)).parse_name();
}

// IDENTIFIER('a.b'), IDENTIFIER(:name || '.b'), IDENTIFIER(v): a constant text that is a name.
Status Grammar::identifier_clause(std::vector<std::string>* parts) {
  take();
  TRY(expect_symbol("("));
  const std::size_t subqueries = subqueries_.size();
  sc::Expression constant;
  TRY(expression(constant));
  TRY(expect_symbol(")"));
  if (subqueries_.size() > subqueries) {
    return Status::error("NOT_A_CONSTANT_STRING.NOT_CONSTANT",
                         {{"name", "IDENTIFIER"}, {"expr", "scalarsubquery()"}});
  }
  // The statements of a script are read before its variables are there, and again after it.
  if (in_script_ && !constant.literal().has_string()) {
    *parts = {"identifier"};
    return Status::OK();
  }
  TRY_ASSIGN(const std::string text, identifier_value(constant));
  TRY_ASSIGN(*parts, sql::parse_name(text));
  return Status::OK();
}

Result<std::vector<std::string>> Grammar::parse_name() {
  if (peek().kind == TokenKind::end) return empty_statement();
  std::vector<std::string> parts;
  TRY(dotted_name(&parts));
  TRY(unexpected_end());
  return parts;
}

}  // namespace millstream::sql
