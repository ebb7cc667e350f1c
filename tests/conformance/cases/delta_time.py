"""Delta tables whose commits tell their time: in-commit timestamps, on from the start or turned on later."""

import datetime
import json

from cases._delta import actions_of, folder_of, metadata_of, rows_of, shown, tried
from cases._sql import views
from harness import Area

area = Area("delta_time")

ON = "TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')"
PLAIN = "CREATE TABLE $T (id BIGINT) USING delta"
TURN_ON = "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')"
TURN_OFF = "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'false')"
PROPERTIES = ("delta.enableInCommitTimestamps", "delta.inCommitTimestampEnablementVersion", "delta.inCommitTimestampEnablementTimestamp")


def times_of(folder):
    """The in-commit timestamp of each commit; None: it tells none."""
    out = []
    for actions in actions_of(folder):
        first = actions[0].get("commitInfo", {})
        out.append(first.get("inCommitTimestamp"))
    return out


def described(folder):
    """What each commit tells, without the times themselves: which do, in what order, and what the metadata says of it."""
    times = times_of(folder)
    told = [time for time in times if time is not None]
    out = [[time is not None for time in times], told == sorted(set(told))]
    for actions in actions_of(folder):
        for action in actions:
            if "metaData" not in action:
                continue
            found = {k: v for k, v in action["metaData"]["configuration"].items() if k in PROPERTIES}
            stamp = found.get(PROPERTIES[2])
            if stamp is not None:
                found[PROPERTIES[2]] = times.index(int(stamp)) if int(stamp) in times else "another"
            out.append(found)
    return out


def script(name, *statements, create=PLAIN):
    def run(c):
        spark = views(c)
        table = f"ict_{name}"
        for old in (table, table + "_clone"):
            spark.sql(f"DROP TABLE IF EXISTS {old}")
        out = []
        for statement in (create, *statements):
            text = statement.replace("$T", table).replace("$F", c.folder)
            out.append(shown(tried(lambda t=text: rows_of(spark.sql(t)), c.folder)))
        folder = folder_of(spark, table)
        out += [rows_of(spark.table(table)), described(folder), metadata_of(folder)[3]]
        if any("_clone" in statement for statement in statements):
            out.append(described(folder_of(spark, table + "_clone")))
        return out

    area._add(name, run)


INSERT = "INSERT INTO $T VALUES (1)"
script("create", INSERT, "DELETE FROM $T WHERE id = 1", INSERT, "OPTIMIZE $T", create=f"{PLAIN} {ON}")
script("create_as", INSERT, create=f"CREATE TABLE $T USING delta {ON} AS SELECT 1L AS id")
script("turned_on", INSERT, TURN_ON, INSERT, "UPDATE $T SET id = 2")
script("turned_off", INSERT, TURN_OFF, INSERT, create=f"{PLAIN} {ON}")
script("on_off_on", INSERT, TURN_ON, INSERT, TURN_OFF, INSERT, TURN_ON, INSERT)
script("unset", INSERT, TURN_ON, "ALTER TABLE $T UNSET TBLPROPERTIES ('delta.enableInCommitTimestamps')", INSERT, TURN_ON)
script("feature_only", INSERT, create=f"{PLAIN} TBLPROPERTIES ('delta.feature.inCommitTimestamp' = 'supported')")
script("restored", INSERT, TURN_ON, INSERT, "RESTORE TABLE $T TO VERSION AS OF 1", INSERT)
script("restored_to_on", INSERT, TURN_ON, INSERT, TURN_OFF, "RESTORE TABLE $T TO VERSION AS OF 3", INSERT)
script("replaced", INSERT, f"CREATE OR REPLACE TABLE $T (id BIGINT) USING delta {ON}", INSERT)
script("replaced_without", INSERT, "CREATE OR REPLACE TABLE $T (id BIGINT) USING delta", INSERT, create=f"{PLAIN} {ON}")
script("replaced_with", INSERT, TURN_ON, f"CREATE OR REPLACE TABLE $T (id BIGINT) USING delta {ON}", INSERT)
script("overwritten", INSERT, TURN_ON, "INSERT OVERWRITE $T VALUES (3)")
script("cloned", INSERT, TURN_ON, INSERT, "CREATE TABLE $T_clone SHALLOW CLONE $T", "INSERT INTO $T_clone VALUES (7)")
script("bad_value", "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'maybe')")
script("given", "ALTER TABLE $T SET TBLPROPERTIES ('delta.inCommitTimestampEnablementVersion' = '7')", create=f"{PLAIN} {ON}")


def text_of(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


@area.case()
def travel(c):
    """The time of a version is what its commit tells: in time travel, the history and the change feed."""
    spark = views(c)
    path = c.path("t")
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true', 'delta.enableChangeDataFeed' = 'true')")
    for i in range(3):
        spark.sql(f"INSERT INTO {table} VALUES ({i})")
    times = times_of(path)

    def count(ms):
        return tried(lambda: spark.sql(f"SELECT count(*) FROM {table} TIMESTAMP AS OF '{text_of(ms)}'").collect()[0][0]) if ms else None

    out = [count(times[1]), count(times[2]), count(times[2] - 1), count(times[3])]
    out.append([tried(lambda ms=ms: count(ms))["condition"] for ms in (times[0] - 1, times[3] + 1)])
    history = spark.sql(f"DESCRIBE HISTORY {table}").collect()
    out.append([text_of(times[row.version]) == row.timestamp.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] for row in history])
    feed = spark.sql(f"SELECT id, _commit_version AS v, _commit_timestamp AS t FROM table_changes_by_path('{path}', 0)").collect()
    out.append(sorted([row.id, row.v, text_of(times[row.v]) == row.t.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]] for row in feed))
    since = spark.sql(f"SELECT id FROM table_changes_by_path('{path}', '{text_of(times[2])}')").collect()
    return out + [sorted(row.id for row in since)]


@area.case()
def travel_across(c):
    """Before they were turned on the files' times count."""
    spark = views(c)
    path = c.path("t")
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING delta")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    spark.sql(f"INSERT INTO {table} VALUES (2)")
    times = times_of(path)
    history = {row.version: row.timestamp.replace(tzinfo=datetime.timezone.utc) for row in spark.sql(f"DESCRIBE HISTORY {table}").collect()}
    out = [text_of(history[v].timestamp() * 1000) == text_of(times[v]) for v in (2, 3)]
    for ms in (history[0].timestamp() * 1000, history[1].timestamp() * 1000, times[2], times[3] - 1, times[3]):
        out.append(spark.sql(f"SELECT count(*) FROM {table} TIMESTAMP AS OF '{text_of(ms)}'").collect()[0][0])
    return out


@area.case()
def clock_went_back(c):
    """A version is later than the one before it, whatever the clock says."""
    spark = views(c)
    path = c.path("t")
    table = f"delta.`{path}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    ahead = 4_000_000_000_000
    info = {"commitInfo": {"inCommitTimestamp": ahead, "timestamp": ahead, "operation": "WRITE", "operationParameters": {}, "isBlindAppend": True,
                           "operationMetrics": {}, "engineInfo": "another", "txnId": "0"}}
    (folder_of(spark, table) / "_delta_log/00000000000000000001.json").write_text(json.dumps(info) + "\n")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    spark.sql(f"INSERT INTO {table} VALUES (2)")
    return [time - ahead for time in times_of(path)[1:]]
