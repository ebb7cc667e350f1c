// EXECUTE IMMEDIATE.
#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

// EXECUTE IMMEDIATE text [INTO a, b] [USING [(] value [AS name], … [)]]
Status Grammar::execute_immediate(Statement& out) {
  position_ += 2;
  ExecuteImmediate execute;
  const std::size_t first = position_;
  sc::Expression ignored;
  TRY(expression(ignored));
  execute.text = text_between(first, position_);
  if (accept_word("INTO")) {
    do {
      TRY(dotted_name(&execute.into.emplace_back()));
    } while (accept_symbol(","));
  }
  if (accept_word("USING")) {
    const bool bracket = is_symbol("(") && matching_bracket(position_) + 2 >= tokens_.size();
    if (bracket) take();
    do {
      auto& argument = execute.arguments.emplace_back(std::make_shared<sc::Expression>());
      std::string& called = execute.names.emplace_back();
      TRY(expression(*argument));
      if (accept_word("AS") || is_name()) TRY(name(&called));
    } while (accept_symbol(","));
    if (bracket) TRY(expect_symbol(")"));
  }
  if (!subqueries_.empty()) {
    subqueries_.clear();
    return Status::error("UNSUPPORTED_EXPR_FOR_PARAMETER",
                         {{"invalidExprSql", "\"scalarsubquery()\""}});
  }
  out = std::move(execute);
  return Status::OK();
}

}  // namespace millstream::sql
