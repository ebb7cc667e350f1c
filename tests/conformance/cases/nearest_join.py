"""The as-of join, the nearest-by join, and functions whose rows or names the stock client's examples show."""

from harness import Area

area = Area("nearest_join")


def trades(c):
    return c.spark.createDataFrame([(1, "a", "x"), (5, "b", "x"), (10, "c", "y"), (None, "d", "y"), (7, "e", None)],
                                   "a int, left_val string, k string")


def quotes(c):
    return c.spark.createDataFrame([(1, 1, "x"), (2, 2, "y"), (3, 3, "x"), (6, 6, "y"), (7, 7, "x"), (None, 8, "y")],
                                   "a int, right_val int, k string")


def as_of(name, **options):
    def run(c):
        left, right = trades(c), quotes(c)
        made = {k: v(c) if callable(v) else v for k, v in options.items()}
        return left._joinAsOf(right, leftAsOfColumn="a", rightAsOfColumn="a", **made).select(left.a, "left_val", "right_val")

    area._add("as of: " + name, run)


as_of("backward")
as_of("forward", direction="forward")
as_of("nearest", direction="nearest")
as_of("not exact", allowExactMatches=False)
as_of("not exact forward", allowExactMatches=False, direction="forward")
as_of("not exact nearest", allowExactMatches=False, direction="nearest")
as_of("left", how="left")
as_of("left outer within", how="leftouter", tolerance=lambda c: c.F.lit(1))
as_of("within", tolerance=lambda c: c.F.lit(1))
as_of("within forward", tolerance=lambda c: c.F.lit(1), direction="forward")
as_of("within nearest", tolerance=lambda c: c.F.lit(2), direction="nearest")
as_of("of a key", on="k")
as_of("of keys", on=["k"], how="left")
as_of("wrong direction", direction="sideways")
as_of("wrong type", how="right")
as_of("negative tolerance", tolerance=lambda c: c.F.lit(-1))
as_of("tolerance of a column", tolerance=lambda c: c.F.col("right_val"))


@area.case()
def as_of_schema(c):
    left, right = trades(c), quotes(c)
    return left._joinAsOf(right, leftAsOfColumn="a", rightAsOfColumn="a", how="left")


@area.case()
def as_of_itself(c):
    left, right = quotes(c).alias("l"), quotes(c).alias("r")
    joined = left._joinAsOf(right, leftAsOfColumn=c.F.col("l.a"), rightAsOfColumn=c.F.col("r.right_val"), allowExactMatches=False)
    return joined.selectExpr("l.a x", "r.right_val y")


def nearest(name, count, direction, **options):
    def run(c):
        users = c.spark.createDataFrame([(1, 10.0), (2, 20.0), (3, 30.0), (4, None)], "user_id int, score double")
        products = c.spark.createDataFrame([("A", 11.0), ("B", 22.0), ("C", 5.0), ("D", None)], "product string, pscore double")
        rank = c.F.abs(users.score - products.pscore)
        mode = options.get("mode", "exact")
        return users.nearestByJoin(products, -rank if direction == "similarity" else rank, count, mode, direction,
                                   **{k: v for k, v in options.items() if k != "mode"})

    area._add("nearest: " + name, run)


nearest("one", 1, "distance")
nearest("similarity", 1, "similarity")
nearest("two", 2, "distance")
nearest("more than there are", 10, "similarity", mode="approx")
nearest("left outer", 1, "distance", joinType="leftouter")
nearest("left outer two", 2, "similarity", joinType="left_outer")

AGGREGATES = r"""
string_agg(s)
string_agg(s, ', ')
listagg(x)
listagg(x, X'2C')
hex(string_agg(x, X'00FF'))
listagg(distinct x)
listagg(x) filter (where id > 5)
first_value(s, true)
last_value(s, true)
first_value(s)
any_value(s, true)
"""


def texts(c):
    return c.spark.range(0, 4, 1, 1).selectExpr("id", "if(id = 1, null, cast(id as string)) s", "if(id = 2, null, cast(cast(id as string) as binary)) x")


area.aggregates(texts, AGGREGATES)

SHUFFLED = r"""
shuffle(array(1, 20, 3, 5), 123)
shuffle(array(1, 20, null, 5), 234)
shuffle(array('a', 'b', 'c', 'd', 'e', 'f', 'g'), -5)
shuffle(sequence(1, 20), 1234567890123)
shuffle(array(1, 2, 3), null)
shuffle(cast(null as array<int>), 1)
shuffle(array(), 1)
shuffle(sequence(1, id + 3), 7)
shuffle(1, 1)
"""
area.lines(lambda c: c.spark.range(0, 3, 1, 1), SHUFFLED)

STACKED = {"more rows than values": "stack(4, 1, 2, 3)", "far more rows": "stack(6, 'a', 'b')", "rows of two": "stack(3, 1, 'a', 2, 'b')"}
for _name, _text in STACKED.items():
    area._add("stack: " + _name, lambda c, text=_text: c.spark.range(1).selectExpr(text), ordered=True)


def sampled(name, run):
    area._add("sample of partitions: " + name, run)


sampled("by", lambda c: c.spark.range(0, 100, 1, 5).selectExpr("id % 3 key", "id").sampleBy("key", fractions={0: 0.1, 1: 0.2}, seed=0))
sampled("plain", lambda c: c.spark.range(0, 103, 1, 7).sample(fraction=0.3, seed=11))
sampled("range of a step", lambda c: c.spark.range(5, 300, 3, 4).sample(fraction=0.1, seed=2))
sampled("in one", lambda c: c.spark.range(0, 50, 1, 1).sample(fraction=0.2, seed=3))


@area.case()
def default_of_a_setting(c):
    get = c.spark.conf.get
    return [get("spark.sql.sources.partitionOverwriteMode", "DYNAMIC"), get("spark.sql.sources.partitionOverwriteMode"),
            get("no.such.setting", "x"), get("spark.sql.ansi.enabled", "maybe")]


@area.case()
def collations(c):
    return c.spark.sql("select * from collations() where name = 'UTF8_BINARY'")
