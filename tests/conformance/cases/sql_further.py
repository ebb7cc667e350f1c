"""What SQL has beyond its common forms: kept functions and what they may name, partitions' constants, folders that are no partitions, several INSERTs from one FROM, constants computed where a number is due."""

import re

from cases._sql import messages, queries, scripts, views
from harness import Area

area = Area("sql_further")
script = scripts(area)

# --- kept functions: what their bodies may name, and the settings that they keep
TF = "CREATE OR REPLACE TEMPORARY FUNCTION tf1(x INT) RETURNS INT RETURN x + 1"
script("kept_names_temp_function", TF, "CREATE OR REPLACE FUNCTION kf1(x INT) RETURNS INT RETURN tf1(x) * 2")
script("kept_names_temp_function_nested", TF, "CREATE OR REPLACE FUNCTION kf2(x INT) RETURNS INT RETURN CASE WHEN x > 0 THEN abs(tf1(x)) ELSE 0 END")
script("kept_names_temp_function_in_query", TF, "CREATE OR REPLACE FUNCTION kf3() RETURNS INT RETURN (SELECT max(tf1(a)) FROM VALUES (1), (2) AS v(a))")
script("kept_names_temp_function_table", TF, "CREATE OR REPLACE FUNCTION kf4() RETURNS TABLE (a INT) RETURN SELECT tf1(1)")
script("kept_names_temp_table_function", "CREATE OR REPLACE TEMPORARY FUNCTION tt1(x INT) RETURNS TABLE (a INT) RETURN SELECT x", "CREATE OR REPLACE FUNCTION kf5() RETURNS TABLE (a INT) RETURN SELECT * FROM tt1(1)")
script("kept_names_temp_function_default", TF, "CREATE OR REPLACE FUNCTION kf6(x INT DEFAULT tf1(1)) RETURNS INT RETURN x")
script("kept_names_variable", "DECLARE OR REPLACE kv1 INT DEFAULT 1", "CREATE OR REPLACE FUNCTION kf7() RETURNS INT RETURN kv1 + 1")
script("kept_names_variable_qualified", "DECLARE OR REPLACE kv1 INT DEFAULT 1", "CREATE OR REPLACE FUNCTION kf8() RETURNS INT RETURN session.kv1 + 1")
script("kept_names_variable_table", "DECLARE OR REPLACE kv1 INT DEFAULT 1", "CREATE OR REPLACE FUNCTION kf9() RETURNS TABLE (a INT) RETURN SELECT kv1")
script("kept_parameter_over_variable", "DECLARE OR REPLACE kv1 INT DEFAULT 1", "CREATE OR REPLACE FUNCTION kf10(kv1 INT) RETURNS INT RETURN kv1 + 1", "SELECT kf10(5) AS a")
script("kept_names_kept", "CREATE OR REPLACE FUNCTION kf11(x INT) RETURNS INT RETURN x + 1", "CREATE OR REPLACE FUNCTION kf12(x INT) RETURNS INT RETURN kf11(x) + kf11(x)", "SELECT kf12(5) AS a")
script("temp_names_variable", "DECLARE OR REPLACE kv1 INT DEFAULT 1", "CREATE OR REPLACE TEMPORARY FUNCTION tf2() RETURNS INT RETURN kv1 + 1", "SELECT tf2() AS a")
script("temp_names_temp", TF, "CREATE OR REPLACE TEMPORARY FUNCTION tf3(x INT) RETURNS INT RETURN tf1(x) + 1", "SELECT tf3(1) AS a")
script("view_names_temp_function", TF, "CREATE OR REPLACE VIEW kview1 AS SELECT tf1(1) AS a")
script("view_names_variable", "DECLARE OR REPLACE kv1 INT DEFAULT 1", "CREATE OR REPLACE VIEW kview2 AS SELECT kv1 AS a")
script("view_names_temp_view", "CREATE OR REPLACE VIEW kview3 AS SELECT * FROM t")
script("kept_ansi_off_kept", "SET spark.sql.ansi.enabled = false", "CREATE OR REPLACE FUNCTION kf13(x STRING) RETURNS INT RETURN cast(x AS INT)", "SET spark.sql.ansi.enabled = true", "SELECT kf13('x') AS a", conf={"spark.sql.ansi.enabled": "true"})
script("kept_ansi_on_argument", "CREATE OR REPLACE FUNCTION kf14(x INT) RETURNS INT RETURN x", "SET spark.sql.ansi.enabled = false", "SELECT kf14(cast('x' AS INT)) AS a", conf={"spark.sql.ansi.enabled": "true"})
script("kept_ansi_on_divide", "CREATE OR REPLACE FUNCTION kf15(x INT) RETURNS DOUBLE RETURN 1 / x", "SET spark.sql.ansi.enabled = false", "SELECT kf15(0) AS a", conf={"spark.sql.ansi.enabled": "true"})
script("kept_ansi_on_parameter_cast", "CREATE OR REPLACE FUNCTION kf16(x INT) RETURNS INT RETURN x", "SET spark.sql.ansi.enabled = false", "SELECT kf16('y') AS a", conf={"spark.sql.ansi.enabled": "true"})
script("kept_ansi_on_return_cast", "CREATE OR REPLACE FUNCTION kf17(x STRING) RETURNS INT RETURN x", "SET spark.sql.ansi.enabled = false", "SELECT kf17('y') AS a", conf={"spark.sql.ansi.enabled": "true"})
script("temp_ansi_on_kept", "CREATE OR REPLACE TEMPORARY FUNCTION tf4(x STRING) RETURNS INT RETURN cast(x AS INT)", "SET spark.sql.ansi.enabled = false", "SELECT tf4('x') AS a", conf={"spark.sql.ansi.enabled": "true"})
script("temp_ansi_off_kept", "SET spark.sql.ansi.enabled = false", "CREATE OR REPLACE TEMPORARY FUNCTION tf5(x STRING) RETURNS INT RETURN cast(x AS INT)", "SET spark.sql.ansi.enabled = true", "SELECT tf5('x') AS a", conf={"spark.sql.ansi.enabled": "true"})
script("kept_table_ansi_on", "CREATE OR REPLACE FUNCTION kf18(x STRING) RETURNS TABLE (a INT) RETURN SELECT cast(x AS INT)", "SET spark.sql.ansi.enabled = false", "SELECT * FROM kf18('x')", conf={"spark.sql.ansi.enabled": "true"})
script("kept_zone", "SET spark.sql.session.timeZone = UTC", "CREATE OR REPLACE FUNCTION kf19() RETURNS STRING RETURN cast(timestamp_seconds(0) AS STRING)", "SET spark.sql.session.timeZone = Asia/Tokyo", "SELECT kf19() AS a", conf={"spark.sql.session.timeZone": "UTC"})
script("kept_case", "CREATE OR REPLACE FUNCTION kf20(x INT) RETURNS INT RETURN X + 1", "SET spark.sql.caseSensitive = true", "SELECT kf20(1) AS a", conf={"spark.sql.caseSensitive": "false"})
script("kept_nested_ansi", "CREATE OR REPLACE FUNCTION kf21(x STRING) RETURNS INT RETURN cast(x AS INT)", "SET spark.sql.ansi.enabled = false", "CREATE OR REPLACE FUNCTION kf22(x STRING) RETURNS INT RETURN kf21(x)", "SELECT kf22('x') AS a", conf={"spark.sql.ansi.enabled": "true"})
script("argument_once", "CREATE OR REPLACE TEMPORARY FUNCTION tf6(x DOUBLE) RETURNS DOUBLE RETURN x - x", "SELECT tf6(rand()) AS a")
script("argument_once_uuid", "CREATE OR REPLACE TEMPORARY FUNCTION tf7(x STRING) RETURNS BOOLEAN RETURN x = x", "SELECT tf7(uuid()) AS a")

# --- variables
script("set_twice", "DECLARE OR REPLACE sv1 INT", "SET VAR (sv1, sv1) = (SELECT 1, 2)")
script("set_twice_case", "DECLARE OR REPLACE sv1 INT", "SET VAR (sv1, SV1) = (SELECT 1, 2)")
script("set_twice_qualified", "DECLARE OR REPLACE sv1 INT", "SET VAR (sv1, session.sv1) = (SELECT 1, 2)")
script("set_twice_list", "DECLARE OR REPLACE sv1 INT", "SET VAR sv1 = 1, sv1 = 2")
script("set_twice_missing", "SET VAR (sv_none, sv_none) = (SELECT 1, 2)")
script("into_twice", "DECLARE OR REPLACE sv1 INT", "EXECUTE IMMEDIATE 'SELECT 1, 2' INTO sv1, sv1")
script("set_twice_script", "BEGIN DECLARE a INT; SET (a, a) = (SELECT 1, 2); SELECT a; END")

# --- time travel
TT = ("CREATE TABLE IF NOT EXISTS travel USING delta AS SELECT 1 AS a",)
for name, text in {
    "rand": "TIMESTAMP AS OF rand()", "uuid": "TIMESTAMP AS OF uuid()", "divide": "TIMESTAMP AS OF 1/0", "text": "TIMESTAMP AS OF 'nope'",
    "number": "TIMESTAMP AS OF 1", "boolean": "TIMESTAMP AS OF true", "null": "TIMESTAMP AS OF NULL", "array": "TIMESTAMP AS OF array(1)",
    "cast_bad": "TIMESTAMP AS OF cast('x' AS TIMESTAMP)", "column": "TIMESTAMP AS OF a", "aggregate": "TIMESTAMP AS OF max(current_timestamp())",
    "subquery_many": "TIMESTAMP AS OF (SELECT a FROM VALUES (1), (2) AS v(a))", "future": "TIMESTAMP AS OF timestamp'2999-01-01'",
    "past": "TIMESTAMP AS OF timestamp'1999-01-01'", "version_text": "VERSION AS OF '0'", "version_bad": "VERSION AS OF 'x'", "version_missing": "VERSION AS OF 9",
    "explode": "TIMESTAMP AS OF explode(array(1))", "window": "TIMESTAMP AS OF row_number() OVER (ORDER BY 1)", "current": "TIMESTAMP AS OF current_timestamp() - interval 1000 days",
}.items():
    # When the table was made.
    script(f"travel_{name}", *TT, f"SELECT * FROM travel {text}", loose=("commitTs", "timestampString", "userTimestamp", "lastCommitTimestamp", "maximumTimestamp") if name != "past" else ("commitTs", "timestampString"))

# --- constants of partitions
for column, constants in {
    "TIMESTAMP": ["timestamp'2024-01-02 03:04:05'", "'2024-01-02 03:04:05'", "date'2024-01-02'", "cast('2024-01-02' AS TIMESTAMP)", "timestamp_ntz'2024-01-02 03:04:05'", "timestamp'2024-01-02 03:04:05.125'"],
    "DATE": ["date'2024-01-02'", "'2024-01-02'", "cast('2024-01-02' AS DATE)", "timestamp'2024-01-02 03:04:05'", "current_date()"],
    "INT": ["1", "'1'", "1L", "1.5", "+1", "-1", "1 + 1", "cast('7' AS INT)", "x'31'", "true", "1e0"],
    "STRING": ["'a'", "1", "1.50", "date'2024-01-02'", "x'61'", "interval 1 day", "true", "'a' || 'b'", "current_user"],
    "BOOLEAN": ["true", "'true'", "1"],
    "DECIMAL(5,2)": ["1.5", "'1.5'", "1", "1e0", "1.5BD"],
}.items():
    for constant in constants:
        script(f"partition {column} {constant}", "DROP TABLE IF EXISTS pp", f"CREATE TABLE pp (a INT, p {column}) USING parquet PARTITIONED BY (p)", f"INSERT INTO pp PARTITION (p = {constant}) VALUES (1)", "SELECT * FROM pp")
for column, constant in {"TIMESTAMP": "timestamp'2024-01-02 03:04:05'", "DATE": "cast('2024-01-02' AS DATE)", "INT": "1 + 1", "STRING": "date'2024-01-02'", "DECIMAL(5,2)": "1e0"}.items():
    script(f"partition delta {column} {constant}", f"CREATE OR REPLACE TABLE ppd (a INT, p {column}) USING delta PARTITIONED BY (p)", f"INSERT INTO ppd PARTITION (p = {constant}) VALUES (1)", f"INSERT OVERWRITE ppd PARTITION (p = {constant}) VALUES (2)", "SELECT * FROM ppd")
script("partition_show_typed", "DROP TABLE IF EXISTS pq", "CREATE TABLE pq (a INT, t TIMESTAMP, d DATE) USING parquet PARTITIONED BY (t, d)", "INSERT INTO pq PARTITION (t = timestamp'2024-01-02 03:04:05', d = date'2024-01-02') VALUES (1)", "SHOW PARTITIONS pq")
script("partition_drop_typed", "DROP TABLE IF EXISTS pq", "CREATE TABLE pq (a INT, t TIMESTAMP, d DATE) USING parquet PARTITIONED BY (t, d)", "INSERT INTO pq PARTITION (t = timestamp'2024-01-02 03:04:05', d = date'2024-01-02') VALUES (1)", "ALTER TABLE pq DROP PARTITION (t = timestamp'2024-01-02 03:04:05', d = date'2024-01-02')", "SHOW PARTITIONS pq")
script("partition_add_typed", "DROP TABLE IF EXISTS pq", "CREATE TABLE pq (a INT, d DATE) USING parquet PARTITIONED BY (d)", "ALTER TABLE pq ADD PARTITION (d = date'2024-01-02')", "ALTER TABLE pq ADD PARTITION (d = '2024-01-03')", "SHOW PARTITIONS pq")
script("partition_add_bad", "DROP TABLE IF EXISTS pq", "CREATE TABLE pq (a INT, d DATE) USING parquet PARTITIONED BY (d)", "ALTER TABLE pq ADD PARTITION (d = 'x')")
script("partition_show_spec_typed", "DROP TABLE IF EXISTS pq", "CREATE TABLE pq (a INT, d DATE) USING parquet PARTITIONED BY (d)", "ALTER TABLE pq ADD PARTITION (d = date'2024-01-02')", "SHOW PARTITIONS pq PARTITION (d = date'2024-01-02')")
script("partition_overwrite_typed", "DROP TABLE IF EXISTS pq", "CREATE TABLE pq (a INT, d DATE) USING parquet PARTITIONED BY (d)", "INSERT INTO pq VALUES (1, date'2024-01-02'), (2, date'2024-01-03')", "INSERT OVERWRITE pq PARTITION (d = date'2024-01-02') SELECT 9", "SELECT * FROM pq")
script("partition_truncate_typed", "DROP TABLE IF EXISTS pq", "CREATE TABLE pq (a INT, d DATE) USING parquet PARTITIONED BY (d)", "INSERT INTO pq VALUES (1, date'2024-01-02'), (2, date'2024-01-03')", "TRUNCATE TABLE pq PARTITION (d = date'2024-01-02')", "SELECT * FROM pq")


# --- folders below a table of files that are no partitions of it
def folders(name, columns, partitions, made, *texts):
    def run(c):
        spark = views(c)
        place = f"{c.folder}/t"
        spark.sql("DROP TABLE IF EXISTS fold")
        spark.sql(f"CREATE TABLE fold ({columns}) USING parquet PARTITIONED BY ({partitions}) LOCATION '{place}'")
        for folder in made:
            spark.sql("SELECT 1 AS a").write.mode("append").parquet(f"{place}/{folder}")
        for text in texts[:-1]:
            spark.sql(text)
        return spark.sql(texts[-1])

    area._add("folders_" + name, run)


for what, text in {"show": "SHOW PARTITIONS fold", "rows": "SELECT * FROM fold"}.items():
    folders(f"bad_value_{what}", "a INT, p INT", "p", ["p=bad", "p=1"], "MSCK REPAIR TABLE fold", text)
    folders(f"other_column_{what}", "a INT, p INT", "p", ["q=3", "p=1"], "MSCK REPAIR TABLE fold", text)
    folders(f"plain_folder_{what}", "a INT, p INT", "p", ["x", "p=1"], "MSCK REPAIR TABLE fold", text)
    folders(f"case_{what}", "a INT, p INT", "p", ["P=3", "p=1"], "MSCK REPAIR TABLE fold", text)
    folders(f"zero_{what}", "a INT, p INT", "p", ["p=01", "p=2"], "MSCK REPAIR TABLE fold", text)
    folders(f"null_{what}", "a INT, p INT", "p", ["p=__HIVE_DEFAULT_PARTITION__", "p=2"], "MSCK REPAIR TABLE fold", text)
    folders(f"deep_order_{what}", "a INT, p INT, q INT", "p, q", ["q=1/p=2", "p=3/q=4"], "MSCK REPAIR TABLE fold", text)
    folders(f"deeper_{what}", "a INT, p INT", "p", ["p=1/q=2", "p=2"], "MSCK REPAIR TABLE fold", text)
    folders(f"date_{what}", "a INT, p DATE", "p", ["p=2024-01-02", "p=nope"], "MSCK REPAIR TABLE fold", text)
    folders(f"hidden_{what}", "a INT, p INT", "p", ["_p=1", ".p=2", "p=3"], "MSCK REPAIR TABLE fold", text)
    folders(f"unrepaired_{what}", "a INT, p INT", "p", ["p=1"], text)

# --- regular expressions beyond the first plane
queries(area, {f"regex {text}": f"SELECT {text} AS r" for text in [
    r"regexp_instr('a😀b', 'b')", r"regexp_instr('a😀b', '(?=b)b')", r"regexp_instr('😀😀x', '(?<=😀)x')", r"regexp_instr('a😀b', 'nope')", r"regexp_instr('é😀bb', '(b)\\1')",
    r"regexp_extract_all('abc', '(?=y)?', 0)", r"regexp_extract_all('xyz', '(?=y)?', 0)", r"regexp_extract_all('abc', '(?=b)', 0)", r"regexp_extract_all('abc', '(?<=b)?c', 0)", r"regexp_replace('xyz', '(?=y)?', '-')", r"regexp_count('xyz', '(?=y)?')",
    r"regexp_extract_all('xyz', '(?!y)*z', 0)", r"regexp_extract_all('xyz', '(?=y){2}y', 0)", r"regexp_replace('xyz', '(?=y)+', '-')", r"regexp_extract('xyz', '(?<!x)*z', 0)", r"'xyz' rlike '(?=y)?z'", r"split('xyz', '(?=y)?')", r"regexp_replace('xyz', '^*', '-')", r"regexp_replace('xyz', '$?', '-')", r"regexp_replace('x yz', '\\b?', '-')",
    r"regexp_substr('a😀b', '(?=b)b')", r"regexp_count('a😀b', '(?=.)')",
]})

# --- the function's file, the copy of a table
script("drop_function_twice", "CREATE OR REPLACE FUNCTION dff() RETURNS INT RETURN 1", "DROP FUNCTION dff", "DROP FUNCTION dff")

# --- a dynamic overwrite that fails
script("dynamic_overwrite_fails", "DROP TABLE IF EXISTS dyn", "CREATE TABLE dyn (a INT, p INT) USING parquet PARTITIONED BY (p)", "SET spark.sql.sources.partitionOverwriteMode = dynamic", "INSERT OVERWRITE dyn SELECT 1 / (id - 3), id FROM range(10)", conf={"spark.sql.sources.partitionOverwriteMode": "static"})

# --- several INSERTs from one FROM
MI = ("DROP TABLE IF EXISTS mi1", "DROP TABLE IF EXISTS mi2", "CREATE TABLE mi1 (k STRING, v INT) USING parquet", "CREATE TABLE mi2 (k STRING, v INT) USING parquet")
script("multi_insert", *MI, "FROM t INSERT INTO mi1 SELECT k, v WHERE v > 1 INSERT INTO mi2 SELECT k, v WHERE v <= 1", "SELECT 1 AS w, * FROM mi1 UNION ALL SELECT 2, * FROM mi2")
script("multi_insert_answer", *MI, "FROM t INSERT INTO mi1 SELECT k, v INSERT INTO mi2 SELECT k, v")
script("multi_insert_one", *MI, "FROM t INSERT INTO mi1 SELECT k, v WHERE v > 1", "SELECT * FROM mi1")
script("multi_insert_overwrite", *MI, "INSERT INTO mi1 VALUES ('z', 0)", "FROM (SELECT k, v FROM t WHERE v IS NOT NULL) s INSERT OVERWRITE TABLE mi1 SELECT k, v INSERT INTO TABLE mi2 SELECT s.k, s.v * 10", "SELECT 1 AS w, * FROM mi1 UNION ALL SELECT 2, * FROM mi2")
script("multi_insert_group", *MI, "FROM t INSERT INTO mi1 SELECT k, sum(v) GROUP BY k INSERT INTO mi2 SELECT k, max(v) GROUP BY k HAVING max(v) > 2", "SELECT 1 AS w, * FROM mi1 UNION ALL SELECT 2, * FROM mi2")
script("multi_insert_join", *MI, "FROM t JOIN u ON t.k = u.k INSERT INTO mi1 SELECT t.k, v INSERT INTO mi2 SELECT u.k, w", "SELECT 1 AS w, * FROM mi1 UNION ALL SELECT 2, * FROM mi2")
script("multi_insert_with", *MI, "WITH s AS (SELECT k, v FROM t WHERE v > 2) FROM s INSERT INTO mi1 SELECT k, v INSERT INTO mi2 SELECT k, v + 1", "SELECT 1 AS w, * FROM mi1 UNION ALL SELECT 2, * FROM mi2")
script("multi_insert_order", *MI, "FROM t INSERT INTO mi1 SELECT k, v ORDER BY v DESC LIMIT 2 INSERT INTO mi2 SELECT k, v ORDER BY v LIMIT 1", "SELECT 1 AS w, * FROM mi1 UNION ALL SELECT 2, * FROM mi2")
script("multi_insert_delta", "CREATE OR REPLACE TABLE mid1 (k STRING, v INT) USING delta", "CREATE OR REPLACE TABLE mid2 (k STRING, v INT) USING delta", "FROM t INSERT INTO mid1 SELECT k, v WHERE v > 1 INSERT INTO mid2 SELECT k, v WHERE v <= 1", "SELECT 1 AS w, * FROM mid1 UNION ALL SELECT 2, * FROM mid2")
script("multi_insert_partition", "DROP TABLE IF EXISTS mip", "CREATE TABLE mip (v INT, k STRING) USING parquet PARTITIONED BY (k)", "FROM t INSERT INTO mip PARTITION (k = 'one') SELECT v INSERT INTO mip PARTITION (k) SELECT v, k WHERE k IS NOT NULL", "SELECT * FROM mip")
script("multi_insert_columns", *MI, "FROM t INSERT INTO mi1 (v, k) SELECT v, k INSERT INTO mi2 (k) SELECT k", "SELECT 1 AS w, * FROM mi1 UNION ALL SELECT 2, * FROM mi2")
script("multi_insert_missing_table", *MI, "FROM t INSERT INTO mi1 SELECT k, v INSERT INTO mi_none SELECT k, v")
script("multi_insert_missing_column", *MI, "FROM t INSERT INTO mi1 SELECT k, nope INSERT INTO mi2 SELECT k, v")
script("multi_insert_same_table", *MI, "FROM t INSERT INTO mi1 SELECT k, v INSERT INTO mi1 SELECT k, v + 100", "SELECT * FROM mi1")
script("multi_insert_lateral", *MI, "FROM nest LATERAL VIEW explode(xs) e AS x INSERT INTO mi1 SELECT 'a', x INSERT INTO mi2 SELECT 'b', id", "SELECT 1 AS w, * FROM mi1 UNION ALL SELECT 2, * FROM mi2")
queries(area, {f"multi_select_{name}": text for name, text in {
    "two": "FROM t SELECT k SELECT k", "where": "FROM t SELECT k, v WHERE v > 1 SELECT k, v WHERE v = 1", "three": "FROM t SELECT v WHERE v = 1 SELECT v WHERE v = 2 SELECT v WHERE v = 3",
    "group": "FROM t SELECT k, count(*) GROUP BY k SELECT 'all', count(*)", "types": "FROM t SELECT v SELECT k", "widths": "FROM t SELECT k, v SELECT k", "widened": "FROM t SELECT v WHERE v = 1 SELECT d WHERE d = 9.0",
    "order": "FROM t SELECT v ORDER BY v LIMIT 1 SELECT v ORDER BY v DESC LIMIT 1", "subquery": "SELECT * FROM (FROM t SELECT v SELECT v) s", "alias": "FROM t a SELECT a.v SELECT a.v + 1", "missing": "FROM t SELECT v SELECT nope", "names": "FROM t SELECT v AS a WHERE v = 1 SELECT v AS b WHERE v = 2",
    "with": "WITH s AS (SELECT 1 AS a) FROM s SELECT a SELECT a + 1", "union": "FROM t SELECT v SELECT v UNION ALL SELECT 1", "lateral": "FROM nest LATERAL VIEW explode(xs) e AS x SELECT x SELECT id",
}.items()})

# --- generators beside aggregates
queries(area, {f"generator {text}": text for text in [
    "SELECT explode(collect_list(v)) FROM t", "SELECT explode(collect_list(v)) AS x FROM t", "SELECT k, explode(collect_list(v)) AS x FROM t GROUP BY k", "SELECT k, explode(array(1, 2)) AS x FROM t GROUP BY k", "SELECT k, posexplode(collect_list(v)) FROM t GROUP BY k",
    "SELECT explode(array(k)) FROM t GROUP BY k", "SELECT k, explode(array(min(v), max(v))) AS x, count(*) AS n FROM t GROUP BY k", "SELECT k, explode(collect_list(v)) + 1 AS x FROM t GROUP BY k", "SELECT explode(array(1, 2)) AS x, count(*) FROM t", "SELECT count(*) AS n, explode(array(1, 2)) AS x FROM t HAVING count(*) > 1",
    "SELECT explode(array(1, 2)) AS x FROM t GROUP BY x", "SELECT explode(xs) AS x, count(*) FROM nest GROUP BY explode(xs)", "SELECT explode(xs) FROM nest GROUP BY id", "SELECT sum(explode(xs)) FROM nest", "SELECT explode(collect_list(v)), explode(collect_list(k)) FROM t", "SELECT explode(map(k, sum(v))) FROM t WHERE k IS NOT NULL GROUP BY k", "SELECT k, explode_outer(collect_list(v)) AS x FROM t GROUP BY k", "SELECT k, inline(array(struct(sum(v) AS s, k AS kk))) FROM t GROUP BY k", "SELECT k, stack(2, sum(v), count(*)) AS x FROM t GROUP BY k", "SELECT k, explode(collect_list(v)) AS x FROM t GROUP BY k ORDER BY k, x", "SELECT k, explode(collect_list(v)) AS x FROM t GROUP BY k HAVING count(*) > 1", "SELECT DISTINCT explode(collect_list(v)) AS x FROM t", "SELECT k, explode(collect_list(v)) AS x, sum(sum(v)) OVER () AS s FROM t GROUP BY k",
]})

# --- table arguments of functions, identifiers and numbers that are computed
queries(area, {f"table_argument {text}": text for text in [
    "SELECT * FROM range(TABLE(t))", "SELECT * FROM explode(TABLE(t))", "SELECT * FROM nope(TABLE(t))", "SELECT * FROM explode(TABLE(SELECT 1))", "SELECT * FROM explode(TABLE t)", "SELECT * FROM range(TABLE(nope_table))", "SELECT * FROM nope(TABLE(t) PARTITION BY k)", "SELECT * FROM nope(x => TABLE(t))", "SELECT upper(TABLE(t))", "SELECT * FROM stack(2, TABLE(t))", "SELECT * FROM nope(TABLE(t) WITH SINGLE PARTITION)", "SELECT * FROM nope(TABLE(t) PARTITION BY k ORDER BY v)",
]})
IV = ("DECLARE OR REPLACE idv STRING DEFAULT 't'", "DECLARE OR REPLACE idc STRING DEFAULT 'v'")
for name, text in {
    "variable": "SELECT * FROM IDENTIFIER(idv)", "column": "SELECT IDENTIFIER(idc) FROM t", "concat": "SELECT IDENTIFIER(concat('v', '')) FROM t", "upper": "SELECT * FROM IDENTIFIER(lower('T'))", "mixed": "SELECT IDENTIFIER(idv || '.' || idc) FROM t", "function": "SELECT IDENTIFIER('up' || 'per')('a') AS r",
    "number": "SELECT * FROM IDENTIFIER(1)", "null": "SELECT * FROM IDENTIFIER(NULL)", "of_column": "SELECT IDENTIFIER(k) FROM t", "bad_name": "SELECT * FROM IDENTIFIER('a b')", "empty": "SELECT * FROM IDENTIFIER('')", "rand": "SELECT * FROM IDENTIFIER(cast(rand() AS STRING))", "create": "CREATE OR REPLACE TABLE IDENTIFIER('idt' || 'ab') USING delta AS SELECT 1 AS a", "drop": "DROP TABLE IF EXISTS IDENTIFIER(concat('id', 'none'))",
    "missing": "SELECT * FROM IDENTIFIER(concat('no', 'such'))", "backquoted": "SELECT IDENTIFIER(concat('`v`')) FROM t", "function_variable": "SELECT IDENTIFIER(CASE WHEN true THEN 'lower' END)('A') AS r", "alias": "SELECT v AS IDENTIFIER('a' || 'b') FROM t", "subquery": "SELECT * FROM IDENTIFIER((SELECT 't'))", "cast": "SELECT IDENTIFIER(cast('v' AS STRING)) FROM t", "describe": "DESCRIBE IDENTIFIER(concat('t', ''))", "use": "USE IDENTIFIER(concat('def', 'ault'))", "insert": "INSERT INTO IDENTIFIER(concat('none_', 't')) VALUES (1)", "qualified_star": "SELECT IDENTIFIER(idv).* FROM t", "error": "SELECT * FROM IDENTIFIER(raise_error('x'))", "having": "SELECT k FROM t GROUP BY IDENTIFIER(concat('k', ''))", "function_concat": "SELECT IDENTIFIER(concat('up', 'per'))('a') AS r",
}.items():
    script("identifier_" + name, *IV, text)
LV = ("DECLARE OR REPLACE lv INT DEFAULT 2", "DECLARE OR REPLACE ln INT")
for name, text in {
    "variable": "SELECT v FROM t ORDER BY v LIMIT lv", "cast": "SELECT v FROM t ORDER BY v LIMIT cast('2' AS INT)", "cast_text": "SELECT v FROM t ORDER BY v LIMIT '2'", "length": "SELECT v FROM t ORDER BY v LIMIT length('ab')", "long": "SELECT v FROM t ORDER BY v LIMIT 2L", "null": "SELECT v FROM t ORDER BY v LIMIT NULL", "null_variable": "SELECT v FROM t ORDER BY v LIMIT ln", "cast_null": "SELECT v FROM t ORDER BY v LIMIT cast(NULL AS INT)", "negative": "SELECT v FROM t ORDER BY v LIMIT -1", "negative_computed": "SELECT v FROM t ORDER BY v LIMIT 1 - 2", "product": "SELECT v FROM t ORDER BY v LIMIT 2 * 1", "case": "SELECT v FROM t ORDER BY v LIMIT CASE WHEN true THEN 1 ELSE 3 END", "rand": "SELECT v FROM t ORDER BY v LIMIT cast(rand() AS INT)", "column": "SELECT v FROM t ORDER BY v LIMIT v", "byte": "SELECT v FROM t ORDER BY v LIMIT 2Y", "double": "SELECT v FROM t ORDER BY v LIMIT 2.0", "subquery": "SELECT v FROM t ORDER BY v LIMIT (SELECT 1)", "divide": "SELECT v FROM t ORDER BY v LIMIT 1 div 0", "element": "SELECT v FROM t ORDER BY v LIMIT element_at(array(1, 2), 2)", "greatest": "SELECT v FROM t ORDER BY v LIMIT greatest(1, 2)", "overflow": "SELECT v FROM t ORDER BY v LIMIT 2147483647 + 1", "offset_variable": "SELECT v FROM t ORDER BY v OFFSET lv", "offset_cast": "SELECT v FROM t ORDER BY v LIMIT 1 OFFSET cast(1.0 AS INT)", "offset_negative": "SELECT v FROM t ORDER BY v OFFSET 1 - 2", "offset_null": "SELECT v FROM t ORDER BY v OFFSET cast(NULL AS INT)", "offset_text": "SELECT v FROM t ORDER BY v OFFSET 'a'", "offset_rand": "SELECT v FROM t ORDER BY v OFFSET cast(rand() AS INT)", "if": "SELECT v FROM t ORDER BY v LIMIT if(lv > 1, 1, 2)", "aggregate": "SELECT v FROM t ORDER BY v LIMIT max(1)", "aggregate_offset": "SELECT v FROM t ORDER BY v OFFSET sum(1)",
    "all": "SELECT v FROM t ORDER BY v LIMIT ALL",
}.items():
    script("limit_" + name, *LV, text, ordered=True)
for name, text in {
    "variable": "SELECT * FROM range(lv)", "cast": "SELECT * FROM range(cast('3' AS INT))", "text": "SELECT * FROM range('3')", "sum": "SELECT * FROM range(1 + 1, 2 * 3)", "length": "SELECT * FROM range(length('abc'))", "null": "SELECT * FROM range(NULL)", "cast_null": "SELECT * FROM range(cast(NULL AS BIGINT))", "double": "SELECT * FROM range(2.5)", "decimal": "SELECT * FROM range(3BD)", "bad": "SELECT * FROM range('x')", "date": "SELECT * FROM range(date'2024-01-01')", "rand": "SELECT * FROM range(cast(rand() * 0 AS INT))", "four": "SELECT * FROM range(0, 4, 2, 1 + 1)", "step_zero": "SELECT * FROM range(0, 4, 1 - 1)", "boolean": "SELECT * FROM range(true)", "array": "SELECT * FROM range(array(1))", "none": "SELECT * FROM range()", "many": "SELECT * FROM range(1, 2, 3, 4, 5)", "divide": "SELECT * FROM range(1 div 0)", "outer": "SELECT v, r.id FROM t, LATERAL range(v) r", "column": "SELECT * FROM range(v)", "big": "SELECT count(*) FROM range(9223372036854775807 - 1, 9223372036854775807)", "parts_zero": "SELECT * FROM range(0, 2, 1, 0)", "explode_variable": "SELECT * FROM explode(array(lv, lv + 1))", "named": "SELECT * FROM range(start => 1, end => 3)", "subquery": "SELECT * FROM range((SELECT 3))",
}.items():
    script("range_" + name, *LV, text)

# --- frames of RANGE
for name, text in {
    "text_bound": "v RANGE BETWEEN '1' PRECEDING AND CURRENT ROW", "text_bad": "v RANGE BETWEEN 'x' PRECEDING AND CURRENT ROW", "computed": "v RANGE BETWEEN 1 + 1 PRECEDING AND CURRENT ROW", "cast": "v RANGE BETWEEN cast('1' AS INT) PRECEDING AND CURRENT ROW", "double": "v RANGE BETWEEN 1.5D PRECEDING AND CURRENT ROW", "decimal": "v RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW", "long": "v RANGE BETWEEN 1L PRECEDING AND CURRENT ROW", "double_key": "d RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", "double_key_text": "d RANGE BETWEEN '1' PRECEDING AND CURRENT ROW", "interval": "v RANGE BETWEEN interval 1 day PRECEDING AND CURRENT ROW", "null": "v RANGE BETWEEN NULL PRECEDING AND CURRENT ROW", "negative": "v RANGE BETWEEN -1 PRECEDING AND CURRENT ROW", "length": "v RANGE BETWEEN length('a') PRECEDING AND CURRENT ROW", "rand": "v RANGE BETWEEN cast(rand() AS INT) PRECEDING AND CURRENT ROW", "column": "v RANGE BETWEEN v PRECEDING AND CURRENT ROW", "variable": "v RANGE BETWEEN lv PRECEDING AND CURRENT ROW", "rows_variable": "v ROWS BETWEEN lv PRECEDING AND CURRENT ROW", "rows_computed": "v ROWS BETWEEN 2 - 1 PRECEDING AND CURRENT ROW", "rows_long": "v ROWS BETWEEN 1L PRECEDING AND CURRENT ROW", "rows_cast": "v ROWS BETWEEN cast('1' AS INT) PRECEDING AND CURRENT ROW", "rows_rand": "v ROWS BETWEEN cast(rand() AS INT) PRECEDING AND CURRENT ROW", "boolean": "v RANGE BETWEEN true PRECEDING AND CURRENT ROW", "rows_null": "v ROWS BETWEEN NULL PRECEDING AND CURRENT ROW", "date_interval": "date_add(date'2024-01-01', v) RANGE BETWEEN interval 1 day PRECEDING AND CURRENT ROW", "date_number": "date_add(date'2024-01-01', v) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", "date_month": "date_add(date'2024-01-01', v) RANGE BETWEEN interval 1 month PRECEDING AND CURRENT ROW", "date_hours": "date_add(date'2024-01-01', v) RANGE BETWEEN interval 24 hours PRECEDING AND CURRENT ROW", "time_number": "timestamp_seconds(v) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", "time_text": "timestamp_seconds(v) RANGE BETWEEN '1' PRECEDING AND CURRENT ROW", "reversed": "v RANGE BETWEEN 1 FOLLOWING AND 1 PRECEDING", "current_preceding": "v RANGE BETWEEN CURRENT ROW AND 1 PRECEDING", "least": "v RANGE BETWEEN 2147483647 PRECEDING AND 2147483647 FOLLOWING", "byte_key": "cast(v AS TINYINT) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", "byte_key_wide": "cast(v AS TINYINT) RANGE BETWEEN 1000 PRECEDING AND CURRENT ROW", "byte_ends": "cast(v + 122 AS TINYINT) RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING", "int_ends": "v + 2147483642 RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING", "int_ends_low": "v - 2147483648 RANGE BETWEEN 3 PRECEDING AND CURRENT ROW", "long_ends": "v + 9223372036854775802L RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING", "long_ends_low": "v - 9223372036854775807L RANGE BETWEEN 3 PRECEDING AND CURRENT ROW", "int_ends_desc": "v - 2147483648 DESC RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING", "decimal_ends": "cast(99999999999999999999999999999999999990 AS DECIMAL(38,0)) + v RANGE BETWEEN CURRENT ROW AND 6 FOLLOWING", "two_keys": "v, d RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
}.items():
    script("frame_" + name, *LV, f"SELECT v, d, count(*) OVER (ORDER BY {text}) AS n, sum(v) OVER (ORDER BY {text}) AS s FROM t")
    script(f"frame_{name} without ANSI", *LV, f"SELECT v, d, count(*) OVER (ORDER BY {text}) AS n, sum(v) OVER (ORDER BY {text}) AS s FROM t", conf={"spark.sql.ansi.enabled": "false"})

# --- moments and extremes of the largest numbers
BIG = "VALUES (1, 1.79E308D), (2, 1.7E308D), (3, -1.7E308D), (4, 1D), (5, 0D) AS b(i, d)"
queries(area, {f"big {text}": f"SELECT i, {text} AS r FROM {BIG}" for text in [
    f"{f} OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)" for f in ["stddev(d)", "stddev_pop(d)", "var_samp(d)", "var_pop(d)", "skewness(d)", "kurtosis(d)", "avg(d)", "sum(d)", "corr(d, i)", "covar_pop(d, i)", "regr_slope(d, i)", "regr_r2(d, i)", "regr_sxy(d, i)"]]})
queries(area, {f"big {text}": f"SELECT {text} AS r FROM {BIG}" for text in ["stddev(d)", "stddev_pop(d)", "var_samp(d)", "var_pop(d)", "skewness(d)", "kurtosis(d)", "corr(d, i)", "corr(i, d)", "covar_pop(d, i)", "covar_samp(i, d)", "regr_slope(d, i)", "regr_slope(i, d)", "regr_intercept(d, i)", "regr_intercept(i, d)", "regr_r2(d, i)", "regr_sxx(i, d)", "regr_sxy(d, i)", "regr_syy(d, i)", "regr_avgx(d, i)", "regr_avgy(d, i)", "avg(d)", "sum(d)"]})
queries(area, {f"zero {text}": f"SELECT {text} AS r" for text in ["greatest(-0.0D, 0.0D)", "greatest(0.0D, -0.0D)", "least(0.0D, -0.0D)", "least(-0.0D, 0.0D)", "greatest(-0.0F, 0.0F)", "array_max(array(-0.0D, 0.0D))", "array_min(array(0.0D, -0.0D))", "array_max(array(0.0D, -0.0D))", "array_min(array(-0.0D, 0.0D))", "greatest(NULL, -0.0D, 0.0D)"]})
queries(area, {f"zero rows {text}": f"SELECT {text} AS r FROM VALUES (-0.0D, 0.0D) AS z(a, b)" for text in ["greatest(a, b)", "greatest(b, a)", "least(a, b)", "least(b, a)", "array_max(array(a, b))", "array_min(array(b, a))"]})
queries(area, {f"extreme {text}": f"SELECT {text} AS r FROM VALUES {rows} AS z(a)" for text in ["max(a)", "min(a)", "max_by(a, a)"] for rows in ["(-0.0D), (0.0D)", ]})

# --- defaults of lag and lead
for name, text in {
    "wider": "lag(v, 1, 5L)", "text": "lag(v, 1, '5')", "text_bad": "lag(v, 1, 'x')", "null": "lag(v, 1, NULL)", "column": "lag(v, 1, d)", "same": "lead(v, 1, v)", "decimal": "lag(v, 1, 1.5)", "double": "lead(d, 1, 7)", "string": "lag(k, 1, 5)", "boolean": "lag(v, 1, true)", "overflow": "lag(v, 1, 3000000000)", "cast_narrow": "lag(cast(v AS TINYINT), 1, 300)", "date": "lag(date'2024-01-01', 1, '2020-01-01')", "date_bad": "lag(date'2024-01-01', 1, 5)", "array": "lag(array(v), 1, array(5L))", "number_text": "lag(k, 1, v)",
}.items():
    for ansi in ("true", "false"):
        script(f"lag_{name}{'' if ansi == 'true' else ' without ANSI'}", f"SELECT k, v, {text} OVER (ORDER BY v) AS r FROM t", conf={"spark.sql.ansi.enabled": ansi})

# --- lambdas that see both sides of a lateral join
queries(area, {f"lateral {text}": text for text in [
    "SELECT id, x.* FROM nest, LATERAL (SELECT transform(xs, e -> e + w) AS r FROM u) x", "SELECT id, x.* FROM nest, LATERAL (SELECT w FROM u WHERE exists(xs, e -> e = w)) x", "SELECT id, x.* FROM nest, LATERAL (SELECT w FROM u WHERE array_max(transform(xs, e -> w)) > 20) x", "SELECT id, x.* FROM nest, LATERAL (SELECT aggregate(xs, 0, (a, e) -> a + e * w) AS r FROM u WHERE id < 3) x", "SELECT id, x.* FROM nest LEFT JOIN LATERAL (SELECT filter(xs, e -> e < w) AS r FROM u WHERE w < 15) x", "SELECT id, (SELECT max(array_max(transform(xs, e -> e + w))) FROM u) AS m FROM nest", "SELECT id FROM nest WHERE EXISTS (SELECT 1 FROM u WHERE exists(xs, e -> e * 10 = w))", "SELECT id, x.* FROM nest, LATERAL (SELECT transform(xs, e -> transform(xs, f -> e + f + w)) AS r FROM u WHERE w < 15) x", "SELECT id, x.* FROM nest, LATERAL (SELECT map_filter(m, (a, b) -> b < w) AS r FROM u WHERE w = 10) x", "SELECT id, x.* FROM nest, LATERAL (SELECT array_sort(xs, (a, b) -> CASE WHEN a * w < b * w THEN 1 WHEN a * w > b * w THEN -1 ELSE 0 END) AS r FROM u WHERE w = 10) x",
    "SELECT id, x.* FROM nest, LATERAL (SELECT sum(w) AS s FROM u WHERE exists(xs, e -> e * 10 < w)) x",
]})

# --- databases with a place
script("database_location", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "CREATE TABLE dloc.a USING parquet AS SELECT 1 AS x", "SELECT x, regexp_replace(input_file_name(), '.*/(dloc/.*)/[^/]*$', '$1') AS f FROM dloc.a")
script("database_location_delta", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "CREATE TABLE dloc.d USING delta AS SELECT 1 AS x", "SELECT * FROM delta.`$TMP/dloc/d`")
script("database_location_show", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "CREATE TABLE dloc.d USING delta AS SELECT 1 AS x", "CREATE VIEW dloc.v AS SELECT 1 AS y", "SHOW TABLES IN dloc")
script("database_location_listed", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "SHOW DATABASES LIKE 'dloc'")
script("database_location_drop", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "CREATE TABLE dloc.d USING delta AS SELECT 1 AS x", "DROP DATABASE dloc CASCADE", "SELECT * FROM delta.`$TMP/dloc/d`")
script("database_location_drop_full", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "CREATE TABLE dloc.d USING delta AS SELECT 1 AS x", "DROP DATABASE dloc")
script("database_location_rename", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "CREATE TABLE dloc.d USING parquet AS SELECT 1 AS x", "ALTER TABLE dloc.d RENAME TO dloc.e", "SELECT * FROM dloc.e")
script("database_location_twice", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "CREATE DATABASE dloc LOCATION '$TMP/other'")
script("database_location_empty", "CREATE DATABASE dloc_e LOCATION ''")
script("database_location_use", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "USE dloc", "CREATE TABLE d2 USING delta AS SELECT 5 AS x", "USE default", "SELECT * FROM dloc.d2")
script("database_location_function", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc LOCATION '$TMP/dloc'", "CREATE FUNCTION dloc.f() RETURNS INT RETURN 3", "SELECT dloc.f() AS r")
script("database_set_location", "DROP DATABASE IF EXISTS dloc CASCADE", "CREATE DATABASE dloc", "ALTER DATABASE dloc SET LOCATION '$TMP/new'", "CREATE TABLE dloc.d USING delta AS SELECT 1 AS x", "SELECT * FROM delta.`$TMP/new/d`")
script("database_set_location_missing", "ALTER DATABASE dloc_none SET LOCATION '$TMP/new'")

# --- plain tables whose files lie elsewhere
PL = ("DROP TABLE IF EXISTS els", "CREATE TABLE els (a INT, p INT) USING parquet PARTITIONED BY (p)", "INSERT INTO els VALUES (1, 1), (2, 2)", "DROP TABLE IF EXISTS els2", "CREATE TABLE els2 USING parquet LOCATION '$TMP/far' AS SELECT 7 AS a")
for name, texts in {
    "add": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "SELECT * FROM els"),
    "add_show": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "SHOW PARTITIONS els"),
    "add_two": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far' PARTITION (p = 4) LOCATION '$TMP/none'", "SELECT * FROM els"),
    "add_insert": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "INSERT INTO els PARTITION (p = 3) VALUES (8)", "SELECT 1 AS w, a, p FROM els UNION ALL SELECT 2, a, 0 FROM els2"),
    "add_insert_dynamic": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "INSERT INTO els VALUES (8, 3), (9, 1)", "SELECT 1 AS w, a, p FROM els UNION ALL SELECT 2, a, 0 FROM els2"),
    "add_overwrite": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "INSERT OVERWRITE els PARTITION (p = 3) VALUES (8)", "SELECT 1 AS w, a, p FROM els UNION ALL SELECT 2, a, 0 FROM els2"),
    "add_overwrite_all": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "INSERT OVERWRITE els VALUES (8, 3), (9, 1)", "SELECT a, p FROM els"),
    "add_drop": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "ALTER TABLE els DROP PARTITION (p = 3)", "SELECT a, p FROM els"),
    "add_rename": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "ALTER TABLE els PARTITION (p = 3) RENAME TO PARTITION (p = 4)", "SELECT a, p FROM els"),
    "add_truncate": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "TRUNCATE TABLE els PARTITION (p = 3)", "SELECT a, p FROM els"),
    "add_where": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "SELECT a, p FROM els WHERE p = 3"),
    "add_filter": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "SELECT a, p FROM els WHERE p > 1 AND a < 5"),
    "partition": ("ALTER TABLE els PARTITION (p = 1) SET LOCATION '$TMP/far'", "SELECT * FROM els"),
    "partition_missing": ("ALTER TABLE els PARTITION (p = 9) SET LOCATION '$TMP/far'",),
    "table_partitioned": ("ALTER TABLE els SET LOCATION '$TMP/far'", "SELECT * FROM els"),
    "table_partitioned_insert": ("ALTER TABLE els SET LOCATION '$TMP/newplace'", "INSERT INTO els VALUES (5, 5)", "SELECT * FROM els"),
    "table": ("ALTER TABLE els2 SET LOCATION '$TMP/far2'", "INSERT INTO els2 VALUES (5)", "SELECT * FROM els2"),
    "relative": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION 'below'", "INSERT INTO els PARTITION (p = 3) VALUES (8)", "SELECT * FROM els"),
    "msck": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "MSCK REPAIR TABLE els", "SELECT * FROM els"),
    "msck_sync": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "MSCK REPAIR TABLE els SYNC PARTITIONS", "SELECT * FROM els"),
    "drop_table": ("ALTER TABLE els ADD PARTITION (p = 3) LOCATION '$TMP/far'", "DROP TABLE els", "SELECT * FROM els2"),
}.items():
    # Tables of their own: a folder stays where it was when its table is told to lie elsewhere.
    named = [re.sub(r"\bels(2?)\b", lambda found: f"els{found[1]}_{name}", text) for text in (*PL, *texts)]
    script("elsewhere_" + name, *named)

# --- documents: options that are none, texts that are computed
queries(area, {f"document {text}": f"SELECT {text} AS r" for text in [
    "from_json('{\"a\":1}', 'a INT', map('nope', 'true'))", "to_json(named_struct('a', 1), map('nope', '1'))", "from_csv('1', 'a INT', map('nope', '1'))", "to_csv(named_struct('a', 1), map('nope', '1'))", "schema_of_json('{\"a\":1}', map('nope', '1'))", "schema_of_csv('1', map('nope', '1'))", "from_xml('<r><a>1</a></r>', 'a INT', map('nope', '1'))", "to_xml(named_struct('a', 1), map('nope', '1'))", "schema_of_xml('<r><a>1</a></r>', map('nope', '1'))",
    "schema_of_json(concat('{\"a\"', ':1}'))", "schema_of_json(upper('{\"a\":1}'))", "schema_of_csv(concat('1', ',2'))", "schema_of_xml(concat('<r><a>1', '</a></r>'))", "schema_of_json(NULL)", "schema_of_json(cast(NULL AS STRING))", "from_json('{\"a\":1}', concat('a', ' INT'))", "from_json('{\"a\":1}', schema_of_json(concat('{\"a\"', ':1}')))", "from_csv('1', concat('a', ' INT'))", "schema_of_json('{\"a\":\"2024-01-01T00:00:00Z\"}', map('inferTimestamp', 'true'))", "schema_of_json('{\"a\":\"2024-01-01 00:00:00\"}', map('inferTimestamp', 'true', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss'))", "schema_of_json('{\"a\":\"2024-01-01T00:00:00\", \"b\":\"x\"}', map('inferTimestamp', 'true'))", "schema_of_json('[{\"a\":\"2024-01-01T00:00:00Z\"},{\"a\":\"x\"}]', map('inferTimestamp', 'true'))", "schema_of_json('{\"a\":\"2024-01-01\"}', map('inferTimestamp', 'true'))",
    "schema_of_json(k) FROM (SELECT '{}' AS k)", "from_json('{\"a\":1}', 'a INT', map('mode', 'nope'))",
]})
queries(area, {f"small {text}": f"SELECT {text} AS r" for text in [
    "arrays_zip()", "size(arrays_zip())", "struct()", "cast('epoch' AS TIMESTAMP)", "cast('now' AS TIMESTAMP) > timestamp'2024-01-01'", "cast('today' AS DATE) = current_date()", "timestamp'epoch'", "date'epoch'", "timestamp_ntz'2024-01-01 00:00:00Z'", "timestamp_ntz'2024-01-01 00:00:00+01:00'", "timestamp_ntz'2024-01-01 00:00:00 Europe/Berlin'", "timestamp_ntz'2024-01-01Z'", "timestamp_ntz'epoch'", "cast('2024-01-01 00:00:00Z' AS TIMESTAMP_NTZ)", "timestamp'2024-01-02 03:04:05Z'", "timestamp'2024-01-02 03:04:05+02:00'", "timestamp'2024-01-02 03:04:05.120+02:00'", "timestamp_ltz'2024-01-02 03:04:05Z'", "least(1, 'a')", "timestamp'2024-01-02 03:04:05 Europe/Berlin' + interval 1 hour", "typeof(timestamp'2024-01-02 03:04:05Z')", "to_timestamp('epoch')", "try_cast('epoch' AS TIMESTAMP)",
]})
queries(area, {f"sequence without ANSI {text}": f"SELECT {text} AS r" for text in ["sequence('1', '3')", "sequence(1, '3')", "sequence('1', 3)", "sequence('3', '1', '-1')", "sequence('a', 'c')", "sequence(1, 'x')", "sequence('2024-01-01', '2024-01-03')", "sequence('2024-01-01', '2024-01-03', interval 1 day)", "sequence(date'2024-01-01', '2024-01-03')", "sequence(1, 3L)", "sequence(1.0, 3.0)", "sequence(1, 3, '1')"]}, conf={"spark.sql.ansi.enabled": "false"})
queries(area, {f"sequence {text}": f"SELECT {text} AS r" for text in ["sequence('1', '3')", "sequence(1, '3')", "sequence('2024-01-01', '2024-01-03')", "sequence('2024-01-01', '2024-01-03', interval 1 day)", "sequence(date'2024-01-01', '2024-01-03')", "sequence(1, 3, '1')", "sequence(1.0, 3.0)"]})
queries(area, {f"rsd {text}": f"SELECT approx_count_distinct(v, {text}) AS r FROM t" for text in ["0.39", "NULL", "'0.1'", "0.0087", "0.01", "cast(0.1 AS FLOAT)", "0.1 + 0.1", "v", "rand()"]})
queries(area, {f"sketch over a window {text}": f"SELECT k, v, {text} OVER (PARTITION BY k ORDER BY v) AS r FROM t" for text in ["hll_sketch_estimate(hll_sketch_agg(v))", "hll_sketch_agg(v)", "theta_sketch_agg(v)", "approx_top_k(v)", "kll_sketch_agg_bigint(v)", "count_min_sketch(v, 0.5d, 0.5d, 1)"]})
queries(area, {f"sketch of a window {text}": f"SELECT k, v, hll_sketch_estimate(hll_sketch_agg(v) OVER ({text})) AS r FROM t" for text in ["PARTITION BY k", "PARTITION BY k ORDER BY v", "ORDER BY v", "ORDER BY v ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", ""]})

# --- views whose columns have comments
script("view_comment", "CREATE OR REPLACE TEMPORARY VIEW vcom (a COMMENT 'the a', b) AS SELECT 1, 2", "DESCRIBE vcom")
script("view_comment_stored", "CREATE OR REPLACE VIEW vcoms (a COMMENT 'the a', b) AS SELECT 1, 2", "DESCRIBE vcoms")
script("view_comment_metadata", "CREATE OR REPLACE TEMPORARY VIEW vcom (a COMMENT 'the a', b) AS SELECT 1, 2", "SELECT * FROM vcom")
script("view_comment_inherited", "CREATE OR REPLACE TABLE vct (a INT COMMENT 'of the table') USING delta", "CREATE OR REPLACE VIEW vcoms2 AS SELECT a FROM vct", "DESCRIBE vcoms2")

# --- lambdas that are too many, or stand elsewhere
queries(area, {f"lambda {text}": f"SELECT {text} AS r" for text in [
    "transform(array(1), x -> x, 2)", "filter(array(1), x -> true, array(0))", "aggregate(array(1), 0, (a, x) -> a + x, 5)", "zip_with(array(1), array(2), (a, b) -> a, 1)",
    "exists(array(1), x -> true, x -> true)", "transform(array(1), x -> x, x -> x)", "aggregate(array(1), (a, x) -> a, x -> x)", "aggregate(array(1), 0, (a, x) -> a, x -> x, 1)", "map_filter(map(1, 2), (k, v) -> true, 1)",
    "transform(x -> x, array(1))", "array_sort(array(2, 1), (a, b) -> a - b, 1)", "zip_with(array(1), (a, b) -> a)", "map_zip_with(map(1, 2), (k, a, b) -> a, map(1, 3))", "forall(array(1))", "transform(array(1, 2), 5)", "reduce(array(1), 0, (a, x) -> a + x, x -> x, x -> x)",
]})

# --- values in place of lambdas, and lambdas over both sides of correlations
queries(area, {f"lambda {text}": f"SELECT id, {text} AS r FROM nest" for text in [
    "filter(xs, id > 1)", "filter(xs, NULL)", "exists(xs, id = 1)", "forall(xs, true)", "transform(xs, id)", "transform(xs, xs)", "map_filter(m, id = 1)", "transform_values(m, id)", "transform_keys(map('a', 1), id)",
    "zip_with(xs, xs, id)", "aggregate(xs, 0, id)", "aggregate(xs, 0, (a, x) -> a + 1, id)", "array_sort(xs, 0)", "array_sort(array(3, 1, 2), id)", "filter(xs, 1)", "exists(xs, 'true')", "map_zip_with(m, m, id)", "any(xs, true)", "transform(5, 5)"]})
queries(area, {f"lambda_beside {text}": text for text in [
    "SELECT id, w FROM nest, LATERAL (SELECT w FROM u WHERE exists(xs, e -> e * 10 = w) ORDER BY w LIMIT 1) x",
    "SELECT id, x.* FROM nest LEFT JOIN LATERAL (SELECT k, count(*) AS n, collect_list(filter(xs, e -> e * 10 <= w)) AS l FROM u WHERE exists(xs, e -> e * 10 <= w) GROUP BY k) x",
    "SELECT id, x.r FROM nest, LATERAL (SELECT transform(xs, e -> e + id) AS r) x",
    "SELECT id, x.r FROM nest, LATERAL (SELECT explode(transform(xs, e -> e + id)) AS r) x",
    "SELECT id, x.* FROM nest, LATERAL (SELECT w FROM u WHERE exists(xs, e -> e * 10 = w) UNION ALL SELECT size(filter(xs, e -> e > 1))) x",
    "SELECT id FROM nest WHERE NOT EXISTS (SELECT 1 FROM u WHERE exists(xs, e -> e * 10 = w))",
    "SELECT id FROM nest WHERE (SELECT count(*) FROM u WHERE exists(xs, e -> e * 10 = w)) > 0",
    "SELECT id, w FROM nest, LATERAL (SELECT w, row_number() OVER (ORDER BY w DESC) AS n FROM u WHERE exists(xs, e -> e * 10 <= w)) x WHERE n = 1",
    "SELECT id, x.w FROM nest, LATERAL (SELECT u.w FROM u JOIN t ON u.k = t.k AND exists(xs, e -> e = t.v AND u.w > 10)) x",
    "SELECT id FROM nest WHERE id IN (SELECT w DIV 10 FROM u WHERE exists(xs, e -> e * 10 = w))",
]})

# --- PIVOT of aggregates that are no numbers
PIVOTED = "(SELECT * FROM VALUES (1, 'a', 10, date'2024-01-01'), (1, 'b', 20, date'2024-01-02'), (2, 'a', NULL, NULL) AS v(id, k, n, dt))"
queries(area, {f"pivot_other {what}": f"SELECT * FROM {PIVOTED} PIVOT ({what} FOR k IN ('a' AS a, 'b' AS b, 'c' AS c))" for what in [
    "count(*) AS n, max(dt) AS m", "count(n) AS n, collect_list(n) AS l", "max(dt)", "first(dt) AS f, last(n) AS l", "count(DISTINCT n) AS n, max(k) AS k", "sum(n) AS s, max(k) AS m", "count(*) + 1 AS c, max(dt) AS d",
    "count(*) AS n, max(n > 5) AS t", "sum(n) AS s, count(*) AS n", "max_by(k, n) AS x, count(*) AS c", "percentile(n, 0.5) AS p, max(dt) AS d", "array_agg(n) AS a", "count_if(n > 5) AS c, min(dt) AS d", "sum(CAST(n AS DECIMAL(10, 2))) AS s, count(*) AS c"]})

# --- ORDER BY a name that several columns of the output have
queries(area, {f"order_ambiguous {text}": text for text in [
    "SELECT cast(a AS INT), cast(a AS STRING) FROM VALUES (1.5), (NULL), (0.5) t(a) ORDER BY a", "SELECT a AS x, b AS x FROM VALUES (1, 2), (0, 3) t(a, b) ORDER BY x", "SELECT a AS b, b FROM VALUES (1, 2), (0, 3) t(a, b) ORDER BY b",
    "SELECT a, a FROM VALUES (1, 2), (0, 3) t(a, b) ORDER BY a", "SELECT DISTINCT cast(a AS INT), cast(a AS STRING) FROM VALUES (1.5), (NULL), (0.5) t(a) ORDER BY a", "SELECT cast(a AS INT), sum(b) AS a FROM VALUES (1, 2), (0, 3) t(a, b) GROUP BY a ORDER BY a",
    "SELECT cast(t.a AS INT), cast(u.a AS INT) FROM VALUES (1), (0) t(a) JOIN VALUES (1), (0) u(a) ON t.a = u.a ORDER BY a", "SELECT cast(a AS INT), cast(a AS STRING) FROM VALUES (1.5), (NULL), (0.5) t(a) ORDER BY t.a", "SELECT a + 1 AS a, a + 2 AS a FROM VALUES (1), (0) t(a) ORDER BY a + 1"]}, ordered=True)
