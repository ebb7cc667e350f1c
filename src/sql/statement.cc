// Statements that are no queries.
#include "sql/statement.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sql/grammar.h"
#include "sql/parser.h"
#include "sql/substitution.h"

// Older clients fill fields that are deprecated since.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::sql {
namespace {

// Words with which Spark's other statements begin.
constexpr std::array<std::string_view, 18> other_statements{
    "ADD",    "BEGIN", "CALL", "DELETE", "DFS",    "EXECUTE", "EXPORT", "FETCH", "GRANT",
    "IMPORT", "LOAD",  "LOCK", "OPEN",   "REVOKE", "UNLOCK",  "UPDATE", "CLOSE", "CONVERT"};

Status refused_statement(const std::string& words) {
  return Status::unsupported("the SQL statement {} is not supported by Millstream yet", words);
}

}  // namespace

Status Grammar::parse_statement(Statement& out) {
  if (trim(text_).empty()) return empty_statement();
  TRY(check_words());
  TRY(statement(out));
  const bool closed = is_symbol(";");
  while (accept_symbol(";")) {
  }
  if (closed && peek().kind != TokenKind::end) return syntax_error(text_, peek(), true);
  return unexpected_end();
}

// Hive's statements that Spark names and refuses.
Status Grammar::hive_statement() const {
  static const std::vector<std::vector<std::string>> known = {{"GRANT"},
                                                              {"REVOKE"},
                                                              {"EXPORT", "TABLE"},
                                                              {"IMPORT", "TABLE"},
                                                              {"LOCK", "TABLE"},
                                                              {"LOCK", "DATABASE"},
                                                              {"UNLOCK", "TABLE"},
                                                              {"UNLOCK", "DATABASE"},
                                                              {"CREATE", "INDEX"},
                                                              {"DROP", "INDEX"},
                                                              {"ALTER", "INDEX"},
                                                              {"CREATE", "ROLE"},
                                                              {"DROP", "ROLE"},
                                                              {"START", "TRANSACTION"},
                                                              {"COMMIT"},
                                                              {"ROLLBACK"},
                                                              {"DFS"}};
  for (const auto& words : known) {
    bool same = true;
    for (std::size_t i = 0; i < words.size(); ++i) same = same && is_word(words[i], i);
    if (!same) continue;
    return parse_error(
        text_, peek(), tokens_[tokens_.size() - 2],
        Status::error("INVALID_STATEMENT_OR_CLAUSE", {{"operation", join(words, " ")}}));
  }
  return Status::OK();
}

Status Grammar::statement(Statement& out) {
  TRY(hive_statement());
  if (starts_script() && !in_script_) return script_statement(out);
  if (is_word("EXECUTE") && is_word("IMMEDIATE", 1)) return execute_immediate(out);
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
    if (is_word("PARTITION")) TRY(named_partition(&truncate.partition));
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
    return optimize_statement(out);
  }
  if (is_word("REORG") && is_word("TABLE", 1)) return reorg_statement(out);
  if (is_word("VACUUM") && (is_name(1) || peek(1).kind == TokenKind::string)) {
    return vacuum_statement(out);
  }
  if (is_word("CONVERT") && is_word("TO", 1) && is_word("DELTA", 2)) return convert_statement(out);
  if (is_word("GENERATE") && is_name(1) && is_word("FOR", 2)) return generate_statement(out);
  if ((is_word("MSCK") && is_word("REPAIR", 1)) || (is_word("REPAIR") && is_word("TABLE", 1)))
    return repair_statement(out);
  if (is_word("LIST") && is_name(1)) return list_statement(out);
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
  if (is_word("UPDATE") || (is_word("DELETE") && is_word("FROM", 1))) return change_statement(out);
  if (is_word("MERGE") && (is_word("INTO", 1) || is_word("WITH", 1))) return merge_statement(out);
  if (is_word("RESTORE") && is_name(1)) return restore_statement(out);
  for (const auto word : other_statements) {
    if (is_word(word)) return refused_statement(std::string(word));
  }
  if (is_word("FROM")) return from_insert(out);
  if (is_word("WITH") && is_name(1) && changes_after_with()) return with_change(out);
  Query query;
  TRY(whole_query(&query.relation));
  out = std::move(query);
  return Status::OK();
}

// Names without quotes are of ASCII letters, digits and underscores.
Status Grammar::check_words() const {
  for (const Token& token : tokens_) {
    if (token.kind != TokenKind::word) continue;
    const bool ascii = std::all_of(token.text.begin(), token.text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (!ascii) {
      return syntax_error(
          text_, token, Status::error("INVALID_IDENTIFIER", {{"ident", std::string(token.text)}}));
    }
  }
  return Status::OK();
}

Status Grammar::empty_statement() const {
  return syntax_error(text_, peek(), Status::error("PARSE_EMPTY_STATEMENT"));
}

// With the names of the WITH before the statement.
void Grammar::wrap_definitions(sc::Relation& out) {
  if (definitions_.empty()) return;
  sc::Relation root = take_relation(out);
  out.mutable_with_relations()->mutable_root()->Swap(&root);
  for (auto& one : definitions_) out.mutable_with_relations()->add_references()->Swap(&one);
  definitions_.clear();
}

// A query with the subqueries of its expressions.
Status Grammar::whole_query(std::shared_ptr<sc::Relation>* out) {
  *out = std::make_shared<sc::Relation>();
  TRY(from_ == nullptr ? query(**out) : from_body(*from_, position_, **out));
  wrap_definitions(**out);
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

Status Grammar::drop_statement(Statement& out) {
  Drop drop;
  const bool temporary = (is_word("TEMPORARY") || is_word("TEMP")) && is_name(1);
  if (temporary) take();
  if (is_word("VIEW") || is_word("TABLE")) {
    drop.kind = is_word("VIEW") ? ObjectKind::view : ObjectKind::table;
  } else if (is_database_word()) {
    drop.kind = ObjectKind::database;
  } else if (is_word("FUNCTION") || (temporary && (is_word("VARIABLE") || is_word("VAR")))) {
    drop.kind = is_word("FUNCTION") ? ObjectKind::function : ObjectKind::variable;
    drop.temporary = temporary;
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

// SET, SET -v, SET key, SET key = value, SET TIME ZONE zone. Keys and values are what is written.
Status Grammar::set_statement(Statement& out) {
  Set set;
  if (in_script_ || ((is_word("VARIABLE") || is_word("VAR")) && (is_name(1) || is_symbol("(", 1))))
    return set_variable(out);
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
      out = Set{"spark.sql.session.timeZone", true, "LOCAL", false};
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
    out = Set{"spark.sql.session.timeZone", true, take().value, false};
    return Status::OK();
  }
  const std::string rest = rest_of_text();
  const auto equals = rest.find('=');
  set.key = std::string(trim(std::string_view(rest).substr(0, equals)));
  set.has_value = equals != std::string::npos;
  if (set.has_value) set.value = std::string(trim(std::string_view(rest).substr(equals + 1)));
  set.verbose = set.key == "-v";
  if (set.verbose) set.key.clear();
  if (set.key.size() > 1 && set.key.starts_with('`') && set.key.ends_with('`')) {
    set.key = set.key.substr(1, set.key.size() - 2);
  }
  out = std::move(set);
  return Status::OK();
}

// [MSCK] REPAIR TABLE t [ADD | DROP | SYNC PARTITIONS]
Status Grammar::repair_statement(Statement& out) {
  accept_word("MSCK");
  take();
  TRY(expect_word("TABLE"));
  AlterTable repair;
  repair.kind = AlterKind::recover_partitions;
  repair.repair = true;
  TRY(dotted_name(&repair.table));
  if (is_word("ADD") || is_word("DROP") || is_word("SYNC")) {
    repair.adds = !is_word("DROP");
    repair.drops = !is_word("ADD");
    take();
    TRY(expect_word("PARTITIONS"));
  }
  out = std::move(repair);
  return Status::OK();
}

// LIST JAR[S] | FILE[S] | ARCHIVE[S] [path …]
Status Grammar::list_statement(Statement& out) {
  take();
  bool known = false;
  for (const char* word : {"JAR", "JARS", "FILE", "FILES", "ARCHIVE", "ARCHIVES"})
    known = known || is_word(word);
  if (!known) return unexpected();
  rest_of_text();
  out = ListResources{};
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
  static const std::map<std::string, ExplainMode> modes = {{"EXTENDED", ExplainMode::extended},
                                                           {"CODEGEN", ExplainMode::codegen},
                                                           {"COST", ExplainMode::cost},
                                                           {"FORMATTED", ExplainMode::formatted}};
  if (is_word("LOGICAL")) {
    return parse_error(
        text_, tokens_[position_ - 1], tokens_[tokens_.size() - 2],
        Status::error("INVALID_STATEMENT_OR_CLAUSE", {{"operation", "EXPLAIN LOGICAL"}}));
  }
  for (const auto& [word, mode] : modes) {
    if (!accept_word(word)) continue;
    explain.mode = mode;
    break;
  }
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
  if (refreshes && accept_word("FUNCTION")) {
    RefreshFunction refresh;
    TRY(dotted_name(&refresh.name));
    out = std::move(refresh);
    return Status::OK();
  }
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
  TRY_ASSIGN(const auto replaced, substituted(sql.query()));
  const std::string& text = replaced ? *replaced : sql.query();
  TRY_ASSIGN(auto tokens, tokenize(text));
  Statement statement;
  TRY(Grammar(text, std::move(tokens), &arguments.parameters()).parse_statement(statement));
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
