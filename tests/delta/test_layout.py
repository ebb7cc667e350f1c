"""OPTIMIZE that puts rows in order: files of near rows, which other engines read and skip by."""

import json
import pathlib

import deltalake
import pytest
from delta.tables import DeltaTable

ROWS = 40_000


@pytest.fixture
def points(spark, tmp_path):
    """Points of a square in no order, in a few files; small files from now on."""
    path = str(tmp_path / "points")
    for seed in (1, 2):
        spark.sql(f"SELECT rand({seed}) AS x, CAST(rand({seed + 10}) * 1000 AS DECIMAL(20, 10)) AS y, CAST(rand({seed + 20}) * 1000000 AS STRING) AS t "
                  f"FROM range({ROWS // 2})").write.format("delta").mode("append").save(path)
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", "100000")
    yield path
    spark.conf.unset("spark.databricks.delta.optimize.maxFileSize")


def bounds(path, column):
    """Of the files that OPTIMIZE has written: the smallest and the largest value."""
    for commit in pathlib.Path(path, "_delta_log").glob("*.json"):
        actions = [json.loads(line) for line in commit.read_text().splitlines()]
        if any(a.get("commitInfo", {}).get("operation") == "OPTIMIZE" for a in actions):
            stats = [json.loads(a["add"]["stats"]) for a in actions if "add" in a]
            return sorted((s["minValues"][column], s["maxValues"][column]) for s in stats)
    raise AssertionError("no OPTIMIZE")


def fingerprint(spark, path):
    return tuple(spark.read.format("delta").load(path).selectExpr("count(*)", "sum(hash(x, y, t))", "count(DISTINCT t)").collect()[0])


def test_files_span_little_of_each_column(spark, points):
    before = fingerprint(spark, points)
    metrics = DeltaTable.forPath(spark, points).optimize().executeZOrderBy("x", "y").collect()[0].metrics
    assert fingerprint(spark, points) == before
    files = metrics.numFilesAdded
    assert files >= 6
    for column, whole in (("x", 1.0), ("y", 1000.0)):
        found = [(high - low) / whole for low, high in bounds(points, column)]
        assert len(found) == files
        # Sorted by one column alone, the other's share would be 1.
        assert sum(found) / files < 0.75, (column, found)
    assert deltalake.DeltaTable(points).to_pyarrow_table().num_rows == ROWS


def test_texts_are_ordered_too(spark, points):
    before = fingerprint(spark, points)
    DeltaTable.forPath(spark, points).optimize().executeZOrderBy("t")
    assert fingerprint(spark, points) == before
    ranges = bounds(points, "t")
    assert len(ranges) == len(deltalake.DeltaTable(points).file_uris()) >= 6
    # Neighbours share the values of one range at most.
    assert all(a[1][:2] <= b[0][:2] for a, b in zip(ranges, ranges[1:])), ranges


def test_a_clustered_table_is_clustered_once(spark, tmp_path):
    path = str(tmp_path / "clustered")
    spark.sql(f"CREATE TABLE delta.`{path}` (x DOUBLE, y DOUBLE) USING delta CLUSTER BY (x, y)")
    for seed in (1, 2):
        spark.sql(f"INSERT INTO delta.`{path}` SELECT rand({seed}), rand({seed + 1}) FROM range(1000)")
    table = DeltaTable.forPath(spark, path)
    assert table.optimize().executeCompaction().collect()[0].metrics.numFilesAdded == 1
    assert table.optimize().executeCompaction().collect()[0].metrics.numFilesAdded == 0
    assert table.history(1).collect()[0].operationParameters["clusterBy"] == '["x","y"]'
    assert deltalake.DeltaTable(path).to_pyarrow_table().num_rows == 2000


def test_a_table_is_made_with_clusters(spark, tmp_path):
    path = str(tmp_path / "made")
    table = DeltaTable.create(spark).location(path).addColumn("x", "DOUBLE").addColumn("y", "INT").clusterBy("y").execute()
    assert table.detail().collect()[0].clusteringColumns == ["y"]


def test_columns_without_an_order_are_left_alone(spark, tmp_path):
    path = str(tmp_path / "odd")
    spark.sql("SELECT id, array(id) AS a, map(id, id) AS m, CAST(NULL AS INT) AS n, id % 2 = 0 AS b FROM range(100)").write.format("delta").save(path)
    spark.conf.set("spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled", "false")
    try:
        DeltaTable.forPath(spark, path).optimize().executeZOrderBy("a", "m", "n", "b")
    finally:
        spark.conf.unset("spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled")
    assert spark.read.format("delta").load(path).count() == 100
