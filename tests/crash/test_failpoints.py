"""The whole server dies, as by `kill -9`, at each step that has a failpoint; what follows loses and doubles nothing."""

import json
import os
import pathlib
import re
import subprocess

import deltalake
import pytest
from millstream_server import ROOT, Server
from pyspark.errors import PySparkException

STEPS = sorted({name for path in (ROOT / "src").rglob("*.cc") if not path.stem.endswith("_test")
                for name in re.findall(r'failpoints::pass\("([\w.]+)"\)', path.read_text())})


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
