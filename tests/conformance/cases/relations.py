"""Relations: one or more cases for each P0 operator."""

from harness import Area

area = Area("relations")


def people(c):
    return c.spark.createDataFrame(
        [(1, "ann", 30), (2, "bob", None), (3, "cid", 25), (4, "dan", 30)], "id int, name string, age int"
    )


def cities(c):
    return c.spark.createDataFrame([(1, "Oslo"), (3, "Rome"), (3, "Bonn"), (9, "Lima"), (None, "Nice")],
                                   "id int, city string")


@area.case(ordered=True)
def range_default(c):
    return c.spark.range(3)


@area.case(ordered=True)
def range_step(c):
    return c.spark.range(10, 0, -3)


@area.case()
def range_empty(c):
    return c.spark.range(5, 5)


@area.case()
def project(c):
    return people(c).select("name", (c.F.col("age") + 1).alias("next"))


@area.case()
def select_expr(c):
    return people(c).selectExpr("id * 2 as twice", "upper(name)", "age is null")


@area.case()
def filter_text(c):
    return people(c).filter("age > 26 and name like '%n'")


@area.case()
def with_column_new(c):
    return people(c).withColumn("x", c.F.lit(1))


@area.case()
def with_column_replace_keeps_place(c):
    return people(c).withColumn("NAME", c.F.upper("name"))


@area.case()
def with_columns_use_old(c):
    F = c.F
    return people(c).withColumns({"age": F.col("age") + 1, "b": F.col("age") * 2})


@area.case()
def rename(c):
    return people(c).withColumnRenamed("age", "years").withColumnRenamed("nothing", "x")


@area.case()
def rename_many(c):
    return people(c).withColumnsRenamed({"id": "a", "name": "b"})


@area.case()
def drop(c):
    return people(c).drop("age", "unknown")


@area.case()
def drop_column_object(c):
    frame = people(c)
    return frame.drop(frame.age)


@area.case()
def to_df(c):
    return people(c).toDF("a", "b", "c")


@area.case()
def to_df_wrong_count(c):
    return people(c).toDF("a", "b")


@area.case(ordered=True)
def sort(c):
    return people(c).sort(c.F.desc("age"), "name")


@area.case(ordered=True)
def order_by_ordinal(c):
    return people(c).orderBy(2)


@area.case(ordered=True)
def order_by_not_selected(c):
    frame = people(c)
    return frame.select(frame.name).sort(frame.age, frame.id)


@area.case(ordered=True)
def limit(c):
    return people(c).sort("id").limit(2)


@area.case(ordered=True)
def offset(c):
    return people(c).sort("id").offset(1).limit(2)


@area.case(ordered=True)
def limit_zero(c):
    return people(c).limit(0)


@area.case()
def tail(c):
    return people(c).sort("id").tail(2)


@area.case()
def head_take_first(c):
    frame = people(c).sort("id")
    return [frame.head(), frame.take(2), frame.first(), frame.head(1)]


@area.case()
def is_empty(c):
    return [people(c).isEmpty(), people(c).filter("id > 9").isEmpty(), c.spark.range(0).isEmpty()]


@area.case()
def union_all(c):
    return people(c).select("id").union(cities(c).select("id"))


@area.case()
def union_widens(c):
    return people(c).select("id").union(c.spark.createDataFrame([(2.5,)], "x double"))


@area.case()
def union_int_string(c):
    return people(c).select("id").union(people(c).select("name"))


@area.case()
def union_wrong_count(c):
    return people(c).union(cities(c))


@area.case()
def union_by_name(c):
    return people(c).select("id", "name").unionByName(people(c).select("name", "id"))


@area.case()
def union_by_name_missing(c):
    return people(c).unionByName(cities(c), allowMissingColumns=True)


@area.case()
def union_by_name_refused(c):
    return people(c).unionByName(cities(c))


@area.case()
def intersect(c):
    return people(c).select("id").intersect(cities(c).select("id"))


@area.case()
def except_all(c):
    return people(c).select("id").exceptAll(cities(c).select("id"))


@area.case()
def subtract(c):
    return cities(c).select("id").subtract(people(c).select("id"))


@area.case()
def distinct(c):
    return cities(c).select("id").distinct()


@area.case()
def drop_duplicates_subset(c):
    return cities(c).dropDuplicates(["id"]).select("id")


@area.case()
def drop_duplicates_unknown(c):
    return cities(c).dropDuplicates(["nope"])


for how in ("inner", "left", "right", "full", "left_semi", "left_anti"):
    area._add(f"join_using_{how}", lambda c, how=how: people(c).join(cities(c), "id", how))
    area._add(
        f"join_on_{how}",
        lambda c, how=how: people(c).alias("p").join(
            cities(c).alias("q"), c.F.col("p.id") == c.F.col("q.id"), how
        ),
    )


@area.case()
def join_cross(c):
    return people(c).select("id").crossJoin(cities(c).select("city"))


@area.case()
def join_condition_inequality(c):
    p, q = people(c), cities(c)
    return p.join(q, p.id < q.id).select(p.name, q.city)


@area.case()
def join_two_columns(c):
    return people(c).join(people(c).select("id", "name", c.F.lit(1).alias("one")), ["id", "name"])


@area.case()
def join_using_unknown(c):
    return people(c).join(cities(c), "nope")


@area.case()
def join_type_coercion(c):
    right = c.spark.createDataFrame([(1, "x")], "key bigint, v string")
    left = people(c)
    return left.join(right, left.id == right.key).select("name", "v")


@area.case()
def join_null_safe(c):
    q = cities(c)
    r = c.spark.createDataFrame([(None, "null-row")], "k int, v string")
    return q.join(r, q.id.eqNullSafe(r.k)).select("city", "v")


@area.case()
def alias_qualified(c):
    return people(c).alias("p").select("p.id", c.F.col("p.name"))


@area.case()
def alias_star(c):
    return people(c).alias("p").join(cities(c).alias("q"), c.F.expr("p.id = q.id")).select("q.*")


@area.case()
def repartition(c):
    return people(c).repartition(3).repartition("age").coalesce(1)


@area.case()
def hint(c):
    return people(c).hint("broadcast")


@area.case()
def sample_all(c):
    return people(c).sample(1.0)


@area.case()
def describe_dtypes(c):
    return people(c).dtypes


@area.case()
def columns(c):
    return people(c).columns


@area.case()
def to_local_iterator(c):
    return [r.id for r in people(c).sort("id").toLocalIterator()]


@area.case()
def to_pandas(c):
    pdf = people(c).sort("id").toPandas()
    return [list(pdf.columns), [str(t) for t in pdf.dtypes], len(pdf)]


@area.case()
def to_arrow_types(c):
    return [[f.name, str(f.type)] for f in people(c).toArrow().schema]


@area.case()
def chained_filters(c):
    frame = c.spark.range(5)
    for _ in range(80):
        frame = frame.filter("id >= 0")
    return frame


@area.case()
def many_with_columns(c):
    frame = c.spark.range(1)
    for i in range(60):
        frame = frame.withColumn(f"c{i}", c.F.col("id") + i)
    return frame.select("c0", "c59")


@area.case()
def temp_view(c):
    people(c).createOrReplaceTempView("conformance_people")
    return c.spark.table("conformance_people").filter("id = 1")


@area.case()
def temp_view_exists(c):
    people(c).createOrReplaceTempView("conformance_twice")
    return people(c).createTempView("conformance_twice")


@area.case()
def table_unknown(c):
    return c.spark.table("no_such_table")


@area.case()
def cache_is_invisible(c):
    frame = people(c).cache()
    try:
        return frame.filter("id > 2")
    finally:
        pass


@area.case()
def same_semantics(c):
    frame = c.spark.range(3)
    return [frame.filter("id > 1").sameSemantics(frame.filter("id > 1")), frame.sameSemantics(c.spark.range(4))]


@area.case()
def is_streaming_is_local(c):
    return [people(c).isStreaming, c.spark.range(1).isStreaming]


@area.case()
def explain_headers(c):
    text = c.printed(lambda: people(c).filter("id > 1").explain(True))
    lines = text.splitlines()
    start = lines.index("== Analyzed Logical Plan ==")
    return [[l for l in lines if l.startswith("== ")], lines[start + 1]]


@area.case()
def observation(c):
    from pyspark.sql import Observation

    seen = Observation("stats")
    people(c).observe(seen, c.F.count("*").alias("n"), c.F.max("age").alias("oldest")).collect()
    return seen.get
