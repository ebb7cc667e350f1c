"""NULL, conditions and three-valued logic."""

from harness import Area, one

area = Area("nulls")


def values(c):
    rows = [(1, "a", True), (None, None, None), (2, "", False), (0, "b", None)]
    return c.spark.createDataFrame(rows, "i int, s string, b boolean")


area.exprs(values, {
    "and": "b and i > 0",
    "or": "b or i > 0",
    "not": "not b",
    "is_null": "i is null",
    "is_not_null": "s is not null",
    "is_true": "b is true",
    "is_not_false": "b is not false",
    "equals_null": "i = null",
    "null_safe_equals": "i <=> null",
    "coalesce": "coalesce(i, 9)",
    "coalesce_types": "coalesce(i, 2.5)",
    "ifnull": "ifnull(s, 'z')",
    "nvl": "nvl(i, -1)",
    "nvl2": "nvl2(i, 'have', 'none')",
    "nullif": "nullif(i, 0)",
    "if": "if(b, 'yes', 'no')",
    "case_searched": "case when i > 1 then 'big' when i = 1 then 'one' end",
    "case_simple": "case i when 1 then 'one' when 2 then 'two' else 'other' end",
    "case_types": "case when b then 1 else 2.5 end",
    "in_with_null": "i in (1, null)",
    "not_in_with_null": "i not in (1, null)",
    "between": "i between 1 and 2",
    "greatest_skips_null": "greatest(i, null, 1)",
    "concat_null": "concat(s, 'x')",
    "equals_true": "b = true",
})
area.exprs(one, {
    "nan_is_not_null": "isnull(double('NaN'))",
    "nan_greater": "double('NaN') > double('Infinity')",
    "typed_null": "cast(null as int)",
    "null_plus": "null + 1",
    "null_array": "array(null, 1)",
})


@area.case()
def filter_drops_null(c):
    return values(c).filter("b")


@area.case()
def where_column(c):
    return values(c).where((c.F.col("i") > 0) | c.F.col("b"))


@area.case(ordered=True)
def sort_nulls(c):
    return values(c).sort(c.F.col("i").desc(), "s")


@area.case(ordered=True)
def sort_nulls_last(c):
    return values(c).sort(c.F.asc_nulls_last("i"))


@area.case(ordered=True)
def sort_nulls_first_desc(c):
    return values(c).sort(c.F.desc_nulls_first("i"))


@area.case()
def fill_na(c):
    return values(c).na.fill({"i": 0, "s": "?"})


@area.case()
def fill_na_all_numbers(c):
    return values(c).fillna(7)


@area.case()
def drop_na(c):
    return values(c).na.drop()


@area.case()
def drop_na_subset(c):
    return values(c).na.drop(subset=["b"], how="all")


@area.case()
def replace(c):
    return values(c).na.replace({"a": "A"}, subset=["s"])


@area.case()
def group_by_null(c):
    return values(c).groupBy("s").agg(c.F.count("i"), c.F.sum("i"))


@area.case(ordered=True)
def nan_sorts_last(c):
    frame = c.spark.createDataFrame([(1.0,), (float("nan"),), (None,), (float("inf"),), (-0.0,)], "f double")
    return frame.sort("f")


@area.case()
def nan_groups_together(c):
    frame = c.spark.createDataFrame([(float("nan"),), (float("nan"),), (0.0,), (-0.0,)], "f double")
    return frame.groupBy("f").count()


@area.case()
def nan_distinct(c):
    return c.spark.createDataFrame([(float("nan"),), (float("nan"),), (1.0,)], "f double").distinct()


@area.case()
def max_of_nan(c):
    frame = c.spark.createDataFrame([(1.0,), (float("nan"),), (None,)], "f double")
    return frame.agg(c.F.max("f"), c.F.min("f"), c.F.count("f"))
