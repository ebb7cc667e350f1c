"""Wide decimals under try_sum and try_avg, sampling with replacement, sketches over windows, texts as XML."""

import decimal

from harness import Area

area = Area("fn_more")
NINES = "9" * 38


def wide(*values):
    def frame(c):
        rows = [(k, None if v is None else decimal.Decimal(v)) for k, v in values]
        return c.spark.createDataFrame(rows, "k int, d decimal(38,0)")

    return frame


BIG = wide((1, NINES), (1, NINES), (2, "5"), (2, None), (3, None), (4, "-" + NINES), (4, NINES))
SMALL = wide((1, "1" * 38), (1, "2" * 38))
for name, frame in {"big": BIG, "small": SMALL}.items():
    AGGREGATES = """
    try_sum(d)
    try_avg(d)
    try_sum(cast(d / 1e30BD as decimal(38,10)))
    try_avg(cast(d / 1e30BD as decimal(38,10)))
    try_avg(cast(d % 1000 as decimal(10,2)))
    try_avg(cast(d % 1000 as decimal(35,2)))
    try_sum(cast(d % 1000 as decimal(30,2)))
    """
    area.aggregates(frame, AGGREGATES, suffix=" of " + name)
    area.aggregates(frame, AGGREGATES, key="k", suffix=f" of {name} by k")


@area.case()
def try_over_window(c):
    BIG(c).createOrReplaceTempView("wide_decimals")
    return c.spark.sql("SELECT k, try_sum(d) OVER (PARTITION BY k) s, try_avg(d) OVER (PARTITION BY k) a FROM wide_decimals")


def sampled(fraction, seed, rows=20, parts=1):
    return lambda c: c.spark.range(0, rows, 1, parts).sample(withReplacement=True, fraction=fraction, seed=seed)


for fraction in (0.0, 0.1, 0.5, 1.0, 1.5, 3.0, 20.0):
    for seed in (0, 3, 42, -7):
        area._add(f"sample {fraction} seed {seed}", sampled(fraction, seed))
area._add("sample many", lambda c: sampled(0.7, 5, 3000)(c).selectExpr("count(*)", "sum(id)", "sum(id * id)"))
area._add("sample more", lambda c: sampled(2.5, 5, 3000)(c).selectExpr("count(*)", "sum(id)", "sum(id * id)"))
area._add("sample much", lambda c: sampled(45.0, 5, 30)(c).selectExpr("count(*)", "sum(id)", "sum(id * id)"))
area._add("sample ordered", sampled(1.5, 9), ordered=True)
area._add("sample negative", sampled(-0.5, 9))
area._add("sample filtered", lambda c: c.spark.range(0, 40, 1, 1).filter("id % 3 = 0").sample(True, 0.8, 11))
area._add("sample without", lambda c: c.spark.range(0, 40, 1, 1).sample(False, 0.5, 11))


@area.case()
def sample_local(c):
    return c.spark.createDataFrame([(i, str(i)) for i in range(12)], "a int, b string").sample(True, 1.2, 17)


SKETCHED = "SELECT id % 3 AS k, id * id % 11 AS v, cast(id % 5 AS string) AS s FROM range(0, 60, 1, 1)"
for name, text in {
    "distinct_over": f"SELECT k, approx_count_distinct(v) OVER (PARTITION BY k) n FROM ({SKETCHED})",
    "distinct_over_all": f"SELECT k, approx_count_distinct(s) OVER () n FROM ({SKETCHED})",
    "distinct_over_ordered": f"SELECT k, v, approx_count_distinct(v) OVER (PARTITION BY k ORDER BY v) n FROM ({SKETCHED})",
    "distinct_over_rows": f"SELECT id, approx_count_distinct(id * 7 % 13, 0.1) OVER (ORDER BY id ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) n FROM range(0, 40, 1, 1)",
    "distinct_over_filter": f"SELECT k, approx_count_distinct(v) FILTER (WHERE v > 3) OVER (PARTITION BY k) n FROM ({SKETCHED})",
    "distinct_over_many": "SELECT DISTINCT id % 2 k, approx_count_distinct(id, 0.02) OVER (PARTITION BY id % 2) n FROM range(0, 9000, 1, 1)",
    "distinct_over_nulls": "SELECT k, approx_count_distinct(v) OVER (PARTITION BY k) n FROM VALUES (1, null), (1, null), (2, 5) AS t(k, v)",
}.items():
    area._add(name, lambda c, text=text: c.spark.sql(text))


@area.case()
def xml_texts(c):
    rows = [("<p><name>Ann</name><age>3</age></p>",), ("<p><name>Bob</name></p>",), ("nonsense",), (None,), ("",)]
    frame = c.spark.createDataFrame(rows, "t string")
    return c.spark.read.option("rowTag", "p").xml(frame)


@area.case()
def xml_texts_schema(c):
    rows = [("<p><name>Ann</name><age>3</age></p>",), ("<p><name>Bob</name><age>x</age></p>",), ("<p><name>Cid",)]
    frame = c.spark.createDataFrame(rows, "t string")
    return c.spark.read.schema("name string, age int, _corrupt_record string").option("rowTag", "p").xml(frame)


@area.case()
def xml_texts_many(c):
    frame = c.spark.createDataFrame([("<all><p><a>1</a></p><p><a>2</a></p></all>",), ("<p><a>3</a></p>",)], "t string")
    return c.spark.read.option("rowTag", "p").xml(frame)


@area.case()
def xml_texts_attributes(c):
    frame = c.spark.createDataFrame([('<p id="7"><a>1.5</a><a>2</a></p>',), ("<p>text</p>",)], "t string")
    return c.spark.read.option("rowTag", "p").xml(frame)


@area.case()
def xml_texts_failfast(c):
    frame = c.spark.createDataFrame([("<p><a>1</a></p>",), ("<p><a>",)], "t string")
    return c.spark.read.option("rowTag", "p").option("mode", "FAILFAST").xml(frame)


@area.case()
def xml_texts_dropped(c):
    frame = c.spark.createDataFrame([("<p><a>1</a></p>",), ("<p><a>",)], "t string")
    return c.spark.read.option("rowTag", "p").option("mode", "DROPMALFORMED").xml(frame)


@area.case()
def xml_texts_no_tag(c):
    return c.spark.read.xml(c.spark.createDataFrame([("<p><a>1</a></p>",)], "t string"))


@area.case()
def xml_texts_two_columns(c):
    return c.spark.read.option("rowTag", "p").xml(c.spark.createDataFrame([("<p/>", 1)], "t string, i int"))


@area.case()
def json_texts_two_columns(c):
    return c.spark.read.json(c.spark.createDataFrame([("{}", 1)], "t string, i int"))


@area.case()
def bucketed(c):
    c.spark.sql("DROP TABLE IF EXISTS bucketed_rows")
    frame = c.spark.createDataFrame([(2, "b"), (1, "a")], "age int, name string")
    frame.write.bucketBy(1, "name").mode("overwrite").saveAsTable("bucketed_rows")
    rows = c.spark.read.table("bucketed_rows").sort("age").collect()
    c.spark.sql("DROP TABLE IF EXISTS bucketed_rows")
    return str(rows)


@area.case()
def bucketed_parquet(c):
    c.spark.sql("DROP TABLE IF EXISTS bucketed_rows")
    frame = c.spark.createDataFrame([(2, "b"), (1, "a")], "age int, name string")
    frame.write.format("parquet").bucketBy(4, "name").sortBy("age").mode("overwrite").saveAsTable("bucketed_rows")
    rows = c.spark.read.table("bucketed_rows").sort("age").collect()
    c.spark.sql("DROP TABLE IF EXISTS bucketed_rows")
    return str(rows)


@area.case()
def bucketed_delta(c):
    frame = c.spark.createDataFrame([(2, "b"), (1, "a")], "age int, name string")
    frame.write.format("delta").bucketBy(4, "name").mode("overwrite").saveAsTable("bucketed_rows_delta")


@area.case()
def bucketed_path(c):
    frame = c.spark.createDataFrame([(2, "b")], "age int, name string")
    frame.write.format("parquet").bucketBy(4, "name").save(c.path("bucketed"))


@area.case()
def bucketed_missing(c):
    frame = c.spark.createDataFrame([(2, "b")], "age int, name string")
    frame.write.format("parquet").bucketBy(4, "nope").saveAsTable("bucketed_rows_missing")


@area.case()
def bucketed_none(c):
    frame = c.spark.createDataFrame([(2, "b")], "age int, name string")
    frame.write.format("parquet").bucketBy(0, "name").saveAsTable("bucketed_rows_none")
