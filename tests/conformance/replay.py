"""Replays conformance cases and prints one line for each that differs from Spark.

usage: .venv/bin/python tests/conformance/replay.py [AREA | AREA/CASE ...] [--width 300]

Starts a server of its own (MILLSTREAM_BIN or the release build), again whenever it dies.
"""

import argparse
import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import harness  # noqa: E402
from millstream_server import Server  # noqa: E402


class Replayer:
    """Runs cases one by one against a server that is replaced when a case has ended it."""

    def __init__(self, server=None):
        self.server = server
        self.owned = server is None
        self.session = None
        self.expected = {}  # by area, when the first case of it comes

    def _connect(self):
        if self.owned and (self.server is None or self.server.process.poll() is not None):
            self.server = Server()
            self.session = None
        if self.session is None:
            self.session = self.server.session()

    def run(self, case):
        """The actual result and the difference from the expected one, None if there is none."""
        if case.area not in self.expected:
            self.expected[case.area] = json.loads((harness.EXPECTED / f"{case.area}.json").read_text())
        self._connect()
        actual = harness.run_case(case, self.session)
        process = getattr(self.server, "process", None)
        if process is not None and process.poll() is not None:
            tail = self.server.output()[-1500:]
            return actual, f"the server died with {process.returncode}: {tail}"
        return actual, harness.difference(case, self.expected[case.area][case.name], actual)

    def stop(self):
        if self.owned and self.server is not None:
            self.server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--width", type=int, default=300)
    options = parser.parse_args()
    import logging

    logging.disable(logging.CRITICAL)
    replayer = Replayer()
    totals = collections.Counter()
    for case in (c for a in harness.load_areas() for c in a.cases):
        if options.names and case.area not in options.names and case.id not in options.names:
            continue
        _, difference = replayer.run(case)
        totals["passed" if difference is None else "failed"] += 1
        if difference is not None:
            print(f"{case.id}: {' '.join(difference.split())[: options.width]}", flush=True)
    replayer.stop()
    print(f"{totals['passed']} passed, {totals['failed']} failed")


if __name__ == "__main__":
    main()
