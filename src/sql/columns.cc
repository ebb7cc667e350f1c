// The columns of CREATE TABLE: DDL for names and types, and beside it what more is said of a
// column.
#include <algorithm>

#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

// (a INT DEFAULT 1, b DATE GENERATED ALWAYS AS (…) COMMENT '…', CONSTRAINT c CHECK (…))
Status Grammar::column_definitions(CreateTable& create) {
  const std::size_t close = matching_bracket(position_);
  if (close >= tokens_.size()) {
    position_ = tokens_.size() - 1;
    return unexpected();
  }
  take();
  std::vector<std::string> columns;
  while (position_ < close) {
    if (!is_word("REFERENCES") && starts_constraint()) {
      create.constraint = true;
      skip_constraint(close);
    } else {
      TRY(column_definition(create, close, &columns.emplace_back()));
    }
    if (position_ == close) break;
    TRY(expect_symbol(","));
    if (position_ == close) return unexpected();
  }
  create.columns = join(columns, ", ");
  return expect_symbol(")");
}

// CONSTRAINT c …, CHECK (…), PRIMARY KEY …, UNIQUE …, FOREIGN KEY …, REFERENCES …
bool Grammar::starts_constraint() const {
  if (is_word("CONSTRAINT")) return is_name(1);
  if (is_word("CHECK") || is_word("UNIQUE")) return is_symbol("(", 1) || !is_name(1);
  if (is_word("PRIMARY") || is_word("FOREIGN")) return is_word("KEY", 1);
  return is_word("REFERENCES") && is_name(1);
}

void Grammar::skip_constraint(std::size_t end) {
  while (position_ < end && !is_symbol(",")) {
    const std::size_t close = is_symbol("(") ? matching_bracket(position_) : position_;
    position_ = std::min(close, end - 1) + 1;
  }
}

// a INT NOT NULL DEFAULT 1 COMMENT '…'
Status Grammar::column_definition(CreateTable& create, std::size_t end, std::string* out) {
  const std::size_t first = position_;
  end = std::min(end, tokens_.size() - 1);  // a bracket that is not closed
  ColumnClause clause;
  TRY(name(&clause.column));
  accept_symbol(":");
  int depth = 0;
  bool clauses = false;
  while (position_ < end && (depth > 0 || !is_symbol(","))) {
    clauses = depth == 0 && (is_word("DEFAULT") || is_word("GENERATED") || starts_constraint() ||
                             is_word("COMMENT") || is_word("NOT"));
    if (clauses) break;
    for (const char c : peek().kind == TokenKind::symbol ? peek().text : std::string_view()) {
      depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    }
    take();
  }
  *out = text_between(first, position_);
  while (position_ < end && !is_symbol(",")) {
    std::string rest;
    TRY(column_clause(create, clause, &rest));
    *out += rest;
  }
  if (!clause.default_text.empty() || !clause.generation.empty() || clause.identity) {
    create.clauses.push_back(std::move(clause));
  }
  return Status::OK();
}

// One clause; what DDL has too goes to `rest`.
Status Grammar::column_clause(CreateTable& create, ColumnClause& clause, std::string* rest) {
  const std::size_t first = position_;
  const auto twice = [&](bool again, const char* option) -> Status {
    if (!again) return Status::OK();
    return parse_error(text_, tokens_[first], tokens_[position_ - 1],
                       Status::error("CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE",
                                     {{"columnName", clause.column}, {"optionName", option}}));
  };
  if (starts_constraint()) {
    create.constraint = true;
    const bool named = is_word("CONSTRAINT");
    position_ += named ? 2 : 0;
    // CHECK (…), PRIMARY KEY, REFERENCES t (b), UNIQUE: words and brackets up to the next clause.
    while (!is_symbol(",") && !is_symbol(")") && !is_word("COMMENT") && !is_word("DEFAULT") &&
           peek().kind != TokenKind::end) {
      const std::size_t last = is_symbol("(") ? matching_bracket(position_) : position_;
      position_ = std::min(last + 1, tokens_.size() - 1);
    }
    return Status::OK();
  }
  if (accept_word("DEFAULT")) {
    const std::size_t value = position_;
    sc::Expression ignored;
    TRY(expression(ignored));
    subqueries_.clear();
    TRY(twice(!clause.default_text.empty(), "DEFAULT"));
    clause.default_text = text_between(value, position_);
    return Status::OK();
  }
  if (accept_word("GENERATED")) {
    TRY(twice(!clause.generation.empty() || clause.identity, "GENERATED ALWAYS AS"));
    return generated_clause(clause);
  }
  if (is_word("NOT") && is_word("NULL", 1)) {
    position_ += 2;
  } else if (accept_word("COMMENT")) {
    std::string ignored;
    TRY(string_value(&ignored));
  } else {
    return unexpected();
  }
  *rest = " " + text_between(first, position_);
  return Status::OK();
}

// ALWAYS AS (expression) | ALWAYS AS IDENTITY [(…)] | BY DEFAULT AS IDENTITY [(…)]
Status Grammar::generated_clause(ColumnClause& clause) {
  const bool by_default = is_word("BY") && is_word("DEFAULT", 1);
  if (by_default) {
    position_ += 2;
  } else {
    TRY(expect_word("ALWAYS"));
  }
  TRY(expect_word("AS"));
  if (accept_word("IDENTITY")) {
    clause.identity = true;
    clause.identity_always = !by_default;
    return accept_symbol("(") ? identity_options(clause) : Status::OK();
  }
  const std::size_t open = position_;
  TRY(expect_symbol("("));
  sc::Expression ignored;
  TRY(expression(ignored));
  subqueries_.clear();
  clause.generation = text_between(open + 1, position_);
  return expect_symbol(")");
}

// START WITH n INCREMENT BY n
Status Grammar::identity_options(ColumnClause& clause) {
  bool started = false;
  bool stepped = false;
  while (!is_symbol(")")) {
    const bool start = is_word("START") && is_word("WITH", 1);
    if (!start && !(is_word("INCREMENT") && is_word("BY", 1))) return unexpected();
    bool& met = start ? started : stepped;
    if (std::exchange(met, true)) {
      return parse_error(text_, peek(), peek(1),
                         Status::error("IDENTITY_COLUMNS_DUPLICATED_SEQUENCE_GENERATOR_OPTION",
                                       {{"sequenceGeneratorOption", start ? "START" : "STEP"}}));
    }
    position_ += 2;
    const bool negative = accept_symbol("-");
    if (peek().kind != TokenKind::integer) return unexpected();
    const auto value = parse_int64(take().value);
    if (!value) return unexpected();
    (start ? clause.start : clause.step) = negative ? -*value : *value;
  }
  if (clause.step != 0) return expect_symbol(")");
  return parse_error(text_, tokens_[position_ - 1], peek(),
                     Status::error("IDENTITY_COLUMNS_ILLEGAL_STEP"));
}

// CLUSTER BY (a, b.c) | CLUSTER BY NONE
Status Grammar::cluster_clause(std::vector<std::string>* columns) {
  position_ += 2;
  if (accept_word("NONE")) return Status::OK();
  TRY(expect_symbol("("));
  do {
    std::vector<std::string> parts;
    TRY(dotted_name(&parts));
    columns->push_back(join(parts, "."));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

// CLUSTERED BY (a) [SORTED BY (b)] INTO 4 BUCKETS
Status Grammar::bucket_clause(CreateTable& create) {
  position_ += 2;
  TRY(name_list(&create.bucket_by));
  if (is_word("SORTED") && is_word("BY", 1)) {
    position_ += 2;
    TRY(expect_symbol("("));
    do {
      TRY(name(&create.sort_by.emplace_back()));
      if (!accept_word("ASC")) accept_word("DESC");
    } while (accept_symbol(","));
    TRY(expect_symbol(")"));
  }
  TRY(expect_word("INTO"));
  if (peek().kind != TokenKind::integer) return unexpected();
  create.buckets = static_cast<int>(parse_int64(take().value).value_or(0));
  return expect_word("BUCKETS");
}

}  // namespace millstream::sql
