"""Error classes: the Python type, condition, SQLSTATE and parameters that programs match on."""

from harness import Area, one

area = Area("errors")


def frame(c):
    return c.spark.createDataFrame([(1, "x")], "id int, name string")


area.cols(frame, {
    "unknown_column": lambda F: F.col("nmae"),
    "unknown_column_far": lambda F: F.col("zzzzzz"),
    "unknown_nested": lambda F: F.col("id.x"),
    "unknown_qualified": lambda F: F.col("t.id"),
    "string_plus_array": lambda F: F.lit("a") + F.array(F.lit(1)),
    "filter_in_select": lambda F: F.col("id").getField("x"),
    "udf_not_found": lambda F: F.call_function("no_such_function", F.col("id")),
    "wrong_argument_count": lambda F: F.expr("upper()"),
    "wrong_argument_count_two": lambda F: F.expr("length('a', 'b')"),
    "wrong_argument_type": lambda F: F.expr("sum(array(1))"),
    "not_boolean": lambda F: F.expr("not id"),
    "and_needs_boolean": lambda F: F.expr("id and true"),
    "case_types_differ": lambda F: F.expr("case when true then 1 else array(1) end"),
    "lit_equals": lambda F: F.lit("a") == F.lit(1),
    "in_types_differ": lambda F: F.expr("id in (array(1))"),
    "unknown_function_text": lambda F: F.expr("uper(name)"),
    "syntax_error": lambda F: F.expr("id +"),
    "syntax_error_quote": lambda F: F.expr("'open"),
    "syntax_error_paren": lambda F: F.expr("(id"),
    "syntax_empty": lambda F: F.expr(""),
    "unknown_type": lambda F: F.col("id").cast("nope"),
    "window_without_order": lambda F: F.row_number().over(__import__("pyspark").sql.Window.partitionBy("id")),
    "aggregate_in_where_column": lambda F: F.sum("id") + F.col("id"),
    "divide_by_zero_column": lambda F: F.col("id") / 0,
    "raise_error": lambda F: F.raise_error(F.lit("boom")),
    "assert_true": lambda F: F.assert_true(F.col("id") > 5),
    "star_in_function": lambda F: F.expr("upper(*)"),
})


@area.case()
def filter_not_boolean(c):
    return frame(c).filter("id + 1")


@area.case()
def filter_aggregate(c):
    return frame(c).filter(c.F.sum("id") > 0)


@area.case()
def sort_unknown(c):
    return frame(c).sort("nope")


@area.case()
def group_unknown(c):
    return frame(c).groupBy("nope").count()


@area.case()
def unknown_in_expr(c):
    return frame(c).selectExpr("id + nope")


@area.case()
def ambiguous_name(c):
    return frame(c).join(frame(c).withColumnRenamed("id", "x"), c.F.lit(True)).select("name")


@area.case()
def duplicate_with_columns(c):
    return c.spark.range(1).select("id", "id").select("id")


@area.case()
def limit_negative(c):
    return frame(c).limit(-1)


@area.case()
def format_unknown(c):
    return c.spark.read.format("nosuchformat").load(c.path("x"))


@area.case()
def write_format_unknown(c):
    return frame(c).write.format("nosuchformat").save(c.path("x"))


@area.case()
def conf_unknown(c):
    return c.spark.conf.get("no.such.key")


@area.case()
def conf_default(c):
    return c.spark.conf.get("no.such.key", "d")


@area.case()
def conf_static(c):
    return c.spark.conf.set("spark.sql.warehouse.dir", "/x")


@area.case()
def conf_round_trip(c):
    c.spark.conf.set("my.key", "v")
    value = c.spark.conf.get("my.key")
    c.spark.conf.unset("my.key")
    return [value, c.spark.conf.get("my.key", "gone")]


@area.case()
def conf_values(c):
    keys = ("spark.sql.ansi.enabled", "spark.sql.caseSensitive", "spark.sql.sources.default",
            "spark.sql.timestampType", "spark.sql.storeAssignmentPolicy")
    return [c.spark.conf.get(k) for k in keys]


@area.case()
def conf_modifiable(c):
    return [c.spark.conf.isModifiable(k) for k in
            ("spark.sql.ansi.enabled", "spark.sql.warehouse.dir", "no.such.key")]


@area.case()
def case_insensitive_resolution(c):
    return frame(c).select("ID", c.F.col("Name"))


@area.case(conf={"spark.sql.caseSensitive": "true"})
def case_sensitive_resolution(c):
    return frame(c).select("ID")


@area.case()
def long_message(c):
    return one(c).select(c.F.raise_error(c.F.lit("x" * 50000))).collect()


@area.case()
def missing_attribute(c):
    return type(frame(c).nope).__name__


@area.case()
def error_keeps_session_usable(c):
    try:
        frame(c).select("nope").collect()
    except Exception:
        pass
    return frame(c)
