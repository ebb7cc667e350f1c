"""Runs the doctests that come with the stock client against the server and reports the passed share.

usage: .venv/bin/python tests/doctests/run.py [MODULE ...] [--only NAME] [--show] [--write]

A doctest counts as passed when all its examples print what they should. failing.txt lists those that do
not, each with the first thing that went wrong; --write makes it anew. The share is of those that real Spark
Connect passes: failing_on_spark.txt has the others (on_spark.py).
"""

import argparse
import contextlib
import doctest
import importlib
import io
import os
import pathlib
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

MODULES = {
    "functions.builtin": "pyspark.sql.connect.functions.builtin",
    "dataframe": "pyspark.sql.dataframe",
    "column": "pyspark.sql.column",
    "group": "pyspark.sql.connect.group",
    "window": "pyspark.sql.window",
    "readwriter": "pyspark.sql.connect.readwriter",
    "session": "pyspark.sql.connect.session",
    "catalog": "pyspark.sql.connect.catalog",
    "conf": "pyspark.sql.connect.conf",
    "observation": "pyspark.sql.connect.observation",
    "tvf": "pyspark.sql.connect.tvf",
    "types": "pyspark.sql.types",
}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
SECONDS_MAX = 20
FAILING = HERE / "failing.txt"
UNORDERED = HERE / "unordered.txt"
FAILING_ON_SPARK = HERE / "failing_on_spark.txt"

# Where the expected texts were printed.
ZONE = "America/Los_Angeles"


@contextlib.contextmanager
def in_zone(name):
    before = os.environ.get("TZ", "UTC")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        os.environ["TZ"] = before
        time.tzset()


class Slow(Exception):
    pass


def too_slow(*_):
    raise Slow(f"no end after {SECONDS_MAX} s")


def asks_for_order(example):
    """Of the rows; the order within a window says nothing of theirs."""
    lines = [line for line in example.source.lower().splitlines() if "window" not in line]
    return any(word in line for line in lines for word in ("sort", "order"))


def same_rows(want, got):
    """Whether two printed tables differ in the order of their rows at most."""
    want, got = (sorted(" ".join(line.split()) for line in text.strip().splitlines())
                 for text in (want, got))
    return want == got and any(line.startswith("+-") for line in want)


class FirstFailure(doctest.DocTestRunner):
    """Keeps the first thing that goes wrong in a doctest, in one line."""

    def __init__(self):
        super().__init__(verbose=False, optionflags=FLAGS)
        self.reason = None

    def report_start(self, out, test, example):
        pass

    def report_failure(self, out, test, example, got):
        # What prints nothing may have made the DataFrame that this example shows.
        ordered = asks_for_order(example) or any(asks_for_order(made) for made in test.examples if not made.want)
        if not ordered and same_rows(example.want, got):
            return
        self.note(example, "prints something else")

    def report_unexpected_exception(self, out, test, example, exc_info):
        self.note(example, f"{exc_info[0].__name__}: {str(exc_info[1]).strip()}")

    def note(self, example, what):
        if self.reason is None:
            line = " ".join(example.source.split())[:60]
            what = what.replace(str(HERE.parents[1]), "$ROOT")
            self.reason = f"{' '.join(what.split())[:110]} at `{line}`"


def doctests_of(module_name):
    module = importlib.import_module(module_name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = {}
    for test in finder.find(module, module.__name__.rsplit(".", 1)[-1]):
        if test.examples:
            found[test.name.split(".", 1)[-1]] = test
    return found


def run_one(test, session):
    """None when it passes, else the reason."""
    import pyspark.sql.functions as functions

    session.conf.set("spark.sql.session.timeZone", ZONE)
    test.globs = dict(test.globs)
    test.globs.update(spark=session, sf=functions, F=functions)
    runner = FirstFailure()
    signal.signal(signal.SIGALRM, too_slow)
    signal.alarm(SECONDS_MAX)
    try:
        runner.run(test, out=io.StringIO().write, clear_globs=False)
    except Slow as slow:
        runner.reason = str(slow)
    finally:
        signal.alarm(0)
    return runner.reason


def run_module(name, server, only=None):
    """The reasons by doctest; None: passed."""
    results = {}
    for test_name, test in sorted(doctests_of(MODULES[name]).items()):
        if only and only not in test_name:
            continue
        if server.process.poll() is not None:
            raise SystemExit(f"the server died before {name}.{test_name}: {server.output()[-2000:]}")
        with in_zone(ZONE):
            results[test_name] = run_one(test, server.session())
    return results


def listed(path):
    """The doctests of a list: module.name."""
    return {line.split(": ")[0] for line in path.read_text().splitlines() if line and not line.startswith("#")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("modules", nargs="*", default=list(MODULES))
    parser.add_argument("--only")
    parser.add_argument("--show", action="store_true", help="print the reasons")
    parser.add_argument("--write", action="store_true", help="make failing.txt anew")
    options = parser.parse_args()
    import logging

    from millstream_server import Server

    logging.disable(logging.CRITICAL)
    server = Server()
    lines = []
    on_spark = listed(FAILING_ON_SPARK)
    work = tempfile.mkdtemp(prefix="doctests-")
    os.chdir(work)
    for name in options.modules:
        results = {test: reason for test, reason in run_module(name, server, options.only).items()
                   if f"{name}.{test}" not in on_spark}
        failed = {test: reason for test, reason in results.items() if reason}
        share = 100 * (len(results) - len(failed)) / max(1, len(results))
        print(f"{name}: {len(results) - len(failed)} of {len(results)} ({share:.1f} %)", flush=True)
        for test, reason in failed.items():
            lines.append(f"{name}.{test}: {reason}")
            if options.show:
                print("  " + lines[-1])
    server.stop()
    if options.write:
        FAILING.write_text("# Doctests of the stock client that fail, and where. Made by run.py --write.\n"
                           + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
