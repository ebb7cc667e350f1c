"""Arrays, maps, structs and what takes values out of them."""

from harness import Area, one

area = Area("collections")


def nested(c):
    rows = [
        ([1, 2, None, 3], {"a": 1, "b": None}, (1, "x", [10]), [("p", 1), ("q", None)]),
        ([], {}, (None, None, None), []),
        (None, None, None, None),
    ]
    return c.spark.createDataFrame(
        rows,
        "xs array<int>, m map<string,int>, st struct<n:int,s:string,l:array<int>>,"
        " rs array<struct<k:string,v:int>>",
    )


area.exprs(nested, {
    "array_index": "xs[0]",
    "element_at": "try_element_at(xs, 1)",
    "element_at_last": "try_element_at(xs, -1)",
    "map_get": "m['a']",
    "map_element_at": "element_at(m, 'zz')",
    "struct_field": "st.n",
    "struct_nested": "st.l[0]",
    "array_of_struct_field": "rs.k",
    "size": "size(xs)",
    "map_size": "size(m)",
    "cardinality": "cardinality(xs)",
    "array_contains": "array_contains(xs, 2)",
    "array_contains_absent": "array_contains(xs, 9)",
    "map_keys": "map_keys(m)",
    "map_values": "map_values(m)",
    "sort_array": "sort_array(xs)",
    "sort_array_desc": "sort_array(xs, false)",
    "array_max": "array_max(xs)",
    "array_distinct": "array_distinct(array(1, 2, 1, null, null))",
    "array_join": "array_join(array('a', null, 'b'), ',')",
    "array_position": "array_position(xs, 2)",
    "slice": "slice(xs, 2, 2)",
    "concat_arrays": "concat(xs, array(9))",
    "flatten": "flatten(array(array(1), array(2, 3)))",
    "transform": "transform(xs, x -> x + 1)",
    "filter_array": "filter(xs, x -> x > 1)",
    "exists_array": "exists(xs, x -> x > 2)",
    "array_equals": "xs = array(1, 2, null, 3)",
    "struct_equals": "st = st",
})
area.exprs(one, {
    "array_literal": "array(1, 2L, 3.5)",
    "array_empty": "array()",
    "array_mixed_refused": "array(1, 'a', array(2))",
    "map_literal": "map('a', 1, 'b', 2.5)",
    "map_duplicate_key": "map('a', 1, 'a', 2)",
    "map_null_key": "map(null, 1)",
    "named_struct": "named_struct('a', 1, 'b', 'x')",
    "struct_literal": "struct(1, 'x' as named)",
    "array_index_out": "array(1, 2)[5]",
    "array_index_negative": "array(1, 2)[-1]",
    "element_at_out": "element_at(array(1, 2), 5)",
    "element_at_zero": "element_at(array(1, 2), 0)",
    "get_out": "get(array(1, 2), 5)",
    "sequence": "sequence(1, 5, 2)",
    "sequence_down": "sequence(5, 1)",
    "sequence_bad_step": "sequence(1, 5, -1)",
    "split_index": "split('a,b', ',')[1]",
    "map_from_arrays": "map_from_arrays(array('a', 'b'), array(1, 2))",
    "arrays_zip": "arrays_zip(array(1, 2), array('a'))",
    "array_repeat": "array_repeat('x', 3)",
    "map_lookup_missing": "map('a', 1)['b']",
    "struct_missing_field": "named_struct('a', 1).b",
    "array_union": "array_union(array(1, 2), array(2, 3))",
    "aggregate_array": "aggregate(array(1, 2, 3), 0, (acc, x) -> acc + x)",
})


@area.case()
def explode_array(c):
    return nested(c).select("m", c.F.explode("xs").alias("x"))


@area.case()
def explode_outer_array(c):
    return nested(c).select(c.F.explode_outer("xs").alias("x"))


@area.case()
def explode_map(c):
    return nested(c).select(c.F.explode("m"))


@area.case()
def posexplode_array(c):
    return nested(c).select(c.F.posexplode("xs"))


@area.case()
def explode_structs(c):
    return nested(c).select(c.F.explode("rs").alias("r")).select("r.k", "r.v")


@area.case()
def explode_with_column(c):
    return nested(c).withColumn("x", c.F.explode("xs")).select("x")


@area.case()
def two_generators_refused(c):
    return nested(c).select(c.F.explode("xs"), c.F.explode("rs"))


@area.case()
def struct_star(c):
    return nested(c).select("st.*")


@area.case()
def with_field(c):
    return nested(c).select(c.F.col("st").withField("n", c.F.lit(5)).alias("st"))


@area.case()
def get_item_column(c):
    F = c.F
    return nested(c).select(F.col("xs")[F.lit(1)], F.col("m").getItem("a"), F.col("st").getField("s"))


@area.case()
def order_by_struct(c):
    return nested(c).groupBy("st").count()
