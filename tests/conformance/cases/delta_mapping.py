"""Delta tables with column mapping: made, upgraded, written, changed, their columns renamed and dropped."""

from cases._delta import Names, files_of, folder_of, metadata_of, rows_of, shown, tried
from cases._sql import views
from harness import Area

area = Area("delta_mapping")

NAME = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
ID = "TBLPROPERTIES ('delta.columnMapping.mode' = 'id')"
FEED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableChangeDataFeed' = 'true')"
VALUES = "SELECT /*+ COALESCE(1) */ * FROM VALUES "


def script(name, *statements, conf=None, files=False, create=None):
    """Runs the statements on a table $T and shows what each says, the rows, the log."""

    def run(c):
        spark = views(c)
        table = f"cm_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        out = []
        for statement in ([create] if create else []) + list(statements):
            text = statement.replace("$T", table).replace("$F", c.folder)
            out.append(tried(lambda t=text: rows_of(spark.sql(t)), c.folder))
        out = [shown(rows) for rows in out]
        folder = folder_of(spark, table)
        names = Names()
        out += [rows_of(spark.table(table)), spark.table(table).schema.jsonValue(), metadata_of(folder, names)]
        if files:
            out.append(files_of(folder, names))
        return out

    area._add(name, run, conf=conf)


PLAIN = "CREATE TABLE $T (id BIGINT, `a b` STRING, s STRUCT<x: INT, `y,z`: STRING>, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, STRUCT<g: INT>>, p STRING) USING delta PARTITIONED BY (p) "
ROWS = VALUES + "(1L, 'one', named_struct('x', 10, 'y', 'ten'), array(named_struct('e', 1)), map('k', named_struct('g', 5)), 'p1'), (2L, NULL, NULL, NULL, NULL, NULL)"

script("create_name", "INSERT INTO $T " + ROWS, create=PLAIN + NAME, files=True)
script("create_id", "INSERT INTO $T " + ROWS, create=PLAIN + ID, files=True)
script("create_ctas", create=f"CREATE TABLE $T USING delta {NAME} AS SELECT 1L AS id, 'x' AS `a b`", files=True)
script("create_unknown_mode", "CREATE TABLE $T (id INT) USING delta",
       create="CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'other')")
script("create_with_max_id", "CREATE TABLE $T (id INT) USING delta",
       create="CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.columnMapping.maxColumnId' = '7')")
script("upgrade", "INSERT INTO $T " + VALUES + "(1L, named_struct('x', 10), 'p')",
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
       "ALTER TABLE $T ADD COLUMNS (`new col` STRING)", "ALTER TABLE $T ADD COLUMNS (s.`in,ner` INT)",
       "INSERT INTO $T " + VALUES + "(2L, named_struct('x', 20, 'i', 7), 'q', 'n')",
       create="CREATE TABLE $T (id BIGINT, s STRUCT<x: INT>, p STRING) USING delta PARTITIONED BY (p)", files=True)
script("upgrade_to_id", "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'id')",
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'other')", create="CREATE TABLE $T (id BIGINT) USING delta")
script("change_mode", "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'id')",
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')",
       "ALTER TABLE $T UNSET TBLPROPERTIES ('delta.columnMapping.mode')",
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.maxColumnId' = '99')",
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", create=f"CREATE TABLE $T (id BIGINT) USING delta {NAME}")
script("feature_only", "ALTER TABLE $T SET TBLPROPERTIES ('delta.feature.columnMapping' = 'supported')", "INSERT INTO $T VALUES (1)",
       create="CREATE TABLE $T (id BIGINT) USING delta")
script("rename", "INSERT INTO $T " + ROWS, "ALTER TABLE $T RENAME COLUMN id TO `new id`", "ALTER TABLE $T RENAME COLUMN s.x TO xx",
       "ALTER TABLE $T RENAME COLUMN p TO q", "ALTER TABLE $T RENAME COLUMN l.element.e TO ee", "ALTER TABLE $T RENAME COLUMN m.value.g TO gg",
       "ALTER TABLE $T RENAME COLUMN nope TO other", "ALTER TABLE $T RENAME COLUMN `a b` TO q", "ALTER TABLE $T RENAME COLUMN s.xx TO `y,z`",
       "INSERT INTO $T " + ROWS.replace("1L", "3L").replace("2L", "4L"), "SELECT `new id` FROM $T WHERE q = 'p1'", create=PLAIN + NAME, files=True)
script("drop", "INSERT INTO $T " + ROWS, "ALTER TABLE $T DROP COLUMN `a b`", "ALTER TABLE $T DROP COLUMNS (s.x, l.element.e)", "ALTER TABLE $T DROP COLUMN s.x",
       "ALTER TABLE $T DROP COLUMN p", "ALTER TABLE $T DROP COLUMN nope", "ALTER TABLE $T DROP COLUMN IF EXISTS nope", "ALTER TABLE $T DROP COLUMN s.`y,z`",
       "ALTER TABLE $T ADD COLUMNS (`a b` STRING)", "INSERT INTO $T (id, `a b`, p) VALUES (5, 'again', 'p1')", create=PLAIN + NAME, files=True)
script("drop_last", "ALTER TABLE $T DROP COLUMN id", "ALTER TABLE $T DROP COLUMNS (id, v)", create=f"CREATE TABLE $T (id BIGINT, v INT) USING delta {NAME}")
script("drop_all_but_partition", "ALTER TABLE $T DROP COLUMN id", create=f"CREATE TABLE $T (id BIGINT, p INT) USING delta PARTITIONED BY (p) {NAME}")
script("rename_dependent", "ALTER TABLE $T ADD CONSTRAINT c CHECK (v > 0)", "ALTER TABLE $T RENAME COLUMN v TO w", "ALTER TABLE $T DROP COLUMN v",
       "ALTER TABLE $T RENAME COLUMN id TO key", "ALTER TABLE $T DROP COLUMN id", "ALTER TABLE $T DROP COLUMN g", "ALTER TABLE $T DROP COLUMN free",
       create=f"CREATE TABLE $T (id BIGINT, v INT, g BIGINT GENERATED ALWAYS AS (id + 1), free INT) USING delta {NAME}")
script("alter_columns", "ALTER TABLE $T ALTER COLUMN v COMMENT 'said'", "ALTER TABLE $T ALTER COLUMN v FIRST", "ALTER TABLE $T ADD COLUMNS (w INT AFTER v, u STRUCT<a: INT, b: STRING> FIRST)",
       "ALTER TABLE $T RENAME COLUMN V TO VV", "ALTER TABLE $T RENAME COLUMN vv TO vv2", create=f"CREATE TABLE $T (id BIGINT, v INT NOT NULL COMMENT 'was') USING delta {NAME}")
script("change", "INSERT INTO $T " + VALUES + "(1, 'a', 'p'), (2, 'b', 'p'), (3, 'c', 'q')", "UPDATE $T SET `a b` = 'u' WHERE id = 1", "DELETE FROM $T WHERE id = 2",
       "MERGE INTO $T t USING (SELECT * FROM VALUES (3, 'm', 'q'), (4, 'n', 'r') s(id, ab, p)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET `a b` = s.ab WHEN NOT MATCHED THEN INSERT (id, `a b`, p) VALUES (s.id, s.ab, s.p)",
       "OPTIMIZE $T", "DELETE FROM $T WHERE p = 'q'", "SELECT id, `a b`, p, _change_type, _commit_version FROM table_changes('$T', 0)",
       create=f"CREATE TABLE $T (id INT, `a b` STRING, p STRING) USING delta PARTITIONED BY (p) {FEED}")
script("feed_after_rename", "INSERT INTO $T VALUES (1, 'a')", "ALTER TABLE $T RENAME COLUMN v TO w", "INSERT INTO $T VALUES (2, 'b')", "SELECT id, w, _change_type FROM table_changes('$T', 2)",
       "SELECT id, w, _change_type FROM table_changes('$T', 0)", "SELECT id, v, _change_type FROM table_changes('$T', 0, 1)", "ALTER TABLE $T ADD COLUMNS (z INT)", "INSERT INTO $T VALUES (3, 'c', 3)",
       "SELECT id, w, z, _change_type FROM table_changes('$T', 3)", create=f"CREATE TABLE $T (id INT, v STRING) USING delta {FEED}")
script("overwrites", "INSERT INTO $T " + VALUES + "(1, 'a', 'p'), (2, 'b', 'q')", "INSERT OVERWRITE $T PARTITION (p = 'p') SELECT 3, 'c'", "INSERT INTO $T REPLACE WHERE id = 2 SELECT 2, 'new', 'q'",
       "INSERT INTO $T REPLACE WHERE p = 'q' SELECT 5, 'five', 'q'", "INSERT OVERWRITE $T SELECT 9, 'nine', 'z'", create=f"CREATE TABLE $T (id INT, `a b` STRING, p STRING) USING delta PARTITIONED BY (p) {NAME}")
script("dynamic", "INSERT INTO $T " + VALUES + "(1, 'p'), (2, 'q')", "INSERT OVERWRITE $T SELECT 3, 'p'", create=f"CREATE TABLE $T (id INT, p STRING) USING delta PARTITIONED BY (p) {NAME}",
       conf={"spark.sql.sources.partitionOverwriteMode": "dynamic"}, files=True)
script("restore", "INSERT INTO $T VALUES (1, 'a')", "ALTER TABLE $T RENAME COLUMN v TO w", "ALTER TABLE $T ADD COLUMNS (x INT)", "RESTORE TABLE $T TO VERSION AS OF 1", "ALTER TABLE $T ADD COLUMNS (y INT)",
       create=f"CREATE TABLE $T (id INT, v STRING) USING delta {NAME}")
script("restore_before_mapping", "INSERT INTO $T VALUES (1, 'a')", "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "RESTORE TABLE $T TO VERSION AS OF 1",
       create="CREATE TABLE $T (id INT, v STRING) USING delta")
script("replace", "INSERT INTO $T VALUES (1, 'a')", f"CREATE OR REPLACE TABLE $T (id INT, v INT, w INT) USING delta {NAME}", "CREATE OR REPLACE TABLE $T (id INT, w INT) USING delta", "INSERT INTO $T VALUES (1, 2)",
       create=f"CREATE TABLE $T (id INT, v STRING) USING delta {NAME}")
script("stats_columns", "INSERT INTO $T VALUES (1, 2, named_struct('x', 3))", "ALTER TABLE $T RENAME COLUMN b TO `b c`", "INSERT INTO $T VALUES (4, 5, named_struct('x', 6))",
       create="CREATE TABLE $T (a INT, b INT, s STRUCT<x: INT>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.dataSkippingStatsColumns' = 'b,s')", files=True)
script("clustered", "INSERT INTO $T VALUES (1, 2)", create=f"CREATE TABLE $T (a INT, `b c` INT) USING delta CLUSTER BY (a) {NAME}")
script("char", "INSERT INTO $T VALUES ('a', 'b')", "ALTER TABLE $T RENAME COLUMN c TO d", "INSERT INTO $T VALUES ('abcdef', 'b')", create=f"CREATE TABLE $T (c CHAR(3), v VARCHAR(4)) USING delta {NAME}")
script("bad_names", "CREATE TABLE $T (id INT) USING delta", "ALTER TABLE $T ADD COLUMNS (`x y` INT)", create="CREATE TABLE $T (`a b` INT) USING delta")
script("merge_evolves", "INSERT INTO $T VALUES (1, named_struct('x', 1))",
       "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT 1 AS id, named_struct('x', 2, 'n w', 3) AS s, 'e' AS `x tra`) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
       create=f"CREATE TABLE $T (id INT, s STRUCT<x: INT>) USING delta {NAME}")


def frames(name, steps, files=True, stream=False):
    def run(c):
        spark = views(c)
        path = c.path("t")
        out = [tried(lambda s=step: s(spark, path, c), c.folder) for step in steps]
        names = Names()
        return out + [rows_of(spark.read.format("delta").load(path)), metadata_of(path, names)] + ([files_of(path, names)] if files else [])

    area._add(name, run)


def write(text, mode="append", **options):
    def step(spark, path, c):
        spark.sql(text).coalesce(1).write.format("delta").mode(mode).options(**{k.replace("__", "."): v for k, v in options.items()}).save(path)
        return "written"

    return step


def stream(text, **options):
    def step(spark, path, c):
        spark.sql(text).coalesce(1).write.format("delta").mode("append").option("delta.columnMapping.mode", "name").save(c.path("in"))
        query = (spark.readStream.format("delta").load(c.path("in")).writeStream.format("delta").option("checkpointLocation", c.path("ck"))
                 .options(**options).trigger(availableNow=True).start(path))
        query.awaitTermination()
        return "streamed"

    return step


MODE = {"delta__columnMapping__mode": "name"}
frames("write_options", [write("SELECT 1L AS `a b`, 'x' AS c", **MODE), write("SELECT 2L AS `A B`, 'y' AS C"), write("SELECT 3L AS `a b`, 'z' AS c, 1 AS `d=e`"),
                         write("SELECT 3L AS `a b`, 'z' AS c, 1 AS `d=e`", mergeSchema="true")])
frames("overwrite_schema", [write("SELECT 1L AS `a b`, 'x' AS c, 1 AS d", **MODE), write("SELECT 'two' AS `a b`, 'y' AS c, 3 AS `e f`", "overwrite", overwriteSchema="true")])
frames("replace_where", [write("SELECT id, concat('v', id) AS `v v` FROM range(4)", **MODE), write("SELECT 3L AS id, 'new' AS `v v`", "overwrite", replaceWhere="id = 3"),
                         write("SELECT 3L AS id, 'new' AS `v v`", "overwrite", replaceWhere="`v v` = 'v0'")], files=False)
frames("streaming_made", [write("SELECT 9L AS id, 'x' AS `v v`", **MODE), stream("SELECT id, concat('v', id) AS `v v`, 1 AS `n,w` FROM range(3)", mergeSchema="true")], files=False)
