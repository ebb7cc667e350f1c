"""CREATE TABLE … SHALLOW CLONE: what it answers, what the clone is and keeps, and what is refused."""

import pathlib

from cases._sql import views
from harness import Area

area = Area("delta_clone")

SOURCE = "cl_{name}"
CLONE = "clone_{name}"
CREATE = "CREATE TABLE $C SHALLOW CLONE $S"


def rows_of(spark, table):
    return sorted(str(row.asDict(recursive=True)) for row in spark.table(table).collect())


def answer_of(spark, text):
    found = spark.sql(text)
    # Sizes of files are each engine's own.
    return [found.schema.simpleString(), [[row.source_num_of_files, row.num_removed_files, row.num_copied_files] for row in found.collect()]]


def state_of(spark, table):
    detail = spark.sql(f"DESCRIBE DETAIL {table}").collect()[0]
    history = [[row.version, row.operation, sorted(row.operationParameters), row.operationParameters.get("sourceVersion"),
                row.readVersion, row.isolationLevel, row.isBlindAppend, sorted(row.operationMetrics or {})]
               for row in spark.sql(f"DESCRIBE HISTORY {table}").collect()]
    return [rows_of(spark, table), detail.description, detail.partitionColumns, detail.clusteringColumns, detail.numFiles,
            detail.properties, detail.minReaderVersion, detail.minWriterVersion, sorted(detail.tableFeatures), history]


def clone(name, text=CREATE, columns="id INT, p STRING", partition="", properties="", before=(), then=(), files=2, source=None, loose=()):
    def run(c):
        spark = views(c)
        names = {"$S": source or SOURCE.format(name=name), "$C": CLONE.format(name=name)}

        def said(statement):
            for short, full in names.items():
                statement = statement.replace(short, full)
            return statement

        for table in names.values():
            if "`" not in table:
                spark.sql(f"DROP TABLE IF EXISTS {table}")
        if source is None:
            spark.sql(said(f"CREATE TABLE $S ({columns}) USING delta {partition} COMMENT 'of the source' {properties}"))
            for i in range(files):
                spark.sql(said(f"INSERT INTO $S SELECT /*+ COALESCE(1) */ * FROM VALUES ({2 * i}, 'a b'), ({2 * i + 1}, NULL)"))
        for statement in before:
            spark.sql(said(statement)).collect()
        out = [answer_of(spark, said(text))]
        for statement in then:
            spark.sql(said(statement)).collect()
        if "`" not in names["$C"]:
            out.append(state_of(spark, names["$C"]))
        if source is None:
            out.append(rows_of(spark, names["$S"]))
        return out

    area._add(name, run, loose=loose)


clone("plain")
clone("partitioned", partition="PARTITIONED BY (p)")
clone("constraint", before=["ALTER TABLE $S ADD CONSTRAINT c CHECK (id >= 0)"])
clone("not_null", columns="id INT NOT NULL, p STRING COMMENT 'a comment'")
clone("properties", properties="TBLPROPERTIES (my = '1', delta.logRetentionDuration = 'interval 10 days')")
clone("change_feed", properties="TBLPROPERTIES (delta.enableChangeDataFeed = true)")
clone("other_properties", CREATE + " TBLPROPERTIES (delta.appendOnly = true, my = '2')", properties="TBLPROPERTIES (my = '1')")
clone("unknown_property", CREATE + " TBLPROPERTIES (delta.nope = 'x')")
clone("version", CREATE + " VERSION AS OF 1", files=3)
clone("version_unknown", CREATE + " VERSION AS OF 77")
clone("timestamp_late", CREATE + " TIMESTAMP AS OF '2199-01-01'", 
      loose=("lastCommitTimestamp", "maximumTimestamp"))
clone("if_not_exists_old", "CREATE TABLE IF NOT EXISTS $C SHALLOW CLONE $S", before=["CREATE TABLE $C (other INT) USING delta"])
clone("taken", before=["CREATE TABLE $C (other INT) USING delta"])
clone("replace_empty", "CREATE OR REPLACE TABLE $C SHALLOW CLONE $S", before=["CREATE TABLE $C (other INT) USING delta COMMENT 'of the clone'"])
clone("replace_full", "CREATE OR REPLACE TABLE $C SHALLOW CLONE $S", before=["CREATE TABLE $C USING delta AS SELECT 1 AS other"])
clone("replace_emptied", "CREATE OR REPLACE TABLE $C SHALLOW CLONE $S",
      before=["CREATE TABLE $C USING delta AS SELECT 1 AS other", "DELETE FROM $C"])
clone("replace_must_exist", "REPLACE TABLE $C SHALLOW CLONE $S")
clone("replace_itself", "CREATE OR REPLACE TABLE $S SHALLOW CLONE $S")
clone("of_a_clone", "CREATE TABLE $C SHALLOW CLONE $S2", before=["DROP TABLE IF EXISTS $S2", "CREATE TABLE $S2 SHALLOW CLONE $S"])
clone("insert_into_clone", then=["INSERT INTO $C VALUES (100, 'new')"])
clone("delete_from_clone", then=["DELETE FROM $C WHERE id = 1"])
clone("update_clone", then=["UPDATE $C SET p = 'x' WHERE id = 2"], partition="PARTITIONED BY (p)")
clone("optimize_clone", then=["OPTIMIZE $C"])
clone("clustered", partition="CLUSTER BY (id)")
clone("no_source", source="cl_nowhere", loose=("searchPath",))  # "not available" there
clone("view", "CREATE TABLE $C SHALLOW CLONE cl_a_view", before=["CREATE OR REPLACE VIEW cl_a_view AS SELECT 1 AS a"])
clone("json_table", "CREATE TABLE $C SHALLOW CLONE cl_json", before=["DROP TABLE IF EXISTS cl_json", "CREATE TABLE cl_json (a INT) USING json"],
      loose=("name",))
clone("no_database", "CREATE TABLE nowhere.$C SHALLOW CLONE $S")
clone("deep", "CREATE TABLE $C DEEP CLONE $S")
clone("with_columns", "CREATE TABLE $C (a INT) SHALLOW CLONE $S")
clone("with_using", "CREATE TABLE $C USING delta SHALLOW CLONE $S")


@area.case()
def at_location(c):
    spark = views(c)
    for table in ("cl_at", "clone_at"):
        spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql("CREATE TABLE cl_at USING delta AS SELECT id FROM range(3)")
    place = c.path("a place")
    out = [answer_of(spark, f"CREATE TABLE clone_at SHALLOW CLONE cl_at LOCATION '{place}'")]
    return out + [rows_of(spark, "clone_at"), rows_of(spark, f"delta.`{place}`")]


@area.case()
def by_paths(c):
    spark = c.spark
    source, copy = c.path("a % source"), c.path("a copy")
    spark.sql("SELECT id, concat('a/b %', id % 2) AS p FROM range(4)").write.format("delta").partitionBy("p").save(source)
    out = [answer_of(spark, f"CREATE TABLE delta.`{copy}` SHALLOW CLONE delta.`{source}`")]
    spark.sql(f"DELETE FROM delta.`{copy}` WHERE id = 3")
    return out + [rows_of(spark, f"delta.`{copy}`"), rows_of(spark, f"delta.`{source}`")]


@area.case()
def by_path_taken(c):
    spark = c.spark
    for name in ("s", "t"):
        spark.range(2).write.format("delta").save(c.path(name))
    return answer_of(spark, f"CREATE TABLE delta.`{c.path('t')}` SHALLOW CLONE delta.`{c.path('s')}`")


@area.case(conf={"spark.databricks.delta.retentionDurationCheck.enabled": "false"})
def vacuum_of_a_clone_keeps_the_source(c):
    spark = c.spark
    source, copy = c.path("s"), c.path("t")
    spark.range(4).coalesce(1).write.format("delta").save(source)
    spark.sql(f"CREATE TABLE delta.`{copy}` SHALLOW CLONE delta.`{source}`")
    spark.sql(f"DELETE FROM delta.`{copy}` WHERE id = 0")
    spark.sql(f"VACUUM delta.`{copy}` RETAIN 0 HOURS").collect()
    return [rows_of(spark, f"delta.`{copy}`"), rows_of(spark, f"delta.`{source}`")]
