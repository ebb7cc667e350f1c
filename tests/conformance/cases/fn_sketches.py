"""Aggregates that estimate, choose or count by sketches, and moments over hard numbers."""

from harness import Area, lines_of

area = Area("fn_sketches")


def numbers(c):
    return c.spark.range(0, 1000, 1, 1).selectExpr(
        "id", "id % 7 k", "cast(id % 13 as string) s", "id / 3 d", "if(id % 5 = 0, null, id) n", "cast(id as decimal(10,2)) m",
        "date_add(date'2024-01-01', cast(id % 40 as int)) day", "id % 2 = 0 b", "cast(cast(id % 11 as string) as binary) x")


def hard(c):
    return c.spark.sql("select * from values ('a', double('nan'), 1.0D), ('a', 1.0D, 2.0D), ('b', 1e300D, 1.0D), ('b', -1e300D, 5.0D), "
                       "('c', 5.0D, 1.0D), ('d', 2.0D, 3.0D), ('d', 2.0D, 4.0D), ('e', null, 1.0D), ('f', double('inf'), 0.0D), "
                       "('f', 1.0D, -0.0D), ('g', -0.0D, 1.0D), ('g', 0.0D, 2.0D), ('g', 1.0D, 4.0D) as t(g, v, w)")


SKETCHES = r"""
approx_count_distinct(id)
approx_count_distinct(k)
approx_count_distinct(s)
approx_count_distinct(d)
approx_count_distinct(n)
approx_count_distinct(m)
approx_count_distinct(day)
approx_count_distinct(b)
approx_count_distinct(x)
approx_count_distinct(id, 0.1)
approx_count_distinct(k, 0.01)
approx_count_distinct(id) filter (where id < 100)
hex(count_min_sketch(k, 0.5D, 0.5D, 1))
hex(count_min_sketch(s, 0.5D, 0.5D, 7))
hex(count_min_sketch(n, 1.0D, 0.9D, 1234567890123))
hex(count_min_sketch(x, 1.0D, 0.9D, 0))
histogram_numeric(id, 5)
histogram_numeric(d, 3)
histogram_numeric(k, 10)
histogram_numeric(n, 4)
percentile_approx(id, 0.5)
percentile_approx(id, array(0.1, 0.5, 0.99))
percentile_approx(d, 0.25, 100)
percentile_approx(m, 0.75)
percentile(id, 0.333)
percentile(k, array(0.0, 1.0))
median(d)
mode(k)
max_by(id, d, 3)
min_by(s, id, 2)
max_by(n, id, 4)
bitmap_count(bitmap_construct_agg(bitmap_bit_position(id)))
bit_xor(id)
any_value(b)
first(n, true)
last(n, true)
"""
area.aggregates(numbers, SKETCHES)
area.aggregates(numbers, "approx_count_distinct(id)\nmax_by(id, d, 2)\nmode(s)\nskewness(d)\n", key="k", suffix=" by k")

MOMENTS = r"""
stddev(v)
stddev_pop(v)
variance(v)
var_pop(v)
skewness(v)
kurtosis(v)
covar_pop(v, w)
covar_samp(v, w)
regr_r2(v, w)
regr_r2(w, v)
avg(v)
sum(v)
max(v)
min(v)
"""
area.aggregates(hard, MOMENTS)
area.aggregates(hard, MOMENTS, key="g", suffix=" by g")
area.aggregates(hard, "corr(v, w)\n", suffix=" ansi off", conf={"spark.sql.ansi.enabled": "false"})
area.aggregates(hard, "corr(v, w)\n", key="g", suffix=" by g ansi off", conf={"spark.sql.ansi.enabled": "false"})
area.aggregates(hard, "corr(v, w)\n", key="g", suffix=" by g")

COLUMNS = {
    "mode_deterministic": lambda F: F.mode("k", True),
    "mode_any": lambda F: F.mode("b", False),
    "string_agg": lambda F: F.string_agg("s"),
    "product": lambda F: F.product(F.col("k") + 1),
    "approx_rsd": lambda F: F.approx_count_distinct("id", 0.2),
    "approx_rsd_bad": lambda F: F.approx_count_distinct("id", 0.5),
}
for name, build in COLUMNS.items():
    area.case_of(name, lambda c, build=build: numbers(c).where("id < 40").coalesce(1).agg(build(c.F)))


@area.case(ordered=True)
def nth_value_ignore_nulls(c):
    w = c.Window.orderBy("id").rowsBetween(-2, 2)
    return numbers(c).where("id < 12").select("id", c.F.nth_value("n", 2, True).over(w).alias("v"))


@area.case(ordered=True)
def moments_over_windows(c):
    w = c.Window.partitionBy("k").orderBy("id").rowsBetween(-3, 0)
    return numbers(c).where("id < 30").orderBy("k", "id").select(
        "k", "id", c.F.stddev("d").over(w).alias("a"), c.F.corr("id", "d").over(c.Window.partitionBy("k")).alias("b"),
        c.F.approx_count_distinct("s").over(w).alias("c"))

area.aggregates(numbers, """
hex(count_min_sketch(id, 0.1, 0.9, 1))
hex(count_min_sketch(id, 0.5D, 0.9, 1))
hex(count_min_sketch(id, 1, 0.9D, 1))
hex(count_min_sketch(id, '0.5', 0.9D, 1))
hex(count_min_sketch(id, 0.5F, 0.9D, 1))
hex(count_min_sketch(m, 0.5D, 0.5D, 1))
""")
