// SQL functions and session variables.
#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

namespace {

Status refused(const std::string& words) {
  return Status::unsupported("the SQL statement {} is not supported by Millstream yet", words);
}

}  // namespace

// FUNCTION [IF NOT EXISTS] f(x INT DEFAULT 1) RETURNS INT COMMENT '…' RETURN x + 1
Status Grammar::create_function(Statement& out, bool replace, bool temporary) {
  take();
  CreateFunction create;
  create.replace = replace;
  create.temporary = temporary;
  create.if_not_exists = accept_if_not_exists();
  if (replace && create.if_not_exists) {
    return parse_error(
        text_, tokens_[0], tokens_[tokens_.size() - 2],
        Status::error("INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE"));
  }
  TRY(dotted_name(&create.name));
  if (accept_word("AS")) {
    std::string class_name;
    TRY(string_value(&class_name));
    return Status::error("CANNOT_LOAD_FUNCTION_CLASS",
                         {{"className", class_name}, {"functionName", quoted_name(create.name)}});
  }
  TRY(function_parameters(create));
  TRY(function_clauses(create));
  out = std::move(create);
  return Status::OK();
}

Status Grammar::function_parameters(CreateFunction& create) {
  TRY(expect_symbol("("));
  if (accept_symbol(")")) return Status::OK();
  do {
    auto& parameter = create.parameters.emplace_back();
    TRY(name(&parameter.name));
    ColumnChange type;
    const std::size_t first = position_;
    int depth = 0;
    const auto ends = [&] {
      return depth == 0 &&
             (is_symbol(",") || is_symbol(")") || is_word("DEFAULT") || is_word("COMMENT"));
    };
    const auto skip = [&] {
      while (peek().kind != TokenKind::end && !ends()) {
        if (is_symbol("(")) ++depth;
        if (is_symbol(")")) --depth;
        for (const char c : peek().kind == TokenKind::symbol ? peek().text : std::string_view()) {
          depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        }
        take();
      }
    };
    if (!is_name()) return unexpected();
    skip();
    parameter.type = text_between(first, position_);
    if (accept_word("DEFAULT")) {
      const std::size_t value = position_;
      sc::Expression ignored;
      TRY(expression(ignored));
      parameter.default_text = text_between(value, position_);
    }
    if (accept_word("COMMENT")) {
      std::string comment;
      TRY(string_value(&comment));
    }
  } while (accept_symbol(","));
  return expect_symbol(")");
}

Status Grammar::function_clauses(CreateFunction& create) {
  for (;;) {
    if (accept_word("RETURNS")) {
      create.table = accept_word("TABLE");
      if (create.table && !is_symbol("(")) continue;
      const std::size_t first = position_;
      if (create.table) {
        const std::size_t close = matching_bracket(position_);
        if (close >= tokens_.size()) return unexpected();
        create.returns = text_between(first + 1, close);
        position_ = close + 1;
        continue;
      }
      TRY(cast_type(&create.returns, false));
    } else if (accept_word("COMMENT")) {
      TRY(string_value(&create.comment));
    } else if (is_word("LANGUAGE") && is_word("SQL", 1)) {
      position_ += 2;
    } else if (accept_word("DETERMINISTIC") || (is_word("CONTAINS") && is_word("SQL", 1))) {
      if (is_word("CONTAINS")) position_ += 2;
    } else if (is_word("READS") && is_word("SQL", 1) && is_word("DATA", 2)) {
      position_ += 3;
    } else if (is_word("NOT") && is_word("DETERMINISTIC", 1)) {
      position_ += 2;
    } else if (accept_word("RETURN")) {
      const std::size_t first = position_;
      if (create.table) {
        QueryPtr query;
        TRY(whole_query(&query));
      } else if (starts_query()) {
        QueryPtr query;
        TRY(whole_query(&query));
        create.body = "(" + text_between(first, position_) + ")";
        return Status::OK();
      } else {
        sc::Expression body;
        TRY(expression(body));
        subqueries_.clear();
      }
      create.body = text_between(first, position_);
      return Status::OK();
    } else if (is_word("LANGUAGE")) {
      return refused("CREATE FUNCTION … LANGUAGE " + to_upper(peek(1).text));
    } else {
      return unexpected();
    }
  }
}

// DECLARE [OR REPLACE] [VARIABLE] v, w [type] [DEFAULT | = value]
Status Grammar::declare_variable(Statement& out) {
  take();
  DeclareVariable declare;
  if (is_word("OR") && is_word("REPLACE", 1)) {
    position_ += 2;
    declare.replace = true;
  }
  if ((is_word("VARIABLE") || is_word("VAR")) && is_name(1)) take();
  do {
    TRY(dotted_name(&declare.names.emplace_back()));
  } while (accept_symbol(","));
  const Token name_token = tokens_[position_ - 1];
  if (is_name() && !is_word("DEFAULT")) TRY(cast_type(&declare.type, false));
  if (accept_word("DEFAULT") || accept_symbol("=")) {
    const std::size_t first = position_;
    sc::Expression value;
    TRY(expression(value));
    subqueries_.clear();
    declare.default_text = text_between(first, position_);
  }
  if (declare.type.empty() && declare.default_text.empty()) {
    return parse_error(text_, tokens_[0], name_token,
                       Status::error("INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED"));
  }
  out = std::move(declare);
  return Status::OK();
}

// SET VAR a = 1, b = DEFAULT | (a, b) = (query)
Status Grammar::set_variable(Statement& out) {
  if (!in_script_ && (is_word("VARIABLE") || is_word("VAR"))) take();
  SetVariable set;
  if (accept_symbol("(")) {
    do {
      TRY(dotted_name(&set.names.emplace_back()));
    } while (accept_symbol(","));
    TRY(expect_symbol(")"));
    TRY(expect_symbol("="));
    TRY(expect_symbol("("));
    TRY(whole_query(&set.query));
    TRY(expect_symbol(")"));
    out = std::move(set);
    return Status::OK();
  }
  do {
    TRY(dotted_name(&set.names.emplace_back()));
    if (in_script_ && is_name()) return syntax_error(text_, peek(), true);
    TRY(expect_symbol("="));
    const std::size_t first = position_;
    if (is_word("DEFAULT") && !is_symbol("(", 1) && !is_symbol(".", 1)) {
      take();
      set.values.emplace_back();
      continue;
    }
    sc::Expression value;
    TRY(expression(value));
    subqueries_.clear();
    set.values.push_back(text_between(first, position_));
  } while (accept_symbol(","));
  out = std::move(set);
  return Status::OK();
}

}  // namespace millstream::sql
