"""Race 10, second half: 100 streams in one process that have nothing to do.

usage: .venv/bin/python bench/run.py idle [--streams 100] [--seconds 20]

Auto Loader streams, each with a folder of 100 files behind it, under the default trigger and under one of a
second: CPU time of the server while nothing comes, and its memory.
"""

import argparse
import os
import pathlib
import shutil
import sys
import time

import common
import measure
from common import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from millstream_server import Server  # noqa: E402


def run(folder, streams, seconds, trigger):
    shutil.rmtree(folder, ignore_errors=True)
    server = Server(warehouse=folder / "warehouse")
    try:
        at_rest = measure.resident(server.process.pid) / 1e6
        spark = server.session()
        queries = []
        for i in range(streams):
            source = folder / f"in/{i}"
            source.mkdir(parents=True)
            for j in range(100):
                (source / f"{j}.json").write_text('{"v":1}\n')
            frame = (spark.readStream.schema("v bigint").format("cloudFiles").option("cloudFiles.format", "json")
                     .load(str(source)))
            queries.append(frame.writeStream.format("delta").option("checkpointLocation", str(folder / f"ck/{i}"))
                           .trigger(**trigger).start(str(folder / f"out/{i}")))
        while any(not any(p.numInputRows for p in q.recentProgress) for q in queries):
            time.sleep(0.2)
        time.sleep(6)  # what has just run is over, and the pauses have their length
        before = measure.cpu_seconds(server.process.pid)
        time.sleep(seconds)
        share = (measure.cpu_seconds(server.process.pid) - before) / seconds
        memory = measure.resident(server.process.pid) / 1e6
        threads = len(os.listdir(f"/proc/{server.process.pid}/task"))
        print(f"  {trigger}: {100 * share:.2f} % of a core, rss {memory:.0f} MB ({at_rest:.0f} MB before the streams), "
              f"{threads} threads", flush=True)
        spark.interruptAll()
        for query in queries:
            query.stop()
        spark.stop()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return share, memory


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "scratch/bench/idle")
    parser.add_argument("--without-spark", action="store_true", help="has no effect: this race has no peer")
    options = parser.parse_args()
    common.header("idle")
    for trigger in ({"processingTime": "0 seconds"}, {"processingTime": "1 second"}):
        share, memory = run(options.scratch, options.streams, options.seconds, trigger)
        print(common.limit("cpu", 100 * share, 1.0, "% of a core"))
        print(common.limit("resident memory", memory, 150, "MB"))


if __name__ == "__main__":
    main()
