// INSERT.
#include <algorithm>

#include "base/text.h"
#include "sql/grammar.h"
#include "sql/parser.h"
#include "sql/statement.h"

namespace millstream::sql {

namespace {

Status refused_statement(const std::string& words) {
  return Status::unsupported("the SQL statement {} is not supported by Millstream yet", words);
}

}  // namespace

// FROM t SELECT …, or FROM t INSERT … SELECT … [INSERT … SELECT …].
Status Grammar::from_insert(Statement& out) {
  const std::size_t start = position_;
  sc::Relation from;
  TRY(from_clause(from));
  if (!is_word("INSERT")) {
    position_ = start;
    subqueries_.clear();
    Query query;
    TRY(whole_query(&query.relation));
    out = std::move(query);
    return Status::OK();
  }
  // Each has what stands before: the FROM, its subqueries, the names of WITH.
  const auto definitions = definitions_;
  const auto subqueries = subqueries_;
  MultiInsert all;
  while (accept_word("INSERT")) {
    if (all.inserts.size() >= static_cast<std::size_t>(limits::bodies_max)) return too_complex();
    definitions_ = definitions;
    subqueries_ = subqueries;
    from_ = &from;
    Statement one;
    const Status read = insert_statement(one);
    from_ = nullptr;
    TRY(read);
    auto* insert = std::get_if<Insert>(&one);
    if (insert == nullptr) return refused_statement("FROM … INSERT … DIRECTORY");
    all.inserts.push_back(std::move(*insert));
  }
  if (all.inserts.size() == 1) {
    out = std::move(all.inserts[0]);
  } else {
    out = std::move(all);
  }
  return Status::OK();
}

// Behind the definitions of a WITH: name [(columns)] [AS] (query), …
std::size_t Grammar::after_with() const {
  std::size_t at = position_ + 1;
  while (at < tokens_.size()) {
    if (tokens_[at].text == "(") {
      at = matching_bracket(at) + 1;
      if (at < tokens_.size() && tokens_[at].text == ",") ++at;
      const bool more =
          at < tokens_.size() && (tokens_[at].text == "(" || is_word_at(at, "AS") ||
                                  is_word_at(at, "MAX") || tokens_[at - 1].text == ",");
      if (!more) return at;
    } else {
      ++at;
    }
  }
  return at;
}

// WITH … INSERT, WITH … FROM t INSERT, WITH … MERGE, UPDATE or DELETE.
bool Grammar::changes_after_with() const {
  std::size_t at = after_with();
  const bool more = at + 1 < tokens_.size();
  if (more && is_word_at(at, "MERGE"))
    return is_word_at(at + 1, "INTO") || is_word_at(at + 1, "WITH");
  if (more && is_word_at(at, "DELETE")) return is_word_at(at + 1, "FROM");
  if (more && is_word_at(at, "UPDATE")) return true;
  if (at < tokens_.size() && is_word_at(at, "FROM")) {
    while (at < tokens_.size() && !is_word_at(at, "INSERT")) {
      at = tokens_[at].text == "(" ? matching_bracket(at) + 1 : at + 1;
    }
  }
  return at + 1 < tokens_.size() && is_word_at(at, "INSERT") &&
         (is_word_at(at + 1, "INTO") || is_word_at(at + 1, "OVERWRITE"));
}

// WITH q AS (…) INSERT INTO t SELECT … FROM q: the names are the query's, or those of what MERGE
// takes its rows from.
Status Grammar::with_change(Statement& out) {
  TRY(with_clause(definitions_));
  if (is_word("MERGE")) return merge_statement(out);
  if (is_word("UPDATE") || is_word("DELETE")) return change_statement(out);
  if (is_word("FROM")) return from_insert(out);
  TRY(expect_word("INSERT"));
  return insert_statement(out);
}

Status Grammar::insert_statement(Statement& out) {
  Insert insert;
  insert.overwrite = accept_word("OVERWRITE");
  if (!insert.overwrite) TRY(expect_word("INTO"));
  if (insert.overwrite && is_word("LOCAL") && is_word("DIRECTORY", 1)) {
    take();  // each directory is one of this machine
    return insert_directory(out);
  }
  if (insert.overwrite && is_word("DIRECTORY") && peek(1).kind != TokenKind::symbol)
    return insert_directory(out);
  if (is_word("TABLE") && is_name(1)) take();
  TRY(dotted_name(&insert.table));
  if (is_word("PARTITION") && is_symbol("(", 1)) TRY(partition_spec(&insert.partition));
  insert.if_not_exists = accept_if_not_exists();
  if (is_word("WITH") && is_word("SCHEMA", 1))
    return refused_statement("INSERT WITH SCHEMA EVOLUTION");
  if (is_word("REPLACE") && (is_word("USING", 1) || is_word("ON", 1))) {
    return refused_statement("INSERT … REPLACE " + to_upper(peek(1).text));
  }
  if (is_word("BY") && is_word("NAME", 1)) {
    position_ += 2;
    insert.by_name = true;
  } else if (is_symbol("(") && !starts_query()) {
    const std::size_t open = position_;
    TRY(name_list(&insert.columns));
    for (std::size_t i = 0; i < insert.columns.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!equals_ignore_case(insert.columns[i], insert.columns[j])) continue;
        return with_place(
            Status::error("COLUMN_ALREADY_EXISTS",
                          {{"columnName", quoted_name({to_lower(insert.columns[i])})}}),
            text_, tokens_[open].offset, tokens_[position_ - 1].offset + 1);
      }
    }
  }
  if (is_word("REPLACE") && is_word("WHERE", 1)) {
    if (!insert.columns.empty() || insert.overwrite) return unexpected();
    position_ += 2;
    const std::size_t first = position_;
    insert.replace_where = std::make_shared<sc::Expression>();
    TRY(expression(*insert.replace_where));
    insert.replace_where_text = text_between(first, position_);
  }
  insert.text = text_between(0, position_);
  TRY(whole_query(&insert.query));
  out = std::move(insert);
  return Status::OK();
}

// A literal, nothing that is computed.
Status Grammar::constant(sc::Expression& out) {
  const bool literal = peek().kind != TokenKind::word || is_word("NULL") || is_word("TRUE") ||
                       is_word("FALSE") || is_word("INTERVAL") || is_word("DEFAULT") ||
                       peek(1).kind == TokenKind::string;
  if (!literal) {
    take();
    return unexpected();
  }
  if (is_symbol("(") || is_symbol("*") || peek().kind == TokenKind::quoted) return unexpected();
  return primary(out);
}

// PARTITION (p = 1, q): constants, and columns that the query gives.
Status Grammar::partition_spec(PartitionSpec* spec) {
  TRY(expect_word("PARTITION"));
  TRY(expect_symbol("("));
  do {
    auto& [column, value] = spec->emplace_back();
    TRY(name(&column));
    if (!accept_symbol("=")) continue;
    value = std::make_shared<sc::Expression>();
    TRY(constant(*value));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

Status Grammar::named_partition(PartitionSpec* spec) {
  TRY(partition_spec(spec));
  for (const auto& [column, value] : *spec) {
    if (value == nullptr)
      return Status::error("INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE",
                           {{"partKey", quoted_name({column})}});
  }
  return Status::OK();
}

Status Grammar::insert_directory(Statement& out) {
  take();
  InsertDirectory insert;
  if (peek().kind == TokenKind::string) insert.path = take().value;
  if (!is_word("USING") && (is_word("ROW") || is_word("STORED") || starts_query())) {
    return Status::error("NOT_SUPPORTED_COMMAND_WITHOUT_HIVE_SUPPORT",
                         {{"cmd", "INSERT OVERWRITE DIRECTORY with the Hive format"}});
  }
  TRY(expect_word("USING"));
  TRY(name(&insert.provider));
  if (accept_word("OPTIONS")) TRY(property_list(&insert.options));
  TRY(whole_query(&insert.query));
  out = std::move(insert);
  return Status::OK();
}

// DELETE FROM t WHERE c, UPDATE t SET a = 1 WHERE c
Status Grammar::change_statement(Statement& out) {
  Change change;
  change.text = std::string(text_);
  change.update = is_word("UPDATE");
  take();
  if (!change.update) TRY(expect_word("FROM"));
  TRY(dotted_name(&change.table));
  accept_word("AS");
  if (is_name() && !is_word("SET") && !is_word("WHERE")) change.alias = take().value;
  if (change.update) {
    TRY(expect_word("SET"));
    TRY(assignments(&change.values));
  }
  if (accept_word("WHERE")) {
    const std::size_t first = position_;
    change.where = std::make_shared<sc::Expression>();
    TRY(expression(*change.where));
    change.where_text = text_between(first, position_);
  }
  change.subqueries = !subqueries_.empty();
  out = std::move(change);
  return Status::OK();
}

}  // namespace millstream::sql
