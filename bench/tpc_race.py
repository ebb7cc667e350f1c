"""Race, tpch and tpcds: the queries over Delta tables through Spark Connect; per query the CPU-seconds of each server.

usage: .venv/bin/python bench/run.py tpch [--scale 1] [--rounds 2] [--without-spark] [--without-sail] [--check]

Needs tools/setup_bench.sh. Each engine runs all queries once before a round counts; of the rounds counts the
cheapest. --check compares every answer with Spark's. Spark has two cores and two shuffle partitions.
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

import common
import measure
from common import ROOT

sys.path.insert(0, str(ROOT / "tests"))

from tpc.answers import difference, rows_of  # noqa: E402

DATA = ROOT / "scratch/bench"


def tree_cpu(pid):
    total = 0
    for process in measure.tree(pid):
        try:
            total += measure.cpu_seconds(process)
        except OSError:
            pass
    return total


class Sail:
    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [ROOT / ".venv-bench/bin/sail", "spark", "server", "--ip", "127.0.0.1", "--port", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.remote = f"sc://127.0.0.1:{port}"
        for _ in range(300):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)


class Spark:
    def __init__(self):
        program = ("import sys; sys.path.insert(0, 'tests'); import spark_oracle as o\n"
                   "real = o.oracle_session\no.oracle_session = lambda cores=1, **c: real(cores=2, **c)\no.serve()")
        self.process = subprocess.Popen([ROOT / ".venv-spark/bin/python", "-c", program], cwd=ROOT,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.remote = next(line.split(" ", 1)[1].strip() for line in self.process.stdout if line.startswith("REMOTE "))


class Engine:
    def __init__(self, name):
        from millstream_server import Server, connect

        self.name = name
        self.server = {"millstream": Server, "spark": Spark, "sail": Sail}[name]()
        self.session = connect(self.server.remote, {})
        self.pid = self.server.process.pid

    def load(self, folder):
        for table in sorted(folder.iterdir()):
            self.session.read.format("delta").load(str(table)).createOrReplaceTempView(table.name)

    def run(self, text):
        cpu, started = tree_cpu(self.pid), time.monotonic()
        try:
            answer = rows_of(self.session, text)
        except Exception as error:  # noqa: BLE001: a query that an engine cannot run is told
            return math.inf, math.inf, {"error": str(error)[:200]}
        return tree_cpu(self.pid) - cpu, time.monotonic() - started, answer

    def stop(self):
        if hasattr(self.server, "stop"):
            self.session.stop()
            self.server.stop()
            return
        if self.server.process.stdin:
            self.server.process.stdin.close()
        else:
            self.server.process.terminate()
        self.server.process.wait(30)


def data(kind, scale):
    """Parquet by the generator, and Delta written by ourselves."""
    folder = DATA / f"{kind}-{scale:g}"
    if not (folder / "queries.json").exists():
        subprocess.run([ROOT / ".venv-bench/bin/python", ROOT / "tests/tpc/generate.py", kind, str(scale), folder], check=True)
    delta = DATA / f"{kind}-{scale:g}-delta"
    if not delta.exists():
        making = delta.with_suffix(".making")
        shutil.rmtree(making, ignore_errors=True)
        engine = Engine("millstream")
        for file in sorted(folder.glob("*.parquet")):
            engine.session.read.parquet(str(file)).write.format("delta").save(str(making / file.stem))
        engine.stop()
        making.rename(delta)
    return delta, json.loads((folder / "queries.json").read_text())


def race(name, delta, queries, rounds):
    engine = Engine(name)
    engine.load(delta)
    best = [(math.inf, math.inf, {})] * len(queries)
    for turn in range(rounds + 1):
        for i, text in enumerate(queries):
            got = engine.run(text)
            if turn > 0 or rounds == 0:
                best[i] = min(best[i], got, key=lambda x: x[0])
            if turn == 0:
                best[i] = (best[i][0], best[i][1], got[2])
    peak = int(next(line.split()[1] for line in open(f"/proc/{engine.pid}/status") if line.startswith("VmHWM"))) / 1024
    engine.stop()
    print(f"  {name}: {sum(b[0] for b in best if b[0] < math.inf):.1f} CPU-s, peak of its first process {peak:.0f} MiB", flush=True)
    return best


def mean_ratio(pairs):
    logs = [math.log(max(b, 0.01) / max(a, 0.01)) for a, b in pairs if a < math.inf and b < math.inf]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", nargs="?", default="tpch", choices=["tpch", "tpcds"])
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--without-spark", action="store_true")
    parser.add_argument("--without-sail", action="store_true")
    options = parser.parse_args()
    common.header(f"{options.kind} at scale {options.scale:g}")
    print(f"  load of the machine before: {os.getloadavg()[0]:.1f}")
    delta, queries = data(options.kind, options.scale)
    names = ["millstream"] + ["sail"] * (not options.without_sail) + ["spark"] * (not options.without_spark)
    results = {name: race(name, delta, queries, options.rounds) for name in names}
    ours = results["millstream"]
    print("  query " + " ".join(f"{n:>12}" for n in names) + "   (CPU-seconds, and wall)")
    for i in range(len(queries)):
        cells = " ".join(f"{results[n][i][0]:6.2f} {results[n][i][1]:5.2f}" for n in names)
        note = ""
        if "error" in ours[i][2]:
            note = "FAILED " + ours[i][2]["error"]
        elif "spark" in results and "error" not in results["spark"][i][2]:
            note = difference(results["spark"][i][2], ours[i][2]) or ""
        print(f"  {i + 1:5} {cells}  {note}", flush=True)
    for name, target in (("spark", 5), ("sail", 1)):
        if name in results:
            pairs = [(ours[i][0], results[name][i][0]) for i in range(len(queries))]
            print(common.ratio(f"geometric mean of CPU-seconds, {name} / millstream", mean_ratio(pairs), target))


if __name__ == "__main__":
    main()
