"""CHAR(n) and VARCHAR(n) columns: padding, lengths, metadata, ALTER, comparisons; of Delta tables and of plain files."""

import json
import pathlib

from cases._sql import scripts, views
from harness import Area

area = Area("char_varchar")
script = scripts(area)
COLUMNS = "i INT, c CHAR(3), v VARCHAR(4)"


def rows(name, *texts, columns=COLUMNS, using="delta", shown="SELECT *, length(c) AS lc, length(v) AS lv FROM $T", tail="", conf=None, loose=("endRowIndex",)):
    def run(c):
        spark = views(c)
        table = f"cv_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} ({columns}) USING {using} {tail}")
        for text in texts:
            spark.sql(text.replace("$T", table)).collect()
        return spark.sql(shown.replace("$T", table))

    area._add(name, run, conf=conf, loose=loose)


def log(name, *texts):
    """The schema and constraints in the log after the last statement."""

    def run(c):
        spark = views(c)
        table = f"cv_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        for text in texts:
            spark.sql(text.replace("$T", table))
        place = pathlib.Path(spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].location.removeprefix("file:"))
        metadata = None
        for commit in sorted((place / "_delta_log").glob("*.json")):
            for line in commit.read_text().splitlines():
                action = json.loads(line)
                metadata = action.get("metaData", metadata)
        return [json.loads(metadata["schemaString"]), metadata["configuration"]]

    area._add(name, run)


log("log", "CREATE TABLE $T (c CHAR(3) NOT NULL COMMENT 'k', v VARCHAR(4), a ARRAY<CHAR(2)>, s STRUCT<x: VARCHAR(2)>, m MAP<CHAR(1), VARCHAR(9)>) USING delta")
log("log_ctas", "CREATE TABLE $T USING delta AS SELECT cast('a' AS CHAR(3)) AS c, cast('b' AS VARCHAR(2)) AS v")
log("log_alter_wider", "CREATE TABLE $T (v VARCHAR(4)) USING delta", "ALTER TABLE $T ALTER COLUMN v TYPE VARCHAR(9)")
log("log_alter_string", "CREATE TABLE $T (v VARCHAR(4)) USING delta", "ALTER TABLE $T ALTER COLUMN v TYPE STRING")
log("log_alter_char_to_varchar", "CREATE TABLE $T (v CHAR(4)) USING delta", "ALTER TABLE $T ALTER COLUMN v TYPE VARCHAR(4)")
log("log_add", "CREATE TABLE $T (a INT) USING delta", "ALTER TABLE $T ADD COLUMNS (c CHAR(2), v VARCHAR(3) COMMENT 'k')")
log("log_partitioned", "CREATE TABLE $T (a INT, p CHAR(3)) USING delta PARTITIONED BY (p)")
rows("alter_narrower", "ALTER TABLE $T ALTER COLUMN v TYPE VARCHAR(2)")
rows("alter_char_length", "ALTER TABLE $T ALTER COLUMN c TYPE CHAR(5)")
rows("alter_char_same", "ALTER TABLE $T ALTER COLUMN c TYPE CHAR(3)")
rows("alter_char_to_string", "ALTER TABLE $T ALTER COLUMN c TYPE STRING")
rows("alter_string_to_varchar", "ALTER TABLE $T ALTER COLUMN i TYPE VARCHAR(2)", columns="i STRING, c CHAR(3), v VARCHAR(4)")
rows("alter_varchar_to_char", "ALTER TABLE $T ALTER COLUMN v TYPE CHAR(4)")
rows("alter_varchar_to_int", "ALTER TABLE $T ALTER COLUMN v TYPE INT")
rows("alter_then_insert", "ALTER TABLE $T ALTER COLUMN v TYPE VARCHAR(9)", "INSERT INTO $T VALUES (1, 'a', 'abcdefghi')")
rows("alter_comment", "ALTER TABLE $T ALTER COLUMN c COMMENT 'x'", "INSERT INTO $T VALUES (1, 'a', 'b')")
rows("renamed_then_too_long", "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "INSERT INTO $T VALUES (1, 'abcd', 'b')")
for using in ("delta", "parquet"):
    u = "" if using == "delta" else "_" + using
    rows("pad" + u, "INSERT INTO $T VALUES (1, 'a', 'b'), (2, 'abc', 'abcd'), (3, NULL, NULL), (4, '', '')", using=using)
    rows("trailing_blanks" + u, "INSERT INTO $T VALUES (1, 'a      ', 'abcd     '), (2, 'abc   ', 'b  ')", using=using)
    rows("too_long_char" + u, "INSERT INTO $T VALUES (1, 'abcd', 'b')", using=using)
    rows("too_long_varchar" + u, "INSERT INTO $T VALUES (1, 'a', 'abcde')", using=using)
    rows("nested" + u, "INSERT INTO $T VALUES (1, array('a', NULL), named_struct('x', 'b'), map('k', 'v'))", columns="i INT, a ARRAY<CHAR(3)>, s STRUCT<x: CHAR(2)>, m MAP<CHAR(2), VARCHAR(3)>", shown="SELECT * FROM $T", using=using)
    rows("partition" + u, "INSERT INTO $T VALUES (1, 'x', 'a')", columns="i INT, v VARCHAR(2), c CHAR(3)", tail="PARTITIONED BY (c)", using=using)
    rows("equals" + u, "INSERT INTO $T VALUES (1, 'a', 'b')", shown="SELECT c = 'a' AS e1, c = 'a  ' AS e2, c = 'a     ' AS e3, v = 'b' AS e4, v = 'b ' AS e5, 'a' = c AS e6, c IN ('a', 'b') AS e7, c > 'a' AS e8, c <=> 'a' AS e9 FROM $T", using=using)
    rows("read_padding_off" + u, "INSERT INTO $T VALUES (1, 'a', 'b')", conf={"spark.sql.readSideCharPadding": "false"}, using=using)
rows("letters", "INSERT INTO $T VALUES (1, 'äöü', 'äöüß'), (2, '\U0001F600', '\U0001F600x')")
rows("numbers", "INSERT INTO $T SELECT 1, 12, 34")
rows("cast_written", "INSERT INTO $T VALUES (1, cast('abcdef' AS STRING), 'x')")
rows("nested_too_long", "INSERT INTO $T VALUES (1, array('abcd'))", columns="i INT, a ARRAY<CHAR(3)>", shown="SELECT * FROM $T")
rows("nested_struct_too_long", "INSERT INTO $T VALUES (1, named_struct('x', 'abcd'))", columns="i INT, s STRUCT<x: VARCHAR(3)>", shown="SELECT * FROM $T")
rows("map_too_long", "INSERT INTO $T VALUES (1, map('abcd', 'x'))", columns="i INT, m MAP<VARCHAR(3), STRING>", shown="SELECT * FROM $T")
rows("where", "INSERT INTO $T VALUES (1, 'a', 'b')", shown="SELECT i FROM $T WHERE c = 'a'")
rows("where_in", "INSERT INTO $T VALUES (1, 'a', 'b')", shown="SELECT i FROM $T WHERE c IN ('a', 'x')")
rows("functions", "INSERT INTO $T VALUES (1, 'a', 'b')", shown="SELECT concat(c, '|') AS x, upper(c) AS y, c LIKE 'a' AS z, c || v AS w FROM $T")
rows("describe", shown="DESCRIBE $T")
rows("as_string", "INSERT INTO $T VALUES (1, 'abcdefgh', 'abcdefgh')", conf={"spark.sql.legacy.charVarcharAsString": "true"})
rows("select_into", "INSERT INTO $T SELECT id, cast(id AS STRING), 'x' FROM range(2)")
rows("two_chars", "INSERT INTO $T VALUES (1, 'a', 'a', 'a')", columns="i INT, c CHAR(3), v VARCHAR(3), d CHAR(5)", shown="SELECT c = d AS x, c = v AS y, c <=> d AS z FROM $T")
rows("update", "INSERT INTO $T VALUES (1, 'a', 'b')", "UPDATE $T SET c = 'z', v = 'y'")
rows("update_too_long", "INSERT INTO $T VALUES (1, 'a', 'b')", "UPDATE $T SET v = 'abcde'")
rows("update_where", "INSERT INTO $T VALUES (1, 'a', 'b')", "UPDATE $T SET v = 'zz' WHERE c = 'a'")
rows("delete_where", "INSERT INTO $T VALUES (1, 'a', 'b')", "DELETE FROM $T WHERE c = 'a'")
rows("merge", "INSERT INTO $T VALUES (1, 'a', 'b')", "MERGE INTO $T t USING (SELECT 1 AS i, 'q' AS c, 'r' AS v UNION ALL SELECT 2, 's', 't') s ON t.i = s.i WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
rows("merge_too_long", "INSERT INTO $T VALUES (1, 'a', 'b')", "MERGE INTO $T t USING (SELECT 1 AS i, 'qqqqqq' AS c, 'r' AS v) s ON t.i = s.i WHEN MATCHED THEN UPDATE SET *")
rows("merge_on", "INSERT INTO $T VALUES (1, 'a', 'b')", "MERGE INTO $T t USING (SELECT 'a' AS c) s ON t.c = s.c WHEN MATCHED THEN UPDATE SET v = 'hit'")
rows("join", "INSERT INTO $T VALUES (1, 'a', 'b')", shown="SELECT i, x FROM $T JOIN (SELECT 'a' AS x) ON c = x")
rows("group", "INSERT INTO $T VALUES (1, 'a', 'b'), (2, 'a ', 'b')", shown="SELECT c, count(*) AS n FROM $T GROUP BY c")
rows("overwrite", "INSERT INTO $T VALUES (1, 'a', 'b')", "INSERT OVERWRITE $T VALUES (2, 'b', 'c')")
script("cast_char", "SELECT cast('a' AS CHAR(3)) AS c, cast('abcdef' AS VARCHAR(2)) AS v")
script("char_without_length", "DROP TABLE IF EXISTS cvx", "CREATE TABLE cvx (c CHAR) USING delta")
script("varchar_without_length", "DROP TABLE IF EXISTS cvx", "CREATE TABLE cvx (c VARCHAR) USING delta")
script("char_zero", "DROP TABLE IF EXISTS cvx", "CREATE TABLE cvx (c CHAR(0)) USING delta")
script("character", "DROP TABLE IF EXISTS cvy", "CREATE TABLE cvy (c CHARACTER(2)) USING delta", "DESCRIBE cvy")
script("replace_table", "DROP TABLE IF EXISTS cvz", "CREATE TABLE cvz (c CHAR(2)) USING delta", "CREATE OR REPLACE TABLE cvz (c VARCHAR(3)) USING delta", "DESCRIBE cvz")
script("create_like", "DROP TABLE IF EXISTS cvl1", "DROP TABLE IF EXISTS cvl2", "CREATE TABLE cvl1 (c CHAR(2), v VARCHAR(3)) USING delta", "CREATE TABLE cvl2 LIKE cvl1 USING delta", "DESCRIBE cvl2")
script("view", "DROP TABLE IF EXISTS cvv", "CREATE TABLE cvv (c CHAR(3)) USING delta", "INSERT INTO cvv VALUES ('a')", "CREATE OR REPLACE TEMP VIEW cvv1 AS SELECT c FROM cvv", "SELECT c = 'a' AS e, length(c) AS n FROM cvv1")
script("ctas_from", "DROP TABLE IF EXISTS cva", "DROP TABLE IF EXISTS cvb", "CREATE TABLE cva (c CHAR(3), v VARCHAR(3)) USING delta", "INSERT INTO cva VALUES ('a', 'b')", "CREATE TABLE cvb USING delta AS SELECT * FROM cva", "DESCRIBE cvb")


def writes(name, run):
    area._add(name, run, loose=("endRowIndex",))


def table_of(c, name, using="delta"):
    spark = views(c)
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(f"CREATE TABLE {name} (i INT, c CHAR(3), v VARCHAR(4)) USING {using}")
    return spark


@area.case()
def frame_append(c):
    spark = table_of(c, "cvf1")
    spark.sql("SELECT 1 AS i, 'a' AS c, 'b' AS v").write.format("delta").mode("append").saveAsTable("cvf1")
    return spark.sql("SELECT *, length(c) AS n FROM cvf1")


@area.case()
def frame_append_too_long(c):
    spark = table_of(c, "cvf2")
    spark.sql("SELECT 1 AS i, 'a' AS c, 'bbbbbbbb' AS v").write.format("delta").mode("append").saveAsTable("cvf2")


@area.case()
def frame_insert_into(c):
    spark = table_of(c, "cvf3")
    spark.sql("SELECT 1 AS i, 'a' AS c, 'b' AS v").write.insertInto("cvf3")
    return spark.sql("SELECT *, length(c) AS n FROM cvf3")


@area.case()
def frame_by_path(c):
    spark = table_of(c, "cvf4")
    place = spark.sql("DESCRIBE DETAIL cvf4").collect()[0].location
    spark.sql("SELECT 1 AS i, 'a' AS c, 'b' AS v").write.format("delta").mode("append").save(place)
    frame = spark.read.format("delta").load(place)
    return frame.selectExpr("*", "length(c) AS n", "c = 'a' AS e")


@area.case()
def frame_schema(c):
    spark = table_of(c, "cvf5")
    return [spark.table("cvf5").schema.json(), [[x.name, x.dataType] for x in spark.catalog.listColumns("cvf5")]]


@area.case()
def schema_text(c):
    return views(c).createDataFrame([("a", "b")], "c char(3), v varchar(2)")


@area.case()
def read_schema(c):
    return views(c).read.schema("c char(3), v varchar(2)").json(c.write("a.json", '{"c":"a","v":"bcd"}\n'))


@area.case()
def streamed_into(c):
    spark = table_of(c, "cvf6")
    c.write("in/a.json", '{"i":1,"c":"a","v":"b"}\n')
    query = spark.readStream.schema("i int, c string, v string").json(c.path("in")).writeStream.format("delta").option("checkpointLocation", c.path("cp")).trigger(availableNow=True).toTable("cvf6")
    query.awaitTermination()
    return spark.sql("SELECT *, length(c) AS n FROM cvf6")
