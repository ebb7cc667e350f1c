"""Sketches of Apache DataSketches: hll_*, theta_*, tuple_*, kll_*. What Spark made is read, byte for byte what is made is Spark's."""

from harness import Area

area = Area("fn_datasketches")


def rows(c):
    return c.spark.range(0, 100, 1, 1).selectExpr(
        "id", "cast(id % 7 as int) i", "cast(id % 13 as string) s", "id / 4D d", "cast(id / 8 as float) f", "if(id % 5 = 0, null, id) n",
        "cast(cast(id % 11 as string) as binary) x", "array(cast(id % 3 as int), 7) ia", "array(id % 4, 7L) la", "cast(id % 5 as short) h",
        "cast(id % 6 as tinyint) t", "cast(null as int) nothing", "'' e", "cast(id % 3 as int) k")


def many(c):
    return c.spark.range(0, 20000, 1, 1).selectExpr("id", "cast(id % 3000 as int) i", "cast(id as string) s", "id / 4D d")


def two(c):
    """Sketches of two columns that overlap, as one row."""
    return c.spark.sql(
        "select hll_sketch_agg(a) ha, hll_sketch_agg(b) hb, hll_sketch_agg(a, 10) h10, theta_sketch_agg(a) ta, theta_sketch_agg(b) tb, "
        "tuple_sketch_agg_double(a, x) da, tuple_sketch_agg_double(b, x) db, tuple_sketch_agg_integer(a, y) ya, tuple_sketch_agg_integer(b, y) yb, "
        "kll_sketch_agg_bigint(a) ka, kll_sketch_agg_bigint(b) kb, kll_sketch_agg_double(x) kd, kll_sketch_agg_float(cast(x as float)) kf, "
        "cast(null as binary) nil, X'0102' bad, X'' empty "
        "from values (1, 2, 1.5D, 10), (2, 3, 2.5D, 20), (2, 3, 4D, 30), (3, 4, 8D, 40) as v(a, b, x, y)")


HLL = r"""
hex(hll_sketch_agg(id))
hex(hll_sketch_agg(i))
hex(hll_sketch_agg(s))
hex(hll_sketch_agg(x))
hex(hll_sketch_agg(n, 8))
hex(hll_sketch_agg(e))
hex(hll_sketch_agg(nothing))
hex(hll_sketch_agg(id, 4))
hll_sketch_estimate(hll_sketch_agg(id))
hll_sketch_estimate(hll_sketch_agg(id)) + hll_sketch_estimate(hll_sketch_agg(s))
hll_sketch_estimate(hll_sketch_agg(id) filter (where id < 40))
hll_sketch_estimate(hll_sketch_agg(distinct i))
hll_sketch_agg(id, 3)
hll_sketch_agg(id, 22)
hll_sketch_agg(id, i)
hll_sketch_agg(d)
hll_sketch_agg(id, 'x')
hll_sketch_agg()
hll_union_agg(id)
hll_union_agg(x)
"""
THETA = r"""
hex(theta_sketch_agg(id))
hex(theta_sketch_agg(i))
hex(theta_sketch_agg(s))
hex(theta_sketch_agg(x))
hex(theta_sketch_agg(d))
hex(theta_sketch_agg(f))
hex(theta_sketch_agg(ia))
hex(theta_sketch_agg(la))
hex(theta_sketch_agg(n, 4))
hex(theta_sketch_agg(e))
hex(theta_sketch_agg(nothing))
hex(theta_sketch_agg(7))
theta_sketch_estimate(theta_sketch_agg(id))
theta_sketch_estimate(theta_sketch_agg(id, 4))
theta_sketch_agg(id, 3)
theta_sketch_agg(id, 27)
theta_sketch_agg(id, i)
theta_sketch_agg(true)
theta_union_agg(x)
theta_intersection_agg(x)
theta_union_agg(id)
"""
TUPLE = r"""
hex(tuple_sketch_agg_double(i, d))
hex(tuple_sketch_agg_double(s, d, 12, 'max'))
hex(tuple_sketch_agg_double(i, d, 12, 'min'))
hex(tuple_sketch_agg_double(i, d, 12, 'alwaysone'))
hex(tuple_sketch_agg_double(x, 1.5D, 5))
hex(tuple_sketch_agg_double(ia, d))
hex(tuple_sketch_agg_double(d, f))
hex(tuple_sketch_agg_double(e, d))
hex(tuple_sketch_agg_double(nothing, d))
hex(tuple_sketch_agg_double(i, null))
hex(tuple_sketch_agg_integer(i, k))
hex(tuple_sketch_agg_integer(la, k, 12, 'SUM'))
hex(tuple_sketch_agg_integer(i, k, 12, 'alwaysone'))
tuple_sketch_estimate_double(tuple_sketch_agg_double(id, d))
tuple_sketch_estimate_integer(tuple_sketch_agg_integer(id, i, 4))
tuple_sketch_summary_double(tuple_sketch_agg_double(i, d))
tuple_sketch_summary_double(tuple_sketch_agg_double(i, d), 'max')
tuple_sketch_summary_double(tuple_sketch_agg_double(i, d), 'min')
tuple_sketch_summary_integer(tuple_sketch_agg_integer(i, k), 'alwaysone')
tuple_sketch_summary_integer(tuple_sketch_agg_integer(i, k))
tuple_sketch_theta_double(tuple_sketch_agg_double(id, d, 4))
tuple_sketch_theta_integer(tuple_sketch_agg_integer(id, i))
tuple_sketch_agg_double(id, d, 3)
tuple_sketch_agg_double(id, d, 27)
tuple_sketch_agg_double(id, d, i)
tuple_sketch_agg_double(id, d, 12, 'mean')
tuple_sketch_agg_double(id, d, 12, s)
tuple_sketch_agg_double(id, d, null)
tuple_sketch_agg_double(id)
tuple_sketch_agg_integer(id, d)
tuple_sketch_agg_integer(id, id)
tuple_union_agg_double(x)
tuple_intersection_agg_double(x, 'foo')
"""
KLL = r"""
hex(kll_sketch_agg_bigint(id))
hex(kll_sketch_agg_bigint(i))
hex(kll_sketch_agg_bigint(h))
hex(kll_sketch_agg_bigint(t))
hex(kll_sketch_agg_bigint(n, 300))
hex(kll_sketch_agg_bigint(nothing))
hex(kll_sketch_agg_bigint(7))
hex(kll_sketch_agg_float(f))
hex(kll_sketch_agg_double(d))
hex(kll_sketch_agg_double(f))
hex(kll_sketch_agg_double(null))
kll_sketch_get_n_bigint(kll_sketch_agg_bigint(n))
kll_sketch_to_string_bigint(kll_sketch_agg_bigint(id))
kll_sketch_to_string_float(kll_sketch_agg_float(f))
kll_sketch_to_string_double(kll_sketch_agg_double(d))
kll_sketch_to_string_double(kll_sketch_agg_double(cast(null as double)))
kll_sketch_get_quantile_bigint(kll_sketch_agg_bigint(id), 0.5)
kll_sketch_get_quantile_bigint(kll_sketch_agg_bigint(id), array(0.0, 0.25, 1.0))
kll_sketch_get_quantile_double(kll_sketch_agg_double(d), 0.9D)
kll_sketch_get_quantile_float(kll_sketch_agg_float(f), array(0.1, 0.333))
kll_sketch_get_rank_bigint(kll_sketch_agg_bigint(id), 50)
kll_sketch_get_rank_bigint(kll_sketch_agg_bigint(id), array(-1L, 0L, 99L, 500L))
kll_sketch_get_rank_double(kll_sketch_agg_double(d), 3.3D)
kll_sketch_get_rank_float(kll_sketch_agg_float(f), array(cast(1.5 as float)))
kll_sketch_get_quantile_bigint(kll_sketch_agg_bigint(id), 1.5)
kll_sketch_get_quantile_bigint(kll_sketch_agg_bigint(id), -0.1)
kll_sketch_get_quantile_bigint(kll_sketch_agg_bigint(id), null)
kll_sketch_get_quantile_bigint(kll_sketch_agg_bigint(nothing), 0.5)
kll_sketch_get_rank_bigint(kll_sketch_agg_bigint(nothing), 5L)
kll_sketch_get_quantile_double(kll_sketch_agg_bigint(id), 0.5)
kll_sketch_agg_bigint(id, 7)
kll_sketch_agg_bigint(id, 65536)
kll_sketch_agg_bigint(id, i)
kll_sketch_agg_bigint(id, null)
kll_sketch_agg_bigint(d)
kll_sketch_agg_float(d)
kll_sketch_agg_double(id)
kll_merge_agg_bigint(x)
kll_sketch_get_n_bigint(x)
"""
for texts in (HLL, THETA, TUPLE, KLL):
    area.aggregates(rows, texts)
area.aggregates(rows, "hex(hll_sketch_agg(id))\nhex(theta_sketch_agg(id))\nhex(tuple_sketch_agg_double(id, d))\nhex(kll_sketch_agg_double(d))\n",
                key="k", suffix=" by k")

MANY = r"""
md5(hll_sketch_agg(id))
md5(hll_sketch_agg(s, 8))
hll_sketch_estimate(hll_sketch_agg(id))
hll_sketch_estimate(hll_sketch_agg(s))
hll_sketch_estimate(hll_sketch_agg(i, 15))
md5(theta_sketch_agg(id))
md5(theta_sketch_agg(s, 8))
theta_sketch_estimate(theta_sketch_agg(id))
theta_sketch_estimate(theta_sketch_agg(d))
md5(tuple_sketch_agg_double(i, 1D))
tuple_sketch_estimate_double(tuple_sketch_agg_double(id, d))
tuple_sketch_theta_double(tuple_sketch_agg_double(id, d))
kll_sketch_get_n_bigint(kll_sketch_agg_bigint(id))
length(kll_sketch_agg_bigint(id))
abs(kll_sketch_get_quantile_bigint(kll_sketch_agg_bigint(id), 0.5) - 10000) < 600
"""
area.aggregates(many, MANY, suffix=" of many")

PAIRS = r"""
hex(hll_union(ha, hb))
hll_sketch_estimate(hll_union(ha, hb))
hll_union(ha, h10)
hex(hll_union(ha, h10, true))
hll_union(ha, nil)
hll_union(ha, bad)
hll_sketch_estimate(bad)
hll_sketch_estimate(empty)
hll_sketch_estimate(nil)
hll_sketch_estimate(ta)
hll_sketch_estimate(7)
hex(theta_union(ta, tb))
hex(theta_union(ta, tb, 5))
hex(theta_intersection(ta, tb))
hex(theta_difference(ta, tb))
hex(theta_difference(tb, ta))
theta_union(ta, tb, 3)
theta_union(ta, bad)
theta_intersection(ta, empty)
theta_sketch_estimate(bad)
theta_sketch_estimate(nil)
theta_sketch_estimate(da)
theta_sketch_estimate(ha)
hex(tuple_union_double(da, db))
hex(tuple_union_double(da, db, 12, 'max'))
hex(tuple_union_integer(ya, yb))
hex(tuple_difference_double(da, db))
hex(tuple_difference_integer(ya, yb))
hex(tuple_union_theta_double(da, tb))
hex(tuple_union_theta_integer(ya, tb, 12, 'max'))
hex(tuple_difference_theta_double(da, tb))
hex(tuple_difference_theta_integer(ya, tb))
tuple_union_double(da, yb)
tuple_union_double(da, tb)
tuple_union_double(da, bad)
tuple_union_double(da, db, 3)
tuple_union_double(da, db, 12, 'x')
tuple_union_theta_double(da, db)
tuple_sketch_estimate_double(bad)
tuple_sketch_estimate_double(nil)
tuple_sketch_estimate_double(ta)
tuple_sketch_summary_double(ya)
tuple_sketch_summary_integer(da)
tuple_sketch_theta_double(empty)
hex(kll_sketch_merge_bigint(ka, kb))
hex(kll_sketch_merge_double(kd, kd))
kll_sketch_merge_bigint(ka, kd)
kll_sketch_merge_bigint(ka, bad)
kll_sketch_merge_float(kf, nil)
kll_sketch_get_n_float(kf)
kll_sketch_get_n_float(nil)
kll_sketch_to_string_float(bad)
kll_sketch_to_string_bigint(empty)
kll_sketch_get_quantile_bigint(bad, 0.5)
kll_sketch_get_rank_bigint(bad, 1L)
kll_sketch_get_rank_bigint(ka, 'x')
kll_sketch_get_rank_double(kd, 2)
"""
# Each line of PAIRS is a column of the one row.
for _text in PAIRS.strip().splitlines():
    area._add(_text, lambda c, text=_text: two(c).selectExpr(text + " as r"))

MERGED = {
    "hll estimate": ("hll_sketch_agg(v)", "hll_sketch_estimate(hll_union_agg(s))"),
    "theta": ("theta_sketch_agg(v)", "hex(theta_union_agg(s))"),
    "theta lg": ("theta_sketch_agg(v)", "hex(theta_union_agg(s, 4))"),
    "theta intersection": ("theta_sketch_agg(v % 20)", "hex(theta_intersection_agg(s))"),
    "theta no intersection": ("theta_sketch_agg(v)", "hex(theta_intersection_agg(s))"),
    "tuple max": ("tuple_sketch_agg_integer(v % 20, 3)", "hex(tuple_union_agg_integer(s, 12, 'max'))"),
    "kll": ("kll_sketch_agg_bigint(v)", "kll_sketch_get_n_bigint(kll_merge_agg_bigint(s)) || hex(substr(kll_merge_agg_bigint(s), 1, 36))"),
    "kll k": ("kll_sketch_agg_double(double(v), 100)", "kll_sketch_get_n_double(kll_merge_agg_double(s, 300))"),
    "kll float": ("kll_sketch_agg_float(float(v))", "kll_sketch_get_quantile_float(kll_merge_agg_float(s), 0.5)"),
}
for _name, (_make, _merge) in MERGED.items():
    area._add("merged " + _name, lambda c, make=_make, merge=_merge: c.spark.sql(
        f"select {merge} r from (select k, {make} s from (select id % 3 k, id v from range(0, 120, 1, 1)) group by k)"))
for _merge in ("hex(hll_union_agg(s))", "hex(theta_union_agg(s))", "hex(theta_intersection_agg(s))", "hex(tuple_union_agg_double(s))",
               "hex(tuple_intersection_agg_integer(s))", "hex(kll_merge_agg_bigint(s))", "hex(kll_merge_agg_float(s, 100))"):
    area._add("of no sketch: " + _merge, lambda c, merge=_merge: c.spark.sql(f"select {merge} r from values (cast(null as binary)) v(s)"))

area._add("hll lg differs", lambda c: c.spark.sql(
    "select hll_union_agg(s) r from (select hll_sketch_agg(1) s union all select hll_sketch_agg(1, 20))"))
area._add("hll lg differs allowed", lambda c: c.spark.sql(
    "select hll_sketch_estimate(hll_union_agg(s, true)) r from (select hll_sketch_agg(1) s union all select hll_sketch_agg(2, 20))"))
area._add("over a window", lambda c: c.spark.sql(
    "select id, hll_sketch_estimate(hll_sketch_agg(id) over (order by id)) h, theta_sketch_estimate(theta_sketch_agg(id) over (partition by id % 2)) t "
    "from range(6)"))
area._add("schema", lambda c: c.spark.sql(
    "select hll_sketch_agg(id), theta_sketch_agg(id, 5), tuple_sketch_agg_double(id, 1D), tuple_sketch_agg_integer(id, 1, 5, 'max'), "
    "kll_sketch_agg_bigint(id), kll_sketch_agg_double(double(id), 20) from range(3)").selectExpr("*").limit(0))
area._add("named arguments", lambda c: c.spark.sql(
    "select hex(tuple_sketch_agg_double(key => id, summary => 1D, mode => 'max')) r from range(3)"))

for _name in ("hll_sketch_agg(id)", "hll_sketch_agg(id, 6)", "theta_sketch_agg(id, 5)", "kll_sketch_agg_bigint(id)"):
    area._add(f"over a wide window {_name}", lambda c, n=_name: c.spark.sql(
        f"select id, hex({n} over (order by id rows between 99 preceding and current row)) h from range(300)").where("id in (1, 7, 60, 299)"))
