"""The whole server dies, as by `kill -9`, at each step that has a failpoint; what follows loses and doubles nothing."""

import json
import os
import pathlib
import re
import subprocess

import deltalake
import pytest
from millstream_server import BINARY, ROOT, Server
from pyspark.errors import PySparkException

# Steps of a change of rows, which a stream does not take.
OF_CHANGES = {"delta.deletion_vectors"}
# Steps of V2 checkpoints.
OF_CHECKPOINTS = {"delta.sidecar"}
STEPS = sorted({name for path in (ROOT / "src").rglob("*.cc") if not path.stem.endswith("_test")
                for name in re.findall(r'failpoints::pass\("([\w.]+)"\)', path.read_text())} - OF_CHANGES - OF_CHECKPOINTS)


def test_each_step_of_the_loop_has_one():
    """Offsets, the sources' lists and schemas, data, the table's commit, commits: before, between and after."""
    header = (ROOT / "src/stream/run.h").read_text()
    assert set(re.findall(r'"(stream\.\w+)"', header)) <= set(STEPS)
    assert {"stream.after_metadata", "loader.after_first_schema", "loader.after_discovery", "loader.after_schema",
            "source.after_file_log", "delta.data_file", "delta.after_data", "delta.before_commit",
            "delta.after_commit", "store.before_publish", "store.after_publish"} <= set(STEPS)


def write_input(folder):
    """The newest file, from which the schema is inferred, lacks a column that an older one has."""
    folder.mkdir()
    rows = [{"id": 0}, {"id": 1}, {"id": 2, "extra": "x"}, {"id": 3}, {"id": 4}]
    for i, row in enumerate(rows):
        path = folder / f"{i}.json"
        path.write_text(json.dumps(row) + "\n")
        os.utime(path, (1_700_000_000 + i,) * 2)
    return [(str(r["id"]), r.get("extra")) for r in rows]


def start(server, folder, source):
    spark = server.session(**{"spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles": "1"})
    if source == "cloud":
        frame = (spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
                 .option("cloudFiles.maxFilesPerTrigger", 1)
                 .option("cloudFiles.schemaLocation", str(folder / "ck")).load(str(folder / "in")))
    else:
        frame = (spark.readStream.schema("id string, extra string").option("maxFilesPerTrigger", 1)
                 .json(str(folder / "in")))
    return (frame.writeStream.format("delta").option("checkpointLocation", str(folder / "ck"))
            .option("mergeSchema", "true").trigger(availableNow=True).start(str(folder / "out")))


def finish(server, folder, source):
    """The program as its users run it: again when a new column has stopped it."""
    for _ in range(3):
        try:
            start(server, folder, source).awaitTermination()
            return
        except PySparkException as error:
            assert "UNKNOWN_FIELD_EXCEPTION" in str(error), error
    pytest.fail("a new column stops the query more than once")


def run_until_it_dies(server, folder, source):
    for _ in range(3):  # a new column stops the first run
        try:
            start(server, folder, source).awaitTermination()
        except Exception:  # noqa: BLE001: whatever a client sees of a server that dies
            pass
        try:
            server.process.wait(0.5)
            return
        except subprocess.TimeoutExpired:
            continue


@pytest.mark.parametrize("step", STEPS)
def test_crash(server, tmp_path, step):
    source = "files" if step.startswith("source.") else "cloud"
    expected = write_input(tmp_path / "in")
    dying = Server(env={"MILLSTREAM_FAILPOINTS": f"{step}=crash"})
    try:
        run_until_it_dies(dying, tmp_path, source)
    finally:
        code = dying.process.poll()
        dying.kill()
    assert code == 137, f"{step} was not reached"
    finish(server, tmp_path, source)
    table = deltalake.DeltaTable(str(tmp_path / "out")).to_pyarrow_table()
    rows = sorted(zip(table["id"].to_pylist(), table["extra"].to_pylist()))
    assert rows == expected
    hidden = [p for p in pathlib.Path(tmp_path).rglob("*.tmp") if not p.name.startswith(".")]
    assert not hidden, "a temporary file that readers would see"


def sql(warehouse, text, **env):
    """`millstream sql` in a process of its own, as a transaction that is committed once."""
    conf = ["--conf", "spark.databricks.delta.write.txnAppId=job", "--conf", "spark.databricks.delta.write.txnVersion=1"]
    return subprocess.run([str(BINARY), "sql", "--warehouse", str(warehouse), *(conf if env.pop("once", True) else []), "-e", text],
                          env={**os.environ, **env}, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("step", ["delta.data_file", "delta.after_data", "delta.before_commit", "delta.after_commit",
                                  "store.before_publish", "store.after_publish"])
def test_crash_in_a_merge(tmp_path, step):
    """The old version or the new one; and the statement run again is in the table once."""
    table = tmp_path / "t"
    made = sql(tmp_path / "w", f"CREATE TABLE delta.`{table}` (k INT, n INT) USING delta; "
                               f"INSERT INTO delta.`{table}` VALUES (1, 0), (2, 0)", once=False)
    assert made.returncode == 0, made.stderr
    merge = (f"MERGE INTO delta.`{table}` t USING (SELECT explode(array(2, 3)) AS k) s ON t.k = s.k "
             "WHEN MATCHED THEN UPDATE SET n = t.n + 1 WHEN NOT MATCHED THEN INSERT (k, n) VALUES (s.k, 1)")
    assert sql(tmp_path / "w", merge, MILLSTREAM_FAILPOINTS=f"{step}=crash").returncode not in (0, 1)

    def rows():
        return sorted(tuple(r.values()) for r in deltalake.DeltaTable(str(table)).to_pyarrow_table().to_pylist())

    new = [(1, 0), (2, 1), (3, 1)]
    assert rows() == (new if step in ("delta.after_commit", "store.after_publish") else [(1, 0), (2, 0)])
    again = sql(tmp_path / "w", merge)
    assert again.returncode == 0, again.stderr
    assert rows() == new


@pytest.mark.parametrize("step", sorted(OF_CHANGES) + ["delta.after_data", "delta.before_commit", "delta.after_commit"])
def test_crash_while_rows_are_marked_as_gone(server, tmp_path, step):
    table = f"delta.`{tmp_path / 't'}`"
    spark = server.session()
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING delta TBLPROPERTIES (delta.enableDeletionVectors = true)")
    spark.range(100).coalesce(1).write.format("delta").mode("append").save(str(tmp_path / "t"))
    dying = Server(env={"MILLSTREAM_FAILPOINTS": f"{step}=crash"})
    try:
        dying.session().sql(f"DELETE FROM {table} WHERE id % 10 = 0").collect()
    except Exception:  # noqa: BLE001: whatever a client sees of a server that dies
        pass
    try:
        dying.process.wait(5)
    except subprocess.TimeoutExpired:
        pytest.fail(f"{step} was not reached")
    kept = spark.read.format("delta").load(str(tmp_path / "t")).count()
    assert kept == (90 if step == "delta.after_commit" else 100)
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 0").collect()
    assert sorted(row.id for row in spark.sql(f"SELECT * FROM {table}").collect()) == [i for i in range(100) if i % 10]
    spark.stop()


@pytest.mark.parametrize("step", sorted(OF_CHECKPOINTS))
def test_crash_in_a_checkpoint(tmp_path, step):
    """The commit is there, the checkpoint is not; the next one is."""
    table = f"delta.`{tmp_path / 't'}`"
    made = sql(tmp_path / "w", f"CREATE TABLE {table} (k INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '1')",
               once=False)
    assert made.returncode == 0, made.stderr
    insert = f"INSERT INTO {table} VALUES (1), (2)"
    assert sql(tmp_path / "w", insert, MILLSTREAM_FAILPOINTS=f"{step}=crash").returncode not in (0, 1)
    log = tmp_path / "t/_delta_log"
    assert not list(log.glob("*.checkpoint.*"))
    assert deltalake.DeltaTable(str(tmp_path / "t")).version() == 1
    again = sql(tmp_path / "w", insert, once=False)
    assert again.returncode == 0, again.stderr
    assert len(list(log.glob("*.checkpoint.*.json"))) <= 1
    found = deltalake.QueryBuilder().register("t", deltalake.DeltaTable(str(tmp_path / "t"))).execute("SELECT k FROM t").read_all()
    assert sorted(found["k"].to_pylist()) == [1, 1, 2, 2]
