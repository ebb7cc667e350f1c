"""Records checkpoints, progress and Delta logs that real Spark 4.2 writes, as fixtures.

usage: .venv-spark/bin/python tests/golden/record_checkpoints.py [--base /data/golden]

Each folder under checkpoints/ is one query: `ck/` its checkpoint, `out/_delta_log` the log of its Delta
table where it has one, `progress.json` (recentProgress as sent), `events.json` (what a listener got).
The queries run under --base, whose path is in some of the files, and is removed afterwards. Hidden .crc
sidecars are left out: Spark accepts files without them.
"""

import argparse
import json
import pathlib
import shutil
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from spark_oracle import oracle_session  # noqa: E402


TEXTS = {"query": [], "events": []}


def hear_json():
    """Keeps the JSON texts that the client gets from the server, before it makes objects of them."""
    from pyspark.sql.connect.streaming import query, readwriter

    class Hearing:
        def __init__(self, key):
            self.key = key

        def loads(self, text):
            is_event = '"progress"' in text[:20] or '"durationMs"' not in text
            TEXTS["events" if is_event else self.key].append(text)
            return json.loads(text)

    query.json = Hearing("query")
    readwriter.json = Hearing("events")


class Recorder:
    def __init__(self, spark, base):
        self.spark = spark
        self.base = base

    def path(self, name, *rest):
        return str(self.base.joinpath(name, *rest))

    def write(self, name, file, text):
        path = self.base / name / "in" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, name, frame, sink, **options):
        """Runs one availableNow query to its end; gives its progress texts as the server sent them."""
        writer = frame.writeStream.option("checkpointLocation", self.path(name, "ck")).options(**options)
        writer = writer.queryName(name).format(sink).trigger(availableNow=True)
        query = writer.start() if sink == "noop" else writer.start(self.path(name, "out"))
        query.awaitTermination()
        TEXTS["query"].clear()
        query.recentProgress
        return list(TEXTS["query"])


def rate(r, sink):
    name = f"rate_micro_batch_to_{sink}"
    progress = []
    for _ in range(3):
        frame = (r.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10)
                 .option("numPartitions", 1).option("startTimestamp", 1000)
                 .option("advanceMillisPerBatch", 1000).load())
        progress += r.run(name, frame, sink)
    return name, progress


def json_to_delta(r):
    name = "json_to_delta"
    progress = []
    for day in range(12):
        r.write(name, f"day {day:02}.json", f'{{"id":{day},"name":"n{day}"}}\n{{"id":{day + 100}}}\n')
        if day in (3, 11):
            frame = (r.spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 1)
                     .json(r.path(name, "in")))
            progress += r.run(name, frame, "delta")
    return name, progress


def json_to_parquet(r):
    name = "json_to_parquet"
    r.write(name, "a.json", '{"id":1}\n')
    r.write(name, "b.json", '{"id":2}\n')
    frame = r.spark.readStream.schema("id long").option("maxFilesPerTrigger", 1).json(r.path(name, "in"))
    return name, r.run(name, frame, "parquet")


def delta_to_delta(r):
    name = "delta_to_delta"
    source = r.path(name, "src")
    progress = []
    for i in range(4):
        r.spark.range(i * 10, i * 10 + 5).coalesce(1).write.format("delta").mode("append").save(source)
        if i in (1, 3):
            frame = r.spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(source)
            progress += r.run(name, frame, "delta")
    return name, progress


def union_of_two(r):
    name = "union_to_noop"
    r.write(name, "a.json", '{"id":1}\n')
    left = r.spark.readStream.schema("id long").json(r.path(name, "in"))
    right = (r.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 2).load()
             .selectExpr("value as id"))
    return name, r.run(name, left.union(right), "noop")


def observed(r):
    name = "observed_to_noop"
    F = __import__("pyspark.sql.functions", fromlist=["functions"])
    r.write(name, "a.json", '{"id":1}\n{"id":5}\n')
    frame = r.spark.readStream.schema("id long").json(r.path(name, "in"))
    frame = frame.observe("stats", F.count("*").alias("n"), F.max("id").alias("top"))
    return name, r.run(name, frame, "noop")


def keep(r, name, progress, events, target):
    folder = target / name
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("ck", "out/_delta_log", "src/_delta_log", "in"):
        source = r.base / name / part
        if source.exists():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns(".*", "_staged_commits"))
    (folder / "progress.json").write_text("\n".join(progress) + "\n")
    (folder / "events.json").write_text("\n".join(events) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default="/data/golden")
    options = parser.parse_args()
    base = pathlib.Path(options.base)
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    spark = oracle_session()

    from pyspark.sql.streaming.listener import StreamingQueryListener

    class Listener(StreamingQueryListener):
        def onQueryStarted(self, event):
            pass

        def onQueryProgress(self, event):
            pass

        def onQueryIdle(self, event):
            pass

        def onQueryTerminated(self, event):
            pass

    hear_json()
    events = TEXTS["events"]
    spark.streams.addListener(Listener())
    recorder = Recorder(spark, base)
    jobs = [lambda r: rate(r, "noop"), lambda r: rate(r, "delta"), lambda r: rate(r, "parquet"),
            json_to_delta, json_to_parquet, delta_to_delta, union_of_two, observed]
    for job in jobs:
        events.clear()
        name, progress = job(recorder)
        deadline = time.monotonic() + 20
        while not any("errorClassOnException" in e for e in events) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(0.5)  # later events of the same query; recording only, no test waits like this
        keep(recorder, name, progress, list(events), HERE / "checkpoints")
        print(f"{name}: {len(progress)} batches")
    spark.stop()
    shutil.rmtree(base)


if __name__ == "__main__":
    main()
