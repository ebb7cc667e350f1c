// ExpressionParser: recursive descent with precedence climbing over the tokens of one text. Writes
// Connect messages. Made for one parse_expression call. What Connect has no message for is written
// as calls of functions that only plan knows: ms_filter(aggregate, condition) and
// ms_local_timestamp(wall-clock micros).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spark/connect/expressions.pb.h"
#include "sql/lexer.h"

namespace millstream::sql {

namespace sc = spark::connect;

namespace limits {
// Nesting of one expression, and terms of one chain of operators: what walks the tree recurses.
inline constexpr int nesting_max = 400;
inline constexpr int chain_max = 2000;
}  // namespace limits

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  // expression [[AS] name | [AS] (name, …)] and nothing more.
  Status parse_all(sc::Expression& out);

 private:
  // parser.cc: operators, loosest first.
  Status named(sc::Expression& out);
  Status expression(sc::Expression& out);  // OR
  Status conjunction(sc::Expression& out);
  Status negation(sc::Expression& out);
  Status predicate(sc::Expression& out);
  Status predicate_tail(sc::Expression& value, bool* applied);
  Status like_tail(sc::Expression& value, const std::string& name, bool negated);
  Status is_tail(sc::Expression& value);
  Status binary(sc::Expression& out, int level);
  Status unary(sc::Expression& out);
  Status postfix(sc::Expression& out);

  // primary.cc
  Status primary(sc::Expression& out);
  Status parenthesized(sc::Expression& out);
  Status word(sc::Expression& out);
  Status name_or_call(sc::Expression& out);
  Status call(const std::string& name, sc::Expression& out);
  Status call_arguments(const std::string& name, sc::Expression_UnresolvedFunction& function);
  Status argument(sc::Expression& out);
  Status lambda(sc::Expression& out);
  Status case_expression(sc::Expression& out);
  Status cast(sc::Expression& out, bool try_cast);
  Status cast_type(std::string* type, bool in_call);
  Status special_call(const std::string& name, sc::Expression& out, bool* done);
  Status extract(sc::Expression& out);
  Status substring(const std::string& name, sc::Expression& out, bool* done);
  Status trim(sc::Expression& out, bool* done);
  Status position(sc::Expression& out, bool* done);
  Status overlay(sc::Expression& out);
  Status row(std::vector<sc::Expression> members, sc::Expression& out);

  // literals.cc
  Status number(sc::Expression& out, bool negative);
  Status typed_literal(const Token& type, const Token& text, sc::Expression& out);
  Status interval(sc::Expression& out);

  // window.cc
  Status after_call(sc::Expression& out);
  Status window(sc::Expression& function, sc::Expression& out);
  Status frame(sc::Expression_Window& window);
  Status frame_bound(sc::Expression_Window_WindowFrame_FrameBoundary& bound);
  Status sort_item(sc::Expression_SortOrder& order);

  const Token& peek(std::size_t ahead = 0) const {
    const std::size_t i = position_ + ahead;
    return i < tokens_.size() ? tokens_[i] : tokens_.back();
  }
  const Token& take() { return tokens_[position_ < tokens_.size() - 1 ? position_++ : position_]; }
  bool is_symbol(std::string_view symbol, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::symbol && peek(ahead).text == symbol;
  }
  bool is_word(std::string_view keyword, std::size_t ahead = 0) const;
  bool is_name(std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::word || peek(ahead).kind == TokenKind::quoted;
  }
  bool accept_symbol(std::string_view symbol);
  bool accept_word(std::string_view keyword);
  Status expect_symbol(std::string_view symbol);
  Status expect_word(std::string_view keyword);
  Status name(std::string* out);
  Status unexpected() const { return syntax_error(text_, peek(), false); }
  Status too_complex() const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int nesting_ = 0;
};

// Message builders.
sc::Expression_UnresolvedFunction* make_function(sc::Expression& out, std::string_view name);
void make_string(sc::Expression& out, std::string_view value);
void make_int(sc::Expression& out, int value);
// `out` becomes name(out).
void wrap(sc::Expression& out, std::string_view name);
// `out` becomes name(out, right); right is consumed.
void wrap(sc::Expression& out, std::string_view name, sc::Expression& right);
std::string quoted_name(const std::vector<std::string>& parts);

}  // namespace millstream::sql
