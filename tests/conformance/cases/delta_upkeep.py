"""Files that are put together without being asked: auto compaction and optimized writes."""

from cases._delta import rows_of, tried
from cases._sql import views
from harness import Area

area = Area("delta_upkeep")


def compacted(name, *statements, create="CREATE TABLE $T (id INT, p STRING) USING delta", conf=None):
    """Writes, and the operations that the history has then."""
    def run(c):
        spark = views(c)
        table = f"up_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        out = []
        for statement in (create, *statements):
            found = tried(lambda t=statement: rows_of(spark.sql(t.replace("$T", table))), c.folder)
            if isinstance(found, dict):
                out.append(found)
        if out and not spark.catalog.tableExists(table):
            return out
        for row in reversed(spark.sql(f"DESCRIBE HISTORY {table}").collect()):
            metrics = {k: v for k, v in (row.operationMetrics or {}).items() if k in ("numAddedFiles", "numRemovedFiles")}
            out.append([row.operation, (row.operationParameters or {}).get("auto"), (row.operationParameters or {}).get("predicate"),
                        row.isBlindAppend, row.isolationLevel, metrics])
        return out + [rows_of(spark.table(table)), spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].numFiles]

    area._add(name, run, conf=conf)


AUTO = "spark.databricks.delta.autoCompact."
SMALL = {AUTO + "minNumFiles": "3"}
ONE = "INSERT INTO $T SELECT /*+ COALESCE(1) */ * FROM VALUES ({}, 'a')"
MANY = [ONE.format(i) for i in range(4)]
ON = "CREATE TABLE $T (id INT, p STRING) USING delta {}TBLPROPERTIES ('delta.autoOptimize.autoCompact' = '{}')"

compacted("auto_by_property", *MANY, create=ON.format("", "true"), conf=SMALL)
compacted("auto_off", *MANY, create=ON.format("", "false"), conf=SMALL)
compacted("auto_bad_value", create=ON.format("", "perhaps"))
compacted("auto_any_case", *MANY, create=ON.format("", "True"), conf=SMALL)
compacted("auto_by_conf", *MANY, conf={**SMALL, AUTO + "enabled": "true"})
compacted("auto_conf_wins", *MANY, create=ON.format("", "true"), conf={**SMALL, AUTO + "enabled": "false"})
compacted("auto_old_property", *MANY, create="CREATE TABLE $T (id INT, p STRING) USING delta TBLPROPERTIES ('delta.autoOptimize' = 'true')", conf=SMALL)
compacted("auto_default_number", *MANY, create=ON.format("", "true"))
compacted("auto_partitions", *MANY, ONE.format(9).replace("'a'", "'b'"), *[ONE.format(i).replace("'a'", "'b'") for i in range(2)],
          create=ON.format("PARTITIONED BY (p) ", "true"), conf=SMALL)
compacted("auto_file_size", *MANY, create=ON.format("", "true"), conf={**SMALL, AUTO + "maxFileSize": "10"})
compacted("auto_after_delete", *MANY[:2], "DELETE FROM $T WHERE id = 0", "UPDATE $T SET p = 'u' WHERE id = 1", *MANY[2:],
          create=ON.format("", "true").replace("'true')", "'true', 'delta.enableDeletionVectors' = 'true')"), conf=SMALL)
compacted("auto_after_merge", *MANY[:2], "MERGE INTO $T t USING (SELECT 7 AS id, 'm' AS p) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
          create=ON.format("", "true"), conf=SMALL)
compacted("auto_overwrite", *MANY[:2], "INSERT OVERWRITE $T SELECT /*+ REPARTITION(4) */ id, 'a' FROM range(8)", create=ON.format("", "true"), conf=SMALL)
compacted("auto_create", create="CREATE TABLE $T USING delta TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true') AS SELECT /*+ REPARTITION(5) */ id FROM range(20)", conf=SMALL)

SPREAD = "INSERT INTO $T SELECT /*+ REPARTITION(3) */ CAST(id AS INT), CAST(id % 2 AS STRING) FROM range(12)"
OPTIMIZED = "CREATE TABLE $T (id INT, p STRING) USING delta {}TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = '{}')"
compacted("optimized_not", SPREAD)
compacted("optimized_by_property", SPREAD, create=OPTIMIZED.format("", "true"))
compacted("optimized_partitions", SPREAD, create=OPTIMIZED.format("PARTITIONED BY (p) ", "true"))
compacted("optimized_not_partitions", SPREAD, create=OPTIMIZED.format("PARTITIONED BY (p) ", "false"))
compacted("optimized_by_conf", SPREAD, conf={"spark.databricks.delta.optimizeWrite.enabled": "true"})
compacted("optimized_conf_wins", SPREAD, create=OPTIMIZED.format("", "true"), conf={"spark.databricks.delta.optimizeWrite.enabled": "false"})
compacted("optimized_bad_value", create=OPTIMIZED.format("", "perhaps"))


@area.case()
def optimized_by_option(c):
    spark = views(c)
    out = []
    for option in ("true", "false", "TRUE", "perhaps"):
        path = c.path(option)
        frame = spark.range(12).selectExpr("id", "id % 2 AS p").repartition(3)
        out.append(tried(lambda o=option, p=path, f=frame: f.write.format("delta").option("optimizeWrite", o).partitionBy("p").save(p), c.folder))
        out.append(tried(lambda p=path: spark.sql(f"DESCRIBE DETAIL delta.`{p}`").collect()[0].numFiles, c.folder))
    return [x if not isinstance(x, dict) else x.get("condition") for x in out]
