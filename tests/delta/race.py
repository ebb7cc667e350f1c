"""Processes of several engines change one Delta table at once; what they were told is compared with the table.

usage: .venv/bin/python tests/delta/race.py [--seconds 60] [--ours 3] [--deltalake 3] [--spark 2]

Spark needs tools/setup_spark.sh. Each of ours and of Spark is one client process; ours have two servers.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import deltalake  # noqa: E402
from concurrent_appends import engines, versions  # noqa: E402
from millstream_server import ROOT, Server  # noqa: E402


def spark_server():
    process = subprocess.Popen([str(ROOT / ".venv-spark/bin/python"), str(HERE.parent / "spark_oracle.py")],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if line.startswith("REMOTE "):
            return process, line.split()[1]
    raise SystemExit("Spark did not start")


def raced(path, racers, seconds):
    """Lets `racers` (engines of racer.py) change the table at `path`; what each of them tells."""
    processes = [subprocess.Popen([sys.executable, str(HERE / "racer.py"), engine, path, str(number), str(seconds)],
                                  stdout=subprocess.PIPE, text=True)
                 for number, engine in enumerate(racers)]
    return [json.loads(process.communicate()[0].splitlines()[-1]) for process in processes]


def differences(path, told, session):
    """What is wrong with the table after the race; empty if nothing is."""
    wrong = [error for racer in told for error in racer["errors"]]
    expected = sorted((int(k), v) for racer in told for k, v in racer["rows"].items())
    table = deltalake.DeltaTable(path).to_pyarrow_table()
    readers = {"deltalake": sorted(zip(table["k"].to_pylist(), table["v"].to_pylist())),
               "ours": sorted(tuple(row) for row in session.read.format("delta").load(path).collect())}
    for reader, rows in readers.items():
        if rows != expected:
            missing, extra = set(expected) - set(rows), set(rows) - set(expected)
            wrong.append(f"{reader}: {len(rows)} rows, not {len(expected)}; lost {sorted(missing)[:5]}, "
                         f"too many {sorted(extra)[:5]}")
    log = versions(path)
    if log != list(range(log[0], log[0] + len(log))):
        wrong.append("versions are missing")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    for name, count in (("ours", 3), ("deltalake", 3), ("spark", 2)):
        parser.add_argument(f"--{name}", type=int, default=count)
    options = parser.parse_args()
    servers = [Server(), Server()]
    session = servers[0].session()
    path = str(pathlib.Path(tempfile.mkdtemp(prefix="race-"), "t"))
    session.sql(f"CREATE TABLE delta.`{path}` (k BIGINT, v BIGINT) USING delta")
    racers = [servers[i % 2].remote for i in range(options.ours)] + ["deltalake"] * options.deltalake
    spark = None
    if options.spark:
        spark, remote = spark_server()
        racers += [remote] * options.spark
    told = raced(path, racers, options.seconds)
    wrong = differences(path, told, session)
    for racer, engine in zip(told, racers):
        kind = "deltalake" if engine == "deltalake" else "ours" if "127.0.0.1" in engine else "spark"
        print(f"  {kind:10} {racer['commits']} commits, {racer['lost']} lost races, {len(racer['rows'])} rows")
    print(f"{len(versions(path))} versions by {', '.join(sorted(engines(path)))}")
    for line in wrong:
        print("WRONG:", line)
    session.stop()
    for server in servers:
        server.stop()
    if spark is not None:
        spark.stdin.close()
        spark.wait(60)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
