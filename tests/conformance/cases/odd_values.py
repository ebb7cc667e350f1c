"""Zeros with a sign, ties, texts that are nearly times, and what a NULL keeps from being computed."""

from harness import Area, one

area = Area("odd_values")
ZEROS = "VALUES (-0.0D, 1, float(-0.0)), (1D, 2, float(1)), (0.0D, 3, float(0.0)), (double('NaN'), 4, float('NaN')) AS t(d, i, f)"


def text_case(name, text, ordered=False):
    area.case_of(name, lambda c: c.spark.sql(text), ordered=ordered)


for name, text in {
    "zero order": f"SELECT cast(d AS string) s, d, i FROM {ZEROS} ORDER BY d, i",
    "zero order float": f"SELECT cast(f AS string) s, i FROM {ZEROS} ORDER BY f DESC, i",
    "zero order column": f"SELECT d FROM {ZEROS} ORDER BY d, i",
    "zero order limit": f"SELECT d, i FROM {ZEROS} ORDER BY d, i LIMIT 2",
    "zero over order": f"SELECT d, i, sum(i) OVER (ORDER BY d, i) s FROM {ZEROS} ORDER BY i",
    "zero over range": f"SELECT d, i, sum(i) OVER (ORDER BY d) s FROM {ZEROS} ORDER BY i",
    "zero over range by": f"SELECT f, i, sum(i) OVER (ORDER BY f RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) s FROM {ZEROS} WHERE i < 4 ORDER BY i",
    "zero over partition": f"SELECT d, i, sum(i) OVER (PARTITION BY d) s FROM {ZEROS} ORDER BY i",
    "zero group": f"SELECT d, count(*) n FROM {ZEROS} GROUP BY d ORDER BY d",
    "zero distinct": f"SELECT DISTINCT d FROM {ZEROS} WHERE i = 1",
    "zero max": f"SELECT max(d), min(d) FROM {ZEROS} WHERE i = 1",
    "zero union": f"SELECT d FROM {ZEROS} WHERE i = 1 UNION SELECT d FROM {ZEROS} WHERE i = 1",
    "zero array order": f"SELECT array(d) a, struct(d) s FROM {ZEROS} WHERE i < 3 ORDER BY array(d), struct(d)",
    "zero rank": f"SELECT i, rank() OVER (ORDER BY d) r FROM {ZEROS} ORDER BY i",
    "zero join": f"SELECT l.i, r.i, l.d FROM {ZEROS} JOIN {ZEROS.replace('AS t', 'AS r')} ON t.d = r.d ORDER BY 1, 2".replace("l.", "t."),
    "zero collect": f"SELECT sort_array(collect_set(d)) FROM {ZEROS}",
    "frame following twice": "SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING) FROM range(3)",
    "frame preceding twice": "SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING) FROM range(3)",
    "frame preceding twice well": "SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) s FROM range(4) ORDER BY id",
    "frame following twice well": "SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) s FROM range(4) ORDER BY id",
    "frame range following twice": "SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN 2 FOLLOWING AND 1 FOLLOWING) FROM range(3)",
    "frame range interval": "SELECT count(*) OVER (ORDER BY d RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND INTERVAL 2 DAYS PRECEDING) FROM VALUES (date'2024-01-01') AS t(d)",
    "frame current preceding": "SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM range(3)",
    "rand left join": "SELECT * FROM range(3) l LEFT JOIN range(2) r ON rand() < 0.5",
    "rand left join seeded": "SELECT * FROM range(3) l LEFT JOIN range(2) r ON l.id = r.id AND rand(1) < 2",
    "rand inner join": "SELECT * FROM range(3) l JOIN range(2) r ON l.id = r.id AND rand(1) < 2",
    "rand semi join": "SELECT * FROM range(3) l LEFT SEMI JOIN range(2) r ON rand(1) < 2",
    "rand full join": "SELECT * FROM range(3) l FULL JOIN range(2) r ON l.id = r.id AND rand(1) < 2",
    "histogram five": "SELECT histogram_numeric(x, 3) FROM VALUES (1D), (2D), (3D), (4D), (5D) AS t(x)",
    "histogram whole": "SELECT histogram_numeric(x, 2) FROM VALUES (1), (3), (5), (7), (9), (11) AS t(x)",
    "histogram range": "SELECT histogram_numeric(cast(id AS int), 5) FROM range(20)",
    "histogram shuffled": "SELECT histogram_numeric(x, 4) FROM VALUES (10D), (0D), (5D), (15D), (20D), (25D) AS t(x)",
    "percentile default": "SELECT percentile_approx(x, 0.5), percentile_approx(x, array(0.0, 0.1, 0.25, 0.9, 1.0)) FROM (SELECT id * 7 % 1001 x FROM range(1000))",
    "percentile hundred": "SELECT percentile_approx(x, array(0.0, 0.1, 0.25, 0.5, 0.9, 1.0), 100) FROM (SELECT id * 7 % 1001 x FROM range(1000))",
    "percentile ten": "SELECT percentile_approx(x, array(0.1, 0.25, 0.5, 0.9), 10) FROM (SELECT id * 7 % 1001 x FROM range(1000))",
    "percentile three": "SELECT percentile_approx(x, array(0.1, 0.25, 0.5, 0.9), 3) FROM VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10) AS t(x)",
    "percentile many": "SELECT percentile_approx(x, array(0.01, 0.25, 0.5, 0.75, 0.99)) FROM (SELECT id * 7919 % 100003 x FROM range(0, 40000, 1, 1))",
    "percentile many coarse": "SELECT percentile_approx(x, array(0.01, 0.25, 0.5, 0.75, 0.99), 50) FROM (SELECT id * 7919 % 100003 x FROM range(0, 120000, 1, 1))",
    "percentile decimals": "SELECT percentile_approx(cast(id / 3 AS decimal(10,2)), 0.5, 20), percentile_approx(date_add(date'2024-01-01', cast(id AS int)), 0.5) FROM range(500)",
    "percentile texts": "SELECT percentile_approx(cast(id AS string), 0.5) FROM range(11)",
    "count distinct small": "SELECT approx_count_distinct(id), approx_count_distinct(id, 0.1), approx_count_distinct(id, 0.2) FROM range(100)",
    "count distinct middle": "SELECT approx_count_distinct(id, 0.1), approx_count_distinct(id, 0.2), approx_count_distinct(id, 0.05), approx_count_distinct(id, 0.39) FROM range(300)",
    "count distinct more": "SELECT approx_count_distinct(id, 0.1), approx_count_distinct(id, 0.2), approx_count_distinct(id, 0.05), approx_count_distinct(id, 0.01) FROM range(3000)",
    "count distinct many": "SELECT approx_count_distinct(id), approx_count_distinct(id, 0.1), approx_count_distinct(id, 0.02), approx_count_distinct(id, 0.01) FROM range(30000)",
    "count distinct texts": "SELECT approx_count_distinct(cast(id AS string), 0.03), approx_count_distinct(cast(id AS string), 0.15) FROM range(2500)",
    "mode ints": "SELECT mode(x) FROM VALUES (3), (1), (2) AS t(x)",
    "mode texts": "SELECT mode(x) FROM VALUES ('b'), ('a'), ('b'), ('a'), ('c') AS t(x)",
    "mode longs": "SELECT mode(x), mode(-x), mode(x * 1000003) FROM (SELECT id % 50 x FROM range(100))",
    "mode many": "SELECT mode(x), mode(cast(x AS string)), mode(cast(x AS double) / 3) FROM (SELECT id x FROM range(300))",
    "mode dates": "SELECT mode(d), mode(cast(d AS timestamp)) FROM (SELECT date_add(date'2024-01-01', cast(id AS int)) d FROM range(10))",
    "mode booleans": "SELECT mode(x) FROM VALUES (true), (false) AS t(x)",
    "mode groups": "SELECT id % 3 k, mode(id % 7) m, mode(cast(id % 5 AS string)) n FROM range(60) GROUP BY 1 ORDER BY 1",
    "mode over": "SELECT id, mode(id) OVER (ORDER BY id) m FROM range(5) ORDER BY id",
    "null keeps": "SELECT date_add(x, cast(1 / y AS int)) a, x = date_add(date'2024-01-01', m % m) b FROM VALUES (cast(null AS date), 0, 0) AS t(x, y, m)",
    "null keeps sum": "SELECT x + m % m a, x * (1 / m) b, x < 1 / m c, concat(s, cast(1 / m AS string)) d, substring(s, m % m, 1) e FROM VALUES (cast(null AS int), 0, cast(null AS string)) AS t(x, m, s)",
    "null does not keep": "SELECT m % m + x FROM VALUES (cast(null AS int), 0) AS t(x, m)",
    "null constant": "SELECT (m / m) + null FROM VALUES (0) AS t(m)",
    "null constant first": "SELECT null + (m / m) FROM VALUES (0) AS t(m)",
    "null decimal": "SELECT (m / m) + null FROM VALUES (cast(0 AS decimal(10,2))) AS t(m)",
    "having constant": "SELECT count(*) FROM range(3) HAVING false",
    "having null": "SELECT sum(id) FROM range(3) HAVING cast(null AS boolean)",
    "having rollup": "SELECT id, count(*) FROM range(3) GROUP BY ROLLUP (id) HAVING 1 > 2",
    "filter over aggregate": "SELECT * FROM (SELECT count(*) n FROM range(3)) WHERE false",
    "sum wide": "SELECT sum(x) FROM VALUES (cast('99999999999999999999999999999999999998' AS decimal(38,0))), (1BD) AS t(x)",
    "sum too wide": "SELECT sum(x) FROM VALUES (cast('99999999999999999999999999999999999999' AS decimal(38,0))), (1BD) AS t(x)",
    "sum wide scale": "SELECT sum(x), avg(x), try_sum(x), sum(DISTINCT x) FROM VALUES (cast('999999999999999999999999.5555555555' AS decimal(38,10))), (-0.5555555556BD), (cast(null AS decimal(38,10))) AS t(x)",
    "sum wide over": "SELECT sum(x) OVER (ORDER BY i) s FROM VALUES (cast('9999999999999999999999999999999.5' AS decimal(35,1)), 1), (0.5BD, 2) AS t(x, i) ORDER BY i",
    "try sum too wide": "SELECT try_sum(x) FROM VALUES (cast('99999999999999999999999999999999999999' AS decimal(38,0))), (1BD) AS t(x)",
    "avg of longs": "SELECT avg(x) FROM VALUES (4L), (9223372036854775807L), (-9223372036854775807L) AS t(x)",
    "captions": "SELECT 'a' LIKE ANY ('a', 'b'), 'a' LIKE ALL ('a', '_'), 'a' NOT LIKE ANY ('a', 'b'), 'a' NOT LIKE ALL ('c'), 'A' ILIKE ANY ('a'), 'a' LIKE ANY ('a', null)",
    "captions columns": "SELECT id LIKE ANY ('1', id), 2 << 1, 2 >> 1, -2 >>> 1, shiftleft(2, 1), shiftrightunsigned(-2, 60) FROM range(2)",
    "captions lists": "SELECT array_agg(id), sort_array(array_agg(id)), size(array_agg(id)), collect_list(id) FROM range(2)",
    "captions windows": "SELECT rank() OVER (ORDER BY id), dense_rank() OVER (ORDER BY id), percent_rank() OVER (ORDER BY id), cume_dist() OVER (ORDER BY id), ntile(2) OVER (ORDER BY id), "
    "lag(id, -1) OVER (ORDER BY id), lead(id, -1) OVER (ORDER BY id), nth_value(id, 1) OVER (ORDER BY id) FROM range(1)",
    "captions cases": "SELECT CASE WHEN true THEN 1 END, CASE WHEN true THEN null ELSE 1 END, CASE WHEN false THEN 1 END, CASE WHEN id > 1 THEN 1 WHEN true THEN 2 ELSE null END FROM range(1)",
    "captions substring": "SELECT substr('Spark' FROM 2), substring('Spark' FROM 2 FOR 1), log(2), log(2, 8), ceil(null, 2), 1 = 1.0, 1.0 <=> 1 FROM range(1)",
}.items():
    text_case(name, text, ordered="ORDER BY" in text)


@area.case()
def caption_variables(c):
    c.spark.sql("DECLARE OR REPLACE VARIABLE ov_s = 'text'")
    c.spark.sql("DECLARE OR REPLACE VARIABLE ov_i = 5")
    return c.spark.sql("SELECT ov_s, ov_s || 'x', upper(ov_s), ov_i, ov_i + 1, session.ov_i, system.session.ov_s")


area.lines(one, r"""
cbrt(27)
cbrt(8D)
cbrt(1000D)
cbrt(2D)
cbrt(3D)
cbrt(0.001D)
cbrt(-27D)
cbrt(64D)
cbrt(125D)
cbrt(1e-310D)
cbrt(1e300D)
cbrt(-0.0D)
cbrt(10)
cast('2024-01-05T' as timestamp)
cast('2024-01-05 ' as timestamp)
cast('2024-01-05T10' as timestamp)
cast('2024-01-05 10:00:00 PST' as timestamp)
cast('2024-01-05 10:00:00PST' as timestamp)
cast('2024-01-05 10:00:00 EST' as timestamp)
cast('2024-01-05 10:00:00 JST' as timestamp)
cast('2024-01-05 10:00:00 +1' as timestamp)
cast('2024-01-05 10:00:00+1' as timestamp)
cast('2024-01-05 10:00:00+01:30' as timestamp)
cast('2024-01-05 10:00:00+0130' as timestamp)
cast('2024-01-05 10:00:00 UTC+1' as timestamp)
cast('2024-01-05 10:00:00 GMT-08:00' as timestamp)
cast('2024-01-05 10:00:00+1:3' as timestamp)
cast('2024-01-05 10:00:00+010203' as timestamp)
cast('2024-01-05 10:00:00+01:02:03' as timestamp)
cast('2024-01-05 10:00:00+19:00' as timestamp)
cast('2024-01-05 10:00+01:00' as timestamp)
cast('2024-01-05 10:00 PST' as timestamp)
cast('2024-01-05 10 PST' as timestamp)
cast('2024-01-05 10:00:00.5 PST' as timestamp)
cast('2024-01-05 10:00:00.PST' as timestamp)
cast('2024-01-05 PST' as timestamp)
date_format(cast('T12:30' as timestamp), 'HH:mm:ss')
date_format(cast('T12' as timestamp), 'HH:mm:ss')
date_format(cast('12:30:05.5' as timestamp), 'HH:mm:ss.S')
date_format(cast('1:2' as timestamp), 'HH:mm:ss.S')
cast('12' as timestamp)
cast('12:' as timestamp)
cast('T' as timestamp)
cast(':30' as timestamp)
cast('2024-01-05 10' as timestamp)
cast('2024-01-05 10:' as timestamp)
cast('2024-01-05 10:00:' as timestamp)
cast('2024-01-05 1:2:3.' as timestamp)
cast('2024-01-05 10:00:00.1234567' as timestamp)
cast('2024-01-05 10:00:00Z' as timestamp)
cast('2024-01-05 10:00:00z' as timestamp)
cast('2024-01-05 10:00:00  Z' as timestamp)
cast('2024-01-05T10:00:00Z ' as timestamp)
cast('2024-01-05T10:00:00 Zulu' as timestamp)
cast('2024-01-05 10:00:00 America/New_York' as timestamp)
cast('2024-01-05 10:00:00 america/new_york' as timestamp)
cast('2024-01-05 10:00:00 Europe/Nowhere' as timestamp)
cast('2024-01-05 24:00:00' as timestamp)
cast('2024-01-05 100:00:00' as timestamp)
cast('2024-1' as timestamp)
cast('2024' as timestamp)
cast('2024-' as timestamp)
cast('2024-01-' as timestamp)
cast('-2024-01-05' as timestamp)
cast('+2024-01-05' as timestamp)
cast('20240105' as timestamp)
cast('1234567-01-01' as timestamp)
cast('1234567-01-01' as date)
cast('123-01-01' as timestamp)
cast('2024-001-01' as timestamp)
cast('2024-01-05  10:00:00' as timestamp)
cast('2024-01-05T10:00:00 +01:00' as timestamp_ntz)
cast('T12:30' as timestamp_ntz)
cast('2024-01-05 10:00:00 Europe/Nowhere' as timestamp_ntz)
try_cast('2024-01-05 10:00:00 Nope' as timestamp)
try_cast('2024-01-05T' as timestamp)
to_timestamp('2024-01-05 10 PST')
TIMESTAMP'2024-01-05 10:00:00 America/New_York' as t
TIMESTAMP'2024-01-05 10:00:00 PST' as t
TIMESTAMP'2024-01-05 10:00:00+01:30' as t
TIMESTAMP'2024-01-05T' as t
TIMESTAMP'2024-01-05 10:00:00 Europe/Nowhere' as t
TIMESTAMP_LTZ'2024-01-05 10:00:00 America/New_York' as t
TIMESTAMP_NTZ'2024-01-05 10:00:00' as t
typeof(TIMESTAMP'2024-01-05 10:00:00 America/New_York')
TIMESTAMP'2024-01-05 10' as t
cast(true as timestamp)
cast(3 as interval day)
cast(-3 as interval hour)
cast(90 as interval second)
cast(2 as interval year)
cast(2147483647 as interval year)
cast(timestamp'2024-01-05 10:00:00.5' as decimal(20,3))
cast(timestamp'2024-01-05 10:00:00.5' as float)
cast(null as int) + 1 / 0
null + 1 / 0
1 / 0 + null
date_add(null, 1 / 0)
timestamp_seconds(9223372036854775807)
from_unixtime(9223372036854775807)
cast(9223372036854775807 as timestamp) > timestamp'2024-01-01 00:00:00'
try_add(interval 106751991 days, interval 10 days)
try_subtract(interval -106751991 days, interval 10 days)
try_add(interval 178956970 years, interval 10 years)
try_subtract(interval -178956970 years, interval 10 years)
try_add(interval 1 day, interval 2 hours)
try_add(date'2024-01-01', 5)
try_add(date'2024-01-01', 2147483647)
try_subtract(date'2024-01-01', date'2023-01-01')
try_subtract(timestamp'2024-01-01 00:00:00', timestamp'2023-01-01 00:00:00')
try_add(date'9999-12-31', interval 1000000 years)
try_add(timestamp'2024-01-01 00:00:00', interval 106751991 days)
try_add(timestamp'2024-01-01 00:00:00', interval 1 month)
try_subtract(timestamp'2024-01-01 00:00:00', interval 106751991 days)
interval 106751991 days + interval 10 days
interval 178956970 years + interval 10 years
interval -178956970 years - interval 10 years
""")


area.lines(one, r"""
array(named_struct('a', 1, 'b', 'x'), named_struct('c', 2, 'd', NULL))
array(named_struct('a', 1), named_struct('b', 2))
array(named_struct('a', 1), named_struct('A', 2))
coalesce(named_struct('a', 1, 'b', 'x'), named_struct('c', 2, 'd', NULL))
if(true, named_struct('a', 1), named_struct('b', 2))
CASE WHEN true THEN named_struct('a', 1) ELSE named_struct('b', 2) END
greatest(named_struct('a', 1), named_struct('b', 2))
map(1, named_struct('a', 1), 2, named_struct('b', 2))
array(array(named_struct('a', 1)), array(named_struct('b', 2)))
named_struct('a', 1) IN (named_struct('b', 2))
named_struct('a', 1) = named_struct('b', 2)
date_format(DATE'2024-01-01', 'LLLLL')
date_format(DATE'2024-01-01', 'LLLLLLLL')
date_format(DATE'2024-01-01', 'MMMMM')
date_format(DATE'2024-01-01', 'yyyyyyy')
date_format(DATE'2024-01-01', 'ddd')
date_format(DATE'2024-01-01', 'EEEEE')
date_format(DATE'2024-01-01', 'YYYY')
date_format(DATE'2024-01-01', 'w')
date_format(DATE'2024-01-01', 'u')
date_format(DATE'2024-01-01', 'e')
date_format(DATE'2024-01-01', 'LLLLL YYYY')
date_format(DATE'2024-01-01', 'GGGGG')
date_format(DATE'2024-01-01', 'aa')
date_format(DATE'2024-01-01', 'B')
""")


def zero_partitions(kind):
    """The folders that zeros with and without a sign go to, what the log says of them, and what is read."""

    def run(c):
        import json
        import pathlib

        def folders(path):
            return sorted({str(f.relative_to(path).parent) for f in pathlib.Path(path).rglob("*.parquet") if "_delta_log" not in str(f)})

        rows = c.spark.sql(f"SELECT * FROM VALUES (1, {kind}(0.0)), (2, {kind}(-0.0D)), (3, {kind}('NaN')), (4, NULL), (5, {kind}(1)) AS t(id, d)").coalesce(1)
        out = []
        path = c.path(f"delta_{kind}")
        rows.write.format("delta").partitionBy("d").save(path)
        out += [folders(path), sorted(str(row) for row in c.spark.read.format("delta").load(path).selectExpr("id", "cast(d AS string) AS d").collect())]
        log = (pathlib.Path(path) / "_delta_log" / f"{0:020}.json").read_text().splitlines()
        out.append(sorted(str(json.loads(line)["add"]["partitionValues"]) for line in log if '"add"' in line))
        c.spark.sql(f"DROP TABLE IF EXISTS zp_{kind}")
        c.spark.sql(f"CREATE TABLE zp_{kind} (id INT, d {kind}) USING delta PARTITIONED BY (d)")
        c.spark.sql(f"INSERT INTO zp_{kind} VALUES (1, 0.0), (2, {kind}(-0.0D))")
        out.append(sorted(str(row) for row in c.spark.sql(f"SELECT id, cast(d AS string) AS d FROM zp_{kind}").collect()))
        out.append([row[0] for row in c.spark.sql(f"SELECT id FROM zp_{kind} WHERE d = 0 ORDER BY id").collect()])
        return out

    area.case_of(f"zero partitions {kind}", run)


zero_partitions("double")
zero_partitions("float")
