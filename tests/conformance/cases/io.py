"""Batch reads and writes: Delta, Parquet, JSON; save modes and their errors."""

from harness import Area

area = Area("io")


def frame(c):
    return c.spark.createDataFrame([(1, "a", 1.5), (2, "b", None), (None, None, -1.0)], "id int, k string, f double")


@area.case()
def delta_round_trip(c):
    frame(c).write.format("delta").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t"))


@area.case()
def delta_append(c):
    frame(c).write.format("delta").save(c.path("t"))
    frame(c).write.format("delta").mode("append").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t"))


@area.case()
def delta_overwrite(c):
    frame(c).write.format("delta").save(c.path("t"))
    frame(c).limit(1).write.format("delta").mode("overwrite").save(c.path("t"))
    return [c.spark.read.format("delta").load(c.path("t")).count(),
            c.spark.read.format("delta").option("versionAsOf", 0).load(c.path("t")).count()]


@area.case()
def delta_ignore(c):
    frame(c).write.format("delta").save(c.path("t"))
    frame(c).write.format("delta").mode("ignore").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t")).count()


@area.case()
def delta_error_if_exists(c):
    frame(c).write.format("delta").save(c.path("t"))
    return frame(c).write.format("delta").save(c.path("t"))


@area.case()
def delta_partitioned(c):
    frame(c).write.format("delta").partitionBy("k").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t")).filter("k = 'a'")


@area.case()
def delta_partition_null(c):
    frame(c).write.format("delta").partitionBy("k").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t")).filter("k is null")


@area.case()
def delta_append_subset(c):
    frame(c).write.format("delta").save(c.path("t"))
    frame(c).select("id").write.format("delta").mode("append").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t"))


@area.case(loose=("tableSchema", "dataSchema"))
def delta_append_new_column(c):
    frame(c).write.format("delta").save(c.path("t"))
    return frame(c).withColumn("x", c.F.lit(1)).write.format("delta").mode("append").save(c.path("t"))


@area.case()
def delta_merge_schema(c):
    frame(c).write.format("delta").save(c.path("t"))
    frame(c).withColumn("x", c.F.lit(1)).write.format("delta").mode("append").option(
        "mergeSchema", "true").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t"))


@area.case()
def delta_overwrite_schema(c):
    frame(c).write.format("delta").save(c.path("t"))
    c.spark.range(2).write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t"))


@area.case()
def delta_not_a_table(c):
    import os

    os.makedirs(c.path("empty"))
    return c.spark.read.format("delta").load(c.path("empty"))


@area.case()
def delta_missing_path(c):
    return c.spark.read.format("delta").load(c.path("nowhere"))


@area.case()
def delta_types(c):
    from datetime import date, datetime
    from decimal import Decimal as D

    rows = [(1, D("1.50"), date(2024, 1, 1), datetime(2024, 1, 1, 1, 2, 3, 4), b"\x01", [1, None], {"a": 1}, (1, "x")),
            (None,) * 8]
    f = c.spark.createDataFrame(rows, "l bigint, d decimal(10,2), dt date, ts timestamp, b binary, a array<int>,"
                                      " m map<string,int>, s struct<x:int,y:string>")
    f.write.format("delta").save(c.path("t"))
    return c.spark.read.format("delta").load(c.path("t"))


@area.case()
def delta_save_as_table(c):
    name = "conformance_saved"
    frame(c).write.format("delta").mode("overwrite").saveAsTable(name)
    return c.spark.table(name)


@area.case()
def parquet_round_trip(c):
    frame(c).write.parquet(c.path("p"))
    return c.spark.read.parquet(c.path("p"))


@area.case()
def parquet_given_schema(c):
    frame(c).write.parquet(c.path("p"))
    return c.spark.read.schema("k string, id int, extra double").parquet(c.path("p"))


@area.case()
def parquet_exists(c):
    frame(c).write.parquet(c.path("p"))
    return frame(c).write.parquet(c.path("p"))


@area.case()
def parquet_partitioned(c):
    frame(c).write.partitionBy("k").parquet(c.path("p"))
    return c.spark.read.parquet(c.path("p")).filter("k = 'a'")


@area.case()
def json_round_trip(c):
    frame(c).write.json(c.path("j"))
    return c.spark.read.schema("id int, k string, f double").json(c.path("j"))


@area.case()
def json_written_text(c):
    import glob

    frame(c).filter("id = 1").coalesce(1).write.json(c.path("j"))
    files = glob.glob(c.path("j") + "/part-*.json")
    return "".join(open(f).read() for f in files)


@area.case()
def text_read(c):
    c.write("in/a.txt", "one\ntwo\n\nthree")
    return c.spark.read.text(c.path("in"))


@area.case()
def noop_write(c):
    return frame(c).write.format("noop").mode("overwrite").save()


@area.case()
def mode_unknown(c):
    return frame(c).write.mode("nonsense").parquet(c.path("p"))


@area.case()
def duplicate_columns_write(c):
    return c.spark.range(1).select("id", "id").write.format("delta").save(c.path("t"))


@area.case()
def partition_column_unknown(c):
    return frame(c).write.format("delta").partitionBy("nope").save(c.path("t"))
