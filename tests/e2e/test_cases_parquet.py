"""Cases from bug reports: Parquet files of other writers (PQ)."""

import datetime
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def failure(run):
    try:
        run()
    except Exception as error:  # noqa: BLE001: what is told is asserted
        return str(error)
    raise AssertionError("it did not fail")


def test_pq01_int96_far_from_today(spark, tmp_path):
    """As microseconds they are exact; pyarrow writes INT96 of nanoseconds, which hold 1678 to 2262 only."""
    values = [datetime.datetime(1700, 1, 1), datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
              datetime.datetime(2200, 12, 31, 1, 2, 3, 4), None]
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"t": pa.array(values, pa.timestamp("us"))}), file, use_deprecated_int96_timestamps=True)
    assert [row.t for row in spark.read.parquet(str(file)).collect()] == values


def test_pq02_nanoseconds_are_no_numbers(spark, tmp_path):
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"t": pa.array([1, None], pa.timestamp("ns"))}), file)
    try:
        frame = spark.read.parquet(str(file))
        assert frame.schema["t"].dataType.simpleString() in ("timestamp_ntz", "timestamp")
        assert [row.t is None for row in frame.collect()] == [False, True]
    except Exception as error:  # noqa: BLE001
        assert "NANOS" in str(error)


def test_pq03_null_milliseconds(spark, tmp_path):
    file = tmp_path / "a.parquet"
    kind = pa.timestamp("ms", "UTC")
    pq.write_table(pa.table({"t": pa.array([None], kind), "l": pa.array([[None]], pa.list_(kind)),
                             "s": pa.array([{"t": None}], pa.struct([("t", kind)]))}), file)
    assert [tuple(row) for row in spark.read.parquet(str(file)).collect()] == [(None, [None], (None,))]


def test_pq05_nested_nulls_through_a_stream(spark, tmp_path):
    lists = [None, [], [None], [{"a": None}], [{"a": 1}, None]]
    file = tmp_path / "in" / "a.parquet"
    file.parent.mkdir()
    pq.write_table(pa.table({"i": pa.array(range(5)), "l": pa.array(lists, pa.list_(pa.struct([("a", pa.int32())]))),
                             "m": pa.array([[("k", None)], [], None, [("k", 1)], []], pa.map_(pa.string(), pa.int32()))}), file)
    direct = spark.read.parquet(str(file))
    query = (spark.readStream.schema(direct.schema).parquet(str(file.parent)).writeStream.format("delta")
             .option("checkpointLocation", str(tmp_path / "ck")).trigger(availableNow=True).start(str(tmp_path / "out")))
    query.awaitTermination()
    for frame in (direct, spark.read.format("delta").load(str(tmp_path / "out"))):
        found = [row.asDict(recursive=True) for row in frame.orderBy("i").collect()]
        assert [row["l"] for row in found] == lists
        assert [row["m"] for row in found] == [{"k": None}, {}, None, {"k": 1}, {}]


def test_pq09_a_row_group_without_statistics(spark, tmp_path):
    first, second = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(pa.table({"a": [1, 2, 3]}), first)
    pq.write_table(pa.table({"a": [-5, 100]}), second, write_statistics=False)
    frame = spark.read.parquet(str(first), str(second))
    assert frame.selectExpr("min(a)", "max(a)").collect() == [(-5, 100)]
    assert frame.where("a > 50").count() == 1 and frame.where("a < 0").count() == 1


def test_pq10_wider_and_narrower_integers(spark, tmp_path):
    pq.write_table(pa.table({"id": pa.array([1], pa.int32())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": pa.array([2**40], pa.int64())}), tmp_path / "b.parquet")
    assert sorted(row.id for row in spark.read.schema("id BIGINT").parquet(str(tmp_path)).collect()) == [1, 2**40]
    text = failure(spark.read.schema("id INT").parquet(str(tmp_path)).collect)
    assert "b.parquet" in text and "id" in text
    pq.write_table(pa.table({"d": pa.array([1], pa.date32())}), tmp_path / "c.parquet")
    assert "c.parquet" in failure(spark.read.schema("d DECIMAL(10,0)").parquet(str(tmp_path / "c.parquet")).collect)


def test_pq11_the_case_of_names(spark, tmp_path):
    pq.write_table(pa.table({"id": [1], "Name": ["a"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"ID": [2], "name": ["b"]}), tmp_path / "b.parquet")
    frame = spark.read.schema("id BIGINT, name STRING").parquet(str(tmp_path))
    assert sorted(tuple(row) for row in frame.collect()) == [(1, "a"), (2, "b")]
    pq.write_table(pa.table({"a": [1], "A": [2]}), tmp_path / "c.parquet")
    failure(spark.read.parquet(str(tmp_path / "c.parquet")).select("a").collect)


@pytest.mark.parametrize("nested", [False, True])
def test_pq13_milliseconds_that_do_not_fit(spark, tmp_path, nested):
    kind = pa.timestamp("ms", "UTC")
    column = pa.array([[2**62]], pa.list_(kind)) if nested else pa.array([2**62], kind)
    pq.write_table(pa.table({"t": column}), tmp_path / "a.parquet")
    failure(spark.read.parquet(str(tmp_path / "a.parquet")).collect)


def test_pq14_files_and_groups_without_rows(spark, tmp_path):
    table = pa.table({"a": pa.array([1, 2], pa.int64())})
    pq.write_table(table, tmp_path / "a.parquet")
    pq.write_table(table.slice(0, 0), tmp_path / "b.parquet")
    with pq.ParquetWriter(tmp_path / "c.parquet", table.schema) as writer:
        writer.write_table(table.slice(0, 0))
        writer.write_table(table)
    assert spark.read.parquet(str(tmp_path)).count() == 4
    (tmp_path / "d.parquet").write_bytes(b"")
    assert spark.read.schema("a BIGINT").parquet(str(tmp_path)).count() == 4  # as Spark: it has no part to read
    (tmp_path / "e.parquet").write_bytes(b"PAR1")
    assert "e.parquet" in failure(spark.read.schema("a BIGINT").parquet(str(tmp_path)).collect)
    assert spark.read.schema("a BIGINT").option("ignoreCorruptFiles", "true").parquet(str(tmp_path)).count() == 4


def test_pq15_pages_of_different_sizes(spark, tmp_path):
    rand, count = random.Random(1), 300_000
    table = pa.table({"a": pa.array(range(count)), "b": pa.array([rand.randrange(1000) for _ in range(count)]),
                      "s": pa.array([f"text of {i}" for i in range(count)])})
    pq.write_table(table, tmp_path / "a.parquet", data_page_size=4096, write_page_index=True, use_dictionary=False)
    frame, a, b = spark.read.parquet(str(tmp_path / "a.parquet")), table["a"].to_pylist(), table["b"].to_pylist()
    for _ in range(20):
        low, key = rand.randrange(count), rand.randrange(1000)
        expected = sum(1 for x, y in zip(a[low:low + 5000], b[low:low + 5000]) if y > key)
        assert frame.where(f"a >= {low} AND a < {low + 5000} AND b > {key}").count() == expected
