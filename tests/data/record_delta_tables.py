"""Records the Delta tables of delta-spark/ with real Spark: each uses features of the protocol that others write.

usage: .venv-spark/bin/python tests/data/record_delta_tables.py

The tables are read by tests/conformance/cases/delta_tables.py, whose expected rows are recorded from the same
Spark. Hadoop's hidden .crc files are left out.
"""

import datetime
import decimal
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from spark_oracle import oracle_session  # noqa: E402

RECIPES = {}


def recipe(function):
    RECIPES[function.__name__] = function
    return function


class Table:
    """The statements of a recipe: `T` in them stands for the table."""

    def __init__(self, spark, path):
        self.spark = spark
        self.path = path

    def __call__(self, *statements):
        for statement in statements:
            self.spark.sql(statement.replace("T!", f"delta.`{self.path}`")).collect()

    def append(self, frame, **options):
        frame.coalesce(1).write.format("delta").mode("append").options(**options).save(self.path)


@recipe
def dv_row_groups(t):
    t("CREATE TABLE T! (id BIGINT, s STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors'='true')")
    t.append(t.spark.range(6000).selectExpr("id", "concat('text ', id % 10) s"), **{"parquet.block.size": "4096"})
    t("DELETE FROM T! WHERE id BETWEEN 1000 AND 2500 OR id % 50 = 3")


def mapped(t, mode):
    t("CREATE TABLE T! (id BIGINT, `a b` STRING, st STRUCT<x: INT, `y,z`: STRING>, ar ARRAY<STRUCT<e: INT, f: STRING>>,"
      " mp MAP<STRING, STRUCT<g: INT>>, p DATE) USING delta PARTITIONED BY (p) "
      f"TBLPROPERTIES ('delta.columnMapping.mode'='{mode}')",
      "INSERT INTO T! VALUES (1, 'one', struct(10, 'ten'), array(struct(1, 'e')), map('k', struct(5)), DATE'2024-01-01'),"
      " (2, null, null, null, null, null)",
      "ALTER TABLE T! RENAME COLUMN `a b` TO renamed", "ALTER TABLE T! RENAME COLUMN p TO `part col`",
      "ALTER TABLE T! RENAME COLUMN st.x TO xx", "ALTER TABLE T! ADD COLUMNS (added INT, st.later INT)",
      "INSERT INTO T! VALUES (3, 'three', struct(30, 'thirty', 300), array(), map(), DATE'2024-01-03', 33)",
      "ALTER TABLE T! DROP COLUMN added", "ALTER TABLE T! ADD COLUMNS (added STRING)",
      "INSERT INTO T! VALUES (4, 'four', struct(40, 'forty', 400), array(null), map('l', null), DATE'2024-01-01', 'new')")


@recipe
def mapping_name(t):
    mapped(t, "name")


@recipe
def mapping_id(t):
    mapped(t, "id")


@recipe
def mapping_upgraded(t):
    t("CREATE TABLE T! (id INT, name STRING, p INT) USING delta PARTITIONED BY (p)",
      "INSERT INTO T! VALUES (1, 'a', 1), (2, 'b', 2)",
      "ALTER TABLE T! SET TBLPROPERTIES ('delta.columnMapping.mode'='name', 'delta.minReaderVersion'='2',"
      " 'delta.minWriterVersion'='5')",
      "ALTER TABLE T! RENAME COLUMN name TO id_text", "ALTER TABLE T! DROP COLUMN id",
      "ALTER TABLE T! ADD COLUMNS (id STRING)", "INSERT INTO T! VALUES ('c', 1, 'three')")


@recipe
def mapping_and_dv(t):
    t("CREATE TABLE T! (id BIGINT, v STRING) USING delta TBLPROPERTIES ('delta.columnMapping.mode'='name',"
      " 'delta.enableDeletionVectors'='true', 'delta.checkpointPolicy'='v2', 'delta.checkpointInterval'='3')")
    t.append(t.spark.range(20).selectExpr("id", "concat('v', id) v"))
    t("ALTER TABLE T! RENAME COLUMN v TO w",
      "MERGE INTO T! t USING (SELECT id, concat('m', id) w FROM range(15, 25)) s ON t.id = s.id"
      " WHEN MATCHED AND s.id = 16 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
      "DELETE FROM T! WHERE id IN (1, 2, 24)", "UPDATE T! SET w = 'u' WHERE id = 5")


@recipe
def widened(t):
    t("CREATE TABLE T! (id INT, b TINYINT, s SMALLINT, i INT, i2 INT, f FLOAT, d DATE, m DECIMAL(6,2), st STRUCT<x: SMALLINT>,"
      " ar ARRAY<INT>, mp MAP<INT, FLOAT>, i3 INT, p INT) USING delta PARTITIONED BY (p)"
      " TBLPROPERTIES ('delta.enableTypeWidening'='true', 'delta.feature.timestampNtz'='supported')",
      "INSERT INTO T! VALUES (1, 1, 300, 70000, 5, 0.7, DATE'2024-02-29', 12.34, struct(7), array(1, null), map(1, 0.1), 3, 1),"
      " (2, -128, -32768, -2147483648, null, float('NaN'), DATE'0001-01-01', -9999.99, null, null, null, -3, 2),"
      " (3, null, null, null, null, null, null, null, null, null, null, null, null)")
    for name, wide in (("b", "SMALLINT"), ("b", "INT"), ("s", "BIGINT"), ("i", "BIGINT"), ("i2", "DOUBLE"),
                       ("f", "DOUBLE"), ("d", "TIMESTAMP_NTZ"), ("m", "DECIMAL(12,4)"), ("st.x", "INT"),
                       ("ar.element", "BIGINT"), ("mp.key", "BIGINT"), ("mp.value", "DOUBLE"),
                       ("i3", "DECIMAL(14,2)"), ("p", "BIGINT")):
        t(f"ALTER TABLE T! ALTER COLUMN {name} TYPE {wide}")
    t("INSERT INTO T! VALUES (4, 100000, 5000000000, 5000000000, 1.5, 0.7, TIMESTAMP_NTZ'2024-02-29 12:00:00', 12345678.1234,"
      " struct(70000), array(5000000000), map(5000000000, 0.1), 123456789012.34, 5000000000)")


@recipe
def v2_sidecars(t):
    t.spark.conf.set("spark.databricks.delta.checkpoint.partSize", "3")
    t("CREATE TABLE T! (id BIGINT) USING delta TBLPROPERTIES ('delta.checkpointPolicy'='v2',"
      " 'delta.checkpointInterval'='4')")
    for i in range(10):
        t.append(t.spark.range(i, i + 1))


@recipe
def v2_json(t):
    t.spark.conf.set("spark.databricks.delta.checkpointV2.topLevelFileFormat", "json")
    v2_sidecars(t)
    t.spark.conf.unset("spark.databricks.delta.checkpointV2.topLevelFileFormat")


@recipe
def multi_part(t):
    t("CREATE TABLE T! (id BIGINT) USING delta TBLPROPERTIES ('delta.checkpointInterval'='5')")
    for i in range(12):
        t.append(t.spark.range(i, i + 1))
    t.spark.conf.unset("spark.databricks.delta.checkpoint.partSize")


@recipe
def in_commit_timestamps(t):
    t("CREATE TABLE T! (id BIGINT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps'='true')")
    for i in range(3):
        t.append(t.spark.range(i, i + 1))


@recipe
def row_tracking(t):
    t("CREATE TABLE T! (id BIGINT, v STRING) USING delta TBLPROPERTIES ('delta.enableRowTracking'='true')",
      "INSERT INTO T! VALUES (1, 'a'), (2, 'b')", "UPDATE T! SET v = 'c' WHERE id = 2", "INSERT INTO T! VALUES (3, 'd')")


@recipe
def clustered(t):
    t("CREATE TABLE T! (id BIGINT, v STRING) USING delta CLUSTER BY (v)",
      "INSERT INTO T! VALUES (1, 'a'), (2, 'b')", "OPTIMIZE T!", "INSERT INTO T! VALUES (3, 'a')")


@recipe
def change_feed(t):
    t("CREATE TABLE T! (id BIGINT, v STRING) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed'='true')",
      "INSERT INTO T! VALUES (1, 'a'), (2, 'b'), (3, 'c')", "UPDATE T! SET v = 'd' WHERE id = 2", "DELETE FROM T! WHERE id = 1")


@recipe
def constrained(t):
    t("CREATE TABLE T! (id BIGINT NOT NULL, g BIGINT GENERATED ALWAYS AS (id * 2),"
      " n BIGINT GENERATED ALWAYS AS IDENTITY, c STRING DEFAULT 'x')"
      " USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults'='supported')",
      "ALTER TABLE T! ADD CONSTRAINT positive CHECK (id > 0)", "INSERT INTO T! (id) VALUES (1), (2)",
      "INSERT INTO T! (id, c) VALUES (3, null)")


@recipe
def time_partitions(t):
    t("CREATE TABLE T! (id INT, ts TIMESTAMP, ntz TIMESTAMP_NTZ, m DECIMAL(10,3), b BOOLEAN, bin BINARY, d DOUBLE) USING delta"
      " PARTITIONED BY (ts, ntz, m, b, bin, d)",
      "INSERT INTO T! VALUES (1, TIMESTAMP'2024-01-01 00:00:00.5', TIMESTAMP_NTZ'2024-01-01 00:00:00.25', 1.5, true, X'4142', 1e10),"
      " (2, TIMESTAMP'1969-12-31 23:59:59.999999', TIMESTAMP_NTZ'1900-01-01 00:00:00', -0.001, false, X'', double('NaN')),"
      " (3, null, null, null, null, null, null)")


# The tables of the Delta acceptance tests (delta-incubator/dat), by their names there.


def letters(t, rows, columns="letter STRING, number BIGINT, a_float DOUBLE"):
    return t.spark.createDataFrame(rows, columns)


@recipe
def dat_basic_append(t):
    t.append(letters(t, [("a", 1, 1.1), ("b", 2, 2.2), ("c", 3, 3.3)]))
    t.append(letters(t, [("d", 4, 4.4), ("e", 5, 5.5)]))


def partitioned(t, frame, *columns):
    frame.coalesce(1).write.format("delta").mode("append").partitionBy(*columns).save(t.path)


@recipe
def dat_basic_partitioned(t):
    partitioned(t, letters(t, [("a", 1, 1.1), ("b", 2, 2.2), ("c", 3, 3.3)]), "letter")
    partitioned(t, letters(t, [("a", 4, 4.4), ("e", 5, 5.5)]), "letter")


@recipe
def dat_partitioned_with_null(t):
    partitioned(t, letters(t, [("a", 1, 1.1), ("b", 2, 2.2), (None, 3, 3.3)]), "letter")
    partitioned(t, letters(t, [("a", 4, 4.4), (None, 5, 5.5)]), "letter")


@recipe
def dat_multi_partitioned(t):
    columns = "letter STRING, date DATE, data BINARY, number BIGINT"
    day = datetime.date
    partitioned(t, letters(t, [("a", day(1970, 1, 1), b"hello", 1), ("b", day(1970, 1, 1), b"world", 2),
                               ("b", day(1970, 1, 2), b"x%y", 3)], columns), "letter", "date", "data")
    partitioned(t, letters(t, [("a", day(1970, 1, 1), b"x", 4), ("u /%20f", day(9999, 12, 31), b"a b", 5)], columns), "letter", "date", "data")


@recipe
def dat_multi_partitioned_2(t):
    columns = ("bool BOOLEAN, time TIMESTAMP, amount DECIMAL(8,2), int BIGINT")
    at, amount = datetime.datetime, decimal.Decimal
    partitioned(t, letters(t, [(True, at(1970, 1, 1), amount("12.00"), 1), (True, at(1970, 1, 1, 12, 34, 56), amount("12.00"), 2),
                               (False, at(1970, 1, 2, 8, 45), amount("12.00"), 3)], columns), "bool", "time", "amount")


@recipe
def dat_with_schema_change(t):
    t.append(letters(t, [("a", 1), ("b", 2), ("c", 3)], "letter STRING, num1 BIGINT"))
    frame = letters(t, [(22, "b", 2), (33, "c", 3)], "num2 BIGINT, letter STRING, num1 BIGINT").coalesce(1)
    frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(t.path)


@recipe
def dat_all_primitive_types(t):
    t("CREATE TABLE T! (utf8 STRING, int64 BIGINT, int32 INT, int16 SMALLINT, int8 TINYINT, float32 FLOAT, float64 DOUBLE, bool BOOLEAN,"
      " binary BINARY, decimal DECIMAL(5,3), date32 DATE, timestamp TIMESTAMP) USING delta")
    rows = [(str(i), i, i, i, i, float(i), float(i), i % 2 == 0, bytes(i), decimal.Decimal(f"1{i}.000"), datetime.date(1970, 1, 1 + i),
             datetime.datetime(1970, 1, 1, i)) for i in range(5)]
    t.append(t.spark.createDataFrame(rows, t.spark.table(f"delta.`{t.path}`").schema))


@recipe
def dat_nested_types(t):
    t("CREATE TABLE T! (pk INT, struct STRUCT<float64: DOUBLE, bool: BOOLEAN>, array ARRAY<SMALLINT>, map MAP<STRING, INT>) USING delta")
    rows = [(i, (float(i), i % 2 == 0), [i] * i, {str(k): k for k in range(i)}) for i in range(5)]
    t.append(t.spark.createDataFrame(rows, t.spark.table(f"delta.`{t.path}`").schema))


@recipe
def dat_with_checkpoint(t):
    for i in range(13):
        t.append(t.spark.range(i, i + 1).selectExpr("concat('l', id) letter", "id int", "DATE'1970-01-01' date"))


@recipe
def dat_no_replay(t):
    """The log before the checkpoint is gone."""
    dat_with_checkpoint(t)
    for commit in pathlib.Path(t.path, "_delta_log").glob("*.json"):
        if int(commit.name[:20]) < 10:
            commit.unlink()


@recipe
def dat_stats_as_struct(t):
    t("CREATE TABLE T! (letter STRING, int BIGINT, date DATE) USING delta TBLPROPERTIES ('delta.checkpoint.writeStatsAsStruct'='true',"
      " 'delta.checkpoint.writeStatsAsJson'='false', 'delta.checkpointInterval'='3')")
    for i in range(5):
        t.append(t.spark.range(i, i + 1).selectExpr("concat('l', id) letter", "id int", "DATE'1970-01-01' date"))


@recipe
def dat_no_stats(t):
    t("CREATE TABLE T! (letter STRING, int BIGINT, date DATE) USING delta TBLPROPERTIES ('delta.dataSkippingNumIndexedCols'='0')")
    for i in range(3):
        t.append(t.spark.range(i, i + 1).selectExpr("concat('l', id) letter", "id int", "DATE'1970-01-01' date"))


@recipe
def dat_deletion_vectors(t):
    t("CREATE TABLE T! (letter STRING, int BIGINT, date DATE) USING delta TBLPROPERTIES ('delta.enableDeletionVectors'='true')",
      "INSERT INTO T! SELECT /*+ COALESCE(1) */ concat('l', id), id, DATE'1970-01-01' FROM range(8)", "DELETE FROM T! WHERE letter = 'l0'", "DELETE FROM T! WHERE int > 5")


@recipe
def dat_check_constraints(t):
    t("CREATE TABLE T! (int INT) USING delta", "ALTER TABLE T! ADD CONSTRAINT int_gt_zero CHECK (int > 0)", "INSERT INTO T! VALUES (1), (2)")


@recipe
def dat_cdf(t):
    t("CREATE TABLE T! (int INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed'='true')", "INSERT INTO T! VALUES (1), (2), (3)",
      "DELETE FROM T! WHERE int = 1", "UPDATE T! SET int = 30 WHERE int = 3")


@recipe
def dat_generated_columns(t):
    t("CREATE TABLE T! (c1 INT, c2 INT GENERATED ALWAYS AS (c1 + 1)) USING delta", "INSERT INTO T! (c1) VALUES (1), (2)", "INSERT INTO T! VALUES (5, 6)")


@recipe
def dat_column_mapping(t):
    t("CREATE TABLE T! (a BIGINT, date DATE) USING delta", "INSERT INTO T! VALUES (1, DATE'1970-01-01')",
      "ALTER TABLE T! SET TBLPROPERTIES ('delta.columnMapping.mode'='name')", "ALTER TABLE T! RENAME COLUMN a TO `new name`",
      "INSERT INTO T! VALUES (2, DATE'1970-01-02')")


@recipe
def dat_timestamp_ntz(t):
    t("CREATE TABLE T! (int INT, ts TIMESTAMP_NTZ) USING delta PARTITIONED BY (ts)", "INSERT INTO T! VALUES (1, TIMESTAMP_NTZ'1970-01-01 00:00:00'), (2, TIMESTAMP_NTZ'2024-02-29 12:34:56.789')")


@recipe
def dat_iceberg_compat_v1(t):
    t("CREATE TABLE T! (int INT, s STRING) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV1'='true', 'delta.columnMapping.mode'='name')",
      "INSERT INTO T! VALUES (1, 'a'), (2, 'b')")


def main():
    wanted = sys.argv[1:] or list(RECIPES)
    spark = oracle_session()
    base = pathlib.Path(tempfile.mkdtemp(prefix="delta-tables-"))
    for name in wanted:
        print(name, flush=True)
        RECIPES[name](Table(spark, str(base / name)))
        shutil.rmtree(HERE / "delta-spark" / name, ignore_errors=True)
        shutil.copytree(base / name, HERE / "delta-spark" / name, ignore=shutil.ignore_patterns("*.crc"))
    shutil.rmtree(base)
    spark.stop()


if __name__ == "__main__":
    main()
