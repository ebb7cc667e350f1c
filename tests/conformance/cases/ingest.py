"""What streaming reads of files refuse or accept, watermarks of other types than TIMESTAMP, numbers of progress."""

from harness import Area

area = Area("ingest")


def lines(c, *texts):
    for i, text in enumerate(texts):
        c.write(f"in/{i}.json", text)


def stream(c, schema, **options):
    return c.spark.readStream.schema(schema).options(**options).json(c.path("in"))


def drain(c, frame, sink="delta"):
    """One run to its end; the query."""
    q = (frame.writeStream.format(sink).option("checkpointLocation", c.path("ck")).trigger(availableNow=True)
         .start(*([c.path("out")] if sink == "delta" else [])))
    q.awaitTermination()
    return q


def table(c):
    return c.spark.read.format("delta").load(c.path("out"))


def event_time(c, frame):
    """The event-time part of the newest progress with rows."""
    q = drain(c, frame, sink="noop")
    return [p.eventTime for p in q.recentProgress if p.numInputRows][-1]


TIMES = '{"t":"2024-01-01T00:10:00","v":1}\n{"t":"2024-01-01T00:30:00","v":2}\n{"v":3}\n'


@area.case()
def watermark_timestamp(c):
    lines(c, TIMES)
    return event_time(c, stream(c, "t timestamp, v int").withWatermark("t", "5 minutes"))


@area.case()
def watermark_ntz(c):
    lines(c, TIMES)
    return event_time(c, stream(c, "t timestamp_ntz, v int").withWatermark("t", "5 minutes"))


@area.case(conf={"spark.sql.session.timeZone": "America/New_York"})
def watermark_ntz_in_another_zone(c):
    lines(c, TIMES)
    return event_time(c, stream(c, "t timestamp_ntz, v int").withWatermark("t", "5 minutes"))


@area.case()
def watermark_window_column_rows(c):
    lines(c, TIMES)
    frame = stream(c, "t timestamp, v int").select(c.F.window("t", "10 minutes").alias("w"), "v")
    drain(c, frame.withWatermark("w", "5 minutes"))
    return table(c)


@area.case(loose=("objects",))
def watermark_unknown_column(c):
    lines(c, TIMES)
    return stream(c, "t timestamp").withWatermark("nope", "1 minute")


@area.case()
def watermark_nested(c):
    lines(c, '{"s":{"t":"2024-01-01T00:10:00"}}\n')
    return stream(c, "s struct<t timestamp>").withWatermark("s.t", "1 minute")


@area.case()
def watermark_twice_on_one_column(c):
    lines(c, TIMES)
    frame = stream(c, "t timestamp, v int").withWatermark("t", "5 minutes").withWatermark("t", "1 minute")
    return event_time(c, frame)


@area.case()
def watermark_negative(c):
    lines(c, TIMES)
    return stream(c, "t timestamp").withWatermark("t", "-1 minute")


@area.case()
def watermark_bad_interval(c):
    lines(c, TIMES)
    return stream(c, "t timestamp").withWatermark("t", "soon")


@area.case()
def watermark_month(c):
    lines(c, TIMES)
    return event_time(c, stream(c, "t timestamp, v int").withWatermark("t", "1 month"))


@area.case()
def watermark_on_batch(c):
    return c.spark.createDataFrame([(1,)], "v int").selectExpr("timestamp'2024-01-01' as t", "v").withWatermark(
        "t", "1 minute")


UNCHECKED = {"spark.sql.streaming.unsupportedOperationCheck": "false"}


@area.case(conf=UNCHECKED)
def unchecked_sort(c):
    lines(c, '{"v":2}\n{"v":1}\n')
    drain(c, stream(c, "v int").sort("v"))
    return table(c)


@area.case(conf=UNCHECKED)
def unchecked_sample(c):
    lines(c, '{"v":2}\n')
    drain(c, stream(c, "v int").sample(1.0))
    return table(c)


@area.case(conf=UNCHECKED)
def unchecked_batch_query(c):
    q = c.spark.range(1).writeStream.format("noop").trigger(availableNow=True).start()
    q.awaitTermination()
    return q.exception() is None


@area.case(conf=UNCHECKED)
def unchecked_stateless(c):
    lines(c, '{"v":2}\n')
    drain(c, stream(c, "v int"))
    return table(c)


@area.case()
def delta_sink_output_rows(c):
    lines(c, '{"v":1}\n{"v":2}\n{"v":3}\n')
    q = drain(c, stream(c, "v int").filter("v > 1"))
    return [p.sink.numOutputRows for p in q.recentProgress if p.numInputRows][0]


def failure(c, frame):
    """How a query fails: class, condition and the first line of the cause."""
    try:
        drain(c, frame)
    except Exception as error:
        text = str(error)
        return [type(error).__name__, error.getCondition(), "FAILED_READ_FILE" in text,
                "MALFORMED_RECORD_IN_PARSING" in text, "in/0.json" in text]
    return "did not fail"


@area.case()
def failfast_stream(c):
    lines(c, '{"v":1}\nbad\n')
    return failure(c, stream(c, "v int", mode="FAILFAST"))


@area.case()
def failfast_stream_with_ignore_corrupt(c):
    lines(c, '{"v":1}\nbad\n{"v":2}\n')
    return failure(c, stream(c, "v int", mode="FAILFAST", ignoreCorruptFiles="true"))


@area.case()
def failfast_text_of_the_error(c):
    lines(c, '{"v":1}\nbad\n')
    try:
        c.spark.read.schema("v int").option("mode", "FAILFAST").json(c.path("in")).collect()
    except Exception as error:
        return str(error).replace("file://", "file:").split("\n")[0]
    return "did not fail"


@area.case(loose=("badRecord",))
def failfast_inference(c):
    lines(c, '{"v":1}\nbad\n')
    return c.spark.read.option("mode", "FAILFAST").json(c.path("in"))


@area.case()
def dropmalformed_stream(c):
    lines(c, '{"v":1}\nbad\n{"v":"x"}\n{"v":2}\n')
    drain(c, stream(c, "v int", mode="DROPMALFORMED"))
    return table(c)


@area.case()
def unreadable_files_only(c):
    lines(c, 'not json\n')
    return c.spark.read.json(c.path("in"))


@area.case()
def duplicate_names_in_the_schema(c):
    lines(c, '{"a":1}\n')
    drain(c, stream(c, "a int, a int"), sink="noop")
    return "ran"


@area.case()
def duplicate_names_by_case_in_the_schema(c):
    lines(c, '{"a":1}\n')
    drain(c, stream(c, "a int, A int"), sink="noop")
    return "ran"


@area.case()
def duplicate_names_in_a_struct(c):
    lines(c, '{"s":{"a":1}}\n')
    drain(c, stream(c, "s struct<a int, A int>"), sink="noop")
    return "ran"


@area.case()
def duplicate_names_batch(c):
    lines(c, '{"a":1}\n')
    return c.spark.read.schema("a int, A int").json(c.path("in"))


@area.case()
def base_path(c):
    c.write("in/year=2024/month=01/f.json", '{"v":1}\n')
    frame = (c.spark.readStream.schema("v int, year int, month int").option("basePath", c.path("in"))
             .json(c.path("in/year=2024")))
    drain(c, frame)
    return table(c)


@area.case()
def no_base_path(c):
    c.write("in/year=2024/month=01/f.json", '{"v":1}\n')
    drain(c, c.spark.readStream.schema("v int, year int, month int").json(c.path("in/year=2024")))
    return table(c)


@area.case()
def base_path_is_a_file(c):
    lines(c, '{"v":1}\n')
    c.write("other", "")
    return c.spark.read.schema("v int").option("basePath", c.path("other")).json(c.path("in"))


@area.case()
def base_path_is_missing(c):
    lines(c, '{"v":1}\n')
    return c.spark.read.schema("v int").option("basePath", c.path("other")).json(c.path("in"))


@area.case()
def base_path_begins_like_the_root(c):
    lines(c, '{"v":1}\n')
    c.write("i/x", "")
    return c.spark.read.schema("v int").option("basePath", c.path("i")).json(c.path("in"))


@area.case()
def base_path_elsewhere_batch(c):
    lines(c, '{"v":1}\n')
    c.write("other/x", "")
    return c.spark.read.schema("v int").option("basePath", c.path("other")).json(c.path("in"))


@area.case()
def base_path_elsewhere(c):
    lines(c, '{"v":1}\n')
    c.write("other/x", "")
    return stream(c, "v int", basePath=c.path("other"))


@area.case()
def latest_first_with_limit_and_age(c):
    import os

    day = 24 * 3600
    for i, age in enumerate((30, 20, 10, 0)):
        path = c.write(f"in/{i}.json", f'{{"v":{i}}}\n')
        os.utime(path, (1_700_000_000 - age * day,) * 2)
    drain(c, stream(c, "v int", latestFirst="true", maxFilesPerTrigger=1, maxFileAge="7d").selectExpr(
        "v", "_metadata.file_name as name"))
    history = c.spark.read.format("json").load(c.path("out/_delta_log/*.json"))
    adds = history.where("add is not null").selectExpr("_metadata.file_name as log", "add.stats as stats")
    return [r.stats[:40] for r in adds.orderBy("log").collect()]


@area.case()
def stale_newer_offsets_than_commits(c):
    """Commits that lag two behind: the newest logged batch runs again."""
    import os

    for i in range(3):
        path = c.write(f"in/{i}.json", f'{{"v":{i}}}\n')
        os.utime(path, (1_700_000_000 + i,) * 2)
    drain(c, stream(c, "v int", maxFilesPerTrigger=1))
    for name in ("2", ".2.crc", "1", ".1.crc"):
        if os.path.exists(c.path(f"ck/commits/{name}")):
            os.unlink(c.path(f"ck/commits/{name}"))
    drain(c, stream(c, "v int", maxFilesPerTrigger=1))
    return [table(c).count(), sorted(n for n in os.listdir(c.path("ck/commits")) if not n.startswith("."))]


def torn(c, entry, text, log="offsets"):
    """Three batches, a log entry replaced by `text`, one more file and a second run."""
    import os

    for i in range(3):
        path = c.write(f"in/{i}.json", f'{{"v":{i}}}\n')
        os.utime(path, (1_700_000_000 + i,) * 2)
    drain(c, stream(c, "v int", maxFilesPerTrigger=1))
    c.write(f"ck/{log}/{entry}", text)
    crc = c.path(f"ck/{log}/.{entry}.crc")
    if os.path.exists(crc):
        os.unlink(crc)
    c.write("in/3.json", '{"v":3}\n')
    try:
        drain(c, stream(c, "v int", maxFilesPerTrigger=1))
    except Exception:  # its text is another matter: Spark's does not always name the file
        return ["failed", table(c).count()]
    return ["ran", table(c).count()]


for _log in ("offsets", "commits"):
    for _entry in (0, 1, 2):
        for _name, _text in (("empty", ""), ("version_only", "v1"), ("half", 'v1\n{"batchWate')):
            area._add(f"torn_{_log}_{_entry}_{_name}",
                      lambda c, log=_log, entry=_entry, text=_text: torn(c, entry, text, log))


def torn_metadata(c, text):
    import os

    lines(c, '{"v":1}\n')
    drain(c, stream(c, "v int"))
    c.write("ck/metadata", text)
    if os.path.exists(c.path("ck/.metadata.crc")):
        os.unlink(c.path("ck/.metadata.crc"))
    c.write("in/3.json", '{"v":3}\n')
    try:
        drain(c, stream(c, "v int"))
    except Exception:
        return ["failed", table(c).count()]
    return ["ran", table(c).count()]


for _name, _text in (("empty", ""), ("half", '{"id":"0b6f4a4e'), ("other_json", "{}"), ("rubbish", "\x00\x01")):
    area._add(f"torn_metadata_{_name}", lambda c, text=_text: torn_metadata(c, text))


def torn_source_log(c, entry, text):
    import os

    for i in range(3):
        path = c.write(f"in/{i}.json", f'{{"v":{i}}}\n')
        os.utime(path, (1_700_000_000 + i,) * 2)
    drain(c, stream(c, "v int", maxFilesPerTrigger=1))
    c.write(f"ck/sources/0/{entry}", text)
    if os.path.exists(c.path(f"ck/sources/0/.{entry}.crc")):
        os.unlink(c.path(f"ck/sources/0/.{entry}.crc"))
    c.write("in/3.json", '{"v":3}\n')
    try:
        drain(c, stream(c, "v int", maxFilesPerTrigger=1))
    except Exception:
        return ["failed", table(c).count()]
    return ["ran", table(c).count()]


for _entry in (0, 2):
    for _name, _text in (("empty", ""), ("version_only", "v1"), ("half", 'v1\n{"path":"file:///x')):
        area._add(f"torn_source_log_{_entry}_{_name}",
                  lambda c, entry=_entry, text=_text: torn_source_log(c, entry, text))
