"""GROUPING SETS, ROLLUP, CUBE, PIVOT, UNPIVOT, LATERAL VIEW, table functions, TABLESAMPLE, recursion, pipes."""

from cases._sql import queries, views
from harness import Area
from pyspark.sql import functions as F

area = Area("sql_group")

queries(
    area,
    {
        "rollup": "SELECT k, v, count(*) FROM t GROUP BY ROLLUP (k, v)",
        "rollup_with": "SELECT k, v, count(*) FROM t GROUP BY k, v WITH ROLLUP",
        "cube": "SELECT k, v > 1 AS b, sum(v) FROM t GROUP BY CUBE (k, v > 1)",
        "cube_with": "SELECT k, sum(v) FROM t GROUP BY k WITH CUBE",
        "sets": "SELECT k, v, count(*) FROM t GROUP BY GROUPING SETS ((k, v), (k), ())",
        "sets_prefix": "SELECT k, v, count(*) FROM t GROUP BY k, v GROUPING SETS ((k), (v))",
        "mixed": "SELECT k, v, count(*) FROM t GROUP BY k, ROLLUP (v)",
        "grouping": "SELECT k, grouping(k), grouping_id(), count(*) FROM t GROUP BY ROLLUP (k)",
        "grouping_outside": "SELECT grouping(k) FROM t GROUP BY k",
        "rollup_having": "SELECT k, sum(v) AS s FROM t GROUP BY ROLLUP (k) HAVING sum(v) > 4",
        "pivot": "SELECT * FROM (SELECT k, v FROM t) PIVOT (sum(v) FOR k IN ('a', 'b'))",
        "pivot_alias": "SELECT * FROM (SELECT k, v, d FROM t) PIVOT (sum(v) AS s, max(d) AS m FOR k IN ('a' AS x, 'b' AS y))",
        "pivot_group": "SELECT * FROM (SELECT dept, name, salary FROM emp) PIVOT (sum(salary) FOR dept IN (10, 20))",
        "unpivot": "SELECT * FROM (SELECT id, dept, boss FROM emp) UNPIVOT (val FOR col IN (dept, boss))",
        "unpivot_nulls": "SELECT * FROM (SELECT id, dept, boss FROM emp) UNPIVOT INCLUDE NULLS (val FOR col IN (dept AS d, boss AS b))",
        "lateral_view": "SELECT id, c FROM nest LATERAL VIEW explode(xs) x AS c",
        "lateral_view_outer": "SELECT id, c FROM nest LATERAL VIEW OUTER explode(xs) x AS c",
        "lateral_view_map": "SELECT id, a, b FROM nest LATERAL VIEW explode(m) x AS a, b",
        "lateral_view_pos": "SELECT id, p, c FROM nest LATERAL VIEW posexplode(xs) x AS p, c",
        "lateral_view_no_names": "SELECT id, col FROM nest LATERAL VIEW explode(xs) x",
        "lateral_view_qualified": "SELECT x.c, nest.id FROM nest LATERAL VIEW explode(xs) x AS c",
        "lateral_view_two": "SELECT id, a, b FROM nest LATERAL VIEW explode(xs) x AS a LATERAL VIEW explode(array(a, 9)) y AS b",
        "lateral_view_star": "SELECT * FROM (SELECT id, xs FROM nest) LATERAL VIEW explode(xs) x AS c",
        "lateral_view_missing": "SELECT * FROM nest LATERAL VIEW explode(zz) x AS c",
        "lateral_view_where": "SELECT id, c FROM nest LATERAL VIEW explode(xs) x AS c WHERE c > 1",
        "explode_select": "SELECT id, explode(xs) FROM nest",
        "explode_alias": "SELECT id, explode(m) AS (a, b) FROM nest",
        "range": "SELECT * FROM range(3)",
        "range_two": "SELECT * FROM range(1, 4)",
        "range_step": "SELECT id * 2 FROM range(0, 10, 3)",
        "range_parts": "SELECT count(*) FROM range(0, 10, 1, 2)",
        "range_alias": "SELECT r.x FROM range(2) AS r(x)",
        "range_bad": "SELECT * FROM range('a')",
        "range_none": "SELECT * FROM range()",
        "tvf_explode": "SELECT * FROM explode(array(1, 2))",
        "tvf_explode_alias": "SELECT * FROM explode(map('a', 1)) AS x(k, v)",
        "tvf_inline": "SELECT * FROM inline(array(struct(1, 'a'), struct(2, 'b')))",
        "tvf_posexplode": "SELECT * FROM posexplode(array('x', 'y'))",
        "tvf_stack": "SELECT * FROM stack(2, 1, 'a', 2, 'b')",
        "tvf_missing": "SELECT * FROM nosuch(1)",
        "tvf_not_table": "SELECT * FROM upper('a')",
        "sample_all": "SELECT count(*) FROM t TABLESAMPLE (100 PERCENT)",
        "sample_rows": "SELECT count(*) FROM t TABLESAMPLE (2 ROWS)",
        "sample_none": "SELECT count(*) FROM t TABLESAMPLE (0 PERCENT)",
        "sample_bucket": "SELECT count(*) FROM t TABLESAMPLE (BUCKET 1 OUT OF 1)",
        "sample_range": "SELECT * FROM t TABLESAMPLE (200 PERCENT)",
        "recursive": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
        "recursive_tree": "WITH RECURSIVE b(id, level) AS (SELECT id, 0 FROM emp WHERE boss IS NULL UNION ALL SELECT e.id, b.level + 1 FROM emp e JOIN b ON e.boss = b.id) SELECT * FROM b",
        "identifier_table": "SELECT count(*) FROM IDENTIFIER('t')",
        "identifier_column": "SELECT IDENTIFIER('k') FROM t",
        "identifier_function": "SELECT IDENTIFIER('upper')('a')",
        "pipe_where": "FROM t |> WHERE v > 1 |> SELECT k, v",
        "pipe_aggregate": "FROM t |> AGGREGATE sum(v) AS s GROUP BY k",
        "pipe_aggregate_all": "FROM t |> AGGREGATE count(*) AS n",
        "pipe_extend": "FROM t |> EXTEND v + 1 AS w |> SELECT w",
        "pipe_set": "FROM t |> SET v = v * 2",
        "pipe_drop": "FROM t |> DROP d, v",
        "pipe_as": "FROM t |> AS x |> SELECT x.k",
        "pipe_join": "FROM t |> JOIN u USING (k) |> SELECT k, v, w",
        "pipe_union": "FROM t |> SELECT k |> UNION ALL SELECT k FROM u",
        "pipe_limit": "FROM t |> ORDER BY v DESC |> LIMIT 1",
        "pipe_select_aggregate": "FROM t |> SELECT sum(v)",
        "pipe_table": "TABLE t |> WHERE k = 'a'",
        "pipe_select_first": "SELECT 1 AS a |> EXTEND 2 AS b",
    },
)

# --- what HAVING leaves, in an order that the list does not say
HAVING = {
    "aggregate": "SELECT dept, count(*) AS c FROM emp GROUP BY dept HAVING count(*) > 0 ORDER BY sum(salary) DESC, dept",
    "alias": "SELECT dept, sum(salary) AS s FROM emp GROUP BY dept HAVING s > 5 ORDER BY avg(id) + max(id), dept",
    "no_keys": "SELECT count(*) FROM emp HAVING count(*) > 0 ORDER BY max(id)",
    "join": "SELECT a.dept, count(*) FROM emp a JOIN emp b ON a.id = b.boss GROUP BY a.dept HAVING count(*) > 0 ORDER BY max(b.id) DESC, a.dept",
    "grouping": "SELECT dept, grouping(dept) FROM emp GROUP BY ROLLUP(dept) HAVING grouping(dept) = 0 ORDER BY grouping(dept), max(id)",
    "grouping_id": "SELECT dept, boss, count(*) FROM emp GROUP BY dept, boss WITH ROLLUP HAVING count(*) > 0 ORDER BY grouping_id(), dept, boss",
    "key_and_aggregate": "SELECT k FROM t GROUP BY k HAVING k IS NOT NULL ORDER BY lower(k) DESC, count(*)",
    "key_alone": "SELECT count(*) AS n FROM t GROUP BY k HAVING count(*) > 0 ORDER BY k",
    "more_than_selected": "SELECT k FROM t GROUP BY k HAVING sum(v) > 1 ORDER BY max(k)",
    "more_than_selected_several": "SELECT k FROM t GROUP BY k HAVING sum(v) > 1 ORDER BY max(k) + min(v), count(*)",
    "more_than_selected_same": "SELECT k FROM t GROUP BY k HAVING sum(v) > 1 ORDER BY sum(v)",
    "expression_of_selected": "SELECT k, sum(v) + 1 AS w FROM t GROUP BY k HAVING sum(v) + 1 > 2 ORDER BY max(d), k",
    "part_of_selected": "SELECT k, sum(v) + 1 AS w FROM t GROUP BY k HAVING sum(v) > 2 ORDER BY max(d), k",
    "window": "SELECT k, sum(v) AS s, rank() OVER (ORDER BY sum(v)) AS r FROM t GROUP BY k HAVING sum(v) > 0 ORDER BY max(d)",
    "unknown": "SELECT k, count(*) AS n FROM t GROUP BY k HAVING count(*) > 0 ORDER BY max(zz)",
    "not_grouped": "SELECT k, count(*) AS n FROM t GROUP BY k HAVING count(*) > 0 ORDER BY v",
}
queries(area, {"having_order_" + name: text for name, text in HAVING.items()}, ordered=True)


@area.case(ordered=True)
def having_order_of_a_frame(c):
    frame = views(c).table("t").groupBy("k").agg(F.count("*").alias("n")).where("n > 0")
    return frame.orderBy(F.max("d"))

# --- HAVING of names that the list and the input have
queries(area, {f"having_both {text}": text for text in [
    "SELECT x AS y, x || 'z' AS x FROM (SELECT 'q' x) GROUP BY x HAVING x = 'q'", "SELECT a + 1 AS a, count(*) FROM VALUES (1),(2) t(a) GROUP BY a HAVING a = 2", "SELECT a AS b, sum(b) AS a FROM VALUES (1,20),(2,10) t(a,b) GROUP BY t.a HAVING a > 1 ORDER BY b",
    "SELECT b, max(a) AS a FROM VALUES (1,1),(2,1),(3,2) t(a,b) GROUP BY b HAVING max(a) > 2 AND a > 2 ORDER BY a", "SELECT b, max(a) AS a FROM VALUES (1,1),(2,1),(3,2) t(a,b) GROUP BY b HAVING a > 2", "SELECT a + 1 AS b, count(*) AS a FROM VALUES (1,1),(2,1),(2,2) t(a,b) GROUP BY a + 1 HAVING a + 1 = 3",
    "SELECT a + 1 AS b, count(*) AS a FROM VALUES (1,1),(2,1),(2,2) t(a,b) GROUP BY a + 1 HAVING a = 2", "SELECT sum(a) AS a FROM VALUES (1),(2) t(a) HAVING a > 2", "SELECT sum(a) AS a FROM VALUES (1),(2) t(a) HAVING sum(a) > 2", "SELECT sum(a) AS b FROM VALUES (1),(2) t(a) HAVING sum(b) > 2",
    "SELECT max(a) AS a, min(a) AS a FROM VALUES (1),(2) t(a) HAVING a > 1", "SELECT b AS a, max(a) AS a FROM VALUES (1,1),(2,1),(3,2) t(a,b) GROUP BY a, b HAVING a > 1", "SELECT b, count(*) AS a FROM VALUES (1,1),(2,1),(3,2) t(a,b) GROUP BY b, a WITH ROLLUP HAVING a = 2",
    "SELECT b, max(a) AS a FROM VALUES (1,1),(2,1),(3,2) t(a,b) GROUP BY b HAVING t.a > 2", "SELECT b, max(a) AS a FROM VALUES (1,1),(2,1),(3,2) t(a,b) GROUP BY b HAVING a > (SELECT min(x) FROM VALUES (2), (9) u(x)) AND b = 2", "SELECT lower(b) AS b, count(*) FROM VALUES ('A'), ('a') t(b) GROUP BY lower(b) HAVING b = 'a'",
    "SELECT lower(b) AS b, count(*) FROM VALUES ('A'), ('a') t(b) GROUP BY b HAVING b = 'a'", "SELECT lower(b) AS b, count(*) FROM VALUES ('A'), ('a') t(b) GROUP BY lower(b) HAVING lower(b) = 'a' AND count(b) > 1", "SELECT a AS x, max(b) AS b FROM VALUES (1,20),(2,10) t(a,b) GROUP BY 1 HAVING x > 1 AND b < 15"]})
