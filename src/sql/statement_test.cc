#include "sql/statement.h"

#include <gtest/gtest.h>

#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::sql {
namespace {

namespace sc = spark::connect;

Result<Statement> parse(const std::string& text) {
  sc::SQL sql;
  sql.set_query(text);
  return parse_statement(sql);
}

std::string error_of(const std::string& text) {
  const auto parsed = parse(text);
  return parsed.ok() ? "" : parsed.status().condition() + "|" + parsed.status().message();
}

sc::Relation query(const std::string& text) {
  auto parsed = parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status().to_string();
  if (!parsed.ok() || !std::holds_alternative<Query>(*parsed)) return {};
  return *std::get<Query>(*parsed).relation;
}

TEST(Statement, IntersectBindsTighter) {
  const auto set = query("SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3").set_op();
  EXPECT_EQ(set.set_op_type(), sc::SetOperation::SET_OP_TYPE_UNION);
  EXPECT_TRUE(set.is_all());
  EXPECT_EQ(set.right_input().set_op().set_op_type(), sc::SetOperation::SET_OP_TYPE_INTERSECT);
}

TEST(Statement, BracketsAreAQueryOrAnExpression) {
  EXPECT_TRUE(query("SELECT * FROM ((SELECT 1) UNION (SELECT 2))").has_project());
  EXPECT_TRUE(query("SELECT * FROM ((SELECT 1) a JOIN (SELECT 2) b)").has_project());
  EXPECT_TRUE(query("((SELECT 1) UNION (SELECT 2)) ORDER BY 1").has_sort());
  const auto scalar = query("SELECT ((SELECT 1) + 1)").with_relations();
  EXPECT_EQ(scalar.references_size(), 1);
  EXPECT_LT(scalar.references(0).common().plan_id(), 0);
}

TEST(Statement, ClauseWordsAreNamesWhereNothingFollows) {
  EXPECT_EQ(query("SELECT a LIMIT").project().expressions(0).alias().name(0), "LIMIT");
  EXPECT_TRUE(query("SELECT a FROM t WHERE b").project().input().has_filter());
  EXPECT_EQ(query("SELECT x FROM t AS where").project().input().subquery_alias().alias(), "where");
}

TEST(Statement, WithIsNamesForTheRoot) {
  const auto with =
      query("WITH a AS (SELECT 1), b(x) AS (SELECT * FROM a) SELECT * FROM b").with_relations();
  ASSERT_EQ(with.references_size(), 2);
  EXPECT_EQ(with.references(1).subquery_alias().alias(), "b");
  EXPECT_TRUE(with.references(1).subquery_alias().input().has_to_df());
}

TEST(Statement, WindowClauseIsReadBeforeTheList) {
  const auto window =
      query("SELECT sum(v) OVER w FROM t WINDOW w AS (PARTITION BY k)").project().expressions(0);
  EXPECT_EQ(window.window().partition_spec_size(), 1);
  EXPECT_TRUE(error_of("SELECT sum(v) OVER w FROM t").starts_with("MISSING_WINDOW_SPECIFICATION"));
}

TEST(Statement, GroupingAnalyticsAreTheSetsThatTheyStandFor) {
  const auto rollup = query("SELECT 1 FROM t GROUP BY a, ROLLUP (b, (c, d))").aggregate();
  EXPECT_EQ(rollup.group_type(), sc::Aggregate::GROUP_TYPE_GROUPING_SETS);
  ASSERT_EQ(rollup.grouping_sets_size(), 3);
  EXPECT_EQ(rollup.grouping_sets(0).grouping_set_size(), 4);
  EXPECT_EQ(rollup.grouping_sets(2).grouping_set_size(), 1);
  EXPECT_EQ(query("SELECT 1 FROM t GROUP BY CUBE (a, b)").aggregate().grouping_sets_size(), 4);
}

TEST(Statement, ParametersStandForValues) {
  sc::SQL sql;
  sql.set_query("SELECT :a, :a");
  (*sql.mutable_named_arguments())["a"].mutable_literal()->set_integer(7);
  const auto parsed = parse_statement(sql);
  ASSERT_TRUE(parsed.ok());
  const auto& list = std::get<Query>(*parsed).relation->project();
  EXPECT_EQ(list.expressions(1).literal().integer(), 7);
  EXPECT_TRUE(error_of("SELECT :a").starts_with("UNBOUND_SQL_PARAMETER"));
}

TEST(Statement, SmallStructs) {
  const auto create = std::get<CreateTable>(
      *parse("CREATE TABLE IF NOT EXISTS a.t (x INT, y DECIMAL(5, 2)) USING delta "
             "PARTITIONED BY (x) TBLPROPERTIES ('k' = 'v') COMMENT 'c'"));
  EXPECT_EQ(create.name, (Name{"a", "t"}));
  EXPECT_EQ(create.columns, "x INT, y DECIMAL(5, 2)");
  EXPECT_EQ(create.partition_by, std::vector<std::string>{"x"});
  EXPECT_EQ(create.properties.at("k"), "v");
  const auto insert = std::get<Insert>(*parse("INSERT OVERWRITE TABLE t (a, b) VALUES (1, 2);"));
  EXPECT_TRUE(insert.overwrite);
  EXPECT_EQ(insert.columns, (std::vector<std::string>{"a", "b"}));
  const auto set = std::get<Set>(*parse("SET a.b = 'x y' ;"));
  EXPECT_EQ(set.key, "a.b");
  EXPECT_EQ(set.value, "'x y'");
  EXPECT_EQ(std::get<Show>(*parse("SHOW TABLES IN db LIKE 'a*'")).pattern, "a*");
  EXPECT_TRUE(std::get<Drop>(*parse("DROP DATABASE IF EXISTS d CASCADE")).cascade);
}

TEST(Statement, Merge) {
  const auto merge = std::get<Merge>(
      *parse("MERGE WITH SCHEMA EVOLUTION INTO db.t AS a USING (SELECT 1 AS id) s ON a.id = s.id "
             "WHEN MATCHED AND s.id > 1 THEN UPDATE SET a.x.y = 1, z = 2 WHEN MATCHED THEN DELETE "
             "WHEN NOT MATCHED BY TARGET THEN INSERT (id) VALUES (s.id) "
             "WHEN NOT MATCHED BY SOURCE THEN DELETE"));
  EXPECT_EQ(merge.table, (Name{"db", "t"}));
  EXPECT_EQ(merge.alias, "a");
  EXPECT_EQ(merge.on_text, "a.id = s.id");
  EXPECT_TRUE(merge.evolve_schema);
  EXPECT_TRUE(merge.subquery_place.empty());
  ASSERT_EQ(merge.clauses.size(), 4U);
  EXPECT_EQ(merge.clauses[0].condition_text, "s.id > 1");
  EXPECT_EQ(merge.clauses[0].values[0].first, (Name{"a", "x", "y"}));
  EXPECT_EQ(merge.clauses[1].action, MergeClause::Action::remove);
  EXPECT_EQ(merge.clauses[2].kind, MergeClause::Kind::not_matched);
  EXPECT_EQ(merge.clauses[3].kind, MergeClause::Kind::not_matched_by_source);
  EXPECT_EQ(parse("MERGE INTO t USING u ON true").status().condition(), "MERGE_WITHOUT_WHEN");
  // The kinds come in their order, and INSERT is for rows that did not match.
  for (const char* clauses :
       {"WHEN NOT MATCHED THEN INSERT * WHEN MATCHED THEN DELETE", "WHEN MATCHED THEN INSERT *",
        "WHEN NOT MATCHED THEN DELETE", "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *"}) {
    EXPECT_EQ(parse(std::string("MERGE INTO t USING u ON true ") + clauses).status().condition(),
              "PARSE_SYNTAX_ERROR")
        << clauses;
  }
}

TEST(Statement, RefusedByName) {
  for (const char* text : {"CREATE TABLE t (a INT) STORED AS PARQUET",
                           "CREATE TABLE t (a INT) PARTITIONED BY (bucket(4, a))"}) {
    const auto parsed = parse(text);
    EXPECT_TRUE(!parsed.ok() && parsed.status().is(ErrorKind::unsupported_operation)) << text;
  }
}

TEST(Statement, FilesBecomeDelta) {
  const auto convert =
      parse("CONVERT TO DELTA parquet.`/a b` NO STATISTICS PARTITIONED BY (p INT)");
  ASSERT_TRUE(convert.ok());
  const auto& found = std::get<ConvertToDelta>(*convert);
  EXPECT_EQ(found.table, (Name{"parquet", "/a b"}));
  EXPECT_FALSE(found.statistics);
  EXPECT_EQ(found.partitions, "p INT");
  const auto generate = parse("GENERATE symlink_format_manifest FOR TABLE db.t");
  ASSERT_TRUE(generate.ok());
  EXPECT_EQ(std::get<Generate>(*generate).table, (Name{"db", "t"}));
}

TEST(Statement, ErrorsSayWhere) {
  EXPECT_EQ(error_of("SELECT 1\nFROM t JOIN u ON"),
            "PARSE_SYNTAX_ERROR|\n[PARSE_SYNTAX_ERROR] Syntax error at or near end of input. "
            "SQLSTATE: 42601 (line 2, pos 16)\n\n== SQL ==\nSELECT 1\nFROM t JOIN u "
            "ON\n----------------^^^\n");
  for (const char* text : {"SELECT", "FOO BAR", "SELECT (1", "SELECT 1; SELECT 2", "VALUES",
                           "WITH q AS (SELECT 1)", "SELECT * FROM ()", "INSERT INTO", "DROP TABLE",
                           "SELECT 1 FROM t WHERE true WHERE false", "CREATE", "CREATE THING x"}) {
    EXPECT_TRUE(error_of(text).starts_with("PARSE_SYNTAX_ERROR")) << text << error_of(text);
  }
}

TEST(Statement, LargeInputIsAnErrorOrWorks) {
  std::string rows = "VALUES (1, 'a')";
  for (int i = 0; i < 50'000; ++i) rows += ", (1, 'a')";
  EXPECT_EQ(query(rows).unresolved_table_valued_function().arguments_size(), 50'001);
  std::string columns = "SELECT 0";
  for (int i = 0; i < 10'000; ++i) columns += ", a" + std::to_string(i);
  EXPECT_EQ(query(columns + " FROM t").project().expressions_size(), 10'001);
  std::string nested = "SELECT 1";
  for (int i = 0; i < 2000; ++i) nested = "SELECT * FROM (" + nested + ")";
  EXPECT_TRUE(error_of(nested).starts_with("FAILED_TO_PARSE_TOO_COMPLEX"));
  std::string unions = "SELECT 1";
  for (int i = 0; i < 1000; ++i) unions += " UNION ALL SELECT 1";
  EXPECT_TRUE(query(unions).has_set_op());
  for (int i = 0; i < 2000; ++i) unions += " UNION ALL SELECT 1";
  EXPECT_TRUE(error_of(unions).starts_with("FAILED_TO_PARSE_TOO_COMPLEX"));
  std::string scalars = "1";
  for (int i = 0; i < 30; ++i) scalars = "(SELECT " + scalars + ")";
  EXPECT_TRUE(error_of("SELECT " + scalars).starts_with("FAILED_TO_PARSE_TOO_COMPLEX"));
  const std::string open(100'000, '(');
  EXPECT_FALSE(error_of("SELECT " + open).empty());
  EXPECT_FALSE(error_of(open + "SELECT 1" + std::string(100'000, ')')).empty());
  std::string calls = "x";
  for (int i = 0; i < 100; ++i) calls = "substring(overlay(" + calls + ", 'a', 1), 1)";
  EXPECT_TRUE(query("SELECT " + calls).has_project());
}

TEST(Statement, AnyBytesGiveAnErrorNotACrash) {
  for (const std::string seed :
       {"SELECT a, sum(b) OVER w FROM t JOIN u USING (k) GROUP BY CUBE (a) WINDOW w AS (ORDER BY "
        "b)",
        "WITH q(x) AS (VALUES (1), (2)) SELECT * FROM q PIVOT (sum(x) FOR x IN (1 AS a)) LIMIT 1",
        "CREATE TABLE t (a INT) USING delta AS SELECT 1", "INSERT INTO t (a) BY NAME SELECT 1",
        "FROM t |> SET a = 1 |> AGGREGATE sum(a) GROUP BY b |> DROP c"}) {
    for (std::size_t i = 0; i <= seed.size(); ++i) {
      (void)parse(seed.substr(0, i));
      (void)parse(seed.substr(i));
      for (const char c : {'(', ')', '\'', '`', ';', '.', ','}) {
        std::string text = seed;
        text.insert(i, 1, c);
        (void)parse(text);
      }
    }
  }
}

template <typename T>
T statement(const std::string& text) {
  auto parsed = parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status().to_string();
  if (!parsed.ok() || !std::holds_alternative<T>(*parsed)) return {};
  return std::get<T>(*parsed);
}

TEST(Statement, AlterTable) {
  const auto add = statement<AlterTable>(
      "ALTER TABLE db.t ADD COLUMNS (a INT FIRST, s.b DECIMAL(5, 2) COMMENT 'x' AFTER c)");
  EXPECT_EQ(add.kind, AlterKind::add_columns);
  ASSERT_EQ(add.columns.size(), 2U);
  EXPECT_TRUE(add.columns[0].position.given);
  EXPECT_EQ(add.columns[1].path, (Name{"s", "b"}));
  EXPECT_EQ(add.columns[1].type, "DECIMAL(5, 2)");
  EXPECT_EQ(add.columns[1].position.after, "c");
  EXPECT_EQ(statement<AlterTable>("ALTER TABLE t RENAME TO u").new_name, Name{"u"});
  EXPECT_EQ(statement<AlterTable>("ALTER TABLE t UNSET TBLPROPERTIES ('a', b.c)").keys,
            (std::vector<std::string>{"a", "b.c"}));
  EXPECT_TRUE(error_of("ALTER TABLE t").starts_with("PARSE_SYNTAX_ERROR"));
}

TEST(Statement, FunctionsAndVariablesAreTexts) {
  const auto function = statement<CreateFunction>(
      "CREATE OR REPLACE TEMPORARY FUNCTION f(x INT, y MAP<INT, STRING> DEFAULT map(1, 'a')) "
      "RETURNS BIGINT COMMENT 'c' RETURN x + (SELECT 1)");
  ASSERT_EQ(function.parameters.size(), 2U);
  EXPECT_EQ(function.parameters[1].type, "MAP<INT, STRING>");
  EXPECT_EQ(function.parameters[1].default_text, "map(1, 'a')");
  EXPECT_EQ(function.body, "x + (SELECT 1)");
  const auto rows = statement<CreateFunction>(
      "CREATE TEMPORARY FUNCTION f() RETURNS TABLE (a INT) RETURN SELECT 1 AS a");
  EXPECT_TRUE(rows.table);
  EXPECT_EQ(rows.returns, "a INT");
  EXPECT_EQ(statement<DeclareVariable>("DECLARE v = 1 + 1").default_text, "1 + 1");
  const auto set = statement<SetVariable>("SET VAR a = b + 1, c = DEFAULT");
  EXPECT_EQ(set.values, (std::vector<std::string>{"b + 1", ""}));
  EXPECT_TRUE(error_of("DECLARE v").starts_with("INVALID_SQL_SYNTAX"));
}

TEST(Statement, InsertsWithPartitionsAndConditions) {
  const auto insert =
      statement<Insert>("INSERT OVERWRITE t PARTITION (p = 1, q) SELECT a, b FROM u");
  ASSERT_EQ(insert.partition.size(), 2U);
  EXPECT_EQ(insert.partition[0].second->literal().integer(), 1);
  EXPECT_EQ(insert.partition[1].second, nullptr);
  EXPECT_EQ(statement<Insert>("INSERT INTO t REPLACE WHERE a > 1 VALUES (2)").replace_where_text,
            "a > 1");
  const auto from = statement<Insert>("FROM u INSERT INTO t SELECT a WHERE b");
  EXPECT_TRUE(from.query->project().input().filter().input().has_read());
}

TEST(Statement, RecursionAndHintsAreRead) {
  const auto with = query(
                        "WITH RECURSIVE r(n) MAX RECURSION LEVEL 5 AS (SELECT 1 UNION ALL SELECT "
                        "n + 1 FROM r) SELECT /*+ BROADCAST(r), NOSUCH */ n FROM r")
                        .with_relations();
  const auto& hint = with.references(0).subquery_alias().input().hint();
  EXPECT_EQ(hint.name(), "ms_recursive");
  EXPECT_EQ(hint.parameters(0).literal().integer(), 5);
  EXPECT_TRUE(hint.input().has_to_df());
  EXPECT_TRUE(error_of("SELECT /*+ BROADCAST( */ 1").starts_with("PARSE_SYNTAX_ERROR"));
  EXPECT_TRUE(error_of("SELECT 1 UNION BY NAME SELECT 1").starts_with("PARSE_SYNTAX_ERROR"));
}

TEST(Statement, PlacesAreOfTheText) {
  const std::string text = "SELECT a,\n  f(b) + 1 FROM t";
  const auto select = query(text);
  EXPECT_EQ(select.common().origin().jvm_origin().sql_text(), text);
  const auto& place = select.project().expressions(1).common().origin().jvm_origin();
  EXPECT_EQ(text.substr(static_cast<std::size_t>(place.start_index()),
                        static_cast<std::size_t>(place.stop_index() - place.start_index())),
            "f(b) + 1");
  const QueryContext context = query_context(text, 12, 20);
  EXPECT_EQ(context.summary, "== SQL (line 2, position 3) ==\n  f(b) + 1 FROM t\n  ^^^^^^^^\n");
  const Status placed = with_place(Status::error("MISSING_GROUP_BY"), text, 12, 20);
  EXPECT_TRUE(placed.message().ends_with("; line 2 pos 2")) << placed.message();
}

}  // namespace
}  // namespace millstream::sql
