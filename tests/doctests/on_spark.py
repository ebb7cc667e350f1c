"""Which doctests of the client real Spark Connect does not pass either: makes failing_on_spark.txt anew.

usage: .venv-spark/bin/python tests/doctests/on_spark.py

The shares that run.py reports are of the others.
"""

import logging
import os
import subprocess
import sys
import tempfile

import run

sys.path.insert(0, str(run.HERE.parent))


class RealSpark:
    """What run_module needs of a server."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, str(run.HERE.parent / "spark_oracle.py")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.remote = next(line.split()[1] for line in self.process.stdout if line.startswith("REMOTE "))

    def session(self):
        from pyspark.sql import SparkSession

        return SparkSession.builder.remote(self.remote).create()

    def output(self):
        return ""

    def stop(self):
        self.process.stdin.close()
        self.process.wait(60)


def main():
    logging.disable(logging.CRITICAL)
    server = RealSpark()
    os.chdir(tempfile.mkdtemp(prefix="doctests-"))
    lines = ["# Doctests of the stock client that real Spark 4.2 Connect does not pass either. Made by on_spark.py."]
    for name in run.MODULES:
        results = run.run_module(name, server)
        failed = {test: reason for test, reason in results.items() if reason}
        print(f"{name}: {len(results) - len(failed)} of {len(results)}", flush=True)
        lines += [f"{name}.{test}: {reason}" for test, reason in failed.items()]
    server.stop()
    (run.HERE / "failing_on_spark.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
