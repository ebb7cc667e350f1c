"""Parquet files that become Delta tables, and what others read them by; files put together by streams."""

import pathlib

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from delta.tables import DeltaTable


def rows(frame):
    return sorted((tuple(row) for row in frame.collect()), key=repr)


@pytest.fixture
def files(tmp_path):
    """Files of pyarrow in partitions, with values of every sort."""
    for day, ids in (("2024-01-01", [1, 2]), ("2024-01-02", [3]), ("__HIVE_DEFAULT_PARTITION__", [4])):
        folder = tmp_path / "t" / f"day={day}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({
            "id": pa.array(ids, pa.int64()), "f": [float("nan")] * len(ids), "s": ["x" * 40] * len(ids),
            "at": pa.array([0] * len(ids), pa.timestamp("us", "UTC")), "l": [[i] for i in ids],
            "n": pa.array([{"a": i} for i in ids])}), folder / "a b%20.parquet")
    return str(tmp_path / "t")


def test_a_folder_is_converted(spark, files):
    table = DeltaTable.convertToDelta(spark, f"parquet.`{files}`", "day DATE")
    assert rows(table.toDF().selectExpr("id", "cast(day AS string)", "n.a", "isnan(f)")) == sorted(
        [(1, "2024-01-01", 1, True), (2, "2024-01-01", 2, True), (3, "2024-01-02", 3, True), (4, None, 4, True)], key=repr)
    assert table.history(1).collect()[0].operation == "CONVERT"
    theirs = deltalake.DeltaTable(files)
    assert sorted(theirs.to_pyarrow_table()["id"].to_pylist()) == [1, 2, 3, 4]
    assert theirs.to_pyarrow_table(filters=[("id", ">", 3)])["id"].to_pylist() == [4]
    # Statistics and partitions choose files as ever.
    assert spark.sql(f"SELECT id FROM delta.`{files}` WHERE day = DATE'2024-01-02' OR id = 4").count() == 2
    spark.sql(f"MERGE INTO delta.`{files}` t USING (SELECT 3L AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    assert table.toDF().count() == 3
    # Again is nothing.
    assert DeltaTable.convertToDelta(spark, f"parquet.`{files}`").history().count() == 2


def test_the_partitions_by_a_struct(spark, files):
    from pyspark.sql.types import DateType, StructType

    table = DeltaTable.convertToDelta(spark, f"parquet.`{files}`", StructType().add("day", DateType()))
    assert table.detail().collect()[0].partitionColumns == ["day"]


def test_a_broken_file_is_named_and_nothing_is_converted(spark, files):
    pathlib.Path(files, "day=2024-01-01", "broken.parquet").write_bytes(b"PAR1 no parquet PAR1")
    with pytest.raises(Exception, match="broken.parquet"):
        spark.sql(f"CONVERT TO DELTA parquet.`{files}` PARTITIONED BY (day DATE)")
    assert not deltalake.DeltaTable.is_deltatable(files)


def test_a_clone_of_files_reads_them_where_they_are(spark, tmp_path):
    path = str(tmp_path / "p")
    spark.range(5).write.parquet(path)
    clone = str(tmp_path / "clone")
    spark.sql(f"CREATE TABLE delta.`{clone}` SHALLOW CLONE parquet.`{path}`")
    spark.sql(f"DELETE FROM delta.`{clone}` WHERE id = 0")
    assert rows(spark.read.format("delta").load(clone)) == [(1,), (2,), (3,), (4,)]
    assert spark.read.parquet(path).count() == 5


def test_manifests(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.range(3).selectExpr("id", "id % 2 AS p").write.format("delta").partitionBy("p").save(path)
    DeltaTable.forPath(spark, path).generate("symlink_format_manifest")
    for p in (0, 1):
        listed = pathlib.Path(path, f"_symlink_format_manifest/p={p}/manifest").read_text().split()
        assert listed and all(pathlib.Path(name.removeprefix("file:")).exists() for name in listed)


def test_a_stream_of_small_batches_keeps_few_files(spark, tmp_path):
    source, out = str(tmp_path / "source"), str(tmp_path / "out")
    for i in range(12):
        spark.range(i, i + 1).write.format("delta").mode("append").save(source)
    spark.sql(f"CREATE TABLE delta.`{out}` (id BIGINT) USING delta TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true')")
    spark.conf.set("spark.databricks.delta.autoCompact.minNumFiles", "4")
    try:
        (spark.readStream.format("delta").option("maxFilesPerTrigger", "1").load(source).writeStream.format("delta")
         .option("checkpointLocation", str(tmp_path / "ck")).trigger(availableNow=True).start(out).awaitTermination())
    finally:
        spark.conf.unset("spark.databricks.delta.autoCompact.minNumFiles")
    table = deltalake.DeltaTable(out)
    assert len(table.file_uris()) < 5
    assert sorted(table.to_pyarrow_table()["id"].to_pylist()) == list(range(12))
    # A reader that follows the table sees each row once.
    copied = str(tmp_path / "copied")
    (spark.readStream.format("delta").option("startingVersion", "0").load(out).writeStream.format("delta")
     .option("checkpointLocation", str(tmp_path / "ck2")).trigger(availableNow=True).start(copied).awaitTermination())
    assert spark.read.format("delta").load(copied).count() == 12
