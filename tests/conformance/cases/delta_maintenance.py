"""OPTIMIZE and VACUUM of Delta tables: results, rows, the commits that they leave, and what is refused."""

import pathlib

from cases._sql import views
from harness import Area

area = Area("delta_maintenance")

UNCHECKED = {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}


def table_of(c, name, columns="id INT, p STRING, n BIGINT", partition="", properties="", files=4):
    """A table of `files` files of two rows each."""
    spark = views(c)
    table = f"mt_{name}"
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql(f"CREATE TABLE {table} ({columns}) USING delta {partition} {properties}")
    for i in range(files):
        spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES ({2 * i}, 'a', {i}), ({2 * i + 1}, 'b', {i})")
    return spark, table


def rows_of(spark, table):
    return sorted(str(row.asDict(recursive=True)) for row in spark.table(table).collect())


def folder_of(spark, table):
    return pathlib.Path(spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].location.removeprefix("file:"))


def commit_of(spark, table):
    row = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]
    counted = ("numRemovedFiles", "numAddedFiles", "numDeletionVectorsRemoved")
    return [row.version, row.operation, row.operationParameters, row.isBlindAppend, row.isolationLevel,
            sorted(row.operationMetrics or {}), {k: v for k, v in (row.operationMetrics or {}).items() if k in counted}]


def counts(row):
    metrics = row.metrics.asDict(recursive=True)
    names = ("numFilesAdded numFilesRemoved partitionsOptimized numBatches totalConsideredFiles totalFilesSkipped "
             "preserveInsertionOrder numTableColumns numTableColumnsWithStats zOrderStats clusteringStats "
             "deletionVectorStats autoCompactParallelismStats").split()
    out = {name: metrics[name] for name in names if name in metrics}
    out["zOrderStats"] = None if metrics["zOrderStats"] is None else sorted(metrics["zOrderStats"])
    return out


def optimize(name, text="OPTIMIZE $T", before=(), conf=None, **options):
    def run(c):
        spark, table = table_of(c, name, **options)
        for statement in before:
            spark.sql(statement.replace("$T", table)).collect()
        result = spark.sql(text.replace("$T", table))
        found = result.collect()
        return [[counts(row) for row in found], rows_of(spark, table), commit_of(spark, table),
                spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].numFiles]

    area._add(name, run, conf=conf)


PARTS = {"partition": "PARTITIONED BY (p)"}

optimize("small_files")
optimize("one_file", files=1)
optimize("no_file", files=0)
optimize("partitions", **PARTS)
optimize("where_partition", "OPTIMIZE $T WHERE p = 'a'", **PARTS)
optimize("where_no_partition", "OPTIMIZE $T WHERE p = 'zzz'", **PARTS)
optimize("where_data", "OPTIMIZE $T WHERE n = 1", **PARTS)
optimize("where_unpartitioned", "OPTIMIZE $T WHERE id = 1")
optimize("zorder", "OPTIMIZE $T ZORDER BY (n)")
optimize("zorder_partition_column", "OPTIMIZE $T ZORDER BY (p)", **PARTS)
optimize("zorder_unknown", "OPTIMIZE $T ZORDER BY (nope)")
optimize("zorder_clustered", "OPTIMIZE $T ZORDER BY (n)", partition="CLUSTER BY (id)")
optimize("clustered", partition="CLUSTER BY (id)")
optimize("append_only", properties="TBLPROPERTIES (delta.appendOnly = true)")
optimize("change_feed", properties="TBLPROPERTIES (delta.enableChangeDataFeed = true)")
optimize("no_such_table", "OPTIMIZE mt_nowhere", files=0)
optimize("no_such_column_in_where", "OPTIMIZE $T WHERE nope = 1", **PARTS)
optimize("not_delta", "OPTIMIZE mt_plain_parquet", before=["DROP TABLE IF EXISTS mt_plain_parquet",
         "CREATE TABLE mt_plain_parquet (id INT) USING parquet"], files=0)


@area.case()
def optimize_schema(c):
    spark, table = table_of(c, "schema", files=2)
    return spark.sql(f"OPTIMIZE {table}").schema.json()


@area.case()
def optimize_by_path(c):
    spark, table = table_of(c, "path", files=3)
    folder = folder_of(spark, table)
    found = [counts(row) for row in spark.sql(f"OPTIMIZE '{folder}'").collect()]
    return found + [counts(row) for row in spark.sql(f"OPTIMIZE delta.`{folder}`").collect()]


@area.case()
def optimize_leaves_no_change(c):
    spark, table = table_of(c, "feed", properties="TBLPROPERTIES (delta.enableChangeDataFeed = true)", files=2)
    spark.sql(f"OPTIMIZE {table}")
    return spark.sql(f"SELECT _commit_version, count(*) FROM table_changes('{table}', 0) GROUP BY 1")


def vacuum(name, text, before=(), conf=None, orphans=(), show=False, loose=(), **options):
    """One case: what the statement says, and which files are left of the table's and of the orphans."""

    def run(c):
        spark, table = table_of(c, name, **options)
        for statement in before:
            spark.sql(statement.replace("$T", table)).collect()
        folder = folder_of(spark, table)
        for path in orphans:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("x")
        result = spark.sql(text.replace("$T", table).replace("$F", str(folder)))
        found = [row.path.removeprefix("file:") for row in result.collect()]
        inside = sorted(p.replace(str(folder), "$F") for p in found)
        said = inside if show else [len([p for p in inside if p.endswith(".parquet")]), [p for p in inside if p == "$F"]]
        left = len(list(folder.glob("*.parquet"))) + len(list(folder.glob("*=*/*.parquet")))
        live = spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].numFiles
        return [result.schema.json(), said, left, live, [p for p in orphans if (folder / p).exists()],
                rows_of(spark, table), commit_of(spark, table)[:2]]

    area._add(name, run, conf=conf, loose=loose)


GONE = ["UPDATE $T SET n = 100", "DELETE FROM $T WHERE id = 1"]
vacuum("vacuum_zero_refused", "VACUUM $T RETAIN 0 HOURS", GONE)
vacuum("vacuum_negative", "VACUUM $T RETAIN -1 HOURS", GONE)
vacuum("vacuum_inventory_wrong_schema", "VACUUM $T USING INVENTORY (SELECT 1 AS path) RETAIN 0 HOURS", conf=UNCHECKED,
       loose=("expectedSchema",))
vacuum("vacuum_no_such_table", "VACUUM mt_nowhere", files=0)
vacuum("vacuum_view", "VACUUM people RETAIN 0 HOURS", files=0, loose=("tableName",))
