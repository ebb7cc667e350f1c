"""What of a Delta table goes on, and what does not, when another table takes its place or an older version is restored."""

import json

from pyspark.sql import functions

from cases._delta import Names, actions_of, folder_of, rows_of, shown, tried
from cases._sql import views
from harness import Area

area = Area("delta_replace")


def log_of(folder):
    """What each commit changes of the table itself: comment, columns, properties, domains, features; and whether it is another table by now."""
    names = Names()
    state = {}
    out = []
    for actions in actions_of(folder):
        said = {}
        for action in actions:
            if "metaData" in action:
                metadata = action["metaData"]
                said["comment"] = metadata.get("description")
                said["columns"] = [[field["name"], field["nullable"], sorted(field["metadata"])] for field in json.loads(metadata["schemaString"])["fields"]]
                said["partitioned"] = metadata["partitionColumns"]
                said["properties"] = metadata["configuration"]
                said["id"] = metadata["id"]
            if "protocol" in action:
                said["features"] = sorted(action["protocol"].get("writerFeatures") or [])
            if "domainMetadata" in action:
                domain = action["domainMetadata"]
                said["domain " + domain["domain"]] = [json.loads(names.plain(domain["configuration"])), domain["removed"]]
        changed = {key: value for key, value in said.items() if key not in state or state[key] != value}
        state.update(said)
        out.append({key: "new" if key == "id" else value for key, value in sorted(changed.items())})
    return out


def result_of(spark, table, step, folder):
    if callable(step):
        return tried(lambda: step(spark, table), folder)
    text = step.replace("$T", table)
    return shown(tried(lambda: rows_of(spark.sql(text)), folder))


def script(name, *steps, conf=None):
    """Statements, or functions of a session and the table's name; then what the table is."""

    def run(c):
        spark = views(c)
        table = f"rp_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        out = [result_of(spark, table, step, c.folder) for step in steps]
        detail = spark.sql(f"DESCRIBE DETAIL {table}").collect()[0]
        return out + [rows_of(spark.table(table)), detail.description, detail.clusteringColumns, detail.partitionColumns, detail.properties,
                      log_of(folder_of(spark, table))]

    area._add(name, run, conf=conf)


def overwrite(spark, table, **options):
    writer = spark.sql("SELECT 1 AS z").write.format("delta").mode("overwrite").options(**options)
    writer.saveAsTable(table)
    return "written"


def replace_v2(spark, table):
    spark.sql("SELECT 1 AS z").writeTo(table).using("delta").createOrReplace()
    return "replaced"


def write_to_overwrite(spark, table):
    spark.sql("SELECT 7 AS a, 8 AS b").writeTo(table).overwrite(functions.lit(True))
    return "overwritten"


def save(mode="overwrite", **options):
    def step(spark, table):
        spark.sql("SELECT 7 AS a, 8 AS b").write.format("delta").mode(mode).options(**options).save(str(folder_of(spark, table)))
        return "saved"

    return step


def all_rows(spark, table):
    spark.sql("SELECT 7 AS a, 8 AS b").write.format("delta").mode("overwrite").saveAsTable(table)
    return "overwritten"


CLUSTERED = ("CREATE TABLE $T (a INT, b INT) USING delta CLUSTER BY (a)", "INSERT INTO $T VALUES (1, 2)")
FULL = ("CREATE TABLE $T (a INT NOT NULL, b INT) USING delta COMMENT 'first' TBLPROPERTIES ('k' = 'v', 'delta.appendOnly' = 'false', 'delta.logRetentionDuration' = 'interval 9 days')",
        "ALTER TABLE $T ADD CONSTRAINT positive CHECK (a > 0)", "INSERT INTO $T VALUES (1, 2)")
MORE = "INSERT INTO $T VALUES (1)"
OPTIMIZE = "OPTIMIZE $T"

script("clustered", *CLUSTERED, "CREATE OR REPLACE TABLE $T (z INT) USING delta", MORE, OPTIMIZE)
script("clustered_as", *CLUSTERED, "CREATE OR REPLACE TABLE $T USING delta AS SELECT 1 AS z", MORE, OPTIMIZE)
script("clustered_same_columns", *CLUSTERED, "REPLACE TABLE $T (a INT, b INT) USING delta", OPTIMIZE)
script("clustered_overwrite_schema", *CLUSTERED, lambda s, t: overwrite(s, t, overwriteSchema="true"), MORE, OPTIMIZE)
script("clustered_overwrite", *CLUSTERED, all_rows, OPTIMIZE)
script("clustered_save", *CLUSTERED, save(), OPTIMIZE)
script("clustered_save_schema", *CLUSTERED, save(overwriteSchema="true"), OPTIMIZE)
script("clustered_save_merge", *CLUSTERED, save(mergeSchema="true"), OPTIMIZE)
script("clustered_save_where", *CLUSTERED, save(replaceWhere="a = 7"), OPTIMIZE)
script("clustered_insert_overwrite", *CLUSTERED, "INSERT OVERWRITE $T VALUES (3, 4)", OPTIMIZE)
script("clustered_write_to_overwrite", *CLUSTERED, write_to_overwrite, OPTIMIZE)
script("clustered_none_partitioned", *CLUSTERED, "ALTER TABLE $T CLUSTER BY NONE", "CREATE OR REPLACE TABLE $T (z INT, y INT) USING delta PARTITIONED BY (y)")
script("clustered_write_to", *CLUSTERED, replace_v2, MORE, OPTIMIZE)
script("clustered_by_other", *CLUSTERED, "CREATE OR REPLACE TABLE $T (z INT) USING delta CLUSTER BY (z)", MORE, OPTIMIZE)
script("clustered_by_same", *CLUSTERED, "CREATE OR REPLACE TABLE $T (a INT) USING delta CLUSTER BY (a)", MORE, OPTIMIZE)
script("clustered_partitioned", *CLUSTERED, "CREATE OR REPLACE TABLE $T (z INT, y INT) USING delta PARTITIONED BY (y)", "INSERT INTO $T VALUES (1, 2)", OPTIMIZE)
script("partitioned_clustered", "CREATE TABLE $T (a INT, b INT) USING delta PARTITIONED BY (b)", "INSERT INTO $T VALUES (1, 2)", "CREATE OR REPLACE TABLE $T (z INT) USING delta CLUSTER BY (z)", MORE, OPTIMIZE)
script("clustered_none", *CLUSTERED, "ALTER TABLE $T CLUSTER BY NONE", "CREATE OR REPLACE TABLE $T (z INT) USING delta", MORE, OPTIMIZE, "ALTER TABLE $T CLUSTER BY (z)")
script("clustered_then_alter", *CLUSTERED, "CREATE OR REPLACE TABLE $T (z INT) USING delta", "ALTER TABLE $T CLUSTER BY (z)", MORE, OPTIMIZE)
script("clustered_twice", *CLUSTERED, "CREATE OR REPLACE TABLE $T (z INT) USING delta", "CREATE OR REPLACE TABLE $T (y INT) USING delta", MORE)
script("comment", *FULL, "CREATE OR REPLACE TABLE $T (z INT) USING delta", MORE)
script("comment_as", *FULL, "CREATE OR REPLACE TABLE $T USING delta AS SELECT 1 AS z", MORE)
script("comment_new", *FULL, "CREATE OR REPLACE TABLE $T (z INT) USING delta COMMENT 'second' TBLPROPERTIES ('n' = 'w')", MORE)
NAMED = ("CREATE TABLE $T (a INT, b INT) USING delta COMMENT 'first' TBLPROPERTIES ('k' = 'v')", "INSERT INTO $T VALUES (1, 2)")
script("comment_save_schema", *NAMED, lambda s, t: overwrite(s, t, overwriteSchema="true"), MORE)
script("comment_save_as_table", *NAMED, all_rows)
script("comment_save", *NAMED, save(overwriteSchema="true"))
script("comment_write_to", *FULL, replace_v2, MORE)
script("identity", "CREATE TABLE $T (i BIGINT GENERATED ALWAYS AS IDENTITY, z INT) USING delta", "INSERT INTO $T (z) VALUES (1), (2)",
       "CREATE OR REPLACE TABLE $T (i BIGINT GENERATED ALWAYS AS IDENTITY, z INT) USING delta", "INSERT INTO $T (z) VALUES (3)",
       "CREATE OR REPLACE TABLE $T (i BIGINT, z INT) USING delta", "INSERT INTO $T VALUES (4, 4)")
script("generated", "CREATE TABLE $T (a INT, g INT GENERATED ALWAYS AS (a + 1)) USING delta", "INSERT INTO $T (a) VALUES (1)", "CREATE OR REPLACE TABLE $T (a INT, g INT) USING delta", "INSERT INTO $T VALUES (5, 5)")
script("restore_clustered", "CREATE TABLE $T (a INT) USING delta CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "INSERT INTO $T VALUES (1)",
       "ALTER TABLE $T ADD COLUMN b INT", "ALTER TABLE $T CLUSTER BY (b)", "INSERT INTO $T VALUES (2, 2)", "RESTORE TABLE $T TO VERSION AS OF 1", OPTIMIZE)
script("restore_to_none", *CLUSTERED, "ALTER TABLE $T CLUSTER BY NONE", "INSERT INTO $T VALUES (3, 4)", "ALTER TABLE $T CLUSTER BY (b)", "RESTORE TABLE $T TO VERSION AS OF 3", OPTIMIZE)
script("restore_same_columns", *CLUSTERED, "INSERT INTO $T VALUES (3, 4)", "RESTORE TABLE $T TO VERSION AS OF 1", OPTIMIZE)
script("restore_before_clustered", "CREATE TABLE $T (a INT, b INT) USING delta", "INSERT INTO $T VALUES (1, 2)", "CREATE OR REPLACE TABLE $T (a INT, b INT) USING delta CLUSTER BY (b)",
       "INSERT INTO $T VALUES (3, 4)", "RESTORE TABLE $T TO VERSION AS OF 1", OPTIMIZE, "ALTER TABLE $T CLUSTER BY (a)")
script("restore_behind_replace", *CLUSTERED, "CREATE OR REPLACE TABLE $T (z INT) USING delta", MORE, "RESTORE TABLE $T TO VERSION AS OF 1", "INSERT INTO $T VALUES (3, 4)", OPTIMIZE)
script("restore_row_ids", "CREATE TABLE $T (a INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')", "INSERT INTO $T VALUES (1)", "INSERT INTO $T VALUES (2), (3)",
       "RESTORE TABLE $T TO VERSION AS OF 1", "INSERT INTO $T VALUES (4)")
script("restore_comment", *FULL, "COMMENT ON TABLE $T IS 'second'", "ALTER TABLE $T DROP CONSTRAINT positive", "RESTORE TABLE $T TO VERSION AS OF 2", "INSERT INTO $T VALUES (-1, 2)")


# --- tables of a path, and of files, that statements find where they are to make one
def found(name, text, first="CREATE TABLE $T (a INT, b STRING) USING delta", rows="INSERT INTO $T VALUES (1, 'x')", path=True):
    def run(c):
        spark = c.spark
        table = f"delta.`{c.path('p')}`" if path else f"dr_found_{name}"
        if not path:
            spark.sql(f"DROP TABLE IF EXISTS {table}")
        for one in (first, rows):
            if one:
                spark.sql(one.replace("$T", table)).collect()
        try:
            spark.sql(text.replace("$T", table)).collect()
            done = "done"
        except Exception as error:  # noqa: BLE001: the error is the result
            done = [type(error).__name__, error.getCondition() if hasattr(error, "getCondition") else None]
        try:
            shown = spark.table(table)
            return [done, shown.schema.simpleString(), sorted(str(row) for row in shown.collect())]
        except Exception as error:  # noqa: BLE001: the error is the result
            return [done, type(error).__name__]

    area._add("found_" + name, run)


found("replace_other", "CREATE OR REPLACE TABLE $T (zz INT) USING delta")
found("replace_same", "CREATE OR REPLACE TABLE $T (a INT, b STRING) USING delta")
found("replace_as", "CREATE OR REPLACE TABLE $T USING delta AS SELECT 2 AS zz")
found("replace_as_same", "CREATE OR REPLACE TABLE $T USING delta AS SELECT 2 AS a, 'y' AS b")
found("replace_alone_other", "REPLACE TABLE $T (zz INT) USING delta")
found("replace_alone_as", "REPLACE TABLE $T USING delta AS SELECT 2 AS zz")
found("replace_none", "REPLACE TABLE $T (a INT) USING delta", first="", rows="")
found("replace_none_as", "REPLACE TABLE $T USING delta AS SELECT 2 AS a", first="", rows="")
found("create_or_replace_none", "CREATE OR REPLACE TABLE $T (a INT) USING delta", first="", rows="")
found("create_or_replace_none_as", "CREATE OR REPLACE TABLE $T USING delta AS SELECT 2 AS a", first="", rows="")
found("create_again", "CREATE TABLE $T (a INT, b STRING) USING delta")
found("create_again_other", "CREATE TABLE $T (zz INT) USING delta")
found("create_as_again", "CREATE TABLE $T USING delta AS SELECT 2 AS a")
for provider in ("csv", "parquet"):
    files = {"first": f"CREATE TABLE $T (a INT, b STRING) USING {provider}", "path": False}
    found(f"files_replace_{provider}", "CREATE OR REPLACE TABLE $T (zz INT) USING delta", **files)
    found(f"files_replace_as_{provider}", "CREATE OR REPLACE TABLE $T USING delta AS SELECT 2 AS zz", **files)
    found(f"files_replace_alone_{provider}", "REPLACE TABLE $T (zz INT) USING delta", **files)
    found(f"files_update_{provider}", "UPDATE $T SET a = 2", **files)
    found(f"files_delete_{provider}", "DELETE FROM $T WHERE a = 1", **files)
    found(f"files_merge_{provider}", "MERGE INTO $T t USING (SELECT 1 AS a, 'z' AS b) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", **files)
    found(f"files_optimize_{provider}", "OPTIMIZE $T", **files)
    found(f"files_vacuum_{provider}", "VACUUM $T", **files)
    found(f"files_restore_{provider}", "RESTORE TABLE $T TO VERSION AS OF 0", **files)
    found(f"files_replace_where_{provider}", "INSERT INTO $T REPLACE WHERE a = 1 SELECT 1, 'q'", **files)


# --- what a table that is append-only lets be replaced
APPEND_ONLY = "CREATE TABLE $T (a INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')"
script("append_only_replaced", APPEND_ONLY, "INSERT INTO $T VALUES (1)", "CREATE OR REPLACE TABLE $T (b INT) USING delta")
script("append_only_replaced_by_rows", APPEND_ONLY, "INSERT INTO $T VALUES (1)", "CREATE OR REPLACE TABLE $T USING delta AS SELECT 2 AS b")
script("append_only_replaced_empty", APPEND_ONLY, "CREATE OR REPLACE TABLE $T (b INT) USING delta")
script("append_only_overwritten", APPEND_ONLY, "INSERT INTO $T VALUES (1)", "INSERT OVERWRITE $T VALUES (2)")
script("append_only_taken_away", APPEND_ONLY, "INSERT INTO $T VALUES (1)", "ALTER TABLE $T SET TBLPROPERTIES ('delta.appendOnly' = 'false')", "CREATE OR REPLACE TABLE $T (b INT) USING delta")
