#include "sql/parser.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sql/grammar.h"
#include "sql/substitution.h"

namespace millstream::sql {

sc::Expression_UnresolvedFunction* make_function(sc::Expression& out, std::string_view name) {
  out.Clear();
  auto* function = out.mutable_unresolved_function();
  function->set_function_name(std::string(name));
  return function;
}

void make_string(sc::Expression& out, std::string_view value) {
  out.Clear();
  out.mutable_literal()->set_string(std::string(value));
}

void make_int(sc::Expression& out, int value) {
  out.Clear();
  out.mutable_literal()->set_integer(value);
}

void wrap(sc::Expression& out, std::string_view name) {
  sc::Expression inner;
  inner.Swap(&out);
  make_function(out, name)->add_arguments()->Swap(&inner);
}

void wrap(sc::Expression& out, std::string_view name, sc::Expression& right) {
  wrap(out, name);
  out.mutable_unresolved_function()->add_arguments()->Swap(&right);
}

std::string quoted_name(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) {
    if (!out.empty()) out += '.';
    out += '`';
    for (const char c : part) {
      if (c == '`') out += '`';
      out += c;
    }
    out += '`';
  }
  return out;
}

bool Grammar::is_word(std::string_view keyword, std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::word && equals_ignore_case(peek(ahead).text, keyword);
}

bool Grammar::accept_symbol(std::string_view symbol) {
  if (!is_symbol(symbol)) return false;
  take();
  return true;
}

bool Grammar::accept_word(std::string_view keyword) {
  if (!is_word(keyword)) return false;
  take();
  return true;
}

Status Grammar::expect_symbol(std::string_view symbol) {
  return accept_symbol(symbol) ? Status::OK() : unexpected();
}

Status Grammar::expect_word(std::string_view keyword) {
  return accept_word(keyword) ? Status::OK() : unexpected();
}

Status Grammar::name(std::string* out) {
  if (!is_name()) return unexpected();
  *out = take().value;
  return Status::OK();
}

Status Grammar::too_complex() const { return Status::error("FAILED_TO_PARSE_TOO_COMPLEX"); }

void Grammar::mark(sc::Expression& out, std::size_t first) const {
  // Literals are many, and nothing is wrong with them alone, but for numbers that are places in a
  // list.
  if ((out.has_literal() && !out.literal().has_integer()) || out.common().has_origin() ||
      first >= position_)
    return;
  const Token& last = tokens_[position_ - 1];
  auto* place = out.mutable_common()->mutable_origin()->mutable_jvm_origin();
  place->set_start_index(static_cast<std::int32_t>(tokens_[first].offset));
  place->set_stop_index(static_cast<std::int32_t>(last.offset + last.text.size()));
}

void Grammar::mark(sc::Relation& out, std::size_t first) const {
  if (out.common().has_origin() || first >= position_) return;
  const Token& last = tokens_[position_ - 1];
  auto* place = out.mutable_common()->mutable_origin()->mutable_jvm_origin();
  place->set_start_index(static_cast<std::int32_t>(tokens_[first].offset));
  place->set_stop_index(static_cast<std::int32_t>(last.offset + last.text.size()));
}

Grammar::Grammar(std::string_view text, std::vector<Token> tokens, const Parameters* parameters)
    : text_(text), tokens_(std::move(tokens)), parameters_(parameters) {
  has_window_clause_ = std::any_of(tokens_.begin(), tokens_.end(), [](const Token& token) {
    return token.kind == TokenKind::word && equals_ignore_case(token.text, "WINDOW");
  });
}

Status Grammar::parse_all(sc::Expression& out) {
  if (peek().kind == TokenKind::end) return empty_statement();
  TRY(check_words());
  TRY(named(out));
  return unexpected_end();
}

Status Grammar::unexpected_end() const {
  if (peek().kind == TokenKind::end) return Status::OK();
  // One token too many is "extra"; more of them could be anything.
  const bool extra = peek(1).kind == TokenKind::end && peek().kind != TokenKind::unknown;
  return syntax_error(text_, peek(), extra);
}

Status Grammar::named(sc::Expression& out) {
  TRY(expression(out));
  const bool has_as = is_word("AS");
  // `a AS` alone names the column "AS".
  if (has_as && (is_name(1) || is_symbol("(", 1))) take();
  std::vector<std::string> names;
  if (accept_symbol("(")) {
    do {
      std::string one;
      TRY(name(&one));
      names.push_back(std::move(one));
    } while (accept_symbol(","));
    TRY(expect_symbol(")"));
  } else if (is_name() && (has_as || !starts_clause())) {
    names.push_back(take().value);
  }
  if (names.empty()) return Status::OK();
  sc::Expression inner;
  inner.Swap(&out);
  auto* alias = out.mutable_alias();
  for (auto& one : names) alias->add_name(std::move(one));
  alias->mutable_expr()->Swap(&inner);
  return Status::OK();
}

namespace {

// Long chains of AND and OR become balanced trees, as Spark makes them.
void balanced(std::string_view name, std::vector<sc::Expression>& terms, std::size_t from,
              std::size_t to, sc::Expression& out) {
  if (to - from == 1) {
    out.Swap(&terms[from]);
    return;
  }
  const std::size_t middle = from + (to - from + 1) / 2;
  sc::Expression right;
  balanced(name, terms, from, middle, out);
  balanced(name, terms, middle, to, right);
  wrap(out, name, right);
}

void join_terms(std::string_view name, std::vector<sc::Expression>& terms, sc::Expression& out) {
  if (terms.size() <= 3) {
    out.Swap(&terms[0]);
    for (std::size_t i = 1; i < terms.size(); ++i) wrap(out, name, terms[i]);
    return;
  }
  balanced(name, terms, 0, terms.size(), out);
}

}  // namespace

Status Grammar::expression(sc::Expression& out) {
  if (++nesting_ > limits::nesting_max) return too_complex();
  const std::size_t first = position_;
  std::vector<sc::Expression> terms(1);
  TRY(conjunction(terms[0]));
  while (accept_word("OR")) {
    terms.emplace_back();
    TRY(conjunction(terms.back()));
  }
  join_terms("or", terms, out);
  if (terms.size() > 1) mark(out, first);
  --nesting_;
  return Status::OK();
}

Status Grammar::conjunction(sc::Expression& out) {
  const std::size_t first = position_;
  std::vector<sc::Expression> terms(1);
  TRY(negation(terms[0]));
  while (accept_word("AND")) {
    terms.emplace_back();
    TRY(negation(terms.back()));
  }
  join_terms("and", terms, out);
  if (terms.size() > 1) mark(out, first);
  return Status::OK();
}

Status Grammar::negation(sc::Expression& out) {
  const std::size_t first = position_;
  int count = 0;
  while (is_word("NOT") || is_symbol("!")) {
    take();
    if (++count > limits::nesting_max) return too_complex();
  }
  TRY(predicate(out));
  for (; count > 0; --count) wrap(out, "not");
  mark(out, first);
  return Status::OK();
}

Status Grammar::predicate(sc::Expression& out) {
  TRY(binary(out, 0));
  bool applied = false;
  const std::size_t first = position_;
  TRY(predicate_tail(out, &applied));
  if (applied) mark(out, first);
  return Status::OK();
}

Status Grammar::predicate_tail(sc::Expression& value, bool* applied) {
  const std::size_t start = position_;
  const bool negated = accept_word("NOT");
  *applied = true;
  if (accept_word("BETWEEN")) {
    sc::Expression low;
    sc::Expression high;
    TRY(binary(low, 0));
    TRY(expect_word("AND"));
    TRY(binary(high, 0));
    wrap(value, "between", low);
    value.mutable_unresolved_function()->add_arguments()->Swap(&high);
  } else if (accept_word("IN")) {
    TRY(in_tail(value));
  } else if (accept_word("RLIKE") || accept_word("REGEXP")) {
    sc::Expression pattern;
    TRY(binary(pattern, 0));
    wrap(value, "rlike", pattern);
  } else if (accept_word("LIKE")) {
    return like_tail(value, "like", negated);
  } else if (accept_word("ILIKE")) {
    return like_tail(value, "ilike", negated);
  } else if (!negated && accept_word("IS")) {
    return is_tail(value);
  } else {
    position_ = start;
    *applied = false;
    return Status::OK();
  }
  if (negated) wrap(value, "not");
  return Status::OK();
}

// IN (1, 2) or IN (SELECT …); a row on the left side stands for several values of the latter.
Status Grammar::in_tail(sc::Expression& value) {
  TRY(expect_symbol("("));
  if (starts_query()) {
    sc::Expression in;
    TRY(subquery(in, sc::SubqueryExpression::SUBQUERY_TYPE_IN));
    auto* values = in.mutable_subquery_expression()->mutable_in_subquery_values();
    for (auto& member : members_of(value)) values->Add()->Swap(&member);
    value.Swap(&in);
    return expect_symbol(")");
  }
  if (is_symbol(")")) {
    return parse_error(text_, tokens_[position_ - 2], peek(),
                       Status::error("INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE"));
  }
  wrap(value, "in");
  do {
    TRY(expression(*value.mutable_unresolved_function()->add_arguments()));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

Status Grammar::like_tail(sc::Expression& value, const std::string& name, bool negated) {
  const bool all = is_word("ALL");
  if (all || is_word("ANY") || is_word("SOME")) {
    take();
    TRY(expect_symbol("("));
    std::vector<sc::Expression> terms;
    bool constant = true;
    do {
      sc::Expression pattern;
      TRY(expression(pattern));
      constant = constant && pattern.has_literal() && pattern.literal().has_string();
      terms.push_back(value);
      wrap(terms.back(), name, pattern);
      if (negated) wrap(terms.back(), "not");
    } while (accept_symbol(","));
    TRY(expect_symbol(")"));
    sc::Expression shown = value;
    if (name == "ilike") wrap(shown, "lower");
    join_terms(all ? "and" : "or", terms, value);
    if (constant)
      wrap(value, fmt::format("ms_like_{}like{}", negated ? "not" : "", all ? "all" : "any"),
           shown);
    return Status::OK();
  }
  sc::Expression pattern;
  TRY(binary(pattern, 0));
  wrap(value, name, pattern);
  if (accept_word("ESCAPE")) {
    if (peek().kind != TokenKind::string) return unexpected();
    const Token escape = take();
    if (escape.value.size() != 1) {
      return parse_error(
          text_, escape, escape,
          Status::error("INVALID_ESC", {{"invalidEscape", std::string(escape.text)}}));
    }
    make_string(*value.mutable_unresolved_function()->add_arguments(), escape.value);
  }
  if (negated) wrap(value, "not");
  return Status::OK();
}

Status Grammar::is_tail(sc::Expression& value) {
  const bool negated = accept_word("NOT");
  if (accept_word("NULL")) {
    wrap(value, negated ? "isNotNull" : "isNull");
    return Status::OK();
  }
  if (accept_word("UNKNOWN")) {
    wrap(value, negated ? "isNotNull" : "isNull");
    return Status::OK();
  }
  sc::Expression right;
  if (is_word("TRUE") || is_word("FALSE")) {
    right.mutable_literal()->set_boolean(is_word("TRUE"));
    take();
    wrap(value, "<=>", right);
    if (negated) wrap(value, "not");
    return Status::OK();
  }
  if (accept_word("DISTINCT")) {
    TRY(expect_word("FROM"));
    TRY(binary(right, 0));
    wrap(value, "<=>", right);
    if (!negated) wrap(value, "not");
    return Status::OK();
  }
  return unexpected();
}

namespace {

constexpr int levels = 7;

// The function of an operator at a level of precedence, loosest first; empty: the token is none of
// that level.
std::string_view operator_at(int level, const Token& token) {
  const std::string_view t = token.text;
  if (token.kind == TokenKind::word) {
    return level == 6 && equals_ignore_case(t, "DIV") ? "div" : "";
  }
  if (token.kind != TokenKind::symbol) return "";
  switch (level) {
    case 0:
      if (t == "=" || t == "==") return "=";
      if (t == "<>" || t == "!=") return "!=";
      if (t == "!>") return "<=";
      if (t == "!<") return ">=";
      if (t == "<" || t == "<=" || t == ">" || t == ">=" || t == "<=>") return t;
      return "";
    case 1:
      return t == "|" ? "|" : "";
    case 2:
      return t == "^" ? "^" : "";
    case 3:
      return t == "&" ? "&" : "";
    case 4:
      return t == "<<" || t == ">>" || t == ">>>" ? t : "";
    case 5:
      if (t == "||") return "concat";
      return t == "+" || t == "-" ? t : "";
    default:
      return t == "*" || t == "/" || t == "%" ? t : "";
  }
}

}  // namespace

Status Grammar::binary(sc::Expression& out, int level) {
  if (level == levels) return unary(out);
  const std::size_t first = position_;
  TRY(binary(out, level + 1));
  for (int terms = 0;; ++terms) {
    const std::string_view name = operator_at(level, peek());
    if (name.empty()) return Status::OK();
    if (terms > limits::chain_max) return too_complex();
    take();
    sc::Expression right;
    TRY(binary(right, level + 1));
    wrap(out, name, right);
    mark(out, first);
  }
}

Status Grammar::unary(sc::Expression& out) {
  const std::size_t first = position_;
  std::vector<std::string_view> operators;
  while (is_symbol("-") || is_symbol("+") || is_symbol("~")) {
    const Token& next = peek(1);
    const bool number_next = next.kind == TokenKind::integer || next.kind == TokenKind::decimal ||
                             next.kind == TokenKind::exponent;
    if (is_symbol("-") && number_next) break;  // a negative literal
    operators.push_back(take().text);
    if (operators.size() > static_cast<std::size_t>(limits::nesting_max)) return too_complex();
  }
  TRY(postfix(out));
  for (auto op = operators.rbegin(); op != operators.rend(); ++op) {
    wrap(out, *op == "+" ? "positive" : *op);
  }
  mark(out, first);
  return Status::OK();
}

// value[index], value.member, value::type
Status Grammar::postfix(sc::Expression& out) {
  const std::size_t first = position_;
  TRY(primary(out));
  for (int count = 0; count <= limits::chain_max; ++count) {
    mark(out, first);
    sc::Expression inner;
    if (accept_symbol("[")) {
      sc::Expression index;
      TRY(binary(index, 0));
      TRY(expect_symbol("]"));
      inner.Swap(&out);
      out.mutable_unresolved_extract_value()->mutable_child()->Swap(&inner);
      out.mutable_unresolved_extract_value()->mutable_extraction()->Swap(&index);
    } else if (is_symbol(".") && is_name(1)) {
      take();
      inner.Swap(&out);
      out.mutable_unresolved_extract_value()->mutable_child()->Swap(&inner);
      make_string(*out.mutable_unresolved_extract_value()->mutable_extraction(), take().value);
    } else if (accept_symbol("::")) {
      std::string type;
      TRY(cast_type(&type, false));
      inner.Swap(&out);
      out.mutable_cast()->set_type_str(std::move(type));
      out.mutable_cast()->mutable_expr()->Swap(&inner);
    } else if (is_symbol(":") && (is_name(1) || is_symbol("[", 1))) {
      take();
      TRY(variant_path(out));
    } else if (is_word("COLLATE") && is_name(1) && !is_word("FROM", 1) && !is_word("AS", 1)) {
      return Status::unsupported("the collation {}: Millstream compares texts by their bytes",
                                 peek(1).text);
    } else {
      return Status::OK();
    }
  }
  return too_complex();
}

// v:a.b[0]['c']: the member of a variant at a path.
Status Grammar::variant_path(sc::Expression& out) {
  const std::size_t first = position_;
  const auto member = [&]() -> Status {
    if (accept_symbol("[")) {
      const TokenKind kind = peek().kind;
      if (kind != TokenKind::string && (kind != TokenKind::integer || position_ == first + 1))
        return unexpected();
      take();
      return expect_symbol("]");
    }
    if (position_ > first) take();  // the point
    if (!is_name()) return unexpected();
    take();
    return Status::OK();
  };
  do {
    TRY(member());
  } while (is_symbol("[") || (is_symbol(".") && is_name(1)));
  std::string path = tokens_[first].text == "[" ? "$" : "$.";
  for (std::size_t i = first; i < position_; ++i) {
    const bool quoted = tokens_[i].kind == TokenKind::quoted;
    if (quoted && path.back() == '.') path.pop_back();
    path += quoted ? "['" + tokens_[i].value + "']" : std::string(tokens_[i].text);
  }
  wrap(out, "ms_variant_path");
  make_string(*out.mutable_unresolved_function()->add_arguments(), path);
  return Status::OK();
}

Status parse_expression(std::string_view written, sc::Expression* expression,
                        std::vector<sc::Relation>* subqueries) {
  TRY_ASSIGN(const auto replaced, substituted(written));
  const std::string_view text = replaced ? *replaced : written;
  TRY_ASSIGN(auto tokens, tokenize(text));
  Grammar grammar(text, std::move(tokens));
  TRY(grammar.parse_all(*expression));
  expression->mutable_common()->mutable_origin()->mutable_jvm_origin()->set_sql_text(
      std::string(text));
  *subqueries = grammar.take_subqueries();
  return Status::OK();
}

}  // namespace millstream::sql
