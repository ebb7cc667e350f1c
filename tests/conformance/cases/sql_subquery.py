"""Subqueries in expressions."""

from cases._sql import queries
from harness import Area

area = Area("sql_subquery")

queries(
    area,
    {
        "scalar": "SELECT (SELECT max(v) FROM t)",
        "scalar_named": "SELECT v, (SELECT max(w) FROM u) AS m FROM t",
        "scalar_in_expression": "SELECT v - (SELECT avg(v) FROM t) FROM t",
        "scalar_where": "SELECT v FROM t WHERE v > (SELECT avg(v) FROM t)",
        "scalar_empty": "SELECT (SELECT v FROM t WHERE false)",
        "scalar_many": "SELECT (SELECT v FROM t)",
        "scalar_columns": "SELECT (SELECT k, v FROM t)",
        "scalar_correlated": "SELECT d.name, (SELECT max(salary) FROM emp e WHERE e.dept = d.id) FROM dept d",
        "scalar_correlated_count": "SELECT d.name, (SELECT count(*) FROM emp e WHERE e.dept = d.id) AS n FROM dept d",
        "scalar_correlated_where": "SELECT name FROM emp e WHERE salary = (SELECT max(salary) FROM emp x WHERE x.dept = e.dept)",
        "scalar_correlated_many": "SELECT d.name, (SELECT e.name FROM emp e WHERE e.dept = d.id) FROM dept d",
        "scalar_correlated_limit": "SELECT d.name, (SELECT e.name FROM emp e WHERE e.dept = d.id ORDER BY e.id LIMIT 1) AS n FROM dept d",
        "scalar_no_from": "SELECT v, (SELECT v + 1) FROM t",
        "scalar_group": "SELECT k, sum(v), (SELECT max(w) FROM u) FROM t GROUP BY k",
        "scalar_having": "SELECT k, sum(v) FROM t GROUP BY k HAVING sum(v) > (SELECT min(v) FROM t)",
        "scalar_order": "SELECT v FROM t ORDER BY (SELECT max(w) FROM u), v",
        "scalar_group_correlated": "SELECT k, (SELECT count(*) FROM u WHERE u.k = t.k) AS n FROM t GROUP BY k",
        "in": "SELECT k, v FROM t WHERE k IN (SELECT k FROM u)",
        "in_nulls": "SELECT v FROM t WHERE v IN (SELECT w FROM u)",
        "not_in": "SELECT k FROM t WHERE k NOT IN (SELECT k FROM u WHERE k IS NOT NULL)",
        "not_in_nulls": "SELECT k FROM t WHERE k NOT IN (SELECT k FROM u)",
        "not_in_empty": "SELECT k FROM t WHERE k NOT IN (SELECT k FROM u WHERE false)",
        "in_select": "SELECT k, k IN (SELECT k FROM u) FROM t",
        "in_correlated": "SELECT e.name FROM emp e WHERE e.dept IN (SELECT d.id FROM dept d WHERE d.name > e.name)",
        "in_row": "SELECT k, v FROM t WHERE (k, v) IN (SELECT k, w - 9 FROM u)",
        "in_row_width": "SELECT k FROM t WHERE (k, v) IN (SELECT k FROM u)",
        "not_in_row": "SELECT k, v FROM t WHERE (k, v) NOT IN (SELECT k, w - 9 FROM u)",
        "not_in_select": "SELECT k, k NOT IN (SELECT k FROM u), v NOT IN (SELECT w FROM u) FROM t",
        "in_row_select": "SELECT k, (k, v) IN (SELECT k, w - 9 FROM u) FROM t",
        "in_case_not": "SELECT k, CASE WHEN k NOT IN (SELECT k FROM u WHERE k IS NOT NULL) THEN 1 ELSE 2 END AS c FROM t",
        "in_is_null": "SELECT k, (k IN (SELECT k FROM u)) IS NULL FROM t",
        "in_types": "SELECT v FROM t WHERE v IN (SELECT 1.0)",
        "in_types_bad": "SELECT v FROM t WHERE v IN (SELECT array(1))",
        "in_or": "SELECT k, v FROM t WHERE v = 5 OR k IN (SELECT k FROM u WHERE w > 15)",
        "exists": "SELECT name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept = d.id)",
        "not_exists": "SELECT name FROM dept d WHERE NOT EXISTS (SELECT * FROM emp e WHERE e.dept = d.id)",
        "exists_plain": "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w > 50)",
        "exists_select": "SELECT EXISTS (SELECT 1 FROM u WHERE false)",
        "exists_non_equal": "SELECT e.name FROM emp e WHERE EXISTS (SELECT 1 FROM emp x WHERE x.salary > e.salary)",
        "nested": "SELECT v FROM t WHERE v > (SELECT min(w) / 10 FROM u WHERE w > (SELECT min(w) FROM u))",
        "nested_correlated": "SELECT d.name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept = d.id AND e.salary > (SELECT avg(x.salary) FROM emp x WHERE x.dept = e.dept))",
        "correlated_two_levels": "SELECT d.name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE EXISTS (SELECT 1 FROM emp x WHERE x.dept = d.id AND x.boss = e.id))",
        "in_case": "SELECT CASE WHEN v IN (SELECT 1) THEN 'one' ELSE 'other' END FROM t",
        "in_join_condition": "SELECT count(*) FROM t JOIN u ON t.k = u.k AND t.v > (SELECT min(v) FROM t)",
        "cte_inside": "SELECT (WITH q AS (SELECT 3 AS x) SELECT x FROM q)",
        "cte_outside": "WITH q AS (SELECT max(v) AS m FROM t) SELECT k FROM t WHERE v = (SELECT m FROM q)",
        "missing": "SELECT (SELECT zz FROM u) FROM t",
        "outer_shadow": "SELECT (SELECT max(k) FROM u WHERE u.k = k) FROM t",
        "of_union": "SELECT v FROM t WHERE v IN (SELECT 1 UNION SELECT 2)",
        "limit": "SELECT v FROM t WHERE v = (SELECT v FROM t ORDER BY v DESC LIMIT 1)",
        "values": "SELECT v FROM t WHERE v IN (VALUES 1, 2)",
        "aggregate_argument": "SELECT sum(v + (SELECT 1)) FROM t",
        "in_aggregate_filter": "SELECT count(*) FILTER (WHERE v > (SELECT 1)) FROM t",
        "lateral_alias_correlated": "SELECT v AS a, (SELECT max(w) FROM u WHERE w > a) FROM t",
        "scalar_struct": "SELECT (SELECT named_struct('a', 1, 'b', 'x')).b",
        "grouped_outer": "SELECT k FROM t GROUP BY k HAVING EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
    },
)


@area.case()
def dataframe_scalar(c):
    from cases._sql import views

    s = views(c)
    return s.table("t").where(c.F.col("v") > s.table("t").select(c.F.avg("v")).scalar()).select("v")


@area.case()
def dataframe_exists(c):
    from cases._sql import views

    s = views(c)
    dept = s.table("dept").alias("d")
    emp = s.table("emp").alias("e")
    return dept.where(emp.where(c.F.col("e.dept") == c.F.col("d.id").outer()).exists()).select("name")


@area.case()
def dataframe_in(c):
    from cases._sql import views

    s = views(c)
    return s.table("t").where(c.F.col("k").isin(s.table("u").select("k"))).select("v")
