// Statements that are no queries.
#include "sql/statement.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sql/grammar.h"
#include "sql/parser.h"

// Older clients fill fields that are deprecated since.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::sql {
namespace {

// Words with which Spark's other statements begin.
constexpr std::array<std::string_view, 24> other_statements{
    "ADD",    "BEGIN",  "CALL", "DELETE", "DFS",  "EXECUTE",  "EXPORT", "FETCH",
    "GRANT",  "IMPORT", "LIST", "LOAD",   "LOCK", "MERGE",    "MSCK",   "OPEN",
    "REPAIR", "RESTORE", "REVOKE", "UNLOCK", "UPDATE", "VACUUM", "CLOSE", "CONVERT"};

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
  if (is_word("ALTER") && is_name(1)) {
    take();
    return alter_statement(out);
  }
  if (is_word("COMMENT") && is_word("ON", 1)) return comment_statement(out);
  if (is_word("DECLARE") && is_name(1)) return declare_variable(out);
  if (is_word("REPLACE") && is_word("TABLE", 1)) {
    position_ += 2;
    return create_table(out, true, true);
  }
  if (is_word("TRUNCATE") && is_word("TABLE", 1)) {
    position_ += 2;
    Truncate truncate;
    TRY(dotted_name(&truncate.table));
    truncate.partition = accept_word("PARTITION");
    if (truncate.partition) rest_of_text();
    out = std::move(truncate);
    return Status::OK();
  }
  if (is_word("ANALYZE") && is_name(1)) {
    take();
    Analyze analyze;
    if (accept_word("TABLES")) {
      rest_of_text();
    } else {
      TRY(expect_word("TABLE"));
      TRY(dotted_name(&analyze.table));
      if (!is_word("COMPUTE") && !is_word("PARTITION")) return unexpected();
      rest_of_text();
    }
    out = std::move(analyze);
    return Status::OK();
  }
  if (is_word("OPTIMIZE") && (is_name(1) || peek(1).kind == TokenKind::string)) {
    return refused_statement("OPTIMIZE");
  }
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
  if (is_word("FROM")) return from_insert(out);
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
  (*out)->mutable_common()->mutable_origin()->mutable_jvm_origin()->set_sql_text(
      std::string(text_));
  return Status::OK();
}

// The text of the tokens [first, end).
std::string Grammar::text_between(std::size_t first, std::size_t end) const {
  if (first >= end) return "";
  const Token& last = tokens_[end - 1];
  const std::size_t from = tokens_[first].offset;
  return std::string(text_.substr(from, last.offset + last.text.size() - from));
}

// FROM t [INSERT …] SELECT …: one INSERT at most.
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
  take();
  // The INSERT's own query follows; it reads what stands before.
  const std::string before = text_between(start, position_ - 1);
  TRY(insert_statement(out));
  auto* insert = std::get_if<Insert>(&out);
  if (insert == nullptr) return refused_statement("FROM … INSERT … DIRECTORY");
  if (is_word("INSERT")) return refused_statement("several INSERTs after one FROM");
  sc::Relation* at = insert->query.get();
  if (at->has_with_relations()) at = at->mutable_with_relations()->mutable_root();
  while (at->has_filter() || at->has_deduplicate()) {
    at = at->has_filter() ? at->mutable_filter()->mutable_input()
                          : at->mutable_deduplicate()->mutable_input();
  }
  if (at->has_aggregate()) at = at->mutable_aggregate()->mutable_input();
  if (at->has_project()) at = at->mutable_project()->mutable_input();
  while (at->has_filter()) at = at->mutable_filter()->mutable_input();
  if (at->has_project() && !at->project().has_input() && at->project().expressions_size() == 0) {
    at->Swap(&from);
    return Status::OK();
  }
  if (at->rel_type_case() != sc::Relation::REL_TYPE_NOT_SET) {
    return refused_statement("FROM … INSERT with a query like that");
  }
  at->Swap(&from);
  return Status::OK();
}

Status Grammar::string_value(std::string* out) {
  if (peek().kind == TokenKind::string) {
    *out = take().value;
    return Status::OK();
  }
  if (!is_name()) return unexpected();
  Name parts;
  TRY(dotted_name(&parts));
  *out = join(parts, ".");
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
      TRY(string_value(&create.location));
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
  if (!must_exist && accept_word("LIKE")) TRY(dotted_name(&create.like));
  if (create.like.empty() && is_symbol("(") && !starts_query()) {
    TRY(column_definitions(&create.columns));
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
  std::vector<std::string> met;
  const std::size_t start = position_;
  const auto once = [&](const char* clause) -> Status {
    const bool again = std::find(met.begin(), met.end(), clause) != met.end();
    met.emplace_back(clause);
    if (!again) return Status::OK();
    return parse_error(text_, tokens_[0], tokens_[std::max(start, position_) - 1],
                       Status::error("DUPLICATE_CLAUSES", {{"clauseName", clause}}));
  };
  for (;;) {
    if (accept_word("USING")) {
      TRY(once("USING"));
      TRY(name(&create.provider));
    } else if (is_word("PARTITIONED") && is_word("BY", 1)) {
      TRY(once("PARTITIONED BY"));
      position_ += 2;
      TRY(name_list(&create.partition_by));
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
    } else if (is_word("CLUSTERED") || is_word("CLUSTER") || is_word("STORED") || is_word("ROW") ||
               is_word("SKEWED")) {
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

Status Grammar::drop_statement(Statement& out) {
  Drop drop;
  const bool temporary = (is_word("TEMPORARY") || is_word("TEMP")) && is_name(1);
  if (temporary) take();
  if (is_word("VIEW") || is_word("TABLE")) {
    drop.kind = is_word("VIEW") ? ObjectKind::view : ObjectKind::table;
  } else if (is_database_word()) {
    drop.kind = ObjectKind::database;
  } else if (temporary && (is_word("FUNCTION") || is_word("VARIABLE") || is_word("VAR"))) {
    drop.kind = is_word("FUNCTION") ? ObjectKind::function : ObjectKind::variable;
  } else if (is_word("FUNCTION") || is_word("INDEX")) {
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
  if (insert.overwrite && is_word("DIRECTORY") && peek(1).kind != TokenKind::symbol) return insert_directory(out);
  if (is_word("LOCAL") && is_word("DIRECTORY", 1)) return refused_statement("INSERT … LOCAL DIRECTORY");
  if (is_word("TABLE") && is_name(1)) take();
  TRY(dotted_name(&insert.table));
  if (is_word("PARTITION") && is_symbol("(", 1)) TRY(insert_partition(insert));
  accept_if_not_exists();
  if (is_word("WITH") && is_word("SCHEMA", 1)) return refused_statement("INSERT WITH SCHEMA EVOLUTION");
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
        return with_place(Status::error("COLUMN_ALREADY_EXISTS",
                                        {{"columnName", quoted_name({to_lower(insert.columns[i])})}}),
                          text_, tokens_[open].offset, tokens_[position_ - 1].offset + 1);
      }
    }
  }
  if (is_word("REPLACE") && is_word("WHERE", 1)) {
    position_ += 2;
    const std::size_t first = position_;
    insert.replace_where = std::make_shared<sc::Expression>();
    TRY(expression(*insert.replace_where));
    insert.replace_where_text = text_between(first, position_);
  }
  TRY(whole_query(&insert.query));
  out = std::move(insert);
  return Status::OK();
}

// PARTITION (p = 1, q): constants, and columns that the query gives.
Status Grammar::insert_partition(Insert& insert) {
  take();
  take();
  do {
    auto& [column, value] = insert.partition.emplace_back();
    TRY(name(&column));
    if (!accept_symbol("=")) continue;
    value = std::make_shared<sc::Expression>();
    TRY(expression(*value));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

Status Grammar::insert_directory(Statement& out) {
  take();
  InsertDirectory insert;
  if (peek().kind == TokenKind::string) insert.path = take().value;
  TRY(expect_word("USING"));
  TRY(name(&insert.provider));
  if (accept_word("OPTIONS")) TRY(property_list(&insert.options));
  TRY(whole_query(&insert.query));
  out = std::move(insert);
  return Status::OK();
}

// SET, SET -v, SET key, SET key = value, SET TIME ZONE zone. Keys and values are what is written.
Status Grammar::set_statement(Statement& out) {
  Set set;
  if ((is_word("VARIABLE") || is_word("VAR")) && (is_name(1) || is_symbol("(", 1))) return set_variable(out);
  if (is_word("CATALOG") && is_name(1)) {
    take();
    Use use;
    use.catalog = true;
    TRY(dotted_name(&use.name));
    out = std::move(use);
    return Status::OK();
  }
  if (is_word("TIME") && is_word("ZONE", 1)) {
    position_ += 2;
    if (accept_word("LOCAL")) {
      out = Set{"spark.sql.session.timeZone", true, "LOCAL"};
      return Status::OK();
    }
    if (is_word("INTERVAL")) {
      sc::Expression offset;
      TRY(interval(offset));
      const std::int64_t minutes = offset.literal().day_time_interval() / 60'000'000;
      const std::int64_t apart = minutes < 0 ? -minutes : minutes;
      out = Set{"spark.sql.session.timeZone", true,
                fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', apart / 60, apart % 60)};
      return Status::OK();
    }
    if (peek().kind != TokenKind::string) return unexpected();
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
