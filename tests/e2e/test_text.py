"""Bad and odd input files under a JSON stream: Spark's behaviour, and never a lost or doubled row."""

import gzip
import json
import os

import pytest
import zstandard
from pyspark.errors import StreamingQueryException
from streams import in_order

SOURCES = ["cloud", "files"]


@pytest.fixture(params=SOURCES)
def source(request, work):
    return getattr(work, request.param)


def test_tx06_byte_order_mark_and_crlf(work, source):
    work.write("1.json", b'\xef\xbb\xbf{"id":1}\r\n{"id":2}\r\n')
    work.run(source(schema="id int"))
    assert work.rows() == [(1,), (2,)]


def test_tx07_bad_nested_field(work, source):
    work.write("1.json", '{"a":{"x":1,"y":true},"b":{"x":1},"c":"k"}\n')
    work.run(source(schema="a struct<x:int,y:struct<x:int>>, b struct<x:int>, c string"))
    assert work.rows() == [({"x": 1, "y": None}, {"x": 1}, "k")]


def test_tx08_array_expected(work, source):
    work.write("1.json", '{"a":"v1","b":"[x]"}\n{"a":"v1","b":["x"]}\n')
    work.run(source(schema="a string, b array<string>"))
    assert work.rows() == in_order([("v1", None), ("v1", ["x"])])


def test_tx11_text_after_the_object_is_visible(work):
    work.write("1.json", '{"v":5}{"v":6}\n{"v":4} trailing\n{"v":3}\n')
    work.run(work.cloud(schema="v int, _corrupt_record string"))
    rows = dict(work.rows())
    assert set(rows) == {3, 4, 5}
    assert rows[3] is None and '{"v":6}' in rows[5] and "trailing" in rows[4]


def test_tx12_lines_that_are_not_objects(work, source):
    work.write("1.json", '[{"v":1},{"v":2}]\n[]\nnull\n5\n"x"\n')
    work.run(source(schema="v int, _corrupt_record string"))
    assert work.rows() == in_order([(1, None), (2, None), (None, "null"), (None, "5"), (None, '"x"')])


def test_tx13_truncated_gzip(work, source):
    body = "".join(f'{{"v":{i}}}\n' for i in range(200_000)).encode()
    whole = gzip.compress(body)
    work.write("cut.json.gz", whole[: len(whole) // 2])
    work.write("good.json", '{"v":-1}\n{"v":-2}\n')
    with pytest.raises(StreamingQueryException) as error:
        work.run(source(schema="v int"))
    assert "cut.json.gz" in str(error.value)
    work.run(source(schema="v int", ignoreCorruptFiles="true"))
    rows = [v for (v,) in work.rows()]
    assert {-1, -2} <= set(rows)
    prefix = sorted(v for v in rows if v is not None and v >= 0)
    assert prefix == list(range(len(prefix)))


@pytest.mark.parametrize("damage", ["head", "tail"])
def test_tx15_damaged_zstd(work, source, damage):
    data = zstandard.compress("".join(f'{{"v":{i}}}\n' for i in range(1000)).encode())
    work.write("bad.json.zst", data[10:] if damage == "head" else data[:-10])
    work.write("good.json", '{"v":-1}\n')
    with pytest.raises(StreamingQueryException) as error:
        work.run(source(schema="v int"))
    assert "bad.json.zst" in str(error.value)
    work.run(source(schema="v int", ignoreCorruptFiles="true"))
    assert (-1,) in work.rows()


def test_tx16_gzip_of_several_members(work, source):
    work.write("1.json.gz", gzip.compress(b'{"v":1}\n') + gzip.compress(b'{"v":2}\n'))
    work.write("2.json.gz", gzip.compress(b'{"v":3}\n{"v"') + gzip.compress(b":4}\n"))
    work.run(source(schema="v int"))
    assert work.rows() == [(1,), (2,), (3,), (4,)]


def test_tx17_plain_text_named_gz(work, source):
    work.write("x.json.gz", '{"v":1}\n')
    work.write("good.json", '{"v":2}\n')
    with pytest.raises(StreamingQueryException) as error:
        work.run(source(schema="v int"))
    assert "x.json.gz" in str(error.value)
    work.run(source(schema="v int", ignoreCorruptFiles="true"))
    assert work.rows() == [(2,)]


def test_tx18_empty_inputs(work, source):
    work.write("empty.json", b"")
    work.write("blank.json", "\n \n\t\n\n")
    work.write("good.json", '{"v":1}\n')
    work.run(source(schema="v int"))
    assert work.rows() == [(1,)]
    query = work.run(source(schema="v int"))
    assert sum(p.numInputRows for p in query.recentProgress) == 0


def test_tx19_only_the_corrupt_column(work):
    work.write("1.json", '{"v":1}\n{bad\n{"v":2}\n')
    frame = work.cloud(schema="v int, _corrupt_record string").select("_corrupt_record")
    work.run(frame.where("_corrupt_record is not null"))
    assert work.rows() == [("{bad",)]


def test_failfast_names_the_file_and_the_record(work, source):
    work.write("1.json", '{"v":1}\n{bad\n')
    with pytest.raises(StreamingQueryException) as error:
        work.run(source(schema="v int", mode="FAILFAST"))
    assert "1.json" in str(error.value) and "{bad" in str(error.value)


def test_zstd_and_gzip_side_by_side(work, source):
    work.write("1.json.zst", zstandard.compress(b'{"v":1}\n'))
    work.write("2.json.gz", gzip.compress(b'{"v":2}\n'))
    work.write("3.json", '{"v":3}')
    work.run(source(schema="v int"))
    assert work.rows() == [(1,), (2,), (3,)]


def test_binary_rubbish_is_corrupt_rows_not_a_crash(work, source):
    work.write("rubbish.json", bytes(range(256)) * 40)
    work.write("good.json", '{"v":1}\n')
    work.run(source(schema="v int"))
    assert (1,) in work.rows()


def test_deep_nesting(work, source):
    deep = '{"a":' * 900 + "1" + "}" * 900
    work.write("1.json", deep + '\n{"v":1}\n')
    work.run(source(schema="v int"))
    assert (1,) in work.rows()


def test_huge_numbers(work, source):
    work.write("1.json", '{"v":1' + "0" * 400 + ',"d":1e999}\n{"v":2,"d":1.5}\n')
    work.run(source(schema="v int, d double"))
    assert (2, 1.5) in work.rows()


def test_a_line_of_several_megabytes(work, source):
    work.write("1.json", json.dumps({"s": "x" * 3_000_000}) + '\n{"s":"y"}\n')
    work.run(source(schema="s string"))
    assert sorted(len(s) for (s,) in work.rows()) == [1, 3_000_000]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_folder_without_permission(work, source):
    work.write("x/1.json", '{"v":1}\n')
    (work.input / "x").chmod(0)
    try:
        with pytest.raises(Exception) as error:
            work.run(source(schema="v int"))
        assert "x" in str(error.value)
    finally:
        (work.input / "x").chmod(0o755)
