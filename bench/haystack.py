"""Race 5, haystack: a stream over 1 M files in 1,000 folders, in which each trigger finds 100 new ones.

usage: .venv/bin/python bench/run.py haystack [--files 1000000] [--folders 1000] [--new 100] [--rounds 10]
       [--spark-rounds 3] [--scratch scratch/bench/haystack] [--without-spark]

What counts is the time of discovery (durationMs.latestOffset) and the server's memory.
"""

import argparse
import json
import pathlib
import shutil
import sys

import common
import measure
from common import BINARY, ROOT


def make_files(folder, folders, files):
    for i in range(folders):
        below = folder / f"{i:06}"
        below.mkdir(parents=True)
        for j in range(files // folders):
            with open(f"{below}/part-{j:08}.json", "wb") as file:
                file.write(b'{"v":-1}\n')


def run(engine, options, rounds):
    out = options.scratch / "out"
    for path in (out, options.scratch / "out-ck"):
        shutil.rmtree(path, ignore_errors=True)
    program = [ROOT / "bench/programs/haystack.py", engine, options.scratch / "in", out, rounds, options.new]
    first = [BINARY, "run"] if engine == "millstream" else [ROOT / ".venv-spark/bin/python"]
    cost = measure.run([*first, *program])
    line = next(x for x in cost.output.splitlines() if x.startswith("RESULT "))
    result = json.loads(line[len("RESULT "):])
    p50 = common.percentile(result["ms"], 0.5)
    print(f"  {engine:10}: first listing {result['first_ms']} ms, then p50 {p50} ms, max {max(result['ms'])} ms, "
          f"cpu {cost.cpu_s:.1f} s", flush=True)
    if engine == "millstream":
        verify(out, rounds * options.new)
        print(f"  {engine:10}: rss {result['rss_mb']:.0f} MB, peak {result['peak_mb']:.0f} MB, checkpoint "
              f"{common.tree_mb(options.scratch / 'out-ck'):.0f} MB, idle {100 * result['idle_share_of_core']:.1f} % "
              "of a core", flush=True)
    return p50, result


def verify(out, expected):
    """Each new value once, from 0 on."""
    rows, total, distinct = common.fingerprint_delta(out, "v")
    if (rows, distinct, total) != (expected, expected, expected * (expected - 1) // 2):
        sys.exit(f"the table is wrong: {rows} rows, {distinct} distinct, sum {total}, not {expected}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--folders", type=int, default=1000)
    parser.add_argument("--new", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--spark-rounds", type=int, default=3)
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "scratch/bench/haystack")
    parser.add_argument("--without-spark", action="store_true")
    options = parser.parse_args()
    common.header("haystack")
    shutil.rmtree(options.scratch, ignore_errors=True)
    make_files(options.scratch / "in", options.folders, options.files)
    try:
        ours, result = run("millstream", options, options.rounds)
        print(common.limit("discovery p50", ours / 1000, 0.3, "s"))
        print(common.limit("resident memory", result["rss_mb"], 50, "MB"))
        if not options.without_spark:
            spark, _ = run("spark", options, options.spark_rounds)
            print(common.ratio("discovery, spark / millstream", spark / max(ours, 1), 20))
    finally:
        shutil.rmtree(options.scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
