"""What df.show() prints, letter for letter; printSchema; repr."""

from harness import Area, one

area = Area("show")


def shown(name, frame, **options):
    area._add(name, lambda c: c.printed(lambda: frame(c).show(**options)))


def mixed(c):
    from datetime import date, datetime
    from decimal import Decimal as D

    rows = [
        (1, "short", 1.5, D("1.50"), True, date(2024, 1, 31), datetime(2024, 1, 31, 1, 2, 3, 40000), b"\x0a\xff"),
        (None,) * 8,
        (-200, "a text that is longer than twenty", 1e10, D("-12345.60"), False, date(1, 1, 1),
         datetime(1969, 12, 31, 23, 59, 59), b""),
    ]
    return c.spark.createDataFrame(
        rows, "i int, s string, f double, d decimal(10,2), b boolean, dt date, ts timestamp, bin binary"
    )


def nested(c):
    return c.spark.createDataFrame(
        [([1, None, 3], {"k": 1, "j": None}, (1, None, [True])), (None, None, None), ([], {}, (None, "x", []))],
        "xs array<int>, m map<string,int>, st struct<a:int,b:string,c:array<boolean>>",
    )


def doubles(c):
    values = [0.0, -0.0, 1.0, 0.001, 0.0001, 9999999.0, 1e7, 1.5e300, 123456.789, float("nan"), float("inf"),
              float("-inf"), 0.1 + 0.2, 1e-300, 100.0]
    return c.spark.createDataFrame([(v,) for v in values], "f double")


def wide(c):
    return c.spark.createDataFrame([("漢字",), ("ab",), ("한국어 text",), ("e\u0301",), ("😀",)], "col string")


def control(c):
    return c.spark.createDataFrame([("a\nb",), ("a\tb",), ("a\rb",), ("back\\slash",)], "`na\nme` string")


shown("mixed", mixed)
shown("mixed_no_truncate", mixed, truncate=False)
shown("mixed_truncate_8", mixed, truncate=8)
shown("mixed_truncate_3", mixed, truncate=3)
shown("mixed_vertical", mixed, vertical=True)
shown("mixed_vertical_truncate_5", mixed, vertical=True, truncate=5)
shown("nested", nested)
shown("nested_no_truncate", nested, truncate=False)
shown("doubles", doubles)
shown("wide", wide)
shown("control", control)
shown("first_rows", lambda c: c.spark.range(30))
shown("two_rows", lambda c: c.spark.range(5), n=2)
shown("one_row", lambda c: c.spark.range(5), n=1)
shown("zero_rows_asked", lambda c: c.spark.range(5), n=0)
shown("negative_rows_asked", lambda c: c.spark.range(5), n=-1)
shown("empty", lambda c: c.spark.range(0))
shown("empty_vertical", lambda c: c.spark.range(0), vertical=True)
shown("exactly_all", lambda c: c.spark.range(20), n=20)
shown("no_columns", lambda c: c.spark.range(2).select())
shown("narrow_column", lambda c: c.spark.range(1).toDF("x"))
shown("duplicate_names", lambda c: c.spark.range(2).select("id", "id"))
shown("aggregate", lambda c: c.spark.range(10).groupBy((c.F.col("id") % 3).alias("k")).count().sort("k"))
shown("floats", lambda c: one(c).selectExpr("cast(1.1 as float) as a", "cast(1e10 as float) as b", "cast(3.4e38 as float) as c"))
shown("intervals", lambda c: one(c).selectExpr("INTERVAL '1 02:03:04.5' DAY TO SECOND as a", "INTERVAL '2' HOUR as b"))
shown("timestamps", lambda c: one(c).selectExpr(
    "TIMESTAMP '2024-01-01 00:00:00' as a", "TIMESTAMP '2024-01-01 00:00:00.100' as b",
    "TIMESTAMP_NTZ '2024-01-01 10:00:00.000001' as c", "DATE '9999-12-31' as d"))
shown("window", lambda c: one(c).select(c.F.window(c.F.lit("2024-01-01 00:07:00").cast("timestamp"), "10 minutes").alias("w")), truncate=False)
area._add(
    "new_york", lambda c: c.printed(lambda: mixed(c).select("ts").show()),
    conf={"spark.sql.session.timeZone": "America/New_York"},
)
area._add("print_schema", lambda c: c.printed(lambda: mixed(c).printSchema()))
area._add("print_schema_nested", lambda c: c.printed(lambda: nested(c).printSchema()))
area._add("print_schema_level", lambda c: c.printed(lambda: nested(c).printSchema(1)))
area._add("repr", lambda c: repr(mixed(c)))
