"""Delta tables with V2 checkpoints: what is in the log, and that the state is read from it."""

import json
import pathlib
import shutil
import time

import pyarrow.parquet as pq

from cases._delta import answers_of, folder_of, metadata_of, rows_of
from cases._sql import views
from harness import Area

area = Area("delta_checkpoints")

V2 = "CREATE TABLE $T (id BIGINT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')"
CLASSIC = "CREATE TABLE $T (id BIGINT, p INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '2')"
ONE = "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, CAST(id AS INT) FROM range(2)"


def checkpoints_of(folder):
    """The checkpoints of the log: V2 ones with the actions of their own file and how many sidecars they have."""
    log = folder / "_delta_log"
    out = []
    for path in sorted(log.glob("*.checkpoint*")):
        pieces = path.name.split(".")
        if path.name.startswith("."):
            continue
        if pieces[-1] == "parquet" and len(pieces) == 3:
            out.append([int(pieces[0]), "classic"])
            continue
        actions = [json.loads(line) for line in path.read_text().splitlines()]
        kinds = sorted(next(iter(action)) for action in actions)
        whole = [(log / "_sidecars" / action["sidecar"]["path"]).stat().st_size == action["sidecar"]["sizeInBytes"] for action in actions if "sidecar" in action]
        about = next(action["checkpointMetadata"] for action in actions if "checkpointMetadata" in action)
        counts = {k: about["tags"][k] for k in ("sidecarNumActions", "numOfAddFiles")}
        out.append([int(pieces[0]), pieces[-1], kinds, whole, about["version"], counts])
    return out


def settled(folder):
    """The folder, once the checkpoint of its newest even version is there: they are written beside the commits."""
    log = folder / "_delta_log"
    newest = max(int(path.stem) for path in log.glob("*.json") if path.stem.isdigit())
    pointer = log / "_last_checkpoint"
    for _ in range(200):
        if newest < 2 or pointer.exists() and json.loads(pointer.read_text())["version"] >= newest // 2 * 2:
            break
        time.sleep(0.05)
    return folder


def pointer_of(folder):
    pointer = json.loads((folder / "_delta_log/_last_checkpoint").read_text())
    v2 = pointer.get("v2Checkpoint")
    out = [pointer["version"], pointer["size"], pointer["numOfAddFiles"]]
    if v2 is None:
        return out + [None]
    return out + [(folder / "_delta_log" / v2["path"]).stat().st_size == v2["sizeInBytes"], len(v2["sidecarFiles"]),
                  sorted(next(iter(action)) for action in v2["nonFileActions"]), pointer["sizeInBytes"] == v2["sizeInBytes"] + sum(s["sizeInBytes"] for s in v2["sidecarFiles"])]


def script(name, *statements, create=V2):
    def run(c):
        spark = views(c)
        table = f"v2_{name}"
        out = answers_of(c, spark, table, (create, *statements))
        folder = settled(folder_of(spark, table))
        return out + [rows_of(spark.table(table)), metadata_of(folder)[2:], checkpoints_of(folder), pointer_of(folder)]

    area._add(name, run)


script("create", ONE, ONE, "DELETE FROM $T WHERE p = 1", ONE)
script("turned_on", ONE, ONE, "ALTER TABLE $T SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v2')", ONE, ONE, create=CLASSIC)
script("turned_off", ONE, ONE, "ALTER TABLE $T SET TBLPROPERTIES ('delta.checkpointPolicy' = 'classic')", ONE)
script("feature_only", ONE, ONE, create="CREATE TABLE $T (id BIGINT, p INT) USING delta TBLPROPERTIES ('delta.feature.v2Checkpoint' = 'supported', 'delta.checkpointInterval' = '2')")
script("bad_value", "ALTER TABLE $T SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v3')", ONE, ONE)
script("empty", "ALTER TABLE $T SET TBLPROPERTIES ('a' = 'b')", "ALTER TABLE $T SET TBLPROPERTIES ('a' = 'c')")
script("clustered", ONE, ONE, create="CREATE TABLE $T (id BIGINT, p INT) USING delta CLUSTER BY (id) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')")
script("marked", ONE, "DELETE FROM $T WHERE id = 1", ONE, "OPTIMIZE $T",
       create="CREATE TABLE $T (id BIGINT, p INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2', 'delta.enableDeletionVectors' = 'true')")


@area.case()
def commits_are_gone(c):
    """The state is in the checkpoint: a reader that has no commits before it sees the table."""
    spark = views(c)
    path = c.path("t")
    spark.sql(V2.replace("$T", f"delta.`{path}`"))
    for i in range(4):
        spark.range(i, i + 2).selectExpr("id", "CAST(id AS INT) AS p").coalesce(1).write.format("delta").mode("append").option("txnAppId", "app").option("txnVersion", str(i)).save(path)
    copy = c.path("copy")
    shutil.copytree(path, copy)
    for commit in pathlib.Path(copy, "_delta_log").glob("*.json"):
        if len(commit.name) == 25 and int(commit.name[:20]) < 4:
            commit.unlink()
    for crc in pathlib.Path(copy, "_delta_log").glob("*.crc"):
        crc.unlink()
    out = [rows_of(spark.read.format("delta").load(copy))]
    spark.range(9, 10).selectExpr("id", "CAST(id AS INT) AS p").write.format("delta").mode("append").option("txnAppId", "app").option("txnVersion", "3").save(copy)
    spark.range(8, 9).selectExpr("id", "CAST(id AS INT) AS p").write.format("delta").mode("append").save(copy)
    return out + [rows_of(spark.read.format("delta").load(copy))]


def plain(value):
    """Without what each writer has of its own: zones of timestamps, members that are NULL."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if item is not None}
    return str(value.replace(tzinfo=None)) if hasattr(value, "tzinfo") else str(value)


TYPES = "id BIGINT, f FLOAT, d DECIMAL(10,2), s STRING, b BOOLEAN, day DATE, ts TIMESTAMP, bin BINARY, st STRUCT<x: INT, y: STRUCT<z: STRING>>, ar ARRAY<INT>, p INT, q TIMESTAMP"
ROWS = """INSERT INTO $T SELECT /*+ COALESCE(1) */ id, CAST(id AS FLOAT), 1.25, 'x', true, DATE'2024-01-01', TIMESTAMP'2024-01-01 00:00:00.123456', X'00',
 named_struct('x', 1, 'y', named_struct('z', CAST(NULL AS STRING))), array(1), 1, TIMESTAMP'2024-01-01 00:00:00' FROM range(2)"""


def stats(name, properties, partition="PARTITIONED BY (p, q)"):
    """How a checkpoint has the statistics of files, and that they are read from it alone."""
    def run(c):
        spark = views(c)
        table = f"cps_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} ({TYPES}) USING delta {partition} TBLPROPERTIES ('delta.checkpointInterval' = '1', {properties})")
        spark.sql(ROWS.replace("$T", table))
        log = folder_of(spark, table) / "_delta_log"
        newest = log / "00000000000000000001.checkpoint.parquet"
        for _ in range(200):
            if newest.exists():
                break
            time.sleep(0.05)
        said = [row["add"] for row in pq.read_table(newest, columns=["add"]).to_pylist() if row["add"]]
        out = [[sorted(k for k in add if "stats" in k or "parsed" in k), bool(add.get("stats")),
                plain(add.get("stats_parsed")) if add.get("stats_parsed") else None,
                sorted(plain(add["partitionValues_parsed"]).values()) if add.get("partitionValues_parsed") else None] for add in said]
        copy = c.path("copy")
        shutil.copytree(log.parent, copy)
        for path in pathlib.Path(copy, "_delta_log").iterdir():
            if "checkpoint" not in path.name and path.is_file() and not path.name.startswith(("00000000000000000001.json", ".")):
                path.unlink()
        frame = spark.read.format("delta").load(copy)
        return out + [rows_of(frame.select("id", "p")), frame.where("id > 5").count(), frame.where("ts >= TIMESTAMP'2024-01-01 00:00:00.123'").count(), frame.where("p = 1 AND d = 1.25").count()]

    area._add(f"stats_{name}", run)


STRUCT, JSON = "'delta.checkpoint.writeStatsAsStruct' = '{}'", "'delta.checkpoint.writeStatsAsJson' = '{}'"
stats("both", STRUCT.format("true"))
stats("struct", f"{STRUCT.format('true')}, {JSON.format('false')}")
stats("json", STRUCT.format("false"))
stats("none", f"{STRUCT.format('false')}, {JSON.format('false')}")
stats("unpartitioned", STRUCT.format("true"), partition="")
stats("few_columns", f"{STRUCT.format('true')}, {JSON.format('false')}, 'delta.dataSkippingNumIndexedCols' = '2'")
