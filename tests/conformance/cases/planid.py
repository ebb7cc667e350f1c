"""Columns that carry a plan id: self-joins, hidden keys, frames that are not there."""

from harness import Area

area = Area("planid")


@area.case()
def both_ranges(c):
    a, b = c.spark.range(2), c.spark.range(2)
    return a.join(b, a.id == b.id).select(a.id)


@area.case()
def renamed_side(c):
    a = c.spark.createDataFrame([(1, 2), (2, 3)], "a int, v int")
    b = a.withColumnRenamed("a", "b")
    return a.join(b, a.a == b.b).select(a.a, b.b)


@area.case()
def self_join_ambiguous(c):
    a = c.spark.range(3)
    return a.join(a, a.id == a.id)


@area.case()
def cross_self_ambiguous(c):
    a = c.spark.range(3)
    return a.crossJoin(a).select(a.id)


@area.case()
def other_frame(c):
    a, b = c.spark.range(3), c.spark.range(3).withColumnRenamed("id", "x")
    return a.select(b.x)


@area.case()
def union_is_a_leaf(c):
    a = c.spark.range(3)
    return a.union(a).select(a.id)


@area.case()
def using_key_hidden(c):
    a, b = c.spark.range(2), c.spark.range(1, 3)
    return a.join(b, "id", "full").select(b.id)


@area.case()
def using_key_left(c):
    a, b = c.spark.range(2), c.spark.range(1, 3)
    return a.join(b, "id", "left").select("id", a.id, b.id)


@area.case(ordered=True)
def sort_by_dropped(c):
    a = c.spark.range(3).withColumn("v", -c.F.col("id"))
    return a.select(a.v).sort(a.id)


@area.case()
def filter_then_parent_column(c):
    a = c.spark.range(5)
    return a.filter("id > 1").filter(a.id < 4).select(a.id)


@area.case()
def replaced_column(c):
    a = c.spark.range(3)
    b = a.withColumn("id", c.F.col("id") + 10)
    return b.select(a.id)


@area.case()
def aggregated_away(c):
    a = c.spark.range(3).withColumn("k", c.F.lit(1))
    return a.groupBy("k").count().select(a.id)


@area.case()
def semi_join_right(c):
    a, b = c.spark.range(3), c.spark.range(2)
    return a.join(b, a.id == b.id, "left_semi").select(b.id)


@area.case()
def three_way(c):
    a = c.spark.range(3)
    b = c.spark.range(3).withColumn("x", c.F.lit("b"))
    d = c.spark.range(3).withColumn("x", c.F.lit("d"))
    return a.join(b, a.id == b.id).join(d, a.id == d.id).select(a.id, b.x, d.x)


@area.case()
def aliased_self_join(c):
    F = c.F
    a = c.spark.createDataFrame([(1, None), (2, 1)], "id int, parent int")
    return a.alias("l").join(a.alias("r"), F.col("l.parent") == F.col("r.id")).select("l.id", "r.id")


@area.case()
def star_of_side(c):
    a = c.spark.range(2).withColumn("x", c.F.lit(1))
    b = c.spark.range(2).withColumn("y", c.F.lit(2))
    return a.join(b, a.id == b.id).select(a["*"], b.y)


@area.case()
def drop_one_side(c):
    a = c.spark.range(2).withColumn("x", c.F.lit(1))
    b = c.spark.range(2).withColumn("y", c.F.lit(2))
    return a.join(b, a.id == b.id).drop(b.id)


@area.case()
def plain_name_ambiguous(c):
    a, b = c.spark.range(2), c.spark.range(2)
    return a.join(b, a.id == b.id).select("id")
