"""Intervals and columns of type VOID in files: written, read back, or refused."""

import glob

from harness import Area

area = Area("interval_files")

COLUMNS = {
    "day_time": "interval '1 02:03:04.5' day to second",
    "negative day_time": "interval '-1 02:03:04.000006' day to second",
    "day": "interval '3' day",
    "hour to minute": "interval '3:04' hour to minute",
    "second": "interval '3.5' second",
    "year_month": "interval '1-2' year to month",
    "negative year_month": "interval '-1-2' year to month",
    "month": "interval '3' month",
    "null day_time": "cast(null as interval day to second)",
    "void": "null",
    "calendar": "make_interval(1, 2, 3, 4, 5, 6, 7.5)",
    "array of intervals": "array(interval '1' hour, null)",
    "struct of intervals": "named_struct('i', interval '1' hour, 'm', interval '1' month)",
    "map of intervals": "map('k', interval '1' hour)",
    "map by interval": "map(interval '1' hour, 1)",
    "array of void": "array(null)",
    "struct with void": "named_struct('a', 1, 'v', null)",
    "map of void": "map('k', null)",
    "empty array": "array()",
}
FORMATS = {"parquet": {}, "orc": {}, "avro": {}, "csv": {}, "json": {}, "xml": {"rowTag": "r"}, "text": {}, "delta": {}}


def frame(c, text, kind):
    return c.spark.sql(f"select {text} v" if kind == "text" else f"select 1 id, {text} v").coalesce(1)


def shown(c, data):
    """The rows; the client has no months, which are shown as texts."""
    if not any("month" in kind for _, kind in data.dtypes):
        return data
    rows = data.select(*[c.F.col(name).cast("string") for name in data.columns]).collect()
    return [[list(t) for t in data.dtypes], [list(row) for row in rows]]


def back(kind, text, options):
    def run(c):
        frame(c, text, kind).write.format(kind).options(**options).save(c.path("x"))
        return shown(c, c.spark.read.format(kind).options(**options).load(c.path("x")))

    return run


def with_schema(kind, text, options):
    def run(c):
        data = frame(c, text, kind)
        data.write.format(kind).options(**options).save(c.path("x"))
        return shown(c, c.spark.read.schema(data.schema).format(kind).options(**options).load(c.path("x")))

    return run


def text_of(kind, text, options):
    def run(c):
        frame(c, text, kind).write.format(kind).options(**options).save(c.path("x"))
        return [row[0] for row in c.spark.read.text(c.path("x")).collect()]

    return run


for kind, options in FORMATS.items():
    for name, text in COLUMNS.items():
        if kind == "xml" and "interval '" in text:
            continue  # Spark's writer gives up
        if kind == "json" and name == "map by interval":
            continue
        loose = ("format",) if kind == "delta" else ()
        area._add(f"{kind} {name}", back(kind, text, options), loose=loose)
        if kind in ("csv", "json", "xml", "parquet", "orc"):
            area._add(f"{kind} {name} with its schema", with_schema(kind, text, options))
        if kind in ("csv", "json", "xml"):
            area._add(f"text of {kind} {name}", text_of(kind, text, options))


@area.case()
def parquet_form(c):
    import pyarrow.parquet

    c.spark.sql("select interval '1' day d, interval '1' month m, interval '1-2' year to month n").coalesce(1).write.parquet(c.path("x"))
    schema = pyarrow.parquet.ParquetFile(glob.glob(c.path("x") + "/*.parquet")[0]).schema
    return [[schema.column(i).physical_type, str(schema.column(i).logical_type)] for i in range(len(schema))]


@area.case()
def parquet_read_as_numbers(c):
    c.spark.sql("select interval '1' day d, interval '1' month m").write.parquet(c.path("x"))
    return c.spark.read.schema("d bigint, m int").parquet(c.path("x"))


@area.case()
def parquet_numbers_read_as_intervals(c):
    c.spark.sql("select 1000000L d, 14 m").write.parquet(c.path("x"))
    return shown(c, c.spark.read.schema("d interval day to second, m interval year to month").parquet(c.path("x")))


@area.case()
def parquet_filtered(c):
    c.spark.sql("select * from values (1, interval '1' hour), (2, interval '2' hour), (3, null) as t(id, v)").coalesce(1).write.parquet(c.path("x"))
    return c.spark.read.parquet(c.path("x")).where("v > interval '90' minute")


def read_text(kind, name, text, schema, **options):
    def run(c):
        c.write("in/" + name, text)
        return shown(c, c.spark.read.format(kind).schema(schema).options(**options).load(c.path("in")))

    return run


SCHEMA = "d interval day to second, h interval hour to minute, m interval year to month, _corrupt_record string"
area.case_of("csv read", read_text("csv", "a.csv", "INTERVAL '1 02:03:04' DAY TO SECOND,INTERVAL '1:02' HOUR TO MINUTE,INTERVAL '1-2' YEAR TO MONTH\n1 02:03:04,1:02,1-2\nx,,\n,,\n", SCHEMA))
area.case_of("json read", read_text("json", "a.json", '{"d":"INTERVAL \'1 02:03:04\' DAY TO SECOND","h":"1:02","m":"1-2"}\n{"d":"x"}\n{"d":5,"m":3}\n{"m":"interval \'1\' month"}\n', SCHEMA))
area.case_of("json read of calendar intervals", read_text("json", "a.json", '{"i":"1 year 2 days"}\n', "i interval"))
area.case_of("csv read of calendar intervals", read_text("csv", "a.csv", "1 year 2 days\n", "i interval"))
area.case_of("json read of void", read_text("json", "a.json", '{"a":1,"v":null}\n{"a":2,"v":5}\n', "a int, v void"))
area.case_of("csv read of void", read_text("csv", "a.csv", "1,x\n2,\n", "a int, v void"))
area.case_of("parquet read of void", lambda c: (c.spark.sql("select 1 a, 2 v").write.parquet(c.path("x")), c.spark.read.schema("a int, v void").parquet(c.path("x")))[1])

for kind in ("parquet", "orc", "avro", "csv", "json", "delta"):
    def table(c, kind=kind):
        name = f"interval_{kind}"
        c.spark.sql(f"drop table if exists {name}").collect()
        c.spark.sql(f"create table {name} (id int, d interval day to second, m interval year to month) using {kind}").collect()
        c.spark.sql(f"insert into {name} values (1, interval '1 02:03:04.5' day to second, interval '1-2' year to month), (2, null, null)").collect()
        try:
            return [[str(v) for v in row] for row in c.spark.sql(f"select id, cast(d as string), cast(m as string) from {name} order by id").collect()]
        finally:
            c.spark.sql(f"drop table if exists {name}").collect()

    area.case_of(f"table of {kind}", table)

    def void_table(c, kind=kind):
        name = f"void_{kind}"
        c.spark.sql(f"drop table if exists {name}").collect()
        try:
            c.spark.sql(f"create table {name} using {kind} as select 1 id, null v").collect()
            return c.spark.sql(f"select * from {name}").collect()
        finally:
            c.spark.sql(f"drop table if exists {name}").collect()

    area.case_of(f"table of {kind} with void", void_table)
