"""Real Spark beside Millstream, both spoken to with the same client."""

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "delta")]

from millstream_server import ROOT  # noqa: E402


@pytest.fixture(scope="session")
def spark_remote():
    python = ROOT / ".venv-spark/bin/python"
    if not python.exists():
        pytest.fail("no real Spark: run tools/setup_spark.sh")
    process = subprocess.Popen([str(python), str(HERE.parent / "spark_oracle.py")], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if line.startswith("REMOTE "):
            break
    else:
        pytest.fail("Spark did not start")
    yield line.split()[1]
    process.stdin.close()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()


@pytest.fixture
def real(spark_remote):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(spark_remote).create()
    yield session
    session.stop()
