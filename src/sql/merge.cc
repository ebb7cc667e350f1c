// MERGE.
#include "base/text.h"
#include "sql/grammar.h"
#include "sql/parser.h"
#include "sql/statement.h"
#include "sql/version_token.h"

namespace millstream::sql {

using Kind = MergeClause::Kind;
using Action = MergeClause::Action;

namespace {

const char* not_last_condition(Kind kind) {
  switch (kind) {
    case Kind::matched:
      return "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION";
    case Kind::not_matched:
      return "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION";
    case Kind::not_matched_by_source:
      break;
  }
  return "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION";
}

}  // namespace

Status check_merge_clauses(const Merge& merge) {
  for (std::size_t i = 0; i + 1 < merge.clauses.size(); ++i) {
    const MergeClause& clause = merge.clauses[i];
    if (clause.condition != nullptr || merge.clauses[i + 1].kind != clause.kind) continue;
    return Status::error(not_last_condition(clause.kind));
  }
  return Status::OK();
}

// MERGE [WITH SCHEMA EVOLUTION] INTO t [AS a] USING source ON condition WHEN …
Status Grammar::merge_statement(Statement& out) {
  const Token first = take();
  Merge merge;
  merge.text = std::string(text_);
  if (accept_word("WITH")) {
    TRY(expect_word("SCHEMA"));
    TRY(expect_word("EVOLUTION"));
    merge.evolve_schema = true;
  }
  TRY(expect_word("INTO"));
  TRY(dotted_name(&merge.table));
  const bool has_as = accept_word("AS");
  if (has_as || (is_name() && !is_word("USING"))) TRY(name(&merge.alias));
  TRY(expect_word("USING"));
  TRY(merge_source(merge));
  TRY(expect_word("ON"));
  TRY(text_expression(&merge.on, &merge.on_text));
  note_subquery(merge, merge.on_text, "search condition");
  while (is_word("WHEN")) TRY(merge_clause(merge));
  if (merge.clauses.empty()) {
    return parse_error(text_, first, tokens_[position_ - 1], Status::error("MERGE_WITHOUT_WHEN"));
  }
  if (const Status status = check_merge_clauses(merge); !status.ok()) {
    return parse_error(text_, first, tokens_[position_ - 1], status);
  }
  out = std::move(merge);
  return Status::OK();
}

// RESTORE [TABLE] t [TO] VERSION | TIMESTAMP AS OF x
Status Grammar::restore_statement(Statement& out) {
  take();
  if (is_word("TABLE") && is_name(1)) take();
  Restore restore;
  TRY(dotted_name(&restore.table));
  accept_word("TO");
  TRY(as_of(&restore.version, &restore.timestamp));
  out = std::move(restore);
  return Status::OK();
}

// VERSION AS OF 1 | TIMESTAMP AS OF '…'
Status Grammar::as_of(std::optional<std::int64_t>* version, std::string* timestamp) {
  const bool by_version = accept_word("VERSION");
  if (!by_version) TRY(expect_word("TIMESTAMP"));
  TRY(expect_word("AS"));
  TRY(expect_word("OF"));
  if (by_version) {
    if (!is_version(peek())) return unexpected();
    *version = parse_int64(peek().value);
    if (!*version) {
      return Status::plain(ErrorKind::number_format, "For input string: \"" + peek().value + "\"");
    }
  } else {
    if (peek().kind != TokenKind::string) return unexpected();
    *timestamp = peek().value;
  }
  take();
  return Status::OK();
}

Status Grammar::merge_source(Merge& merge) {
  merge.query = std::make_shared<sc::Relation>();
  TRY(relation_primary(*merge.query));
  if (merge.query->has_subquery_alias() && merge.query->subquery_alias().input().has_to_df())
    return Status::error("COLUMN_ALIASES_NOT_ALLOWED", {{"op", "MERGE"}});
  wrap_definitions(*merge.query);
  gather_subqueries(*merge.query);
  merge.query->mutable_common()->mutable_origin()->mutable_jvm_origin()->set_sql_text(
      std::string(text_));
  return Status::OK();
}

Status Grammar::text_expression(MergeClause::ExpressionPtr* out, std::string* text) {
  const std::size_t first = position_;
  *out = std::make_shared<sc::Expression>();
  TRY(expression(**out));
  *text = text_between(first, position_);
  return Status::OK();
}

void Grammar::note_subquery(Merge& merge, const std::string& text, const std::string& place) const {
  if (subqueries_.empty() || !merge.subquery_place.empty()) return;
  merge.subquery_in = text;
  merge.subquery_place = place;
}

// The three kinds come in this order.
Status Grammar::merge_clause(Merge& merge) {
  const Token when = take();
  MergeClause clause;
  if (accept_word("NOT")) {
    TRY(expect_word("MATCHED"));
    clause.kind = Kind::not_matched;
    if (accept_word("BY")) {
      if (is_word("SOURCE")) clause.kind = Kind::not_matched_by_source;
      if (!accept_word("SOURCE")) TRY(expect_word("TARGET"));
    }
  } else {
    TRY(expect_word("MATCHED"));
  }
  if (!merge.clauses.empty() && merge.clauses.back().kind > clause.kind) {
    return syntax_error(text_, when, false);
  }
  if (accept_word("AND")) TRY(text_expression(&clause.condition, &clause.condition_text));
  TRY(expect_word("THEN"));
  const std::string verb = to_upper(peek().text);
  note_subquery(merge, clause.condition_text, verb + " condition");
  const std::size_t first = position_;
  TRY(merge_action(clause));
  note_subquery(merge, text_between(first, position_), verb + " clause");
  merge.clauses.push_back(std::move(clause));
  return Status::OK();
}

Status Grammar::merge_action(MergeClause& clause) {
  if (clause.kind == Kind::not_matched) {
    TRY(expect_word("INSERT"));
    clause.action = Action::insert_all;
    return accept_symbol("*") ? Status::OK() : merge_insert(clause);
  }
  clause.action = Action::remove;
  if (accept_word("DELETE")) return Status::OK();
  TRY(expect_word("UPDATE"));
  TRY(expect_word("SET"));
  clause.action = Action::update_all;
  if (clause.kind == Kind::matched && accept_symbol("*")) return Status::OK();
  clause.action = Action::update;
  return assignments(&clause.values);
}

// INSERT (a, b) VALUES (1, 2)
Status Grammar::merge_insert(MergeClause& clause) {
  clause.action = Action::insert;
  const Token first = peek();
  TRY(expect_symbol("("));
  do {
    TRY(dotted_name(&clause.values.emplace_back().first));
  } while (accept_symbol(","));
  TRY(expect_symbol(")"));
  TRY(expect_word("VALUES"));
  TRY(expect_symbol("("));
  std::vector<MergeClause::ExpressionPtr> values;
  do {
    values.push_back(std::make_shared<sc::Expression>());
    TRY(expression(*values.back()));
  } while (accept_symbol(","));
  TRY(expect_symbol(")"));
  if (values.size() != clause.values.size()) {
    return parse_error(text_, first, tokens_[position_ - 1],
                       Status::error("MERGE_INSERT_VALUE_COUNT_MISMATCH",
                                     {{"actualCount", fmt::to_string(values.size())},
                                      {"expectedCount", fmt::to_string(clause.values.size())}}));
  }
  for (std::size_t i = 0; i < values.size(); ++i) clause.values[i].second = std::move(values[i]);
  return Status::OK();
}

// a = 1, b.c = 2
Status Grammar::assignments(std::vector<std::pair<Name, MergeClause::ExpressionPtr>>* out) {
  do {
    auto& [column, value] = out->emplace_back();
    TRY(dotted_name(&column));
    if (!accept_symbol("==")) TRY(expect_symbol("="));
    value = std::make_shared<sc::Expression>();
    TRY(expression(*value));
  } while (accept_symbol(","));
  return Status::OK();
}

}  // namespace millstream::sql
