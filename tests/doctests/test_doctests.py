"""The stock client's doctests: those of failing.txt fail, all others pass."""

import os

import pytest
import run
from millstream_server import Server


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.stop()


def listed():
    lines = run.FAILING.read_text().splitlines()
    return {line.partition(": ")[0] for line in lines if line and not line.startswith("#")}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("module", run.MODULES)
def test_module(module, server, tmp_path):
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        results = run.run_module(module, server)
    finally:
        os.chdir(here)
    failed = {f"{module}.{name}" for name, reason in results.items() if reason}
    expected = {name for name in listed() if name.startswith(module + ".")}
    assert not failed - expected, "these passed before"
    assert not expected - failed, "these pass now and should leave failing.txt: run.py --write"
