"""The engine's memory limit: work that is larger spills and ends, a cancel ends it at once."""

import pathlib
import threading

import pytest
from millstream_server import Server
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

ROWS = 12_000_000  # some 500 MB of two columns and their hash tables


@pytest.fixture(scope="module")
def small():
    server = Server(extra=["--memory", "128m"])
    yield server
    server.stop()


@pytest.fixture
def session(small):
    session = small.session()
    yield session
    session.stop()


def wide(session, rows=ROWS):
    return session.range(rows).select(
        ((F.col("id") * 2654435761) % 1_000_000_007).alias("k"),
        F.concat(F.lit("a text that is not short "), F.col("id").cast("string")).alias("v"))


def peak_of(server):
    return next(int(line.split()[1]) for line in pathlib.Path(f"/proc/{server.process.pid}/status").open()
                if line.startswith("VmHWM"))


def test_sort_larger_than_memory(session):
    first = wide(session).sort("k").selectExpr("k", "v", "lag(k) over (order by k) as before").limit(1)
    assert first.collect()[0].before is None
    checked = wide(session).sort("k").offset(ROWS - 1).collect()
    assert len(checked) == 1


def test_aggregation_larger_than_memory(session):
    groups = wide(session).groupBy("k").agg(F.max("v").alias("m"))
    assert groups.count() == ROWS


def test_texts_of_groups_beyond_the_limit_are_right(server):
    rows = 6_000_000  # in groups of two

    def of_groups(session):
        groups = wide(session, rows).groupBy((F.col("k") % (rows // 2)).alias("g")).agg(F.max("v").alias("m"), F.min("v").alias("l"))
        return groups.agg(F.count("*"), F.sum(F.crc32("m")), F.sum(F.crc32("l"))).collect()[0]

    limited = Server(extra=["--memory", "256m"])
    session, other = limited.session(), server.session()
    try:
        assert of_groups(session) == of_groups(other)
    finally:
        session.stop()
        other.stop()
        limited.stop()


def test_join_larger_than_memory(session):
    left = wide(session, ROWS // 4)
    right = wide(session, ROWS // 4).withColumnRenamed("v", "w")
    assert left.join(right, "k").where("v = w").count() == ROWS // 4


def test_the_process_stays_small(small, session):
    wide(session).sort("v").offset(ROWS - 1).collect()
    peak = peak_of(small)
    assert peak < 700 * 1024, f"{peak} KiB"


def test_an_interrupt_ends_a_query_whenever_it_comes(small, session):
    """From the moment on that the server knows the operation until it computes: none is lost."""
    ended = []

    def run():
        try:
            ended.append(session.range(40_000_000_000_000).selectExpr("sum(id % 7)").collect())
        except PySparkException as error:
            ended.append(error.getCondition())

    for busy in (0, 0, 0, 0, 0, 0.02, 0.05, 0.1, 0.3):
        ended.clear()
        busy_since = small.cpu_seconds()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while small.cpu_seconds() < busy_since + busy:
            thread.join(0.005)
        while not session.interruptAll():
            assert thread.is_alive()
        thread.join(60)
        assert ended == ["OPERATION_CANCELED"]


def test_texts_larger_than_memory_are_refused(session, small):
    before = peak_of(small)
    with pytest.raises(PySparkException, match="UNABLE_TO_ACQUIRE_MEMORY"):
        session.sql("SELECT sum(length(concat(repeat('x', 10000000), id))) FROM range(400)").collect()
    assert peak_of(small) - before < 600 * 1024  # KiB: 4 GB of texts, of which each thread holds 128 MB
    assert session.sql("SELECT sum(length(concat(repeat('x', 1000), id))) FROM range(400)").collect()[0][0] == 401090
