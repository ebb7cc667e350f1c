"""One call of a function is bound by --memory and ends when it is interrupted, as a query of many rows is."""

import pathlib
import threading

import pytest
from millstream_server import Server
from pyspark.errors import PySparkException


@pytest.fixture(scope="module")
def small():
    server = Server(extra=["--memory", "256m"])
    yield server
    server.stop()


@pytest.fixture
def session(small):
    session = small.session()
    yield session
    session.stop()


def peak_kib(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


TOO_MUCH = [
    "array_repeat(array_repeat(id, 10000), 10000)",
    "array_repeat(array_repeat(array_repeat('x', 1000), 1000), 1000)",
    "flatten(array_repeat(array_repeat(id, 10000), 10000))",
    "aggregate(sequence(1, 40), cast(id as string) || 'abc', (a, x) -> a || a)",
    "aggregate(sequence(1, 40), array(id), (a, x) -> concat(a, a))",
    "printf('%90000000d', id) || printf('%90000000d', id) || printf('%90000000d', id + 1)",
    "transform(sequence(0, 99999), x -> repeat(cast(x as string) || 'abc', 20000))",
    "to_json(array_repeat(array_repeat(id, 10000), 10000))",
]


@pytest.mark.parametrize("call", TOO_MUCH)
def test_a_call_that_needs_more_memory_is_refused(small, session, call):
    with pytest.raises(PySparkException) as error:
        session.sql(f"select length(cast({call} as string)) from range(1)").collect()
    assert error.value.getCondition() == "UNABLE_TO_ACQUIRE_MEMORY"
    assert session.range(3).count() == 3
    assert peak_kib(small) < 2560 * 1024  # what is held for a moment while a text grows counts too


LARGE_CONSTANTS = [
    ("size(sequence(1, 20000000))", 20_000_000),
    ("sequence(1, 20000000)[19999999]", 20_000_000),
    ("length(repeat('ab', 5000000))", 10_000_000),
]


@pytest.mark.parametrize("call, value", LARGE_CONSTANTS)
def test_a_large_constant_is_computed_with_the_rows(call, value):
    """The planner would box each element: twenty million take more than two gigabytes."""
    server = Server()
    try:
        session = server.session()
        assert session.sql(f"select {call} as v from range(1)").collect() == [(value,)]
        assert peak_kib(server) < 1280 * 1024
        session.stop()
    finally:
        server.stop()


ENDLESS = [
    "levenshtein(repeat(cast(id as string), 1000000), repeat('ab', 500000))",
    "size(transform(sequence(1, 100000000), x -> levenshtein(repeat('a', 500), cast(x + id as string))))",
    "aggregate(sequence(1, 100000000), id, (a, x) -> (a * 31 + x) % 1000007)",
    "size(filter(sequence(1, 100000000), x -> sha2(cast(x + id as string), 512) > 'f'))",
]


@pytest.mark.parametrize("call", ENDLESS)
def test_an_interrupt_ends_a_call(server, call):
    """By itself each takes minutes."""
    session = server.session()
    ended = []

    def run():
        try:
            ended.append(session.sql(f"select {call} from range(1)").collect())
        except PySparkException as error:
            ended.append(error.getCondition())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while not session.interruptAll() and thread.is_alive():
        thread.join(0.01)
    # Of the two operations of a statement, its analysis may have been the one that was met.
    for _ in range(200):
        if not thread.is_alive():
            break
        session.interruptAll()
        thread.join(0.1)
    assert ended == ["OPERATION_CANCELED"]
    session.stop()
