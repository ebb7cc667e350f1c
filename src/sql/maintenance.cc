// OPTIMIZE, VACUUM, CONVERT TO DELTA and GENERATE.
#include <cstdlib>

#include "base/text.h"
#include "sql/grammar.h"
#include "sql/statement.h"

namespace millstream::sql {

// A table, or the path of one as a text.
Status Grammar::table_or_path(Name* out) {
  if (peek().kind != TokenKind::string) return dotted_name(out);
  *out = {"delta", take().value};
  return Status::OK();
}

// OPTIMIZE t [FULL] [WHERE condition] [ZORDER BY (c, …)]
Status Grammar::optimize_statement(Statement& out) {
  take();
  Optimize optimize;
  optimize.text = std::string(text_);
  TRY(table_or_path(&optimize.table));
  optimize.full = accept_word("FULL");
  if (accept_word("WHERE")) TRY(text_expression(&optimize.where, &optimize.where_text));
  if (accept_word("ZORDER")) {
    TRY(expect_word("BY"));
    const bool bracketed = accept_symbol("(");
    do {
      TRY(dotted_name(&optimize.zorder_by.emplace_back()));
    } while (accept_symbol(","));
    if (bracketed) TRY(expect_symbol(")"));
  }
  out = std::move(optimize);
  return Status::OK();
}

// REORG TABLE t [WHERE condition] APPLY (PURGE)
Status Grammar::reorg_statement(Statement& out) {
  position_ += 2;
  Optimize reorg;
  reorg.text = std::string(text_);
  reorg.purge = true;
  TRY(table_or_path(&reorg.table));
  if (accept_word("WHERE")) TRY(text_expression(&reorg.where, &reorg.where_text));
  TRY(expect_word("APPLY"));
  TRY(expect_symbol("("));
  if (is_word("UPGRADE")) {
    return Status::unsupported("REORG TABLE … APPLY (UPGRADE …) is not supported by Millstream");
  }
  TRY(expect_word("PURGE"));
  TRY(expect_symbol(")"));
  out = std::move(reorg);
  return Status::OK();
}

// A query in brackets, or a table's name; no alias, which would take the next word.
Status Grammar::inventory(spark::connect::Relation& out) {
  if (accept_symbol("(")) {
    TRY(query(out));
    return expect_symbol(")");
  }
  Name name;
  TRY(dotted_name(&name));
  out.mutable_read()->mutable_named_table()->set_unparsed_identifier(quoted_name(name));
  return Status::OK();
}

// VACUUM t, then in any order: LITE | FULL, USING INVENTORY (query) | t, RETAIN n HOURS, DRY RUN
Status Grammar::vacuum_statement(Statement& out) {
  take();
  Vacuum vacuum;
  TRY(table_or_path(&vacuum.table));
  while (peek().kind != TokenKind::end && peek().text != ";") {
    const Token word = peek();
    if (is_word("LITE") || is_word("FULL")) {
      if (vacuum.kind_given) return syntax_error(text_, word, false);
      vacuum.kind_given = true;
      vacuum.lite = is_word("LITE");
      take();
    } else if (is_word("RETAIN") && !vacuum.retain_hours) {
      take();
      const bool negative = accept_symbol("-");
      if (peek().kind != TokenKind::integer && peek().kind != TokenKind::decimal)
        return unexpected();
      const double hours = std::strtod(std::string(take().text).c_str(), nullptr);
      vacuum.retain_hours = negative ? -hours : hours;
      TRY(expect_word("HOURS"));
    } else if (is_word("DRY") && !vacuum.dry_run) {
      take();
      TRY(expect_word("RUN"));
      vacuum.dry_run = true;
    } else if (is_word("USING") && vacuum.query == nullptr) {
      take();
      TRY(expect_word("INVENTORY"));
      vacuum.query = std::make_shared<spark::connect::Relation>();
      TRY(inventory(*vacuum.query));
    } else {
      return syntax_error(text_, word, false);
    }
  }
  out = std::move(vacuum);
  return Status::OK();
}

// CONVERT TO DELTA t [NO STATISTICS] [PARTITIONED BY (p INT, …)]
Status Grammar::convert_statement(Statement& out) {
  position_ += 3;
  ConvertToDelta convert;
  TRY(dotted_name(&convert.table));
  if (accept_word("NO")) {
    TRY(expect_word("STATISTICS"));
    convert.statistics = false;
  }
  if (accept_word("PARTITIONED")) {
    TRY(expect_word("BY"));
    if (!is_symbol("(")) return unexpected();
    CreateTable columns;
    TRY(column_definitions(columns));
    convert.partitions = std::move(columns.columns);
  }
  out = std::move(convert);
  return Status::OK();
}

// GENERATE mode FOR TABLE t
Status Grammar::generate_statement(Statement& out) {
  take();
  Generate generate;
  TRY(name(&generate.mode));
  TRY(expect_word("FOR"));
  TRY(expect_word("TABLE"));
  TRY(dotted_name(&generate.table));
  out = std::move(generate);
  return Status::OK();
}

}  // namespace millstream::sql
