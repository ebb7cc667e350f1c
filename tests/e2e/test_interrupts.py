"""An interrupt ends running work of every kind: the client has its error, and the server computes no more."""

import threading
import time

import endless
import pytest
from millstream_server import Server
from pyspark.errors import PySparkException
from wire import Wire, failure


@pytest.fixture(scope="module")
def limited():
    server = Server(extra=["--memory", "512m"])
    yield server
    server.stop()


@pytest.fixture(scope="module")
def works(limited, tmp_path_factory):
    session = limited.session()
    yield session, endless.works(session, tmp_path_factory.mktemp("endless"))
    session.stop()


def wait_until_idle(server):
    deadline = time.monotonic() + 60
    before = server.cpu_seconds()
    while time.monotonic() < deadline:
        time.sleep(0.5)
        now = server.cpu_seconds()
        if now - before < 0.05:
            return
        before = now
    raise AssertionError("the server goes on with what was interrupted")


@pytest.mark.parametrize("name", endless.NAMES)
def test_an_interrupt_ends(limited, works, name):
    session, calls = works
    ended = []

    def run():
        try:
            calls[name]()
            ended.append("it ended by itself")
        except PySparkException as error:
            ended.append(error.getCondition())

    before = limited.cpu_seconds()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while limited.cpu_seconds() < before + 0.3 and thread.is_alive():
        thread.join(0.01)
    # Between two operations of a statement there is nothing to be met.
    while not session.interruptAll() and thread.is_alive():
        thread.join(0.01)
    thread.join(60)
    assert ended == ["OPERATION_CANCELED"]
    wait_until_idle(limited)


def test_an_interrupt_ends_results_that_nobody_takes(limited):
    wire = Wire(limited.port)
    request = wire.range_request(endless.MANY)
    answers = wire.execute(request)
    next(answers)
    wait_until_idle(limited)  # it holds some and waits for the client
    assert wire.interrupt("OPERATION_ID", operation_id=request.operation_id) == [request.operation_id]
    wait_until_idle(limited)
    assert wire.interrupt("ALL") == []
    assert failure(lambda: answers)[0] == "OPERATION_CANCELED"
    wire.close()
