"""Race 1, drain: JSON files -> Delta. Ours, Spark 4.2 -> Delta, DuckDB read_json -> Parquet, in turn.

usage: .venv/bin/python bench/drain.py [--set bids8|bids4000|flights|all] [--schema given|inferred|both]
       [--rounds 2] [--rows N] [--without-spark]

Against Spark counts what the engine and its client spend between the start of the drain and its end; Spark has
drained a smaller input before. Against DuckDB count whole processes, Python and imports included.
"""

import argparse
import json
import shutil
import sys
import time

import common
import data
import measure
from common import BINARY, ROOT

OUT = ROOT / "scratch/bench/out"
DUCK_TYPES = {"long": "BIGINT", "string": "VARCHAR", "timestamp": "TIMESTAMP"}


def duck_columns(schema):
    return {name: DUCK_TYPES[kind] for name, kind in (c.split() for c in schema.split(","))}


class Race:
    def __init__(self, name, folder, schema, key, inferred, warm_up):
        self.name, self.folder, self.schema, self.key = name, folder, schema, key
        self.inferred, self.warm_up = inferred, warm_up
        self.expected = common.fingerprint_json(folder, key)
        self.rows = self.expected[0]

    def engines(self, without_spark):
        yield "millstream", self.ours
        if not without_spark:
            yield "spark", self.spark
        yield "duckdb", self.duckdb

    def program(self, engine, out):
        schema = "-" if self.inferred else self.schema
        return [ROOT / "bench/programs/drain.py", engine, self.folder, out, schema]

    def ours(self, out):
        return self.drained(out, [BINARY, "run", *self.program("millstream", out)])

    def spark(self, out):
        return self.drained(out, [ROOT / ".venv-spark/bin/python", *self.program("spark", out), self.warm_up])

    def drained(self, out, command):
        cost = measure.run(command)
        line = next(x for x in cost.output.splitlines() if x.startswith("RESULT "))
        return cost, json.loads(line[len("RESULT "):]), common.fingerprint_delta(out, self.key)

    def duckdb(self, out):
        columns = "-" if self.inferred else json.dumps(duck_columns(self.schema))
        out.mkdir()
        file = out / "all.parquet"
        cost = measure.run([sys.executable, ROOT / "bench/programs/duckdb_copy.py", self.folder, file, columns])
        return cost, {}, common.fingerprint_parquet(file, self.key)

    def run(self, rounds, without_spark):
        results = {}
        for number in range(rounds):
            for engine, action in self.engines(without_spark):
                shutil.rmtree(OUT, ignore_errors=True)
                OUT.mkdir(parents=True)
                cost, drain, found = action(OUT / "table")
                if found != self.expected:
                    raise SystemExit(f"{engine}: output differs: {found}, expected {self.expected}")
                cpu = drain.get("cpu_s", cost.cpu_s)
                results.setdefault(engine, []).append((cpu, cost))
                print(f"  {self.name} round {number + 1} {engine:10} {self.rows / cpu:12,.0f} rows/cpu-s"
                      f" (whole run {self.rows / cost.cpu_s:,.0f})  cpu {cpu:7.2f} s ({cost.cpu_s:.2f})"
                      f"  wall {drain.get('wall_s', cost.wall_s):6.2f} s"
                      f"  rss {cost.process_rss_mb:5.0f} MB (tree {cost.tree_rss_mb:.0f})"
                      f"  wrote {common.tree_mb(OUT):.0f} MB", flush=True)
        shutil.rmtree(OUT, ignore_errors=True)
        self.report(results)

    def report(self, results):
        drain = {e: min(cpu for cpu, _ in runs) for e, runs in results.items()}
        whole = {e: min(cost.cpu_s for _, cost in runs) for e, runs in results.items()}
        what = f"{self.name}: rows per cpu-second, millstream"
        if "spark" in results:
            print(common.ratio(f"{what} / spark", drain["spark"] / drain["millstream"], 12))
            print(f"{what} / spark over whole runs, start and warm-up of the JVM included:"
                  f" {whole['spark'] / whole['millstream']:.2f}")
        print(common.ratio(f"{what} / duckdb", whole["duckdb"] / whole["millstream"], 1.3))
        rss = max(cost.process_rss_mb for _, cost in results["millstream"])
        print(common.limit(f"{self.name}: peak RSS", rss, 300, "MB"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--set", choices=["bids8", "bids4000", "flights", "all"], default="all")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=data.BIDS)
    parser.add_argument("--schema", choices=["given", "inferred", "both"], default="both")
    parser.add_argument("--without-spark", action="store_true")
    options = parser.parse_args()
    common.header("drain")
    warm_up = data.bids(80_000)
    sets = {
        "bids8": lambda: (data.bids(options.rows), data.BID_SCHEMA, "price"),
        "bids4000": lambda: (data.bids_in_many_files(options.rows), data.BID_SCHEMA, "price"),
        "flights": lambda: (data.flights(), data.FLIGHT_SCHEMA, "distance"),
    }
    for name, make in sets.items():
        if options.set not in (name, "all"):
            continue
        folder, schema, key = make()
        for kind in ("given", "inferred"):
            if options.schema in (kind, "both"):
                race = Race(f"{name}, schema {kind}", folder, schema, key, kind == "inferred", warm_up)
                race.run(options.rounds, options.without_spark)
                time.sleep(1)


if __name__ == "__main__":
    main()
