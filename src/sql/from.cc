// Relations after FROM: tables, subqueries, functions, joins.
#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "sql/grammar.h"
#include "sql/own_calls.h"
#include "sql/version_token.h"

namespace millstream::sql {

using JoinType = sc::Join::JoinType;

struct Grammar::JoinWords {
  JoinType type = sc::Join::JOIN_TYPE_INNER;
  bool natural = false;
  std::size_t count = 0;  // of words, JOIN among them
};

// FROM a, b JOIN c ON … LATERAL VIEW explode(xs) …
Status Grammar::from_clause(sc::Relation& out) {
  TRY(expect_word("FROM"));
  TRY(relation(out));
  for (int count = 0; accept_symbol(","); ++count) {
    if (count > limits::nesting_max) return too_complex();
    sc::Relation left = take_relation(out);
    const bool lateral = is_lateral();
    if (lateral) take();
    sc::Relation right;
    TRY(lateral ? relation_primary(right) : relation(right));
    if (lateral) {
      out.mutable_lateral_join()->set_join_type(sc::Join::JOIN_TYPE_INNER);
      out.mutable_lateral_join()->mutable_left()->Swap(&left);
      out.mutable_lateral_join()->mutable_right()->Swap(&right);
      TRY(relation_extensions(out));
    } else {
      out.mutable_join()->set_join_type(sc::Join::JOIN_TYPE_INNER);
      out.mutable_join()->mutable_left()->Swap(&left);
      out.mutable_join()->mutable_right()->Swap(&right);
    }
  }
  while (is_word("LATERAL") && is_word("VIEW", 1)) TRY(lateral_view(out));
  return Status::OK();
}

bool Grammar::is_lateral() const {
  return is_word("LATERAL") && !is_word("VIEW", 1) && (is_symbol("(", 1) || is_name(1));
}

Status Grammar::relation(sc::Relation& out) {
  if (++nesting_ > limits::nesting_max) return too_complex();
  TRY(relation_primary(out));
  TRY(relation_extensions(out));
  --nesting_;
  return Status::OK();
}

// The joins, pivots that follow a relation.
Status Grammar::relation_extensions(sc::Relation& out) {
  JoinWords words;
  for (int count = 0;; ++count) {
    if (count > limits::nesting_max) return too_complex();
    if (is_word("PIVOT") && is_symbol("(", 1)) {
      TRY(pivot_clause(out));
      continue;
    }
    if (is_word("UNPIVOT") && (is_symbol("(", 1) || is_word("NULLS", 2))) {
      TRY(unpivot_clause(out));
      continue;
    }
    if (!join_words(&words)) return Status::OK();
    TRY(join_clause(words, out));
  }
}

// [NATURAL] [INNER | CROSS | LEFT [OUTER | SEMI | ANTI] | …] JOIN
bool Grammar::join_words(JoinWords* words) const {
  *words = JoinWords();
  std::size_t at = 0;
  if (is_word("NATURAL", at)) {
    words->natural = true;
    ++at;
  }
  const bool left = is_word("LEFT", at);
  const bool right = is_word("RIGHT", at);
  const bool full = is_word("FULL", at);
  if (left || right || full) {
    ++at;
    words->type = left    ? sc::Join::JOIN_TYPE_LEFT_OUTER
                  : right ? sc::Join::JOIN_TYPE_RIGHT_OUTER
                          : sc::Join::JOIN_TYPE_FULL_OUTER;
    if (is_word("OUTER", at)) ++at;
  } else if (is_word("INNER", at)) {
    ++at;
  } else if (is_word("CROSS", at)) {
    words->type = sc::Join::JOIN_TYPE_CROSS;
    ++at;
  }
  const bool may_filter = !right && !full && words->type != sc::Join::JOIN_TYPE_CROSS;
  if (may_filter && (is_word("SEMI", at) || is_word("ANTI", at))) {
    words->type =
        is_word("SEMI", at) ? sc::Join::JOIN_TYPE_LEFT_SEMI : sc::Join::JOIN_TYPE_LEFT_ANTI;
    ++at;
  }
  if (!is_word("JOIN", at)) return false;
  words->count = at + 1;
  return true;
}

Status Grammar::join_clause(const JoinWords& words, sc::Relation& left) {
  const std::size_t first = position_;
  position_ += words.count;
  const bool lateral = is_lateral();
  if (lateral) take();
  sc::Relation outer = take_relation(left);
  sc::Relation right;
  TRY(relation_primary(right));
  sc::Join join;
  join.set_join_type(words.type);
  TRY(join_criteria(join, words));
  if (!lateral) {
    left.mutable_join()->Swap(&join);
    left.mutable_join()->mutable_left()->Swap(&outer);
    left.mutable_join()->mutable_right()->Swap(&right);
    mark(left, first);
    return Status::OK();
  }
  if (join.using_columns_size() > 0 || words.natural) {
    return Status::unsupported("LATERAL joins with USING or NATURAL are not supported");
  }
  auto* out = left.mutable_lateral_join();
  out->set_join_type(join.join_type());
  if (join.has_join_condition()) out->mutable_join_condition()->Swap(join.mutable_join_condition());
  out->mutable_left()->Swap(&outer);
  out->mutable_right()->Swap(&right);
  return Status::OK();
}

// ON condition, USING (a, b), or nothing; of a NATURAL join the condition is the call ms_natural().
Status Grammar::join_criteria(sc::Join& join, const JoinWords& words) {
  if (words.natural) {
    make_function(*join.mutable_join_condition(), "ms_natural");
    return Status::OK();
  }
  if (accept_word("ON")) return expression(*join.mutable_join_condition());
  if (!is_word("USING")) return Status::OK();
  take();
  std::vector<std::string> columns;
  TRY(name_list(&columns));
  for (const auto& column : columns) join.add_using_columns(column);
  return Status::OK();
}

Status Grammar::relation_primary(sc::Relation& out) {
  if (is_symbol("(")) return parenthesized_relation(out);
  if (is_word("VALUES") && (is_symbol("(", 1) || !is_name(1))) {
    const Token first = peek();
    TRY(inline_table(out));
    const sc::UnresolvedTableValuedFunction rows = out.unresolved_table_valued_function();
    const Token last = tokens_[position_ - 1];
    TRY(table_alias(out, false));
    const auto& named = out.subquery_alias().input();
    if (!named.has_to_df()) return Status::OK();
    sc::UnresolvedTableValuedFunction one_row;
    *one_row.add_arguments() = rows.arguments(0);
    return check_row_width(named.to_df().column_names_size(), one_row, first, last);
  }
  return table_or_function(out);
}

// (query) or (relation)
Status Grammar::parenthesized_relation(sc::Relation& out) {
  const bool of_query = starts_query(1);
  const std::size_t first = position_;
  take();
  TRY(of_query ? query(out) : relation(out));
  TRY(expect_symbol(")"));
  TRY(sample_clause(out));
  TRY(table_alias(out, of_query));
  mark(out, first);
  return Status::OK();
}

Status Grammar::table_or_function(sc::Relation& out) {
  const bool stream = is_word("STREAM") && (is_name(1) || is_symbol("(", 1)) && !is_word("AS", 1) &&
                      !join_words_ahead(1);
  const bool bracket = stream && is_symbol("(", 1);
  if (stream) take();
  if (bracket) take();
  std::vector<std::string> parts;
  const std::size_t first = position_;
  TRY(dotted_name(&parts));
  if (is_symbol("(") && !stream) {
    TRY(table_function(parts, out));
    mark(out, first);
    return table_alias(out, false);
  }
  make_named_table(out, parts);
  mark(out, first);
  if (bracket) TRY(expect_symbol(")"));
  out.mutable_read()->set_is_streaming(stream);
  TRY(time_travel(*out.mutable_read()->mutable_named_table()));
  TRY(sample_clause(out));
  return table_alias(out, false);
}

bool Grammar::join_words_ahead(std::size_t ahead) const {
  for (const char* word : {"JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "NATURAL", "SEMI",
                           "ANTI", "ON", "USING", "UNION", "EXCEPT", "MINUS", "INTERSECT"}) {
    if (is_word(word, ahead)) return true;
  }
  return false;
}

namespace {

bool names_columns(const sc::Expression& e) {
  if (e.has_unresolved_attribute()) return true;
  if (e.has_cast()) return names_columns(e.cast().expr());
  if (e.has_window()) return names_columns(e.window().window_function());
  const auto& arguments = e.unresolved_function().arguments();
  return std::any_of(arguments.begin(), arguments.end(), names_columns);
}

}  // namespace

// [FOR] VERSION AS OF 1, [FOR] TIMESTAMP AS OF '2024-01-01' | expression: options of the read.
Status Grammar::time_travel(sc::Read_NamedTable& table) {
  const std::size_t start = is_word("FOR") ? 1 : 0;
  const bool version = is_word("VERSION", start) || is_word("SYSTEM_VERSION", start);
  const bool time = is_word("TIMESTAMP", start) || is_word("SYSTEM_TIME", start);
  if ((!version && !time) || !is_word("AS", start + 1) || !is_word("OF", start + 2)) {
    return Status::OK();
  }
  const std::size_t start_of_clause = position_;
  position_ += start + 3;
  if (version) {
    if (!is_version(peek())) return unexpected();
    (*table.mutable_options())["versionAsOf"] = take().value;
    return Status::OK();
  }
  sc::Expression at;
  const std::size_t first = position_;
  TRY(binary(at, 0));
  if (names_columns(at)) {
    ErrorInfo info;
    info.kind = ErrorKind::parse;
    info.condition = "_LEGACY_ERROR_TEMP_0056";
    info.parameters = {{"reason", "timestamp expression cannot refer to any columns"}};
    info.message = "Invalid time travel spec: timestamp expression cannot refer to any columns.";
    return parse_error(text_, tokens_[start_of_clause], tokens_[position_ - 1],
                       Status(std::move(info)));
  }
  const auto& literal = at.literal();
  std::string text;
  if (literal.has_string()) text = literal.string();
  if (text.empty()) {
    (*table.mutable_options())["ms_timestampAsOf"] = text_between(first, position_);
    return Status::OK();
  }
  (*table.mutable_options())["timestampAsOf"] = text;
  return Status::OK();
}

// range(0, 10), explode(array(1, 2))
Status Grammar::table_function(const std::vector<std::string>& name, sc::Relation& out) {
  take();
  if (is_own_call(name.back())) return unknown_routine(name.back());
  auto* function = out.mutable_unresolved_table_valued_function();
  function->set_function_name(name.size() == 1 ? name[0] : quoted_name(name));
  if (accept_symbol(")")) return Status::OK();
  do {
    if (is_name() && is_symbol("=>", 1) && is_word("TABLE", 2)) position_ += 2;
    const bool table = is_word("TABLE") && (is_symbol("(", 1) || is_name(1));
    TRY(table ? table_argument(*function->add_arguments()) : argument(*function->add_arguments()));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

// TABLE(t) or TABLE(query), [WITH SINGLE PARTITION | PARTITION BY …] [ORDER BY …]
Status Grammar::table_argument(sc::Expression& out) {
  const Token word = take();
  if (!is_symbol("(")) {
    std::vector<std::string> name;
    TRY(dotted_name(&name));
    return parse_error(
        text_, word, tokens_[position_ - 1],
        Status::error(
            "INVALID_SQL_SYNTAX.INVALID_TABLE_FUNCTION_IDENTIFIER_ARGUMENT_MISSING_PARENTHESES",
            {{"argumentName", quoted_name(name)}}));
  }
  take();
  constexpr auto kind = sc::SubqueryExpression::SUBQUERY_TYPE_TABLE_ARG;
  if (starts_query()) {
    TRY(subquery(out, kind));
  } else {
    sc::Relation table;
    std::vector<std::string> name;
    const std::size_t first = position_;
    TRY(dotted_name(&name));
    make_named_table(table, name);
    mark(table, first);
    set_apart(out, kind, table);
  }
  TRY(expect_symbol(")"));
  return table_argument_order();
}

// The partitions and the order of a table argument: no function here looks at them.
Status Grammar::table_argument_order() {
  if (is_word("WITH") && is_word("SINGLE", 1) && is_word("PARTITION", 2)) position_ += 3;
  for (const char* clause : {"PARTITION", "DISTRIBUTE", "ORDER", "SORT"}) {
    if (!is_word(clause) || !is_word("BY", 1)) continue;
    position_ += 2;
    do {
      sc::Expression_SortOrder ignored;
      TRY(sort_item(ignored));
    } while (accept_symbol(","));
  }
  return Status::OK();
}

// TABLESAMPLE (10 PERCENT | 5 ROWS | BUCKET 1 OUT OF 4) [REPEATABLE (seed)]
Status Grammar::sample_clause(sc::Relation& out) {
  if (!is_word("TABLESAMPLE") || !is_symbol("(", 1)) return Status::OK();
  const Token first = take();
  take();
  const auto number = [&](double* value) -> Status {
    const Token token = take();
    const char* end = token.value.data() + token.value.size();
    const auto parsed = std::from_chars(token.value.data(), end, *value);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == end && end != token.value.data();
    return whole ? Status::OK() : syntax_error(text_, token, false);
  };
  double fraction = 0;
  double rows = -1;
  if (accept_word("BUCKET")) {
    double of = 1;
    TRY(number(&fraction));
    TRY(expect_word("OUT"));
    TRY(expect_word("OF"));
    TRY(number(&of));
    fraction /= of;
  } else {
    const std::size_t start = peek().offset;
    const bool minus = accept_symbol("-");
    TRY(number(&fraction));
    const std::size_t end = tokens_[position_ - 1].offset + tokens_[position_ - 1].text.size();
    if (minus) fraction = -fraction;
    if (accept_word("ROWS")) {
      if (fraction < 0) {
        const std::string count = fmt::format("{:.0f}", fraction);
        ErrorInfo info =
            Status::error("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
                          {{"expr", "\"" + count + "\""}, {"name", "limit"}, {"v", count}})
                .info();
        info.contexts = {query_context(text_, start, end)};
        return Status(std::move(info));
      }
      rows = fraction;
    } else {
      TRY(expect_word("PERCENT"));
      fraction /= 100;
    }
  }
  TRY(expect_symbol(")"));
  sc::Relation input = take_relation(out);
  if (rows >= 0) {
    out.mutable_limit()->set_limit(static_cast<std::int32_t>(rows));
    out.mutable_limit()->mutable_input()->Swap(&input);
    return Status::OK();
  }
  if (!(fraction >= 0 && fraction <= 1)) {
    return legacy_error(
        first, fmt::format("Sampling fraction ({:.1f}) must be on interval [0, 1]", fraction));
  }
  out.mutable_sample()->set_upper_bound(fraction);
  out.mutable_sample()->mutable_input()->Swap(&input);
  if (!accept_word("REPEATABLE")) return Status::OK();
  double seed = 0;
  TRY(expect_symbol("("));
  TRY(number(&seed));
  out.mutable_sample()->set_seed(static_cast<std::int64_t>(seed));
  return expect_symbol(")");
}

Status Grammar::legacy_error(const Token& first, const std::string& message) const {
  ErrorInfo info;
  info.kind = ErrorKind::parse;
  info.condition = "_LEGACY_ERROR_TEMP_0064";
  info.message = message;
  info.parameters = {{"msg", info.message}};
  info.message += ".";
  return parse_error(text_, first, tokens_[position_ - 1], Status(std::move(info)));
}

// [AS] alias [(a, b)]; a query without one is out of reach by its tables' names all the same.
Status Grammar::table_alias(sc::Relation& out, bool of_query) {
  const bool has_as = is_word("AS") && (is_name(1) || is_symbol("(", 1));
  if (has_as) take();
  const bool named =
      is_name() && !join_words_ahead(0) && (has_as || !starts_clause()) && !is_word("LATERAL");
  if (!named && has_as) return unexpected();
  if (!named) {
    if (of_query) wrap_alias(out, "__auto_generated_subquery_name");
    return Status::OK();
  }
  const std::string alias = take().value;
  std::vector<std::string> columns;
  if (is_symbol("(")) TRY(name_list(&columns));
  name_columns(out, columns);
  wrap_alias(out, alias);
  return Status::OK();
}

// LATERAL VIEW [OUTER] explode(xs) [v] [AS a, b]: a lateral join with the function's rows.
Status Grammar::lateral_view(sc::Relation& out) {
  take();
  take();
  const bool outer = is_word("OUTER") && is_name(1);
  if (outer) take();
  std::vector<std::string> function;
  TRY(dotted_name(&function));
  if (outer && !to_lower(function.back()).ends_with("_outer")) function.back() += "_outer";
  if (!is_symbol("(")) return unexpected();
  sc::Relation rows;
  TRY(table_function(function, rows));
  std::string alias;
  if (is_name() && !is_word("AS") && !starts_clause()) alias = take().value;
  std::vector<std::string> columns;
  if (accept_word("AS")) {
    do {
      TRY(name(&columns.emplace_back()));
    } while (is_symbol(",") && is_name(1) && accept_symbol(","));
  }
  name_columns(rows, columns);
  if (!alias.empty()) wrap_alias(rows, alias);
  sc::Relation left = take_relation(out);
  auto* join = out.mutable_lateral_join();
  join->set_join_type(sc::Join::JOIN_TYPE_INNER);
  join->mutable_left()->Swap(&left);
  join->mutable_right()->Swap(&rows);
  return Status::OK();
}

// a, a.b, delta.`/path`, IDENTIFIER('a.b')
Status Grammar::dotted_name(std::vector<std::string>* parts) {
  if (is_word("IDENTIFIER") && is_symbol("(", 1)) return identifier_clause(parts);
  TRY(table_name_part(&parts->emplace_back()));
  while (is_symbol(".") && is_name(1)) {
    take();
    TRY(table_name_part(&parts->emplace_back()));
    if (parts->size() > static_cast<std::size_t>(limits::nesting_max)) return too_complex();
  }
  return Status::OK();
}

// A name; my-table is one that wants quotes.
Status Grammar::table_name_part(std::string* out) {
  const Token first = peek();
  TRY(name(out));
  const auto touches = [&] {
    return peek().offset == tokens_[position_ - 1].offset + tokens_[position_ - 1].text.size();
  };
  if (first.kind != TokenKind::word || !is_symbol("-") || !touches()) return Status::OK();
  while (is_symbol("-") && touches() && is_name(1)) {
    take();
    *out += "-" + take().value;
  }
  const Status status = Status::error("INVALID_IDENTIFIER", {{"ident", *out}});
  return syntax_error(text_, first, status);
}

}  // namespace millstream::sql
