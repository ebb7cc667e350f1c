"""Window functions, named windows and QUALIFY in SQL."""

from cases._sql import queries
from harness import Area

area = Area("sql_window")

queries(
    area,
    {
        "row_number": "SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM t",
        "rank": "SELECT name, rank() OVER (ORDER BY salary) AS r, dense_rank() OVER (ORDER BY salary) AS d FROM emp",
        "sum": "SELECT k, v, sum(v) OVER (PARTITION BY k) FROM t",
        "running": "SELECT v, sum(v) OVER (ORDER BY v) FROM t",
        "rows": "SELECT v, sum(v) OVER (ORDER BY v ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
        "rows_short": "SELECT v, sum(v) OVER (ORDER BY v ROWS 1 PRECEDING) FROM t",
        "range": "SELECT v, count(*) OVER (ORDER BY v RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t",
        "unbounded": "SELECT v, sum(v) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t",
        "empty": "SELECT v, count(*) OVER () FROM t",
        "lag_lead": "SELECT v, lag(v) OVER (ORDER BY v), lead(v, 1, -1) OVER (ORDER BY v) FROM t",
        "first_last": "SELECT k, v, first(v) OVER (PARTITION BY k ORDER BY v), last(v) OVER (PARTITION BY k ORDER BY v) FROM t",
        "ntile": "SELECT v, ntile(2) OVER (ORDER BY v) FROM t",
        "named": "SELECT k, v, sum(v) OVER w FROM t WINDOW w AS (PARTITION BY k)",
        "named_two": "SELECT v, sum(v) OVER w, row_number() OVER x AS r FROM t WINDOW w AS (PARTITION BY k), x AS (ORDER BY v)",
        "named_parentheses": "SELECT v, sum(v) OVER (w) FROM t WINDOW w AS (PARTITION BY k)",
        "named_reference": "SELECT v, sum(v) OVER x AS s FROM t WINDOW w AS (PARTITION BY k), x AS w",
        "named_missing": "SELECT sum(v) OVER nosuch FROM t",
        "named_twice": "SELECT sum(v) OVER w FROM t WINDOW w AS (), w AS (PARTITION BY k)",
        "over_expression": "SELECT v, sum(v + 1) OVER (PARTITION BY k || 'x') + 1 FROM t",
        "over_group": "SELECT k, sum(v) AS s, rank() OVER (ORDER BY sum(v)) AS r FROM t GROUP BY k",
        "over_group_partition": "SELECT k, count(*), max(count(*)) OVER () FROM t GROUP BY k",
        "no_order": "SELECT row_number() OVER () FROM t",
        "nested": "SELECT sum(row_number() OVER (ORDER BY v)) OVER () FROM t",
        "in_subquery": "SELECT k, v FROM (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM t) WHERE r = 1",
        "not_window": "SELECT upper(k) OVER () FROM t",
        "ignore_nulls": "SELECT v, first_value(v) IGNORE NULLS OVER (ORDER BY d) FROM t",
        "qualify": "SELECT k, v FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY v) = 1",
        "qualify_alias": "SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM t QUALIFY r = 1",
        "filter": "SELECT k, count(*) FILTER (WHERE v > 1) OVER (PARTITION BY k) AS n FROM t",
        "distinct": "SELECT count(DISTINCT v) OVER (PARTITION BY k) FROM t",
        "interval": "SELECT name, count(*) OVER (ORDER BY hired RANGE BETWEEN INTERVAL 1 YEAR PRECEDING AND CURRENT ROW) AS n FROM emp",
        "month_beside_days": "SELECT name, count(*) OVER (ORDER BY hired RANGE BETWEEN INTERVAL '30' DAY PRECEDING AND CURRENT ROW) AS a, count(*) OVER (ORDER BY hired RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW) AS b FROM VALUES ('x', DATE'2024-01-01'), ('y', DATE'2024-02-01'), ('z', DATE'2024-03-01'), ('n', NULL) AS t(name, hired)",
        "month_beside_days_later": "SELECT name, count(*) OVER (ORDER BY hired DESC RANGE BETWEEN CURRENT ROW AND INTERVAL '2' MONTH FOLLOWING) AS a, count(*) OVER (ORDER BY hired DESC RANGE BETWEEN CURRENT ROW AND INTERVAL '60' DAY FOLLOWING) AS b FROM VALUES ('x', TIMESTAMP'2024-01-01 00:00:00'), ('y', TIMESTAMP'2024-03-01 00:00:00'), ('z', TIMESTAMP'2024-03-31 00:00:00'), ('n', NULL), ('m', NULL) AS t(name, hired)",
        "year_beside_days": "SELECT name, sum(1) OVER (ORDER BY hired RANGE BETWEEN INTERVAL '360' DAY PRECEDING AND INTERVAL '30' DAY FOLLOWING) AS a, sum(1) OVER (ORDER BY hired RANGE BETWEEN INTERVAL '1-0' YEAR TO MONTH PRECEDING AND INTERVAL '0-1' YEAR TO MONTH FOLLOWING) AS b FROM VALUES ('x', TIMESTAMP_NTZ'2023-01-01 00:00:00'), ('y', TIMESTAMP_NTZ'2023-12-29 00:00:00'), ('z', TIMESTAMP_NTZ'2024-01-28 12:00:00') AS t(name, hired)",
        "percent": "SELECT v, percent_rank() OVER (ORDER BY v), cume_dist() OVER (ORDER BY v) FROM t",
        "order_desc_nulls": "SELECT v, row_number() OVER (ORDER BY v DESC NULLS LAST) AS r FROM t",
    },
)
