"""Race, spill: sort, aggregation and join of 10 GB under a memory limit of 1 GiB, with the process' peak.

usage: .venv/bin/python bench/spill.py [--gigabytes 10] [--memory 1g] [--only sort|aggregate|join]

The input is made by the engine itself (range and texts) and so is not held anywhere. Of each work it is told whether it
ends and is right, its seconds, and the peak of the whole process: the engine's limit and what the rest of the server needs.
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


def status_mib(pid, field):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(next(x.split()[1] for x in text.splitlines() if x.startswith(field))) / 1024


def written_gb(pid):
    text = pathlib.Path(f"/proc/{pid}/io").read_text()
    return int(next(x.split()[1] for x in text.splitlines() if x.startswith("wchar"))) / 1e9


def tell(name, run, expected, pid, limit):
    """Whether it ends and is right, its seconds, the peak of the process in it, and the limit."""
    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins anew
    cpu, written, started = measure.cpu_seconds(pid), written_gb(pid), time.monotonic()
    try:
        got = run()
        state = "right" if got == expected else f"WRONG: {got}, not {expected}"
    except Exception as error:  # noqa: BLE001: what fails is told
        state = f"FAILED: {str(error)[:200]}"
    print(f"  {name:10} {state}, {time.monotonic() - started:.1f} s, {measure.cpu_seconds(pid) - cpu:.1f} CPU-s, "
          f"{written_gb(pid) - written:.1f} GB spilled, peak {status_mib(pid, 'VmHWM'):.0f} MiB of the process, "
          f"limit {limit} of the engine", flush=True)


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
        if options.only in (None, name):
            tell(name, run, expected[name], server.process.pid, options.memory)
    session.stop()
    server.stop()


if __name__ == "__main__":
    main()
