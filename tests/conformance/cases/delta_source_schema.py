"""Streams of Delta tables whose schemas change: schemaTrackingLocation, its log, its errors, what unblocks them."""

import json
import pathlib
import re

from cases._delta import Names, rows_of, tried
from cases._sql import views
from harness import Area

area = Area("delta_source_schema")

NAME = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
TABLE = "CREATE TABLE $T (id BIGINT, a STRING, s STRUCT<x: INT, y: INT>) USING delta "
ROW = "INSERT INTO $T SELECT /*+ COALESCE(1) */ * FROM VALUES "


def offsets_of(checkpoint):
    """The offset of each batch, without the table's id."""
    out = []
    for path in sorted(pathlib.Path(checkpoint, "offsets").glob("[0-9]*"), key=lambda p: int(p.name)):
        offset = json.loads(path.read_text().splitlines()[2])
        out.append([offset["sourceVersion"], offset["reservoirVersion"], offset["index"], offset["isStartingVersion"]])
    return out


def schema_log_of(folder, location, names):
    """The entries of the schema log, without ids and places."""
    out = []
    for path in sorted(pathlib.Path(location).glob("_schema_log_*/[0-9]*"), key=lambda p: int(p.name)):
        version, text = path.read_text().split("\n", 1)
        entry = json.loads(text)
        keys = list(entry)
        entry["tableId"] = len(entry["tableId"])
        entry["dataSchemaJson"] = json.loads(names.plain(entry["dataSchemaJson"]))
        entry["partitionSchemaJson"] = json.loads(names.plain(entry["partitionSchemaJson"]))
        entry["sourceMetadataPath"] = entry["sourceMetadataPath"].replace(str(folder), "$F")
        protocol = json.loads(entry["protocolJson"])["protocol"]
        entry["protocolJson"] = {k: sorted(v) if isinstance(v, list) else v for k, v in protocol.items()}
        out.append([path.name, version, keys, entry])
    return out


def told(error):
    """The condition inside of what stops a stream, and what it says."""
    text = re.sub(r"ckpt_-?\d+", "ckpt_N", str(error))
    found = re.search(r"\[(DELTA_[A-Z_.]+|DIFFERENT_DELTA[A-Z_]+)\](.*?)(\n=== Streaming Query|\nSQLSTATE|SQLSTATE:|JVM stacktrace|$)", text, re.S)
    if not found:
        return [None, text[:200]]
    shown = found.group(2).strip() if "CANNOT_CONTINUE" in found.group(1) else ""
    # The reference tells them in no order.
    shown = re.sub(r"(?<=Columns dropped:\n).*", lambda m: ", ".join(sorted(m.group(0).split(", "))), shown)
    return [found.group(1), shown]


def script(name, *steps, create=TABLE + NAME, conf=None, **fixed):
    """Steps are statements, functions, or the options of one run of the stream; each run is told with the schema log after it."""

    def run(c):
        spark = views(c)
        table = f"ss_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(create.replace("$T", table))
        path = spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].location
        names = Names()
        out = []
        for step in steps:
            if callable(step):
                step(spark, table)
                continue
            if isinstance(step, str):
                result = tried(lambda t=step: rows_of(spark.sql(t.replace("$T", table))), c.folder)
                if result:
                    out.append(result)
                continue
            options = {k: v.replace("$F", str(c.folder)) for k, v in {**fixed, **step}.items()}
            try:
                frame = spark.readStream.format("delta").options(**options).load(path)
                query = (frame.writeStream.format("delta").option("checkpointLocation", c.path("ck")).option("mergeSchema", "true")
                         .trigger(availableNow=True).start(c.path("out")))
                query.awaitTermination()
                out.append(["done", frame.schema.simpleString()])
            except Exception as error:  # noqa: BLE001: the error is the result
                out.append(told(error))
            out.append(schema_log_of(c.folder, c.path("ck/schemas"), names))
        out.append(offsets_of(c.path("ck")))
        try:
            out.append(rows_of(spark.read.format("delta").load(c.path("out")).drop("_commit_timestamp")))
        except Exception:  # noqa: BLE001: nothing was written
            out.append("no table")
        return out

    area._add(name, run, conf=conf)


def grow(spark, table):
    """Rows with a column that the table has not."""
    frame = spark.sql("SELECT 2L AS id, 'b' AS a, CAST(NULL AS STRUCT<x: INT, y: INT>) AS s, 7 AS extra")
    frame.coalesce(1).write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable(table)


TRACKED = {"schemaTrackingLocation": "$F/ck/schemas"}
RUN = {}
FREE = "spark.databricks.delta.streaming.allowSourceColumn"

script("no_changes", ROW + "(1L, 'a', named_struct('x', 1, 'y', 1))", RUN, ROW + "(2L, 'b', NULL)", RUN, **TRACKED)
script("rename", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", ROW + "(2L, 'b', NULL)", RUN, RUN,
       {"allowSourceColumnRename": "always"}, ROW + "(3L, 'c', NULL)", RUN, {"allowSourceColumnRename": "always"}, **TRACKED)
script("rename_by_version", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", ROW + "(2L, 'b', NULL)", RUN,
       {"allowSourceColumnRename": "1"}, {"allowSourceColumnRename": "2"}, **TRACKED)
script("rename_by_conf", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", ROW + "(2L, 'b', NULL)", RUN, RUN,
       conf={FREE + "Rename": "always"}, **TRACKED)
script("rename_nested", ROW + "(1L, 'a', named_struct('x', 1, 'y', 1))", RUN, "ALTER TABLE $T RENAME COLUMN s.x TO xx",
       ROW + "(2L, 'b', named_struct('xx', 2, 'y', 2))", RUN, RUN, {"allowSourceColumnRename": "always"}, **TRACKED)
script("drop", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T DROP COLUMN a", ROW + "(2L, NULL)", RUN, RUN, {"allowSourceColumnRename": "always"},
       {"allowSourceColumnDrop": "always"}, **TRACKED)
script("rename_and_drop", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", "ALTER TABLE $T DROP COLUMN s", ROW + "(2L, 'b')", RUN, RUN,
       {"allowSourceColumnDrop": "always"}, RUN, {"allowSourceColumnDrop": "always", "allowSourceColumnRename": "always"}, **TRACKED)
script("rename_and_drop_by_conf", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", "ALTER TABLE $T DROP COLUMN s", ROW + "(2L, 'b')", RUN, RUN,
       conf={FREE + "RenameAndDrop": "always"}, **TRACKED)
script("add", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T ADD COLUMNS (extra INT)", ROW + "(2L, 'b', NULL, 7)", RUN, RUN, **TRACKED)
script("changes_between_data", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T ADD COLUMNS (e INT)", ROW + "(2L, 'b', NULL, 7)",
       "ALTER TABLE $T ADD COLUMNS (f INT)", ROW + "(3L, 'c', NULL, 8, 9)", RUN, RUN, RUN, **TRACKED)
script("property", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 60 days')",
       "ALTER TABLE $T SET TBLPROPERTIES ('mine' = 'x')", ROW + "(2L, 'b', NULL)", RUN, RUN, **TRACKED)
script("free_property", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T SET TBLPROPERTIES ('mine' = 'x')", ROW + "(2L, 'b', NULL)", RUN, **TRACKED)
script("protocol", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T SET TBLPROPERTIES ('delta.feature.checkConstraints' = 'supported')", ROW + "(2L, 'b', NULL)", RUN, RUN, **TRACKED)
script("start_behind_rename", ROW + "(1L, 'a', NULL)", "ALTER TABLE $T RENAME COLUMN a TO b", ROW + "(2L, 'b', NULL)", {"startingVersion": "1"}, {"startingVersion": "1"},
       {"startingVersion": "1"}, {"startingVersion": "1", "allowSourceColumnRename": "always"}, **TRACKED)
script("tracked_later", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", ROW + "(2L, 'b', NULL)", RUN, TRACKED, TRACKED, TRACKED,
       {**TRACKED, "allowSourceColumnRename": "always"})
script("alias", ROW + "(1L, 'a', NULL)", RUN, schemaLocation="$F/ck/schemas")
script("tracking_id", ROW + "(1L, 'a', NULL)", RUN, streamingSourceTrackingId="one", **TRACKED)
script("outside", ROW + "(1L, 'a', NULL)", RUN, schemaTrackingLocation="$F/elsewhere")
script("outside_allowed", ROW + "(1L, 'a', NULL)", RUN, schemaTrackingLocation="$F/elsewhere",
       conf={"spark.databricks.delta.streaming.allowSchemaLocationOutsideCheckpointLocation": "true"})
script("without_mapping", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T ADD COLUMNS (e INT)", ROW + "(2L, 'b', NULL, 7)", RUN, RUN, create=TABLE, **TRACKED)
script("change_feed", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", ROW + "(2L, 'b', NULL)", RUN, {"allowSourceColumnRename": "always"},
       create=TABLE + NAME.replace(")", ", 'delta.enableChangeDataFeed' = 'true')"), readChangeFeed="true", **TRACKED)
script("rename_untracked", ROW + "(1L, 'a', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", ROW + "(2L, 'b', NULL)", RUN, RUN)
script("one_file_a_batch", ROW + "(1L, 'a', NULL)", ROW + "(2L, 'b', NULL)", RUN, "ALTER TABLE $T RENAME COLUMN a TO b", ROW + "(3L, 'c', NULL)", ROW + "(4L, 'd', NULL)", RUN,
       {"allowSourceColumnRename": "always"}, maxFilesPerTrigger="1", **TRACKED)
script("data_with_a_change", ROW + "(1L, 'a', NULL)", RUN, grow, RUN, RUN, **TRACKED)
script("widened", ROW + "(1L, 2)", RUN, "ALTER TABLE $T ALTER COLUMN n TYPE BIGINT", ROW + "(2L, 3L)", RUN, RUN, {"allowSourceColumnTypeChange": "always"},
       create="CREATE TABLE $T (id BIGINT, n INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')", **TRACKED)
