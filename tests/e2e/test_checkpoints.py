"""Checkpoints: what a restart does after crashes, with damaged files, with another program."""

import json
import os

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from streams import batches, change_entry, remove_entry


def three_batches(work):
    for i in range(3):
        work.write(f"{i}.json", f'{{"v":{i}}}\n')
    work.run(work.files("v int", maxFilesPerTrigger=1))
    assert work.rows() == [(0,), (1,), (2,)]


def again(work):
    return work.run(work.files("v int", maxFilesPerTrigger=1))


def log_names(folder):
    return sorted(n for n in os.listdir(folder) if not n.startswith("."))


def test_layout_is_sparks(work):
    three_batches(work)
    identity = json.loads((work.checkpoint / "metadata").read_text())
    assert list(identity) == ["id"] and len((work.checkpoint / "metadata").read_bytes()) == 45
    assert log_names(work.checkpoint / "offsets") == ["0", "1", "2"]
    assert log_names(work.checkpoint / "commits") == ["0", "1", "2"]
    assert (work.checkpoint / "commits/1").read_text() == 'v1\n{"nextBatchWatermarkMs":0}'
    version, meta, offset = (work.checkpoint / "offsets/2").read_text().split("\n")
    assert version == "v1" and offset == '{"logOffset":2}'
    assert set(json.loads(meta)) == {"batchWatermarkMs", "batchTimestampMs", "conf"}
    entry = (work.checkpoint / "sources/0/1").read_text().split("\n")
    assert entry[0] == "v1"
    parsed = json.loads(entry[1])
    assert parsed["batchId"] == 1 and parsed["path"].startswith("file:///")


def test_ck01_metadata_missing(work):
    three_batches(work)
    remove_entry(work.checkpoint / "metadata")
    remove_entry(work.checkpoint / "commits/2")
    with pytest.raises(PySparkException) as error:
        again(work)
    assert "STREAMING_CHECKPOINT_MISSING_METADATA_FILE" in str(error.value)
    assert len(work.rows()) == 3


@pytest.mark.parametrize("log", ["offsets", "commits"])
def test_ck02_zero_byte_newest_log_file(work, log):
    three_batches(work)
    path = work.checkpoint / log / "2"
    saved = path.read_bytes()
    change_entry(path, b"")
    with pytest.raises(PySparkException) as error:
        again(work)
    assert f"{log}/2" in str(error.value) and "ncomplete" in str(error.value)
    change_entry(path, saved)
    work.write("3.json", '{"v":3}\n')
    again(work)
    assert work.rows() == [(0,), (1,), (2,), (3,)]


def test_ck04_a_hole_in_the_offset_log(work):
    three_batches(work)
    remove_entry(work.checkpoint / "offsets/1")
    with pytest.raises(PySparkException) as error:
        again(work)
    assert "1" in str(error.value) and "offset" in str(error.value).lower()
    assert len(work.rows()) == 3


def test_ck05_leftover_temporary_files(work):
    three_batches(work)
    for name in (".3.abc.tmp", "3.tmp", "notanumber"):
        (work.checkpoint / "offsets" / name).write_text("junk")
        (work.checkpoint / "commits" / name).write_text("junk")
    work.write("3.json", '{"v":3}\n')
    query = again(work)
    assert [b for b, _ in batches(query)] == [3]
    assert work.rows() == [(0,), (1,), (2,), (3,)]


def test_ck08_crash_after_the_sink_before_the_commit(work):
    three_batches(work)
    remove_entry(work.checkpoint / "commits/2")
    versions = len([n for n in os.listdir(work.out / "_delta_log") if n.endswith(".json")])
    query = again(work)
    assert query.recentProgress[0].batchId == 2
    assert work.rows() == [(0,), (1,), (2,)]
    assert len([n for n in os.listdir(work.out / "_delta_log") if n.endswith(".json")]) == versions


def test_crash_before_the_sink(work):
    three_batches(work)
    work.write("3.json", '{"v":3}\n')
    again(work)
    # The table loses the last version and the checkpoint its commit: as if the batch had only been planned.
    remove_entry(work.checkpoint / "commits/3")
    remove_entry(work.out / "_delta_log" / f"{3:020}.json")
    if (work.out / "_delta_log" / f"{3:020}.crc").exists():
        remove_entry(work.out / "_delta_log" / f"{3:020}.crc")
    query = again(work)
    assert [b for b, _ in batches(query)] == [3]
    assert work.rows() == [(0,), (1,), (2,), (3,)]


def test_ck10_log_of_a_newer_version(work):
    three_batches(work)
    path = work.checkpoint / "offsets/2"
    change_entry(path, path.read_bytes().replace(b"v1\n", b"v9\n", 1))
    with pytest.raises(PySparkException) as error:
        again(work)
    assert "offsets/2" in str(error.value) and "9" in str(error.value)
    assert "INVALID_LOG_VERSION" in str(error.value) or "version" in str(error.value)


def test_ck11_a_union_gains_a_branch(work, tmp_path):
    work.write("1.json", '{"v":1}\n')
    work.run(work.files("v int"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "1.json").write_text('{"v":9}\n')
    with pytest.raises(PySparkException) as error:
        work.run(work.files("v int").union(work.files("v int", path=other)))
    assert "1" in str(error.value) and "2" in str(error.value)
    assert work.rows() == [(1,)]


def test_checkpoint_of_another_sink_is_not_replayed(work, tmp_path):
    """A new table under an old checkpoint gets only what is new: the checkpoint decides."""
    three_batches(work)
    work.write("3.json", '{"v":3}\n')
    other = tmp_path / "second"
    query = (work.files("v int").writeStream.format("delta").option("checkpointLocation", str(work.checkpoint))
             .trigger(availableNow=True).start(str(other)))
    query.awaitTermination()
    assert [tuple(r) for r in work.spark.read.format("delta").load(str(other)).collect()] == [(3,)]


def test_unwritable_checkpoint_names_the_path(work):
    work.write("1.json", '{"v":1}\n')
    blocker = work.folder / "file"
    blocker.write_text("not a folder")
    with pytest.raises(PySparkException) as error:
        work.run(work.files("v int"), checkpoint=blocker / "ck")
    assert str(blocker) in str(error.value)


def test_second_query_on_one_checkpoint_takes_over(work):
    """Spark's default: the newer start of the same query stops the older run."""
    frame = lambda: work.spark.readStream.format("rate").option("rowsPerSecond", 1).load()  # noqa: E731
    first = work.start(frame(), sink="noop", trigger={"processingTime": "1 second"})
    try:
        second = work.start(frame(), sink="noop", trigger={"processingTime": "1 second"})
    except PySparkException as error:
        assert str(first.id) in str(error)
    else:
        assert second.id == first.id and second.runId != first.runId
        assert not first.isActive
        second.stop()
    finally:
        first.stop()


def test_checkpoint_in_use_by_another_process_is_refused(work, server, tmp_path):
    from millstream_server import Server

    frame = work.spark.readStream.format("rate").option("rowsPerSecond", 1).load()
    first = work.start(frame, sink="noop", trigger={"processingTime": "1 second"})
    other = Server()
    try:
        session = other.session()
        with pytest.raises(PySparkException) as error:
            query = (session.readStream.format("rate").option("rowsPerSecond", 1).load().writeStream.format("noop")
                     .option("checkpointLocation", str(work.checkpoint)).trigger(processingTime="1 second").start())
            query.awaitTermination(20)
        text = str(error.value)
        assert str(first.id) in text or str(server.process.pid) in text or str(work.checkpoint) in text
    finally:
        first.stop()
        other.stop()


def test_file_source_log_is_compacted_as_sparks(work):
    for i in range(12):
        work.write(f"{i:02}.json", f'{{"v":{i}}}\n')
    work.run(work.files("v int", maxFilesPerTrigger=1))
    names = log_names(work.checkpoint / "sources/0")
    assert "9.compact" in names
    lines = (work.checkpoint / "sources/0/9.compact").read_text().strip().split("\n")
    assert len(lines) == 11 and lines[0] == "v1"
    work.write("12.json", '{"v":12}\n')
    work.run(work.files("v int", maxFilesPerTrigger=1))
    assert work.rows() == [(i,) for i in range(13)]


def test_failed_batch_is_run_again_with_the_same_files(work):
    work.write("1.json", '{"v":0}\n')
    with pytest.raises(StreamingQueryException):
        work.run(work.files("v int").selectExpr("10 div v as q"))
    work.write("2.json", '{"v":5}\n')
    query = work.run(work.files("v int").selectExpr("v as q"))
    assert batches(query) == [(0, 1), (1, 1)]
