"""DELETE, UPDATE and MERGE: which files they touch, what others read of them, what two writers at once leave, and
delta.tables.DeltaTable of Delta's own Python package."""

import json
import pathlib
import random
import threading

import deltalake
import pytest


def files(path):
    return {pathlib.Path(p).name for p in deltalake.DeltaTable(path).file_uris()}


def others_read(path):
    """The rows as the deltalake package reads them."""
    return sorted(map(str, deltalake.DeltaTable(path).to_pyarrow_table().to_pylist()))


def ours(spark, path):
    return sorted(str(row.asDict(recursive=True)) for row in spark.read.format("delta").load(path).collect())


def table_of_ranges(spark, path, parts=4, each=100):
    """A table of `parts` files, each with `each` ids of its own."""
    for part in range(parts):
        frame = spark.range(part * each, (part + 1) * each, 1, 1).selectExpr("id", "id * 10 AS n", "'old' AS v")
        frame.write.format("delta").mode("append").save(path)


def test_only_files_with_changed_rows_are_rewritten(spark, tmp_path):
    path = str(tmp_path / "t")
    table_of_ranges(spark, path)
    before = files(path)
    assert len(before) == 4
    spark.sql(f"UPDATE delta.`{path}` SET v = 'new' WHERE id = 150")
    assert len(files(path) & before) == 3
    before = files(path)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id IN (301, 302)")
    assert len(files(path) & before) == 3
    before = files(path)
    spark.sql(f"""MERGE INTO delta.`{path}` t USING (SELECT explode(array(5, 7, 1000)) AS id) s ON t.id = s.id
                  WHEN MATCHED THEN UPDATE SET v = 'merged' WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'in')""")
    assert len(files(path) & before) == 3
    assert ours(spark, path) == others_read(path)
    rows = {r.id: r.v for r in spark.read.format("delta").load(path).collect()}
    assert len(rows) == 399 and rows[150] == "new" and rows[5] == rows[7] == "merged" and rows[1000] == "in"


def test_insert_only_merge_rewrites_nothing(spark, tmp_path):
    path = str(tmp_path / "t")
    table_of_ranges(spark, path)
    before = files(path)
    spark.sql(f"""MERGE INTO delta.`{path}` t USING (SELECT id FROM range(390, 410)) s ON t.id = s.id
                  WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)""")
    assert before < files(path)
    assert spark.read.format("delta").load(path).count() == 410


def test_whole_files_go_unread(spark, tmp_path):
    """A condition on partition columns needs no data file: they may even be gone."""
    path = str(tmp_path / "t")
    spark.range(0, 100).selectExpr("id", "id % 4 AS p").write.format("delta").partitionBy("p").save(path)
    for file in (tmp_path / "t" / "p=2").glob("*.parquet"):
        file.unlink()
    spark.sql(f"DELETE FROM delta.`{path}` WHERE p = 2 OR p > 100")
    assert spark.read.format("delta").load(path).count() == 75


def test_statistics_that_lie_lose_no_row(spark, tmp_path):
    """A file whose statistics claim too few rows keeps those that were not changed."""
    path = str(tmp_path / "t")
    spark.range(0, 5, 1, 1).write.format("delta").save(path)
    log = tmp_path / "t/_delta_log/00000000000000000000.json"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "add" in line:
            line["add"]["stats"] = json.dumps({"numRecords": 2})
    copy = tmp_path / "copy"
    (tmp_path / "t").rename(copy)
    (copy / "_delta_log/00000000000000000000.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    spark.sql(f"DELETE FROM delta.`{copy}` WHERE id < 2")
    assert [r.id for r in spark.read.format("delta").load(str(copy)).orderBy("id").collect()] == [2, 3, 4]


def test_random_histories_are_those_of_a_dictionary(spark, tmp_path):
    """MERGE, UPDATE and DELETE at random, against the same changes of a dict."""
    rng = random.Random(5)
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` (k INT, v INT) USING delta")
    model = {}
    for step in range(25):
        keys = rng.sample(range(40), rng.randint(1, 12))
        source = ", ".join(f"({k}, {step})" for k in keys)
        kind = rng.choice(["upsert", "sync", "delete", "update", "insert"])
        low = rng.randint(0, 40)
        if kind == "upsert":
            spark.sql(f"""MERGE INTO delta.`{path}` t USING (SELECT * FROM VALUES {source} AS s(k, v)) s ON t.k = s.k
                          WHEN MATCHED AND t.v % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET *
                          WHEN NOT MATCHED AND s.k > {low} THEN INSERT *""")
            for k in keys:
                if k in model:
                    if model[k] % 3 == 0:
                        del model[k]
                    else:
                        model[k] = step
                elif k > low:
                    model[k] = step
        elif kind == "sync":
            spark.sql(f"""MERGE INTO delta.`{path}` t USING (SELECT * FROM VALUES {source} AS s(k, v)) s ON t.k = s.k
                          WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.k < {low} THEN DELETE
                          WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = t.v + 1""")
            for k in list(model):
                if k not in keys:
                    if k < low:
                        del model[k]
                    else:
                        model[k] += 1
            for k in keys:
                model.setdefault(k, step)
        elif kind == "delete":
            spark.sql(f"DELETE FROM delta.`{path}` WHERE k BETWEEN {low} AND {low + 5}")
            model = {k: v for k, v in model.items() if not low <= k <= low + 5}
        elif kind == "update":
            spark.sql(f"UPDATE delta.`{path}` SET v = v * 2 + 1 WHERE k >= {low}")
            model = {k: v * 2 + 1 if k >= low else v for k, v in model.items()}
        else:
            spark.sql(f"INSERT INTO delta.`{path}` SELECT * FROM VALUES {source} AS s(k, v) WHERE s.k NOT IN "
                      f"(SELECT k FROM delta.`{path}`)")
            for k in keys:
                model.setdefault(k, step)
        got = {r.k: r.v for r in spark.read.format("delta").load(path).collect()}
        assert got == model, (step, kind)
    assert ours(spark, path) == others_read(path)


def test_two_mergers_at_once_lose_nothing(server, spark, tmp_path):
    """Both count up the same rows: each statement is in the result once, however often it had to begin again."""
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` (k INT, n INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 0), (2, 0)")
    done = []

    def merge(session):
        for _ in range(5):
            try:
                session.sql(f"""MERGE INTO delta.`{path}` t USING (SELECT explode(array(1, 2)) AS k) s ON t.k = s.k
                                WHEN MATCHED THEN UPDATE SET n = t.n + 1""")
                done.append(1)
            except Exception as error:  # noqa: BLE001: its kind is asserted
                assert error.getCondition().startswith("DELTA_CONCURRENT_"), error

    sessions = [server.session() for _ in range(2)]
    threads = [threading.Thread(target=merge, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for session in sessions:
        session.stop()
    rows = {r.k: r.n for r in spark.read.format("delta").load(path).collect()}
    assert rows == {1: len(done), 2: len(done)} and done


# --- delta.tables.DeltaTable ---------------------------------------------------------------------------------------
@pytest.fixture
def delta_table(spark, tmp_path):
    tables = pytest.importorskip("delta.tables")
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, v STRING) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    return tables.DeltaTable.forPath(spark, path)


def rows(table):
    return sorted(tuple(row) for row in table.toDF().collect())


def test_merge_builder(spark, delta_table):
    source = spark.createDataFrame([(2, "B"), (4, "D")], "id INT, v STRING")
    result = (delta_table.alias("t").merge(source.alias("s"), "t.id = s.id")
              .whenMatchedUpdate(set={"v": "s.v"})
              .whenNotMatchedInsertAll()
              .whenNotMatchedBySourceDelete("t.id = 1").execute())
    assert [tuple(r) for r in result.collect()] == [(3, 1, 1, 1)]
    assert rows(delta_table) == [(2, "B"), (3, "c"), (4, "D")]
    assert delta_table.history(1).collect()[0].operation == "MERGE"


def test_merge_builder_with_columns_of_the_source(spark, delta_table):
    source = spark.createDataFrame([(9, "B")], "id INT, v STRING")
    (delta_table.alias("t").merge(source, "t.id = 2").whenMatchedDelete(condition=source["v"] == "B")
     .whenNotMatchedInsert(values={"id": source["id"], "v": source["v"]}).execute())
    assert rows(delta_table) == [(1, "a"), (3, "c")]


def test_update_delete_history_detail(spark, delta_table):
    assert delta_table.update("id > 1", {"v": "concat(v, '!')"}).collect()[0][0] == 2
    assert delta_table.delete("id = 1").collect()[0][0] == 1
    assert rows(delta_table) == [(2, "b!"), (3, "c!")]
    assert [r.operation for r in delta_table.history().collect()] == ["DELETE", "UPDATE", "WRITE", "CREATE TABLE"]
    assert delta_table.history().filter("operation = 'DELETE'").count() == 1
    assert delta_table.detail().collect()[0].format == "delta"
    assert delta_table.toDF().filter("id = 3").count() == 1


def test_a_look_at_a_plan_changes_nothing(spark, delta_table):
    from delta.connect.plan import DeleteFromTable
    from pyspark.sql.connect.dataframe import DataFrame

    frame = DataFrame(DeleteFromTable(delta_table._plan, None), session=spark)
    assert frame.schema.simpleString() == "struct<num_affected_rows:bigint>"
    assert len(rows(delta_table)) == 3


def test_tables_by_name_and_creation(spark, tmp_path):
    tables = pytest.importorskip("delta.tables")
    assert not tables.DeltaTable.isDeltaTable(spark, str(tmp_path / "new"))
    (tables.DeltaTable.createIfNotExists(spark).location(str(tmp_path / "new")).addColumn("id", "INT")
     .addColumn("day", "DATE", nullable=False, comment="of it").partitionedBy("day").property("a", "b").execute())
    assert tables.DeltaTable.isDeltaTable(spark, str(tmp_path / "new"))
    table = tables.DeltaTable.forPath(spark, str(tmp_path / "new"))
    assert table.toDF().schema.simpleString() == "struct<id:int,day:date>"
    assert table.detail().collect()[0].partitionColumns == ["day"]
    spark.sql("DROP TABLE IF EXISTS dt_named")
    tables.DeltaTable.create(spark).tableName("dt_named").addColumn("id", "INT").execute()
    spark.sql("INSERT INTO dt_named VALUES (1)")
    named = tables.DeltaTable.forName(spark, "dt_named")
    named.delete()
    assert rows(named) == []
    spark.sql("DROP TABLE dt_named")


def test_restore(spark, delta_table):
    delta_table.delete("id = 1")
    delta_table.update("id = 2", {"v": "'B'"})
    restored = delta_table.restoreToVersion(1).collect()[0].asDict()
    assert restored["num_of_files_after_restore"] == 1 and restored["num_restored_files"] == 1
    assert rows(delta_table) == [(1, "a"), (2, "b"), (3, "c")]
    assert delta_table.history(1).collect()[0].operation == "RESTORE"
    path = delta_table.detail().collect()[0].location
    assert spark.sql(f"RESTORE TABLE delta.`{path}` TO VERSION AS OF 4").collect() == []  # it is that version
    with pytest.raises(Exception, match="DELTA_CANNOT_RESTORE_TABLE_VERSION"):
        spark.sql(f"RESTORE delta.`{path}` VERSION AS OF 9")
