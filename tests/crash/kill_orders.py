"""Kills the pipeline of examples/orders with SIGKILL at random moments; at the end its tables equal a recomputation from the files.

usage: kill_orders.py [--rounds 200] [--seed N] [--folder DIR]

Each round lands some files, starts a server and the pipeline, and kills the server after a random time: before, in or after a
batch, in the Python function, between its two writes, or in one of their commits. A failing run prints the command that
repeats its choices and keeps its folder.
"""

import argparse
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "examples/orders")]

import check  # noqa: E402
import events  # noqa: E402
import pipeline  # noqa: E402
from millstream_server import Server  # noqa: E402

LINES_PER_FILE = 50


def start(server, folder):
    """Both queries, silver in batches of one file."""
    spark = server.session()
    return pipeline.start(spark, str(folder), files_per_batch=1), pipeline.start_gold(spark, str(folder))


def killed_round(folder, rand):
    server = Server(warehouse=folder / "warehouse")
    try:
        start(server, folder)  # a second or two: a Python process starts
        time.sleep(rand.expovariate(1 / 0.5))
    finally:
        server.kill()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--folder")
    options = parser.parse_args()
    rand = random.Random(options.seed)
    folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="crash-orders-"))
    replay = f"kill_orders.py --rounds {options.rounds} --seed {options.seed}"
    print(f"replay: {replay}", flush=True)
    landing = folder / "landing"
    landing.mkdir(parents=True)
    lines = events.events(options.rounds * 60, rand)
    files = [lines[i:i + LINES_PER_FILE] for i in range(0, len(lines), LINES_PER_FILE)]
    landed = 0
    for number in range(options.rounds):
        until = len(files) * (number + 1) // (options.rounds + 1)
        for i in range(landed, until):
            events.land(landing, f"{i:05}.json", files[i])
        landed = until
        killed_round(folder, rand)
        if number % 25 == 24:
            print(f"round {number + 1}: {landed} files so far", flush=True)
    for i in range(landed, len(files)):
        events.land(landing, f"{i:05}.json", files[i])
    server = Server(warehouse=folder / "warehouse")
    try:
        for query in start(server, folder):
            query.awaitTermination()
        pipeline.start_gold(server.session(), str(folder)).awaitTermination()  # what came last into silver
    finally:
        server.stop()
    found = check.differences(folder)
    if found:
        sys.exit("\n".join(found) + f"\nkept in {folder}\nreplay: {replay}")
    batches = len(list((folder / "checkpoint/commits").glob("[0-9]*")))
    print(f"{options.rounds} kills, {len(lines)} events, {batches} batches: the tables equal a recomputation, gold a replay of the changes")
    if not options.folder:
        shutil.rmtree(folder)


if __name__ == "__main__":
    try:
        main()
        code = 0
    except SystemExit as stop:
        print(stop.code, file=sys.stderr)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the clients of killed servers have threads and exit handlers that wait for them
