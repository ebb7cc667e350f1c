"""Intervals times and over numbers, as aggregates and in casts; session windows and kin in SQL."""

from harness import Area, one

area = Area("fn_intervals")

LINES = r"""
interval 1 day * 2
2 * interval 1 day
interval 1 day * 1.5
interval 1 day * 1.5D
interval 1 day * cast(0.1 as float)
interval '1' second / 3
interval 3 days / 2
interval 3 days / 2.5
interval 1 month * 2
interval 1 month * 1.5
interval 1 month * 0.49D
interval '1-1' year to month * 3
interval '1-1' year to month / 2
interval 3 months / 2
interval 3 months / 2D
interval -3 months / 2
interval 5 months / -2.0
interval 3 days / 0
interval 3 months / 0.0
interval 3 months / 0D
interval '106751991' day * 2
interval '178956970-7' year to month * 2
interval 1 day * cast(null as int)
interval 1 day * 'x'
interval 1 day * '2'
interval 1 day * true
interval 1 day * 1e30
interval 1 day * double('nan')
interval '100' month div interval '1' month
interval '10' day div interval '3' hour
interval '1' day div interval '0' day
interval 1 day div 2
try_multiply(interval 2 year, 3)
try_divide(interval 2 month, 2)
try_add(interval 2 year, interval 3 year)
try_subtract(interval 2 day, interval 30 hours)
try_add(timestamp'2021-01-01 00:00:00', interval 1 day)
try_add(date'2021-01-01', interval 1 year)
try_subtract(date'2021-01-01', interval 1 year)
try_add(date'2021-01-01', 1)
cast(interval 5 days as int)
cast(interval 3 hours as bigint)
cast(interval -3 minutes as smallint)
cast(interval 200 months as tinyint)
cast(interval 2 years as int)
interval 1 day + interval 2 hours
interval 1 year - interval 1 month
-interval 1 day
abs(interval -3 days)
interval 1 day = interval 24 hours
interval 1 day < interval 25 hours
interval 1 month in (interval 1 month, interval 2 months)
greatest(interval 1 day, interval 2 hours)
coalesce(interval 1 day, interval 2 days)
extract(day from interval '3 04:05:06.7' day to second)
extract(second from interval '3 04:05:06.7' day to second)
extract(month from interval '3-4' year to month)
date'2024-01-31' + interval 1 month
date'2024-01-31' - interval 1 year
timestamp'2024-01-31 10:00:00' + interval '1 02:03:04' day to second
timestamp'2024-01-31 10:00:00' - interval 1 month
interval 1 day + date'2024-01-31'
timestamp'2024-01-02 00:00:00' - timestamp'2024-01-01 12:00:00'
date'2024-03-01' - date'2024-02-01'
make_dt_interval(1, 2, 3, 4.5)
make_ym_interval(1, 2)
"""
area.lines(one, LINES)


def spans(c):
    return c.spark.sql("select * from values ('a', interval 1 day, interval 1 month), ('a', interval 2 days, interval 4 months), "
                       "('b', null, interval -1 month), ('b', interval 36 hours, null) as t(k, d, m)")


AGGREGATES = r"""
sum(d)
avg(d)
min(d)
max(d)
sum(m)
avg(m)
min(m)
max(m)
count(d)
sum(d * 2)
avg(m / 2)
try_sum(d)
first(m)
collect_list(m)
max_by(m, d)
"""
area.aggregates(spans, AGGREGATES)
area.aggregates(spans, "sum(d)\navg(d)\nsum(m)\navg(m)\n", key="k", suffix=" by k")


def clicks(c):
    return c.spark.sql("select * from values ('a', timestamp'2024-01-01 10:00:00'), ('a', timestamp'2024-01-01 10:04:59'), "
                       "('a', timestamp'2024-01-01 10:20:00'), ('b', timestamp'2024-01-01 10:00:00'), ('b', null) as t(k, t)")


SQL = {
    "session_by_key": "select k, session_window.start, session_window.end, count(*) from clicks group by k, session_window(t, '5 minutes')",
    "session_all": "select session_window, count(*) n from clicks group by session_window(t, '10 minutes')",
    "session_having": "select k, count(*) n from clicks group by k, session_window(t, '5 minutes') having count(*) > 1",
    "session_gap_bad": "select count(*) from clicks group by session_window(t, 'x')",
    "session_gap_negative": "select count(*) from clicks group by session_window(t, '-5 minutes')",
    "window_and_session": "select count(*) from clicks group by window(t, '5 minutes'), session_window(t, '5 minutes')",
}
for name, text in SQL.items():

    def run(c, text=text):
        clicks(c).createOrReplaceTempView("clicks")
        return c.spark.sql(text)

    area.case_of(name, run)
