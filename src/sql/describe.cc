// SHOW and DESCRIBE.
#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

namespace {

Status refused(const std::string& words) {
  return Status::unsupported("the SQL statement {} is not supported by Millstream yet", words);
}

}  // namespace

Status Grammar::show_statement(Statement& out) {
  Show show;
  const bool user = accept_word("USER");
  const bool scoped = user || accept_word("SYSTEM") || accept_word("ALL");
  if (accept_word("FUNCTIONS")) {
    show.kind = user ? ShowKind::user_functions : ShowKind::functions;
  } else if (scoped) {
    return unexpected();
  } else if (is_word("TABLE") && is_word("EXTENDED", 1)) {
    position_ += 2;
    show.kind = ShowKind::table_extended;
  } else if (accept_word("TABLES")) {
    show.kind = ShowKind::tables;
  } else if (accept_word("VIEWS")) {
    show.kind = ShowKind::views;
  } else if (accept_word("DATABASES") || accept_word("SCHEMAS") || accept_word("NAMESPACES")) {
    show.kind = ShowKind::databases;
  } else if (accept_word("COLUMNS")) {
    show.kind = ShowKind::columns;
  } else if (accept_word("CATALOGS")) {
    show.kind = ShowKind::catalogs;
  } else {
    TRY(show_of_table(show));
    out = std::move(show);
    return Status::OK();
  }
  if (accept_word("FROM") || accept_word("IN")) {
    TRY(dotted_name(&show.in));
    // SHOW COLUMNS IN t IN db
    Name database;
    if (show.kind == ShowKind::columns && (accept_word("FROM") || accept_word("IN"))) {
      TRY(dotted_name(&database));
      show.in.insert(show.in.begin(), database.begin(), database.end());
    }
  } else if (show.kind == ShowKind::columns) {
    return unexpected();
  }
  const bool like = accept_word("LIKE");
  if (peek().kind == TokenKind::string) {
    show.filtered = true;
    show.pattern = take().value;
  } else if (!like && is_name() && show.kind == ShowKind::functions) {
    Name name;
    TRY(dotted_name(&name));
    show.filtered = true;
    show.pattern = name.back();
  } else if (show.kind == ShowKind::table_extended) {
    return unexpected();
  }
  out = std::move(show);
  return Status::OK();
}

// What is shown of one table, and the current namespace.
Status Grammar::show_of_table(Show& show) {
  if (is_word("CREATE") && is_word("TABLE", 1)) {
    position_ += 2;
    show.kind = ShowKind::create_table;
    TRY(dotted_name(&show.in));
    return is_word("AS") ? refused("SHOW CREATE TABLE … AS SERDE") : Status::OK();
  }
  if (accept_word("TBLPROPERTIES")) {
    show.kind = ShowKind::properties;
    TRY(dotted_name(&show.in));
    if (!accept_symbol("(")) return Status::OK();
    show.filtered = true;
    TRY(string_value(&show.pattern));
    return expect_symbol(")");
  }
  if (accept_word("PARTITIONS")) {
    show.kind = ShowKind::partitions;
    TRY(dotted_name(&show.in));
    return is_word("PARTITION") ? named_partition(&show.partition) : Status::OK();
  }
  if (is_word("CURRENT") &&
      (is_word("NAMESPACE", 1) || is_word("SCHEMA", 1) || is_word("DATABASE", 1))) {
    position_ += 2;
    show.kind = ShowKind::current_namespace;
    return Status::OK();
  }
  for (const char* other : {"LOCKS", "INDEXES", "INDEX", "GRANT", "ROLES", "ROLE", "PRINCIPALS",
                            "COMPACTIONS", "TRANSACTIONS"}) {
    if (!is_word(other)) continue;
    const Token first = tokens_[position_ - 1];
    return parse_error(text_, first, peek(),
                       Status::error("INVALID_STATEMENT_OR_CLAUSE",
                                     {{"operation", "SHOW " + std::string(other)}}));
  }
  if (!is_name()) return unexpected();
  // Whatever other word there is, Spark takes for SHOW name FUNCTIONS.
  take();
  const bool at_end = peek().kind == TokenKind::end;
  const std::string near = at_end ? "end of input" : "'" + std::string(peek().text) + "'";
  return syntax_error(
      text_, peek(),
      Status::error("PARSE_SYNTAX_ERROR", {{"error", near}, {"hint", ": missing 'FUNCTIONS'"}}));
}

Status Grammar::describe_statement(Statement& out) {
  take();
  Describe describe;
  if (is_word("FUNCTION") &&
      (is_name(1) || peek(1).kind == TokenKind::string || peek(1).kind == TokenKind::symbol)) {
    take();
    describe.kind = DescribeKind::function;
    if (is_word("EXTENDED") && peek(1).kind != TokenKind::end) {
      take();
      describe.more = true;
    }
    if (is_name()) {
      TRY(dotted_name(&describe.table));
    } else {
      const Token token = take();
      describe.table = {token.kind == TokenKind::string ? token.value : std::string(token.text)};
    }
    out = std::move(describe);
    return Status::OK();
  }
  if (is_database_word() && is_name(1)) {
    take();
    describe.kind = DescribeKind::database;
    if (is_word("EXTENDED") && is_name(1)) {
      take();
      describe.column = {"EXTENDED"};
    }
    TRY(dotted_name(&describe.table));
    out = std::move(describe);
    return Status::OK();
  }
  if (is_word("CATALOG") && is_name(1)) return refused("DESCRIBE CATALOG");
  if (is_word("QUERY") && starts_query(1)) take();
  if (starts_query() && !is_word("TABLE")) {
    TRY(whole_query(&describe.query));
  } else {
    TRY(describe_relation(describe));
  }
  out = std::move(describe);
  return Status::OK();
}

// [TABLE] [EXTENDED | FORMATTED] t [column], HISTORY t [LIMIT n], DETAIL t
Status Grammar::describe_relation(Describe& describe) {
  if (is_word("TABLE") && is_name(1)) take();
  const bool named = is_name(1) || peek(1).kind == TokenKind::string;
  if ((is_word("HISTORY") || is_word("DETAIL")) && named) {
    describe.kind = is_word("HISTORY") ? DescribeKind::history : DescribeKind::detail;
    take();
    if (peek().kind == TokenKind::string) {
      describe.table = {"delta", take().value};
    } else {
      TRY(dotted_name(&describe.table));
    }
    if (describe.kind == DescribeKind::history && accept_word("LIMIT")) {
      if (peek().kind != TokenKind::integer) return unexpected();
      describe.limit = std::strtoll(take().value.c_str(), nullptr, 10);
    }
    return Status::OK();
  }
  if ((is_word("EXTENDED") || is_word("FORMATTED")) && is_name(1)) {
    take();
    describe.kind = DescribeKind::extended;
  }
  TRY(dotted_name(&describe.table));
  if (is_word("PARTITION") && is_symbol("(", 1)) return refused("DESCRIBE … PARTITION");
  if (is_word("AS") && is_word("JSON", 1)) return refused("DESCRIBE … AS JSON");
  if (is_name()) TRY(dotted_name(&describe.column));
  return Status::OK();
}

}  // namespace millstream::sql
