"""Fixtures that all Python tests share."""

import os
import pathlib
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

# The client takes a main module without a file for its own doctests; a worker of pytest-xdist has none.
if not hasattr(sys.modules["__main__"], "__file__"):
    sys.modules["__main__"].__file__ = __file__

# collect() gives timestamps in the client's zone.
os.environ["TZ"] = "UTC"
time.tzset()

from millstream_server import BINARY, Remote, Server  # noqa: E402


@pytest.fixture(scope="session")
def server():
    """One server for all tests that do not need one of their own; TEST_REMOTE names another one."""
    if os.environ.get("TEST_REMOTE"):
        yield Remote(os.environ["TEST_REMOTE"])
        return
    if not BINARY.exists():
        pytest.fail(f"{BINARY} is not built: run make build")
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def spark(server):
    """A session of its own for each test."""
    from pyspark.sql.connect.session import SparkSession

    session = server.session()
    # Types as text are parsed by the default session: not by one of a server that an earlier test ended.
    SparkSession._default_session = SparkSession._active_session.session = session
    yield session
    session.stop()
