"""The client of the next Spark version (pyspark 4.3), which is newer than the messages the server is built from."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENT = ROOT / "third_party/pyspark-4.3.0"


def test_newer_client(server, tmp_path):
    if not (CLIENT / "pyspark").is_dir():
        pytest.fail(f"{CLIENT} is missing: run tools/setup_newer_client.sh")
    # What this process' own sessions put into the environment is not for the other client.
    env = {k: v for k, v in os.environ.items() if not k.startswith("SPARK_")}
    env["PYTHONPATH"] = str(CLIENT)
    program = pathlib.Path(__file__).with_name("newer_client.py")
    done = subprocess.run([sys.executable, str(program), server.remote, str(tmp_path)], capture_output=True, text=True,
                          env=env, timeout=110)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.split() == ["ok", "4.3.0"]
