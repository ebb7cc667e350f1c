"""Two servers and the deltalake package append to one table at the same time."""

import deltalake
import pytest
from concurrent_appends import append_at_once, by_deltalake, by_session, versions
from millstream_server import Server

EACH = 25


@pytest.fixture
def other():
    server = Server()
    session = server.session()
    yield session
    session.stop()
    server.stop()


def test_no_row_is_lost_or_doubled(spark, other, tmp_path):
    path = str(tmp_path / "t")
    spark.range(0).write.format("delta").save(path)
    told = append_at_once(path, [by_session(spark, path), by_session(other, path), by_session(other, path),
                                 by_deltalake(path)], EACH)
    assert len(told) >= 3 * EACH
    assert versions(path) == list(range(len(told) + 1))
    for session in (spark, other):
        assert sorted(r.id for r in session.read.format("delta").load(path).collect()) == told
    assert sorted(deltalake.DeltaTable(path).to_pyarrow_table()["id"].to_pylist()) == told


def test_overwrites_and_appends_are_told_apart(spark, other, tmp_path):
    """An overwrite replaces what it read or fails: rows of an append in between are never dropped unseen."""
    path = str(tmp_path / "t")
    spark.range(0).write.format("delta").save(path)
    failures = []

    def overwrite(i):
        try:
            other.range(i, i + 1).write.format("delta").mode("overwrite").save(path)
        except Exception as error:  # noqa: BLE001: its kind is asserted
            failures.append(error.getCondition())

    append_at_once(path, [by_session(spark, path), overwrite], EACH)
    assert set(failures) <= {"DELTA_CONCURRENT_APPEND.WITHOUT_HINT", "DELTA_CONCURRENT_APPEND"}
    last = versions(path)[-1]
    assert last == 2 * EACH - len(failures)
    # Every version is the one before it plus one row, or one row alone.
    before = set()
    for version in range(last + 1):
        frame = spark.read.format("delta").option("versionAsOf", version).load(path)
        now = {r.id for r in frame.collect()}
        assert len(now) == 1 or len(now) == len(before) + 1 and before < now or version == 0
        before = now
