"""Calendar intervals (months, days and microseconds), which a client sees as text only, and time_bucket."""

from harness import Area, lines_of, one

area = Area("fn_calendar")

# What a client cannot fetch: the name, the type and the text of the value.
TEXTS = r"""
make_interval()
make_interval(100, 11, 1, 1, 12, 30, 1.001001)
make_interval(100, null, 3)
make_interval(1, 2, 3)
make_interval('1', 2.7D)
make_interval(-1, 1, -1, 1, -25, 61, -61.000001)
make_interval(0, 0, 0, 0, 0, 0, 1.9999999)
make_interval(0, 0, 0, 0, 0, 0, null)
make_interval(2147483647)
make_interval(0, 0, 2147483647)
make_interval(0, 0, 0, 0, 2147483647, 2147483647)
make_interval(0, 0, 0, 0, 0, 0, 1234567890123456789)
make_interval(1, 2, 3, 4, 5, 6, 7, 8)
make_interval(true)
make_interval(array(1))
make_interval('x')
try_make_interval()
try_make_interval(100, 11, 1, 1, 12, 30, 1.001001)
try_make_interval(2147483647)
try_make_interval(0, 0, 2147483647)
try_make_interval(1, 2, 3, 4, 5, 6, null)
try_make_interval('x')
make_interval(1, 2, 3, 4, 5, 6, 7.5) * 2
make_interval(1, 2, 3, 4, 5, 6, 7.5) * 1.5
1.5D * make_interval(1, 2, 3, 4, 5, 6, 7.5)
make_interval(1, 1, 0, 1, 1, 1, 1) * 0.3
make_interval(1, 1, 0, 1, 1, 1, 1) * -0.3
make_interval(1, 2, 3, 4, 5, 6, 7.5) / 2
make_interval(1, 2, 3, 4, 5, 6, 7.5) / 0.7
make_interval(1, 2, 3, 4, 5, 6, 7.5) / 0
make_interval(1, 2, 3, 4, 5, 6, 7.5) * '2'
make_interval(1, 2, 3, 4, 5, 6, 7.5) * 'x'
make_interval(178956970) * 2
make_interval(0, 0, 0, 2147483647) * 2
make_interval(0, 0, 0, 0, 2147483647) * 2
make_interval(1) * cast(null as int)
make_interval(1) * double('nan')
make_interval(1) * make_interval(1)
2 / make_interval(1)
try_multiply(make_interval(1, 1), 3)
try_multiply(make_interval(178956970), 3)
try_multiply(3, make_interval(1, 1))
try_divide(make_interval(1, 1), 2)
try_divide(make_interval(1, 1), 0)
try_add(make_interval(1, 1), make_interval(0, 2, 0, 5))
try_add(make_interval(178956970), make_interval(178956970))
try_subtract(make_interval(1, 1), make_interval(0, 2, 0, 5))
make_interval(1, 1) + make_interval(0, 2, 0, 5)
make_interval(1, 1) - make_interval(0, 2, 0, 5)
make_interval(178956970) + make_interval(178956970)
make_interval(0, 0, 0, -2147483648) - make_interval(0, 0, 0, 1)
-make_interval(1, 2, 0, 3, 0, 0, 4)
-make_interval(0, -2147483648)
+make_interval(1, 2, 0, 3, 0, 0, 4)
abs(make_interval(1))
make_interval(1) + interval 1 day
make_interval(1) + 1
date'2024-01-31' + make_interval(0, 1)
date'2024-01-31' + make_interval(0, 1, 0, 1)
make_interval(0, 1, 0, 1) + date'2024-01-31'
date'2024-01-31' - make_interval(0, 1, 1)
date'2024-01-31' + make_interval(0, 0, 0, 0, 24)
date'2024-01-31' + make_interval(0, 0, 0, 0, 1)
date'2024-01-31' - make_interval(0, 0, 0, 0, 0, 0, 0.5)
timestamp'2024-01-31 10:00:00' + make_interval(0, 1, 0, 1, 1, 1, 1.5)
timestamp'2024-01-31 10:00:00' - make_interval(0, 1, 0, 1, 1, 1, 1.5)
make_interval(0, 1, 0, 1) + timestamp'2024-01-31 10:00:00'
timestamp_ntz'2024-01-31 10:00:00' + make_interval(0, 1, 0, 1, 1)
timestamp_ntz'2024-01-31 10:00:00' - make_interval(0, 1, 0, 1, 1)
try_add(date'2024-01-31', make_interval(0, 1))
try_add(timestamp'2024-01-31 10:00:00', make_interval(0, 1))
try_subtract(timestamp'2024-01-31 10:00:00', make_interval(0, 1))
'2024-01-31' + make_interval(0, 1)
extract(year from make_interval(13, 14, 3, 4, 5, 6, 7.5))
extract(month from make_interval(13, 14, 3, 4, 5, 6, 7.5))
extract(day from make_interval(13, 14, 3, 4, 5, 6, 7.5))
extract(hour from make_interval(13, 14, 3, 4, 25, 66, 7.5))
extract(minute from make_interval(13, 14, 3, 4, 5, 66, 7.5))
extract(second from make_interval(13, 14, 3, 4, 5, 6, 67.5))
extract(quarter from make_interval(13, 14))
extract(week from make_interval(13, 14))
date_part('month', make_interval(13, 14))
datepart('day', make_interval(0, 0, 1))
cast(make_interval(1, 2) as string)
cast(make_interval(-1, 2, 0, 1, 0, -1, 0.5) as string)
cast(make_interval(1, 2) as int)
cast(make_interval(1, 2) as interval year to month)
cast('1 year 2 months' as interval)
cast('interval 1 year -2 days 3.5 seconds' as interval)
cast('-1 month 2 weeks 1 millisecond 5 microseconds' as interval)
cast('1 yeer' as interval)
cast('' as interval)
cast('  INTERVAL  + 1  DAY ' as interval)
cast('1.5 days' as interval)
cast('1 day 1 day' as interval)
cast('- 1 hour' as interval)
try_cast('1 yeer' as interval)
try_cast('1 year' as interval)
cast(null as interval)
cast(1 as interval)
cast(interval 1 month as interval)
make_interval(1) = make_interval(0, 12)
make_interval(1) < make_interval(2)
make_interval(1) <=> make_interval(1)
make_interval(1) is null
isnotnull(make_interval(null))
coalesce(make_interval(null), make_interval(1))
if(true, make_interval(1), null)
nvl(make_interval(1), make_interval(2))
case when true then make_interval(1) else make_interval(2) end
case when true then make_interval(1) else interval 1 day end
array(make_interval(1), make_interval(0, 1))
map('a', make_interval(1))
map(make_interval(1), 'a')
struct(make_interval(1) as i)
typeof(make_interval(1))
concat(make_interval(1), 'x')
hash(make_interval(1, 2, 0, 3, 0, 0, 4))
xxhash64(make_interval(1, 2, 0, 3, 0, 0, 4))
to_json(struct(make_interval(1, 2) as i))
make_interval(1) in (make_interval(1), make_interval(2))
greatest(make_interval(1), make_interval(2))
element_at(array(make_interval(1), make_interval(0, 1)), 2)
array_contains(array(make_interval(1)), make_interval(1))
array_distinct(array(make_interval(1), make_interval(1)))
sort_array(array(make_interval(1)))
transform(array(1, 2), x -> make_interval(x))
sequence(date'2024-01-01', date'2024-03-01', make_interval(0, 1))
sequence(timestamp'2024-01-01 00:00:00', timestamp'2024-01-03 00:00:00', make_interval(0, 0, 0, 1))
window(timestamp'2024-01-01 00:00:00', make_interval(1))
"""


def text_of(c, text):
    frame = one(c).select(c.F.expr(text))
    return {"name": frame.columns[0], "type": frame.dtypes[0][1], "nullable": frame.schema[0].nullable, "text": frame._show_string(20, False, False)}


for line in lines_of(TEXTS):
    area._add(line, lambda c, line=line: text_of(c, line))

INTERVALS = "VALUES (1, make_interval(1)), (2, make_interval(0, 12)), (3, make_interval(0, 0, 0, 360)), (4, make_interval(null)), (5, make_interval(1)) AS t(k, i)"
QUERIES = {
    "group": f"SELECT cast(i AS string) s, count(*) n FROM {INTERVALS} GROUP BY i",
    "distinct": f"SELECT cast(i AS string) s FROM (SELECT DISTINCT i FROM {INTERVALS})",
    "order": f"SELECT cast(i AS string) s FROM {INTERVALS} ORDER BY i",
    "join": f"SELECT a.k, b.k FROM {INTERVALS} a JOIN {INTERVALS.replace('AS t', 'AS u')} ON t.i = u.i".replace("AS t(k, i) a", "AS t(k, i)").replace("a.k, b.k", "t.k, u.k"),
    "max": f"SELECT max(i) FROM {INTERVALS}",
    "first": f"SELECT cast(first(i) AS string) s, cast(last(i) AS string) l FROM {INTERVALS}",
    "count": f"SELECT count(i), count(*) FROM {INTERVALS}",
    "count_distinct": f"SELECT count(DISTINCT i) FROM {INTERVALS}",
    "sum": f"SELECT sum(i) FROM {INTERVALS}",
    "avg": f"SELECT avg(i) FROM {INTERVALS}",
    "collect": f"SELECT sort_array(collect_list(cast(i AS string))) s, size(collect_list(i)) n FROM {INTERVALS}",
    "max_by": f"SELECT cast(max_by(i, k) AS string) s FROM {INTERVALS}",
    "union": f"SELECT cast(i AS string) s FROM (SELECT i FROM {INTERVALS} UNION ALL SELECT make_interval(7))",
    "columns": f"SELECT k, cast(i * k AS string) m, cast(i / k AS string) d, cast(i + make_interval(0, k) AS string) p, date'2024-01-31' + i s FROM {INTERVALS}",
    "where": f"SELECT k FROM {INTERVALS} WHERE i IS NOT NULL",
    "partition": f"SELECT k, count(*) OVER (PARTITION BY i) n FROM {INTERVALS}",
    "describe": f"DESCRIBE QUERY SELECT i FROM {INTERVALS}",
    "literal_mixed": "SELECT INTERVAL '1 month 1 day'",
    "in_berlin": "SELECT timestamp'2024-03-30 02:30:00' + make_interval(0, 0, 0, 1) a, timestamp'2024-03-30 02:30:00' + make_interval(0, 0, 0, 0, 24) b, timestamp'2024-02-29 02:30:00' + make_interval(0, 1, 0, 2) c",
}
for name, text in QUERIES.items():
    conf = {"spark.sql.session.timeZone": "Europe/Berlin"} if name == "in_berlin" else None
    area._add(name, lambda c, text=text: c.spark.sql(text), ordered=name == "order", conf=conf)

LENIENT = """
make_interval(2147483647)
make_interval(0, 0, 2147483647)
make_interval('x')
make_interval(178956970) * 2
make_interval(1) / 0
make_interval(178956970) + make_interval(178956970)
cast('1 yeer' as interval)
date'2024-01-31' + make_interval(0, 0, 0, 0, 25)
'2024-01-31' + make_interval(0, 1)
try_make_interval(2147483647)
"""
for line in lines_of(LENIENT):
    area._add(line + " without ANSI", lambda c, line=line: text_of(c, line), conf={"spark.sql.ansi.enabled": "false"})

BUCKETS = """
time_bucket(interval '15' minute, timestamp'2024-01-01 11:27:00')
time_bucket(interval '15' minute, timestamp'2024-01-01 11:27:00', timestamp'1970-01-01 00:05:00')
time_bucket(interval '15' minute, timestamp'1969-12-31 23:50:00')
time_bucket(interval '15' minute, timestamp_ntz'2024-01-01 11:27:00')
time_bucket(interval '15' minute, timestamp_ntz'2024-01-01 11:27:00', timestamp_ntz'2024-01-01 11:05:00')
time_bucket(interval '15' minute, timestamp_ntz'2024-01-01 11:27:00', timestamp'2024-01-01 11:05:00')
time_bucket(interval '15' minute, timestamp'2024-01-01 11:27:00', timestamp'2030-01-01 11:05:00')
time_bucket(interval '1' day, timestamp'2024-01-01 11:27:00')
time_bucket(interval '1 12' day to hour, timestamp'2024-01-01 11:27:00')
time_bucket(interval '1 12' day to hour, timestamp'2024-04-01 11:27:00', timestamp'2024-03-20 01:00:00')
time_bucket(interval '7' day, timestamp'2024-04-01 11:27:00', timestamp'2024-01-01 00:00:00')
time_bucket(interval '6' hour, timestamp'2024-03-31 11:27:00')
time_bucket(interval '1' day, timestamp'2024-10-27 23:27:00')
time_bucket(interval '1' month, timestamp'2024-02-11 11:27:00')
time_bucket(interval '1' month, timestamp'2024-02-11 11:27:00', timestamp'2024-01-31 00:00:00')
time_bucket(interval '1' month, timestamp'2024-03-30 11:27:00', timestamp'2024-01-31 12:00:00')
time_bucket(interval '1' month, timestamp'2023-03-30 11:27:00', timestamp'2024-01-31 12:00:00')
time_bucket(interval '1' year, timestamp'1961-02-11 11:27:00')
time_bucket(interval '1-6' year to month, timestamp_ntz'2024-02-11 11:27:00')
time_bucket(interval '0' minute, timestamp'2024-01-01 11:27:00')
time_bucket(interval '-1' minute, timestamp'2024-01-01 11:27:00')
time_bucket(interval '-1' month, timestamp'2024-01-01 11:27:00')
time_bucket(cast(null as interval minute), timestamp'2024-01-01 11:27:00')
time_bucket(interval '1' minute, cast(null as timestamp))
time_bucket(interval '1' minute, null)
time_bucket(interval '1' minute, timestamp'2024-01-01 11:27:00', cast(null as timestamp))
time_bucket(interval '1' minute, timestamp'2024-01-01 11:27:00', null)
time_bucket(interval '1' minute, date'2024-01-01')
time_bucket(interval '1' day, date'2024-01-01')
time_bucket(interval '1' minute, '2024-01-01 11:27:33')
time_bucket('1 minute', timestamp'2024-01-01 11:27:33')
time_bucket(5, timestamp'2024-01-01 11:27:33')
time_bucket(make_interval(1), timestamp'2024-01-01 11:27:33')
time_bucket(make_dt_interval(0, 0, cast(id as int) + 5), timestamp'2024-01-01 11:27:33')
time_bucket(interval '5' minute, timestamp'2024-01-01 11:27:33', timestamp_seconds(id))
time_bucket(interval '5' minute, timestamp_seconds(id * 1000))
time_bucket(interval '5' minute)
time_bucket()
time_bucket(interval '5' minute, timestamp'2024-01-01 11:27:33', timestamp'2024-01-01 11:27:33', 1)
time_bucket(interval '100000000' day, timestamp'2024-01-01 11:27:33')
time_bucket(interval '5' minute, timestamp'0001-01-01 11:27:33')
"""
area.lines(one, BUCKETS)
area.lines(one, BUCKETS, suffix=" in Berlin", conf={"spark.sql.session.timeZone": "Europe/Berlin"})
