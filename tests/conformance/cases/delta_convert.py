"""CONVERT TO DELTA, GENERATE of manifests, and clones of Parquet files."""

import json
import pathlib

from cases._delta import actions_of, folder_of, rows_of, tried
from cases._sql import views
from harness import Area

area = Area("delta_convert")


def log_of(folder):
    """What the commits of a table say, without names, sizes and times."""
    out = []
    for actions in actions_of(folder):
        said = []
        for action in actions:
            if "commitInfo" in action:
                info = action["commitInfo"]
                parameters = {k: v if k not in ("source",) else "" for k, v in info["operationParameters"].items()}
                metrics = {k: v for k, v in (info.get("operationMetrics") or {}).items() if not any(word in k for word in ("Size", "Bytes", "Time"))}
                said.append([info["operation"], parameters, metrics, info.get("isolationLevel"), info.get("isBlindAppend")])
            elif "metaData" in action:
                said.append([json.loads(action["metaData"]["schemaString"]), action["metaData"]["partitionColumns"], action["metaData"]["configuration"]])
            elif "protocol" in action:
                said.append(action["protocol"])
            elif "add" in action:
                add = action["add"]
                said.append([add["path"].rsplit("/", 1)[0] if "/" in add["path"] and not add["path"].startswith("file:") else "", add["partitionValues"], add["dataChange"],
                             json.loads(add["stats"]) if add.get("stats") else None, add.get("tags")])
        out.append(sorted(said, key=json.dumps))
    return out


def convert(name, text, write, conf=None, then=(), loose=False):
    """Parquet files under $F/t as `write` makes them, and what the statement makes of them."""
    def run(c):
        spark = views(c)
        folder = c.path("t")
        write(spark, folder)
        out = [tried(lambda: rows_of(spark.sql(text.replace("$F", folder))), c.folder)]
        if (pathlib.Path(folder) / "_delta_log").exists() and list((pathlib.Path(folder) / "_delta_log").glob("*.json")):
            out += [log_of(folder), rows_of(spark.read.format("delta").load(folder))]
        for statement in then:
            out.append(tried(lambda s=statement: rows_of(spark.sql(s.replace("$F", folder))), c.folder))
        return out

    area._add(name, run, conf=conf)


def plain(spark, folder):
    spark.sql("SELECT id, CAST(id AS STRING) AS s, CAST(id AS DECIMAL(10,2)) AS d, named_struct('x', id) AS n FROM range(4)").repartition(1).write.parquet(folder)


def parts(spark, folder):
    spark.sql("SELECT id, CASE WHEN id = 3 THEN NULL WHEN id = 2 THEN 'a b/c=%' ELSE 'x' END AS p, CAST(id % 2 AS INT) AS q FROM range(4)").repartition(1).write.partitionBy("p", "q").parquet(folder)


def days(spark, folder):
    spark.sql("SELECT id, date_add(DATE'2024-01-01', CAST(id AS INT)) AS day FROM range(3)").repartition(1).write.partitionBy("day").parquet(folder)


def grown(spark, folder):
    spark.sql("SELECT 1L AS id").repartition(1).write.parquet(folder)
    spark.sql("SELECT 2L AS id, 'x' AS more").repartition(1).write.mode("append").parquet(folder)


def clashing(spark, folder):
    spark.sql("SELECT 1L AS id").repartition(1).write.parquet(folder)
    spark.sql("SELECT 'x' AS id").repartition(1).write.mode("append").parquet(folder)


def times(spark, folder):
    spark.sql("SELECT TIMESTAMP'2024-01-01 10:00:00.123456' AS t, TIMESTAMP_NTZ'2024-01-01 10:00:00' AS n, 'y' AS v").repartition(1).write.parquet(folder)


def hidden(spark, folder):
    plain(spark, folder)
    for name in ("_skipped/x.parquet", ".hidden.parquet", "_also.parquet"):
        path = pathlib.Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("no parquet")


def foreign(spark, folder):
    plain(spark, folder)
    pathlib.Path(folder, "notes.txt").write_text("no parquet")


def nothing(spark, folder):
    pathlib.Path(folder).mkdir()


def upper(spark, folder):
    spark.sql("SELECT 1L AS Id, 'x' AS P").repartition(1).write.partitionBy("P").parquet(folder)


def dotted(spark, folder):
    spark.sql("SELECT 1L AS `a b`").repartition(1).write.parquet(folder)


CONVERT = "CONVERT TO DELTA parquet.`$F`"
convert("plain", CONVERT, plain, then=["INSERT INTO delta.`$F` SELECT 9L, 'n', 1.5, NULL", "SELECT * FROM delta.`$F` WHERE id > 2", "CONVERT TO DELTA parquet.`$F`", "CONVERT TO DELTA delta.`$F`"])
convert("no_statistics", CONVERT + " NO STATISTICS", plain, then=["SELECT count(*), max(id) FROM delta.`$F`"])
convert("partitions", CONVERT + " PARTITIONED BY (p STRING, q INT)", parts, then=["SELECT id FROM delta.`$F` WHERE q = 1", "SELECT id FROM delta.`$F` WHERE p IS NULL"])
convert("partitions_not_given", CONVERT, parts)
convert("partitions_too_few", CONVERT + " PARTITIONED BY (p STRING)", parts)
convert("partitions_wrong_name", CONVERT + " PARTITIONED BY (x STRING, q INT)", parts)
convert("partitions_wrong_type", CONVERT + " PARTITIONED BY (p STRING, q DATE)", parts)
convert("partitions_too_many", CONVERT + " PARTITIONED BY (p STRING)", plain)
convert("partitions_wider", CONVERT + " PARTITIONED BY (p STRING, q BIGINT) NO STATISTICS", parts)
convert("partitions_any_case", CONVERT + " PARTITIONED BY (p STRING)", upper)
convert("dates", CONVERT + " PARTITIONED BY (day DATE)", days)
convert("grown", CONVERT, grown)
convert("clashing", CONVERT, clashing)
convert("times", CONVERT, times)
convert("hidden_files", CONVERT, hidden)
convert("foreign_file", CONVERT, foreign)
convert("empty_folder", CONVERT, nothing)
convert("no_folder", CONVERT + " NO STATISTICS", lambda spark, folder: None)
convert("bad_names", CONVERT, dotted)
convert("no_provider", "CONVERT TO DELTA '$F'", plain)
convert("path_alone", "CONVERT TO DELTA `$F`", plain)
convert("other_provider", "CONVERT TO DELTA csv.`$F`", plain)


def converted_table(name, create, text="CONVERT TO DELTA $T", then=()):
    def run(c):
        spark = views(c)
        table = f"cv_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(create.replace("$T", table))
        out = [tried(lambda s=s: rows_of(spark.sql(s.replace("$T", table))), c.folder) for s in (text, *then)]
        detail = tried(lambda: spark.sql(f"DESCRIBE DETAIL {table}").collect()[0], c.folder)
        if isinstance(detail, dict):
            return out + [detail.get("condition")]
        return out + [detail.format, detail.partitionColumns, detail.properties, detail.numFiles, rows_of(spark.table(table)), log_of(folder_of(spark, table))]

    area._add(name, run)


converted_table("table", "CREATE TABLE $T USING parquet TBLPROPERTIES ('mine' = 'x') AS SELECT /*+ COALESCE(1) */ id, 's' AS s FROM range(3)",
                then=["INSERT INTO $T VALUES (9, 'n')", "DELETE FROM $T", "CONVERT TO DELTA $T"])
converted_table("table_partitions", "CREATE TABLE $T USING parquet PARTITIONED BY (p) AS SELECT /*+ COALESCE(1) */ id, id % 2 AS p FROM range(4)")
converted_table("table_partitions_given", "CREATE TABLE $T USING parquet PARTITIONED BY (p) AS SELECT /*+ COALESCE(1) */ id, id % 2 AS p FROM range(4)", "CONVERT TO DELTA $T PARTITIONED BY (p BIGINT)")
converted_table("table_partitions_other", "CREATE TABLE $T USING parquet PARTITIONED BY (p) AS SELECT /*+ COALESCE(1) */ id, id % 2 AS p FROM range(4)", "CONVERT TO DELTA $T PARTITIONED BY (p STRING)")
converted_table("table_csv", "CREATE TABLE $T (id INT) USING csv")
converted_table("table_delta", "CREATE TABLE $T (id INT) USING delta")
converted_table("table_empty", "CREATE TABLE $T (id INT) USING parquet")


@area.case()
def no_such_table(c):
    return views(c).sql("CONVERT TO DELTA cv_nowhere")


def manifests_of(folder):
    root = pathlib.Path(folder) / "_symlink_format_manifest"
    out = {}
    for path in sorted(root.rglob("manifest")):
        lines = path.read_text().splitlines()
        out[str(path.relative_to(root))] = [len(lines), sorted({line.rsplit("/", 1)[0].replace(str(folder), "$F") for line in lines})]
    return out


def manifest(name, *statements, create="CREATE TABLE $T (id INT, p STRING) USING delta"):
    def run(c):
        spark = views(c)
        table = f"cv_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(create.replace("$T", table))
        folder = folder_of(spark, table)
        out = []
        for statement in statements:
            said = statement.replace("$T", table).replace("$F", str(folder))
            found = tried(lambda s=said: rows_of(spark.sql(s)), c.folder)
            out += [found if not said.startswith("OPTIMIZE") else None, manifests_of(folder)]
        return out

    area._add(name, run)


GENERATE = "GENERATE symlink_format_manifest FOR TABLE $T"
TWO = "INSERT INTO $T SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a'), (2, 'b c/d')"
KEPT = "TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true')"
manifest("generate", TWO, TWO, GENERATE, "DELETE FROM $T", GENERATE)
manifest("generate_partitions", TWO, TWO, GENERATE, "DELETE FROM $T WHERE p = 'a'", GENERATE, create="CREATE TABLE $T (id INT, p STRING) USING delta PARTITIONED BY (p)")
manifest("generate_path", TWO, "GENERATE symlink_format_manifest FOR TABLE delta.`$F`", "GENERATE SYMLINK_FORMAT_MANIFEST FOR TABLE $T")
manifest("generate_mode", TWO, "GENERATE other_manifest FOR TABLE $T", "GENERATE 'symlink_format_manifest' FOR TABLE $T")
manifest("generate_mapped", TWO, GENERATE, create="CREATE TABLE $T (id INT, p STRING) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
manifest("generate_vectors", TWO, "DELETE FROM $T WHERE id = 1", GENERATE, create="CREATE TABLE $T (id INT, p STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
manifest("manifest_kept", TWO, TWO, "DELETE FROM $T WHERE id = 1", "OPTIMIZE $T", create="CREATE TABLE $T (id INT, p STRING) USING delta " + KEPT)
manifest("manifest_kept_partitions", TWO, TWO, "DELETE FROM $T WHERE p = 'a'", "INSERT INTO $T VALUES (3, NULL)",
         create="CREATE TABLE $T (id INT, p STRING) USING delta PARTITIONED BY (p) " + KEPT)
manifest("manifest_kept_mapped", TWO, create="CREATE TABLE $T (id INT, p STRING) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",)
manifest("manifest_kept_later", TWO, f"ALTER TABLE $T SET {KEPT}", TWO)


@area.case()
def generate_nowhere(c):
    return views(c).sql("GENERATE symlink_format_manifest FOR TABLE cv_nowhere")


def clone(name, text, write):
    def run(c):
        spark = views(c)
        write(spark, c.path("t"))
        spark.sql(f"DROP TABLE IF EXISTS cv_{name}")
        said = text.replace("$F", c.path("t")).replace("$C", f"cv_{name}").replace("$D", c.path("clone"))
        out = [tried(lambda: [[row.source_num_of_files, row.num_removed_files, row.num_copied_files] for row in spark.sql(said).collect()], c.folder)]
        if isinstance(out[0], dict):
            return out
        table = f"cv_{name}" if "$C" in text else f"delta.`{c.path('clone')}`"
        return out + [rows_of(spark.table(table)), log_of(folder_of(spark, table))]

    area._add(name, run)


clone("clone_plain", "CREATE TABLE $C SHALLOW CLONE parquet.`$F`", plain)
clone("clone_path", "CREATE TABLE delta.`$D` SHALLOW CLONE parquet.`$F`", plain)
clone("clone_partitions", "CREATE TABLE $C SHALLOW CLONE parquet.`$F` PARTITIONED BY (p STRING, q INT)", parts)
clone("clone_partitions_not_given", "CREATE TABLE $C SHALLOW CLONE parquet.`$F`", parts)
clone("clone_properties", "CREATE TABLE $C SHALLOW CLONE parquet.`$F` TBLPROPERTIES ('mine' = 'x')", plain)
clone("clone_replace", "CREATE OR REPLACE TABLE $C SHALLOW CLONE parquet.`$F`", plain)
clone("clone_empty", "CREATE TABLE $C SHALLOW CLONE parquet.`$F`", nothing)
