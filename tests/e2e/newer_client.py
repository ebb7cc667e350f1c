"""A program for the client of the next Spark version: prints its version when all of it holds.

usage: newer_client.py REMOTE FOLDER
"""

import datetime
import decimal
import json
import sys
import threading
import time

import pyspark
from pyspark.errors import AnalysisException, ArithmeticException, PySparkException
from pyspark.sql import Row, SparkSession, functions as F
from pyspark.sql.streaming import StreamingQueryListener

REMOTE, FOLDER = sys.argv[1:]


def raises(kind, work):
    try:
        work()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} did not come")


def frames(spark):
    assert spark.version == "4.2.0"  # the server's
    assert spark.range(3).collect() == [Row(id=0), Row(id=1), Row(id=2)]
    assert spark.range(2)._show_string() == "+---+\n| id|\n+---+\n|  0|\n|  1|\n+---+\n"
    assert list(spark.range(2).toPandas()["id"]) == [0, 1]
    rows = [(1, "a", decimal.Decimal("1.50"), datetime.date(2024, 1, 2), [1, 2], {"k": 1}), (2, None, None, None, None, None)]
    frame = spark.createDataFrame(rows, "i int, s string, d decimal(5,2), t date, a array<int>, m map<string,int>")
    assert [tuple(r) for r in frame.collect()] == rows
    assert frame.filter("i > 1").count() == 1
    sums = frame.groupBy((F.col("i") % 2).alias("odd")).agg(F.sum("i").alias("s")).orderBy("odd")
    assert [tuple(r) for r in sums.collect()] == [(0, 2), (1, 1)]
    assert frame.join(spark.range(2).withColumnRenamed("id", "i"), "i").count() == 1
    frame.createOrReplaceTempView("v")
    assert spark.table("v").select("s").first() == Row(s="a")
    large = spark.createDataFrame([(i, "x" * 50) for i in range(40_000)], "i int, s string")
    assert large.agg(F.sum("i")).first()[0] == sum(range(40_000))


def errors(spark):
    error = raises(AnalysisException, lambda: spark.range(1).select("nope").collect())
    assert error.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION" and error.getSqlState() == "42703"
    error = raises(ArithmeticException, lambda: spark.range(1).select(F.lit(1) / F.lit(0)).collect())
    assert error.getCondition() == "DIVIDE_BY_ZERO"
    error = raises(PySparkException, lambda: spark.range(1).select(F.udf(lambda x: x)("id")).collect())
    assert "Python" in str(error)
    # New in this version's protocol; the server says so by the field's number.
    zipped = raises(PySparkException, lambda: spark.range(1).zip(spark.range(1).toDF("x")).collect())
    assert "field 48" in str(zipped), zipped


class Events(StreamingQueryListener):
    def __init__(self):
        self.seen = []
        self.ended = threading.Event()

    def onQueryStarted(self, event):
        self.seen.append("started")

    def onQueryProgress(self, event):
        self.seen.append("progress")

    def onQueryIdle(self, event):
        pass

    def onQueryTerminated(self, event):
        self.seen.append("terminated")
        self.ended.set()


def stream(spark):
    import pathlib

    landing = pathlib.Path(FOLDER, "in")
    landing.mkdir()
    (landing / "a.json").write_text("".join(json.dumps({"id": i}) + "\n" for i in range(5)))
    events = Events()
    spark.streams.addListener(events)
    query = (spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
             .option("cloudFiles.schemaLocation", f"{FOLDER}/ck").load(str(landing))
             .writeStream.format("delta").option("checkpointLocation", f"{FOLDER}/ck")
             .trigger(availableNow=True).start(f"{FOLDER}/out"))
    assert query.awaitTermination(60) is True
    assert query.exception() is None
    progress = query.lastProgress
    assert progress.numInputRows == 5 and progress.sink.description.startswith("DeltaSink")
    assert spark.read.format("delta").load(f"{FOLDER}/out").count() == 5
    assert events.ended.wait(20)
    assert events.seen[0] == "started" and events.seen[-1] == "terminated" and "progress" in events.seen
    spark.streams.removeListener(events)


def interruption(spark):
    outcome = []

    def slow():
        spark.addTag("slow")
        frame = spark.range(10_000_000).crossJoin(spark.range(10_000_000).toDF("x"))
        outcome.append(raises(PySparkException, lambda: frame.agg(F.sum("x")).collect()))

    thread = threading.Thread(target=slow)
    thread.start()
    ids = []
    while not ids and thread.is_alive():
        ids = spark.interruptTag("slow")
        time.sleep(0.02)
    thread.join(30)
    assert len(ids) == 1 and "OPERATION_CANCELED" in str(outcome[0])


def keepalive():
    """Pings without calls, which this client is the first to do; a server that minds them hangs up."""
    spark = SparkSession.builder.remote(REMOTE + "/;grpc_keepalive_time_ms=1500").create()
    spark.client.set_retry_policies([])
    assert spark.range(1).count() == 1
    return spark


def main():
    kept = keepalive()
    pinged_from = time.monotonic()
    spark = SparkSession.builder.remote(REMOTE).create()
    frames(spark)
    errors(spark)
    stream(spark)
    interruption(spark)
    other = spark.newSession()
    assert other.range(1).count() == 1 and other.session_id != spark.session_id
    other.stop()
    spark.stop()
    # gRPC takes offence at the third ping too many.
    time.sleep(max(0.0, 8 - (time.monotonic() - pinged_from)))
    assert kept.range(2).count() == 2
    kept.stop()
    print("ok", pyspark.__version__)


main()
