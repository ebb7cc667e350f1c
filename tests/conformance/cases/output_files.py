"""repartition and coalesce: how many files a write makes, and how many rows each has."""

import pathlib

from harness import Area
from pyspark.sql import functions as F

area = Area("output_files")


def rows_of_files(c, path):
    """The rows of each data file, the most first; of an empty one only where there is no other."""
    counts = sorted((c.spark.read.parquet(str(file)).count() for file in pathlib.Path(path).rglob("*.parquet")
                     if "_delta_log" not in file.parts), reverse=True)
    return [count for count in counts if count > 0] or counts[:1]


def pieces(c, count):
    path = c.path("pieces")
    for i in range(count):
        c.spark.range(i * 10, i * 10 + 10).coalesce(1).write.mode("append").parquet(path)
    return c.spark.read.parquet(path)


def written(name, form, make):
    def run(c):
        path = c.path("out")
        make(c).write.format(form).save(path)
        return rows_of_files(c, path)

    area.case_of(f"{form}_{name}", run)


for form in ("parquet", "delta"):
    written("repartition", form, lambda c: c.spark.range(100).repartition(4))
    written("repartition_rest", form, lambda c: c.spark.range(0, 1002, 1, 1).repartition(4))
    written("repartition_more_than_rows", form, lambda c: c.spark.range(3).repartition(8))
    written("repartition_then_select", form, lambda c: c.spark.range(40).repartition(5).selectExpr("id + 1 AS x"))
    written("repartition_then_sort", form, lambda c: c.spark.range(40).repartition(5).orderBy("id"))
    written("repartition_one", form, lambda c: pieces(c, 6).repartition(1))
    written("repartition_after_repartition", form, lambda c: c.spark.range(40).repartition(5).repartition(2))
    written("coalesce_one", form, lambda c: pieces(c, 6).coalesce(1))
    written("coalesce_after_repartition", form, lambda c: c.spark.range(40).repartition(5).coalesce(2))
    written("repartition_of_nothing", form, lambda c: c.spark.range(0).repartition(3))


@area.case()
def table_of_a_repartition(c):
    c.spark.range(60).repartition(3).write.format("delta").saveAsTable("t_output_files")
    detail = c.spark.sql("DESCRIBE DETAIL t_output_files").collect()[0]
    c.spark.sql("DROP TABLE t_output_files")
    return detail.numFiles


@area.case()
def partitioned_by_a_column_too(c):
    path = c.path("out")
    c.spark.range(40).repartition(2).selectExpr("id", "id % 2 AS p").write.partitionBy("p").parquet(path)
    return len(rows_of_files(c, path))


@area.case()
def insert_of_a_hint(c):
    c.spark.sql("CREATE TABLE t_output_hint (id BIGINT) USING delta")
    c.spark.sql("INSERT INTO t_output_hint SELECT /*+ REPARTITION(3) */ id FROM range(30)")
    files = c.spark.sql("DESCRIBE DETAIL t_output_hint").collect()[0].numFiles
    c.spark.sql("DROP TABLE t_output_hint")
    return files


def of_each_file(c, path, column="id"):
    """What each data file holds, in its own order; the files in the order of their names."""
    files = sorted(str(file) for file in pathlib.Path(path).rglob("*.parquet") if "_delta_log" not in file.parts)
    return [[row[0] for row in c.spark.read.parquet(file).select(column).collect()] for file in files]


def spread(name, make, sort=True):
    """By keys and by ranges the rows of each file are Spark's too."""
    def run(c):
        path = c.path("out")
        make(c).write.parquet(path)
        held = [rows for rows in of_each_file(c, path) if rows]
        return sorted(sorted(rows) for rows in held) if sort else held

    area.case_of(f"spread_{name}", run)


def keyed(c):
    return c.spark.range(0, 60, 1, 3).selectExpr("id", "id % 7 AS k", "CAST(id % 3 AS STRING) AS s",
                                                 "IF(id % 5 = 0, NULL, id * 1.5D) AS d")


spread("by_column", lambda c: keyed(c).repartition(4, "k"))
spread("by_columns", lambda c: keyed(c).repartition(4, "s", "k"))
spread("by_expression", lambda c: keyed(c).repartition(3, F.col("k") + 1))
spread("by_column_without_number", lambda c: keyed(c).repartition("k"))
spread("by_nulls", lambda c: keyed(c).repartition(5, "d"))
spread("by_dropped_column", lambda c: keyed(c).repartition(4, "k").select("id"))
spread("by_column_then_filter", lambda c: keyed(c).repartition(4, "k").where("id > 20").selectExpr("id", "k + 1 AS k"))
spread("by_column_then_coalesce", lambda c: keyed(c).repartition(4, "k").coalesce(1))
spread("by_one_of_many", lambda c: keyed(c).repartition(9, "s"))
spread("sorted_within", lambda c: keyed(c).repartition(4, "k").sortWithinPartitions(F.desc("id")), sort=False)
spread("sorted_within_by_dropped", lambda c: keyed(c).repartition(4, "k").sortWithinPartitions("k", F.desc("d"), "id").select("id"), sort=False)
spread("by_range", lambda c: keyed(c).repartitionByRange(4, "id"))
spread("by_range_down", lambda c: keyed(c).repartitionByRange(4, F.desc("id")))
spread("by_range_of_ties", lambda c: keyed(c).repartitionByRange(3, "k"))
spread("by_range_of_nulls", lambda c: keyed(c).repartitionByRange(3, F.col("d").asc_nulls_last()))
spread("by_range_without_number", lambda c: keyed(c).repartitionByRange("id"))
spread("by_range_sorted_within", lambda c: keyed(c).repartitionByRange(3, "id").sortWithinPartitions(F.desc("k"), "id"), sort=False)
spread("by_range_then_repartition", lambda c: keyed(c).repartitionByRange(3, "id").repartition(2, "s"))
spread("distribute_by", lambda c: sql_of(c, "SELECT id FROM keyed DISTRIBUTE BY k"))
spread("cluster_by", lambda c: sql_of(c, "SELECT id FROM keyed CLUSTER BY id"), sort=False)
spread("hint_number_and_column", lambda c: sql_of(c, "SELECT /*+ REPARTITION(4, k) */ id, k FROM keyed"))
spread("hint_qualified_column", lambda c: sql_of(c, "SELECT /*+ REPARTITION(4, keyed.k) */ id, k FROM keyed"))
spread("hint_column", lambda c: sql_of(c, "SELECT /*+ REPARTITION(k) */ id, k FROM keyed"))
spread("hint_range", lambda c: sql_of(c, "SELECT /*+ REPARTITION_BY_RANGE(4, id) */ id, k FROM keyed"))
spread("hint_rebalance", lambda c: sql_of(c, "SELECT /*+ REBALANCE(k) */ id, k FROM keyed"))
spread("hint_rebalance_number", lambda c: sql_of(c, "SELECT /*+ REBALANCE(4, k) */ id, k FROM keyed"))
spread("hint_of_a_frame", lambda c: keyed(c).hint("repartition", 4, "k"))
spread("nothing", lambda c: keyed(c).where("id < 0").repartition(4, "k"))


def sql_of(c, text):
    keyed(c).createOrReplaceTempView("keyed")
    return c.spark.sql(text)


for name, text in {
    "coalesce_column": "SELECT /*+ COALESCE(k) */ id, k FROM keyed",
    "coalesce_both": "SELECT /*+ COALESCE(2, k) */ id, k FROM keyed",
    "coalesce_zero": "SELECT /*+ COALESCE(0) */ id, k FROM keyed",
    "text": "SELECT /*+ REPARTITION('k') */ id, k FROM keyed",
    "expression": "SELECT /*+ REPARTITION(4, upper(k)) */ id, k FROM keyed",
    "two_numbers": "SELECT /*+ REPARTITION(4, 5) */ id, k FROM keyed",
    "range_number": "SELECT /*+ REPARTITION_BY_RANGE(4) */ id, k FROM keyed",
    "none": "SELECT /*+ REPARTITION() */ id, k FROM keyed",
    "zero": "SELECT /*+ REPARTITION(0) */ id, k FROM keyed",
    "zero_by": "SELECT /*+ REPARTITION(0, k) */ id, k FROM keyed",
    "rebalance_zero": "SELECT /*+ REBALANCE(0, k) */ id, k FROM keyed",
    "unknown": "SELECT /*+ REPARTITION(4, zz) */ id, k FROM keyed",
    "not_selected": "SELECT /*+ REPARTITION(4, s) */ id FROM keyed",
}.items():
    area.case_of(f"hint_{name}", lambda c, text=text: sql_of(c, text).count())
area.case_of("by_map", lambda c: sql_of(c, "SELECT map(id, 1) AS m FROM keyed").repartition(2, "m").count())
area.case_of("by_variant", lambda c: sql_of(c, "SELECT parse_json(s) AS v FROM keyed").repartition(2, "v").count())
area.case_of("by_range_of_maps", lambda c: sql_of(c, "SELECT map(id, 1) AS m FROM keyed").repartitionByRange(2, "m").count())
area.case_of("distribute_by_map", lambda c: sql_of(c, "SELECT map(id, 1) AS m FROM keyed DISTRIBUTE BY m").count())
area.case_of("by_unknown", lambda c: keyed(c).repartition(2, "zz").count())
area.case_of("by_random", lambda c: keyed(c).repartition(2, F.rand()).count())
area.case_of("by_aggregate", lambda c: keyed(c).repartition(2, F.sum("id")).count())
area.case_of("by_window", lambda c: keyed(c).repartition(2, F.expr("row_number() over (order by id)")).count())
area.case_of("by_generator", lambda c: keyed(c).repartition(2, F.explode(F.array("id"))).count())


@area.case()
def one_file_of_each_partition(c):
    path = c.path("out")
    keyed(c).repartition("k").write.partitionBy("k").parquet(path)
    return len(rows_of_files(c, path))


@area.case()
def delta_of_keys(c):
    path = c.path("out")
    keyed(c).repartition(4, "k").write.format("delta").save(path)
    return sorted(sorted(rows) for rows in of_each_file(c, path) if rows)


@area.case()
def table_of_keys(c):
    sql_of(c, "CREATE TABLE t_output_files USING delta AS SELECT id, k FROM keyed DISTRIBUTE BY k")
    detail = c.spark.sql("DESCRIBE DETAIL t_output_files").collect()[0]
    c.spark.sql("DROP TABLE t_output_files")
    return detail.numFiles
