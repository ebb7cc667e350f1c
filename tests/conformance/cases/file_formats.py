"""Files other than CSV and JSON: ORC, binaryFile, text; writer options that all formats share; DataFrameWriterV2."""

import glob
import pathlib

from harness import Area

area = Area("file_formats")


def frame(c):
    import datetime
    import decimal
    rows = [(1, "a", 1.5, True, decimal.Decimal("1.50"), datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 3, 4, 5, 600000),
             [1, None], {"k": 1}, (1, "x"), bytearray(b"ab")),
            (2, None, None, None, None, None, None, None, None, None, None)]
    return c.spark.createDataFrame(
        rows, "i int, s string, d double, b boolean, m decimal(5,2), day date, t timestamp, l array<int>, "
              "mm map<string,int>, st struct<a:int,b:string>, x binary").coalesce(1)


def names(where):
    return sorted(pathlib.Path(p).name.split("-")[0] + ("" if "." not in p else p[p.rindex(".", 0, p.rindex(".")):] if p.count(".") > 1 else "")
                  for p in glob.glob(where + "/part-*"))


CASES = {












    "binary_file": lambda c: (c.write("t/a.bin", b"\x00\x01"), c.spark.read.format("binaryFile").load(c.path("t")).select("length", "content"))[1],
    "binary_file_schema": lambda c: (c.write("t/a.bin", b"\x00"), c.spark.read.format("binaryFile").load(c.path("t")).schema.json())[1],
    "binary_file_count": lambda c: (c.write("t/a.bin", b"\x00"), c.write("t/b.bin", b""), c.spark.read.format("binaryFile").load(c.path("t")).count())[2],
    "binary_file_filter": lambda c: (c.write("t/a.png", b"\x00"), c.write("t/b.txt", b"1"), c.spark.read.format("binaryFile").option(
        "pathGlobFilter", "*.png").load(c.path("t")).select("content"))[2],
    "binary_file_partition": lambda c: (c.write("t/k=1/a.bin", b"\x05"), c.spark.read.format("binaryFile").load(c.path("t")).select("content", "k"))[1],
    "binary_file_path": lambda c: (c.write("t/a.bin", b"\x00"), [r.path.split("/")[-1] for r in c.spark.read.format("binaryFile").load(c.path("t")).collect()])[1],
    "binary_file_write": lambda c: frame(c).select("x").write.format("binaryFile").save(c.path("t")),
    "text_whole": lambda c: (c.write("t/a.txt", "l1\nl2\n"), c.spark.read.text(c.path("t"), wholetext=True))[1],
    "text_line_sep": lambda c: (c.write("t/a.txt", "a;b;c"), c.spark.read.text(c.path("t"), lineSep=";"))[1],
    "text_write": lambda c: (frame(c).select("s").write.text(c.path("t")), c.spark.read.text(c.path("t")))[1],
    "text_write_two": lambda c: frame(c).select("s", "i").write.text(c.path("t")),
    "json_max_records": lambda c: (c.spark.range(0, 10, 1, 1).write.option("maxRecordsPerFile", 3).json(c.path("t")),
                                   sorted(len(pathlib.Path(p).read_text().splitlines()) for p in glob.glob(c.path("t") + "/part-*")))[1],
    "parquet_max_records": lambda c: (c.spark.range(0, 10, 1, 1).write.option("maxRecordsPerFile", 4).parquet(c.path("t")),
                                      [len(glob.glob(c.path("t") + "/part-*")), c.spark.read.parquet(c.path("t")).count()])[1],
    "partitioned_max_records": lambda c: (c.spark.range(0, 10, 1, 1).selectExpr("id", "id % 2 p").write.partitionBy("p").option(
        "maxRecordsPerFile", 2).json(c.path("t")), sorted(len(glob.glob(d + "/part-*")) for d in glob.glob(c.path("t") + "/p=*")))[1],
    "jdbc_read": lambda c: c.spark.read.format("jdbc").load(),
    "v2_create": lambda c: (c.spark.sql("drop table if exists v2_a"), frame(c).select("i", "s").writeTo("v2_a").using("delta").create(),
                            c.spark.table("v2_a"))[2],
    "v2_create_twice": lambda c: (c.spark.sql("drop table if exists v2_b"), frame(c).select("i").writeTo("v2_b").using("delta").create(),
                                  frame(c).select("i").writeTo("v2_b").using("delta").create())[2],
    "v2_append": lambda c: (c.spark.sql("drop table if exists v2_c"), frame(c).select("i").writeTo("v2_c").using("delta").create(),
                            frame(c).select("i").writeTo("v2_c").append(), c.spark.table("v2_c").count())[3],
    "v2_append_missing": lambda c: frame(c).select("i").writeTo("v2_none").append(),
    "v2_replace": lambda c: (c.spark.sql("drop table if exists v2_d"), frame(c).select("i").writeTo("v2_d").using("delta").create(),
                             frame(c).select("s").writeTo("v2_d").using("delta").replace(), c.spark.table("v2_d"))[3],
    "v2_replace_missing": lambda c: frame(c).select("i").writeTo("v2_none").using("delta").replace(),
    "v2_create_or_replace": lambda c: (frame(c).select("i").writeTo("v2_e").using("delta").createOrReplace(),
                                       frame(c).select("s").writeTo("v2_e").using("delta").createOrReplace(), c.spark.table("v2_e"))[2],
    "v2_overwrite": lambda c: (frame(c).select("i").writeTo("v2_f").using("delta").createOrReplace(),
                               c.spark.range(3).selectExpr("cast(id as int) i").writeTo("v2_f").overwrite(c.F.lit(True)),
                               c.spark.table("v2_f"))[2],
    "v2_overwrite_condition": lambda c: (c.spark.range(4).selectExpr("cast(id as int) i").writeTo("v2_g").using("delta").createOrReplace(),
                                         c.spark.sql("select 3 i").writeTo("v2_g").overwrite(c.F.col("i") == 3),
                                         c.spark.table("v2_g"))[2],
    "v2_overwrite_partitions": lambda c: (
        c.spark.range(4).selectExpr("cast(id as int) i", "id % 2 p").writeTo("v2_h").using("delta").partitionedBy("p").createOrReplace(),
        c.spark.sql("select 9 i, 1L p").writeTo("v2_h").overwritePartitions(), c.spark.table("v2_h"))[2],
    "v2_partitioned": lambda c: (frame(c).select("i", "s").writeTo("v2_i").using("delta").partitionedBy("s").createOrReplace(),
                                 c.spark.table("v2_i").where("s = 'a'"))[1],
    "insert_into": lambda c: (frame(c).select("i", "s").writeTo("v2_j").using("delta").createOrReplace(),
                              c.spark.sql("select 7 a, 'z' b").write.insertInto("v2_j"), c.spark.table("v2_j"))[2],
    "insert_into_overwrite": lambda c: (frame(c).select("i", "s").writeTo("v2_k").using("delta").createOrReplace(),
                                        c.spark.sql("select 7 a, 'z' b").write.insertInto("v2_k", overwrite=True), c.spark.table("v2_k"))[2],
    "save_as_table_modes": lambda c: (c.spark.sql("drop table if exists v2_l"), c.spark.range(2).write.format("delta").saveAsTable("v2_l"),
                                      c.spark.range(2).write.format("delta").mode("append").saveAsTable("v2_l"),
                                      c.spark.range(2).write.format("delta").mode("ignore").saveAsTable("v2_l"), c.spark.table("v2_l").count())[4],
    "mode_unknown": lambda c: c.spark.range(1).write.mode("nope").parquet(c.path("t")),
    "format_unknown": lambda c: c.spark.range(1).write.format("nope").save(c.path("t")),
    "read_format_unknown": lambda c: c.spark.read.format("nope").load(c.path("t")),
    "read_several": lambda c: (c.spark.range(1).write.parquet(c.path("a")), c.spark.range(1, 2).write.parquet(c.path("b")),
                               c.spark.read.parquet(c.path("a"), c.path("b")))[2],
}
for name, run in CASES.items():
    area.case_of(name, run)


@area.case(loose=("path", "file"))
def parquet_of_no_bytes(c):
    """Of a given schema: the file is left out."""
    c.spark.range(2).coalesce(1).write.parquet(c.path("p"))
    c.write("p/zero.parquet", "")
    return c.spark.read.schema("id BIGINT").parquet(c.path("p"))


@area.case(loose=("path", "file"))
def parquet_of_no_bytes_alone(c):
    c.write("p/zero.parquet", "")
    return c.spark.read.parquet(c.path("p"))
