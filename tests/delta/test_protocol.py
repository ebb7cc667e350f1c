"""Tables with V2 checkpoints, row tracking and in-commit timestamps that Millstream writes, as deltalake reads them."""

import collections
import json
import pathlib
import random
import threading

import deltalake
import pytest
from deltalake import QueryBuilder
from pyspark.errors import PySparkException


def theirs(path):
    table = QueryBuilder().register("t", deltalake.DeltaTable(str(path))).execute("SELECT * FROM t").read_all()
    return collections.Counter(zip(*(map(repr, table.column(name).to_pylist()) for name in sorted(table.schema.names))))


def ours(spark, path):
    frame = spark.read.format("delta").load(str(path))
    return collections.Counter(tuple(repr(row[name]) for name in sorted(frame.columns)) for row in frame.collect())


def commits(path):
    for commit in sorted(pathlib.Path(path, "_delta_log").glob("*.json")):
        if len(commit.name) == 25:
            yield [json.loads(line) for line in commit.read_text().splitlines() if line]


@pytest.mark.parametrize("partition", ["", "PARTITIONED BY (p)"])
@pytest.mark.parametrize("marked", ["false", "true"])
def test_v2_checkpoints(spark, tmp_path, partition, marked):
    path = tmp_path / "t"
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, p INT) USING delta {partition} TBLPROPERTIES "
              f"('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '3', 'delta.enableDeletionVectors' = '{marked}')")
    for i in range(7):
        spark.range(i * 10, i * 10 + 10).selectExpr("id", "concat('v', id) AS v", "CAST(id % 2 AS INT) AS p").write.format("delta").mode("append").save(str(path))
    spark.sql(f"DELETE FROM {table} WHERE id % 7 = 0")
    spark.sql(f"UPDATE {table} SET v = 'u' WHERE id % 5 = 0")
    log = path / "_delta_log"
    assert len(list(log.glob("*.checkpoint.*.json"))) == 3 and not list(log.glob("*.checkpoint.parquet"))
    expected = ours(spark, path)
    assert sum(expected.values()) == 60
    assert theirs(path) == expected
    # What is before the newest checkpoint is not needed.
    for commit in log.glob("*.json"):
        if len(commit.name) == 25 and int(commit.name[:20]) < 9:
            commit.unlink()
    assert theirs(path) == expected
    assert ours(spark, path) == expected


def ids_of(spark, path):
    rows = spark.sql(f"SELECT id, _metadata.row_id AS r, _metadata.row_commit_version AS c FROM delta.`{path}`").collect()
    return {row.id: (row.r, row.c) for row in rows}


@pytest.mark.parametrize("more", ["", ", 'delta.enableDeletionVectors' = 'true'", ", 'delta.columnMapping.mode' = 'name'", ", 'delta.checkpointPolicy' = 'v2'"])
def test_rows_keep_their_ids(spark, tmp_path, more):
    """Through random changes: an id is given once, and moves with its row."""
    path = tmp_path / "t"
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, p INT) USING delta PARTITIONED BY (p) "
              f"TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.checkpointInterval' = '4'{more})")
    chance = random.Random(11)
    given = set()
    known = {}
    fresh = 0
    for step in range(14):
        what = chance.choice(["insert", "update", "delete", "merge", "optimize"]) if known else "insert"
        low = chance.randrange(0, max(fresh, 1))
        touched = {i for i in known if low <= i < low + 7}
        if what == "insert":
            spark.range(fresh, fresh + 20).selectExpr("id", "'i' AS v", "CAST(id % 3 AS INT) AS p").write.format("delta").mode("append").save(str(path))
            fresh += 20
            touched = set()
        elif what == "update":
            spark.sql(f"UPDATE {table} SET v = 'u{step}', p = p + 1 WHERE id >= {low} AND id < {low + 7}")
        elif what == "delete":
            spark.sql(f"DELETE FROM {table} WHERE id >= {low} AND id < {low + 7}")
        elif what == "merge":
            spark.sql(f"MERGE INTO {table} t USING (SELECT id FROM range({low}, {min(low + 7, fresh)}) UNION ALL SELECT {fresh}L) s ON t.id = s.id "
                      "WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED AND s.id >= 0 THEN INSERT (id, v, p) VALUES (s.id, 'n', 0)")
            fresh += 1
        else:
            spark.sql(f"OPTIMIZE {table}{chance.choice(['', ' ZORDER BY (id)'])}").collect()
            touched = set()
        found = ids_of(spark, path)
        version = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0].version
        assert len({r for r, _ in found.values()}) == len(found)
        for i, (row, changed) in found.items():
            if i not in known:
                assert row not in given, (step, what, i)
                assert changed == version
                given.add(row)
                continue
            assert row == known[i][0], (step, what, i)
            assert changed == (version if i in touched else known[i][1]), (step, what, i)
        known = found
    assert theirs(path) == ours(spark, path)


def test_ids_of_writers_that_race(spark, tmp_path):
    """Whoever comes second gets ids above those of the first."""
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    failures = []

    def write(start):
        try:
            for i in range(5):
                spark.range(start + i * 10, start + i * 10 + 10).write.format("delta").mode("append").save(str(path))
        except Exception as error:  # noqa: BLE001: shown below
            failures.append(error)

    threads = [threading.Thread(target=write, args=(k * 1000,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    found = ids_of(spark, path)
    assert sorted(r for r, _ in found.values()) == list(range(200))
    for version, actions in enumerate(commits(path)):
        for action in actions:
            if "add" in action:
                assert action["add"]["defaultRowCommitVersion"] == version


def test_in_commit_timestamps_of_writers_that_race(spark, tmp_path):
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    threads = [threading.Thread(target=lambda: [spark.range(3).write.format("delta").mode("append").save(str(path)) for _ in range(5)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = [actions[0]["commitInfo"]["inCommitTimestamp"] for actions in commits(path)]
    assert len(times) == 21 and times == sorted(set(times))
    assert sum(theirs(path).values()) == 60


@pytest.mark.parametrize("statement", ["RESTORE TABLE $T TO VERSION AS OF 1", "VACUUM $T", "OPTIMIZE $T"])
def test_statements_go_on_when_others_were_first(spark, tmp_path, statement):
    path = tmp_path / "t"
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING delta")
    spark.range(3).coalesce(1).write.format("delta").mode("append").save(str(path))
    stop = threading.Event()

    def append():
        while not stop.is_set():
            spark.range(1).coalesce(1).write.format("delta").mode("append").save(str(path))

    thread = threading.Thread(target=append)
    thread.start()
    try:
        for _ in range(5):
            spark.sql(statement.replace("$T", table)).collect()
    finally:
        stop.set()
        thread.join()
    assert theirs(path) == ours(spark, path)


@pytest.mark.parametrize("feature, properties", [
    ("deletionVectors", "'delta.enableDeletionVectors' = 'true'"), ("v2Checkpoint", "'delta.checkpointPolicy' = 'v2'"),
    ("columnMapping", "'delta.columnMapping.mode' = 'name'"), ("rowTracking", "'delta.enableRowTracking' = 'true'"),
    ("inCommitTimestamp", "'delta.enableInCommitTimestamps' = 'true'")])
def test_features_are_dropped(spark, tmp_path, feature, properties):
    """Whoever does not know the feature reads the table; the history is still there for us."""
    path = tmp_path / "t"
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ({properties})")
    spark.range(30).selectExpr("id", "concat('v', id) AS v", "CAST(id % 2 AS INT) AS p").write.format("delta").mode("append").save(str(path))
    spark.sql(f"DELETE FROM {table} WHERE id % 7 = 0")
    spark.sql(f"UPDATE {table} SET v = 'u' WHERE id % 5 = 0")
    expected = ours(spark, path)
    spark.sql(f"ALTER TABLE {table} DROP FEATURE {feature}")
    assert ours(spark, path) == expected
    protocol = deltalake.DeltaTable(str(path)).protocol()
    assert feature not in (protocol.reader_features or []) + (protocol.writer_features or [])
    assert not protocol.reader_features
    plain = deltalake.DeltaTable(str(path)).to_pyarrow_table()
    assert collections.Counter(zip(*(map(repr, plain.column(name).to_pylist()) for name in sorted(plain.schema.names)))) == expected
    spark.range(100, 103).selectExpr("id", "'n' AS v", "0 AS p").write.format("delta").mode("append").save(str(path))
    assert sum(theirs(path).values()) == sum(expected.values()) + 3
    assert spark.read.format("delta").option("versionAsOf", 1).load(str(path)).count() == 30


@pytest.mark.parametrize("version", ["minReaderVersion", "minWriterVersion"])
def test_new_tables_have_no_default_protocol(spark, version):
    with pytest.raises(PySparkException, match="feature.<name>=supported"):
        spark.conf.set(f"spark.databricks.delta.properties.defaults.{version}", "3")
