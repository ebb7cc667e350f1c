// ALTER TABLE, VIEW and DATABASE, COMMENT ON.
#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

namespace {

Status refused(const std::string& words) {
  return Status::unsupported("the SQL statement {} is not supported by Millstream yet", words);
}

}  // namespace

Status Grammar::alter_statement(Statement& out) {
  if (is_database_word()) return alter_database(out);
  if (accept_word("TABLE")) return alter_table(out, false);
  if (accept_word("VIEW")) return alter_table(out, true);
  if (is_name()) return refused("ALTER " + to_upper(peek().text));
  return unexpected();
}

// SET DBPROPERTIES ('a' = 'b')
Status Grammar::alter_database(Statement& out) {
  take();
  AlterDatabase alter;
  TRY(dotted_name(&alter.name));
  if (!is_word("SET") && !is_word("UNSET")) return unexpected();
  const bool unset = is_word("UNSET");
  take();
  if (unset) return refused("ALTER DATABASE … UNSET");
  if (accept_word("LOCATION")) {
    TRY(string_value(&alter.location.emplace()));
    out = std::move(alter);
    return Status::OK();
  }
  if (!accept_word("DBPROPERTIES")) TRY(expect_word("PROPERTIES"));
  TRY(property_list(&alter.properties));
  out = std::move(alter);
  return Status::OK();
}

Status Grammar::alter_table(Statement& out, bool view) {
  AlterTable alter;
  alter.view = view;
  TRY(dotted_name(&alter.table));
  if (view && (accept_word("AS") || starts_query())) {
    AlterView as;
    as.name = alter.table;
    const std::size_t first = position_;
    TRY(whole_query(&as.query));
    as.text = text_between(first, position_);
    out = std::move(as);
    return Status::OK();
  }
  if (is_word("PARTITION") ||
      ((is_word("ADD") || is_word("DROP") || is_word("RECOVER")) && !is_word("COLUMN", 1) &&
       !is_word("COLUMNS", 1) && !is_word("CONSTRAINT", 1) && !is_word("FEATURE", 1))) {
    TRY(alter_partitions(alter));
  } else if (accept_word("SET")) {
    if (accept_word("LOCATION")) {
      alter.kind = AlterKind::set_location;
      TRY(string_value(&alter.location));
    } else if (is_word("SERDE") || is_word("SERDEPROPERTIES")) {
      return refused("ALTER TABLE … SET " + to_upper(peek().text));
    } else {
      TRY(expect_word("TBLPROPERTIES"));
      TRY(property_list(&alter.properties));
    }
  } else if (accept_word("UNSET")) {
    alter.kind = AlterKind::unset_properties;
    TRY(expect_word("TBLPROPERTIES"));
    accept_if_exists();
    TRY(expect_symbol("("));
    do {
      std::string key;
      TRY(string_value(&key));
      alter.keys.push_back(std::move(key));
    } while (accept_symbol(","));
    TRY(expect_symbol(")"));
  } else if (accept_word("RENAME")) {
    alter.kind = AlterKind::rename;
    if (accept_word("COLUMN")) {
      alter.kind = AlterKind::rename_column;
      TRY(dotted_name(&alter.columns.emplace_back().path));
    }
    TRY(expect_word("TO"));
    TRY(dotted_name(&alter.new_name));
  } else if (is_word("ADD") && (is_word("COLUMN", 1) || is_word("COLUMNS", 1))) {
    TRY(add_columns(alter));
  } else if (is_word("DROP") && (is_word("COLUMN", 1) || is_word("COLUMNS", 1))) {
    position_ += 2;
    alter.kind = AlterKind::drop_columns;
    alter.if_exists = accept_if_exists();
    const bool several = accept_symbol("(");
    do {
      TRY(dotted_name(&alter.columns.emplace_back().path));
    } while (accept_symbol(","));
    if (several) TRY(expect_symbol(")"));
  } else if (is_word("ALTER") || is_word("CHANGE")) {
    TRY(alter_column(alter));
  } else if ((is_word("ADD") || is_word("DROP")) && is_word("CONSTRAINT", 1)) {
    TRY(alter_constraint(alter));
  } else if (is_word("DROP") && is_word("FEATURE", 1)) {
    position_ += 2;
    alter.kind = AlterKind::drop_feature;
    TRY(name(&alter.feature));
    if (accept_word("TRUNCATE")) {
      TRY(expect_word("HISTORY"));
      alter.truncate_history = true;
    }
  } else if (is_word("CLUSTER") && is_word("BY", 1)) {
    alter.kind = AlterKind::cluster_by;
    TRY(cluster_clause(&alter.cluster_by));
  } else if (is_name()) {
    const std::string words =
        to_upper(peek().text) + (is_name(1) ? " " + to_upper(peek(1).text) : "");
    return refused("ALTER TABLE … " + words);
  } else {
    return unexpected();
  }
  out = std::move(alter);
  return Status::OK();
}

// ADD [IF NOT EXISTS] PARTITION (…) [LOCATION '…'] …, DROP [IF EXISTS] PARTITION (…), … [PURGE],
// RECOVER PARTITIONS, PARTITION (…) RENAME TO PARTITION (…), PARTITION (…) SET LOCATION '…'
Status Grammar::alter_partitions(AlterTable& alter) {
  if (accept_word("RECOVER")) {
    alter.kind = AlterKind::recover_partitions;
    return expect_word("PARTITIONS");
  }
  if (is_word("PARTITION")) {
    TRY(named_partition(&alter.partitions.emplace_back()));
    if (accept_word("RENAME")) {
      alter.kind = AlterKind::rename_partition;
      TRY(expect_word("TO"));
      return named_partition(&alter.partitions.emplace_back());
    }
    TRY(expect_word("SET"));
    alter.kind = AlterKind::set_location;
    TRY(expect_word("LOCATION"));
    return string_value(&alter.location);
  }
  const bool add = is_word("ADD");
  take();
  alter.kind = add ? AlterKind::add_partitions : AlterKind::drop_partitions;
  if (add) {
    alter.if_not_exists = accept_if_not_exists();
  } else {
    alter.if_exists = accept_if_exists();
  }
  do {
    TRY(named_partition(&alter.partitions.emplace_back()));
    std::string& location = alter.locations.emplace_back();
    if (add && accept_word("LOCATION")) TRY(string_value(&location));
  } while (add ? is_word("PARTITION") : accept_symbol(","));
  if (!add) accept_word("PURGE");
  return Status::OK();
}

// ADD CONSTRAINT c CHECK (expression) | DROP CONSTRAINT [IF EXISTS] c
Status Grammar::alter_constraint(AlterTable& alter) {
  const bool add = is_word("ADD");
  position_ += 2;
  alter.kind = add ? AlterKind::add_constraint : AlterKind::drop_constraint;
  if (!add) alter.if_exists = accept_if_exists();
  TRY(name(&alter.constraint));
  if (!add) {
    if (!accept_word("CASCADE")) accept_word("RESTRICT");
    return Status::OK();
  }
  if (!accept_word("CHECK")) {
    if (!is_word("PRIMARY") && !is_word("FOREIGN") && !is_word("UNIQUE")) return unexpected();
    rest_of_text();
    return Status::OK();
  }
  const std::size_t open = position_;
  const std::size_t close = is_symbol("(") ? matching_bracket(open) : tokens_.size();
  TRY(expect_symbol("("));
  sc::Expression ignored;
  TRY(expression(ignored));
  subqueries_.clear();
  alter.expression = text_between(open + 1, close);
  TRY(expect_symbol(")"));
  for (const char* word : {"ENFORCED", "RELY", "NORELY"}) accept_word(word);
  return Status::OK();
}

// ADD COLUMN a INT COMMENT '…' | ADD COLUMNS (a INT FIRST, b INT AFTER a)
Status Grammar::add_columns(AlterTable& alter) {
  alter.kind = AlterKind::add_columns;
  position_ += 2;
  const bool several = accept_symbol("(");
  do {
    ColumnChange& change = alter.columns.emplace_back();
    TRY(dotted_name(&change.path));
    TRY(column_change(change));
  } while (accept_symbol(","));
  return several ? expect_symbol(")") : Status::OK();
}

// A type and what may follow it.
Status Grammar::column_change(ColumnChange& change) {
  const std::size_t first = position_;
  if (!is_name()) return unexpected();
  int depth = 0;
  while (peek().kind != TokenKind::end) {
    const bool ends = is_symbol(",") || is_symbol(")") || is_symbol(";") || is_word("COMMENT") ||
                      is_word("NOT") || is_word("DEFAULT") || is_word("FIRST") || is_word("AFTER");
    if (depth == 0 && ends && position_ > first) break;
    if (is_symbol("(")) ++depth;
    if (is_symbol(")")) --depth;
    for (const char c : peek().kind == TokenKind::symbol ? peek().text : std::string_view()) {
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    }
    take();
  }
  change.type = text_between(first, position_);
  for (;;) {
    if (accept_word("COMMENT")) {
      std::string comment;
      TRY(string_value(&comment));
      change.comment = std::move(comment);
    } else if (is_word("NOT") && is_word("NULL", 1)) {
      position_ += 2;
      change.nullable = false;
    } else if (is_word("DEFAULT")) {
      take();
      const std::size_t value = position_;
      sc::Expression ignored;
      TRY(expression(ignored));
      subqueries_.clear();
      change.default_text = text_between(value, position_);
    } else if (is_word("FIRST") || is_word("AFTER")) {
      TRY(column_position(change.position));
    } else {
      return Status::OK();
    }
  }
}

Status Grammar::column_position(ColumnPosition& position) {
  position.given = true;
  if (accept_word("FIRST")) return Status::OK();
  TRY(expect_word("AFTER"));
  Name after;
  TRY(dotted_name(&after));
  position.after = after.back();
  return Status::OK();
}

// ALTER | CHANGE [COLUMN] a COMMENT '…' | TYPE t | SET NOT NULL | DROP NOT NULL | FIRST | AFTER b
Status Grammar::alter_column(AlterTable& alter) {
  alter.kind = AlterKind::alter_column;
  take();
  accept_word("COLUMN");
  ColumnChange& change = alter.columns.emplace_back();
  TRY(dotted_name(&change.path));
  if (accept_word("COMMENT")) {
    std::string comment;
    TRY(string_value(&comment));
    change.comment = std::move(comment);
  } else if (accept_word("TYPE")) {
    TRY(column_change(change));
  } else if (is_word("SYNC") && is_word("IDENTITY", 1)) {
    position_ += 2;
    change.sync_identity = true;
  } else if (is_word("FIRST") || is_word("AFTER")) {
    TRY(column_position(change.position));
  } else if ((is_word("SET") || is_word("DROP")) && is_word("NOT", 1) && is_word("NULL", 2)) {
    change.nullable = is_word("DROP");
    position_ += 3;
  } else if ((is_word("SET") || is_word("DROP")) && is_word("DEFAULT", 1)) {
    const bool set = is_word("SET");
    position_ += 2;
    const std::size_t first = position_;
    if (set) {
      sc::Expression ignored;
      TRY(expression(ignored));
      subqueries_.clear();
    }
    change.default_text = text_between(first, position_);
  } else if (is_name() && (is_name(1) || is_word("COMMENT", 1))) {
    return refused("ALTER TABLE … CHANGE COLUMN with a new name or type");
  } else {
    return unexpected();
  }
  return Status::OK();
}

// COMMENT ON TABLE t IS '…', COMMENT ON DATABASE d IS NULL
Status Grammar::comment_statement(Statement& out) {
  take();
  TRY(expect_word("ON"));
  const bool database = is_database_word();
  if (!database && !is_word("TABLE")) {
    return is_name() ? refused("COMMENT ON " + to_upper(peek().text)) : unexpected();
  }
  take();
  Name name;
  TRY(dotted_name(&name));
  TRY(expect_word("IS"));
  std::string comment;
  if (!accept_word("NULL")) TRY(string_value(&comment));
  if (database) {
    out = AlterDatabase{std::move(name), {}, comment, {}};
    return Status::OK();
  }
  AlterTable alter;
  alter.kind = AlterKind::comment;
  alter.table = std::move(name);
  alter.comment = std::move(comment);
  out = std::move(alter);
  return Status::OK();
}

}  // namespace millstream::sql
