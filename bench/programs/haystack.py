"""A stream over a folder of very many files, in which each round leaves a few new ones.

usage: haystack.py ENGINE INPUT OUTPUT ROUNDS NEW_FILES
"""

import json
import os
import pathlib
import sys
import time

engine, source, out = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
rounds, new_files = int(sys.argv[4]), int(sys.argv[5])

if engine == "spark":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))
    from spark_oracle import oracle_session

    spark = oracle_session(cores=2, **{"spark.driver.memory": "6g"})
    # It has no way to pass over what is there: it reads that in small batches, and lists all for each.
    frame = (spark.readStream.schema("v bigint").option("recursiveFileLookup", "true")
             .option("maxFilesPerTrigger", new_files).option("maxCachedFiles", 0).json(str(source)))
else:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()
    frame = (spark.readStream.schema("v bigint").format("cloudFiles").option("cloudFiles.format", "json")
             .option("cloudFiles.includeExistingFiles", "false").load(str(source)))


def publish(round_number):
    """New files in as many folders, each written under a hidden name first."""
    folders = sorted(source.iterdir())
    for i in range(new_files):
        value = round_number * new_files + i
        folder = folders[value % len(folders)]
        hidden = folder / f".new-{value}"
        hidden.write_text(f'{{"v":{value}}}\n')
        hidden.rename(folder / f"new-{value}.json")


def wait(query, ready):
    while not ready(query.recentProgress):
        if not query.isActive:
            sys.exit(f"the query failed: {query.exception()}")
        time.sleep(0.05)


def with_rows(progress):
    return [p for p in progress if p.numInputRows]


query = frame.writeStream.format("delta").option("checkpointLocation", out + "-ck").start(out)
if engine == "spark":
    wait(query, lambda progress: len(with_rows(progress)) >= rounds)
else:
    wait(query, lambda progress: progress)
    server = f"/proc/{os.getppid()}"
    for n in range(rounds):
        publish(n)
        wait(query, lambda progress, n=n: sum(p.numInputRows for p in progress) >= (n + 1) * new_files)
progress = query.recentProgress
result = {"first_ms": progress[0].durationMs["latestOffset"],
          "ms": [p.durationMs["latestOffset"] for p in with_rows(progress)]}
if engine != "spark":
    status = dict(line.split(":", 1) for line in open(f"{server}/status"))
    result["rss_mb"] = int(status["VmRSS"].split()[0]) / 1000
    result["peak_mb"] = int(status["VmHWM"].split()[0]) / 1000
    before = open(f"{server}/stat").read().rsplit(")", 1)[1].split()
    time.sleep(5)
    after = open(f"{server}/stat").read().rsplit(")", 1)[1].split()
    ticks = sum(int(after[i]) - int(before[i]) for i in (11, 12))
    result["idle_share_of_core"] = ticks / os.sysconf("SC_CLK_TCK") / 5
query.stop()
print("RESULT " + json.dumps(result), flush=True)
spark.stop()
