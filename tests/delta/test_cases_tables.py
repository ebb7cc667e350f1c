"""Cases from bug reports: MERGE and schema evolution (MG), the table and its log (DL)."""

import collections
import decimal
import json
import math
import pathlib
import threading

import deltalake
import pyarrow as pa
import pytest
from delta_streams import failure


@pytest.fixture
def make(spark, tmp_path):
    """A Delta table of the query; gives its quoted name."""
    def run(query, name="t", **options):
        path = str(tmp_path / name)
        spark.sql(query).coalesce(1).write.format("delta").options(**options).save(path)
        return f"delta.`{path}`"

    return run


def rows(spark, table):
    return sorted((tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect()), key=repr)


def test_mg01_several_matches(spark, make):
    table = make("SELECT 1 AS k, 1 AS v")
    source = "(SELECT * FROM VALUES (1, 10), (1, 11) AS v (k, v))"
    text = failure(lambda: spark.sql(f"MERGE INTO {table} t USING {source} s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *").collect())
    assert "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE" in text
    spark.sql(f"MERGE INTO {table} t USING (SELECT * FROM VALUES (3, 1), (3, 2) AS v (k, v)) s ON t.k = s.k "
              "WHEN NOT MATCHED THEN INSERT *").collect()
    assert rows(spark, table) == [(1, 1), (3, 1), (3, 2)]
    spark.sql(f"MERGE INTO {table} t USING {source} s ON t.k = s.k WHEN MATCHED THEN DELETE").collect()
    assert rows(spark, table) == [(3, 1), (3, 2)]


def test_mg06_a_source_whose_type_changed(spark, make):
    table = make("SELECT 1 AS k, 1 AS n")
    text = failure(lambda: spark.sql(
        f"MERGE WITH SCHEMA EVOLUTION INTO {table} t USING (SELECT 1 AS k, 'str' AS n) s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET *").collect())
    assert "str" in text and "INT" in text
    assert rows(spark, table) == [(1, 1)]


def test_mg07_names_of_another_case(spark, tmp_path):
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, submittedAt BIGINT NOT NULL, x INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 1, 1)")
    spark.sql(f"MERGE INTO delta.`{path}` t USING (SELECT * FROM VALUES (1, 2L, 2), (2, 3L, 3) AS v (ID, SUBMITTEDAT, X)) s "
              "ON t.id = s.ID WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *").collect()
    assert spark.read.format("delta").load(str(path)).columns == ["id", "submittedAt", "x"]
    assert rows(spark, f"delta.`{path}`") == [(1, 2, 2), (2, 3, 3)]
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION INTO delta.`{path}` t USING (SELECT 3 AS id, 4L AS submittedat, 5 AS x, 6 AS new_c) s "
              "ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, submittedAt, NEW_c) VALUES (s.id, s.submittedat, s.new_c)").collect()
    names = spark.read.format("delta").load(str(path)).columns
    assert len(names) == 4 and names[3].lower() == "new_c"


def test_mg08_not_null_is_checked_on_the_result(spark, tmp_path):
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (k INT NOT NULL, v INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` SELECT CAST(id AS INT), 0 FROM range(100)")
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION INTO delta.`{path}` t USING (SELECT CAST(id AS INT) AS k, 1 AS v, 'n' AS extra FROM range(10)) s "
              "ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *").collect()
    assert spark.sql(f"SELECT count(*), sum(v), count(extra) FROM delta.`{path}`").collect() == [(100, 10, 10)]


def test_mg09_matched_is_not_by_source(spark, make):
    one, two = make("SELECT explode(array(1, 2, 3)) AS k", "one"), make("SELECT explode(array(1, 2, 3)) AS k", "two")
    spark.sql(f"MERGE INTO {one} t USING (SELECT 2 AS k) s ON t.k = s.k WHEN MATCHED THEN DELETE").collect()
    spark.sql(f"MERGE INTO {two} t USING (SELECT 2 AS k) s ON t.k = s.k WHEN NOT MATCHED BY SOURCE THEN DELETE").collect()
    assert (rows(spark, one), rows(spark, two)) == ([(1,), (3,)], [(2,)])


def test_mg10_closed_rows_of_a_history(spark, make):
    table = make("SELECT * FROM VALUES (1, 'old', false), (1, 'new', true), (2, 'only', true) AS v (k, t, is_current)")
    merge = (f"MERGE INTO {table} t USING (SELECT 1 AS k) s ON t.k = s.k AND t.is_current "
             "WHEN NOT MATCHED BY SOURCE AND t.is_current THEN UPDATE SET is_current = false, t = concat(t.t, '!')")
    for _ in range(2):
        spark.sql(merge).collect()
        assert rows(spark, table) == [(1, "new", True), (1, "old", False), (2, "only!", False)]


def test_mg12_evolution_by_clause(spark, make):
    table = make("SELECT 1 AS key, named_struct('a', 1) AS value")
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION INTO {table} t USING (SELECT explode(array(1, 2)) AS key, named_struct('a', 5, 'b', 6) AS value) s "
              "ON t.key = s.key WHEN MATCHED THEN UPDATE SET key = 0 WHEN NOT MATCHED THEN INSERT *").collect()
    assert rows(spark, table) == [(0, (1, None)), (2, (5, 6))]


def test_mg13_columns_in_another_order(spark, make):
    table = make("SELECT 1 AS id, 'a' AS a, 'b' AS b, array(named_struct('x', 1, 'y', 2)) AS arr")
    spark.sql(f"MERGE INTO {table} t USING (SELECT array(named_struct('y', 20, 'x', 10)) AS arr, 'B' AS b, 'A' AS a, 1 AS id) s "
              "ON t.id = s.id WHEN MATCHED THEN UPDATE SET *").collect()
    assert rows(spark, table) == [(1, "A", "B", [(10, 20)])]


def test_dl01_special_characters_in_partition_values(spark, tmp_path):
    values = ["a/b", "a b", "a%20b", "x:y", "é", "q=1", "  ", "A", "a", None, "[b]", "tab\tx", "R&D", "$"]
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    spark.createDataFrame(list(enumerate(values)), "i int, p string").write.format("delta").partitionBy("p").save(ours)
    deltalake.write_deltalake(theirs, pa.table({"i": pa.array(range(len(values)), pa.int32()), "p": pa.array(values)}), partition_by=["p"])
    for path in (ours, theirs):
        assert [row.p for row in spark.read.format("delta").load(path).orderBy("i").collect()] == values
        table = deltalake.DeltaTable(path).to_pyarrow_table().sort_by("i")
        assert table["p"].to_pylist() == values
        for value in values:
            found = spark.read.format("delta").load(path).where(f"p <=> {repr(value) if value is not None else 'NULL'}")
            assert found.count() == 1, value


def test_dl02_an_empty_text_is_a_null_partition(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.createDataFrame([("abc",), ("",), (None,)], "p string").selectExpr("1 AS v", "p").write.format("delta").partitionBy("p").save(path)
    counts = {row.p: row["count"] for row in spark.read.format("delta").load(path).groupBy("p").count().collect()}
    assert counts == {"abc": 1, None: 2}


def test_dl05_decimals_in_partitions(spark, tmp_path):
    path, values = str(tmp_path / "t"), [decimal.Decimal(x) for x in ("1.50", "100.00", "-0.05")]
    spark.createDataFrame(list(enumerate(values)), "i int, p decimal(10,2)").write.format("delta").partitionBy("p").save(path)
    assert [row.p for row in spark.read.format("delta").load(path).orderBy("i").collect()] == values
    # deltalake takes -0.05 of a partition, whoever wrote it, for "0.-5".
    written = {action["partitionValues"]["p"] for file in pathlib.Path(path, "_delta_log").glob("*.json")
               for action in (json.loads(line).get("add") for line in file.read_text().splitlines()) if action}
    assert written == {"1.50", "100.00", "-0.05"}


def test_dl07_nan_and_infinities(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.createDataFrame([(math.nan, math.inf), (1.0, 0.0)], "d double, e double").coalesce(1).write.format("delta").save(path)
    frame = spark.read.format("delta").load(path)
    assert frame.where("d > 100").count() == 1 and frame.where("e > 1e300").count() == 1

    def refuse(text):
        raise AssertionError(f"{text} is no JSON")

    for line in pathlib.Path(path, "_delta_log", f"{0:020}.json").read_text().splitlines():
        add = json.loads(line).get("add")
        if add:
            json.loads(add["stats"], parse_constant=refuse)


@pytest.fixture
def twelve(spark, tmp_path):
    """12 commits of a row each, with a checkpoint at 10; the folder of its log."""
    path = tmp_path / "t"
    for i in range(12):
        spark.range(i, i + 1).coalesce(1).write.format("delta").mode("append").save(str(path))
    log = path / "_delta_log"
    assert (log / f"{10:020}.checkpoint.parquet").exists()
    return log


def copied(log, name):
    """The table in another place: no server has seen it yet."""
    import shutil
    there = log.parent.with_name(name)
    shutil.copytree(log.parent, there)
    return there


@pytest.mark.parametrize("hint", ["", "{oops", '{"version":99,"size":1}'])
def test_dl09_a_hint_that_lies(spark, twelve, hint):
    there = copied(twelve, "there")
    (there / "_delta_log/_last_checkpoint").write_text(hint)
    assert spark.read.format("delta").load(str(there)).count() == 12


def test_dl10_a_checkpoint_cut_off(spark, twelve):
    there = copied(twelve, "there")
    checkpoint = there / f"_delta_log/{10:020}.checkpoint.parquet"
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    assert spark.read.format("delta").load(str(there)).count() == 12
    gone = copied(twelve, "gone")
    checkpoint = gone / f"_delta_log/{10:020}.checkpoint.parquet"
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    for version in range(10):
        (gone / f"_delta_log/{version:020}.json").unlink()
    assert checkpoint.name in failure(spark.read.format("delta").load(str(gone)).count)


def test_dl12_a_checkpoint_newer_than_the_hint(spark, twelve, tmp_path):
    for i in range(12, 22):
        spark.range(i, i + 1).coalesce(1).write.format("delta").mode("append").save(str(twelve.parent))
    there = copied(twelve, "there")
    (there / "_delta_log/_last_checkpoint").write_text('{"version":10,"size":13}')
    assert (there / f"_delta_log/{20:020}.checkpoint.parquet").exists()
    assert spark.read.format("delta").load(str(there)).count() == 22


def test_dl13_the_oldest_file_is_a_checkpoint(spark, twelve):
    there = copied(twelve, "there")
    for version in range(10):
        (there / f"_delta_log/{version:020}.json").unlink()
    table = f"delta.`{there}`"
    assert spark.sql(f"SELECT * FROM {table}").count() == 12
    spark.range(100, 101).write.format("delta").mode("append").save(str(there))
    assert (there / f"_delta_log/{12:020}.json").exists()
    spark.sql(f"CREATE TABLE IF NOT EXISTS {table} (other STRING) USING delta")
    assert sorted(row.id for row in spark.sql(f"SELECT * FROM {table}").collect()) == [*range(12), 100]


def test_dl14_holes_and_torn_commits(spark, twelve):
    spark.range(12, 13).coalesce(1).write.format("delta").mode("append").save(str(twelve.parent))
    hole = copied(twelve, "hole")
    (hole / f"_delta_log/{11:020}.json").unlink()
    assert "DELTA" in failure(spark.read.format("delta").load(str(hole)).count)
    torn = copied(twelve, "torn")
    commit = torn / f"_delta_log/{11:020}.json"
    commit.write_bytes(commit.read_bytes()[:300])
    assert commit.name in failure(spark.read.format("delta").load(str(torn)).count)
    empty = copied(twelve, "empty")
    (empty / f"_delta_log/{11:020}.json").write_bytes(b"")
    try:
        assert spark.read.format("delta").load(str(empty)).count() == 12
    except Exception as error:  # noqa: BLE001
        assert commit.name in str(error)


def test_dl15_statistics_of_some_columns(spark, tmp_path):
    path = str(tmp_path / "t")
    wide = ", ".join(f"{{0}} + {i} AS c{i}" for i in range(40))
    for i in range(12):
        spark.sql(f"SELECT {wide.format(i)}").coalesce(1).write.format("delta").mode("append").save(path)
    there = copied(pathlib.Path(path, "_delta_log"), "there")
    assert spark.read.format("delta").load(str(there)).where("c39 = 44").count() == 1
    assert deltalake.DeltaTable(str(there)).to_pyarrow_table(filters=[("c39", "=", 44)]).num_rows == 1


def test_dl16_a_check_that_is_null(spark, tmp_path):
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (v INT) USING delta")
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT positive CHECK (v > 0)")
    assert "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES" in failure(lambda: spark.sql(f"INSERT INTO delta.`{path}` VALUES (1), (NULL)"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.json").write_text('{"v": 1}\n{"v": null}\n')
    query = (spark.readStream.schema("v INT").json(str(tmp_path / "in")).writeStream.format("delta")
             .option("checkpointLocation", str(tmp_path / "ck")).trigger(availableNow=True).start(str(path)))
    assert "positive" in failure(query.awaitTermination)
    assert spark.sql(f"SELECT * FROM delta.`{path}`").collect() == []


def test_dl17_not_null_within_a_struct(spark, tmp_path):
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (s STRUCT<a: INT NOT NULL, b: INT>) USING delta")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.json").write_text('{"s": {"a": 1, "b": 1}}\n{"s": {"b": 2}}\n')
    query = (spark.readStream.schema("s STRUCT<a: INT, b: INT>").json(str(tmp_path / "in")).writeStream.format("delta")
             .option("checkpointLocation", str(tmp_path / "ck")).trigger(availableNow=True).start(str(path)))
    assert "NOT_NULL" in failure(query.awaitTermination)
    assert spark.sql(f"SELECT * FROM delta.`{path}`").collect() == []


def test_dl18_timestamp_ntz_has_its_feature(spark, tmp_path):
    spark.sql("SELECT TIMESTAMP_NTZ'2024-01-01 00:00:00' AS t").write.format("delta").save(str(tmp_path / "ntz"))
    spark.sql("SELECT TIMESTAMP'2024-01-01 00:00:00' AS t").write.format("delta").save(str(tmp_path / "ltz"))
    ntz, ltz = (deltalake.DeltaTable(str(tmp_path / name)) for name in ("ntz", "ltz"))
    assert (ntz.protocol().min_reader_version, ntz.protocol().min_writer_version) == (3, 7)
    assert "timestampNtz" in ntz.protocol().reader_features and "timestampNtz" in ntz.protocol().writer_features
    assert ltz.protocol().min_reader_version == 1 and ltz.protocol().min_writer_version <= 2
    assert ntz.to_pyarrow_table().num_rows == ltz.to_pyarrow_table().num_rows == 1


def test_dl19_appends_beside_optimize(server, spark, tmp_path):
    path, failed = str(tmp_path / "t"), []
    spark.range(0).write.format("delta").save(path)
    sessions = [server.session(), server.session()]

    def append(session, first):
        try:
            for i in range(first, first + 25):
                session.range(i, i + 1).coalesce(1).write.format("delta").mode("append").save(path)
        except Exception as error:  # noqa: BLE001: told below
            failed.append(error)

    threads = [threading.Thread(target=append, args=(session, n * 1000)) for n, session in enumerate(sessions)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        spark.sql(f"OPTIMIZE delta.`{path}`").collect()
    for thread in threads:
        thread.join()
    assert not failed
    counts = collections.Counter(row.id for row in spark.read.format("delta").load(path).collect())
    assert counts == {i: 1 for n in (0, 1000) for i in range(n, n + 25)}
    for session in sessions:
        session.stop()
