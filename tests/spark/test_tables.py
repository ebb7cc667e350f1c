"""Delta tables that one engine writes and the other reads: every type, partitions, statistics."""

import datetime
from decimal import Decimal

import pytest
import race
from concurrent_appends import append_at_once, by_deltalake, by_session, engines, versions
from millstream_server import Server

pytestmark = pytest.mark.timeout(300)

SCHEMA = ("b boolean, ti tinyint, si smallint, i int, l bigint, f float, d double, dec decimal(20,3), s string,"
          " bin binary, dt date, ts timestamp, a array<int>, m map<string,double>, st struct<x:int,y:string>")
ROWS = [
    (True, 1, 2, 3, 2**40, 1.5, -2.5, Decimal("12345678901234.567"), "text äöü 漢", b"\x00\xff",
     datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 1, 2, 3, 456789), [1, None], {"k": 1.5}, (1, "x")),
    (False, -1, -2, -3, -(2**40), float("nan"), float("inf"), Decimal("-0.001"), "", b"",
     datetime.date(1969, 12, 31), datetime.datetime(1969, 12, 31, 23, 59, 59), [], {}, (None, None)),
    (None,) * 15,
]


def values(frame):
    return sorted(repr(tuple(r)) for r in frame.collect())


@pytest.mark.parametrize("direction", ["ours to spark", "spark to ours"])
def test_all_types(spark, real, tmp_path, direction):
    writer, reader = (spark, real) if direction == "ours to spark" else (real, spark)
    path = str(tmp_path / "t")
    frame = writer.createDataFrame(ROWS, SCHEMA)
    frame.write.format("delta").save(path)
    frame.limit(1).write.format("delta").mode("append").save(path)
    assert values(reader.read.format("delta").load(path)) == values(writer.read.format("delta").load(path))
    assert reader.read.format("delta").load(path).schema == writer.read.format("delta").load(path).schema


@pytest.mark.parametrize("direction", ["ours to spark", "spark to ours"])
def test_partitions_and_pruning(spark, real, tmp_path, direction):
    writer, reader = (spark, real) if direction == "ours to spark" else (real, spark)
    path = str(tmp_path / "t")
    rows = [(i, ["a b", "x=y", "", None, "ü%"][i % 5], datetime.date(2024, 1, 1 + i % 3)) for i in range(30)]
    frame = writer.createDataFrame(rows, "id int, k string, d date")
    frame.write.format("delta").partitionBy("k", "d").save(path)
    table = reader.read.format("delta").load(path)
    assert values(table) == values(writer.read.format("delta").load(path))
    for condition in ("k = 'a b'", "k is null", "d = '2024-01-02'", "id between 3 and 7", "k = 'x=y' and id > 10"):
        assert values(table.filter(condition)) == values(writer.read.format("delta").load(path).filter(condition))


@pytest.mark.parametrize("direction", ["ours to spark", "spark to ours"])
def test_many_commits_and_a_checkpoint(spark, real, tmp_path, direction):
    writer, reader = (spark, real) if direction == "ours to spark" else (real, spark)
    path = str(tmp_path / "t")
    for i in range(12):
        writer.range(i, i + 1).coalesce(1).write.format("delta").mode("append").save(path)
    assert (tmp_path / "t/_delta_log/00000000000000000010.checkpoint.parquet").exists()
    reader.range(100, 101).write.format("delta").mode("append").save(path)
    expected = [(i,) for i in range(12)] + [(100,)]
    for engine in (writer, reader):
        rows = engine.read.format("delta").load(path).collect()
        assert sorted(tuple(r) for r in rows) == expected


def test_both_append_in_turn(spark, real, tmp_path):
    path = str(tmp_path / "t")
    for turn in range(4):
        engine = (spark, real)[turn % 2]
        engine.range(turn, turn + 1).write.format("delta").mode("append").save(path)
    spark.range(9, 10).write.format("delta").mode("overwrite").save(path)
    assert [r.id for r in real.read.format("delta").load(path).collect()] == [9]
    assert real.read.format("delta").option("versionAsOf", 3).load(path).count() == 4


def test_all_engines_append_at_once(spark, real, tmp_path):
    path = str(tmp_path / "t")
    real.range(0).write.format("delta").save(path)
    told = append_at_once(path, [by_session(spark, path), by_session(real, path), by_session(spark, path),
                                 by_deltalake(path)], 15)
    assert len(told) >= 45
    assert versions(path) == list(range(len(told) + 1))
    assert len(engines(path)) == 3
    for session in (spark, real):
        assert sorted(r.id for r in session.read.format("delta").load(path).collect()) == told


def test_eight_processes_of_three_engines_change_one_table(spark, spark_remote, tmp_path):
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` (k BIGINT, v BIGINT) USING delta")
    server = Server()
    try:
        told = race.raced(path, [server.remote] * 3 + ["deltalake"] * 3 + [spark_remote] * 2, 60)
        assert race.differences(path, told, spark) == []
    finally:
        server.stop()
    assert sum(racer["commits"] for racer in told[6:]) > 0
