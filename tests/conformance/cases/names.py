"""Names of unaliased columns: programs address them as col("count(1)")."""

from harness import Area, one

area = Area("names")


def two(c):
    return c.spark.range(2).select(
        c.F.col("id"), c.F.lit("a").alias("s"), c.F.struct(c.F.lit(1).alias("k")).alias("st")
    )


area.cols(two, {
    "plus": lambda F: F.col("id") + 1,
    "minus_times": lambda F: (F.col("id") - 1) * 2,
    "divide": lambda F: F.col("id") / 2,
    "modulo": lambda F: F.col("id") % 2,
    "unary_minus": lambda F: -F.col("id"),
    "reverse_plus": lambda F: 1 + F.col("id"),
    "equals": lambda F: F.col("id") == 1,
    "not_equals": lambda F: F.col("id") != 1,
    "null_safe_equals": lambda F: F.col("id").eqNullSafe(1),
    "comparisons": lambda F: [F.col("id") > 1, F.col("id") >= 1, F.col("id") < 1, F.col("id") <= 1],
    "and_or": lambda F: (F.col("id") > 0) & (F.col("id") < 5) | (F.col("s") == "a"),
    "not": lambda F: ~(F.col("id") > 1),
    "is_null": lambda F: [F.col("id").isNull(), F.col("id").isNotNull()],
    "is_in": lambda F: F.col("id").isin(1, 2),
    "between": lambda F: F.col("id").between(0, 1),
    "cast_of_attribute": lambda F: F.col("id").cast("int"),
    "cast_of_expression": lambda F: (F.col("id") + 1).cast("string"),
    "try_cast": lambda F: F.col("s").try_cast("int"),
    "alias": lambda F: F.col("id").alias("other name"),
    "literal_int": lambda F: F.lit(1),
    "literal_string": lambda F: F.lit("a"),
    "literal_double": lambda F: F.lit(1.5),
    "literal_null": lambda F: F.lit(None),
    "literal_bool": lambda F: F.lit(True),
    "struct_field_dot": lambda F: F.col("st.k"),
    "struct_field_getitem": lambda F: F.col("st")["k"],
    "struct_field_getfield": lambda F: F.col("st").getField("k"),
    "array_item": lambda F: F.array(F.lit(1))[0],
    "as_written": lambda F: F.col("ID"),
    "concat": lambda F: F.concat(F.col("s"), F.lit("b")),
    "upper_lower": lambda F: [F.upper("s"), F.lower("s")],
    "length": lambda F: F.length("s"),
    "substring": lambda F: F.substring("s", 1, 2),
    "coalesce": lambda F: F.coalesce(F.col("s"), F.lit("z")),
    "when": lambda F: F.when(F.col("id") > 0, "x").otherwise("y"),
    "when_without_else": lambda F: F.when(F.col("id") > 0, "x"),
    "round": lambda F: [F.round(F.lit(2.5)), F.round(F.lit(2.55), 1)],
    "ceil_floor_sqrt": lambda F: [F.ceil(F.lit(1.2)), F.floor(F.lit(1.2)), F.sqrt(F.lit(4.0))],
    "to_date": lambda F: F.to_date(F.lit("2024-01-01")),
    "to_timestamp": lambda F: F.to_timestamp(F.lit("2024-01-01 00:00:00")),
    "date_format": lambda F: F.date_format(F.lit("2024-01-01").cast("date"), "yyyy"),
    "struct_of": lambda F: F.struct("id", "s"),
    "array_of": lambda F: F.array("id", F.lit(2)),
    "like": lambda F: [F.col("s").like("a%"), F.col("s").rlike("a.*")],
    "contains_family": lambda F: [F.col("s").contains("a"), F.col("s").startswith("a"),
                                  F.col("s").endswith("a")],
    "split": lambda F: F.split("s", ","),
    "bitwise": lambda F: [F.col("id").bitwiseAND(1), F.col("id").bitwiseOR(1),
                          F.col("id").bitwiseXOR(1)],
})
area.exprs(two, {
    "sql_plus": "id + 1",
    "sql_cast": "CAST(id AS STRING)",
    "sql_cast_attribute": "cast(id as int)",
    "sql_field": "st.k",
    "sql_case": "CASE WHEN id > 0 THEN 'x' ELSE 'y' END",
    "sql_function_case": "UPPER(s)",
    "sql_alias": "id AS Renamed",
    "sql_literal_decimal": "1.50",
    "sql_literal_double": "1e1",
    "sql_literal_bigint": "3000000000",
    "sql_date": "DATE '2024-01-01'",
    "sql_in": "id IN (1, 2, 3)",
    "sql_not_in": "id NOT IN (1)",
    "sql_between": "id BETWEEN 1 AND 2",
    "sql_is_null": "s IS NULL",
    "sql_concat_pipe": "s || 'b'",
    "sql_negative": "-id",
    "sql_if": "if(id > 0, 1, 2)",
    "sql_backtick": "`id`",
})


@area.case()
def aggregates(c):
    F = c.F
    return two(c).groupBy().agg(
        F.count("*"), F.count(F.lit(1)), F.count("id"), F.sum("id"), F.avg("id"), F.min("s"),
        F.max("s"), F.countDistinct("id"), F.sum_distinct("id"), F.first("s"), F.last("s"),
        F.collect_list("id"), F.max(F.col("id") + 1),
    )


@area.case()
def group_count(c):
    return two(c).groupBy("s").count()


@area.case()
def group_shorthand(c):
    return two(c).groupBy("s").agg({"id": "sum"})


@area.case()
def group_sum_shorthand(c):
    return two(c).groupBy("s").sum("id")


@area.case()
def group_by_expression(c):
    return two(c).groupBy(c.F.col("id") % 2, c.F.upper("s")).count()


@area.case()
def address_by_generated_name(c):
    return two(c).groupBy("s").agg(c.F.count("*")).select(c.F.col("count(1)") + 1)


@area.case()
def select_star(c):
    return two(c).select("*", (c.F.col("id") + 1).alias("n"))


@area.case()
def explode_names(c):
    F = c.F
    return one(c).select(F.explode(F.array(F.lit(1), F.lit(2))))


@area.case()
def posexplode_names(c):
    F = c.F
    return one(c).select(F.posexplode(F.array(F.lit("a"), F.lit("b"))))


@area.case()
def explode_map_names(c):
    F = c.F
    return one(c).select(F.explode(F.create_map(F.lit("k"), F.lit(1))))


@area.case()
def window_name(c):
    F = c.F
    return one(c).select(F.window(F.lit("2024-01-01 00:07:00").cast("timestamp"), "10 minutes"))
