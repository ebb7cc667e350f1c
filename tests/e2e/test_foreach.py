"""writeStream.foreach: the program's function, or writer with open, process and close, over each row. What the functions see was
seen in Spark 4.2."""

import os
import pathlib

import pytest
from pyspark.errors import StreamingQueryException

from test_foreach_batch import wait_until, workers_of

COLUMNS = ("id bigint, s string, a array<int>, m map<string,double>, n struct<x:int,t:timestamp>, d date, dec decimal(10,2), "
           "b boolean, ts timestamp, f float, bin binary")
LINE = ('{"id":%d,"s":"x","a":[1,null],"m":{"k":1.5},"n":{"x":1,"t":"2024-01-02T03:04:05Z"},"d":"2024-01-02","dec":1.50,'
        '"b":true,"ts":"2024-01-02T03:04:05.678Z","f":1.25,"bin":"YWJj"}\n{"id":null}\n')


@pytest.fixture
def rows(work):
    for i in range(2):
        work.write(f"{i}.json", LINE % i)
    frame = work.files(COLUMNS, maxFilesPerTrigger=1)
    return frame.selectExpr("*", "cast(ts as timestamp_ntz) ntz", "interval '1 02:03:04' day to second iv",
                            "cast(id as tinyint) ti")


def run(work, frame, function, wait=True):
    writer = frame.writeStream.foreach(function).option("checkpointLocation", str(work.checkpoint))
    query = writer.trigger(availableNow=True).start()
    if wait:
        query.awaitTermination()
    return query


def test_values_are_pythons(work, rows, tmp_path):
    out = str(tmp_path / "seen")

    def save(row):
        with open(out, "a") as file:
            file.write(repr(row) + "\n")

    query = run(work, rows, save)
    full = ("Row(id=%d, s='x', a=[1, None], m={'k': 1.5}, n=Row(x=1, t=datetime.datetime(2024, 1, 2, 3, 4, 5)), "
            "d=datetime.date(2024, 1, 2), dec=Decimal('1.50'), b=True, ts=datetime.datetime(2024, 1, 2, 3, 4, 5, 678000), "
            "f=1.25, bin=b'abc', ntz=datetime.datetime(2024, 1, 2, 3, 4, 5, 678000), "
            "iv=datetime.timedelta(days=1, seconds=7384), ti=%d)")
    empty = ("Row(id=None, s=None, a=None, m=None, n=None, d=None, dec=None, b=None, ts=None, f=None, bin=None, ntz=None, "
             "iv=datetime.timedelta(days=1, seconds=7384), ti=None)")
    assert open(out).read().splitlines() == [full % (0, 0), empty, full % (1, 1), empty]
    progress = [p for p in query.recentProgress if p.numInputRows]
    assert [(p.numInputRows, p.sink.numOutputRows) for p in progress] == [(2, 2), (2, 2)]
    assert progress[0].sink.description.startswith("ForeachWriterTable")


def test_a_writer_is_opened_and_closed_for_each_partition_of_each_batch(work, rows, tmp_path):
    out = str(tmp_path / "calls")

    class Writer:
        def open(self, partition, epoch):
            open(out, "a").write(f"open {partition} {epoch}\n")
            return epoch == 0

        def process(self, row):
            open(out, "a").write(f"row {row.id}\n")

        def close(self, error):
            open(out, "a").write(f"close {error}\n")

    run(work, rows, Writer())
    assert open(out).read().splitlines() == ["open 0 0", "row 0", "row None", "close None", "open 0 1", "close None"]


def test_an_exception_comes_with_its_traceback_and_the_batch_comes_again(work, rows, server, tmp_path):
    out, broken = str(tmp_path / "calls"), str(tmp_path / "broken")
    pathlib.Path(broken).touch()

    class Writer:
        def process(self, row):
            import os

            if row.id == 1 and os.path.exists(broken):
                raise ValueError("row-boom")
            open(out, "a").write(f"{row.id} ")

        def close(self, error):
            open(out, "a").write(f"{error!r}\n")

    query = run(work, rows, Writer(), wait=False)
    with pytest.raises(StreamingQueryException, match="(?s)An exception was thrown from the Python worker.*row-boom"):
        query.awaitTermination()
    assert not workers_of(server)
    os.unlink(broken)
    run(work, rows, Writer())
    assert open(out).read().splitlines() == ["0 None None", "ValueError('row-boom')", "1 None None"]


def test_many_rows_keep_their_order(work, tmp_path):
    count, out = 50_000, str(tmp_path / "numbers")
    work.write("0.json", "".join(f'{{"id":{i}}}\n' for i in range(count)))

    class Writer:
        def open(self, partition, epoch):
            self.seen = []
            return True

        def process(self, row):
            self.seen.append(row.id)

        def close(self, error):
            open(out, "a").write(repr(self.seen == list(range(len(self.seen)))) + f" {len(self.seen)}\n")

    query = run(work, work.files("id bigint"), Writer())
    assert open(out).read() == f"True {count}\n"
    assert query.lastProgress.sink.numOutputRows in (count, 0)


def test_a_function_that_ends_early_ends_well(work):
    work.write("0.json", "".join(f'{{"id":{i},"s":"{"x" * 200}"}}\n' for i in range(20_000)))

    class Writer:
        def open(self, partition, epoch):
            return False

        def process(self, row):
            raise AssertionError

    run(work, work.files("id bigint, s string"), Writer())


def test_a_stop_does_not_wait_for_the_function(work, rows, server, tmp_path):
    begun = str(tmp_path / "begun")

    def sleep(row):
        import time

        open(begun, "w").close()
        time.sleep(600)

    query = run(work, rows, sleep, wait=False)
    wait_until(lambda: os.path.exists(begun))
    query.stop()
    assert query.exception() is None and not workers_of(server)


def test_what_has_no_value_in_python_is_refused(work, rows):
    with pytest.raises(Exception, match="column y of type INTERVAL YEAR TO MONTH"):
        run(work, rows.selectExpr("interval '1-2' year to month y"), print)


def test_partitions_are_refused(work, rows):
    with pytest.raises(Exception, match="'foreach' does not support partitioning"):
        rows.writeStream.foreach(print).partitionBy("s").start()
