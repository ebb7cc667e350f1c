"""Columns that a Delta table fills or checks itself: DEFAULT, GENERATED ALWAYS AS, CHECK, CLUSTER BY; buckets of files."""

import glob
import json
import os
import re

import pytest
from deltalake import DeltaTable
from pyspark.errors import PySparkException

DEFAULTS = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"


def condition_of(action):
    with pytest.raises(PySparkException) as error:
        action()
    assert not re.search(r"<[a-z]\w*>", str(error.value))
    return error.value.getCondition()


def rows(spark, table):
    return sorted([tuple(r) for r in spark.table(table).collect()], key=str)


def actions(path):
    for file in sorted(glob.glob(f"{path}/_delta_log/*.json")):
        with open(file) as lines:
            yield from (json.loads(line) for line in lines)


@pytest.fixture
def table(tmp_path):
    return f"delta.`{tmp_path}/t`"


def test_defaults_fill_what_is_missing(spark, table, tmp_path):
    spark.sql(f"CREATE TABLE {table} (a INT DEFAULT 5 + 1, b STRING DEFAULT 'q', c INT) USING delta {DEFAULTS}")
    spark.sql(f"INSERT INTO {table} (c) VALUES (1)")
    spark.sql(f"INSERT INTO {table} VALUES (DEFAULT, 'x', default)")
    assert rows(spark, table) == sorted([(6, "q", 1), (6, "x", None)], key=str)
    metadata = [a["metaData"] for a in actions(tmp_path / "t") if "metaData" in a][0]
    fields = json.loads(metadata["schemaString"])["fields"]
    assert fields[0]["metadata"] == {"CURRENT_DEFAULT": "5 + 1"}
    protocol = [a["protocol"] for a in actions(tmp_path / "t") if "protocol" in a][0]
    assert protocol["minWriterVersion"] == 7 and "allowColumnDefaults" in protocol["writerFeatures"]


def test_generated_columns_are_computed_and_checked(spark, table, tmp_path):
    spark.sql(f"CREATE TABLE {table} (a INT, b INT GENERATED ALWAYS AS (a + 1)) USING delta")
    spark.sql(f"INSERT INTO {table} (a) VALUES (1)")
    spark.sql("SELECT 5 AS a").write.mode("append").format("delta").save(f"{tmp_path}/t")
    spark.sql(f"INSERT INTO {table} VALUES (2, 3)")
    broken = condition_of(lambda: spark.sql(f"INSERT INTO {table} VALUES (2, 9)").collect())
    assert broken == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert rows(spark, table) == [(1, 2), (2, 3), (5, 6)]
    assert DeltaTable(f"{tmp_path}/t").version() == 3


def test_checks_hold(spark, table, tmp_path):
    spark.sql(f"CREATE TABLE {table} (a INT, b STRING) USING delta")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'x')")
    spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT positive CHECK (a > 0)")
    for text in ("(-1, 'y')", "(NULL, 'y')"):
        broken = condition_of(lambda text=text: spark.sql(f"INSERT INTO {table} VALUES {text}").collect())
        assert broken == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    frame = spark.sql("SELECT -3 AS a, 'z' AS b")
    broken = condition_of(lambda: frame.write.mode("append").format("delta").save(f"{tmp_path}/t"))
    assert broken == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    spark.sql(f"INSERT INTO {table} VALUES (2, 'y')")
    assert rows(spark, table) == [(1, "x"), (2, "y")]
    assert condition_of(lambda: spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT c CHECK (a > 1)").collect()) == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    spark.sql(f"ALTER TABLE {table} DROP CONSTRAINT positive")
    spark.sql(f"INSERT INTO {table} VALUES (-2, 'y')")


def test_identity_columns_number_the_rows(spark, table):
    spark.sql(f"CREATE TABLE {table} (a BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 5), b INT) USING delta")
    spark.sql(f"INSERT INTO {table} (b) VALUES (1)")
    assert spark.sql(f"SELECT * FROM {table}").collect() == [(5, 1)]
    assert condition_of(lambda: spark.sql(f"INSERT INTO {table} VALUES (1, 1)").collect()) is not None


def test_clustering_is_kept(spark, table, tmp_path):
    spark.sql(f"CREATE TABLE {table} (a INT, b STRING) USING delta CLUSTER BY (a)")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'x')")
    spark.sql(f"ALTER TABLE {table} CLUSTER BY (b)")
    assert spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].clusteringColumns == ["b"]
    domains = [a["domainMetadata"] for a in actions(tmp_path / "t") if "domainMetadata" in a]
    assert json.loads(domains[0]["configuration"])["clusteringColumns"] == [["a"]]


def test_buckets_are_files(spark, tmp_path):
    spark.sql("DROP TABLE IF EXISTS e2e_buckets")
    frame = spark.sql("SELECT id AS a, id % 7 AS b FROM range(100)")
    writer = frame.write.format("parquet").bucketBy(4, "b").sortBy("a").option("path", str(tmp_path / "buckets"))
    writer.mode("overwrite").saveAsTable("e2e_buckets")
    assert spark.table("e2e_buckets").count() == 100
    numbers = {f.split("_")[-1][:5] for f in os.listdir(tmp_path / "buckets") if f.startswith("part-")}
    expected = {f"{r[0]:05}" for r in frame.selectExpr("pmod(hash(b), 4)").distinct().collect()}
    assert numbers == expected
    spark.sql("DROP TABLE e2e_buckets")


def test_refusals_have_a_condition(spark):
    assert condition_of(lambda: spark.sql("VACUUM x").collect()).startswith(("UNSUPPORTED_FEATURE", "TABLE_OR_VIEW", "DELTA"))
    with pytest.raises(PySparkException) as error:
        spark.conf.set("spark.sql.legacy.timeParserPolicy", "LEGACY")
    assert error.value.getCondition() == "UNSUPPORTED_FEATURE.MILLSTREAM"
    assert error.value.getSqlState() == "0A000"
