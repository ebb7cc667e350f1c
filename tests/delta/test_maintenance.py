"""OPTIMIZE, VACUUM and the change data feed of tables that others read: the rows stay, nothing that is needed goes."""

import collections
import os
import pathlib
import random
import time

import deltalake
import pytest

UNCHECKED = "spark.databricks.delta.retentionDurationCheck.enabled"


@pytest.fixture
def unchecked(spark):
    spark.conf.set(UNCHECKED, "false")
    yield spark
    spark.conf.unset(UNCHECKED)


def live(path):
    return set(deltalake.DeltaTable(str(path)).file_uris())


def data_files(path):
    return {str(p) for p in pathlib.Path(path).rglob("*.parquet") if "_delta_log" not in p.parts}


def rows(path):
    table = deltalake.DeltaTable(str(path)).to_pyarrow_table()
    return collections.Counter(zip(*(table[name].to_pylist() for name in sorted(table.column_names))))


def many_files(spark, path, partition="", properties=""):
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, p STRING) USING delta {partition} TBLPROPERTIES (x = 'y'{properties})")
    for i in range(6):
        spark.range(i * 10, i * 10 + 10).selectExpr("id", "if(id % 3 = 0, NULL, concat('p', id % 3)) AS p").coalesce(1) \
            .write.format("delta").mode("append").save(str(path))


@pytest.mark.parametrize("partition", ["", "PARTITIONED BY (p)"])
def test_optimize_keeps_the_rows_and_leaves_one_file_a_partition(spark, tmp_path, partition):
    path = tmp_path / "t"
    many_files(spark, path, partition)
    before = rows(path)
    metrics = spark.sql(f"OPTIMIZE delta.`{path}`").collect()[0].metrics
    assert rows(path) == before
    assert len(live(path)) == (3 if partition else 1) == metrics.numFilesAdded
    assert metrics.numFilesRemoved == (18 if partition else 6)
    version = deltalake.DeltaTable(str(path)).version()
    spark.sql(f"OPTIMIZE delta.`{path}`").collect()
    assert deltalake.DeltaTable(str(path)).version() == version  # nothing to be done is no commit


def test_optimize_is_no_news_for_a_stream(spark, tmp_path):
    path = tmp_path / "t"
    many_files(spark, path)

    def drain():
        query = (spark.readStream.format("delta").load(str(path)).writeStream.format("delta")
                 .option("checkpointLocation", str(tmp_path / "ck")).trigger(availableNow=True).start(str(tmp_path / "out")))
        query.awaitTermination()
        return spark.read.format("delta").load(str(tmp_path / "out")).count()

    assert drain() == 60
    spark.sql(f"OPTIMIZE delta.`{path}`").collect()
    assert drain() == 60


def test_delta_table_compacts_and_vacuums(unchecked, tmp_path):
    from delta.tables import DeltaTable

    path = tmp_path / "t"
    many_files(unchecked, path, "PARTITIONED BY (p)")
    table = DeltaTable.forPath(unchecked, str(path))
    assert table.optimize().where("p = 'p1'").executeCompaction().collect()[0].metrics.numFilesAdded == 1
    before = rows(path)
    table.vacuum(0)
    assert rows(path) == before
    assert data_files(path) == {p.removeprefix("file://") for p in live(path)}


def test_vacuum_takes_what_no_version_needs(unchecked, tmp_path):
    spark, path = unchecked, tmp_path / "a b"
    many_files(spark, path, "PARTITIONED BY (p)", ", delta.enableChangeDataFeed = true")
    spark.sql(f"UPDATE delta.`{path}` SET id = id + 1000 WHERE id % 7 = 0")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 11")
    kept = {name: path / name for name in ("_hidden/x.parquet", ".dot/x.parquet", "_spark_metadata/0", "_file", ".file",
                                           "_delta_log/_sidecars/x.parquet")}
    gone = {name: path / name for name in ("orphan.parquet", "sub/deep/x.txt", "p=zz/x.parquet", "q%2Fr.parquet")}
    outside = tmp_path / "outside.parquet"
    for file in [*kept.values(), *gone.values(), outside]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    before = rows(path)
    young = spark.sql(f"VACUUM delta.`{path}` DRY RUN").collect()
    assert young == []
    listed = {row.path for row in spark.sql(f"VACUUM delta.`{path}` RETAIN 0 HOURS DRY RUN").collect()}
    assert all(file.exists() for file in gone.values()) and len(listed) > len(gone)
    assert spark.sql(f"VACUUM delta.`{path}` RETAIN 0 HOURS").collect()[0].path.startswith("file:")
    assert [name for name, file in gone.items() if file.exists()] == []
    assert [name for name, file in kept.items() if not file.exists()] == []
    assert outside.exists() and rows(path) == before
    history = [(row.operation, row.operationParameters.get("status")) for row in
               spark.sql(f"DESCRIBE HISTORY delta.`{path}` LIMIT 2").collect()]
    assert history == [("VACUUM END", "COMPLETED"), ("VACUUM START", None)]


def test_vacuum_keeps_what_is_younger_than_the_retention(spark, tmp_path):
    path = tmp_path / "t"
    many_files(spark, path)
    spark.sql(f"UPDATE delta.`{path}` SET id = -id")
    old = path / "old.parquet"
    old.write_text("x")
    week = time.time() - 8 * 24 * 3600
    os.utime(old, (week, week))
    files = data_files(path)
    spark.sql(f"VACUUM delta.`{path}`")
    assert data_files(path) == files - {str(old)}
    assert spark.read.format("delta").option("versionAsOf", 3).load(str(path)).count() == 30


def test_vacuum_by_inventory_and_lite(unchecked, tmp_path):
    spark, path = unchecked, tmp_path / "t"
    many_files(spark, path)
    for name in ("a.parquet", "b.parquet"):
        (path / name).write_text("x")
    spark.sql(f"VACUUM delta.`{path}` USING INVENTORY (SELECT '{path}/a.parquet' AS path, 1L AS length, false AS isDir, "
              "0L AS modificationTime UNION ALL SELECT '/etc/hostname', 1L, false, 0L) RETAIN 0 HOURS")
    assert not (path / "a.parquet").exists() and (path / "b.parquet").exists() and os.path.exists("/etc/hostname")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id < 10")
    files = data_files(path)
    spark.sql(f"VACUUM delta.`{path}` LITE RETAIN 0 HOURS")
    assert len(files - data_files(path)) == 1 and (path / "b.parquet").exists()


def old(*files):
    """As of a month ago."""
    month = time.time() - 30 * 24 * 3600
    for file in files:
        os.utime(file, (month, month))


def test_vacuum_follows_no_link(spark, tmp_path):
    path, outside = tmp_path / "t", tmp_path / "outside"
    many_files(spark, path, "PARTITIONED BY (p)")
    outside.mkdir()
    (outside / "precious").write_text("x")
    (path / "out").symlink_to(outside)
    (path / "alias").symlink_to("p=p1")
    (path / "file").symlink_to(outside / "precious")
    before = rows(path)
    old(outside / "precious", *data_files(path))
    spark.sql(f"VACUUM delta.`{path}`")
    assert (outside / "precious").exists() and rows(path) == before


def test_vacuum_through_a_link_knows_the_files_by_their_place(unchecked, tmp_path):
    spark, path = unchecked, tmp_path / "t"
    many_files(spark, path, "PARTITIONED BY (p)")
    commits = sorted((path / "_delta_log").glob("*.json"))
    for commit, spelling in zip(commits[1:], (f"file:{path}/p=", f"{path}//p=", f"{path}/./p=", "./p=", ".//p=", "p=p1/../p=")):
        commit.write_text(commit.read_text().replace('"path":"p=', f'"path":"{spelling}'))
    link = tmp_path / "link"
    link.symlink_to(path)
    assert spark.read.format("delta").load(str(link)).count() == 60
    files = data_files(path)
    spark.sql(f"VACUUM delta.`{link}` RETAIN 0 HOURS")
    spark.sql(f"VACUUM delta.`{path}` RETAIN 0 HOURS")
    assert data_files(path) == files


def test_vacuum_by_list_stays_in_the_table_and_off_live_files(unchecked, tmp_path):
    spark, path, outside = unchecked, tmp_path / "t", tmp_path / "outside"
    many_files(spark, path, "PARTITIONED BY (p)")
    outside.mkdir()
    (outside / "precious").write_text("x")
    (path / "out").symlink_to(outside)
    files = data_files(path)
    relative = os.path.relpath(sorted(files)[0], path)
    doubled = relative.replace("/", "//")
    names = ["out/precious", "../outside/precious", doubled, f"./{relative}", "", ".", "p=p1", str(outside / "precious")]
    rows_of_names = " UNION ALL ".join(f"SELECT '{name}' AS path, 1L AS length, false AS isDir, 0L AS modificationTime" for name in names)
    spark.sql(f"VACUUM delta.`{path}` USING INVENTORY ({rows_of_names}) RETAIN 0 HOURS")
    newest = deltalake.DeltaTable(str(path)).version()
    (path / "_delta_log" / f"{newest + 1:020}.json").write_text("".join(
        '{"remove":{"path":"%s","deletionTimestamp":0,"dataChange":true}}\n' % name for name in ("out/precious", doubled)))
    spark.sql(f"VACUUM delta.`{path}` LITE RETAIN 0 HOURS")
    assert data_files(path) == files and (outside / "precious").exists()


def test_vacuum_of_an_age_beyond_all_numbers(spark, tmp_path):
    path = tmp_path / "t"
    many_files(spark, path)
    assert len(spark.sql(f"VACUUM delta.`{path}` RETAIN 99999999999999999999999 HOURS").collect()) == 1


def feed_by_deltalake(path):
    import pyarrow

    changes = pyarrow.table(deltalake.DeltaTable(str(path)).load_cdf(starting_version=0))
    names = ["id", "p", "_change_type", "_commit_version"]
    return collections.Counter(zip(*(changes[name].to_pylist() for name in names)))


@pytest.mark.parametrize("seed", range(6))
def test_random_histories_of_changes_are_read_alike(spark, tmp_path, seed):
    """By deltalake and by us; and replayed, they give the table."""
    rand, path = random.Random(seed), tmp_path / "t"
    many_files(spark, path, rand.choice(["", "PARTITIONED BY (p)"]), ", delta.enableChangeDataFeed = true")
    table = f"delta.`{path}`"
    for _ in range(8):
        low = rand.randrange(60)
        where = rand.choice([f"id BETWEEN {low} AND {low + 9}", "p = 'p1'", "p IS NULL AND id > 30", f"id = {low}"])
        spark.sql(rand.choice([
            f"UPDATE {table} SET id = id + 100 WHERE {where}",
            f"UPDATE {table} SET p = 'p2' WHERE {where}",
            f"DELETE FROM {table} WHERE {where}",
            f"INSERT INTO {table} VALUES ({low}, 'new')",
            f"OPTIMIZE {table}",
            f"INSERT INTO {table} REPLACE WHERE id = {low} VALUES ({low}, 'replaced')",
            f"MERGE INTO {table} t USING (SELECT explode(sequence({low}, {low + 5})) AS id, 'p1' AS p) s ON t.id = s.id "
            "WHEN MATCHED AND t.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET p = 'merged' WHEN NOT MATCHED THEN INSERT *",
        ])).collect()
    ours = collections.Counter(
        (row.id, row.p, row._change_type, row._commit_version) for row in
        spark.sql(f"SELECT * FROM table_changes_by_path('{path}', 0)").collect())
    assert ours == feed_by_deltalake(path)
    replayed = collections.Counter()
    for (row_id, p, kind, _), count in ours.items():
        replayed[row_id, p] += count if kind in ("insert", "update_postimage") else -count
    assert {row: n for row, n in replayed.items() if n} == dict(rows(path))
