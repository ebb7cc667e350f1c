// Primary expressions: names, calls and the forms that have a syntax of their own.
#include <algorithm>

#include "base/text.h"
#include "column/types.h"
#include "sql/grammar.h"
#include "sql/own_calls.h"

namespace millstream::sql {

Status Grammar::primary(sc::Expression& out) {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::integer:
    case TokenKind::decimal:
    case TokenKind::exponent:
      return number(out, false);
    case TokenKind::string: {
      std::string value = take().value;
      while (peek().kind == TokenKind::string) value += take().value;
      make_string(out, value);
      return Status::OK();
    }
    case TokenKind::word:
      return word(out);
    case TokenKind::quoted:
      return name_or_call(out);
    case TokenKind::symbol:
      break;
    case TokenKind::unknown:
    case TokenKind::end:
      return unexpected();
  }
  if (is_symbol("(")) return parenthesized(out);
  if (accept_symbol("*")) {
    out.mutable_unresolved_star();
    return star(out);
  }
  if (is_symbol("-")) {
    take();
    return number(out, true);
  }
  if (is_symbol("?") || (is_symbol(":") && is_name(1))) return parameter(out);
  return unexpected();
}

// `:name` or `?`: the value that came with the text.
Status Grammar::parameter(sc::Expression& out) {
  const Token mark = take();
  const bool named = mark.text == ":";
  const std::string name = named ? take().value : "_" + std::to_string(mark.offset);
  const sc::Expression* value = nullptr;
  (named ? named_markers_ : positional_markers_) = true;
  if (named_markers_ && positional_markers_) {
    return Status::error("INVALID_QUERY_MIXED_QUERY_PARAMETERS");
  }
  if (parameters_ != nullptr && named) {
    const auto found = parameters_->named.find(name);
    if (found != parameters_->named.end()) value = found->second;
  } else if (parameters_ != nullptr && positional_ < parameters_->positional.size()) {
    value = parameters_->positional[positional_++];
  }
  if (value == nullptr) {
    const Token& last = tokens_[position_ - 1];
    return with_place(Status::error("UNBOUND_SQL_PARAMETER", {{"name", name}}), text_, mark.offset,
                      last.offset + last.text.size());
  }
  out = *value;
  return Status::OK();
}

// What may follow a star: EXCEPT (a, b.c).
Status Grammar::star(sc::Expression& out) {
  if (!is_word("EXCEPT") || !is_symbol("(", 1) || starts_query(2)) return Status::OK();
  take();
  take();
  wrap(out, "ms_star_except");
  do {
    std::vector<std::string> parts;
    TRY(dotted_name(&parts));
    out.mutable_unresolved_function()
        ->add_arguments()
        ->mutable_unresolved_attribute()
        ->set_unparsed_identifier(quoted_name(parts));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

Status Grammar::parenthesized(sc::Expression& out) {
  take();
  if (starts_query()) {
    TRY(subquery(out, sc::SubqueryExpression::SUBQUERY_TYPE_SCALAR));
    return expect_symbol(")");
  }
  sc::Expression first;
  TRY(named(first));
  if (!is_symbol(",") && !first.has_alias()) {
    TRY(expect_symbol(")"));
    out.Swap(&first);
    return Status::OK();
  }
  std::vector<sc::Expression> members;
  members.push_back(std::move(first));
  while (accept_symbol(",")) {
    members.emplace_back();
    TRY(named(members.back()));
  }
  TRY(expect_symbol(")"));
  return row(std::move(members), out);
}

// (a, b AS c, 1): a struct with members a, c and col3.
Status Grammar::row(std::vector<sc::Expression> members, sc::Expression& out) {
  auto* function = make_function(out, "ms_row");
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::string member = fmt::format("col{}", i + 1);
    sc::Expression value;
    if (members[i].has_alias()) {
      member = members[i].alias().name(0);
      value.Swap(members[i].mutable_alias()->mutable_expr());
    } else {
      value.Swap(&members[i]);
      if (value.has_unresolved_attribute()) {
        const auto& text = value.unresolved_attribute().unparsed_identifier();
        // The last part: names are written with backquotes by name_or_call.
        const auto from = text.rfind(".`");
        member = text.substr(from == std::string::npos ? 1 : from + 2);
        member.pop_back();
      }
    }
    make_string(*function->add_arguments(), member);
    function->add_arguments()->Swap(&value);
  }
  return Status::OK();
}

Status Grammar::word(sc::Expression& out) {
  const Token token = peek();
  const std::string upper = to_upper(token.text);
  if (upper == "NULL" && !is_symbol("(", 1)) {
    take();
    out.mutable_literal()->mutable_null()->mutable_null();
    return Status::OK();
  }
  if ((upper == "TRUE" || upper == "FALSE") && !is_symbol("(", 1)) {
    take();
    out.mutable_literal()->set_boolean(upper == "TRUE");
    return Status::OK();
  }
  const bool named_case = is_word("END", 1);  // CASE END: the column "CASE" under another name
  if (upper == "CASE" && !named_case) return case_expression(out);
  if ((upper == "CAST" || upper == "TRY_CAST") && is_symbol("(", 1)) {
    return cast(out, upper == "TRY_CAST");
  }
  if (upper == "INTERVAL" &&
      (peek(1).kind == TokenKind::string || peek(1).kind == TokenKind::integer ||
       peek(1).kind == TokenKind::decimal || is_symbol("-", 1) || is_symbol("+", 1))) {
    return interval(out);
  }
  if (upper == "EXISTS" && is_symbol("(", 1) && starts_query(2)) {
    take();
    take();
    TRY(subquery(out, sc::SubqueryExpression::SUBQUERY_TYPE_EXISTS));
    return expect_symbol(")");
  }
  if ((upper == "ANY" || upper == "SOME" || upper == "ALL") && is_symbol("(", 1) &&
      starts_query(2)) {
    take();
    return unexpected();
  }
  if (upper == "IDENTIFIER" && is_symbol("(", 1)) {
    std::vector<std::string> parts;
    TRY(identifier_clause(&parts));
    if (is_symbol("(")) {
      TRY(call(parts.size() == 1 ? parts[0] : quoted_name(parts), out));
      return after_call(out);
    }
    out.mutable_unresolved_attribute()->set_unparsed_identifier(quoted_name(parts));
    return Status::OK();
  }
  if (peek(1).kind == TokenKind::string) {
    take();
    const Token text = take();
    return typed_literal(token, text, out);
  }
  // Words that can not begin an operand.
  for (const char* reserved :
       {"AND", "OR", "THEN", "WHEN", "ELSE", "END", "BETWEEN", "IN", "LIKE", "AS"}) {
    const bool next_ends = peek(1).kind == TokenKind::end || is_symbol(",", 1) || is_symbol(")", 1);
    const bool function = (upper == "BETWEEN" || upper == "LIKE") && is_symbol("(", 1);
    if (upper == reserved && !next_ends && !is_symbol(".", 1) && !function) return unexpected();
  }
  return name_or_call(out);
}

// a, a.b, a.*, f(…)
Status Grammar::name_or_call(sc::Expression& out) {
  std::vector<std::string> parts;
  parts.push_back(take().value);
  while (is_symbol(".") && (is_name(1) || is_symbol("*", 1))) {
    take();
    if (accept_symbol("*")) {
      out.mutable_unresolved_star()->set_unparsed_target(quoted_name(parts) + ".*");
      return star(out);
    }
    parts.push_back(take().value);
    if (parts.size() > static_cast<std::size_t>(limits::nesting_max)) return too_complex();
  }
  if (is_symbol("(")) {
    const std::string function = parts.size() == 1 ? parts[0] : quoted_name(parts);
    TRY(call(function, out));
    return after_call(out);
  }
  out.mutable_unresolved_attribute()->set_unparsed_identifier(quoted_name(parts));
  return Status::OK();
}

Status Grammar::call(const std::string& name, sc::Expression& out) {
  if (is_own_call(name)) return unknown_routine(name);
  bool done = false;
  TRY(special_call(to_lower(name), out, &done));
  if (done) return Status::OK();
  TRY(expect_symbol("("));
  auto* function = make_function(out, name);
  TRY(call_arguments(name, *function));
  return expect_symbol(")");
}

Status Grammar::call_arguments(const std::string& name,
                               sc::Expression_UnresolvedFunction& function) {
  if (is_symbol(")")) return Status::OK();
  if (accept_word("DISTINCT")) {
    function.set_is_distinct(true);
  } else if (is_word("ALL") && !is_symbol(")", 1) && !is_symbol(",", 1)) {
    take();
  }
  // timestampadd(HOUR, …): the unit is a word, not a column.
  static const std::vector<std::string> with_unit{"timestampadd", "timestampdiff", "dateadd",
                                                  "date_add",     "datediff",      "date_diff"};
  const std::string lower = to_lower(name);
  const bool unit = std::find(with_unit.begin(), with_unit.end(), lower) != with_unit.end() &&
                    peek().kind == TokenKind::word && is_symbol(",", 1);
  if (unit) {
    static const std::vector<std::string> units{"YEAR",   "QUARTER",     "MONTH",      "WEEK",
                                                "DAY",    "DAYOFYEAR",   "HOUR",       "MINUTE",
                                                "SECOND", "MILLISECOND", "MICROSECOND"};
    if (std::find(units.begin(), units.end(), to_upper(peek().text)) != units.end()) {
      make_string(*function.add_arguments(), take().text);
      take();
    }
  }
  const bool quoted_unit =
      std::find(with_unit.begin(), with_unit.end(), lower) != with_unit.end() &&
      peek().kind == TokenKind::string && is_symbol(",", 1);
  const std::size_t first = position_;
  do {
    TRY(argument(*function.add_arguments()));
    const bool ignore = is_word("IGNORE") && is_word("NULLS", 1);
    if (ignore || (is_word("RESPECT") && is_word("NULLS", 1))) {
      take();
      take();
      if (ignore) ignore_nulls(function);
    }
  } while (accept_symbol(","));
  if (!quoted_unit || function.arguments_size() != 3) return Status::OK();
  return parse_error(text_, tokens_[first - 2], peek(),
                     Status::error("INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                                   {{"functionName", "`" + name + "`"},
                                    {"parameter", "`unit`"},
                                    {"invalidValue", std::string(tokens_[first].text)}}));
}

// An argument may be a lambda, and struct(a AS b) may name it.
Status Grammar::argument(sc::Expression& out) {
  if (is_name() && is_symbol("->", 1)) return lambda(out);
  if (is_symbol("(") && is_name(1)) {
    std::size_t i = 2;
    while (is_symbol(",", i) && is_name(i + 1)) i += 2;
    if (is_symbol(")", i) && is_symbol("->", i + 1)) return lambda(out);
  }
  if (is_name() && is_symbol("=>", 1)) {
    out.mutable_named_argument_expression()->set_key(take().value);
    take();
    return expression(*out.mutable_named_argument_expression()->mutable_value());
  }
  TRY(expression(out));
  // What belongs to the call's own syntax names nothing.
  const bool syntax = ((is_word("IGNORE") || is_word("RESPECT")) && is_word("NULLS", 1)) ||
                      starts_clause() || is_word("FOR");
  if (!is_name() || syntax) return Status::OK();
  if (is_word("AS")) take();
  std::string alias;
  TRY(name(&alias));
  sc::Expression inner;
  inner.Swap(&out);
  out.mutable_alias()->add_name(std::move(alias));
  out.mutable_alias()->mutable_expr()->Swap(&inner);
  return Status::OK();
}

Status Grammar::lambda(sc::Expression& out) {
  auto* function = out.mutable_lambda_function();
  const bool several = accept_symbol("(");
  do {
    std::string parameter;
    TRY(name(&parameter));
    function->add_arguments()->add_name_parts(std::move(parameter));
  } while (several && accept_symbol(","));
  if (several) TRY(expect_symbol(")"));
  TRY(expect_symbol("->"));
  return expression(*function->mutable_function());
}

Status Grammar::case_expression(sc::Expression& out) {
  take();
  sc::Expression operand;
  const bool simple = !is_word("WHEN");
  if (simple) TRY(expression(operand));
  auto* function = make_function(out, "when");
  if (!is_word("WHEN")) return unexpected();
  while (accept_word("WHEN")) {
    sc::Expression condition;
    TRY(expression(condition));
    if (simple) {
      sc::Expression left = operand;
      wrap(left, "=", condition);
      condition.Swap(&left);
    }
    TRY(expect_word("THEN"));
    function->add_arguments()->Swap(&condition);
    TRY(expression(*function->add_arguments()));
  }
  if (accept_word("ELSE")) TRY(expression(*function->add_arguments()));
  return expect_word("END");
}

Status Grammar::cast(sc::Expression& out, bool try_cast) {
  take();
  TRY(expect_symbol("("));
  sc::Expression value;
  TRY(expression(value));
  TRY(expect_word("AS"));
  std::string type;
  TRY(cast_type(&type, true));
  TRY(expect_symbol(")"));
  auto* node = out.mutable_cast();
  node->set_type_str(std::move(type));
  if (try_cast) node->set_eval_mode(sc::Expression_Cast::EVAL_MODE_TRY);
  node->mutable_expr()->Swap(&value);
  return Status::OK();
}

// The text of a type: up to the bracket that closes the call, or as much as belongs to one type
// after `::`.
Status Grammar::cast_type(std::string* type, bool in_call) {
  const std::size_t first = position_;
  int round = 0;
  int angle = 0;
  const auto interval_word = [&] {
    for (const char* w : {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO"}) {
      if (is_word(w)) return true;
    }
    return false;
  };
  if (!is_name()) return unexpected();
  const bool interval_type = is_word("INTERVAL");
  take();
  while (peek().kind != TokenKind::end) {
    const std::string_view t = peek().text;
    if (round == 0 && angle == 0) {
      if (in_call ? t == ")" : !(t == "(" || t == "<" || (interval_type && interval_word()))) break;
    }
    if (peek().kind == TokenKind::symbol) {
      if (t == "(") ++round;
      if (t == ")") --round;
      for (const char c : t) angle += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (round < 0 || angle < 0) return unexpected();
    }
    take();
  }
  if (round != 0 || angle != 0) return unexpected();
  const Token& from = tokens_[first];
  const Token& to = tokens_[position_ - 1];
  *type = std::string(text_.substr(from.offset, to.offset + to.text.size() - from.offset));
  const auto parsed = column::parse_type(*type);
  if (parsed.ok()) return Status::OK();
  // The digits of decimals and times are no matter of the text.
  const bool digits = parsed.status().is("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION") ||
                      parsed.status().is("_LEGACY_ERROR_TEMP_1228") ||
                      parsed.status().is("UNSUPPORTED_TIME_PRECISION");
  return digits ? parsed.status() : parse_error(text_, from, to, parsed.status());
}

Status Grammar::special_call(const std::string& name, sc::Expression& out, bool* done) {
  *done = true;
  if (name == "extract" && is_symbol("(") && is_name(1) && is_word("FROM", 2)) return extract(out);
  // `()` and DISTINCT are an ordinary call's.
  const bool plain = is_symbol(")", 1) || is_word("DISTINCT", 1);
  if ((name == "substring" || name == "substr") && !plain) return substring(name, out);
  if (name == "position" && !plain) return position(out);
  if (name == "overlay" && !plain) return overlay(out);
  *done = false;
  return name == "trim" ? trim_call(out, done) : Status::OK();
}

// The arguments after the first one, and the bracket.
Status Grammar::rest_of_call(sc::Expression& out) {
  while (accept_symbol(",")) TRY(argument(*out.mutable_unresolved_function()->add_arguments()));
  return expect_symbol(")");
}

Status Grammar::extract(sc::Expression& out) {
  take();
  auto* function = make_function(out, "extract");
  make_string(*function->add_arguments(), take().value);
  TRY(expect_word("FROM"));
  TRY(expression(*function->add_arguments()));
  return expect_symbol(")");
}

// substring(text FROM 1 FOR 2); with commas it is a call like others.
Status Grammar::substring(const std::string& name, sc::Expression& out) {
  TRY(expect_symbol("("));
  auto* function = make_function(out, name);
  TRY(argument(*function->add_arguments()));
  if (!accept_word("FROM")) return rest_of_call(out);
  function->set_function_name("substring");
  TRY(expression(*function->add_arguments()));
  if (accept_word("FOR")) TRY(expression(*function->add_arguments()));
  return expect_symbol(")");
}

// Whether FROM stands within the brackets that open here, but in none within them.
bool Grammar::has_from_within() const {
  int depth = 0;
  for (std::size_t i = 0; peek(i).kind != TokenKind::end; ++i) {
    if (is_symbol("(", i)) ++depth;
    if (is_symbol(")", i) && --depth == 0) return false;
    if (depth == 1 && is_word("FROM", i) && !is_word("DISTINCT", i - 1)) return true;
  }
  return false;
}

// trim(BOTH 'x' FROM text), trim(LEADING FROM text), trim('x' FROM text)
Status Grammar::trim_call(sc::Expression& out, bool* done) {
  std::string function_name = "trim";
  const bool leading = is_word("LEADING", 1);
  const bool trailing = is_word("TRAILING", 1);
  const bool sided = leading || trailing || is_word("BOTH", 1);
  if (!sided && !has_from_within()) return Status::OK();
  if (sided && (is_symbol(")", 2) || is_symbol(",", 2))) return Status::OK();  // a column's name
  *done = true;
  take();
  if (sided) take();
  if (leading) function_name = "ltrim";
  if (trailing) function_name = "rtrim";
  sc::Expression characters;
  const bool given = !is_word("FROM");
  if (given) TRY(expression(characters));
  TRY(expect_word("FROM"));
  sc::Expression source;
  TRY(expression(source));
  TRY(expect_symbol(")"));
  auto* function = make_function(out, function_name);
  if (given) {
    // As functions these take the characters first.
    function->add_arguments()->Swap(&characters);
    function->add_arguments()->Swap(&source);
  } else {
    function->add_arguments()->Swap(&source);
  }
  return Status::OK();
}

// position('a' IN text); with commas it is a call like others.
Status Grammar::position(sc::Expression& out) {
  TRY(expect_symbol("("));
  sc::Expression needle;
  TRY(binary(needle, 0));
  const bool of_text = accept_word("IN");
  auto* function = make_function(out, of_text ? "locate" : "position");
  function->add_arguments()->Swap(&needle);
  if (!of_text) return rest_of_call(out);
  TRY(expression(*function->add_arguments()));
  return expect_symbol(")");
}

// overlay(text PLACING 'x' FROM 1 FOR 2); with commas it is a call like others.
Status Grammar::overlay(sc::Expression& out) {
  take();
  auto* function = make_function(out, "overlay");
  TRY(expression(*function->add_arguments()));
  if (!accept_word("PLACING")) return rest_of_call(out);
  TRY(expression(*function->add_arguments()));
  TRY(expect_word("FROM"));
  TRY(expression(*function->add_arguments()));
  if (accept_word("FOR")) TRY(expression(*function->add_arguments()));
  return expect_symbol(")");
}

}  // namespace millstream::sql
