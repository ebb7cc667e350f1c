"""DataFrame operators that summarise or turn a table: describe, stat.*, unpivot, transpose, pivot."""

import datetime
import decimal

from harness import Area

area = Area("frame_stats")


def people(c):
    d = decimal.Decimal
    rows = [(1, "ann", 30, 1.5, d("10.25"), True, datetime.date(2024, 1, 1)),
            (2, "bob", None, None, d("-3.50"), False, datetime.date(2024, 1, 2)),
            (3, "cid", 25, 2.5, None, None, None), (4, "7", 30, float("nan"), d("0.00"), True, datetime.date(2023, 5, 5)),
            (5, None, 41, -8.0, d("99.99"), False, datetime.date(2024, 1, 1))]
    return c.spark.createDataFrame(
        rows, "id int, name string, age int, f double, m decimal(10,2), b boolean, day date")


def sales(c):
    return c.spark.createDataFrame(
        [("a", 2020, 1.0, 10), ("a", 2021, 2.0, 20), ("b", 2020, None, 30), ("b", None, 4.0, 40), (None, 2021, 5.0, None),
         ("a", 2020, 6.0, 60)], "k string, y int, v double, n int")


CASES = {
    "describe": lambda c: people(c).describe(),
    "describe_columns": lambda c: people(c).describe("age", "name"),
    "describe_list": lambda c: people(c).describe(["f", "m"]),
    "describe_not_shown_types": lambda c: people(c).describe("b", "day"),
    "describe_unknown": lambda c: people(c).describe("nope"),
    "describe_empty": lambda c: people(c).where("false").describe("age", "name"),
    "describe_no_columns": lambda c: people(c).select("b").describe(),
    "summary": lambda c: people(c).summary(),
    "summary_some": lambda c: people(c).select("age", "f", "m").summary("count", "min", "25%", "75%", "max"),
    "summary_percent": lambda c: people(c).select("age").summary("10%", "33.3%", "100%", "0%"),
    "summary_distinct": lambda c: people(c).select("age", "name").summary("count_distinct", "approx_count_distinct"),
    "summary_upper": lambda c: people(c).select("age").summary("COUNT", "Mean"),
    "summary_unknown": lambda c: people(c).summary("nope"),
    "summary_percent_bad": lambda c: people(c).summary("x%"),
    "summary_percent_big": lambda c: people(c).summary("101%"),
    "summary_empty": lambda c: people(c).where("false").summary(),
    "summary_strings": lambda c: people(c).select("name").summary(),
    "summary_decimal": lambda c: people(c).select("m").summary(),
    "summary_no_columns": lambda c: people(c).select("b", "day").summary("count", "max"),
    "summary_alias": lambda c: people(c).select((c.F.col("age") * 2).alias("twice age")).summary("mean"),
    "crosstab": lambda c: sales(c).crosstab("k", "y"),
    "crosstab_numbers": lambda c: sales(c).crosstab("y", "v"),
    "crosstab_unknown": lambda c: sales(c).crosstab("k", "nope"),
    "crosstab_ticks": lambda c: c.spark.createDataFrame([("a`b", "c`d")], "x string, y string").crosstab("x", "y"),
    "cov": lambda c: people(c).where("age is not null").cov("id", "age"),
    "cov_nulls": lambda c: people(c).cov("age", "m"),
    "cov_one_row": lambda c: people(c).limit(1).cov("id", "age"),
    "cov_text": lambda c: people(c).cov("id", "name"),
    "cov_unknown": lambda c: people(c).cov("id", "nope"),
    "corr": lambda c: people(c).where("age is not null").corr("id", "age"),
    "corr_nulls": lambda c: people(c).stat.corr("age", "m"),
    "corr_constant": lambda c: c.spark.range(3).select("id", c.F.lit(1).alias("one")).corr("id", "one"),
    "corr_method": lambda c: people(c).corr("id", "age", "spearman"),
    "corr_text": lambda c: people(c).corr("id", "name"),
    "approx_quantile": lambda c: people(c).approxQuantile("age", [0.0, 0.25, 0.5, 0.75, 1.0], 0.0),
    "approx_quantile_columns": lambda c: people(c).approxQuantile(["age", "f", "m"], [0.5, 0.1], 0.01),
    "approx_quantile_many": lambda c: c.spark.range(1000).approxQuantile("id", [0.0, 0.1, 0.25, 0.999, 1.0], 0.0),
    "approx_quantile_empty": lambda c: people(c).where("false").approxQuantile("age", [0.5], 0.1),
    "approx_quantile_text": lambda c: people(c).approxQuantile("name", [0.5], 0.1),
    "approx_quantile_range": lambda c: people(c).approxQuantile("age", [1.5], 0.1),
    "approx_quantile_error_negative": lambda c: people(c).approxQuantile("age", [0.5], -0.1),
    "freq_items": lambda c: sales(c).freqItems(["k", "y"]).select(
        c.F.sort_array("k_freqItems"), c.F.sort_array("y_freqItems")),
    "freq_items_schema": lambda c: sales(c).freqItems(["v"], 0.4).schema.json(),
    "freq_items_support": lambda c: sales(c).freqItems(["k"], 2.0),
    "freq_items_half": lambda c: c.spark.createDataFrame([(1,), (1,), (1,), (2,), (1,)], "x int").freqItems(["x"], 0.6),
    "unpivot": lambda c: people(c).unpivot("id", ["age", "f"], "var", "val"),
    "unpivot_all": lambda c: people(c).select("id", "age", "f").unpivot("id", None, "var", "val"),
    "unpivot_no_ids": lambda c: people(c).select("id", "age").unpivot([], ["id", "age"], "var", "val"),
    "unpivot_expression": lambda c: people(c).unpivot(
        [c.F.col("id"), (c.F.col("age") + 1).alias("next")], [(c.F.col("id") * 2).alias("twice"), "age"], "var", "val"),
    "unpivot_decimal": lambda c: people(c).unpivot("id", ["age", "m"], "var", "val"),
    "unpivot_text_number": lambda c: people(c).unpivot("id", ["age", "name"], "var", "val"),
    "unpivot_date_int": lambda c: people(c).unpivot("id", ["age", "day"], "var", "val"),
    "unpivot_nothing": lambda c: people(c).select("id").unpivot(["id"], None, "var", "val"),
    "unpivot_unknown": lambda c: people(c).unpivot("id", ["nope"], "var", "val"),
    "unpivot_expression_all": lambda c: people(c).unpivot([(c.F.col("id") + 1).alias("x")], None, "var", "val"),
    "melt": lambda c: people(c).melt(["id"], ["age"], "var", "val"),
    "transpose": lambda c: c.spark.createDataFrame([("x", 1, 2), ("y", 3, None)], "k string, a int, b int").transpose(),
    "transpose_index": lambda c: c.spark.createDataFrame(
        [("x", 1, 2.5), ("y", 3, None)], "k string, a int, b double").transpose("a"),
    "transpose_numbers": lambda c: c.spark.createDataFrame([(2, 1.5, 7), (1, 2.5, 8)], "i int, f double, g int").transpose(),
    "transpose_null_index": lambda c: c.spark.createDataFrame([(None, 1), ("a", 2)], "k string, v int").transpose(),
    "transpose_mixed": lambda c: c.spark.createDataFrame([("x", 1, "t")], "k string, a int, b date".replace("date", "string")).transpose(),
    "transpose_no_type": lambda c: c.spark.sql("select 'x' k, 1 a, array(1) b").transpose(),
    "transpose_bad_index": lambda c: c.spark.sql("select array(1) k, 1 a").transpose(),
    "transpose_empty": lambda c: c.spark.createDataFrame([], "k string, a int").transpose(),
    "transpose_one_column": lambda c: c.spark.createDataFrame([("x",), ("y",)], "k string").transpose(),
    "pivot": lambda c: sales(c).groupBy("k").pivot("y").sum("v"),
    "pivot_two": lambda c: sales(c).groupBy("k").pivot("y").agg(c.F.sum("v").alias("s"), c.F.count("*")),
    "pivot_text": lambda c: sales(c).groupBy("y").pivot("k").count(),
    "pivot_values": lambda c: sales(c).groupBy("y").pivot("k", ["a", "zz"]).agg(c.F.max("n")),
    "pivot_double": lambda c: sales(c).groupBy("k").pivot("v").count(),
    "pivot_expression": lambda c: sales(c).groupBy("k").pivot(c.F.col("y") + 1).count(),
    "pivot_boolean": lambda c: people(c).groupBy().pivot("b").agg(c.F.sum("age")),
    "pivot_date": lambda c: people(c).groupBy("b").pivot("day").agg(c.F.count("*")),
    "pivot_no_rows": lambda c: sales(c).where("false").groupBy("k").pivot("y").sum("v"),
    "pivot_unknown": lambda c: sales(c).groupBy("k").pivot("nope").sum("v"),
    "grouping_sets": lambda c: sales(c).groupingSets(
        [("k", "y"), ("k",), ()], "k", "y").agg(c.F.sum("n"), c.F.count("*").alias("rows")),
    "grouping_sets_columns": lambda c: sales(c).groupingSets([[c.F.col("y")], []], c.F.col("y")).agg(c.F.max("v")),
    "grouping_sets_not_selected": lambda c: sales(c).groupingSets([("k",), ("y",)], "k", "y").count(),
    "sample_seed": lambda c: c.spark.range(0, 100, 1, 1).sample(fraction=0.3, seed=7),
    "sample_seed_zero": lambda c: c.spark.range(0, 50, 1, 1).sample(fraction=0.5, seed=0),
    "sample_seed_negative": lambda c: c.spark.range(0, 50, 1, 1).sample(fraction=0.5, seed=-12345678901),
    "sample_none": lambda c: c.spark.range(0, 50, 1, 1).sample(fraction=0.0, seed=1),
    "sample_fraction_bad": lambda c: c.spark.range(3).sample(fraction=1.5, seed=1),
    "random_split": lambda c: [f.count() for f in c.spark.range(0, 200, 1, 1).randomSplit([1.0, 2.0, 1.0], 42)],
    "random_split_rows": lambda c: c.spark.range(0, 40, 1, 1).randomSplit([0.5, 0.5], 3)[1],
    "sample_by": lambda c: c.spark.range(0, 60, 1, 1).select((c.F.col("id") % 3).alias("key"), "id").sampleBy(
        "key", fractions={0: 0.2, 1: 0.5}, seed=0),
    "sample_by_text": lambda c: sales(c).coalesce(1).sampleBy("k", {"a": 1.0, "b": 0.0}, seed=1),
    "sample_by_bad": lambda c: sales(c).sampleBy("k", {"a": 1.5}, seed=1),
    "offset_tail": lambda c: [c.spark.range(10).offset(7).count(), [r.id for r in c.spark.range(10).tail(2)]],
    "col_regex": lambda c: people(c).select(people(c).colRegex("`(a|f).*`")),
    "col_regex_plain": lambda c: people(c).select(people(c).colRegex("age")),
    "col_regex_none": lambda c: people(c).select("id", people(c).colRegex("`zz.*`")),
    "with_metadata": lambda c: people(c).select("id").withMetadata("id", {"a": 1}).schema.json(),
    "to_json": lambda c: sales(c).toJSON().collect() if hasattr(sales(c).toJSON(), "collect") else None,
    "to_schema": lambda c: people(c).to(c.T.StructType([c.T.StructField("age", c.T.LongType()),
                                                         c.T.StructField("zip", c.T.StringType())])),
    "to_schema_nested": lambda c: c.spark.sql("select named_struct('a', 1, 'b', 'x') s").to(
        c.spark.sql("select cast(null as struct<b:string,a:bigint>) s").schema),
    "to_schema_array": lambda c: c.spark.sql("select array(1, 2) s").to(c.spark.sql("select cast(null as array<bigint>) s").schema),
    "to_schema_map": lambda c: c.spark.sql("select map('a', 1) s").to(c.spark.sql("select cast(null as map<string,bigint>) s").schema),
    "to_schema_nested_missing": lambda c: c.spark.sql("select named_struct('a', 1) s").to(
        c.spark.sql("select cast(null as struct<b:string,a:int>) s").schema),
    "to_schema_bad": lambda c: people(c).to(c.T.StructType().add("age", "date")),
    "drop_duplicates_within_watermark": lambda c: sales(c).dropDuplicatesWithinWatermark(["k"]).select("k"),
    "checkpoint": lambda c: people(c).localCheckpoint().filter("id > 2").select("id", "name"),
    "checkpoint_lazy": lambda c: people(c).localCheckpoint(False).select("id", "f"),
    "checkpoint_random": lambda c: (lambda f: f.union(f).distinct().count())(
        c.spark.range(5).select(c.F.rand().alias("r")).localCheckpoint()),
    "cache_random": lambda c: (lambda f: f.union(f).distinct().count())(
        c.spark.range(5).select(c.F.rand().alias("r")).cache()),
    "cache_columns_of_parents": lambda c: (lambda base: (lambda kept: kept.select(base.id, kept.age))(
        base.filter("id > 1").cache()))(people(c)),
    "cache_level": lambda c: [str(people(c).cache().storageLevel), people(c).is_cached if hasattr(people(c), "is_cached") else None],
    "cache_nested": lambda c: people(c).groupBy("age").agg(c.F.collect_set("id").alias("ids"), c.F.max(
        c.F.struct("id", "name")).alias("s")).cache().filter("age = 41"),
    "unpersist": lambda c: (lambda f: [f.unpersist().storageLevel.useMemory, f.count()])(people(c).cache()),
    "as_of_scalar": lambda c: sales(c).select("k", c.spark.range(5).agg(c.F.max("id")).scalar().alias("m")),
    "exists_outer": lambda c: sales(c).alias("s").where(
        people(c).where(c.F.col("id") == c.F.col("s.n").outer() / 10).exists()),
    "lateral_join": lambda c: c.spark.range(3).alias("l").lateralJoin(
        c.spark.range(1).select((c.F.col("l.id").outer() * 10).alias("x"))),
    "lateral_join_left": lambda c: c.spark.range(3).alias("l").lateralJoin(
        c.spark.range(1).where(c.F.col("l.id").outer() > 1).select(c.F.lit(1).alias("one")), how="left"),
    "zip_with_index": lambda c: c.spark.range(10, 13, 1, 1).select("id").zipWithIndex(),
    "session_window": lambda c: c.spark.createDataFrame(
        [("a", "2024-01-01 10:00:00"), ("a", "2024-01-01 10:04:00"), ("a", "2024-01-01 10:10:00"),
         ("b", "2024-01-01 10:00:00"), (None, "2024-01-01 10:00:00"), ("a", None)], "k string, t string").withColumn(
            "t", c.F.to_timestamp("t")).groupBy("k", c.F.session_window("t", "5 minutes")).count(),
    "session_window_named": lambda c: c.spark.createDataFrame(
        [("a", "2024-01-01 10:00:00"), ("a", "2024-01-01 10:05:00")], "k string, t string").withColumn(
            "t", c.F.to_timestamp("t")).groupBy(c.F.session_window("t", "5 minutes").alias("w")).agg(
                c.F.count("*").alias("n"), c.F.sum(c.F.lit(2)).alias("s")).select("w.start", "w.end", "n", "s"),
    "session_window_dynamic": lambda c: c.spark.createDataFrame(
        [("a", "2024-01-01 10:00:00"), ("a", "2024-01-01 10:05:00"), ("b", "2024-01-01 10:05:00")],
        "k string, t string").withColumn("t", c.F.to_timestamp("t")).groupBy(c.F.session_window(
            "t", c.F.when(c.F.col("k") == "a", "10 minutes").otherwise("1 minute"))).count(),
    "session_window_alone": lambda c: c.spark.sql("select timestamp'2024-01-01 10:00:00' t").select(
        c.F.session_window("t", "5 minutes")),
}

for name, run in CASES.items():
    area.case_of(name, run, ordered=name.startswith(("describe", "summary", "sample", "unpivot", "melt", "transpose")))
