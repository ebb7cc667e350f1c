"""What SQL has beyond its common forms: variables set twice, frames at the ends of their types, moments of the largest numbers, defaults of lag and lead, options that nobody knows."""

from cases._sql import queries, scripts
from harness import Area

area = Area("sql_further")
script = scripts(area)

# --- variables
script("set_twice", "DECLARE OR REPLACE sv1 INT", "SET VAR (sv1, sv1) = (SELECT 1, 2)")
script("set_twice_case", "DECLARE OR REPLACE sv1 INT", "SET VAR (sv1, SV1) = (SELECT 1, 2)")
script("set_twice_qualified", "DECLARE OR REPLACE sv1 INT", "SET VAR (sv1, session.sv1) = (SELECT 1, 2)")
script("set_twice_list", "DECLARE OR REPLACE sv1 INT", "SET VAR sv1 = 1, sv1 = 2")
script("set_twice_missing", "SET VAR (sv_none, sv_none) = (SELECT 1, 2)")
script("into_twice", "DECLARE OR REPLACE sv1 INT", "EXECUTE IMMEDIATE 'SELECT 1, 2' INTO sv1, sv1")
script("set_twice_script", "BEGIN DECLARE a INT; SET (a, a) = (SELECT 1, 2); SELECT a; END")

# --- regular expressions beyond the first plane
queries(area, {f"regex {text}": f"SELECT {text} AS r" for text in [
    r"regexp_instr('a😀b', 'b')", r"regexp_instr('a😀b', '(?=b)b')", r"regexp_instr('😀😀x', '(?<=😀)x')", r"regexp_instr('a😀b', 'nope')", r"regexp_instr('é😀bb', '(b)\\1')",
    r"regexp_extract_all('abc', '(?=y)?', 0)", r"regexp_extract_all('xyz', '(?=y)?', 0)", r"regexp_extract_all('abc', '(?=b)', 0)", r"regexp_extract_all('abc', '(?<=b)?c', 0)", r"regexp_replace('xyz', '(?=y)?', '-')", r"regexp_count('xyz', '(?=y)?')",
    r"regexp_extract_all('xyz', '(?!y)*z', 0)", r"regexp_extract_all('xyz', '(?=y){2}y', 0)", r"regexp_replace('xyz', '(?=y)+', '-')", r"regexp_extract('xyz', '(?<!x)*z', 0)", r"'xyz' rlike '(?=y)?z'", r"split('xyz', '(?=y)?')", r"regexp_replace('xyz', '^*', '-')", r"regexp_replace('xyz', '$?', '-')", r"regexp_replace('x yz', '\\b?', '-')",
    r"regexp_substr('a😀b', '(?=b)b')", r"regexp_count('a😀b', '(?=.)')",
]})

# --- the function's file, the copy of a table
script("drop_function_twice", "CREATE OR REPLACE FUNCTION dff() RETURNS INT RETURN 1", "DROP FUNCTION dff", "DROP FUNCTION dff")

# --- frames of RANGE
LV = ("DECLARE OR REPLACE lv INT DEFAULT 2", "DECLARE OR REPLACE ln INT")
for name, text in {
    "text_bound": "v RANGE BETWEEN '1' PRECEDING AND CURRENT ROW", "cast": "v RANGE BETWEEN cast('1' AS INT) PRECEDING AND CURRENT ROW", "double": "v RANGE BETWEEN 1.5D PRECEDING AND CURRENT ROW", "decimal": "v RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW", "long": "v RANGE BETWEEN 1L PRECEDING AND CURRENT ROW", "double_key": "d RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", "double_key_text": "d RANGE BETWEEN '1' PRECEDING AND CURRENT ROW", "length": "v RANGE BETWEEN length('a') PRECEDING AND CURRENT ROW", "rand": "v RANGE BETWEEN cast(rand() AS INT) PRECEDING AND CURRENT ROW", "column": "v RANGE BETWEEN v PRECEDING AND CURRENT ROW", "variable": "v RANGE BETWEEN lv PRECEDING AND CURRENT ROW", "rows_variable": "v ROWS BETWEEN lv PRECEDING AND CURRENT ROW", "rows_rand": "v ROWS BETWEEN cast(rand() AS INT) PRECEDING AND CURRENT ROW", "date_interval": "date_add(date'2024-01-01', v) RANGE BETWEEN interval 1 day PRECEDING AND CURRENT ROW", "date_number": "date_add(date'2024-01-01', v) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", "date_month": "date_add(date'2024-01-01', v) RANGE BETWEEN interval 1 month PRECEDING AND CURRENT ROW", "reversed": "v RANGE BETWEEN 1 FOLLOWING AND 1 PRECEDING", "least": "v RANGE BETWEEN 2147483647 PRECEDING AND 2147483647 FOLLOWING", "byte_key": "cast(v AS TINYINT) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", "byte_ends": "cast(v + 122 AS TINYINT) RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING", "int_ends": "v + 2147483642 RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING", "int_ends_low": "v - 2147483648 RANGE BETWEEN 3 PRECEDING AND CURRENT ROW", "long_ends": "v + 9223372036854775802L RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING", "long_ends_low": "v - 9223372036854775807L RANGE BETWEEN 3 PRECEDING AND CURRENT ROW", "int_ends_desc": "v - 2147483648 DESC RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING", "decimal_ends": "cast(99999999999999999999999999999999999990 AS DECIMAL(38,0)) + v RANGE BETWEEN CURRENT ROW AND 6 FOLLOWING", "two_keys": "v, d RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
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
    "wider": "lag(v, 1, 5L)", "text": "lag(v, 1, '5')", "column": "lag(v, 1, d)", "same": "lead(v, 1, v)", "decimal": "lag(v, 1, 1.5)", "double": "lead(d, 1, 7)", "string": "lag(k, 1, 5)", "overflow": "lag(v, 1, 3000000000)", "cast_narrow": "lag(cast(v AS TINYINT), 1, 300)", "date": "lag(date'2024-01-01', 1, '2020-01-01')", "date_bad": "lag(date'2024-01-01', 1, 5)", "array": "lag(array(v), 1, array(5L))", "number_text": "lag(k, 1, v)",
}.items():
    for ansi in ("true", "false"):
        script(f"lag_{name}{'' if ansi == 'true' else ' without ANSI'}", f"SELECT k, v, {text} OVER (ORDER BY v) AS r FROM t", conf={"spark.sql.ansi.enabled": ansi})

# --- documents: options that are none, texts that are computed
queries(area, {f"document {text}": f"SELECT {text} AS r" for text in [
    "from_json('{\"a\":1}', 'a INT', map('nope', 'true'))", "to_json(named_struct('a', 1), map('nope', '1'))", "from_csv('1', 'a INT', map('nope', '1'))", "to_csv(named_struct('a', 1), map('nope', '1'))", "schema_of_json('{\"a\":1}', map('nope', '1'))", "schema_of_csv('1', map('nope', '1'))", "from_xml('<r><a>1</a></r>', 'a INT', map('nope', '1'))", "to_xml(named_struct('a', 1), map('nope', '1'))", "schema_of_xml('<r><a>1</a></r>', map('nope', '1'))", "from_json('{\"a\":1}', 'a INT', map('mode', 'nope'))",
]})
queries(area, {f"small {text}": f"SELECT {text} AS r" for text in [
    "timestamp_ntz'2024-01-01 00:00:00Z'", "timestamp_ntz'2024-01-01 00:00:00+01:00'", "timestamp_ntz'2024-01-01 00:00:00 Europe/Berlin'", "timestamp_ntz'2024-01-01Z'", "cast('2024-01-01 00:00:00Z' AS TIMESTAMP_NTZ)", "timestamp'2024-01-02 03:04:05Z'", "timestamp'2024-01-02 03:04:05+02:00'", "timestamp'2024-01-02 03:04:05.120+02:00'", "timestamp_ltz'2024-01-02 03:04:05Z'", "least(1, 'a')", "typeof(timestamp'2024-01-02 03:04:05Z')",
]})
queries(area, {f"sequence without ANSI {text}": f"SELECT {text} AS r" for text in ["sequence('1', '3')", "sequence(1, '3')", "sequence('1', 3)", "sequence('3', '1', '-1')", "sequence('a', 'c')", "sequence(1, 'x')", "sequence('2024-01-01', '2024-01-03')", "sequence('2024-01-01', '2024-01-03', interval 1 day)", "sequence(date'2024-01-01', '2024-01-03')", "sequence(1, 3L)", "sequence(1.0, 3.0)", "sequence(1, 3, '1')"]}, conf={"spark.sql.ansi.enabled": "false"})
queries(area, {f"sequence {text}": f"SELECT {text} AS r" for text in ["sequence('1', '3')", "sequence(1, '3')", "sequence('2024-01-01', '2024-01-03')", "sequence('2024-01-01', '2024-01-03', interval 1 day)", "sequence(date'2024-01-01', '2024-01-03')", "sequence(1, 3, '1')", "sequence(1.0, 3.0)"]})
queries(area, {f"rsd {text}": f"SELECT approx_count_distinct(v, {text}) AS r FROM t" for text in ["0.39", "NULL", "'0.1'", "0.0087", "0.01", "cast(0.1 AS FLOAT)", "0.1 + 0.1", "v", "rand()"]})
