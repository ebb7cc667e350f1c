"""Dates and timestamps, in UTC and in a zone with summer time."""

from harness import Area, one

area = Area("dates")
NEW_YORK = {"spark.sql.session.timeZone": "America/New_York"}


def times(c):
    from datetime import date, datetime

    rows = [
        (date(2024, 2, 29), datetime(2024, 2, 29, 13, 5, 9, 123456), "2024-02-29 13:05:09"),
        (date(1969, 12, 31), datetime(1969, 12, 31, 23, 59, 59, 999999), "1969-12-31"),
        (date(2023, 12, 31), datetime(2023, 12, 31, 0, 0), "31/12/2023"),
        (None, None, None),
    ]
    return c.spark.createDataFrame(rows, "d date, t timestamp, s string")


both = {
    "year": "year(t)",
    "month_day": "struct(month(t), dayofmonth(t), day(d))",
    "hour_minute_second": "struct(hour(t), minute(t), second(t))",
    "dayofweek": "struct(dayofweek(d), weekday(d), dayofyear(d), weekofyear(d), quarter(d))",
    "date_add": "date_add(d, 1)",
    "date_sub": "date_sub(d, 60)",
    "datediff": "datediff(d, DATE '2024-01-01')",
    "add_months": "add_months(d, 1)",
    "last_day": "last_day(d)",
    "trunc_month": "trunc(d, 'MM')",
    "trunc_year": "trunc(d, 'year')",
    "trunc_bad": "trunc(d, 'nope')",
    "date_trunc_hour": "date_trunc('hour', t)",
    "date_trunc_day": "date_trunc('DAY', t)",
    "date_trunc_week": "date_trunc('week', t)",
    "date_trunc_month": "date_trunc('month', t)",
    "date_format": "date_format(t, 'yyyy-MM-dd HH:mm:ss')",
    "date_format_words": "date_format(t, 'EEE, d MMM yyyy')",
    "date_format_fraction": "date_format(t, 'HH:mm:ss.SSS')",
    "to_date_of_timestamp": "to_date(t)",
    "unix_timestamp": "unix_timestamp(t)",
    "from_unixtime": "from_unixtime(0)",
    "timestamp_seconds": "timestamp_seconds(1700000000)",
    "timestamp_millis": "timestamp_millis(1700000000123)",
    "timestamp_micros": "timestamp_micros(1700000000123456)",
    "unix_millis": "unix_millis(t)",
    "unix_micros": "unix_micros(t)",
    "interval_plus": "t + INTERVAL 1 DAY",
    "interval_minus_months": "d - INTERVAL 1 MONTH",
    "interval_hours": "t + INTERVAL '2' HOUR",
    "timestamp_minus": "t - TIMESTAMP '2024-01-01 00:00:00'",
    "compare_date_timestamp": "d < t",
    "compare_timestamp_string": "t > '2024-01-01'",
    "extract_year": "extract(YEAR FROM t)",
    "date_part": "date_part('hour', t)",
    "cast_string": "cast(t as string)",
    "to_utc": "to_utc_timestamp(t, 'Asia/Tokyo')",
    "from_utc": "from_utc_timestamp(t, 'Asia/Tokyo')",
}
area.exprs(times, both)
area.exprs(times, {k: v for k, v in both.items() if "t" in v.replace("struct", "")},
           prefix="new_york_", conf=NEW_YORK)
area.exprs(one, {
    "to_date_default": "to_date('2024-03-09')",
    "to_date_format": "to_date('09/03/2024', 'dd/MM/yyyy')",
    "to_date_bad": "to_date('nope')",
    "to_date_format_bad": "to_date('2024-03-09', 'dd/MM/yyyy')",
    "to_timestamp_default": "to_timestamp('2024-03-09 01:02:03.5')",
    "to_timestamp_format": "to_timestamp('2024-03-09 01:02', 'yyyy-MM-dd HH:mm')",
    "to_timestamp_iso": "to_timestamp('2024-03-09T01:02:03Z')",
    "to_timestamp_bad": "to_timestamp('x')",
    "try_to_timestamp_bad": "try_to_timestamp('x')",
    "unix_timestamp_format": "unix_timestamp('2024-03-09', 'yyyy-MM-dd')",
    "from_unixtime_format": "from_unixtime(1700000000, 'yyyy/MM/dd')",
    "make_date": "make_date(2024, 2, 29)",
    "make_date_bad": "make_date(2023, 2, 29)",
    "months_between": "months_between(DATE '2024-03-31', DATE '2024-02-29')",
    "next_day": "next_day(DATE '2024-03-09', 'Mon')",
    "literals": "struct(DATE '2024-03-09', TIMESTAMP '2024-03-09 01:02:03', TIMESTAMP_NTZ '2024-03-09 01:02:03')",
    "interval_literal": "INTERVAL '1 02:03:04' DAY TO SECOND",
    "leap_add_year": "DATE '2024-02-29' + INTERVAL 1 YEAR",
    "window_start": "window(TIMESTAMP '2024-01-01 00:07:30', '10 minutes').start",
    "window_struct": "window(TIMESTAMP '2024-01-01 00:07:30', '10 minutes')",
    "sequence_dates": "sequence(DATE '2024-01-30', DATE '2024-02-02')",
    "sequence_months": "sequence(DATE '2024-01-31', DATE '2024-04-30', INTERVAL 1 MONTH)",
})


@area.case()
def sliding_window(c):
    F = c.F
    frame = one(c).select(F.lit("2024-01-01 00:07:00").cast("timestamp").alias("t"))
    return frame.select(F.window("t", "10 minutes", "5 minutes").alias("w")).select("w.start", "w.end")


@area.case()
def window_before_epoch(c):
    F = c.F
    frame = c.spark.createDataFrame(
        [("1969-12-31 23:59:58",), ("1970-01-01 00:00:03",), ("1969-12-31 00:00:02",)], "s string"
    ).select(F.col("s").cast("timestamp").alias("t"))
    return frame.select(F.window("t", "10 seconds", "10 seconds", "5 seconds").alias("w")).select("w.*")


@area.case()
def count_by_window(c):
    F = c.F
    frame = c.spark.createDataFrame(
        [("a", "2024-01-01 00:01:00"), ("a", "2024-01-01 00:09:59"), ("b", "2024-01-01 00:10:00"),
         ("n", None)], "k string, s string"
    ).select("k", F.col("s").cast("timestamp").alias("t"))
    return frame.groupBy(F.window("t", "10 minutes"), "k").count()


@area.case()
def current_is_one_instant(c):
    F = c.F
    return c.spark.range(3).select((F.current_timestamp() == F.now()).alias("same")).distinct()
