"""Delta tables that others wrote, with the features of the protocol: tests/data/delta-spark (recorded by
record_delta_tables.py) and those of tests/data/delta-golden that are not in its expected.json."""

import json
import pathlib
import shutil

from harness import HERE, Area

area = Area("delta_tables")

DATA = HERE.parent / "data"
RECORDED = sorted(p.name for p in (DATA / "delta-spark").iterdir() if p.is_dir())
GOLDEN = DATA / "delta-golden"
ROWS_MAX = 200
COMPARABLE = ("int", "bigint", "smallint", "tinyint", "double", "float", "decimal", "string", "date", "timestamp")


def golden_tables():
    known = json.loads((GOLDEN / "expected.json").read_text())
    for log in sorted(GOLDEN.rglob("_delta_log")):
        name = str(log.parent.relative_to(GOLDEN))
        if name not in known:
            yield name


def read(c, name, **options):
    return c.spark.read.format("delta").options(**options).load(str(DATA / "delta-spark" / name))


def rows(c, frame):
    """The rows; of a large table what aggregates say of them."""
    # Python has no dict with such keys.
    frame = frame.drop(*[name for name, kind in frame.dtypes if kind.startswith(("map<array", "map<struct", "map<map"))])
    count = frame.count()
    if count <= ROWS_MAX:
        return frame
    plain = [c.F.col(f"`{name}`") for name, kind in frame.dtypes if kind.startswith(COMPARABLE)]
    made = [f(col) for col in plain for f in (c.F.count, c.F.min, c.F.max)]
    return frame.agg(c.F.count(c.F.lit(1)).alias("rows"), *[m.alias(f"c{i}") for i, m in enumerate(made)])


def add(name, run, loose=()):
    area._add(name, run, loose=loose)


for table in RECORDED:
    add(table, lambda c, t=table: rows(c, read(c, t)))
    add(f"{table}_count", lambda c, t=table: read(c, t).count())

for table in golden_tables():
    add(f"golden/{table}", lambda c, t=table: rows(c, c.spark.read.format("delta").load(str(GOLDEN / t))),
        loose=("path", "tableNameOrPath", "tableName", "deltaVersion"))

FILTERS = {
    "dv_row_groups": ["id = 2501", "id < 1005", "id > 5990", "id = 1500", "s = 'text 3' AND id < 100"],
    "mapping_name": ["id = 3", "renamed = 'one'", "st.xx = 10", "st.later IS NULL", "`part col` = DATE'2024-01-01'",
                     "`part col` IS NULL", "added IS NULL", "added = 'new'", "st.`y,z` = 'thirty'"],
    "mapping_id": ["id = 3", "renamed = 'one'", "st.xx = 10", "`part col` = DATE'2024-01-01'", "added = 'new'"],
    "mapping_upgraded": ["id = 'three'", "id IS NULL", "id_text = 'a'", "p = 1"],
    "mapping_and_dv": ["w = 'u'", "id = 16", "id > 20", "w = 'm17'"],
    "widened": ["b = 1", "b = 100000", "s > 300", "i = 70000", "i2 = 5", "i2 < 5.5", "f < 0.7D", "f > 0.69D",
                "f = 0.7D", "d = TIMESTAMP_NTZ'2024-02-29 00:00:00'", "d > TIMESTAMP_NTZ'2024-02-29 00:00:00'",
                "m = 12.34", "m > 12.3399", "st.x = 7", "st.x > 60000", "i3 = 3", "i3 > 123456789012", "p = 1",
                "p > 4000000000", "p IS NULL"],
    "time_partitions": ["ts = TIMESTAMP'2024-01-01 00:00:00.5'", "ts < TIMESTAMP'1970-01-01 00:00:00'", "ts IS NULL",
                        "ntz = TIMESTAMP_NTZ'2024-01-01 00:00:00.25'", "m = 1.5", "b", "NOT b", "bin = X'4142'",
                        "d = 1e10", "d = double('NaN')", "bin IS NULL"],
    "clustered": ["v = 'a'"],
    "dat_partitioned_with_null": ["letter IS NULL", "letter = 'a'"],
    "dat_multi_partitioned": ["date = DATE'1970-01-01'", "data = X'612062'", "letter > 'b'"],
    "dat_multi_partitioned_2": ["bool", "time < TIMESTAMP'1970-01-01 12:00:00'", "amount = 12"],
    "dat_all_primitive_types": ["decimal > 12.5", "timestamp = TIMESTAMP'1970-01-01 02:00:00'", "float32 = 3"],
    "dat_stats_as_struct": ["int = 2", "letter = 'l4'"],
    "dat_no_stats": ["int = 1"],
}
for table, conditions in FILTERS.items():
    for condition in conditions:
        add(f"{table} where {condition}", lambda c, t=table, w=condition: rows(c, read(c, t).filter(w)))

VERSIONS = {"mapping_name": 9, "mapping_id": 9, "mapping_upgraded": 6, "mapping_and_dv": 5,
            "widened": 16, "v2_sidecars": 10, "v2_json": 10, "multi_part": 12, "row_tracking": 3, "change_feed": 3,
            "dat_basic_append": 1, "dat_basic_partitioned": 1, "dat_partitioned_with_null": 1, "dat_multi_partitioned": 1,
            "dat_with_schema_change": 1, "dat_no_replay": 12, "dat_stats_as_struct": 5, "dat_deletion_vectors": 3, "dat_cdf": 3,
            "dat_column_mapping": 4}
for table, last in VERSIONS.items():
    for version in range(last + 2):
        add(f"{table} version {version}",
            lambda c, t=table, v=version: rows(c, read(c, t, versionAsOf=v)), loose=("earliest", "latest"))


def in_commit_times():
    for log in sorted((DATA / "delta-spark/in_commit_timestamps/_delta_log").glob("*.json")):
        yield json.loads(log.read_text().splitlines()[0])["commitInfo"]["inCommitTimestamp"]


def as_text(time_ms):
    import datetime

    return datetime.datetime.fromtimestamp(time_ms / 1000).strftime("%Y-%m-%d %H:%M:%S.%f")


for number, moment in enumerate(in_commit_times()):
    for name, shift in (("at", 0), ("before", -1), ("after", 1)):
        add(f"in_commit_timestamps {name} commit {number}",
            lambda c, t=moment + shift: read(c, "in_commit_timestamps", timestampAsOf=as_text(t)))


@area.case()
def nested_members_of_mapped_columns(c):
    return read(c, "mapping_name").select("st.xx", "st.`y,z`", "ar.e", "mp.k.g", "`part col`")


@area.case()
def one_mapped_column(c):
    return read(c, "mapping_id").select("added")


@area.case()
def widened_members(c):
    return read(c, "widened").select("st.x", "ar", "mp", "p")


def streamed(c, table, **options):
    frame = c.spark.readStream.format("delta").options(**options).load(str(table))
    query = (frame.writeStream.format("delta").option("checkpointLocation", c.path("ck")).trigger(availableNow=True)
             .option("mergeSchema", "true").start(c.path("out")))
    query.awaitTermination()
    return rows(c, c.spark.read.format("delta").load(c.path("out")))


STREAM_LOOSE = ("id", "runId", "message")
for table in RECORDED:
    # Names that a table without mapping cannot have; and plain tables, which stream as any.
    if table not in ("mapping_name", "mapping_id") and not table.startswith("dat_"):
        add(f"stream {table}", lambda c, t=table: streamed(c, DATA / "delta-spark" / t), loose=STREAM_LOOSE)
for table in ("mapping_upgraded", "mapping_and_dv", "widened", "change_feed", "clustered",
              "v2_sidecars"):
    add(f"stream {table} from the start",
        lambda c, t=table: streamed(c, DATA / "delta-spark" / t, startingVersion=0), loose=STREAM_LOOSE)
    add(f"stream {table} without changes",
        lambda c, t=table: streamed(c, DATA / "delta-spark" / t, startingVersion=0, skipChangeCommits="true"),
        loose=STREAM_LOOSE)


def copied(c, table):
    path = pathlib.Path(c.path(table))
    shutil.copytree(DATA / "delta-spark" / table, path)
    return str(path)


APPENDED = {
    "dv_row_groups": "SELECT 1000L id, 'x' s",
    "mapping_and_dv": "SELECT 1000L id, 'x' w", "mapping_upgraded": "SELECT 'x' id_text, 7 p, 'y' id",
    "v2_sidecars": "SELECT 1000L id", "v2_json": "SELECT 1000L id", "multi_part": "SELECT 1000L id",
    "in_commit_timestamps": "SELECT 1000L id", "row_tracking": "SELECT 1000L id, 'x' v",
    "clustered": "SELECT 1000L id, 'x' v", "change_feed": "SELECT 1000L id, 'x' v",
    "constrained": "SELECT 9L id",
}


def written(c, table, text, mode):
    path = copied(c, table)
    rest = text.removeprefix("SELECT ")
    frame = c.spark.range(1).selectExpr(*[part.strip() for part in rest.split(",")])
    for _ in range(2):
        frame.write.format("delta").mode(mode).save(path)
    return rows(c, c.spark.read.format("delta").load(path))


for table, text in APPENDED.items():
    add(f"append to {table}", lambda c, t=table, s=text: written(c, t, s, "append"))
for table in ("v2_sidecars", "change_feed", "in_commit_timestamps", "mapping_and_dv"):
    add(f"overwrite {table}", lambda c, t=table: written(c, t, APPENDED[t], "overwrite"))
