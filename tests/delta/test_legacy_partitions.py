"""Tables of old writers, whose partition values of type TIMESTAMP do not say their zone: they are of the session's zone,
for every statement that copies or replaces rows."""

import json

import pytest

ZONE = "America/New_York"
DAYS = ["2020-01-01 00:00:00", "2020-07-01 12:30:00"]


@pytest.fixture
def legacy(spark, tmp_path):
    """Two files a day of two rows each, by texts without a zone."""
    spark.conf.set("spark.sql.session.timeZone", ZONE)
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, at TIMESTAMP) USING delta PARTITIONED BY (at)"
              " TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    for i in range(2):
        spark.sql(f"INSERT INTO delta.`{path}` SELECT /*+ COALESCE(1) */ {2 * i} + id, CAST(at AS TIMESTAMP)"
                  f" FROM VALUES (0, '{DAYS[0]}'), (1, '{DAYS[0]}'), (10, '{DAYS[1]}'), (11, '{DAYS[1]}') AS v(id, at)")
    for log in sorted((path / "_delta_log").glob("*.json")):
        actions = [json.loads(line) for line in log.read_text().splitlines()]
        for action in actions:
            if add := action.get("add"):
                add["partitionValues"]["at"] = {"01": DAYS[0], "07": DAYS[1]}[add["partitionValues"]["at"][5:7]]
        log.write_text("".join(json.dumps(action) + "\n" for action in actions))
        (path / "_delta_log" / f"{log.stem}.crc").unlink(missing_ok=True)
    copy = tmp_path / "legacy"  # a place that no cache knows
    path.rename(copy)
    yield spark, f"delta.`{copy}`", copy
    spark.conf.unset("spark.sql.session.timeZone")


def rows(frame):
    return sorted(map(tuple, frame.selectExpr("id", "CAST(at AS STRING)").collect()))


ALL = [(i, DAYS[0]) for i in range(4)] + [(i + 10, DAYS[1]) for i in range(4)]


def test_optimize_keeps_the_instants(legacy):
    spark, table, _ = legacy
    assert rows(spark.table(table)) == ALL
    metrics = spark.sql(f"OPTIMIZE {table}").collect()[0].metrics
    assert metrics.numFilesRemoved == 4
    assert rows(spark.table(table)) == ALL


def test_rows_that_stay_keep_the_instants(legacy):
    spark, table, _ = legacy
    spark.sql(f"UPDATE {table} SET id = id + 100 WHERE id IN (1, 11)")
    assert rows(spark.table(table)) == sorted((i + 100 if i in (1, 11) else i, at) for i, at in ALL)


def test_the_change_feed_tells_the_instants(legacy):
    spark, table, path = legacy
    spark.sql(f"UPDATE {table} SET id = id + 100 WHERE id IN (1, 11)")
    feed = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 3).load(str(path))
    found = sorted((r._change_type, r.id, r.at) for r in feed.selectExpr("_change_type", "id", "CAST(at AS STRING) AS at").collect())
    assert found == [("update_postimage", 101, DAYS[0]), ("update_postimage", 111, DAYS[1]),
                     ("update_preimage", 1, DAYS[0]), ("update_preimage", 11, DAYS[1])]


def test_a_dynamic_overwrite_replaces_the_same_partition(legacy):
    spark, table, path = legacy
    (spark.sql(f"SELECT 7 AS id, TIMESTAMP'{DAYS[0]}' AS at").write.format("delta").mode("overwrite")
     .option("partitionOverwriteMode", "dynamic").save(str(path)))
    assert rows(spark.table(table)) == [(7, DAYS[0]), *ALL[4:]]


def test_filters_find_the_rows(legacy):
    spark, table, _ = legacy
    assert rows(spark.table(table).where(f"at = TIMESTAMP'{DAYS[0]}'")) == ALL[:4]
    spark.sql(f"DELETE FROM {table} WHERE at = TIMESTAMP'{DAYS[1]}'")
    assert rows(spark.table(table)) == ALL[:4]
