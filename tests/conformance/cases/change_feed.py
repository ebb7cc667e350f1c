"""The change data feed of Delta tables: what each statement leaves in it, how it is read, and what is refused."""

import json

from cases._sql import views
from harness import Area

area = Area("change_feed")

ROWS = "(1, 'a', 10), (2, 'b', 20), (3, 'c', 30), (4, NULL, 40)"


def feed_of(spark, table, start=0, end=None):
    bounds = f"{start}" if end is None else f"{start}, {end}"
    rows = spark.sql(f"SELECT * FROM table_changes('{table}', {bounds})").drop("_commit_timestamp").collect()
    return sorted(str(row.asDict(recursive=True)) for row in rows)


def change_files(spark, table):
    """How many change files the last commit says that it added."""
    metrics = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0].operationMetrics
    names = ("numAddedChangeFiles", "numTargetChangeFilesAdded")
    return {name: int(metrics[name]) > 0 for name in names if name in metrics}


def table_of(c, name, rows=ROWS, columns="id INT, v STRING, n BIGINT", partition="", properties=""):
    spark = views(c)
    table = f"cf_{name}"
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql(f"CREATE TABLE {table} ({columns}) USING delta {partition} "
              f"TBLPROPERTIES (delta.enableChangeDataFeed = true{properties})")
    if rows:
        spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
    return spark, table


def dml(name, *statements, **options):
    """One case: the feed, the table and the change files after some statements."""

    def run(c):
        spark, table = table_of(c, name, **options)
        out = []
        for text in statements:
            spark.sql(text.replace("$T", table)).collect()
            out.append(change_files(spark, table))
        rows = sorted(str(row.asDict(recursive=True)) for row in spark.table(table).collect())
        return [out, rows, feed_of(spark, table)]

    area._add(name, run)


UPSERT = ("MERGE INTO $T t USING (SELECT * FROM VALUES (2, 'B', 200), (3, 'C', 300), (9, 'new', 900) AS s(id, v, n)) s "
          "ON t.id = s.id ")
PARTS = "(1, 'a', 10), (2, 'a', 20), (3, 'b', 30), (4, 'b', 40), (5, NULL, 50)"
BY_V = {"rows": PARTS, "partition": "PARTITIONED BY (v)"}

dml("insert_only")
dml("append_twice", "INSERT INTO $T VALUES (7, 'g', 70)")
dml("update_some", "UPDATE $T SET v = 'x', n = n + 1 WHERE id >= 3")
dml("update_all", "UPDATE $T SET n = 0")
dml("update_to_same_values", "UPDATE $T SET n = n WHERE id = 1")
dml("update_none", "UPDATE $T SET n = 0 WHERE id = 99")
dml("delete_some", "DELETE FROM $T WHERE id IN (1, 4)")
dml("delete_every_row_by_data", "DELETE FROM $T WHERE id > 0")
dml("delete_all", "DELETE FROM $T")
dml("truncate", "TRUNCATE TABLE $T")
dml("merge_upsert", UPSERT + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
dml("merge_update_and_delete", UPSERT + "WHEN MATCHED AND s.id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v "
    "WHEN NOT MATCHED THEN INSERT *")
dml("merge_insert_only", UPSERT + "WHEN NOT MATCHED THEN INSERT *")
dml("merge_delete_only", UPSERT + "WHEN MATCHED THEN DELETE")
dml("merge_no_action", UPSERT + "WHEN MATCHED AND s.id = 77 THEN DELETE")
dml("merge_by_source", UPSERT + "WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT * "
    "WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 'old'")
dml("merge_same_values", "MERGE INTO $T t USING (SELECT 2 AS id, 'b' AS v, 20L AS n) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET *")
dml("merge_schema_evolution", "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT 2 AS id, 'B' AS v, 5L AS n, 1.5D AS w "
    "UNION ALL SELECT 8, 'H', 6L, 2.5D) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
dml("overwrite", "INSERT OVERWRITE $T VALUES (100, 'z', 1)")
dml("replace_where_data", "INSERT INTO $T REPLACE WHERE id > 2 VALUES (3, 'r', 33), (5, 's', 55)")
dml("partition_update", "UPDATE $T SET n = 0 WHERE id = 1", **BY_V)
dml("partition_moves", "UPDATE $T SET v = 'b' WHERE id = 1", **BY_V)
dml("partition_delete", "DELETE FROM $T WHERE v = 'a'", **BY_V)
dml("partition_delete_rows", "DELETE FROM $T WHERE v = 'a' AND id = 2", **BY_V)
dml("partition_null", "UPDATE $T SET n = 1 WHERE v IS NULL", **BY_V)
dml("partition_replace", "INSERT INTO $T REPLACE WHERE v = 'b' VALUES (6, 'b', 60)", **BY_V)
dml("several_statements", "UPDATE $T SET n = 1 WHERE id = 1", "DELETE FROM $T WHERE id = 2",
    "INSERT INTO $T VALUES (5, 'e', 50)", UPSERT + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
dml("restore", "DELETE FROM $T WHERE id = 2", "RESTORE TABLE $T TO VERSION AS OF 1")
dml("nested_columns", "UPDATE $T SET s.a = 9 WHERE id = 1", columns="id INT, s STRUCT<a INT, b ARRAY<STRING>>",
    rows="(1, named_struct('a', 1, 'b', array('x'))), (2, NULL)")
dml("deletion_vectors_by_overwrite", "INSERT OVERWRITE $T VALUES (1, 'a', 10)", "DELETE FROM $T WHERE id = 1")


def read(name, *, conf=None, loose=()):
    """Declares a case: a function of the session and of a table whose versions 0 to 4 are: created, 4 rows, an update,
    a delete, one more row."""

    def declare(function):
        def run(c):
            spark, table = table_of(c, name)
            spark.sql(f"UPDATE {table} SET n = n + 1 WHERE id = 1")
            spark.sql(f"DELETE FROM {table} WHERE id = 2")
            spark.sql(f"INSERT INTO {table} VALUES (5, 'e', 50)")
            return function(c, spark, table)

        area._add(name, run, conf=conf, loose=loose)

    return declare


def options_case(name, loose=(), **options):
    @read(name, loose=loose)
    def run(c, spark, table):
        reader = spark.read.format("delta").option("readChangeFeed", "true")
        return reader.options(**options).table(table).drop("_commit_timestamp")


options_case("read_all", startingVersion=0)
options_case("read_range", startingVersion=2, endingVersion=3)
options_case("read_one_version", startingVersion=3, endingVersion=3)
options_case("read_end_beyond", startingVersion=4, endingVersion=99)
options_case("read_no_start")
options_case("read_start_beyond", startingVersion=5)
options_case("read_end_before_start", startingVersion=3, endingVersion=2)
options_case("read_negative", startingVersion=-1)
options_case("read_not_a_number", startingVersion="x")
options_case("read_from_old_timestamp", startingTimestamp="2001-01-01")
options_case("read_end_old_timestamp", loose=("commitTs", "timestampString"), startingVersion=0,
             endingTimestamp="2001-01-01 00:00:00")
options_case("read_bad_timestamp", startingTimestamp="yesterday noon")
options_case("read_version_as_of", startingVersion=0, versionAsOf=1)
options_case("read_off", readChangeFeed="false")


@read("columns")
def columns(c, spark, table):
    frame = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0).table(table)
    return frame.schema.json()


@read("timestamps_are_those_of_history")
def timestamps(c, spark, table):
    history = {row.version: row.timestamp for row in spark.sql(f"DESCRIBE HISTORY {table}").collect()}
    rows = spark.sql(f"SELECT DISTINCT _commit_version, _commit_timestamp FROM table_changes('{table}', 1)").collect()
    return [history[row[0]] == row[1] for row in rows]


@read("filters_on_feed_columns")
def filters(c, spark, table):
    return spark.sql(f"SELECT id, _change_type, _commit_version FROM table_changes('{table}', 0) "
                     "WHERE _commit_version >= 2 AND _change_type <> 'insert'")


@read("counts_by_type")
def counts(c, spark, table):
    return spark.sql(f"SELECT _change_type, count(*), max(_commit_version) FROM table_changes('{table}', 0) GROUP BY 1")


@read("feed_columns_alone")
def feed_columns(c, spark, table):
    return spark.sql(f"SELECT _commit_version FROM table_changes('{table}', 1, 2)")


def sql_case(name, text, loose=()):
    @read(name, loose=loose)
    def run(c, spark, table):
        return spark.sql(text.replace("$T", table))


sql_case("tvf_upper_case", "SELECT id FROM TABLE_CHANGES('$T', 2, 2)")
sql_case("tvf_qualified", "SELECT id FROM table_changes('default.$T', 2, 2)")
sql_case("tvf_expression", "SELECT id FROM table_changes('$T', 1 + 1, 3 - 1)")
sql_case("tvf_timestamps", "SELECT id FROM table_changes('$T', '2001-01-01')")
sql_case("tvf_typed_timestamp", "SELECT id FROM table_changes('$T', TIMESTAMP'2001-01-01 00:00:00', 1)")
sql_case("tvf_null", "SELECT id FROM table_changes('$T', NULL)")
sql_case("tvf_null_end", "SELECT id FROM table_changes('$T', 0, NULL)")
sql_case("tvf_one_argument", "SELECT id FROM table_changes('$T')")
sql_case("tvf_four_arguments", "SELECT id FROM table_changes('$T', 0, 1, 2)")
sql_case("tvf_no_table", "SELECT id FROM table_changes('cf_nowhere', 0)")
sql_case("tvf_start_beyond", "SELECT id FROM table_changes('$T', 77)")
sql_case("tvf_alias", "SELECT c.id FROM table_changes('$T', 4) AS c")


@read("tvf_by_path")
def by_path(c, spark, table):
    folder = spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].location.removeprefix("file:")
    return spark.sql(f"SELECT id, _change_type FROM table_changes_by_path('{folder}', 2, 3)")


@area.case()
def not_enabled(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS cf_plain")
    spark.sql("CREATE TABLE cf_plain (id INT) USING delta")
    spark.sql("INSERT INTO cf_plain VALUES (1)")
    return spark.sql("SELECT * FROM table_changes('cf_plain', 0)")


def enabled_later(c, name):
    spark = views(c)
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(f"CREATE TABLE {name} (id INT) USING delta")
    spark.sql(f"INSERT INTO {name} VALUES (1)")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    spark.sql(f"INSERT INTO {name} VALUES (2)")
    return spark


@area.case()
def enabled_later_too_early(c):
    return enabled_later(c, "cf_later1").sql("SELECT id FROM table_changes('cf_later1', 1)")


@area.case()
def enabled_later_from_there(c):
    return enabled_later(c, "cf_later2").sql("SELECT id, _commit_version FROM table_changes('cf_later2', 2)")


@area.case()
def turned_off_again(c):
    spark = enabled_later(c, "cf_off")
    spark.sql("ALTER TABLE cf_off SET TBLPROPERTIES (delta.enableChangeDataFeed = false)")
    spark.sql("INSERT INTO cf_off VALUES (3)")
    return spark.sql("SELECT id FROM table_changes('cf_off', 2)")


@area.case()
def added_column(c):
    spark, table = table_of(c, "added_column")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN w DOUBLE")
    spark.sql(f"UPDATE {table} SET w = 1.5 WHERE id = 1")
    return [feed_of(spark, table), feed_of(spark, table, 1, 1)]


@area.case()
def reserved_column_on_create(c):
    return table_of(c, "reserved", columns="id INT, _change_type STRING", rows="")[1]


@area.case()
def reserved_column_on_enable(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS cf_res2")
    spark.sql("CREATE TABLE cf_res2 (id INT, _commit_version INT, `_Change_Type` INT) USING delta")
    return spark.sql("ALTER TABLE cf_res2 SET TBLPROPERTIES (delta.enableChangeDataFeed = true)")


@area.case()
def reserved_column_on_merge_schema(c):
    spark, table = table_of(c, "res3")
    frame = spark.sql("SELECT 1 AS id, 'v' AS v, 1L AS n, 'x' AS _change_type")
    return frame.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable(table)


def stream(name, prepare, options=None, runs=1):
    """One case: the changes that a stream delivers, its batches and their offsets."""

    def run(c):
        spark, table = table_of(c, name)
        out = []
        for i in range(runs):
            prepare(spark, table, i)
            reader = spark.readStream.format("delta").option("readChangeFeed", "true").options(**(options or {}))
            query = (reader.table(table).writeStream.format("delta").option("checkpointLocation", c.path("ck"))
                     .trigger(availableNow=True).start(c.path("out")))
            query.awaitTermination()
            offsets = [p["sources"][0]["endOffset"] for p in query.recentProgress if p["sources"]]
            out.append([[o["reservoirVersion"], o["index"], o["isStartingVersion"]]
                        for o in (json.loads(x) if isinstance(x, str) else x for x in offsets if x)])
        rows = spark.read.format("delta").load(c.path("out")).drop("_commit_timestamp").collect()
        return [out, sorted(str(row.asDict()) for row in rows)]

    area._add(name, run)


def changes(spark, table, run):
    if run > 0:
        spark.sql(f"INSERT INTO {table} VALUES ({run * 100}, 'later', 1)")
        return
    spark.sql(f"UPDATE {table} SET n = n + 1 WHERE id <= 2")
    spark.sql(f"DELETE FROM {table} WHERE id = 2")


stream("stream_snapshot", changes)
stream("stream_snapshot_then_changes", changes, runs=2)
stream("stream_from_start", changes, {"startingVersion": "0"})
stream("stream_from_version", changes, {"startingVersion": "2"}, runs=2)
stream("stream_one_file_each", changes, {"startingVersion": "0", "maxFilesPerTrigger": "1"})
stream("stream_whole_table_deleted", lambda spark, table, run: spark.sql(f"DELETE FROM {table}"),
       {"startingVersion": "0"})


@area.case(loose=("message",))
def stream_not_enabled(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS cf_splain")
    spark.sql("CREATE TABLE cf_splain (id INT) USING delta")
    query = (spark.readStream.format("delta").option("readChangeFeed", "true").table("cf_splain")
             .writeStream.format("noop").option("checkpointLocation", c.path("ck")).trigger(availableNow=True).start())
    query.awaitTermination()
    return "no error"
