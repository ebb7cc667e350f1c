"""The stock client's doctests: what passed goes on passing, and what comes to pass leaves failing.txt."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import run  # noqa: E402
from millstream_server import Server  # noqa: E402


@pytest.fixture(scope="module")
def server():
    from pyspark.sql.connect.session import SparkSession

    # One for all modules: some doctests use the session that is there already.
    server = Server()
    SparkSession._default_session = SparkSession._active_session.session = server.session()
    yield server
    server.stop()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("module", run.MODULES)
def test_failing_txt_is_current(module, server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = run.run_module(module, server)
    excused = run.listed(run.FAILING_ON_SPARK) | run.listed(run.UNORDERED)
    failing = {f"{module}.{name}": reason for name, reason in results.items()
               if reason and f"{module}.{name}" not in excused}
    known = {name for name in run.listed(run.FAILING) if name.startswith(module + ".")} - excused
    assert failing.keys() - known == set(), {name: failing[name] for name in failing.keys() - known}
    assert known - failing.keys() == set(), "these pass now: tests/doctests/run.py --write"
