"""Older versions of Delta tables: how far back one may go, paths that name a version, versions that are none."""

import datetime
import os
import pathlib

from cases._delta import folder_of, rows_of, shown, tried
from cases._sql import views
from harness import Area

area = Area("delta_travel")

ENFORCE = "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration"


def aged(spark, table, hours=(50, 40, 30, 0)):
    """The files of the first commits get times that are long past; the log is read anew."""
    log = folder_of(spark, table) / "_delta_log"
    now = datetime.datetime.now().timestamp()
    for version, ago in enumerate(hours):
        file = log / f"{version:020}.json"
        if file.exists():
            os.utime(file, (now - ago * 3600, now - ago * 3600))
    for name in log.glob("*.crc"):
        name.unlink()
    return "aged"


def untimed(result):
    """Without the times of commits, which each run has of its own."""
    if isinstance(result, dict):
        for name in ("commitTs", "timestampString", "lastCommitTimestamp", "maximumTimestamp"):
            result["parameters"].pop(name, None)
    return result


def script(name, *steps, conf=None):
    def run(c):
        spark = views(c)
        table = f"tt_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        out = []
        for step in steps:
            if callable(step):
                out.append(untimed(tried(lambda s=step: s(spark, table), c.folder)))
            else:
                text = step.replace("$T", table).replace("$P", str(folder_of(spark, table)) if "$P" in step else "")
                out.append(shown(tried(lambda t=text: rows_of(spark.sql(t)), c.folder)))
        return out

    area._add(name, run, conf=conf)


def load(path_end, **options):
    def step(spark, table):
        return rows_of(spark.read.format("delta").options(**options).load(str(folder_of(spark, table)) + path_end))

    return step


def at_time(spark, table, version, style):
    """The version's own time, as paths spell it."""
    log = folder_of(spark, table) / "_delta_log" / f"{version:020}.json"
    stamp = datetime.datetime.fromtimestamp(log.stat().st_mtime_ns // 1_000_000 / 1000 + 0.001, datetime.timezone.utc)
    text = stamp.strftime("%Y%m%d%H%M%S") + f"{stamp.microsecond // 1000:03}"
    if style == "load":
        return rows_of(spark.read.format("delta").load(f"{folder_of(spark, table)}@{text}"))
    if style == "name":
        return rows_of(spark.sql(f"SELECT * FROM {table}@{text}"))
    return rows_of(spark.sql(f"SELECT * FROM delta.`{folder_of(spark, table)}@{text}`"))


MADE = ("CREATE TABLE $T (id INT) USING delta TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 35 hours')",
        "INSERT INTO $T VALUES (1)", "INSERT INTO $T VALUES (2)", "INSERT INTO $T VALUES (3)", aged)
PLAIN = ("CREATE TABLE $T (id INT) USING delta", "INSERT INTO $T VALUES (1)", "INSERT INTO $T VALUES (2)")

script("retention_version", *MADE, "SELECT * FROM $T VERSION AS OF 0", "SELECT * FROM $T VERSION AS OF 1", "SELECT * FROM $T VERSION AS OF 2", "SELECT * FROM $T VERSION AS OF 3", load("", versionAsOf="1"))
script("retention_time", *MADE, lambda s, t: at_time(s, t, 1, "load"), lambda s, t: at_time(s, t, 2, "load"),
       lambda s, t: rows_of(s.sql(f"SELECT * FROM {t} TIMESTAMP AS OF current_timestamp() - INTERVAL 39 HOURS")))
script("retention_restore", *MADE, "RESTORE TABLE $T TO VERSION AS OF 1", "RESTORE TABLE $T TO VERSION AS OF 2", "SELECT * FROM $T")
script("retention_off", *MADE, f"SET {ENFORCE} = false", "SELECT * FROM $T VERSION AS OF 1", "RESTORE TABLE $T TO VERSION AS OF 1", "SELECT * FROM $T", f"SET {ENFORCE} = true")
script("retention_newest_counts", *MADE[:-1], "ALTER TABLE $T SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 45 hours')", aged, "SELECT * FROM $T VERSION AS OF 0", "SELECT * FROM $T VERSION AS OF 1",
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 90 minutes')", aged, "SELECT * FROM $T VERSION AS OF 1")
script("retention_newest_itself", *MADE[:-1], lambda s, t: aged(s, t, (90, 80, 70, 60)), "SELECT * FROM $T VERSION AS OF 3", "SELECT * FROM $T")
script("retention_clone", *MADE, "CREATE TABLE $T_clone SHALLOW CLONE $T VERSION AS OF 1", "DROP TABLE IF EXISTS $T_clone")
script("path_version", *PLAIN, load("@v1"), load("@v2"), load("@v9"), load("@V1"), load("@v"), load("@v1x"), load("/@v1"))
script("path_version_sql", *PLAIN, "SELECT * FROM delta.`$P@v1`", "SELECT * FROM delta.`$P@v9`", "SELECT * FROM delta.`$P@v1` VERSION AS OF 1", "DESCRIBE delta.`$P@v1`", "SELECT count(*) FROM delta.`$P@v0` AS t JOIN $T")
script("path_version_options", *PLAIN, load("@v1", versionAsOf="1"), load("@v1", timestampAsOf="2020-01-01"))
script("path_time", *PLAIN, lambda s, t: at_time(s, t, 1, "load"), lambda s, t: at_time(s, t, 1, "sql"), lambda s, t: at_time(s, t, 0, "load"), load("@20200101000000000"), load("@2020010100000000"),
       load("@99990101000000000"))
script("name_version", *PLAIN, "SELECT * FROM $T@v1", "SELECT * FROM `$T@v1`")
script("name_time", *PLAIN, lambda s, t: at_time(s, t, 1, "name"))
script("path_writes", *PLAIN, "INSERT INTO delta.`$P@v1` VALUES (5)", "DELETE FROM delta.`$P@v1`", "UPDATE delta.`$P@v1` SET id = 3", "SELECT * FROM $T")


def folder_with_at(spark, table):
    path = str(folder_of(spark, table)) + "_x@v0"
    spark.range(3).write.format("delta").mode("overwrite").save(path)
    return [pathlib.Path(path).exists(), rows_of(spark.read.format("delta").load(path))]


script("path_with_at", *PLAIN, folder_with_at)
script("not_versions", *PLAIN, "SELECT * FROM $T VERSION AS OF 'x'", "SELECT * FROM $T VERSION AS OF '1'", "SELECT * FROM $T VERSION AS OF 99999999999999999999", "SELECT * FROM $T VERSION AS OF 1.5", "SELECT * FROM $T VERSION AS OF -1",
       "SELECT * FROM $T VERSION AS OF 1L", "SELECT * FROM $T VERSION AS OF NULL", "RESTORE TABLE $T TO VERSION AS OF 99999999999999999999", "RESTORE TABLE $T TO VERSION AS OF 'x'", "SELECT * FROM $T VERSION AS OF ''",
       load("", versionAsOf="x"), load("", versionAsOf="99999999999999999999"), load("", versionAsOf="-1"), load("", versionAsOf=" 1"), load("", versionAsOf=""))


def idempotent(**options):
    def step(spark, table):
        spark.sql("SELECT 7 AS id").write.format("delta").mode("append").options(**options).saveAsTable(table)
        return "written"

    return step


script("txn_options", *PLAIN, idempotent(txnAppId="a", txnVersion="x"), idempotent(txnAppId="a", txnVersion=""), idempotent(txnAppId="a", txnVersion="99999999999999999999"), idempotent(txnAppId="a", txnVersion="-1"),
       idempotent(txnVersion="1"), "SELECT * FROM $T")


def vacuumed(spark, table):
    for file in folder_of(spark, table).glob("*.parquet"):
        file.unlink()
    return "gone"


script("restore_vacuumed", *PLAIN, "DELETE FROM $T", vacuumed, "RESTORE TABLE $T TO VERSION AS OF 2", "RESTORE TABLE $T TO VERSION AS OF 0")
TXN = ("SET spark.databricks.delta.write.txnAppId = app", "SET spark.databricks.delta.write.txnVersion = 1")
UNSET = ("RESET spark.databricks.delta.write.txnAppId", "RESET spark.databricks.delta.write.txnVersion")
for _name, _statement in {"delete": "DELETE FROM $T WHERE id = 1", "update": "UPDATE $T SET id = 9 WHERE id = 1", "merge": "MERGE INTO $T USING (SELECT 1 AS k) AS s ON $T.id = s.k WHEN MATCHED THEN DELETE",
                          "insert": "INSERT INTO $T VALUES (1)", "overwrite": "INSERT OVERWRITE $T VALUES (1)"}.items():
    script(f"txn_{_name}", *PLAIN, *TXN, _statement, *TXN, _statement, "SET spark.databricks.delta.write.txnVersion = 2", _statement, *UNSET, "SELECT * FROM $T")




script("long_name", f"CREATE TABLE {'n' * 300} (a INT) USING delta", f"CREATE TABLE {'n' * 250} (a INT) USING delta", f"DROP TABLE {'n' * 250}", f"CREATE TABLE {'ä' * 200} (a INT) USING delta", f"SELECT * FROM {'n' * 300}")
