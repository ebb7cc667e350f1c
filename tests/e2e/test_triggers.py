"""Triggers, life cycle, progress, listeners: what a streaming program sees of its query."""

import json
import threading

import pytest
from pyspark.errors import AnalysisException, PySparkException, StreamingQueryException
from pyspark.sql import functions as F
from pyspark.sql.streaming.listener import StreamingQueryListener
from streams import batches


def rate(spark, **options):
    reader = spark.readStream.format("rate")
    for key, value in options.items():
        reader = reader.option(key, value)
    return reader.load()


def test_tr01_available_now_is_bounded_at_start(work):
    for i in range(3):
        work.write(f"{i}.json", '{"v":1}\n')
    query = work.run(work.files("v int", maxFilesPerTrigger=1))
    assert batches(query) == [(0, 1), (1, 1), (2, 1)]
    again = work.run(work.files("v int", maxFilesPerTrigger=1))
    assert batches(again) == []


def test_tr04_available_now_restarted_on_a_delta_source(work):
    spark, source = work.spark, str(work.folder / "src")
    for i in range(6):
        spark.range(i, i + 1).write.format("delta").mode("append").save(source)
    stream = lambda: spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(source)  # noqa: E731
    with pytest.raises(StreamingQueryException):
        work.run(stream().selectExpr("id", "10 div (id - 2) as q"))
    query = work.run(stream().selectExpr("id", "id as q"))
    assert [b for b, _ in batches(query)] == [2, 3, 4, 5]
    assert work.rows("id") == [(i,) for i in range(6)]


def test_tr10_output_row_count(work):
    work.write("1.json", "".join(f'{{"v":{i}}}\n' for i in range(5)))
    query = work.run(work.files("v int").filter("v < 2"))
    assert query.lastProgress.sink.numOutputRows in (2, -1)
    assert query.lastProgress.numInputRows in (2, 5)  # the filter may be applied by the reader


def test_once_runs_one_batch_without_limits(work):
    for i in range(3):
        work.write(f"{i}.json", '{"v":1}\n')
    query = work.start(work.files("v int", maxFilesPerTrigger=1), trigger={"once": True})
    query.awaitTermination()
    assert batches(query) == [(0, 3)]


def test_processing_time_stop_and_restart(work):
    work.write("1.json", '{"v":1}\n')
    query = work.start(work.files("v int"), trigger={"processingTime": "0 seconds"}, name="life")
    query.processAllAvailable()
    assert query.isActive and query.name == "life" and work.rows() == [(1,)]
    work.write("2.json", '{"v":2}\n')
    query.processAllAvailable()
    assert work.rows() == [(1,), (2,)]
    assert query.status["message"] and query.status["isDataAvailable"] is False
    query.stop()
    assert not query.isActive and query.exception() is None
    assert query.awaitTermination(5) is True
    second = work.start(work.files("v int"), trigger={"processingTime": "0 seconds"})
    second.processAllAvailable()
    assert second.id == query.id and second.runId != query.runId
    second.stop()
    assert work.rows() == [(1,), (2,)]


def test_default_trigger(work):
    work.write("1.json", '{"v":1}\n')
    writer = work.files("v int").writeStream.format("delta").option("checkpointLocation", str(work.checkpoint))
    query = writer.start(str(work.out))
    query.processAllAvailable()
    query.stop()
    assert work.rows() == [(1,)]


def test_continuous_is_refused_with_guidance(work):
    with pytest.raises(PySparkException) as error:
        work.start(rate(work.spark), sink="noop", trigger={"continuous": "1 second"})
    assert "ontinuous" in str(error.value)


def test_manager(work):
    spark = work.spark
    query = work.start(rate(spark), sink="noop", name="managed", trigger={"processingTime": "1 second"})
    assert [q.name for q in spark.streams.active] == ["managed"]
    assert spark.streams.get(query.id).runId == query.runId
    assert spark.streams.get(str(query.id)).name == "managed"
    with pytest.raises(PySparkException) as error:
        rate(spark).writeStream.format("noop").queryName("managed").start()
    assert "already active" in str(error.value)
    query.stop()
    assert spark.streams.active == []
    assert spark.streams.get(query.id) is None
    assert spark.streams.awaitAnyTermination(5) is True
    spark.streams.resetTerminated()


def test_cn09_await_termination(work):
    query = work.start(rate(work.spark), sink="noop", trigger={"processingTime": "1 second"})
    for timeout in (0, -1):
        with pytest.raises(Exception):
            query.awaitTermination(timeout)
    assert query.awaitTermination(1) is False
    query.stop()
    assert query.awaitTermination() is None


def test_failed_query(work):
    work.write("1.json", '{"v":0}\n')
    query = work.start(work.files("v int").selectExpr("1 div v"), sink="noop")
    with pytest.raises(StreamingQueryException) as error:
        query.awaitTermination()
    assert error.value.getCondition() == "STREAM_FAILED" and error.value.getSqlState() == "XXKST"
    assert "DIVIDE_BY_ZERO" in str(error.value)
    seen = query.exception()
    assert "DIVIDE_BY_ZERO" in str(seen) and "=== Streaming Query ===" in str(seen)
    assert not query.isActive
    assert query.status["message"].startswith("Terminated with exception")
    with pytest.raises(StreamingQueryException):
        work.spark.streams.awaitAnyTermination(5)
    work.spark.streams.resetTerminated()


def test_last_progress_before_any_batch(work):
    query = work.start(work.files("v int"), sink="noop", trigger={"processingTime": "1 hour"})
    assert query.lastProgress is None or query.lastProgress.numInputRows == 0
    query.stop()


def test_progress_shape(work):
    work.write("1.json", '{"v":1}\n{"v":2}\n')
    query = work.run(work.files("v int"))
    (progress,) = query.recentProgress
    assert set(progress) >= {"id", "runId", "name", "timestamp", "batchId", "batchDuration", "durationMs",
                             "eventTime", "stateOperators", "sources", "sink", "observedMetrics"}
    assert set(progress["durationMs"]) == {"triggerExecution", "queryPlanning", "getBatch", "latestOffset",
                                           "addBatch", "walCommit", "commitOffsets"}
    source = progress.sources[0]
    assert source.description == f"FileStreamSource[file:{work.input}]"
    assert source.startOffset == "null" and json.loads(source.endOffset) == {"logOffset": 0}
    assert source.numInputRows == 2 and progress.numInputRows == 2
    assert progress.timestamp.endswith("Z") and progress.name is None


def test_explain(work):
    query = work.start(rate(work.spark), sink="noop", trigger={"processingTime": "1 hour"})
    query.explain()
    query.stop()


def test_memory_sink(work):
    work.write("1.json", '{"v":1}\n{"v":2}\n')
    query = work.files("v int").writeStream.format("memory").queryName("mem").trigger(availableNow=True).start()
    query.awaitTermination()
    assert sorted(r.v for r in work.spark.table("mem").collect()) == [1, 2]


def test_console_sink(work):
    work.write("1.json", '{"v":1}\n')
    query = work.files("v int").writeStream.format("console").trigger(availableNow=True).start()
    query.awaitTermination()
    assert query.exception() is None


def test_to_table(work):
    work.write("1.json", '{"v":1}\n')
    query = (work.files("v int").writeStream.option("checkpointLocation", str(work.checkpoint))
             .trigger(availableNow=True).toTable("e2e_to_table"))
    query.awaitTermination()
    assert [r.v for r in work.spark.table("e2e_to_table").collect()] == [1]


def test_observe(work):
    work.write("1.json", '{"v":1}\n{"v":5}\n')
    frame = work.files("v int").observe("stats", F.count("*").alias("n"), F.max("v").alias("top"))
    query = work.run(frame)
    assert list(query.lastProgress.observedMetrics["stats"]["values"]) == [2, 5]


class Listener(StreamingQueryListener):
    def __init__(self):
        self.events = []
        self.ended = threading.Event()

    def only(self, kind):
        """The one event of its kind. The start comes with the reply to start(), the others on a stream of
        their own: which is seen first is open when a query is over at once."""
        (event,) = [e for k, e in self.events if k == kind]
        return event

    def onQueryStarted(self, event):
        self.events.append(("started", event))

    def onQueryProgress(self, event):
        self.events.append(("progress", event))

    def onQueryIdle(self, event):
        self.events.append(("idle", event))

    def onQueryTerminated(self, event):
        self.events.append(("terminated", event))
        self.ended.set()


def test_listener(work):
    work.write("1.json", '{"v":1}\n{"v":5}\n')
    listener = Listener()
    work.spark.streams.addListener(listener)
    query = work.start(work.files("v int").observe("m", F.count("*").alias("n")), name="heard")
    assert listener.only("started").name == "heard"  # it was called before start() returned
    query.awaitTermination()
    assert listener.ended.wait(20)
    progress = listener.only("progress").progress
    assert progress.numInputRows == 2 and progress.observedMetrics["m"]["n"] == 2
    assert listener.only("terminated").exception is None
    work.spark.streams.removeListener(listener)


def test_listener_hears_a_failure(work):
    work.write("1.json", '{"v":0}\n')
    listener = Listener()
    work.spark.streams.addListener(listener)
    query = work.start(work.files("v int").selectExpr("1 div v"), sink="noop")
    with pytest.raises(StreamingQueryException):
        query.awaitTermination()
    assert listener.ended.wait(20)
    event = listener.only("terminated")
    assert "DIVIDE_BY_ZERO" in event.exception and event.errorClassOnException == "DIVIDE_BY_ZERO"
    work.spark.streams.removeListener(listener)


def test_stateful_is_refused_by_name(work):
    frame = (rate(work.spark).withWatermark("timestamp", "1 minute")
             .groupBy(F.window("timestamp", "1 minute")).count())
    with pytest.raises(PySparkException):
        work.start(frame, sink="noop").awaitTermination()


def test_unknown_sink_option_and_mode(work):
    with pytest.raises(PySparkException):
        rate(work.spark).writeStream.format("noop").outputMode("sideways").start()
    with pytest.raises(AnalysisException):
        rate(work.spark).writeStream.format("noop").outputMode("complete").start()


def test_delta_source_sees_only_appends_since(work):
    spark, source = work.spark, str(work.folder / "src")
    spark.range(3).write.format("delta").save(source)
    work.run(spark.readStream.format("delta").load(source))
    spark.range(3, 5).write.format("delta").mode("append").save(source)
    query = work.run(spark.readStream.format("delta").load(source))
    assert [n for _, n in batches(query)] == [2]
    assert work.rows() == [(i,) for i in range(5)]


def test_delta_source_refuses_an_overwrite(work):
    spark, source = work.spark, str(work.folder / "src")
    spark.range(3).write.format("delta").save(source)
    work.run(spark.readStream.format("delta").load(source))
    spark.range(1).write.format("delta").mode("overwrite").save(source)
    with pytest.raises(StreamingQueryException) as error:
        work.run(spark.readStream.format("delta").load(source))
    assert "DELTA_SOURCE_TABLE_IGNORE_CHANGES" in str(error.value) or "DELETED" in str(error.value)


def test_many_queries_in_one_process(work):
    queries = [work.start(rate(work.spark), sink="noop", name=f"q{i}", checkpoint=work.folder / f"ck{i}",
                          trigger={"processingTime": "1 second"}) for i in range(30)]
    assert len(work.spark.streams.active) == 30
    for query in queries:
        query.stop()
    assert work.spark.streams.active == []
