"""Tables with column mapping and with deletion vectors that Millstream writes, as deltalake reads them."""

import collections
import pathlib
import random

import deltalake
import pytest
from deltalake import QueryBuilder


def theirs(path):
    """All rows, by the names that users see."""
    table = QueryBuilder().register("t", deltalake.DeltaTable(str(path))).execute("SELECT * FROM t").read_all()
    return collections.Counter(zip(*(map(repr, table.column(name).to_pylist()) for name in sorted(table.schema.names))))


def plain(value):
    if hasattr(value, "asDict"):
        return {name: plain(member) for name, member in value.asDict().items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def ours(spark, path):
    frame = spark.read.format("delta").load(str(path))
    return collections.Counter(tuple(repr(plain(row[name])) for name in sorted(frame.columns)) for row in frame.collect())


def vectors(path):
    return sorted(p.name for p in pathlib.Path(path).glob("deletion_vector_*.bin"))


@pytest.mark.parametrize("mode", ["name", "id"])
def test_mapped_columns(spark, tmp_path, mode):
    path = tmp_path / "t"
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, `a b` STRING, s STRUCT<x: INT, `y,z`: STRING>, l ARRAY<STRUCT<e: INT>>, `p q` STRING) "
              f"USING delta PARTITIONED BY (`p q`) TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}', 'delta.checkpointInterval' = '3')")
    spark.sql(f"INSERT INTO {table} SELECT id, concat('v', id), named_struct('x', CAST(id AS INT), 'y,z', 'z'), "
              f"array(named_struct('e', 1)), if(id % 3 = 0, NULL, concat('p ', id % 3)) FROM range(20)")
    assert ours(spark, path) == theirs(path)
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN `a b` TO renamed")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN s.x TO xx")
    spark.sql(f"UPDATE {table} SET renamed = 'new' WHERE id < 5")
    spark.sql(f"DELETE FROM {table} WHERE id = 7")
    spark.sql(f"MERGE INTO {table} t USING (SELECT 8L AS id UNION ALL SELECT 100L) s ON t.id = s.id "
              "WHEN MATCHED THEN UPDATE SET renamed = 'merged' WHEN NOT MATCHED THEN INSERT (id, `p q`) VALUES (s.id, 'p 1')")
    assert ours(spark, path) == theirs(path)
    spark.sql(f"ALTER TABLE {table} DROP COLUMN renamed")
    spark.sql(f"ALTER TABLE {table} ADD COLUMNS (renamed INT)")
    spark.sql(f"OPTIMIZE {table}").collect()
    spark.range(200, 203).selectExpr("id", "CAST(id AS INT) AS renamed", "'p 1' AS `p q`").write.format("delta").mode("append").save(str(path))
    assert ours(spark, path) == theirs(path)
    assert spark.read.format("delta").load(str(path)).filter("renamed IS NOT NULL").count() == 3


@pytest.mark.parametrize("partition", ["", "PARTITIONED BY (p)"])
@pytest.mark.parametrize("mapped", ["", ", 'delta.columnMapping.mode' = 'name'"])
def test_marked_rows(spark, tmp_path, partition, mapped):
    path = tmp_path / "t"
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, p INT) USING delta {partition} "
              f"TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.checkpointInterval' = '4'{mapped})")
    for start in (0, 100_000):
        spark.range(start, start + 100_000).selectExpr("id", "concat('v', id)", "CAST(id % 2 AS INT)").toDF("id", "v", "p").coalesce(1) \
            .write.format("delta").mode("append").save(str(path))
    known = {i: f"v{i}" for i in range(200_000)}
    chance = random.Random(7)
    for step in range(6):
        modulus, remainder = chance.randrange(3, 9), chance.randrange(3)
        hit = [i for i in known if i % modulus == remainder and i > step * 10_000]
        if step % 2:
            spark.sql(f"UPDATE {table} SET v = 'u{step}' WHERE id % {modulus} = {remainder} AND id > {step * 10_000}")
            known.update(dict.fromkeys(hit, f"u{step}"))
        else:
            spark.sql(f"DELETE FROM {table} WHERE id % {modulus} = {remainder} AND id > {step * 10_000}")
            for i in hit:
                del known[i]
        found = {row.id: row.v for row in spark.read.format("delta").load(str(path)).collect()}
        assert found == known
    assert vectors(path)
    assert sum(theirs(path).values()) == len(known)
    assert ours(spark, path) == theirs(path)
    spark.sql(f"REORG TABLE {table} APPLY (PURGE)").collect()
    assert ours(spark, path) == theirs(path)
    assert deltalake.DeltaTable(str(path)).version() > 8


def test_vacuum_keeps_the_vectors_that_are_needed(spark, tmp_path):
    path = tmp_path / "t"
    table = f"delta.`{path}`"
    spark.range(100).coalesce(1).write.format("delta").option("delta.enableDeletionVectors", "true").save(str(path))
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    first = vectors(path)
    spark.sql(f"DELETE FROM {table} WHERE id = 2")
    assert len(vectors(path)) == 2
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    try:
        spark.sql(f"VACUUM {table} RETAIN 0 HOURS").collect()
    finally:
        spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")
    assert len(vectors(path)) == 1 and vectors(path) != first
    assert spark.read.format("delta").load(str(path)).count() == 98
    assert sum(theirs(path).values()) == 98
    spark.sql(f"DELETE FROM {table}")
    assert spark.read.format("delta").load(str(path)).count() == 0


def test_a_stream_of_changes_tells_marked_rows(spark, tmp_path):
    path, out = tmp_path / "t", tmp_path / "out"
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING) USING delta "
              "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')")
    spark.sql(f"INSERT INTO {table} SELECT id, 'a' FROM range(5)")

    def drain():
        query = (spark.readStream.format("delta").option("readChangeFeed", "true").load(str(path)).writeStream.format("delta")
                 .option("checkpointLocation", str(tmp_path / "ck")).trigger(availableNow=True).start(str(out)))
        query.awaitTermination()
        return sorted((r.id, r.v, r["_change_type"]) for r in spark.read.format("delta").load(str(out)).collect())

    assert drain() == [(i, "a", "insert") for i in range(5)]
    spark.sql(f"DELETE FROM {table} WHERE id IN (1, 3)")
    spark.sql(f"UPDATE {table} SET v = 'b' WHERE id = 4")
    assert drain() == sorted([(i, "a", "insert") for i in range(5)] + [(1, "a", "delete"), (3, "a", "delete"), (4, "a", "update_preimage"),
                                                                         (4, "b", "update_postimage")])
