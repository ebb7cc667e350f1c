"""The checksum file beside each commit: which there are and what they add up to."""

import json
import pathlib
import shutil

from cases._delta import answers_of, folder_of, rows_of
from cases._sql import views
from harness import Area

area = Area("delta_checksums")

PLAIN = "CREATE TABLE $T (id BIGINT, v STRING) USING delta"
INSERT = "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, concat('v', id) FROM range(20)"
KEPT = ("numFiles", "numMetadata", "numProtocol", "numDeletedRecordsOpt", "numDeletionVectorsOpt")


def checksums_of(folder):
    """Of each version: the keys, the counts, and that what it says is so."""
    log = pathlib.Path(folder) / "_delta_log"
    out = []
    for path in sorted(log.glob("*.crc")):
        if path.name.startswith("."):
            continue
        said = json.loads(path.read_text())
        actions = [json.loads(line) for line in (log / (path.stem + ".json")).read_text().splitlines() if line]
        info = next(a["commitInfo"] for a in actions if "commitInfo" in a)
        files = said.get("allFiles")
        sizes = said["fileSizeHistogram"]
        out.append([int(path.stem), sorted(said), {k: said.get(k) for k in KEPT},
                    said["txnId"] == info["txnId"], said.get("inCommitTimestampOpt") == info.get("inCommitTimestamp"),
                    [[t["appId"], t["version"]] for t in said.get("setTransactions", [])],
                    sorted(d["domain"] for d in said.get("domainMetadata", [])),
                    sorted(said["metadata"]), sorted(said["protocol"]),
                    [sum(sizes["fileCounts"]), sum(sizes["totalBytes"]) == said["tableSizeBytes"], len(sizes["sortedBinBoundaries"]), sum(sizes["sortedBinBoundaries"])],
                    said.get("deletedRecordCountsHistogramOpt"),
                    files and [len(files), sorted(files[0]), sum(f["size"] for f in files) == said["tableSizeBytes"], {f["dataChange"] for f in files} == {False}]])
    return out


def script(name, *statements, create=PLAIN):
    def run(c):
        spark = views(c)
        table = f"crc_{name}"
        out = answers_of(c, spark, table, (create, *statements))
        return out + [checksums_of(folder_of(spark, table))]

    area._add(name, run)


script("plain", INSERT, INSERT, "DELETE FROM $T WHERE id = 1", "OPTIMIZE $T", "DELETE FROM $T")
script("marked", INSERT, "DELETE FROM $T WHERE id < 12", "DELETE FROM $T WHERE id = 15", "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')", INSERT,
       create=f"{PLAIN} TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
script("tracked", INSERT, "UPDATE $T SET v = 'u' WHERE id = 1", create=f"{PLAIN} TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.enableInCommitTimestamps' = 'true')")
script("clustered", INSERT, "OPTIMIZE $T", create=f"{PLAIN} CLUSTER BY (id)")
script("schema_changes", INSERT, "ALTER TABLE $T ADD COLUMNS (n INT)", "ALTER TABLE $T SET TBLPROPERTIES ('a' = 'b')", INSERT.replace("concat('v', id)", "concat('v', id), 1"))
script("with_rows", INSERT, create="CREATE TABLE $T USING delta AS SELECT /*+ COALESCE(1) */ id, CAST(id AS STRING) AS v FROM range(3)")
script("replaced", INSERT, "CREATE OR REPLACE TABLE $T (id BIGINT) USING delta")


@area.case()
def txns(c):
    spark = views(c)
    path = c.path("t")
    for app, version in (("a", 1), ("b", 7), ("a", 2)):
        spark.range(3).coalesce(1).write.format("delta").mode("append").option("txnAppId", app).option("txnVersion", str(version)).save(path)
    spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.setTransactionRetentionDuration' = 'interval 1 day')")
    return checksums_of(path)


@area.case()
def many_files(c):
    """Above fifty the files are not listed."""
    spark = views(c)
    path = c.path("t")
    for first, count in ((0, 49), (50, 1), (60, 1), (70, 1)):
        spark.range(first, first + count).selectExpr("id", "id AS p").coalesce(1).write.format("delta").partitionBy("p").mode("append").save(path)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id > 5")
    return checksums_of(path)


def broken(name, text):
    """A table whose newest checksum file is no such file is read, and goes on."""
    def run(c):
        spark = views(c)
        path = c.path("t")
        for i in range(3):
            spark.range(i, i + 1).write.format("delta").mode("append").save(path)
        copy = c.path("copy")
        shutil.copytree(path, copy)
        for crc in pathlib.Path(copy, "_delta_log").glob(".*.crc"):
            crc.unlink()
        pathlib.Path(copy, "_delta_log", "00000000000000000002.crc").write_text(text)
        out = [rows_of(spark.read.format("delta").load(copy))]
        spark.range(9, 10).write.format("delta").mode("append").save(copy)
        return out + [rows_of(spark.read.format("delta").load(copy))]

    area._add(f"broken_{name}", run)


broken("empty", "")
broken("torn", '{"txnId":"x","tableSizeBytes":12')
broken("no_object", "[1]")
