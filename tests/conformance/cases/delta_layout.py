"""OPTIMIZE that puts rows in order: ZORDER BY and tables with CLUSTER BY."""

import json

from cases._delta import actions_of, folder_of, rows_of, tried
from cases._sql import views
from harness import Area

area = Area("delta_layout")

COUNTS = ("numFilesAdded numFilesRemoved partitionsOptimized numBatches totalConsideredFiles totalFilesSkipped "
          "numTableColumns numTableColumnsWithStats").split()


def sizes_gone(value):
    """Sizes of files are each engine's own."""
    if isinstance(value, dict):
        return {k: sizes_gone(v) for k, v in value.items() if k not in ("size", "totalSize")}
    return value


def metrics_of(row):
    metrics = row.metrics.asDict(recursive=True)
    out = {name: metrics[name] for name in COUNTS}
    for name in ("zOrderStats", "clusteringStats"):
        out[name] = sizes_gone(metrics[name])
    return out


def files_of(folder):
    """Of the last commit: what its adds and its commitInfo say; the cubes by the order in which they come."""
    cubes = {}
    *_, actions = actions_of(folder)
    info = next(a["commitInfo"] for a in actions if "commitInfo" in a)
    adds = []
    for action in actions:
        if "add" not in action:
            continue
        tags = dict(action["add"].get("tags") or {})
        if "ZCUBE_ID" in tags:
            tags["ZCUBE_ID"] = cubes.setdefault(tags["ZCUBE_ID"], len(cubes))
        adds.append([tags, action["add"].get("clusteringProvider"), action["add"]["dataChange"],
                     json.loads(action["add"]["stats"])["numRecords"] if action["add"].get("stats") else None])
    adds.sort(key=json.dumps)
    return [info["operation"], info["operationParameters"], adds, sum("remove" in a for a in actions)]


def script(name, *statements, create, conf=None):
    def run(c):
        spark = views(c)
        table = f"lo_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        out = []
        for statement in (create, *statements):
            def said(text=statement.replace("$T", table)):
                rows = spark.sql(text).collect()
                if not text.startswith("OPTIMIZE"):
                    return sorted(str(row.asDict(recursive=True)) for row in rows)
                return [metrics_of(row) for row in rows] + [files_of(folder_of(spark, table))]
            out.append(tried(said, c.folder))
        detail = spark.sql(f"DESCRIBE DETAIL {table}").collect()[0]
        return out + [rows_of(spark.table(table)), detail.numFiles, detail.clusteringColumns]

    area._add(name, run, conf=conf)


PLAIN = "CREATE TABLE $T (id INT, p STRING, n BIGINT, s STRUCT<x: INT, y: STRING>) USING delta"
CLUSTERED = "CREATE TABLE $T (id INT, p STRING, n BIGINT) USING delta CLUSTER BY (id, n)"


def rows(*values):
    return "INSERT INTO $T SELECT /*+ COALESCE(1) */ * FROM VALUES " + ", ".join(values)


FOUR = [rows(f"({i}, 'p{i % 2}', {10 - i}L, named_struct('x', {i}, 'y', 'v{i}'))", f"({i + 10}, NULL, NULL, NULL)") for i in range(4)]
THREE = [rows(f"({i}, 'p', {10 - i}L)", f"({i + 10}, NULL, NULL)") for i in range(3)]

script("zorder_two", *FOUR, "OPTIMIZE $T ZORDER BY (n, id)", "OPTIMIZE $T ZORDER BY (n, id)", create=PLAIN)
script("zorder_no_brackets", *FOUR, "OPTIMIZE $T ZORDER BY n, p", create=PLAIN)
script("zorder_any_case", *FOUR, "OPTIMIZE $T ZORDER BY (N)", create=PLAIN)
script("zorder_nested", *FOUR, "OPTIMIZE $T ZORDER BY (s.x, s.Y)", "OPTIMIZE $T ZORDER BY (s)", "OPTIMIZE $T ZORDER BY (s.nope)", "OPTIMIZE $T ZORDER BY (id.x)", create=PLAIN)
script("zorder_partitions", *FOUR, "OPTIMIZE $T ZORDER BY (n)", "OPTIMIZE $T ZORDER BY (P)", create=PLAIN + " PARTITIONED BY (p)")
script("zorder_empty", "OPTIMIZE $T ZORDER BY (n)", create=PLAIN)
script("zorder_one_file", FOUR[0], "OPTIMIZE $T ZORDER BY (n)", create=PLAIN)
script("zorder_no_stats", *FOUR, "OPTIMIZE $T ZORDER BY (id, n)", "SET spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled = false", "OPTIMIZE $T ZORDER BY (n)",
       "SET spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled = true", create=PLAIN + " TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1')")
script("zorder_stats_columns", *FOUR, "OPTIMIZE $T ZORDER BY (id)", "OPTIMIZE $T ZORDER BY (n)", create=PLAIN + " TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'n')")
script("zorder_mapped", *FOUR, "ALTER TABLE $T RENAME COLUMN n TO `a b`", "OPTIMIZE $T ZORDER BY (`a b`)", create=PLAIN + " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
script("zorder_vectors", *FOUR, "DELETE FROM $T WHERE id = 1", "OPTIMIZE $T ZORDER BY (id)", create=PLAIN + " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
script("full_of_plain_table", *FOUR, "OPTIMIZE $T FULL", create=PLAIN)
script("cluster", *THREE, "OPTIMIZE $T", "OPTIMIZE $T", THREE[0], "OPTIMIZE $T", create=CLUSTERED)
script("cluster_where", *THREE, "OPTIMIZE $T WHERE id = 1", create=CLUSTERED)
script("cluster_full", *THREE, "OPTIMIZE $T", "OPTIMIZE $T FULL", "ALTER TABLE $T CLUSTER BY (p)", "OPTIMIZE $T", "OPTIMIZE $T FULL", THREE[1], "OPTIMIZE $T", create=CLUSTERED)
script("cluster_none", *THREE, "OPTIMIZE $T", "ALTER TABLE $T CLUSTER BY NONE", THREE[1], "OPTIMIZE $T", "OPTIMIZE $T FULL", "OPTIMIZE $T ZORDER BY (id)", create=CLUSTERED)
script("cluster_mapped", *THREE, "ALTER TABLE $T RENAME COLUMN n TO m", "OPTIMIZE $T", create=CLUSTERED + " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
script("max_file_size", *THREE, "OPTIMIZE $T", create="CREATE TABLE $T (id INT, p STRING, n BIGINT) USING delta", conf={"spark.databricks.delta.optimize.maxFileSize": "1200"})
script("min_file_size", *THREE, "OPTIMIZE $T", create="CREATE TABLE $T (id INT, p STRING, n BIGINT) USING delta", conf={"spark.databricks.delta.optimize.minFileSize": "10"})


@area.case()
def target_file_size_property(c):
    return views(c).sql("CREATE TABLE lo_target (id INT) USING delta TBLPROPERTIES ('delta.targetFileSize' = '1000')")
