// Statements that are no queries.
#include "sql/statement.h"

#include <array>

#include "base/text.h"
#include "sql/grammar.h"

// Older clients fill fields that are deprecated since.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::sql {
namespace {

// Words with which Spark's other statements begin.
constexpr std::array<std::string_view, 31> other_statements{
    "ADD",    "ALTER",    "ANALYZE", "BEGIN",  "CALL",     "COMMENT", "DECLARE", "DELETE",
    "DFS",    "EXECUTE",  "EXPORT",  "FETCH",  "GRANT",    "IMPORT",  "LIST",    "LOAD",
    "LOCK",   "MERGE",    "MSCK",    "OPEN",   "OPTIMIZE", "REPAIR",  "REPLACE", "RESTORE",
    "REVOKE", "TRUNCATE", "UNLOCK",  "UPDATE", "VACUUM",   "CLOSE",   "CONVERT"};

Status refused_statement(const std::string& words) {
  return Status::unsupported("the SQL statement {} is not supported by Millstream yet", words);
}

}  // namespace

Status Grammar::parse_statement(Statement& out) {
  if (trim(text_).empty()) return empty_statement();
  TRY(statement(out));
  const bool closed = is_symbol(";");
  while (accept_symbol(";")) {
  }
  if (closed && peek().kind != TokenKind::end) return syntax_error(text_, peek(), true);
  return unexpected_end();
}

Status Grammar::statement(Statement& out) {
  if (accept_word("CREATE")) return create_statement(out);
  if (accept_word("DROP")) return drop_statement(out);
  if (accept_word("INSERT")) return insert_statement(out);
  if (accept_word("SHOW")) return show_statement(out);
  if (is_word("DESCRIBE") || is_word("DESC")) return describe_statement(out);
  if (accept_word("SET")) return set_statement(out);
  if (accept_word("RESET")) {
    out = Reset{rest_of_text()};
    return Status::OK();
  }
  if (accept_word("USE")) return use_statement(out);
  if (accept_word("EXPLAIN")) return explain_statement(out);
  const bool caching = is_word("CACHE") || is_word("UNCACHE") || is_word("REFRESH") ||
                       (is_word("CLEAR") && is_word("CACHE", 1));
  if (caching) return cache_statement(out);
  for (const auto word : other_statements) {
    if (is_word(word)) return refused_statement(std::string(word));
  }
  Query query;
  TRY(whole_query(&query.relation));
  out = std::move(query);
  return Status::OK();
}

Status Grammar::empty_statement() const {
  return syntax_error(text_, peek(), Status::error("PARSE_EMPTY_STATEMENT"));
}

// A query with the subqueries of its expressions.
Status Grammar::whole_query(std::shared_ptr<sc::Relation>* out) {
  *out = std::make_shared<sc::Relation>();
  TRY(query(**out));
  gather_subqueries(**out);
  return Status::OK();
}

// What is left of the text as it is written, without the semicolon at its end.
std::string Grammar::rest_of_text() {
  if (peek().kind == TokenKind::end) return "";
  std::string rest(trim(text_.substr(peek().offset)));
  while (rest.ends_with(';')) rest.pop_back();
  position_ = tokens_.size() - 1;
  return std::string(trim(rest));
}

Status Grammar::create_statement(Statement& out) {
  const std::size_t start = position_;
  const bool replace = is_word("OR") && is_word("REPLACE", 1);
  if (replace) position_ += 2;
  const bool global = accept_word("GLOBAL");
  const bool temporary = accept_word("TEMP") || accept_word("TEMPORARY");
  if (temporary && accept_word("VIEW")) return create_view(out, replace, global);
  if (!temporary && !global && accept_word("TABLE")) return create_table(out, replace);
  if (is_database_word() && !replace) {
    take();
    CreateDatabase create;
    create.if_not_exists = accept_if_not_exists();
    TRY(dotted_name(&create.name));
    if (peek().kind != TokenKind::end && !is_symbol(";")) {
      return refused_statement("CREATE DATABASE with " + to_upper(peek().text));
    }
    out = std::move(create);
    return Status::OK();
  }
  for (const char* object : {"VIEW", "FUNCTION", "EXTERNAL", "MATERIALIZED", "STREAMING", "FLOW"}) {
    if (is_word(object)) return refused_statement("CREATE " + std::string(object));
  }
  position_ = peek().kind == TokenKind::end ? position_ : start;
  return unexpected();
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

Status Grammar::create_view(Statement& out, bool replace, bool global) {
  CreateView create;
  create.replace = replace;
  create.global = global;
  if (accept_if_not_exists()) return refused_statement("CREATE TEMPORARY VIEW IF NOT EXISTS");
  const Token first = peek();
  TRY(dotted_name(&create.name));
  if (create.name.size() > 1) {
    const std::vector<std::string> qualifier(create.name.begin(), create.name.end() - 1);
    return parse_error(text_, first, tokens_[position_ - 1],
                       Status::error("INVALID_TEMP_OBJ_QUALIFIER",
                                     {{"objectType", "VIEW"},
                                      {"objectName", quoted_name({create.name.back()})},
                                      {"qualifier", quoted_name(qualifier)}}));
  }
  std::vector<std::string> columns;
  if (accept_symbol("(")) {
    do {
      TRY(name(&columns.emplace_back()));
      if (accept_word("COMMENT")) take();
    } while (accept_symbol(","));
    TRY(expect_symbol(")"));
  }
  if (accept_word("COMMENT")) take();
  if (is_word("USING")) return refused_statement("CREATE TEMPORARY VIEW … USING");
  if (is_word("TBLPROPERTIES")) return refused_statement("CREATE VIEW … TBLPROPERTIES");
  TRY(expect_word("AS"));
  TRY(whole_query(&create.query));
  name_columns(*create.query, columns);
  out = std::move(create);
  return Status::OK();
}

Status Grammar::create_table(Statement& out, bool replace) {
  CreateTable create;
  create.replace = replace;
  create.if_not_exists = accept_if_not_exists();
  TRY(dotted_name(&create.name));
  if (is_word("LIKE")) return refused_statement("CREATE TABLE … LIKE");
  if (is_symbol("(") && !starts_query()) TRY(column_definitions(&create.columns));
  TRY(table_clauses(create));
  const bool as = accept_word("AS");
  if (as || starts_query()) TRY(whole_query(&create.query));
  out = std::move(create);
  return Status::OK();
}

// The text between the brackets. What a Delta table of Millstream cannot keep is refused.
Status Grammar::column_definitions(std::string* out) {
  const std::size_t open = position_;
  const std::size_t close = matching_bracket(open);
  if (close >= tokens_.size()) {
    position_ = tokens_.size() - 1;
    return unexpected();
  }
  for (std::size_t i = open + 1; i < close; ++i) {
    for (const char* word : {"DEFAULT", "GENERATED", "CONSTRAINT", "PRIMARY", "CHECK", "FOREIGN"}) {
      const bool clause = tokens_[i].kind == TokenKind::word &&
                          equals_ignore_case(tokens_[i].text, word) && tokens_[i - 1].text != "(" &&
                          tokens_[i - 1].text != ",";
      if (clause || (is_word_at(i, word) && i + 1 < close && tokens_[i + 1].text == "KEY")) {
        return refused_statement("CREATE TABLE with " + std::string(word) + " columns");
      }
    }
  }
  const std::size_t from = tokens_[open].offset + 1;
  *out = std::string(text_.substr(from, tokens_[close].offset - from));
  position_ = close + 1;
  return Status::OK();
}

bool Grammar::is_word_at(std::size_t token, std::string_view keyword) const {
  return tokens_[token].kind == TokenKind::word && equals_ignore_case(tokens_[token].text, keyword);
}

// USING delta PARTITIONED BY (a, b) COMMENT '…' TBLPROPERTIES ('a' = 'b'), in any order
Status Grammar::table_clauses(CreateTable& create) {
  for (;;) {
    if (accept_word("USING")) {
      TRY(name(&create.provider));
    } else if (is_word("PARTITIONED") && is_word("BY", 1)) {
      position_ += 2;
      TRY(name_list(&create.partition_by));
    } else if (is_word("COMMENT") && peek(1).kind == TokenKind::string) {
      take();
      create.comment = take().value;
    } else if (accept_word("TBLPROPERTIES")) {
      TRY(property_list(&create.properties));
    } else if (is_word("LOCATION") || is_word("OPTIONS") || is_word("CLUSTERED") ||
               is_word("CLUSTER") || is_word("STORED") || is_word("ROW") || is_word("SKEWED")) {
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
    const Token value = take();
    if (value.kind == TokenKind::symbol || value.kind == TokenKind::end) {
      return syntax_error(text_, value, false);
    }
    (*out)[key] = value.kind == TokenKind::string ? value.value : std::string(value.text);
  } while (accept_symbol(","));
  return expect_symbol(")");
}

Status Grammar::drop_statement(Statement& out) {
  Drop drop;
  if (is_word("VIEW") || is_word("TABLE")) {
    drop.kind = is_word("VIEW") ? ObjectKind::view : ObjectKind::table;
  } else if (is_database_word()) {
    drop.kind = ObjectKind::database;
  } else if (is_name() && peek(1).kind != TokenKind::end) {
    return refused_statement("DROP " + to_upper(peek().text));
  } else {
    return unexpected();
  }
  take();
  drop.if_exists = accept_if_exists();
  TRY(dotted_name(&drop.name));
  if (drop.kind == ObjectKind::database) {
    drop.cascade = accept_word("CASCADE");
    accept_word("RESTRICT");
  } else if (drop.kind == ObjectKind::table) {
    accept_word("PURGE");
  }
  out = std::move(drop);
  return Status::OK();
}

Status Grammar::insert_statement(Statement& out) {
  Insert insert;
  insert.overwrite = accept_word("OVERWRITE");
  if (!insert.overwrite) TRY(expect_word("INTO"));
  if (is_word("DIRECTORY") || is_word("LOCAL")) return refused_statement("INSERT … DIRECTORY");
  if (is_word("TABLE") && is_name(1)) take();
  TRY(dotted_name(&insert.table));
  if (is_word("PARTITION") && is_symbol("(", 1)) return refused_statement("INSERT … PARTITION");
  if (is_word("REPLACE") || is_word("WITH")) {
    const bool replacing = is_word("REPLACE") || is_word("SCHEMA", 1);
    if (replacing) return refused_statement("INSERT … " + to_upper(peek().text));
  }
  if (is_word("BY") && is_word("NAME", 1)) {
    position_ += 2;
    insert.by_name = true;
  } else if (is_symbol("(") && !starts_query()) {
    TRY(name_list(&insert.columns));
  }
  TRY(whole_query(&insert.query));
  out = std::move(insert);
  return Status::OK();
}

Status Grammar::show_statement(Statement& out) {
  Show show;
  accept_word("USER");
  accept_word("SYSTEM");
  accept_word("ALL");
  if (accept_word("TABLES")) {
    show.kind = ShowKind::tables;
  } else if (accept_word("VIEWS")) {
    show.kind = ShowKind::views;
  } else if (accept_word("DATABASES") || accept_word("SCHEMAS") || accept_word("NAMESPACES")) {
    show.kind = ShowKind::databases;
  } else if (accept_word("COLUMNS")) {
    show.kind = ShowKind::columns;
  } else if (accept_word("FUNCTIONS")) {
    show.kind = ShowKind::functions;
  } else if (accept_word("CATALOGS")) {
    show.kind = ShowKind::catalogs;
  } else if (is_name()) {
    return refused_statement("SHOW " + to_upper(peek().text));
  } else {
    return unexpected();
  }
  if (accept_word("FROM") || accept_word("IN")) {
    TRY(dotted_name(&show.in));
    // SHOW COLUMNS IN t IN db
    std::vector<std::string> database;
    if (show.kind == ShowKind::columns && (accept_word("FROM") || accept_word("IN"))) {
      TRY(dotted_name(&database));
      show.in.insert(show.in.begin(), database.begin(), database.end());
    }
  } else if (show.kind == ShowKind::columns) {
    return unexpected();
  }
  accept_word("LIKE");
  if (peek().kind == TokenKind::string) {
    show.filtered = true;
    show.pattern = take().value;
  }
  out = std::move(show);
  return Status::OK();
}

Status Grammar::describe_statement(Statement& out) {
  take();
  for (const char* object : {"FUNCTION", "DATABASE", "SCHEMA", "NAMESPACE", "CATALOG"}) {
    if (is_word(object) && is_name(1)) return refused_statement("DESCRIBE " + std::string(object));
  }
  Describe describe;
  if (is_word("QUERY") && starts_query(1)) take();
  if (starts_query() && !is_word("TABLE")) {
    TRY(whole_query(&describe.query));
  } else {
    if (is_word("TABLE") && is_name(1)) take();
    const bool detailed =
        (is_word("EXTENDED") || is_word("FORMATTED") || is_word("DETAIL") || is_word("HISTORY")) &&
        is_name(1);
    if (detailed) return refused_statement("DESCRIBE " + to_upper(peek().text));
    TRY(dotted_name(&describe.table));
  }
  out = std::move(describe);
  return Status::OK();
}

// SET, SET -v, SET key, SET key = value, SET TIME ZONE zone. Keys and values are what is written.
Status Grammar::set_statement(Statement& out) {
  Set set;
  if (is_word("VARIABLE") || is_word("VAR")) return refused_statement("SET VARIABLE");
  if (is_word("CATALOG")) return refused_statement("SET CATALOG");
  if (is_word("TIME") && is_word("ZONE", 1)) {
    position_ += 2;
    if (peek().kind != TokenKind::string)
      return refused_statement("SET TIME ZONE without a string");
    out = Set{"spark.sql.session.timeZone", true, take().value};
    return Status::OK();
  }
  const std::string rest = rest_of_text();
  const auto equals = rest.find('=');
  set.key = std::string(trim(std::string_view(rest).substr(0, equals)));
  set.has_value = equals != std::string::npos;
  if (set.has_value) set.value = std::string(trim(std::string_view(rest).substr(equals + 1)));
  if (set.key == "-v") set.key.clear();
  if (set.key.size() > 1 && set.key.starts_with('`') && set.key.ends_with('`')) {
    set.key = set.key.substr(1, set.key.size() - 2);
  }
  out = std::move(set);
  return Status::OK();
}

Status Grammar::use_statement(Statement& out) {
  Use use;
  if (is_database_word() && is_name(1)) take();
  TRY(dotted_name(&use.name));
  out = std::move(use);
  return Status::OK();
}

Status Grammar::explain_statement(Statement& out) {
  Explain explain;
  explain.extended = accept_word("EXTENDED");
  if (is_word("CODEGEN") || is_word("COST"))
    return refused_statement("EXPLAIN " + to_upper(peek().text));
  if (!explain.extended) accept_word("FORMATTED");
  if (!starts_query()) {
    return refused_statement("EXPLAIN of a statement that is no query");
  }
  TRY(whole_query(&explain.query));
  out = std::move(explain);
  return Status::OK();
}

// CACHE [LAZY] TABLE t [AS query], UNCACHE TABLE [IF EXISTS] t, CLEAR CACHE, REFRESH [TABLE] t
Status Grammar::cache_statement(Statement& out) {
  Cache cache;
  const bool caches = is_word("CACHE");
  const bool clears = is_word("CLEAR");
  const bool refreshes = is_word("REFRESH");
  take();
  if (clears) {
    take();
    out = std::move(cache);
    return Status::OK();
  }
  if (caches) accept_word("LAZY");
  if (refreshes && is_word("FUNCTION")) return refused_statement("REFRESH FUNCTION");
  const bool table = accept_word("TABLE");
  if (!table && refreshes) {
    rest_of_text();  // a path: there is nothing to forget
    out = std::move(cache);
    return Status::OK();
  }
  if (!table) return unexpected();
  cache.if_exists = accept_if_exists();
  TRY(dotted_name(&cache.table));
  if (caches && is_word("OPTIONS") && is_symbol("(", 1)) {
    take();
    std::map<std::string, std::string> options;
    TRY(property_list(&options));
  }
  if (caches && (accept_word("AS") || starts_query())) TRY(whole_query(&cache.query));
  out = std::move(cache);
  return Status::OK();
}

namespace {

// The arguments of the text, in the form of today whatever form the client used.
class Arguments {
 public:
  explicit Arguments(const sc::SQL& sql) {
    literals_.reserve(static_cast<std::size_t>(sql.args_size() + sql.pos_args_size()));
    for (const auto& [name, value] : sql.args()) {
      *literals_.emplace_back().mutable_literal() = value;
      parameters_.named[name] = &literals_.back();
    }
    for (const auto& value : sql.pos_args()) {
      *literals_.emplace_back().mutable_literal() = value;
      parameters_.positional.push_back(&literals_.back());
    }
    for (const auto& [name, value] : sql.named_arguments()) parameters_.named[name] = &value;
    for (const auto& value : sql.pos_arguments()) parameters_.positional.push_back(&value);
  }
  const Parameters& parameters() const { return parameters_; }

 private:
  std::vector<sc::Expression> literals_;
  Parameters parameters_;
};

}  // namespace

Result<Statement> parse_statement(const sc::SQL& sql) {
  const Arguments arguments(sql);
  TRY_ASSIGN(auto tokens, tokenize(sql.query()));
  Statement statement;
  TRY(Grammar(sql.query(), std::move(tokens), &arguments.parameters()).parse_statement(statement));
  return statement;
}

Status parse_query(const sc::SQL& sql, sc::Relation* query) {
  TRY_ASSIGN(Statement statement, parse_statement(sql));
  auto* found = std::get_if<Query>(&statement);
  if (found == nullptr) {
    return Status::unsupported("a statement that is no query cannot be used as a relation");
  }
  query->Swap(found->relation.get());
  return Status::OK();
}

}  // namespace millstream::sql
