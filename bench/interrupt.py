"""Race, interrupt: how soon running work of each kind ends after it was interrupted.

usage: .venv/bin/python bench/run.py interrupt [--turns 5] [--memory 1g] [--only NAME]

Two times, from the interrupt's call on: until the client has its error, and until the server computes no more.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import common
from common import ROOT

sys.path.insert(0, str(ROOT / "tests"))
TARGET_MS = 100
QUIET_S = 0.2  # the server's CPU time has not grown for so long: it has stopped


def stopped_after(server, started):
    """Seconds until the server is quiet."""
    last, since = server.cpu_seconds(), time.monotonic()
    while time.monotonic() - since < QUIET_S:
        time.sleep(0.005)
        now = server.cpu_seconds()
        if now > last:
            last, since = now, time.monotonic()
    return since - started


def turn(server, session, work, busy_s):
    """(seconds to the error, seconds to quiet, what it ended by)."""
    from pyspark.errors import PySparkException

    ended = []

    def run():
        try:
            work()
            ended.append("ended by itself")
        except PySparkException as error:
            ended.append(error.getCondition() or str(error))
        ended.append(time.monotonic())

    before = server.cpu_seconds()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while server.cpu_seconds() < before + busy_s and thread.is_alive():
        time.sleep(0.005)
    started = time.monotonic()
    while not session.interruptAll() and thread.is_alive():
        started = time.monotonic()  # it was between two operations
    quiet = stopped_after(server, started)  # the client may still be busy with rows that it has
    thread.join(120)
    if not ended:
        return float("inf"), float("inf"), "does not end"
    return ended[1] - started, quiet, ended[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--memory", default="1g")
    parser.add_argument("--only")
    options = parser.parse_args()
    import endless
    from millstream_server import Server

    common.header(f"interrupt, {options.turns} turns under {options.memory}")
    server = Server(extra=["--memory", options.memory])
    session = server.session()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="millstream-interrupt-"))
    worst = 0
    for name, work in endless.works(session, folder).items():
        if options.only not in (None, name):
            continue
        turns = []
        for i in range(options.turns):
            turns.append(turn(server, session, work, 0.2 + 0.6 * i))
            for written in folder.glob("written-*"):
                shutil.rmtree(written)
        errors, stops, ends = zip(*turns)
        worst = max(worst, *errors)
        states = ", ".join(sorted(set(ends) - {"OPERATION_CANCELED"}))
        print(f"  {name:20} error after {common.percentile(errors, 0.5) * 1000:6.0f} ms p50, {max(errors) * 1000:6.0f} ms at most; "
              f"server quiet after {max(stops) * 1000:6.0f} ms at most  {states}", flush=True)
    print(common.limit("the slowest", worst * 1000, TARGET_MS, "ms"))
    session.stop()
    server.stop()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
