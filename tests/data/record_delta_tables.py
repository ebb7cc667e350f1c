"""Records the Delta tables of delta-spark/ with real Spark: each uses features of the protocol that others write.

usage: .venv-spark/bin/python tests/data/record_delta_tables.py

The tables are read by tests/conformance/cases/delta_tables.py, whose expected rows are recorded from the same
Spark. Hadoop's hidden .crc files are left out.
"""

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
