"""Datetimes of a Python program, naive and aware, with a session's zone that is not the client's (CN04)."""

import datetime

from harness import Area

area = Area("datetimes", **{"spark.sql.session.timeZone": "America/New_York"})

NAIVE = datetime.datetime(2024, 7, 1, 12, 30, 15, 250000)
AWARE = datetime.datetime(2024, 7, 1, 12, 30, 15, 250000, datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
WINTER = datetime.datetime(2024, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)


def as_seen_there(frame):
    """The rows, and beside each column the text that the server has for it."""
    return frame.select("*", *[frame[name].cast("string").alias(name + "_text") for name in frame.columns])


@area.case()
def naive_and_aware_inferred(c):
    return as_seen_there(c.spark.createDataFrame([(NAIVE,), (AWARE,), (WINTER,), (None,)], ["t"]))


@area.case(conf={"spark.sql.timestampType": "TIMESTAMP_NTZ"})
def inferred_as_ntz(c):
    return as_seen_there(c.spark.createDataFrame([(NAIVE,), (None,)], ["t"]))


@area.case(conf={"spark.sql.timestampType": "TIMESTAMP_NTZ"})
def aware_inferred_as_ntz(c):
    return as_seen_there(c.spark.createDataFrame([(AWARE,)], ["t"]))


@area.case()
def by_schema(c):
    rows = [(NAIVE, NAIVE), (AWARE, NAIVE), (None, None)]
    return as_seen_there(c.spark.createDataFrame(rows, "l timestamp, n timestamp_ntz"))


@area.case(conf={"spark.sql.timestampType": "TIMESTAMP_NTZ"})
def schema_text_follows_the_setting(c):
    return as_seen_there(c.spark.createDataFrame([(NAIVE, NAIVE)], "d timestamp, l timestamp_ltz"))


@area.case()
def in_lists(c):
    return as_seen_there(c.spark.createDataFrame([([NAIVE, None, AWARE],), ([],), (None,)], "a array<timestamp>"))


@area.case()
def ntz_in_lists(c):
    return as_seen_there(c.spark.createDataFrame([([NAIVE, None],)], "a array<timestamp_ntz>"))


@area.case()
def in_dicts(c):
    return as_seen_there(c.spark.createDataFrame([({"a": NAIVE, "b": AWARE, "c": None},)], "m map<string,timestamp>"))


@area.case()
def ntz_in_dicts_and_structs(c):
    rows = [({"a": NAIVE, "b": None}, (NAIVE, AWARE))]
    return as_seen_there(c.spark.createDataFrame(rows, "m map<string,timestamp_ntz>, s struct<n:timestamp_ntz,l:timestamp>"))


@area.case()
def inferred_in_lists(c):
    return as_seen_there(c.spark.createDataFrame([([NAIVE],)], ["a"]))


@area.case()
def from_pandas(c):
    import pandas

    frame = pandas.DataFrame({"naive": [pandas.Timestamp(NAIVE), pandas.NaT], "aware": [pandas.Timestamp(AWARE), pandas.NaT]})
    return as_seen_there(c.spark.createDataFrame(frame))


@area.case()
def to_pandas(c):
    frame = c.spark.createDataFrame([(NAIVE, NAIVE), (AWARE, None)], "l timestamp, n timestamp_ntz").toPandas()
    return [[str(value) for value in frame[name]] + [str(frame[name].dtype)] for name in frame.columns]


@area.case()
def literals(c):
    from pyspark.sql import functions as F

    return as_seen_there(c.spark.range(1).select(F.lit(NAIVE).alias("naive"), F.lit(AWARE).alias("aware")))


@area.case()
def compared_with_a_literal(c):
    frame = c.spark.createDataFrame([(NAIVE,), (AWARE,)], "t timestamp")
    return frame.filter(frame.t == NAIVE).select(frame.t.cast("string").alias("s"))
