"""What analysis and execution say of the place in the SQL text: line, position, fragment."""

from cases._sql import messages, views
from harness import Area

area = Area("sql_errors")

TEXTS = {
    "column": "SELECT zz FROM t",
    "column_second": "SELECT k, zz FROM t",
    "column_line": "SELECT k,\n  zz\nFROM t",
    "column_qualified": "SELECT t.zz FROM t",
    "column_qualifier": "SELECT x.k FROM t",
    "column_where": "SELECT k FROM t WHERE zz > 1",
    "column_order": "SELECT k FROM t ORDER BY zz",
    "column_group": "SELECT count(*) FROM t GROUP BY zz",
    "column_having": "SELECT k FROM t GROUP BY k HAVING zz > 1",
    "column_on": "SELECT 1 FROM t JOIN u ON t.zz = u.k",
    "column_inside": "SELECT upper(concat(k, zz)) FROM t",
    "column_subquery": "SELECT k FROM t WHERE v IN (SELECT zz FROM u)",
    "column_case": "SELECT CASE WHEN zz THEN 1 END FROM t",
    "column_window": "SELECT sum(v) OVER (PARTITION BY zz) FROM t",
    "column_union": "SELECT k FROM t UNION SELECT zz FROM u",
    "column_with": "WITH q AS (SELECT zz FROM t) SELECT * FROM q",
    "column_unicode": "SELECT 'ä', zz FROM t",
    "column_lambda": "SELECT transform(xs, x -> zz + x) FROM nest",
    "ambiguous": "SELECT k FROM t JOIN u ON t.k = u.k",
    "field": "SELECT s.zz FROM nest",
    "field_of_int": "SELECT id.zz FROM nest",
    "star": "SELECT x.* FROM t",
    "star_where": "SELECT k FROM t WHERE *",
    "function": "SELECT nosuch(k) FROM t",
    "function_args": "SELECT upper() FROM t",
    "function_args_many": "SELECT upper(k, v) FROM t",
    "function_type": "SELECT upper(array(1))",
    "plus_type": "SELECT 1 + array(1)",
    "plus_inside": "SELECT 2 * (1 + array(1))",
    "compare": "SELECT 1 FROM t WHERE k = array(1)",
    "and": "SELECT 1 FROM t WHERE k AND v",
    "not": "SELECT NOT v FROM t",
    "minus": "SELECT -k, -array(1) FROM t",
    "case": "SELECT CASE WHEN v > 1 THEN 1 ELSE array(1) END FROM t",
    "case_condition": "SELECT CASE WHEN v THEN 1 END FROM t",
    "in": "SELECT v IN (1, array(1)) FROM t",
    "between": "SELECT v BETWEEN 1 AND array(1) FROM t",
    "like": "SELECT v LIKE array(1) FROM t",
    "cast": "SELECT CAST(array(1) AS INT)",
    "cast_colons": "SELECT array(1)::INT",
    "subscript": "SELECT v[0] FROM t",
    "subscript_key": "SELECT m[1] FROM nest",
    "coalesce": "SELECT coalesce(1, array(1))",
    "if": "SELECT if(1, 2, 3)",
    "array": "SELECT array(1, map(1, 2))",
    "map_odd": "SELECT map(1)",
    "aggregate_where": "SELECT 1 FROM t WHERE sum(v) > 1",
    "filter_aggregate": "SELECT sum(v) FILTER (WHERE v > 1 + max(v)) FROM t",
    "filter_window": "SELECT sum(v) FILTER (WHERE v > 1 + max(v) OVER (ORDER BY k)) FROM t",
    "filter_random": "SELECT sum(v) FILTER (WHERE rand() > 0.5) FROM t",
    "filter_number": "SELECT sum(v) FILTER (WHERE v) FROM t",
    "filter_upper": "SELECT upper(k) FILTER (WHERE v > 1) FROM t",
    "group_none": "SELECT sum(v) FROM t GROUP BY ()",
    "aggregate_nested": "SELECT sum(max(v)) FROM t",
    "aggregate_missing": "SELECT k, v FROM t GROUP BY k",
    "aggregate_missing_no_group": "SELECT k, sum(v) FROM t",
    "aggregate_missing_expression": "SELECT v + 1 FROM t GROUP BY k",
    "aggregate_group": "SELECT 1 FROM t GROUP BY sum(v)",
    "group_place": "SELECT k FROM t GROUP BY 4",
    "order_place": "SELECT k FROM t ORDER BY 4",
    "window_no_over": "SELECT row_number() FROM t",
    "window_no_order": "SELECT row_number() OVER () FROM t",
    "window_where": "SELECT 1 FROM t WHERE row_number() OVER (ORDER BY v) = 1",
    "window_not": "SELECT upper(k) OVER () FROM t",
    "generator_nested": "SELECT explode(array(1)) + 1",
    "generator_two": "SELECT explode(array(1)), explode(array(2))",
    "generator_where": "SELECT 1 FROM t WHERE explode(array(1))",
    "table": "SELECT * FROM nosuch",
    "table_join": "SELECT * FROM t JOIN nosuch ON true",
    "table_database": "SELECT * FROM nodb.nosuch",
    "table_line": "SELECT *\nFROM t,\n  nosuch",
    "table_function": "SELECT * FROM nosuch(1)",
    "table_subquery": "SELECT * FROM (SELECT * FROM nosuch) AS x",
    "union_width": "SELECT 1, 2 UNION SELECT 1",
    "union_type": "SELECT 1 UNION SELECT array(1)",
    "where_type": "SELECT 1 FROM t WHERE v + 1",
    "join_type": "SELECT 1 FROM t JOIN u ON t.v + 1",
    "scalar_width": "SELECT (SELECT k, v FROM t)",
    "in_width": "SELECT 1 FROM t WHERE k IN (SELECT k, w FROM u)",
    "using": "SELECT 1 FROM t JOIN u USING (zz)",
    "alias_width": "SELECT * FROM (SELECT 1, 2) AS x(a)",
    "limit": "SELECT 1 LIMIT -1",
    "limit_type": "SELECT 1 LIMIT 'a'",
    "values_width": "VALUES (1, 2), (3)",
    "values_column": "SELECT * FROM VALUES (zz)",
    "explode_type": "SELECT explode(v) FROM t",
    "lateral_view": "SELECT 1 FROM t LATERAL VIEW explode(zz) x AS c",
    "pivot": "SELECT * FROM t PIVOT (v FOR k IN ('a'))",
    "divide": "SELECT 1 / 0",
    "divide_inside": "SELECT k,\n 2 + v / (v - v)\nFROM t",
    "modulo": "SELECT v % 0 FROM t",
    "overflow": "SELECT 2147483647 + 1",
    "overflow_long": "SELECT 9223372036854775807 * 2",
    "cast_text": "SELECT CAST('abc' AS INT)",
    "cast_text_colons": "SELECT 'abc'::DATE",
    "cast_overflow": "SELECT CAST(1000 AS TINYINT)",
    "cast_implicit": "SELECT 1 + 'x'",
    "cast_where": "SELECT * FROM t WHERE k = 1",
    "index": "SELECT array(1)[3]",
    "element": "SELECT element_at(array(1), 5)",
    "date": "SELECT to_date('x')",
    "long_line": "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' AS x, 1 / 0 AS y, 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' AS z",
    "scalar_rows": "SELECT (SELECT v FROM t)",
    "raise": "SELECT raise_error('no')",
    "assert": "SELECT assert_true(1 > 2)",
    "decimal": "SELECT CAST(12345 AS DECIMAL(3, 0))",
    "insert_missing": "INSERT INTO nosuch VALUES (1)",
    "describe_missing": "DESCRIBE nosuch",
    "not_grouped_order": "SELECT k FROM t GROUP BY k ORDER BY v",
    "nested_outer": "SELECT (SELECT zz FROM u WHERE u.k = t.k) FROM t",
    "with_recursive": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT zz FROM r) SELECT * FROM r",
}

messages(area, TEXTS)


def contexts(c, text):
    """The places that the error points at."""
    try:
        views(c).sql(text).collect()
    except Exception as error:  # noqa: BLE001: the error is the result
        return [
            [x.fragment(), x.startIndex(), x.stopIndex(), x.objectType(), x.objectName(), str(x.contextType()), x.summary()]
            for x in error.getQueryContext()
        ]
    return "no error"


for name in ("column", "column_line", "column_unicode", "function", "plus_inside", "compare", "table", "divide",
             "divide_inside", "cast_text", "overflow", "aggregate_missing", "between", "window_no_order", "long_line"):
    area._add("context_" + name, lambda c, text=TEXTS[name]: contexts(c, text))


def in_expression(c, build):
    try:
        build(views(c).table("t"), c.F).collect()
    except Exception as error:  # noqa: BLE001: the error is the result
        text = str(error).split("\n\nJVM stacktrace")[0].split(";\n'")[0]
        return type(error).__name__ + "\n" + text
    return "no error"


for name, build in {
    "expr": lambda t, F: t.select(F.expr("zz + 1")),
    "filter": lambda t, F: t.filter("v > zz"),
    "select_expr": lambda t, F: t.selectExpr("k", "upper(v, k)"),
    "expr_divide": lambda t, F: t.select(F.expr("1 / 0")),
    "where_cast": lambda t, F: t.where("k = 1"),
    "agg": lambda t, F: t.groupBy("k").agg(F.expr("sum(zz)")),
}.items():
    area._add("dataframe_" + name, lambda c, build=build: in_expression(c, build))
