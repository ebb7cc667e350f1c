"""SQL text made to hurt: it ends, by rows or by an error that the client understands, and the session goes on."""

import time

import pytest
from pyspark.errors import PySparkException

MEGABYTE = 1 << 20


def ends(spark, text):
    """The rows, or the error's condition; whatever it is, the session works after it."""
    try:
        result = spark.sql(text).collect()
    except PySparkException as error:
        result = error.getCondition() or str(error)[:200]
    assert spark.sql("SELECT 1").collect()[0][0] == 1
    return result


def test_long_chains_run(spark):
    assert ends(spark, "SELECT count(*) FROM range(10) WHERE " + " OR ".join(f"id = {i}" for i in range(5000)))[0][0] == 10
    assert ends(spark, "SELECT count(*) FROM range(10) WHERE id IN (" + ", ".join(map(str, range(20000))) + ")")[0][0] == 10
    assert ends(spark, "SELECT " + " + ".join(["1"] * 1500))[0][0] == 1500
    assert len(ends(spark, "VALUES " + ", ".join(f"({i})" for i in range(20000)))) == 20000


@pytest.mark.parametrize("open_, close", [("(", ")"), ("abs(", ")"), ("CASE WHEN true THEN ", " END"), ("NOT ", ""), ("- ", ""), ("array(", ")")])
def test_deep_nesting_is_an_error(spark, open_, close):
    operand = "true" if open_ == "NOT " else "1"
    assert ends(spark, "SELECT " + open_ * 2000 + operand + close * 2000) == "FAILED_TO_PARSE_TOO_COMPLEX"


def test_deep_queries_are_an_error(spark):
    assert ends(spark, "SELECT * FROM " + "(SELECT * FROM " * 1000 + "range(1)" + ")" * 1000) == "FAILED_TO_PARSE_TOO_COMPLEX"
    assert ends(spark, "SELECT " + "(SELECT " * 100 + "1" + ")" * 100) == "FAILED_TO_PARSE_TOO_COMPLEX"
    assert isinstance(ends(spark, "SELECT 1 " + "UNION ALL SELECT 1 " * 300), list)


def test_ten_megabytes(spark):
    assert len(ends(spark, "SELECT '" + "x" * (10 * MEGABYTE) + "'")[0][0]) == 10 * MEGABYTE
    assert ends(spark, "SELECT 1 " + "-- comment\n" * MEGABYTE)[0][0] == 1
    assert ends(spark, "SELECT " + "(" * (10 * MEGABYTE)) is not None
    assert ends(spark, "SELECT " + "a, " * (3 * MEGABYTE) + "b") is not None
    assert ends(spark, "/*" * (5 * MEGABYTE)) == "UNCLOSED_BRACKETED_COMMENT"
    assert ends(spark, "SELECT " + "`" * (10 * MEGABYTE)) is not None


def test_many_expressions(spark):
    """A megabyte of small expressions: what is kept for each of them must not grow with the text."""
    assert len(ends(spark, "SELECT " + ", ".join(f"abs({i}) + 1" for i in range(10000)))[0]) == 10000
    assert ends(spark, "SELECT " + " + ".join(["abs(1)"] * 1500) + " -- " + "x" * MEGABYTE)[0][0] == 1500


def test_definitions_that_double(spark):
    """Each name of WITH is read twice: forty levels would be a trillion copies."""
    names = "WITH a0 AS (SELECT 1 AS x), " + ", ".join(
        f"a{i} AS (SELECT l.x + r.x AS x FROM a{i - 1} l JOIN a{i - 1} r ON l.x = r.x)" for i in range(1, 31)
    )
    assert ends(spark, names + " SELECT x FROM a30")[0][0] == 1 << 30


def nested(inner, before, after, levels):
    return before * levels + inner + after * levels


@pytest.mark.parametrize("text", [
    "SELECT " + nested("id", "array(", ")[0]", 18) + " FROM range(2)",
    "SELECT " + nested("id", "element_at(array(", "), 1)", 18) + " FROM range(2)",
    "SELECT " + nested("array(id)", "slice(", ", 1, 1)", 18) + "[0] FROM range(2)",
    "SELECT x" + "[0]" * 18 + " FROM (SELECT " + nested("id", "array(", ")", 18) + " AS x FROM range(2))",
])
def test_access_within_access_does_not_double(spark, text):
    started = time.monotonic()
    assert [row[0] for row in ends(spark, text)] == [0, 1]
    assert time.monotonic() - started < 20  # minutes, were each argument written twice


def test_subqueries_within_subqueries_do_not_multiply(spark):
    names = ", ".join(f"c{i} AS (SELECT (SELECT max(x) FROM c{i - 1}) + 1 AS x)" for i in range(1, 25))
    started = time.monotonic()
    assert ends(spark, f"WITH c0 AS (SELECT 1 AS x), {names} SELECT x FROM c24")[0][0] == 25
    assert time.monotonic() - started < 20


def test_a_long_concat_is_not_cubic(spark):
    started = time.monotonic()
    assert ends(spark, "SELECT concat(" + ", ".join(["'a'"] * 1500) + ")")[0][0] == "a" * 1500
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("call", [
    "floor(0, -2147483647)", "ceil(0, -2147483648)", "floor(1.5, -2147483000)", "floor(-1.5, 2147483647)",
    "bround(1.5, -2147483648)", "round(1.5BD, -2147483647)", "round(1.5D, -2147483648)", "round(15, -2147483648)",
    "format_number(1.5, 2147483647)", "'a' rlike '" + "(" * 20000 + "a" + ")" * 20000 + "'",
])
def test_extreme_arguments_end(spark, call):
    started = time.monotonic()
    assert ends(spark, f"SELECT {call}") != "INTERNAL_ERROR"
    assert time.monotonic() - started < 20


def test_recursion_ends(spark):
    assert ends(spark, "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r") == "RECURSION_LEVEL_LIMIT_EXCEEDED"
    text = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r, range(100)) SELECT max(n) FROM r"
    assert ends(spark, text) == "RECURSION_ROW_LIMIT_EXCEEDED"


def test_functions_and_views_that_call_themselves(spark):
    spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION hf(x INT) RETURNS INT RETURN x")
    spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION hg(x INT) RETURNS INT RETURN hf(x)")
    try:
        spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION hf(x INT) RETURNS INT RETURN hg(x)")
    except PySparkException:
        pass
    assert ends(spark, "SELECT hf(1)") is not None


def test_any_bytes(spark):
    seeds = ["SELECT a FROM t WHERE x = 'y'", "CREATE TABLE t (a INT) USING delta", "ALTER TABLE t ADD COLUMN a INT", "MERGE INTO t USING u ON x WHEN"]
    for seed in seeds:
        for at in range(0, len(seed), 3):
            for part in ("'", "`", "(", "/*", "\\", "\u0000", "\U0001f600", ";"):
                try:
                    spark.sql(seed[:at] + part + seed[at:]).schema
                except PySparkException:
                    pass
    assert spark.sql("SELECT 1").collect()[0][0] == 1


HLL = "0201070C030005 08CBD7C2042BF2FB06862FF90D7581660781BC5D06000000000000000000000000".replace(" ", "")


@pytest.mark.parametrize("count", ["09", "20", "7F"])
def test_a_sketch_that_says_more_than_it_holds_is_refused(spark, count):
    hostile = HLL[:12] + count + HLL[14:]
    for call in (f"hll_union(X'{hostile}', X'{HLL}')", f"hll_union(X'{HLL}', X'{hostile}')", f"hll_sketch_estimate(X'{hostile}')"):
        with pytest.raises(Exception, match="HLL_INVALID_INPUT_SKETCH_BUFFER"):
            spark.sql(f"select {call}").collect()
    assert spark.sql(f"select hll_sketch_estimate(X'{HLL}')").first()[0] == 5
