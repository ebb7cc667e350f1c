"""Grouping and aggregate functions."""

from harness import Area

area = Area("aggregates")


def sales(c):
    from decimal import Decimal as D

    rows = [
        ("a", 1, 10.0, D("1.10"), "x"), ("a", 2, None, D("2.20"), "y"), ("b", 3, 30.0, None, "x"),
        ("b", None, float("nan"), D("4.40"), None), (None, 5, -1.5, D("0.05"), "z"), ("a", 2, 10.0, D("1.10"), "x"),
    ]
    return c.spark.createDataFrame(rows, "k string, i int, f double, d decimal(6,2), s string")


def aggregate(name, *texts, keys=("k",)):
    def run(c):
        return sales(c).groupBy(*keys).agg(*[c.F.expr(t) for t in texts])

    area._add(name, run)


aggregate("count", "count(*)", "count(1)", "count(i)", "count(distinct s)", "count(i, s)")
aggregate("sum", "sum(i)", "sum(f)", "sum(d)", "sum(distinct i)")
aggregate("avg", "avg(i)", "avg(d)", "mean(i)")
aggregate("min_max", "min(i)", "max(i)", "min(s)", "max(s)", "min(d)", "max(f)", "min(f)")
aggregate("first_last", "first(k)", "last(k)", "any_value(k)")
aggregate("collect", "sort_array(collect_list(s))", "sort_array(collect_set(s))")
aggregate("stddev", "stddev(i)", "stddev_pop(i)", "variance(i)", "var_pop(i)")
aggregate("max_by", "max_by(s, d)", "min_by(s, d)")
aggregate("bool", "bool_and(i > 1)", "bool_or(i > 1)", "every(i > 0)", "count_if(i > 1)")
aggregate("approx", "approx_count_distinct(i)")
aggregate("median", "median(i)", "percentile(i, 0.5)")
aggregate("filter_clause", "count(*) filter (where i > 1)", "sum(i) filter (where s = 'x')")
aggregate("expression_of_aggregates", "sum(i) / count(*) as ratio", "max(i) - min(i)")
aggregate("global", "count(*)", "sum(i)", "avg(f)", keys=())
aggregate("two_keys", "count(*)", keys=("k", "s"))
aggregate("nested_refused", "sum(count(i))")
aggregate("sum_of_string", "sum(s)")


@area.case()
def empty_global(c):
    F = c.F
    return sales(c).filter("i > 100").agg(F.count("*"), F.sum("i"), F.max("s"), F.collect_list("i"))


@area.case()
def empty_grouped(c):
    return sales(c).filter("i > 100").groupBy("k").count()


@area.case()
def group_by_expression(c):
    F = c.F
    return sales(c).groupBy((F.col("i") % 2).alias("odd")).agg(F.sum("d").alias("total"))


@area.case()
def having(c):
    F = c.F
    return sales(c).groupBy("k").agg(F.count("*").alias("n")).filter("n > 1")


@area.case()
def ungrouped_column_refused(c):
    return sales(c).groupBy("k").agg(c.F.col("i"))


@area.case()
def count_action(c):
    return sales(c).count()


@area.case()
def distinct(c):
    return sales(c).select("k", "s").distinct()


@area.case()
def drop_duplicates(c):
    return sales(c).select("k", "i", "s").dropDuplicates(["k", "i", "s"])


@area.case()
def sum_overflow(c):
    frame = c.spark.createDataFrame([(2**63 - 1,), (1,)], "l bigint")
    return frame.agg(c.F.sum("l"))


@area.case()
def sum_int_is_long(c):
    frame = c.spark.createDataFrame([(2**31 - 1,), (1,)], "i int")
    return frame.agg(c.F.sum("i"), c.F.avg("i"))


@area.case()
def decimal_average(c):
    from decimal import Decimal as D

    frame = c.spark.createDataFrame([(D("1.00"),), (D("2.00"),), (D("2.00"),)], "d decimal(10,2)")
    return frame.agg(c.F.avg("d"), c.F.sum("d"))


@area.case()
def rollup(c):
    return sales(c).rollup("k").agg(c.F.count("*").alias("n"))


@area.case()
def cube(c):
    return sales(c).cube("k", "s").count()


@area.case()
def pivot(c):
    return sales(c).groupBy("k").pivot("s", ["x", "y"]).count()


@area.case(ordered=True)
def row_number(c):
    F, W = c.F, c.Window
    w = W.partitionBy("k").orderBy(F.desc("i"), "s")
    return sales(c).select("k", "i", "s", F.row_number().over(w).alias("rn")).sort("k", "rn")


@area.case(ordered=True)
def running_sum(c):
    F, W = c.F, c.Window
    w = W.partitionBy("k").orderBy("i", "s").rowsBetween(W.unboundedPreceding, W.currentRow)
    return sales(c).select("k", "i", "s", F.sum("i").over(w).alias("run")).sort("k", "i", "s")


@area.case(ordered=True)
def rank(c):
    F, W = c.F, c.Window
    w = W.partitionBy("k").orderBy("i")
    return sales(c).select("k", "i", F.rank().over(w).alias("r"), F.dense_rank().over(w).alias("dr")).sort("k", "i", "r")
