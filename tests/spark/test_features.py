"""Tables with column mapping, deletion vectors and identity columns: what one engine writes, the other reads and goes on with."""

import pytest

pytestmark = pytest.mark.timeout(300)

PROPERTIES = {
    "name": "'delta.columnMapping.mode' = 'name'",
    "id": "'delta.columnMapping.mode' = 'id'",
    "vectors": "'delta.enableDeletionVectors' = 'true'",
    "all": "'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true'",
}


def values(frame):
    return sorted(repr(row.asDict(recursive=True)) for row in frame.collect())


def work(engine, table, first):
    """Some rows more, and changes of every kind."""
    engine.sql(f"INSERT INTO {table} SELECT id, concat('v', id), named_struct('x', CAST(id AS INT)), CAST(id % 2 AS INT) FROM range({first}, {first + 20})")
    engine.sql(f"DELETE FROM {table} WHERE id % 5 = 1").collect()
    engine.sql(f"UPDATE {table} SET v = concat(v, '!') WHERE id % 7 = 2").collect()
    engine.sql(f"MERGE INTO {table} t USING (SELECT id FROM range({first + 15}, {first + 25})) s ON t.id = s.id "
               "WHEN MATCHED AND t.p = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, 'n', 7)").collect()


@pytest.mark.parametrize(("kind", "direction"), [("name", "ours first"), ("id", "spark first"), ("vectors", "ours first"),
                                               ("all", "ours first"), ("all", "spark first")])
def test_both_write(spark, real, tmp_path, kind, direction):
    one, other = (spark, real) if direction == "ours first" else (real, spark)
    table = f"delta.`{tmp_path}/t`"
    one.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, s STRUCT<x: INT>, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ({PROPERTIES[kind]})")
    for first, engine in ((0, one), (20, other), (40, one)):
        work(engine, table, first)
        assert values(spark.sql(f"SELECT * FROM {table}")) == values(real.sql(f"SELECT * FROM {table}"))
    if "columnMapping" in PROPERTIES[kind]:
        one.sql(f"ALTER TABLE {table} RENAME COLUMN v TO `w w`")
        other.sql(f"ALTER TABLE {table} ADD COLUMNS (`n,w` STRING)")
        other.sql(f"INSERT INTO {table} (id, `w w`, `n,w`, p) VALUES (1000, 'a', 'b', 1)")
        assert values(spark.sql(f"SELECT * FROM {table}")) == values(real.sql(f"SELECT * FROM {table}"))
    if "ChangeDataFeed" in PROPERTIES[kind]:
        feed = f"SELECT * EXCEPT (_commit_timestamp) FROM table_changes_by_path('{tmp_path}/t', 1, 9)"
        assert len(values(spark.sql(feed))) > 0
    other.sql(f"OPTIMIZE {table}").collect()
    one.sql(f"REORG TABLE {table} APPLY (PURGE)").collect()
    assert values(spark.sql(f"SELECT * FROM {table}")) == values(real.sql(f"SELECT * FROM {table}"))


@pytest.mark.parametrize("direction", ["ours first", "spark first"])
def test_identity(spark, real, tmp_path, direction):
    one, other = (spark, real) if direction == "ours first" else (real, spark)
    table = f"delta.`{tmp_path}/t`"
    one.sql(f"CREATE TABLE {table} (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 5 INCREMENT BY 3), v STRING) USING delta")
    for engine in (one, other, one, other):
        engine.sql(f"INSERT INTO {table} (v) VALUES ('a'), ('b'), ('c')")
    rows = [row.id for row in spark.sql(f"SELECT id FROM {table}").collect()]
    assert len(set(rows)) == 12 and all(row >= 5 and (row - 5) % 3 == 0 for row in rows)
    assert values(spark.sql(f"SELECT * FROM {table}")) == values(real.sql(f"SELECT * FROM {table}"))
