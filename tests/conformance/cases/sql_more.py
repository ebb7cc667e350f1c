"""Statements and forms of SQL of which each area has a few: functions that are kept, variant paths, EXPLAIN, users, places in errors."""

from cases._sql import messages, queries, scripts, views
from harness import Area

area = Area("sql_more")
script = scripts(area)

# --- functions that are kept
script("function_create", "DROP FUNCTION IF EXISTS pf1", "CREATE FUNCTION pf1(x INT) RETURNS INT RETURN x + 1")
script("function_call", "DROP FUNCTION IF EXISTS pf2", "CREATE FUNCTION pf2(x INT) RETURNS INT RETURN x + 1", "SELECT pf2(1) AS a, default.pf2(2) AS b")
script("function_replace", "CREATE OR REPLACE FUNCTION pf3(x INT) RETURNS INT RETURN x + 1", "CREATE OR REPLACE FUNCTION pf3(x INT) RETURNS INT RETURN x + 2", "SELECT pf3(1) AS a")
script("function_twice", "CREATE OR REPLACE FUNCTION pf4(x INT) RETURNS INT RETURN x + 1", "CREATE FUNCTION pf4(x INT) RETURNS INT RETURN x + 1")
script("function_if_not_exists", "CREATE OR REPLACE FUNCTION pf5(x INT) RETURNS INT RETURN x + 1", "CREATE FUNCTION IF NOT EXISTS pf5(x INT) RETURNS INT RETURN x + 9", "SELECT pf5(1) AS a")
script("function_drop", "CREATE OR REPLACE FUNCTION pf6(x INT) RETURNS INT RETURN x + 1", "DROP FUNCTION pf6", "SELECT pf6(1) AS a")
script("function_drop_missing", "DROP FUNCTION nosuch_function")
script("function_drop_temp_missing", "DROP TEMPORARY FUNCTION nosuch_function")
script("function_drop_builtin", "DROP FUNCTION upper")
script("function_describe", "CREATE OR REPLACE FUNCTION pf7(x INT COMMENT 'k', y STRING DEFAULT 'a') RETURNS INT COMMENT 'about' RETURN x + 1", "DESCRIBE FUNCTION pf7")
script("function_describe_extended", "CREATE OR REPLACE FUNCTION pf8(x INT) RETURNS INT COMMENT 'about' RETURN x + 1", "DESCRIBE FUNCTION EXTENDED pf8")
script("function_show", "CREATE OR REPLACE FUNCTION pf9(x INT) RETURNS INT RETURN x + 1", "SHOW USER FUNCTIONS LIKE 'pf9'")
script("function_table", "CREATE OR REPLACE FUNCTION pf10(n INT) RETURNS TABLE (a INT, b STRING) RETURN SELECT n, 'x' UNION ALL SELECT n + 1, 'y'", "SELECT * FROM pf10(3)")
script("function_database", "CREATE DATABASE IF NOT EXISTS fdb", "CREATE OR REPLACE FUNCTION fdb.pf11(x INT) RETURNS INT RETURN x * 2", "SELECT fdb.pf11(4) AS a")
script("function_database_missing", "CREATE FUNCTION nosuch_db.pf12(x INT) RETURNS INT RETURN x")
script("function_shadow_builtin", "CREATE OR REPLACE FUNCTION abs(x INT) RETURNS INT RETURN 77", "SELECT abs(-1) AS a, default.abs(-1) AS b")
script("function_no_body_table", "CREATE OR REPLACE FUNCTION pf13() RETURNS INT RETURN (SELECT count(*) FROM nosuch_table)")
script("function_temp_view_in_body", "CREATE OR REPLACE FUNCTION pf14() RETURNS BIGINT RETURN (SELECT count(*) FROM t)")
script("function_temp_function_in_body", "CREATE OR REPLACE TEMPORARY FUNCTION tf1() RETURNS INT RETURN 1", "CREATE OR REPLACE FUNCTION pf15() RETURNS INT RETURN tf1()")
script("function_class", "CREATE FUNCTION pf16 AS 'com.example.Nope'")
script("function_temp_of_same_name", "CREATE OR REPLACE FUNCTION pf17() RETURNS INT RETURN 1", "CREATE OR REPLACE TEMPORARY FUNCTION pf17() RETURNS INT RETURN 2", "SELECT pf17() AS a, default.pf17() AS b")
script("function_in_view", "CREATE OR REPLACE FUNCTION pf18(x INT) RETURNS INT RETURN x + 1", "CREATE OR REPLACE VIEW pfv AS SELECT pf18(1) AS a", "SELECT * FROM pfv")
script("function_table_in_body", "DROP TABLE IF EXISTS pft", "CREATE TABLE pft USING delta AS SELECT 3 AS a", "CREATE OR REPLACE FUNCTION pf19() RETURNS INT RETURN (SELECT max(a) FROM pft)", "SELECT pf19() AS a")
script("function_replace_if_not_exists", "CREATE OR REPLACE FUNCTION IF NOT EXISTS pf20() RETURNS INT RETURN 1")
script("function_refresh", "CREATE OR REPLACE FUNCTION pf21() RETURNS INT RETURN 1", "REFRESH FUNCTION pf21")
script("function_refresh_missing", "REFRESH FUNCTION nosuch_function")
script("function_refresh_builtin", "REFRESH FUNCTION upper")
script("function_ansi_kept", "CREATE OR REPLACE FUNCTION pf22(x STRING) RETURNS INT RETURN cast(x AS INT)", "SET spark.sql.ansi.enabled = false", "SELECT pf22('x') AS a", conf={"spark.sql.ansi.enabled": "true"})

# --- variant paths
V = "(SELECT parse_json('{\"a\":{\"b\":[1,\"2\",{\"c\":3}],\"x y\":true},\"B\":null}') AS v)"
queries(area, {f"variant_{name}": f"SELECT {text} AS r FROM {V}" for name, text in {
    "field": "v:a", "path": "v:a.b[0]", "cast": "v:a.b[0]::int", "cast_text": "v:a.b[1]::int", "cast_string": "v:a.b[0]::string",
    "deep": "v:a.b[2].c::bigint", "missing": "v:z.y", "quoted": "v:a.`x y`", "bracket": "v:['a']['b'][1]::string", "bracket_first": "v:a['x y']::boolean",
    "null": "v:B", "bad_cast": "v:a::int", "case": "v:A", "sum": "v:a.b[0]::int + 1", "qualified": "v:a.b", "double_quoted": "v:a[\"x y\"]",
    "range": "v:a.b[99]", "star": "v:a.*", "expression": "parse_json('{\"k\":5}'):k::int", "not_variant": "'x':a", "where": "v:a.b[0]::int > 0",
}.items()})
queries(area, {"variant_name": f"SELECT v:a.b[0], v:a.b[0]::int, v:a FROM {V}", "variant_group": f"SELECT v:a.b[0]::int AS k, count(*) AS n FROM {V} GROUP BY v:a.b[0]::int"})

# --- variables
script("declare_two", "DECLARE OR REPLACE a1, b1 INT", "SELECT a1, b1")
script("declare_two_default", "DECLARE OR REPLACE VARIABLE a2, b2 INT DEFAULT 7", "SELECT a2 + b2 AS s")
script("declare_two_exists", "DECLARE OR REPLACE a3 INT", "DECLARE a3, b3 INT")
script("declare_two_same", "DECLARE OR REPLACE a4, a4 INT")
script("declare_two_bad_default", "DECLARE OR REPLACE a5, b5 INT DEFAULT 'x'")

# --- EXPLAIN
for mode in ("", "EXTENDED", "CODEGEN", "COST", "FORMATTED", "LOGICAL"):
    script(f"explain_{mode.lower() or 'plain'}_error", f"EXPLAIN {mode} SELECT nope FROM t")


@area.case()
def explain_shapes(c):
    """What each mode's answer is made of."""
    spark = views(c)
    out = []
    for mode in ("", "EXTENDED", "CODEGEN", "COST", "FORMATTED"):
        frame = spark.sql(f"EXPLAIN {mode} SELECT k, sum(v) FROM t GROUP BY k")
        text = frame.collect()[0][0]
        out.append([mode, frame.columns, [line for line in text.split("\n") if line.startswith("== ") and "Subtree" not in line][:4], text.startswith("Found ")])
    return out


# --- directories, resources
script("overwrite_local_directory", "INSERT OVERWRITE LOCAL DIRECTORY '$TMP/ld' USING parquet SELECT 1 AS a, 'x' AS b", "SELECT * FROM parquet.`$TMP/ld`")
script("overwrite_directory_options", "INSERT OVERWRITE DIRECTORY USING csv OPTIONS (path '$TMP/lo', header 'true') SELECT 1 AS a, 'x' AS b", "SELECT * FROM csv.`$TMP/lo`")
script("overwrite_directory_no_path", "INSERT OVERWRITE DIRECTORY USING csv SELECT 1 AS a")
script("overwrite_directory_twice", "INSERT OVERWRITE DIRECTORY '$TMP/l2' USING parquet SELECT 1 AS a", "INSERT OVERWRITE DIRECTORY '$TMP/l2' USING parquet SELECT 2 AS a", "SELECT * FROM parquet.`$TMP/l2`")
script("overwrite_local_no_using", "INSERT OVERWRITE LOCAL DIRECTORY '$TMP/l3' SELECT 1 AS a")
script("overwrite_local_delta", "INSERT OVERWRITE LOCAL DIRECTORY '$TMP/l4' USING delta SELECT 1 AS a")
script("list_files", "LIST FILES")
script("list_file_some", "LIST FILE '/nosuch'")
script("list_archives", "LIST ARCHIVES")
script("add_file_missing", "ADD FILE '/nosuch/file'")


@area.case()
def set_verbose(c):
    frame = views(c).sql("SET -v")
    rows = {r[0]: r for r in frame.collect()}
    row = rows["spark.sql.ansi.enabled"]
    return [frame.columns, row[1], row[2][:40], row[3], sorted(rows) == [r[0] for r in frame.collect()]]


@area.case()
def list_jars(c):
    frame = views(c).sql("LIST JARS")
    return frame.columns


# --- time travel by expressions
for name, when in {
    "now": "now()", "current_timestamp": "current_timestamp()", "bare": "current_timestamp", "interval": "current_timestamp() + INTERVAL 1 HOUR",
    "date": "current_date() + 1", "cast": "CAST('2999-01-01' AS TIMESTAMP)", "text": "'2999-01-01'", "past": "'2000-01-01'", "number": "1", "null": "NULL",
    "column": "a", "subquery": "(SELECT now())", "rand": "timestamp_seconds(rand())", "bad_text": "'x'",
}.items():
    script("travel_" + name, "DROP TABLE IF EXISTS tt_" + name, f"CREATE TABLE tt_{name} USING delta AS SELECT 1 AS a", f"SELECT * FROM tt_{name} TIMESTAMP AS OF {when}", loose=("providedTimestamp", "tableName", "userTimestamp", "commitTs", "timestampString", "lastCommitTimestamp", "maximumTimestamp"))
script("travel_version_expression", "DROP TABLE IF EXISTS ttv", "CREATE TABLE ttv USING delta AS SELECT 1 AS a", "SELECT * FROM ttv VERSION AS OF 0 + 0")
script("travel_version_text", "DROP TABLE IF EXISTS ttw", "CREATE TABLE ttw USING delta AS SELECT 1 AS a", "SELECT * FROM ttw VERSION AS OF '0'")

# --- users without brackets
queries(area, {"bare_" + word: f"SELECT length({word}) > 0 AS x FROM range(1)" for word in ("current_user", "session_user", "user", "current_database", "current_catalog", "current_timezone", "current_schema")})
queries(area, {"bare_names": "SELECT current_date = current_date() AS a, current_timestamp = current_timestamp() AS b, localtimestamp = localtimestamp() AS c", "bare_session_user_name": "SELECT session_user, current_user, user", "bare_column_first": "SELECT user, session_user FROM VALUES (1, 2) AS x(user, session_user)", "bare_current_time": "SELECT current_time = current_time() AS x", "bare_qualified": "SELECT x.session_user FROM range(1) AS x"})

# --- COLLATE
queries(area, {
    "collate": "SELECT 'a' COLLATE UTF8_LCASE = 'A' AS x", "collate_binary": "SELECT 'a' COLLATE UTF8_BINARY = 'A' AS x", "collate_function": "SELECT collate('a', 'UTF8_LCASE') = 'A' AS x",
    "collate_unknown": "SELECT 'a' COLLATE NOPE", "collation": "SELECT collation('a') AS x", "collate_number": "SELECT 1 COLLATE UTF8_BINARY",
    "collate_cast": "SELECT cast('a' AS STRING COLLATE UTF8_BINARY) AS x", "collate_order": "SELECT k FROM t ORDER BY k COLLATE UTF8_BINARY",
})
script("collate_table_binary", "DROP TABLE IF EXISTS ctb", "CREATE TABLE ctb (a STRING COLLATE UTF8_BINARY) USING parquet", "DESCRIBE ctb")

# --- places in errors
messages(area, {
    "place_parameter": "SELECT :x", "place_parameter_position": "SELECT ?", "place_parameter_where": "SELECT * FROM t WHERE v = :y", "place_limit_text": "SELECT * FROM t LIMIT 'a'",
    "place_limit_negative": "SELECT * FROM t LIMIT -1", "place_limit_null": "SELECT * FROM t LIMIT NULL", "place_limit_column": "SELECT * FROM t LIMIT v", "place_limit_double": "SELECT * FROM t LIMIT 1.5",
    "place_offset_text": "SELECT * FROM t OFFSET 'a'", "place_offset_negative": "SELECT * FROM t OFFSET -1", "place_limit_overflow": "SELECT * FROM t LIMIT 3000000000",
    "place_grouping": "SELECT grouping(k) FROM t GROUP BY k", "place_grouping_where": "SELECT grouping(k) FROM t", "place_grouping_wrong": "SELECT grouping(v) FROM t GROUP BY CUBE(k)", "place_grouping_id": "SELECT grouping_id(v) FROM t GROUP BY CUBE(k)",
    "place_grouping_id_plain": "SELECT grouping_id() FROM t GROUP BY k", "place_except_all": "SELECT * EXCEPT (k, v, d) FROM t", "place_except_unknown": "SELECT * EXCEPT (nope) FROM t", "place_except_twice": "SELECT * EXCEPT (k, k) FROM t", "place_except_field": "SELECT * EXCEPT (s.nope) FROM nest",
    "place_lateral": "SELECT * FROM t LATERAL VIEW explode(v) x AS y", "place_having": "SELECT k FROM t GROUP BY k HAVING v > 1", "place_order": "SELECT k FROM t GROUP BY k ORDER BY v", "place_group_ordinal": "SELECT k FROM t GROUP BY 9", "place_order_ordinal": "SELECT k FROM t ORDER BY 9",
    "place_union_width": "SELECT 1 UNION SELECT 1, 2", "place_union_types": "SELECT 1 UNION SELECT array(1)", "place_in_types": "SELECT 1 IN (array(1))", "place_subquery_columns": "SELECT (SELECT 1, 2)", "place_exists": "SELECT * FROM t WHERE EXISTS (SELECT nope FROM u)",
    "place_join_using": "SELECT * FROM t JOIN u USING (v)", "place_table": "SELECT * FROM nosuch", "place_function": "SELECT nosuch(1)", "place_star_count": "SELECT count(DISTINCT *) FROM t WHERE nope", "place_alias_columns": "SELECT * FROM t AS x(a)",
    "place_values": "SELECT * FROM VALUES (1), (1, 2)", "place_cast": "SELECT cast(array(1) AS INT)", "place_cast_text": "SELECT cast('x' AS INT)", "place_divide": "SELECT 1 / 0", "place_index": "SELECT array(1)[5]", "place_overflow": "SELECT 2147483647 + 1",
    "place_window": "SELECT row_number() FROM t", "place_window_order": "SELECT rank() OVER () FROM t", "place_nested_aggregate": "SELECT sum(sum(v)) FROM t", "place_where_aggregate": "SELECT * FROM t WHERE sum(v) > 1", "place_where_type": "SELECT * FROM t WHERE v", "place_pivot": "SELECT * FROM t PIVOT (sum(v) FOR k IN (nope))",
    "place_tablesample": "SELECT * FROM t TABLESAMPLE (200 PERCENT)", "place_range": "SELECT * FROM range(1, 2, 0)", "place_range_text": "SELECT * FROM range('x')", "place_recursive": "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT nope FROM r) SELECT * FROM r",
})

# --- nullability of grouping columns
queries(area, {f"group_nullable_{name}": f"SELECT a, b, count(*) AS n FROM VALUES (1, 'x'), (2, 'y') AS v(a, b) GROUP BY {text}" for name, text in {
    "plain": "a, b", "cube": "CUBE(a, b)", "rollup": "ROLLUP(a, b)", "sets": "GROUPING SETS ((a, b), (a))", "sets_all": "GROUPING SETS ((a, b), (b, a))", "sets_one": "GROUPING SETS ((a, b))", "mixed": "a, ROLLUP(b)", "with_cube": "a, b WITH CUBE",
}.items()})
queries(area, {
    "group_nullable_expression": "SELECT a + 1 AS c, count(*) AS n FROM VALUES (1), (2) AS v(a) GROUP BY CUBE(a + 1)",
    "group_nullable_having": "SELECT a, count(*) AS n FROM VALUES (1), (2) AS v(a) GROUP BY ROLLUP(a) HAVING count(*) > 0",
    "group_nullable_order": "SELECT a, grouping(a) AS g FROM VALUES (1), (2) AS v(a) GROUP BY CUBE(a) ORDER BY a",
})


@area.case()
def group_nullable_frame(c):
    return views(c).sql("SELECT * FROM VALUES (1, 'x'), (2, 'y') AS v(a, b)").cube("a", "b").count()


@area.case()
def group_nullable_frame_rollup(c):
    return views(c).sql("SELECT * FROM VALUES (1, 'x'), (2, 'y') AS v(a, b)").rollup("a").agg({"b": "max"})


def crosstab(name, rows):
    def run(c):
        frame = views(c).createDataFrame(rows, "a string, b string").crosstab("a", "b")
        return [frame.columns, sorted([list(r) for r in frame.collect()], key=str)]

    area._add("crosstab_" + name, run)


crosstab("letters", [(x, y) for x in "dbca" for y in "zyx"])
crosstab("numbers", [(str(x), str(x * 7 % 5)) for x in range(12)])
crosstab("few", [("b", "q"), ("a", "p"), ("b", "p"), (None, "r"), ("c", None)])
crosstab("many", [(f"r{x}", f"c{x * 13 % 40}") for x in range(60)])
