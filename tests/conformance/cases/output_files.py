"""repartition and coalesce: how many files a write makes, and how many rows each has."""

import pathlib

from harness import Area

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
