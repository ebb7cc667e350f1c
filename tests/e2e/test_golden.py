"""Our checkpoints, progress and commits beside those that Spark wrote (tests/golden/checkpoints)."""

import json
import os
import pathlib
import re
import shutil

import pytest

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden/checkpoints"


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*")
                  if p.is_file() and not any(part.startswith(".") for part in p.relative_to(folder).parts))


def masked(text, base):
    """A log file without what may differ: ids, times, the folder."""
    text = text.replace(str(base), "$BASE").replace("/data/golden/json_to_delta", "$BASE")
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "$UUID", text)
    return re.sub(r'("(?:batchTimestampMs|timestamp)":)\d{13}', r"\1$TIME", text)


def assert_same_log(ours, theirs, base):
    """Byte for byte, but for the order of the keys inside `conf`, which Spark leaves open."""
    mine, golden = masked(ours, base).split("\n"), masked(theirs, base).split("\n")
    assert len(mine) == len(golden)
    for a, b in zip(mine, golden):
        if '"conf"' in b:
            head_a, head_b = a.split('"conf"')[0], b.split('"conf"')[0]
            assert head_a == head_b
            assert json.loads(a.replace("$TIME", "0")) == json.loads(b.replace("$TIME", "0"))
        else:
            assert a == b


def json_to_delta(work):
    """The program of record_checkpoints.py."""
    queries = []
    for day in range(12):
        work.write(f"day {day:02}.json", f'{{"id":{day},"name":"n{day}"}}\n{{"id":{day + 100}}}\n')
        if day in (3, 11):
            frame = work.files("id long, name string", maxFilesPerTrigger=1)
            queries.append(work.run(frame, name="json_to_delta"))
    return queries


def progress_texts(query, monkeypatch):
    """recentProgress as the server sent it: the client's objects lose the order of the keys."""
    from pyspark.sql.connect.streaming import query as module

    texts = []

    class Hearing:
        @staticmethod
        def loads(text):
            texts.append(text)
            return json.loads(text)

    with monkeypatch.context() as patch:
        patch.setattr(module, "json", Hearing)
        query.recentProgress
    return [t for t in map(json.loads, texts) if sum(s["numInputRows"] for s in t["sources"])]


def test_file_to_delta_checkpoint(work, monkeypatch):
    work.spark.conf.set("spark.sql.shuffle.partitions", "2")
    queries = json_to_delta(work)
    golden = GOLDEN / "json_to_delta/ck"
    assert files(work.checkpoint) == files(golden)
    for name in files(golden):
        if name.startswith("sources/"):
            # Which file comes first within one millisecond is open: only form and count are compared.
            mine = (work.checkpoint / name).read_text().split("\n")
            theirs = (golden / name).read_text().split("\n")
            assert len(mine) == len(theirs) and mine[0] == theirs[0]
            for line in mine[1:]:
                assert re.fullmatch(r'\{"path":"file:///[^"]*/in/day%20\d\d\.json","timestamp":\d{13},"batchId":\d+\}',
                                    line)
        else:
            assert_same_log((work.checkpoint / name).read_text(), (golden / name).read_text(), work.folder)
    golden_progress = [json.loads(x) for x in (GOLDEN / "json_to_delta/progress.json").read_text().splitlines()]
    ours = [p for q in queries for p in progress_texts(q, monkeypatch)]
    assert len(ours) == len(golden_progress)
    for a, b in zip(ours, golden_progress):
        assert list(a) == list(b)
        assert list(a["sources"][0]) == list(b["sources"][0]) and list(a["sink"]) == list(b["sink"])
        assert a["batchId"] == b["batchId"] and set(a["durationMs"]) == set(b["durationMs"])
        for key in ("startOffset", "endOffset", "latestOffset", "numInputRows"):
            assert a["sources"][0][key] == b["sources"][0][key]


def test_delta_commits_have_sparks_actions(work):
    json_to_delta(work)
    golden = GOLDEN / "json_to_delta/out/_delta_log"
    for name in files(golden):
        if not name.endswith(".json"):
            continue
        ours = [json.loads(x) for x in (work.out / "_delta_log" / name).read_text().splitlines()]
        theirs = [json.loads(x) for x in (golden / name).read_text().splitlines()]
        assert sorted(k for a in ours for k in a) == sorted(k for a in theirs for k in a)
        by_kind = {k: v for a in ours for k, v in a.items()}
        for action in theirs:
            for kind, value in action.items():
                if kind == "txn":
                    assert by_kind["txn"]["version"] == value["version"]
                if kind == "commitInfo":
                    assert by_kind[kind]["operation"] == value["operation"]
                    assert set(value["operationParameters"]) <= set(by_kind[kind]["operationParameters"])
                if kind == "metaData":
                    assert json.loads(by_kind[kind]["schemaString"]) == json.loads(value["schemaString"])
                if kind == "add":
                    stats, golden_stats = json.loads(by_kind[kind]["stats"]), json.loads(value["stats"])
                    assert set(stats) == set(golden_stats)
                    assert stats["numRecords"] == golden_stats["numRecords"]


@pytest.mark.parametrize("sink", ["noop", "delta"])
def test_a_checkpoint_of_spark_is_continued(work, sink):
    """Spark ran batches 0 to 2; ours is batch 3, under the same query id."""
    name = f"rate_micro_batch_to_{sink}"
    shutil.copytree(GOLDEN / name / "ck", work.checkpoint)
    frame = (work.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10)
             .option("numPartitions", 1).option("startTimestamp", 1000)
             .option("advanceMillisPerBatch", 1000).load())
    query = work.run(frame, sink=sink)
    assert str(query.id) == json.loads((GOLDEN / name / "ck/metadata").read_text())["id"]
    assert [p.batchId for p in query.recentProgress if p.numInputRows] == [3]
    assert (work.checkpoint / "offsets/3").read_text().split("\n")[2] == '{"offset":40,"timestamp":5000}'
    golden = json.loads((work.checkpoint / "offsets/2").read_text().split("\n")[1])["conf"]
    assert json.loads((work.checkpoint / "offsets/3").read_text().split("\n")[1])["conf"] == golden
    assert os.listdir(work.checkpoint / "commits").count("3") == 1
    if sink == "delta":
        assert [r[1] for r in work.rows()] == list(range(30, 40)) or len(work.rows()) == 10


def test_listener_events_have_sparks_shape(work):
    from test_triggers import Listener

    texts = [json.loads(x) for x in (GOLDEN / "observed_to_noop/events.json").read_text().splitlines()]
    golden = next(t["progress"] for t in texts if "progress" in t)
    work.write("a.json", '{"id":1}\n{"id":5}\n')
    from pyspark.sql import functions as F

    listener = Listener()
    work.spark.streams.addListener(listener)
    frame = work.files("id long").observe("stats", F.count("*").alias("n"), F.max("id").alias("top"))
    query = work.run(frame, sink="noop", name="observed_to_noop")
    assert listener.ended.wait(20)
    progress = next(e for k, e in listener.events if k == "progress").progress
    assert golden["observedMetrics"] == {"stats": {"n": 2, "top": 5}}
    assert progress.observedMetrics["stats"].asDict() == golden["observedMetrics"]["stats"]
    assert set(progress.durationMs) == set(golden["durationMs"])
    assert json.loads(progress.sources[0].endOffset) == golden["sources"][0]["endOffset"] == {"logOffset": 0}
    assert query.name == golden["name"]
    work.spark.streams.removeListener(listener)
