"""ALTER TABLE … DROP FEATURE, and column mapping taken off: what is left of the table, its protocol and its log."""

import os
import time

from cases._delta import actions_of, folder_of, metadata_of, rows_of, shown, tried
from cases._sql import views
from harness import Area

area = Area("delta_drop_feature")

PLAIN = "CREATE TABLE $T (id BIGINT, v STRING) USING delta"
PROTECTED = "delta.requireCheckpointProtectionBeforeVersion"


def left_of(folder):
    """The operations, the protocol and the properties; what the last commits say of files."""
    commits = list(actions_of(folder))
    operations = [next(a["commitInfo"]["operation"] for a in actions if "commitInfo" in a) for actions in commits]
    schema, partitions, configuration, protocol = metadata_of(folder)
    if PROTECTED in configuration:
        configuration = {**configuration, PROTECTED: int(configuration[PROTECTED]) == operations.index("DROP FEATURE")}
    files = []
    for actions in commits:
        first = len(files)
        for action in actions:
            for kind in ("add", "remove"):
                file = action.get(kind)
                # The reference also removes the files of vectors, by name.
                if file and not file["path"].endswith(".bin"):
                    files.append([kind, file["dataChange"], file.get("deletionVector") is not None, file.get("baseRowId")])
            if "domainMetadata" in action:
                files.append([action["domainMetadata"]["domain"], action["domainMetadata"]["removed"]])
        files[first:] = sorted(files[first:], key=str)
    return [[o for o in operations if o != "Deletion Vector Tombstones"], [f["name"] for f in schema["fields"]], [sorted(f["metadata"]) for f in schema["fields"]],
            {k: v for k, v in configuration.items() if not k.startswith("delta.rowTracking.mat")}, protocol, files]


def script(name, *statements, properties=None, create=None):
    def run(c):
        spark = views(c)
        table = f"drf_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        out = []
        made = create or (f"{PLAIN} TBLPROPERTIES ({properties})" if properties else PLAIN)
        for statement in (made, *statements):
            text = statement.replace("$T", table)
            out.append(shown(tried(lambda t=text: rows_of(spark.sql(t)), c.folder)))
        return out + [rows_of(spark.table(table)), left_of(folder_of(spark, table))]

    area._add(name, run)


INSERT = "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, concat('v', id) FROM range(3)"


def drop(feature):
    return f"ALTER TABLE $T DROP FEATURE {feature}"


script("deletion_vectors", INSERT, INSERT, "DELETE FROM $T WHERE id = 1", drop("deletionVectors"), drop("deletionVectors"), INSERT, properties="'delta.enableDeletionVectors' = 'true'")
script("row_tracking", INSERT, "UPDATE $T SET v = 'u' WHERE id = 1", drop("domainMetadata"), drop("rowTracking"), drop("domainMetadata"), INSERT, properties="'delta.enableRowTracking' = 'true'")
script("in_commit_timestamp", INSERT, drop("inCommitTimestamp"), INSERT, properties="'delta.enableInCommitTimestamps' = 'true'")
script("in_commit_timestamp_later", INSERT, "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')", drop("INCOMMITTIMESTAMP"), drop("inCommitTimestamp"))
script("v2_checkpoint", INSERT, drop("v2Checkpoint"), INSERT, properties="'delta.checkpointPolicy' = 'v2'")
script("column_mapping", INSERT, "ALTER TABLE $T RENAME COLUMN v TO w", drop("columnMapping"), INSERT, properties="'delta.columnMapping.mode' = 'name'")
script("column_mapping_off", INSERT, "ALTER TABLE $T RENAME COLUMN v TO w", "DELETE FROM $T WHERE id = 1", "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')", INSERT, "SELECT count(*) FROM $T WHERE w = 'v0'",
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", INSERT, properties="'delta.columnMapping.mode' = 'name'")
script("column_mapping_off_id", INSERT, "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')", INSERT, properties="'delta.columnMapping.mode' = 'id'")
script("column_mapping_off_parts", "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, concat('p ', id % 2) FROM range(4)", "ALTER TABLE $T RENAME COLUMN v TO w", "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')",
       "SELECT count(*) FROM $T WHERE w = 'p 1'", create="CREATE TABLE $T (id BIGINT, v STRING) USING delta PARTITIONED BY (v) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
script("column_mapping_off_names", "ALTER TABLE $T RENAME COLUMN v TO `a b`", "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')", properties="'delta.columnMapping.mode' = 'name'")
script("column_mapping_none_already", INSERT, "ALTER TABLE $T SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')")
script("vacuum_protocol_check", INSERT, drop("vacuumProtocolCheck"), properties="'delta.feature.vacuumProtocolCheck' = 'supported'")
script("check_constraints", "ALTER TABLE $T ADD CONSTRAINT c CHECK (id >= 0)", drop("checkConstraints"), "ALTER TABLE $T DROP CONSTRAINT c", drop("checkConstraints"), INSERT)
script("others", *[drop(f) for f in ("appendOnly", "changeDataFeed", "generatedColumns", "identityColumns", "clustering", "timestampNtz", "allowColumnDefaults", "nonsense", "deletionVectors", "rowTracking", "`delta.enableDeletionVectors`")],
       "ALTER TABLE $T ADD CONSTRAINT c CHECK (id > 0)", drop("checkConstraints") + " TRUNCATE HISTORY")
script("two_features", INSERT, "DELETE FROM $T WHERE id = 1", drop("deletionVectors"), "SELECT id, _metadata.row_id AS r FROM $T", properties="'delta.enableDeletionVectors' = 'true', 'delta.enableRowTracking' = 'true', 'delta.checkpointPolicy' = 'v2'")


def aged(spark, table):
    """The log's files are two days old: what is to wait for a day has waited."""
    for path in (folder_of(spark, table) / "_delta_log").iterdir():
        if path.is_file():
            os.utime(path, (time.time() - 2 * 86400,) * 2)


def truncated(name, *statements, properties=None):
    """With TRUNCATE HISTORY; the statement AGED makes the log old."""
    def run(c):
        spark = views(c)
        table = f"drt_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"{PLAIN} TBLPROPERTIES ({properties})".replace("$T", table))
        out = []
        for statement in statements:
            if statement == "AGED":
                aged(spark, table)
                continue
            text = statement.replace("$T", table)
            out.append(shown(tried(lambda t=text: rows_of(spark.sql(t)), c.folder)))
        operations, *_, protocol, _ = left_of(folder_of(spark, table))
        return out + [rows_of(spark.table(table)), operations, protocol]

    area._add(f"truncate_{name}", run)


def truncate(feature):
    return f"ALTER TABLE $T DROP FEATURE {feature} TRUNCATE HISTORY"


VECTORS = "'delta.enableDeletionVectors' = 'true'"
truncated("vectors", INSERT, "DELETE FROM $T WHERE id = 1", truncate("deletionVectors"), truncate("deletionVectors"), properties=VECTORS)
truncated("vectors_shorter", INSERT, "DELETE FROM $T WHERE id = 1", truncate("deletionVectors"), "AGED", truncate("deletionVectors"), properties=f"{VECTORS}, 'delta.dropFeatureTruncateHistory.retentionDuration' = 'interval 10 days', 'delta.logRetentionDuration' = 'interval 20 days'")
truncated("never_used", INSERT, truncate("deletionVectors"), truncate("deletionVectors"), properties="'delta.feature.deletionVectors' = 'supported'")
truncated("mapping", INSERT, truncate("columnMapping"), "AGED", truncate("columnMapping"), INSERT, properties="'delta.columnMapping.mode' = 'name'")
truncated("v2_checkpoint", INSERT, INSERT, truncate("v2Checkpoint"), "AGED", truncate("v2Checkpoint"), INSERT, properties="'delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2'")
truncated("of_writers", truncate("rowTracking"), truncate("appendOnly"), truncate("nosuch"), properties="'delta.enableRowTracking' = 'true'")
