// CREATE and REPLACE of tables, views and databases.
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

Status Grammar::create_statement(Statement& out) {
  const std::size_t start = position_;
  const bool replace = is_word("OR") && is_word("REPLACE", 1);
  if (replace) position_ += 2;
  const bool global = accept_word("GLOBAL");
  const bool temporary = accept_word("TEMP") || accept_word("TEMPORARY");
  if (accept_word("VIEW")) return create_view(out, replace, global, temporary);
  if (!global && is_word("FUNCTION")) return create_function(out, replace, temporary);
  if (!temporary && !global && is_word("EXTERNAL") && is_word("TABLE", 1)) take();
  if (!temporary && !global && accept_word("TABLE")) return create_table(out, replace, false);
  if (is_database_word() && !replace) return create_database(out);
  for (const char* object : {"MATERIALIZED", "STREAMING", "FLOW"}) {
    if (is_word(object)) return refused_statement("CREATE " + std::string(object));
  }
  position_ = peek().kind == TokenKind::end ? position_ : start;
  return unexpected();
}

Status Grammar::create_database(Statement& out) {
  take();
  CreateDatabase create;
  create.if_not_exists = accept_if_not_exists();
  TRY(dotted_name(&create.name));
  for (;;) {
    if (accept_word("COMMENT")) {
      TRY(string_value(&create.comment));
    } else if (accept_word("LOCATION")) {
      TRY(string_value(&create.location.emplace()));
    } else if (is_word("WITH") && (is_word("DBPROPERTIES", 1) || is_word("PROPERTIES", 1))) {
      position_ += 2;
      TRY(property_list(&create.properties));
    } else if (is_word("MANAGED") && is_word("LOCATION", 1)) {
      return refused_statement("CREATE DATABASE … MANAGED LOCATION");
    } else {
      break;
    }
  }
  out = std::move(create);
  return Status::OK();
}

bool Grammar::is_database_word() const {
  return is_word("DATABASE") || is_word("SCHEMA") || is_word("NAMESPACE");
}

bool Grammar::accept_if_not_exists() {
  const bool there = is_word("IF") && is_word("NOT", 1) && is_word("EXISTS", 2);
  if (there) position_ += 3;
  return there;
}

bool Grammar::accept_if_exists() {
  const bool there = is_word("IF") && is_word("EXISTS", 1);
  if (there) position_ += 2;
  return there;
}

Status Grammar::create_view(Statement& out, bool replace, bool global, bool temporary) {
  CreateView create;
  create.replace = replace;
  create.global = global;
  create.temporary = temporary || global;
  const Token start = tokens_[0];
  create.if_not_exists = accept_if_not_exists();
  if (create.if_not_exists && create.temporary) {
    ErrorInfo info;
    info.kind = ErrorKind::parse;
    info.condition = "_LEGACY_ERROR_TEMP_0053";
    info.message = "It is not allowed to define a TEMPORARY view with IF NOT EXISTS.";
    return parse_error(text_, start, tokens_[position_ - 1], Status(std::move(info)));
  }
  const Token first = peek();
  TRY(dotted_name(&create.name));
  if (create.temporary && create.name.size() > 1) {
    const Name qualifier(create.name.begin(), create.name.end() - 1);
    return parse_error(text_, first, tokens_[position_ - 1],
                       Status::error("INVALID_TEMP_OBJ_QUALIFIER",
                                     {{"objectType", "VIEW"},
                                      {"objectName", quoted_name({create.name.back()})},
                                      {"qualifier", quoted_name(qualifier)}}));
  }
  if (create.temporary) {
    const std::size_t open = position_;
    const std::size_t close = is_symbol("(") ? matching_bracket(open) : tokens_.size();
    const std::size_t after = close < tokens_.size() ? close + 1 - position_ : 0;
    if (is_word("USING", after)) {
      if (after > 0) create.schema = text_between(open + 1, close);
      position_ += after + 1;
      TRY(view_using(create));
      out = std::move(create);
      return Status::OK();
    }
  }
  if (accept_symbol("(")) {
    do {
      TRY(name(&create.columns.emplace_back()));
      std::string& comment = create.column_comments.emplace_back();
      if (accept_word("COMMENT")) TRY(string_value(&comment));
    } while (accept_symbol(","));
    TRY(expect_symbol(")"));
  }
  for (;;) {
    if (accept_word("COMMENT")) {
      TRY(string_value(&create.comment));
    } else if (accept_word("TBLPROPERTIES")) {
      TRY(property_list(&create.properties));
    } else if (is_word("WITH") && (is_word("SCHEMA", 1) || is_word("METRICS", 1))) {
      return refused_statement("CREATE VIEW … WITH " + to_upper(peek(1).text));
    } else {
      break;
    }
  }
  TRY(expect_word("AS"));
  const std::size_t query_start = position_;
  TRY(whole_query(&create.query));
  create.text = text_between(query_start, position_);
  name_columns(*create.query, create.columns);
  out = std::move(create);
  return Status::OK();
}

// USING json [OPTIONS (path '…')]
Status Grammar::view_using(CreateView& create) {
  TRY(name(&create.provider));
  if (accept_word("OPTIONS")) TRY(property_list(&create.options));
  return Status::OK();
}

Status Grammar::create_table(Statement& out, bool replace, bool must_exist) {
  CreateTable create;
  create.replace = replace;
  create.must_exist = must_exist;
  create.if_not_exists = accept_if_not_exists();
  TRY(dotted_name(&create.name));
  if (is_word("SHALLOW") && is_word("CLONE", 1)) {
    TRY(clone_clauses(create));
    out = std::move(create);
    return Status::OK();
  }
  if (!must_exist && accept_word("LIKE")) TRY(dotted_name(&create.like));
  if (create.like.empty() && is_symbol("(") && !starts_query()) {
    TRY(column_definitions(create));
  }
  TRY(table_clauses(create));
  const std::size_t query_start = position_;
  const bool as = accept_word("AS");
  if (as || starts_query()) TRY(whole_query(&create.query));
  if (create.query != nullptr && !create.columns.empty()) {
    ErrorInfo info;
    info.kind = ErrorKind::parse;
    info.condition = "_LEGACY_ERROR_TEMP_0035";
    info.message = "Schema may not be specified in a Create Table As Select (CTAS) statement";
    info.parameters = {{"message", info.message}};
    info.message = "Operation not allowed: " + info.message + ".";
    return parse_error(text_, tokens_[0], tokens_[query_start], Status(std::move(info)));
  }
  out = std::move(create);
  return Status::OK();
}

// SHALLOW CLONE source [VERSION | TIMESTAMP AS OF x] [TBLPROPERTIES (…)] [LOCATION '…']
Status Grammar::clone_clauses(CreateTable& create) {
  position_ += 2;
  Clone clone;
  TRY(dotted_name(&clone.source));
  if (is_word("VERSION") || is_word("TIMESTAMP")) TRY(as_of(&clone.version, &clone.timestamp));
  if (accept_word("TBLPROPERTIES")) TRY(property_list(&create.properties));
  if (accept_word("LOCATION")) TRY(string_value(&create.location));
  create.clone = std::move(clone);
  return Status::OK();
}

bool Grammar::is_word_at(std::size_t token, std::string_view keyword) const {
  return tokens_[token].kind == TokenKind::word && equals_ignore_case(tokens_[token].text, keyword);
}

// USING delta PARTITIONED BY (a, b) COMMENT '…' TBLPROPERTIES ('a' = 'b'), in any order
Status Grammar::table_clauses(CreateTable& create) {
  std::vector<std::string> met;
  const std::size_t start = position_;
  const auto once = [&](const char* clause) -> Status {
    const bool again = std::find(met.begin(), met.end(), clause) != met.end();
    met.emplace_back(clause);
    if (!again) return Status::OK();
    return parse_error(text_, tokens_[0], tokens_[std::max(start, position_) - 1],
                       Status::error("DUPLICATE_CLAUSES", {{"clauseName", clause}}));
  };
  // (a, b INT): a column with a type is one more of the table.
  const auto partition_fields = [&]() -> Status {
    const std::size_t close = matching_bracket(position_);
    TRY(expect_symbol("("));
    do {
      if (is_symbol("(", 1))
        return refused_statement("CREATE TABLE … PARTITIONED BY " + to_upper(peek().text) + "(…)");
      const std::size_t field = position_;
      TRY(name(&create.partition_by.emplace_back()));
      if (is_symbol(",") || is_symbol(")")) continue;
      position_ = field;
      std::string column;
      TRY(column_definition(create, close, &column));
      create.columns += (create.columns.empty() ? "" : ", ") + column;
    } while (accept_symbol(","));
    return expect_symbol(")");
  };
  for (;;) {
    if (accept_word("USING")) {
      TRY(once("USING"));
      TRY(name(&create.provider));
    } else if (is_word("PARTITIONED") && is_word("BY", 1)) {
      TRY(once("PARTITIONED BY"));
      position_ += 2;
      TRY(partition_fields());
    } else if (is_word("COMMENT") && peek(1).kind == TokenKind::string) {
      TRY(once("COMMENT"));
      take();
      create.comment = take().value;
    } else if (accept_word("TBLPROPERTIES")) {
      TRY(once("TBLPROPERTIES"));
      TRY(property_list(&create.properties));
    } else if (accept_word("LOCATION")) {
      TRY(once("LOCATION"));
      TRY(string_value(&create.location));
    } else if (is_word("OPTIONS") && is_symbol("(", 1)) {
      take();
      TRY(once("OPTIONS"));
      TRY(property_list(&create.options));
    } else if (is_word("CLUSTER") && is_word("BY", 1)) {
      TRY(once("CLUSTER BY"));
      create.clustered = true;
      TRY(cluster_clause(&create.cluster_by));
    } else if (is_word("CLUSTERED") && is_word("BY", 1)) {
      TRY(once("CLUSTERED BY"));
      TRY(bucket_clause(create));
    } else if (is_word("STORED") || is_word("ROW") || is_word("SKEWED")) {
      return refused_statement("CREATE TABLE … " + to_upper(peek().text));
    } else {
      return Status::OK();
    }
  }
}

// ('a' = 'b', c.d = 1)
Status Grammar::property_list(std::map<std::string, std::string>* out) {
  TRY(expect_symbol("("));
  do {
    std::string key;
    if (peek().kind == TokenKind::string) {
      key = take().value;
    } else {
      std::vector<std::string> parts;
      TRY(dotted_name(&parts));
      key = join(parts, ".");
    }
    accept_symbol("=");
    const bool negative = accept_symbol("-");
    const Token value = take();
    if (value.kind == TokenKind::symbol || value.kind == TokenKind::end) {
      return syntax_error(text_, value, false);
    }
    (*out)[key] = (negative ? "-" : "") +
                  (value.kind == TokenKind::string ? value.value : std::string(value.text));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

}  // namespace millstream::sql
