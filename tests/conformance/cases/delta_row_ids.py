"""Delta tables with row tracking: ids that rows keep through every change, and what the log says of them."""

import json

from cases._delta import actions_of, folder_of, rows_of, shown, tried
from cases._sql import views
from harness import Area

area = Area("delta_row_ids")

ON = "'delta.enableRowTracking' = 'true'"
PLAIN = "CREATE TABLE $T (id BIGINT, v STRING, p INT) USING delta"
TABLE = f"{PLAIN} TBLPROPERTIES ({ON})"
PARTS = f"{PLAIN} PARTITIONED BY (p) TBLPROPERTIES ({ON})"
FED = f"{PLAIN} TBLPROPERTIES ({ON}, 'delta.enableChangeDataFeed' = 'true')"
MARKED = f"{PLAIN} TBLPROPERTIES ({ON}, 'delta.enableDeletionVectors' = 'true')"
MAPPED = f"{PLAIN} TBLPROPERTIES ({ON}, 'delta.columnMapping.mode' = '%s')"
TURN_ON = f"ALTER TABLE $T SET TBLPROPERTIES ({ON})"
FOUR = "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, concat('v', id), CAST(id % 2 AS INT) FROM range(4)"
MORE = "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, concat('v', id), CAST(id % 2 AS INT) FROM range(10, 13)"
IDS = "SELECT id, v, _metadata.row_id AS r, _metadata.row_commit_version AS c FROM $T"
MERGE = ("MERGE INTO $T t USING (SELECT * FROM VALUES (1L, 'm1'), (2L, NULL), (50L, 'new') s(id, v)) s ON t.id = s.id "
         "WHEN MATCHED AND s.v IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, 9)")


class Columns:
    """The names of the hidden columns by what they are for: they are made up anew each time."""

    def __init__(self):
        self.known = []

    def of(self, configuration):
        found = {k: v for k, v in configuration.items() if "rowTracking" in k or "RowTracking" in k}
        for key in sorted(found):
            if not key.endswith("ColumnName"):
                continue
            if found[key] not in self.known:
                self.known.append(found[key])
            prefix = "_row-id-col-" if "RowId" in key else "_row-commit-version-col-"
            found[key] = [self.known.index(found[key]), found[key].startswith(prefix)]
        return found


def log_of(folder):
    """Of each commit: the ids of its files, the highest id, its tags, what the metadata says, the features."""
    out = []
    columns = Columns()
    for actions in actions_of(folder):
        info = next(a["commitInfo"] for a in actions if "commitInfo" in a)
        adds = sorted([a["add"].get("baseRowId"), a["add"].get("defaultRowCommitVersion"), json.loads(a["add"]["stats"])["numRecords"],
                       sorted(json.loads(a["add"]["stats"]).get("minValues", {}))] for a in actions if "add" in a)
        removes = sorted([a["remove"].get("baseRowId"), a["remove"].get("defaultRowCommitVersion")] for a in actions if "remove" in a)
        marks = [json.loads(a["domainMetadata"]["configuration"])["rowIdHighWaterMark"] for a in actions if "domainMetadata" in a and a["domainMetadata"]["domain"] == "delta.rowTracking"]
        whole = info["operation"] != "RESTORE"  # which says these anew, changed or not
        named = [columns.of(a["metaData"]["configuration"]) for a in actions if "metaData" in a and whole]
        features = [sorted(a["protocol"].get("writerFeatures", [])) for a in actions if "protocol" in a and whole]
        out.append([info["operation"], info.get("tags"), info.get("isolationLevel"), adds, removes, marks, named, features])
    return out


def script(name, *statements, create=TABLE, log=True):
    def run(c):
        spark = views(c)
        table = f"rid_{name}"
        for old in (table, table + "_clone"):
            spark.sql(f"DROP TABLE IF EXISTS {old}")
        out = []
        for statement in (create, *statements):
            text = statement.replace("$T", table).replace("$F", c.folder)
            out.append(shown(tried(lambda t=text: rows_of(spark.sql(t)), c.folder)))
        out.append(rows_of(spark.table(table)))
        return out + ([log_of(folder_of(spark, table))] if log else [])

    area._add(name, run)


script("create", FOUR, MORE, IDS)
script("create_as", IDS, create=f"CREATE TABLE $T USING delta TBLPROPERTIES ({ON}) AS SELECT /*+ COALESCE(1) */ id, 'v' AS v FROM range(3)")
script("delete", FOUR, MORE, "DELETE FROM $T WHERE id = 1", IDS, "DELETE FROM $T WHERE id >= 3 AND id < 11", IDS)
script("delete_files", FOUR, MORE, "DELETE FROM $T WHERE p = 0", IDS, "DELETE FROM $T", MORE, IDS, create=PARTS)
script("update", FOUR, MORE, "UPDATE $T SET v = 'u' WHERE id IN (1, 11)", IDS, "UPDATE $T SET v = 'w' WHERE id = 2", IDS, "UPDATE $T SET v = 'all'", IDS)
script("update_partition", FOUR, "UPDATE $T SET p = 7 WHERE id = 3", IDS, "UPDATE $T SET v = 'x' WHERE p = 0", IDS, create=PARTS)
# In what order a statement writes its new rows is each engine's own, and so are their ids.
OLD_IDS = IDS + " WHERE id NOT IN (2, 50, 77)"
script("merge", FOUR, MORE, MERGE, OLD_IDS, MERGE, OLD_IDS)
script("merge_by_source", FOUR, MORE, "MERGE INTO $T t USING (SELECT 1L AS id UNION ALL SELECT 77L) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'new') "
       "WHEN NOT MATCHED BY SOURCE AND t.id > 10 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 'lost'", OLD_IDS)
script("merge_insert", FOUR, "MERGE INTO $T t USING (SELECT 1L AS id UNION ALL SELECT 20L) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)", IDS)
script("optimize", FOUR, MORE, "UPDATE $T SET v = 'u' WHERE id = 2", "OPTIMIZE $T", IDS, "UPDATE $T SET v = 'w' WHERE id = 11", IDS)
script("marked", FOUR, MORE, "DELETE FROM $T WHERE id = 1", IDS, "UPDATE $T SET v = 'u' WHERE id IN (2, 11)", IDS, MERGE, IDS, "OPTIMIZE $T", IDS, create=MARKED)
script("restore", FOUR, MORE, "UPDATE $T SET v = 'u' WHERE id = 2", "RESTORE TABLE $T TO VERSION AS OF 2", IDS, MORE, IDS)
script("overwrite", FOUR, "INSERT OVERWRITE $T VALUES (5, 'five', 5)", IDS, "TRUNCATE TABLE $T", MORE, IDS)
script("replace_where", FOUR, "INSERT INTO $T REPLACE WHERE id = 3 SELECT 3L, 'new', 3", IDS, log=False)
script("replaced", FOUR, f"CREATE OR REPLACE TABLE $T (id BIGINT, v STRING) USING delta TBLPROPERTIES ({ON})", "INSERT INTO $T VALUES (1, 'one')", IDS)
script("replaced_without", FOUR, "CREATE OR REPLACE TABLE $T (id BIGINT, v STRING) USING delta", "INSERT INTO $T VALUES (1, 'one')", IDS)
script("clone", FOUR, "UPDATE $T SET v = 'u' WHERE id = 2", "CREATE TABLE $T_clone SHALLOW CLONE $T", "INSERT INTO $T_clone VALUES (9, 'nine', 9)", "SELECT id, v, _metadata.row_id AS r FROM $T_clone")
script("fed", FOUR, "UPDATE $T SET v = 'u' WHERE id = 2", "SELECT id, v, p, _change_type, _commit_version FROM table_changes('$T', 0)", IDS, create=FED)
script("mapped_name", FOUR, "ALTER TABLE $T RENAME COLUMN v TO w", "UPDATE $T SET w = 'u' WHERE id = 2", IDS.replace(" v,", " w,"), "OPTIMIZE $T", IDS.replace(" v,", " w,"), create=MAPPED % "name", log=False)
script("mapped_id", FOUR, "UPDATE $T SET v = 'u' WHERE id = 2", IDS, create=MAPPED % "id", log=False)
script("turned_on", MORE, TURN_ON, IDS, FOUR, "UPDATE $T SET v = 'u' WHERE id = 11", IDS, create=PLAIN)
script("turned_on_empty", TURN_ON, FOUR, IDS, create=PLAIN)
script("turned_off", FOUR, "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableRowTracking' = 'false')", MORE, IDS, "UPDATE $T SET v = 'u' WHERE id < 10", TURN_ON, IDS)
script("feature_only", FOUR, "UPDATE $T SET v = 'u'", IDS, TURN_ON, IDS, create=f"{PLAIN} TBLPROPERTIES ('delta.feature.rowTracking' = 'supported')")
script("feature_later", FOUR, "ALTER TABLE $T SET TBLPROPERTIES ('delta.feature.rowTracking' = 'supported')", MORE, create=PLAIN)
script("where", FOUR, MORE, "UPDATE $T SET v = 'u' WHERE id = 2", "SELECT id FROM $T WHERE _metadata.row_id = 2", "SELECT id, _metadata.row_id FROM $T WHERE id > 10", "SELECT count(*) FROM $T WHERE _metadata.row_commit_version = 3",
       "SELECT max(_metadata.row_id) FROM $T", log=False)
script("none", "SELECT _metadata.row_id FROM $T", create=PLAIN)
script("travel", FOUR, "UPDATE $T SET v = 'u' WHERE id = 2", IDS.replace("$T", "$T VERSION AS OF 1"), log=False)
script("altered", FOUR, "ALTER TABLE $T ADD COLUMNS (w INT)", "UPDATE $T SET w = 5 WHERE id = 2", IDS, "ALTER TABLE $T SET TBLPROPERTIES ('a' = 'b')")
script("bad_value", "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableRowTracking' = 'maybe')", create=PLAIN)


@area.case()
def whole_metadata(c):
    """`_metadata` has members more."""
    spark = views(c)
    path = c.path("t")
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT) USING delta TBLPROPERTIES ({ON})")
    spark.sql(f"INSERT INTO delta.`{path}` SELECT /*+ COALESCE(1) */ id FROM range(2)")
    frame = spark.read.format("delta").load(path).select("id", "_metadata")
    rows = [[row.id, {k: v for k, v in row["_metadata"].asDict().items() if "row" in k}] for row in frame.collect()]
    return [[field.name, field.nullable] for field in frame.schema["_metadata"].dataType.fields] + [sorted(rows, key=str)]


@area.case()
def streamed(c):
    """A stream into and out of such a table."""
    spark = views(c)
    spark.sql(f"CREATE TABLE delta.`{c.path('t')}` (id BIGINT) USING delta TBLPROPERTIES ({ON})")
    spark.range(3).coalesce(1).write.format("delta").save(c.path("in"))

    def drain(source, checkpoint, target):
        query = (spark.readStream.format("delta").load(c.path(source)).writeStream.format("delta")
                 .option("checkpointLocation", c.path(checkpoint)).trigger(availableNow=True).start(c.path(target)))
        query.awaitTermination()

    drain("in", "ck1", "t")
    drain("t", "ck2", "out")
    ids = spark.sql(f"SELECT id, _metadata.row_id AS r, _metadata.row_commit_version AS v FROM delta.`{c.path('t')}`")
    return [rows_of(ids), rows_of(spark.read.format("delta").load(c.path("out"))), log_of(c.path("t"))]
