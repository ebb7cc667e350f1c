"""Race, spill: sort, aggregation and join of 10 GB under a memory limit of 1 GiB, with the process' peak.

usage: .venv/bin/python bench/spill.py [--gigabytes 10] [--memory 1g] [--only sort|aggregate|join]

The input is made by the engine itself (range and texts) and so is not held anywhere. The peak is of the whole
process: the engine's limit and what the rest of the server needs.
"""

import argparse
import pathlib
import sys
import time

import common
import measure
from common import ROOT

sys.path.insert(0, str(ROOT / "tests"))
ROW_BYTES = 100


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gigabytes", type=float, default=10)
    parser.add_argument("--memory", default="1g")
    parser.add_argument("--only", choices=["sort", "aggregate", "join"])
    options = parser.parse_args()
    from millstream_server import Server
    from pyspark.sql import functions as F

    common.header(f"spill, {options.gigabytes:g} GB under {options.memory}")
    rows = int(options.gigabytes * 1e9 / ROW_BYTES)
    server = Server(extra=["--memory", options.memory])
    session = server.session()

    def wide(count):
        return session.range(count).select(
            ((F.col("id") * 2654435761) % 4_000_000_007).alias("k"),
            F.concat(F.lit("x" * 70), F.col("id").cast("string")).alias("v"))

    half = rows // 2
    work = {
        "sort": lambda: len(wide(rows).sort("k").offset(rows - 1).collect()),
        "aggregate": lambda: wide(rows).groupBy("k").agg(F.max("v").alias("m")).agg(F.count("m")).collect()[0][0],
        "join": lambda: wide(half).join(wide(half).withColumnRenamed("v", "w"), "k").where("v = w").count(),
    }
    expected = {"sort": 1, "aggregate": rows, "join": half}
    for name, run in work.items():
        if options.only not in (None, name):
            continue
        cpu, started = measure.cpu_seconds(server.process.pid), time.monotonic()
        try:
            got = run()
            state = "right" if got == expected[name] else f"WRONG: {got}, not {expected[name]}"
        except Exception as error:  # noqa: BLE001: what fails is told
            state = f"FAILED: {str(error)[:200]}"
        text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        peak = int(next(x.split()[1] for x in text.splitlines() if x.startswith("VmHWM"))) / 1024
        print(f"  {name:10} {time.monotonic() - started:7.1f} s, {measure.cpu_seconds(server.process.pid) - cpu:7.1f} "
              f"CPU-s, peak so far {peak:.0f} MiB, {state}", flush=True)
    session.stop()
    server.stop()


if __name__ == "__main__":
    main()
