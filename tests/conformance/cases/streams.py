"""Streaming programs: results under availableNow, and what start() refuses."""

from harness import Area

area = Area("streams")


def ingest(c, reader=None):
    c.write("in/1.json", '{"a":1,"k":"x"}\n{"a":2,"k":"y"}\n')
    c.write("in/2.json", '{"a":3,"k":"x"}\n')
    return c.spark.readStream.schema("a int, k string").json(c.path("in"))


def to_delta(c, frame, **options):
    q = (frame.writeStream.format("delta").option("checkpointLocation", c.path("ck"))
         .options(**options).trigger(availableNow=True).start(c.path("out")))
    q.awaitTermination()
    return c.spark.read.format("delta").load(c.path("out"))


@area.case()
def file_to_delta(c):
    return to_delta(c, ingest(c))


@area.case()
def project_filter(c):
    return to_delta(c, ingest(c).filter("a > 1").select((c.F.col("a") * 10).alias("b"), c.F.upper("k")
                                                       .alias("u")))


@area.case()
def second_run_only_new(c):
    to_delta(c, ingest(c))
    c.write("in/3.json", '{"a":9,"k":"z"}\n')
    return to_delta(c, c.spark.readStream.schema("a int, k string").json(c.path("in")))


@area.case()
def rate_micro_batch(c):
    frame = (c.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5)
             .option("startTimestamp", 1000).option("advanceMillisPerBatch", 1000).load())
    return to_delta(c, frame)


@area.case()
def delta_source(c):
    c.spark.range(3).write.format("delta").save(c.path("src"))
    c.spark.range(10, 12).write.format("delta").mode("append").save(c.path("src"))
    return to_delta(c, c.spark.readStream.format("delta").load(c.path("src")))


@area.case()
def memory_sink(c):
    q = ingest(c).writeStream.format("memory").queryName("conformance_mem").trigger(availableNow=True).start()
    q.awaitTermination()
    return c.spark.table("conformance_mem")


@area.case()
def static_join(c):
    names = c.spark.createDataFrame([("x", "ex"), ("y", "why")], "k string, full string")
    return to_delta(c, ingest(c).join(names, "k", "left"))


@area.case()
def union_of_streams(c):
    return to_delta(c, ingest(c).select("a").union(ingest(c).select(c.F.col("a") + 100)))


@area.case()
def progress_numbers(c):
    q = (ingest(c).writeStream.format("delta").option("checkpointLocation", c.path("ck"))
         .trigger(availableNow=True).start(c.path("out")))
    q.awaitTermination()
    p = q.lastProgress
    return [p["batchId"], p["sources"][0]["numInputRows"], p["sources"][0]["startOffset"],
            p["sources"][0]["endOffset"], sorted(p["durationMs"]), p["stateOperators"], len(q.recentProgress),
            p["sources"][0]["description"], p["sink"]["description"]]


@area.case()
def status_after_end(c):
    q = (ingest(c).writeStream.format("noop").trigger(availableNow=True).start())
    q.awaitTermination()
    return [q.isActive, q.status["isDataAvailable"], q.status["isTriggerActive"], q.exception() is None,
            q.name is None]


@area.case()
def one_file_a_trigger(c):
    c.write("in/1.json", '{"a":1}\n')
    c.write("in/2.json", '{"a":2}\n')
    frame = c.spark.readStream.schema("a int").option("maxFilesPerTrigger", 1).json(c.path("in"))
    q = (frame.writeStream.format("delta").option("checkpointLocation", c.path("ck"))
         .trigger(availableNow=True).start(c.path("out")))
    q.awaitTermination()
    return [p["batchId"] for p in q.recentProgress]


@area.case()
def observe_stream(c):
    F = c.F
    frame = ingest(c).observe("m", F.count("*").alias("n"), F.sum("a").alias("total"))
    q = frame.writeStream.format("noop").trigger(availableNow=True).start()
    q.awaitTermination()
    return str(q.lastProgress["observedMetrics"]["m"])


@area.case(loose=("operator", "msg"))
def no_checkpoint(c):
    return ingest(c).writeStream.format("delta").start(c.path("out"))


@area.case()
def no_schema(c):
    import os

    os.makedirs(c.path("in"))
    return c.spark.readStream.json(c.path("in"))


@area.case()
def path_missing(c):
    return c.spark.readStream.schema("a int").json(c.path("nowhere"))


@area.case()
def update_mode_on_file_sink(c):
    return ingest(c).writeStream.format("parquet").outputMode("update").option(
        "checkpointLocation", c.path("ck")).start(c.path("out"))


@area.case()
def complete_without_aggregate(c):
    return ingest(c).writeStream.format("noop").outputMode("complete").start()


@area.case()
def unknown_output_mode(c):
    return ingest(c).writeStream.format("noop").outputMode("sideways").start()


@area.case()
def collect_on_stream(c):
    return ingest(c)


@area.case()
def write_on_stream(c):
    return ingest(c).write.format("noop").mode("overwrite").save()


@area.case()
def write_stream_on_batch(c):
    return c.spark.range(1).writeStream.format("noop").start()


@area.case()
def sort_on_stream(c):
    return ingest(c).sort("a").writeStream.format("noop").start()


@area.case()
def append_aggregate_without_watermark(c):
    return ingest(c).groupBy("k").count().writeStream.format("noop").start()


@area.case()
def unknown_sink(c):
    return ingest(c).writeStream.format("nosuchsink").option("checkpointLocation", c.path("ck")).start()


@area.case()
def unknown_source(c):
    return c.spark.readStream.format("nosuchsource").load()


@area.case()
def name_twice(c):
    first = c.spark.readStream.format("rate").load().writeStream.format("noop").queryName("conformance_twice").start()
    try:
        return c.spark.readStream.format("rate").load().writeStream.format("noop").queryName(
            "conformance_twice").start()
    finally:
        first.stop()


@area.case()
def failing_query(c):
    frame = ingest(c).select(c.F.expr("a / 0"))
    q = frame.writeStream.format("noop").trigger(availableNow=True).start()
    try:
        q.awaitTermination()
    except Exception as error:
        return [type(error).__name__, error.getCondition(), error.getSqlState(), q.exception() is not None,
                q.isActive]
    return "did not fail"


@area.case()
def bad_interval(c):
    return ingest(c).writeStream.format("noop").trigger(processingTime="1 s").start()


@area.case()
def negative_interval(c):
    return ingest(c).writeStream.format("noop").trigger(processingTime="-1 second").start()


@area.case()
def streaming_schema(c):
    F = c.F
    return ingest(c).withColumn("t", F.current_timestamp()).withWatermark("t", "1 minute").schema.jsonValue()


@area.case()
def is_streaming(c):
    return [ingest(c).isStreaming, ingest(c).select("a").filter("a > 1").isStreaming]


@area.case()
def metadata_column(c):
    return to_delta(c, ingest(c).select("a", "_metadata.file_name"))


@area.case()
def manager(c):
    q = c.spark.readStream.format("rate").load().writeStream.format("noop").queryName("conformance_q").start()
    try:
        active = [x.name for x in c.spark.streams.active if x.id == q.id]
        return [active, c.spark.streams.get(q.id).name, q.isActive, q.awaitTermination(1) is False]
    finally:
        q.stop()


@area.case()
def text_source(c):
    c.write("in/a.txt", "one\ntwo\n")
    return to_delta(c, c.spark.readStream.text(c.path("in")))
