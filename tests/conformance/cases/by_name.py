"""Members of structs by their names: INSERT BY NAME, unionByName, appends of frames, MERGE; and where Spark goes by place."""

from harness import Area
from pyspark.sql import functions as F

area = Area("by_name")

COLUMNS = "id INT, s STRUCT<a: INT, b: INT>, arr ARRAY<STRUCT<x: INT, y: INT>>, m MAP<STRING, STRUCT<p: INT, q: INT>>"
ROW = "1 AS id, named_struct('a', 1, 'b', 2) AS s, array(named_struct('x', 1, 'y', 2)) AS arr, map('k', named_struct('p', 1, 'q', 2)) AS m"
TURNED = "map('z', named_struct('q', 7, 'p', 8)) AS m, array(named_struct('y', 5, 'x', 6)) AS arr, named_struct('b', 3, 'a', 4) AS s, 4 AS id"
IN_PLACE = "4 AS id, named_struct('b', 3, 'a', 4) AS s, array(named_struct('y', 5, 'x', 6)) AS arr, map('z', named_struct('q', 7, 'p', 8)) AS m"
DEEP = "1 AS id, named_struct('i', named_struct('a', 1, 'b', 2), 'l', array(named_struct('x', 1, 'y', array(named_struct('u', 1, 'v', 2))))) AS s"
DEEP_TURNED = "named_struct('l', array(named_struct('y', array(named_struct('v', 5, 'u', 6)), 'x', 7)), 'i', named_struct('b', 3, 'a', 4)) AS s, 2 AS id"


def shown(frame):
    return [frame.schema.simpleString(), sorted(str(row.asDict(recursive=True)) for row in frame.collect())]


def table(name, change, provider="delta", columns=COLUMNS, row=ROW, conf=None, loose=()):
    """One case: a table of one row, the change, the table."""

    def run(c):
        spark = c.spark
        t = f"bn_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {t}")
        spark.sql(f"CREATE TABLE {t} ({columns}) USING {provider}")
        spark.sql(f"INSERT INTO {t} SELECT {row}")
        change(spark, t)
        return shown(spark.table(t))

    area._add(name, run, conf=conf, loose=loose)


def sql(text):
    return lambda spark, t: spark.sql(text.replace("$T", t)).collect()


for provider in ("delta", "parquet", "json"):
    table(f"insert_by_name_{provider}", sql(f"INSERT INTO $T BY NAME SELECT {TURNED}"), provider)
    table(f"insert_by_place_{provider}", sql(f"INSERT INTO $T SELECT {IN_PLACE}"), provider)
    table(f"overwrite_by_name_{provider}", sql(f"INSERT OVERWRITE $T BY NAME SELECT {TURNED}"), provider)
    table(f"insert_columns_{provider}", sql(f"INSERT INTO $T (m, arr, s, id) SELECT {TURNED}"), provider)
    table(f"save_as_table_append_{provider}", lambda spark, t, p=provider: spark.sql(f"SELECT {TURNED}").write.mode("append").format(p).saveAsTable(t), provider)
    table(f"insert_into_frame_{provider}", lambda spark, t: spark.sql(f"SELECT {IN_PLACE}").write.insertInto(t), provider)
    table(f"by_name_missing_member_{provider}", sql("INSERT INTO $T BY NAME SELECT 4 AS id, named_struct('b', 3) AS s"), provider)
    table(f"by_name_other_member_{provider}", sql("INSERT INTO $T BY NAME SELECT 4 AS id, named_struct('b', 3, 'c', 4) AS s"), provider)
    table(f"by_name_more_members_{provider}", sql("INSERT INTO $T BY NAME SELECT 4 AS id, named_struct('b', 3, 'c', 5, 'a', 4) AS s"), provider)
    table(f"by_name_case_{provider}", sql("INSERT INTO $T BY NAME SELECT 4 AS ID, named_struct('B', 3, 'A', 4) AS S"), provider)
    table(f"by_name_cast_{provider}", sql("INSERT INTO $T BY NAME SELECT 4 AS id, named_struct('b', 3L, 'a', 4L) AS s"), provider)
    table(f"by_name_null_{provider}", sql("INSERT INTO $T BY NAME SELECT 4 AS id, IF(id > 1, named_struct('b', 3, 'a', id), NULL) AS s FROM VALUES (1), (2) v(id)"), provider)

deep = {"columns": "id INT, s STRUCT<i: STRUCT<a: INT, b: INT>, l: ARRAY<STRUCT<x: INT, y: ARRAY<STRUCT<u: INT, v: INT>>>>>", "row": DEEP}
table("deep_by_name", sql(f"INSERT INTO $T BY NAME SELECT {DEEP_TURNED}"), **deep)
table("deep_append", lambda spark, t: spark.sql(f"SELECT {DEEP_TURNED}").write.mode("append").saveAsTable(t, format="delta"), **deep)
table("replace_where_by_name", sql(f"INSERT INTO $T BY NAME REPLACE WHERE id = 4 SELECT {TURNED}"))
table("v2_append", lambda spark, t: spark.sql(f"SELECT {TURNED}").writeTo(t).append())
table("v2_overwrite_where", lambda spark, t: spark.sql(f"SELECT {TURNED}").writeTo(t).overwrite(F.col("id") == 4))
table("v2_overwrite_partitions", lambda spark, t: spark.sql(f"SELECT {TURNED}").writeTo(t).overwritePartitions())
table("save_as_table_overwrite", lambda spark, t: spark.sql(f"SELECT {TURNED}").write.mode("overwrite").saveAsTable(t, format="delta"))
table("save_as_table_overwrite_schema", lambda spark, t: spark.sql(f"SELECT {TURNED}").write.mode("overwrite").option("overwriteSchema", True).saveAsTable(t, format="delta"))
table("save_as_table_overwrite_less", lambda spark, t: spark.sql("SELECT 4 AS id").write.mode("overwrite").saveAsTable(t, format="delta"))
table("save_as_table_overwrite_more", lambda spark, t: spark.sql(f"SELECT {TURNED}, 5 AS extra").write.mode("overwrite").saveAsTable(t, format="delta"))
table("save_as_table_overwrite_other", lambda spark, t: spark.sql("SELECT 'x' AS id").write.mode("overwrite").saveAsTable(t, format="delta"))
table("save_as_table_overwrite_wider", lambda spark, t: spark.sql("SELECT 5L AS id").write.mode("overwrite").saveAsTable(t, format="delta"))
table("save_as_table_overwrite_partitioned", lambda spark, t: spark.sql("SELECT 4 AS id").write.mode("overwrite").partitionBy("id").saveAsTable(t, format="delta"))
table("save_as_table_overwrite_parquet", lambda spark, t: spark.sql(f"SELECT {TURNED}").write.mode("overwrite").format("parquet").saveAsTable(t), "parquet")
MERGE = f"MERGE INTO $T t USING (SELECT {TURNED}) s ON t.id = s.id - %d WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
table("merge_star_update", sql(MERGE % 3))
table("merge_star_insert", sql(MERGE % 0))
table("update_map", sql("UPDATE $T SET m = map('z', named_struct('q', 8, 'p', 9))"))
table("update_array", sql("UPDATE $T SET arr = array(named_struct('y', 8, 'x', 9))"))
table("update_struct", sql("UPDATE $T SET s = named_struct('b', 8, 'a', 9)"))
table("update_map_keys", sql("UPDATE $T SET m = map(named_struct('q', 8, 'p', 9), 1)"),
      columns="id INT, m MAP<STRUCT<p: INT, q: INT>, INT>", row="1 AS id, map(named_struct('p', 1, 'q', 2), 3) AS m")
table("by_name_map_keys", sql("INSERT INTO $T BY NAME SELECT map(named_struct('q', 8, 'p', 9), 1) AS m, 2 AS id"),
      columns="id INT, m MAP<STRUCT<p: INT, q: INT>, INT>", row="1 AS id, map(named_struct('p', 1, 'q', 2), 3) AS m")


def union(name, left, right, missing=False):
    area.case_of(f"union_{name}", lambda c: shown(c.spark.sql(f"SELECT {left}").unionByName(c.spark.sql(f"SELECT {right}"), allowMissingColumns=missing)))


for missing in (False, True):
    tail = "_missing" if missing else ""
    union("turned" + tail, ROW, TURNED, missing)
    union("deep" + tail, DEEP, DEEP_TURNED, missing)
    union("struct" + tail, "1 AS id, named_struct('a', 1, 'b', 2) AS s", "named_struct('b', 3, 'a', 4) AS s, 2 AS id", missing)
    union("struct_types" + tail, "named_struct('a', 1, 'b', 'x') AS s", "named_struct('b', 'y', 'a', 4L) AS s", missing)
    union("struct_case" + tail, "named_struct('a', 1, 'b', 2) AS s", "named_struct('B', 3, 'A', 4) AS s", missing)
    union("struct_less" + tail, "named_struct('a', 1, 'b', 2) AS s", "named_struct('b', 3) AS s", missing)
    union("struct_more" + tail, "named_struct('a', 1) AS s", "named_struct('b', 3, 'a', 4) AS s", missing)
    union("struct_other" + tail, "named_struct('a', 1, 'b', 2) AS s", "named_struct('c', 3, 'a', 4) AS s", missing)
    union("struct_null" + tail, "named_struct('a', 1, 'b', 2) AS s", "IF(id > 1, named_struct('b', 3, 'a', id), NULL) AS s FROM VALUES (1), (2) v(id)", missing)
    union("array" + tail, "array(named_struct('a', 1, 'b', 2)) AS s", "array(named_struct('b', 3, 'a', 4)) AS s", missing)
    union("array_less" + tail, "array(named_struct('a', 1, 'b', 2)) AS s", "array(named_struct('b', 3)) AS s", missing)
    union("map" + tail, "map(1, named_struct('a', 1, 'b', 2)) AS s", "map(2, named_struct('b', 3, 'a', 4)) AS s", missing)

for name, text in {
    "union_all": "SELECT struct(1 AS a) AS s UNION ALL SELECT struct(2L AS b) AS s",
    "union_all_same_types": "SELECT struct(1 AS a) AS s UNION ALL SELECT struct(2 AS b) AS s",
    "union_all_turned": "SELECT named_struct('a', 1, 'b', 2) AS s UNION ALL SELECT named_struct('b', 3, 'a', 4) AS s",
    "union_all_case": "SELECT struct(1 AS a) AS s UNION ALL SELECT struct(2L AS A) AS s",
    "union_all_array": "SELECT array(struct(1 AS a)) AS s UNION ALL SELECT array(struct(2 AS b)) AS s",
    "intersect": "SELECT struct(1 AS a) AS s INTERSECT SELECT struct(1 AS b) AS s",
    "except": "SELECT struct(1 AS a) AS s EXCEPT SELECT struct(1 AS b) AS s",
    "array_union": "SELECT array_union(array(struct(1 AS a)), array(struct(2 AS b)))",
    "array_contains": "SELECT array_contains(array(struct(1 AS a)), struct(1 AS b))",
    "array": "SELECT array(struct(1 AS a), struct(2L AS b))",
    "coalesce": "SELECT coalesce(struct(1 AS a), struct(2L AS b))",
    "if": "SELECT if(true, struct(1 AS a), struct(2 AS b))",
    "equal": "SELECT struct(1 AS a) = struct(1 AS b)",
    "in": "SELECT struct(1 AS a) IN (struct(1 AS b), struct(2L AS c))",
    "case": "SELECT CASE WHEN true THEN struct(1 AS a) ELSE struct('x' AS b) END",
    "inline_numbers_and_texts": "SELECT x FROM VALUES (1), ('2') t(x)",
    "inline_struct_rows": "SELECT * FROM VALUES (struct(1, 'x')), (struct(2, 'y')) t(a, b)",
    "inline_struct_row": "SELECT * FROM VALUES (struct(1, 'x')) t(a)",
    "inline_struct_column": "SELECT * FROM VALUES (struct(1, 'x'), 2) t(a, b)",
    "inline_named_struct": "SELECT * FROM VALUES named_struct('a', 1, 'b', 2), named_struct('b', 3, 'a', 4)",
}.items():
    area.case_of(name, lambda c, text=text: c.spark.sql(text))


def provider_kept(name, write, provider):
    """A table of files that a writer of other tables is to leave alone."""

    def run(c):
        spark = c.spark
        t = f"bn_kept_{name}_{provider}"
        spark.sql(f"DROP TABLE IF EXISTS {t}")
        spark.sql(f"CREATE TABLE {t} (id INT, k STRING) USING {provider}")
        spark.sql(f"INSERT INTO {t} VALUES (1, 'a')")
        try:
            write(spark.sql("SELECT 2 AS id, 'b' AS k"), t)
            done = "written"
        except Exception as error:  # noqa: BLE001: the error is the result
            done = [type(error).__name__, error.getCondition() if hasattr(error, "getCondition") else None]
        return [done, shown(spark.table(t))]

    area._add(f"kept_{name}_{provider}", run)


for provider in ("csv", "json", "parquet", "orc"):
    provider_kept("v2_append", lambda frame, t: frame.writeTo(t).append(), provider)
    provider_kept("v2_overwrite_partitions", lambda frame, t: frame.writeTo(t).overwritePartitions(), provider)
    provider_kept("v2_overwrite", lambda frame, t: frame.writeTo(t).overwrite(F.col("id") == 1), provider)
    provider_kept("v2_replace", lambda frame, t: frame.writeTo(t).using("delta").replace(), provider)
    provider_kept("v2_create", lambda frame, t: frame.writeTo(t).create(), provider)
    provider_kept("save_other_format", lambda frame, t: frame.write.mode("append").format("delta").saveAsTable(t), provider)
    provider_kept("save_overwrite", lambda frame, t: frame.write.mode("overwrite").format("delta").saveAsTable(t), provider)
    provider_kept("insert_into", lambda frame, t: frame.write.insertInto(t), provider)
    provider_kept("clone", lambda frame, t: [frame.write.format("delta").mode("overwrite").saveAsTable("bn_cloned"), frame.sparkSession.sql(f"CREATE OR REPLACE TABLE {t} SHALLOW CLONE bn_cloned")], provider)
    provider_kept("save_no_format", lambda frame, t: frame.write.mode("append").saveAsTable(t), provider)


@area.case()
def writers_of_paths(c):
    spark = c.spark
    path = c.path("p")
    spark.range(2).write.format("delta").save(path)
    out = []
    for write in (lambda f: f.write.insertInto(f"delta.`{path}`"), lambda f: f.writeTo(f"delta.`{path}`").append(),
                  lambda f: f.writeTo(f"delta.`{path}`").overwritePartitions(), lambda f: f.writeTo(f"delta.`{path}`").create(),
                  lambda f: f.writeTo(f"delta.`{path}`").createOrReplace(), lambda f: f.write.mode("append").saveAsTable(f"delta.`{path}`"),
                  lambda f: f.writeTo(f"delta.`{c.path('new')}`").using("delta").create()):
        try:
            write(spark.range(5, 6))
            out.append("written")
        except Exception as error:  # noqa: BLE001: the error is the result
            out.append([type(error).__name__, error.getCondition() if hasattr(error, "getCondition") else None])
        out.append(sorted(row.id for row in spark.read.format("delta").load(path).collect()))
    return out
