"""createDataFrame and back: every type, schemas as text, values at the edges."""

from harness import Area, one

area = Area("types")


@area.case()
def all_types(c):
    from datetime import date, datetime, timedelta
    from decimal import Decimal as D

    row = (True, 127, -32768, 2147483647, -(2**63), 1.5, 2.5, D("123.450"), "text", b"\x00\xff",
           date(2024, 2, 29), datetime(2024, 2, 29, 1, 2, 3, 456789), datetime(2024, 2, 29, 1, 2, 3),
           timedelta(days=1, seconds=2, microseconds=3))
    schema = ("b boolean, ti tinyint, si smallint, i int, l bigint, f float, d double, dec decimal(10,3), s string,"
              " bin binary, dt date, ts timestamp, ntz timestamp_ntz, iv interval day to second")
    return c.spark.createDataFrame([row, (None,) * 14], schema)


@area.case()
def inferred(c):
    return c.spark.createDataFrame([(1, "a", 1.5, True, None), (2, "b", None, False, "x")], ["a", "b", "c", "d", "e"])


@area.case()
def inferred_dicts(c):
    return c.spark.createDataFrame([{"b": 1, "a": "x"}, {"a": "y", "b": 2}])


@area.case()
def inferred_nested(c):
    from pyspark.sql import Row

    return c.spark.createDataFrame([Row(id=1, tags=["a", "b"], attrs={"k": 1}, inner=Row(x=1.5))])


@area.case()
def names_only(c):
    return c.spark.createDataFrame([(1, 2)], ["x", "y"])


@area.case()
def single_type(c):
    return c.spark.createDataFrame([1, 2, 3], "int")


@area.case()
def from_pandas(c):
    import pandas

    return c.spark.createDataFrame(pandas.DataFrame({"a": [1, 2], "b": ["x", None], "c": [1.5, float("nan")]}))


@area.case()
def from_arrow(c):
    import pyarrow

    return c.spark.createDataFrame(pyarrow.table({"a": [1, None], "b": ["x", "y"]}))


@area.case()
def empty_with_schema(c):
    return c.spark.createDataFrame([], "a int, b array<string>")


@area.case()
def not_null_column(c):
    T = c.T
    schema = T.StructType([T.StructField("a", T.IntegerType(), False), T.StructField("b", T.StringType())])
    return c.spark.createDataFrame([(1, "x")], schema)


@area.case()
def schema_text_forms(c):
    texts = ["a int, b string", "a: int, b: string", "struct<a:int,b:array<map<string,decimal(5,2)>>>",
             "a INT NOT NULL, b STRING COMMENT 'hello'", "`odd name` bigint, ts timestamp_ntz",
             "x decimal, y decimal(12)", "a byte, b short, c long, d real, e numeric(4,1)",
             "i interval day to second, j void"]
    return [c.spark.createDataFrame([], t).schema.jsonValue() for t in texts]


@area.case()
def schema_text_bad(c):
    return c.spark.createDataFrame([], "a int, b nosuchtype")


@area.case()
def schema_text_syntax(c):
    return c.spark.createDataFrame([], "a int b string")


@area.case()
def large_local_relation(c):
    rows = [(i, f"text number {i}" * 5) for i in range(20000)]
    frame = c.spark.createDataFrame(rows, "i int, s string")
    return frame.agg(c.F.count("*"), c.F.sum("i"), c.F.max("s"))


@area.case()
def literals(c):
    from datetime import date, datetime
    from decimal import Decimal as D

    F = c.F
    return one(c).select(
        F.lit(1).alias("i"), F.lit(2**40).alias("l"), F.lit(1.5).alias("d"), F.lit("s").alias("s"),
        F.lit(True).alias("b"), F.lit(None).alias("n"), F.lit(D("1.20")).alias("dec"),
        F.lit(date(2024, 1, 1)).alias("dt"), F.lit(datetime(2024, 1, 1, 1, 2, 3)).alias("ts"),
        F.lit(b"xy").alias("bin"), F.lit([1, 2]).alias("arr"),
    )


@area.case()
def nullability(c):
    F = c.F
    return c.spark.range(1).select(
        "id", (F.col("id") + 1).alias("a"), F.coalesce(F.lit(None).cast("int"), F.lit(1)).alias("b"),
        F.lit(1).alias("c"), F.when(F.col("id") > 0, 1).alias("d"), F.array(F.col("id")).alias("e"),
        F.struct("id").alias("f"), F.upper(F.lit("x")).alias("g"), (F.col("id") / 2).alias("h"),
        F.col("id").cast("string").alias("i"), F.col("id").isNull().alias("j"),
    )


@area.case()
def deep_nesting(c):
    return c.spark.createDataFrame(
        [({"a": [{"b": {"k": [1, 2]}}]},)], "x struct<a:array<struct<b:map<string,array<int>>>>>"
    )


@area.case()
def unicode_names(c):
    return c.spark.createDataFrame([(1,)], "`größe 漢` int").select("`größe 漢`")


@area.case()
def dotted_name(c):
    return c.spark.createDataFrame([(1,)], "`a.b` int").select("`a.b`")


@area.case()
def column_metadata(c):
    return c.spark.range(1).select(c.F.col("id").alias("x", metadata={"comment": "hi"})).schema.jsonValue()
