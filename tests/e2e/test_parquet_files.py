"""Tables that are plain Parquet files are read by DuckDB itself: rows and errors are those of any other reading."""

import decimal
import math
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

D = decimal.Decimal


def write(folder, name="a.parquet", **columns):
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), folder / name, row_group_size=50_000)
    return folder / name


def table(spark, folder):
    return spark.read.parquet(str(folder))


def test_nan_is_above_all_numbers_though_statistics_leave_it_out(spark, tmp_path):
    write(tmp_path, d=pa.array([1.0, math.nan, 3.0, None, -0.0]), f=pa.array([1.0, math.nan, 3.0, None, -0.0], pa.float32()))
    rows = table(spark, tmp_path)
    assert [math.isnan(r.d) for r in rows.where("d > 100").select("d", F.lit(1)).collect()] == [True]
    assert [math.isnan(r.f) for r in rows.where("f > 100").select("f", F.lit(1)).collect()] == [True]
    assert math.isnan(rows.agg(F.max("d")).collect()[0][0])
    assert rows.where("d = 0").selectExpr("cast(d as string)").collect()[0][0] == "-0.0"


def text_of(bytes_of_rows):
    plain = pa.array(bytes_of_rows, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(plain), plain.buffers())


def test_texts_that_are_not_utf8(spark, tmp_path):
    write(tmp_path, s=text_of([b"abc", b"a\xffb", b"\xc3\xa4"]))
    for _ in range(2):  # the second time the file is known
        got = table(spark, tmp_path).selectExpr("hex(s) as h").where("h <> ''").sort("h").collect()
        assert [r.h for r in got] == ["616263", "61FF62", "C3A4"]


def test_texts_that_are_not_utf8_behind_many_rows(spark, tmp_path):
    write(tmp_path, s=text_of([b"abc"] * 300_000 + [b"\xff"]))
    query = table(spark, tmp_path).selectExpr("hex(s) as h")
    assert sum(r.h == "FF" for r in query.toLocalIterator()) == 1
    assert query.where("h <> 'x'").count() == 300_001


@pytest.fixture
def delta(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.range(1000).selectExpr("id", "cast(id as string) as s").coalesce(1).write.format("delta").save(path)
    files = list(pathlib.Path(path).glob("*.parquet"))
    assert len(files) == 1
    return path, files[0]


def total(spark, path):
    return spark.read.format("delta").load(path).agg(F.sum("id"), F.max("s")).collect()[0]


def test_a_missing_file_is_named(spark, delta):
    path, file = delta
    assert tuple(total(spark, path)) == (499500, "999")
    file.unlink()
    with pytest.raises(PySparkException) as error:
        total(spark, path)
    assert error.value.getCondition() == "FAILED_READ_FILE.FILE_NOT_EXIST"
    assert file.name in str(error.value)


@pytest.mark.parametrize("damage", ["footer", "pages", "empty"])
def test_a_damaged_file_is_named(spark, delta, damage):
    path, file = delta
    assert tuple(total(spark, path)) == (499500, "999")
    data = bytearray(file.read_bytes())
    if damage == "footer":
        data[-20:-8] = b"\xff" * 12
    if damage == "pages":
        data[4:2000] = b"\xff" * 1996
    file.write_bytes(b"" if damage == "empty" else bytes(data))
    with pytest.raises(PySparkException) as error:
        total(spark, path)
    assert error.value.getCondition().startswith("FAILED_READ_FILE")
    assert file.name in str(error.value)


def test_a_file_that_is_replaced(spark, tmp_path):
    write(tmp_path, a=pa.array([1, 2], pa.int32()))
    assert table(spark, tmp_path).agg(F.sum("a")).collect()[0][0] == 3
    write(tmp_path, a=pa.array([4, 5], pa.int32()))
    assert table(spark, tmp_path).agg(F.sum("a")).collect()[0][0] == 9
    write(tmp_path, a=pa.array([4, 5], pa.int64()))
    assert table(spark, tmp_path).agg(F.sum("a")).collect()[0][0] == 9


def test_a_damaged_file_is_left_out_where_told(spark, tmp_path):
    write(tmp_path, a=pa.array([1, 2], pa.int32()))
    gone = write(tmp_path, "b.parquet", a=pa.array([4, 5], pa.int32()))
    rows = spark.read.option("ignoreCorruptFiles", "true").parquet(str(tmp_path))
    assert rows.agg(F.sum("a")).collect()[0][0] == 12
    gone.write_bytes(b"no Parquet at all")
    assert rows.agg(F.sum("a")).collect()[0][0] == 3
    with pytest.raises(PySparkException) as error:
        table(spark, tmp_path).agg(F.sum("a")).collect()
    assert error.value.getCondition().startswith("FAILED_READ_FILE")


def test_files_of_a_type_each_and_columns_that_come_later(spark, tmp_path):
    write(tmp_path, "a.parquet", a=pa.array([1, 2], pa.int32()))
    write(tmp_path, "b.parquet", a=pa.array([3], pa.int64()), b=pa.array(["x"]))
    rows = spark.read.schema("a BIGINT, b STRING").parquet(str(tmp_path))
    assert tuple(rows.agg(F.sum("a"), F.max("b"), F.count("*")).collect()[0]) == (6, "x", 3)


def test_columns_of_places_and_of_other_case(spark, tmp_path):
    write(tmp_path / "p=1", a=pa.array([1, 2], pa.int32()))
    write(tmp_path / "p=__HIVE_DEFAULT_PARTITION__", A=pa.array([3], pa.int32()))
    write(tmp_path / "p=7", b=pa.array([3], pa.int32()))
    rows = spark.read.schema("a INT, p INT").parquet(str(tmp_path))
    got = rows.groupBy("p").agg(F.sum("a"), F.count("*")).sort("p").collect()
    assert [tuple(r) for r in got] == [(None, 3, 1), (1, 3, 2), (7, None, 1)]
    assert rows.where("p = 1").agg(F.count("*")).collect()[0][0] == 2


def test_names_that_are_patterns(spark, tmp_path):
    write(tmp_path, "a[b]?.parquet", a=pa.array([1, 2], pa.int32()))
    write(tmp_path, "ab1.parquet", a=pa.array([50], pa.int32()))
    rows = spark.read.option("pathGlobFilter", "a\\[*").parquet(str(tmp_path))
    assert rows.agg(F.sum("a")).collect()[0][0] == 3


def test_decimals_are_exact_whatever_their_width(spark, tmp_path):
    values = [(D("1234567.89"), D("0.05"), D("0.08")), (D("-0.01"), D("0.10"), D("0.00")), (D("9999999.99"), D("0.00"), D("0.01"))]
    price, off, tax = zip(*values)
    narrow = dict(price=pa.array(price, pa.decimal128(15, 2)), off=pa.array(off, pa.decimal128(15, 2)),
                  tax=pa.array(tax, pa.decimal128(15, 2)))
    write(tmp_path / "narrow", **narrow)
    wide = D("9999999999.99")
    write(tmp_path / "wide", **{k: pa.array([*v.to_pylist(), wide], pa.decimal128(15, 2)) for k, v in narrow.items()})
    for name, rows in (("narrow", values), ("wide", [*values, (wide, wide, wide)])):
        got = table(spark, tmp_path / name).selectExpr(
            "sum(price * (1 - off)) as a", "sum(price * (1 - off) * (1 + tax)) as b",
            "avg(price * off) as c", "sum(case when off > 0.01 then price * tax else 0 end) as d").collect()[0]
        with decimal.localcontext(prec=80):
            assert got.a == sum(p * (1 - o) for p, o, _ in rows)
            assert got.b == sum(p * (1 - o) * (1 + t) for p, o, t in rows)
            mean = sum(p * o for p, o, _ in rows) / len(rows)
            assert got.c == mean.quantize(D(1).scaleb(got.c.as_tuple().exponent), decimal.ROUND_HALF_UP)
            assert got.d == sum(p * t for p, o, t in rows if o > D("0.01"))


def test_decimals_among_keys(spark, tmp_path):
    write(tmp_path, a=pa.array([D("1.50"), D("2.00"), D("1.50")], pa.decimal128(15, 2)), b=pa.array([D("2.00")] * 3, pa.decimal128(15, 2)))
    table(spark, tmp_path).createOrReplaceTempView("plain_keys")

    def rows(text):
        return [tuple(r) for r in spark.sql(text).collect()]

    assert rows("select a * b, sum(a * b), count(*) from plain_keys group by a * b order by 1") == [
        (D("3.0000"), D("6.0000"), 2), (D("4.0000"), D("4.0000"), 1)]
    assert rows("select a * b + 1 as x from plain_keys group by a * b order by 1") == [(D("4.0000"),), (D("5.0000"),)]
    assert rows("select cast(a as decimal(20,2)) + b as x, sum(sum(a * b)) over () as s from plain_keys "
                "group by cast(a as decimal(20,2)) + b order by 1") == [(D("3.50"), D("10.0000")), (D("4.00"), D("10.0000"))]
    assert rows("select a, sum(a * b) filter (where a * b > 3) as s from plain_keys group by a having sum(a * b) > 0 order by a") == [
        (D("1.50"), None), (D("2.00"), D("4.0000"))]


def test_decimals_of_united_tables_are_as_wide_as_the_widest(spark, tmp_path):
    write(tmp_path / "small", a=pa.array([D("1.00")], pa.decimal128(15, 2)))
    write(tmp_path / "large", a=pa.array([D("9999999999999.99")], pa.decimal128(15, 2)))
    both = table(spark, tmp_path / "small").union(table(spark, tmp_path / "large"))
    assert both.selectExpr("sum(a * a) as s").collect()[0].s == D("99999999999999800000000001.0001")


def test_in_a_subquery_with_nulls(spark, tmp_path):
    write(tmp_path / "l", a=pa.array([1, 2, None], pa.int32()))
    write(tmp_path / "r", b=pa.array([2, None], pa.int32()))
    table(spark, tmp_path / "l").createOrReplaceTempView("plain_l")
    table(spark, tmp_path / "r").createOrReplaceTempView("plain_r")

    def found(condition):
        return [r.a for r in spark.sql(f"select a from plain_l where {condition}").collect()]

    assert found("a in (select b from plain_r)") == [2]
    assert found("a not in (select b from plain_r)") == []
    assert found("a not in (select b from plain_r where b is not null)") == [1]
    assert found("not (a in (select b from plain_r)) and a is not null") == []
