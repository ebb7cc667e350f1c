"""Delta tables with deletion vectors: rows that go are marked, not rewritten; what else such tables do."""

from cases._delta import Names, answers_of, files_of, folder_of, metadata_of, rows_of, tried
from cases._sql import views
from harness import Area

area = Area("delta_dv")

ON = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
FEED = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')"
TABLE = f"CREATE TABLE $T (id BIGINT, v STRING, p INT) USING delta {ON}"
PARTS = f"CREATE TABLE $T (id BIGINT, v STRING, p INT) USING delta PARTITIONED BY (p) {ON}"
FED = f"CREATE TABLE $T (id BIGINT, v STRING, p INT) USING delta {FEED}"
MAPPED = "CREATE TABLE $T (id BIGINT, `v v` STRING, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name', 'delta.enableChangeDataFeed' = 'true')"
TEN = "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, concat('v', id), CAST(id % 2 AS INT) FROM range(10)"
MORE = "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, concat('v', id), CAST(id % 2 AS INT) FROM range(10, 20)"
FEED_OF = "SELECT id, v, p, _change_type, _commit_version FROM table_changes('$T', 0)"


def script(name, *statements, create=TABLE, conf=None, metadata=False):
    def run(c):
        spark = views(c)
        table = f"dv_{name}"
        out = answers_of(c, spark, table, (create, *statements))
        folder = folder_of(spark, table)
        names = Names()
        out += [rows_of(spark.table(table)), spark.table(table).count(), files_of(folder, names)]
        return out + ([metadata_of(folder, names)] if metadata else [])

    area._add(name, run, conf=conf)


script("create", TEN, metadata=True)
script("delete", TEN, "DELETE FROM $T WHERE id = 3", "DELETE FROM $T WHERE id IN (4, 5)", "DELETE FROM $T WHERE id = 3", "DELETE FROM $T WHERE id < 100")
script("delete_files", TEN, MORE, "DELETE FROM $T WHERE id >= 8 AND id < 12", "DELETE FROM $T WHERE id < 9", "DELETE FROM $T")
script("delete_partition", TEN, "DELETE FROM $T WHERE p = 1 AND id > 5", "DELETE FROM $T WHERE p = 1", create=PARTS)
script("update", TEN, "UPDATE $T SET v = 'u' WHERE id = 3", "UPDATE $T SET v = 'w' WHERE id IN (3, 4)", "UPDATE $T SET p = p + 1 WHERE id = 0", "UPDATE $T SET v = 'all'")
script("update_partition", TEN, "UPDATE $T SET p = 7 WHERE id = 3", "UPDATE $T SET v = 'x' WHERE p = 0", create=PARTS)
MERGE = ("MERGE INTO $T t USING (SELECT * FROM VALUES (1L, 'm1'), (2L, 'm2'), (3L, NULL), (50L, 'new') s(id, v)) s ON t.id = s.id "
         "WHEN MATCHED AND s.v IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, 9)")
script("merge", TEN, MERGE, MERGE)
script("merge_delete", TEN, "MERGE INTO $T t USING (SELECT 1L AS id UNION ALL SELECT 2L) s ON t.id = s.id WHEN MATCHED THEN DELETE")
script("merge_by_source", TEN, "MERGE INTO $T t USING (SELECT 1L AS id UNION ALL SELECT 2L) s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND t.id > 5 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 'lost'")
script("merge_insert", TEN, "MERGE INTO $T t USING (SELECT 1L AS id UNION ALL SELECT 20L) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")
script("replace_where", TEN, "INSERT INTO $T REPLACE WHERE id = 3 SELECT 3L, 'new', 3", "DELETE FROM $T WHERE id = 4", "INSERT INTO $T REPLACE WHERE id > 2 SELECT 9L, 'nine', 9")
script("feed", TEN, "DELETE FROM $T WHERE id = 3", "DELETE FROM $T WHERE id IN (4, 5)", "UPDATE $T SET v = 'u' WHERE id = 6", MERGE, FEED_OF, create=FED)
script("feed_replace_where", TEN, "INSERT INTO $T REPLACE WHERE id = 3 SELECT 3L, 'new', 3", FEED_OF, create=FED)
script("feed_all_rows", TEN, "DELETE FROM $T WHERE id < 5", "DELETE FROM $T WHERE id < 50", FEED_OF, create=FED)
script("feed_restore", TEN, "DELETE FROM $T WHERE id = 3", "DELETE FROM $T WHERE id = 4", "RESTORE TABLE $T TO VERSION AS OF 2", FEED_OF, create=FED)
script("restore", TEN, "DELETE FROM $T WHERE id = 3", "UPDATE $T SET v = 'u' WHERE id = 4", "RESTORE TABLE $T TO VERSION AS OF 1", "DELETE FROM $T WHERE id = 5", "RESTORE TABLE $T TO VERSION AS OF 2")
script("optimize", TEN, MORE, "DELETE FROM $T WHERE id = 3", "OPTIMIZE $T", "DELETE FROM $T WHERE id = 4", "OPTIMIZE $T", "OPTIMIZE $T")
script("reorg", TEN, MORE, "DELETE FROM $T WHERE id = 3", "REORG TABLE $T APPLY (PURGE)", "REORG TABLE $T APPLY (PURGE)", "DELETE FROM $T WHERE id = 13", "REORG TABLE $T WHERE p = 1 APPLY (PURGE)")
script("reorg_partition", TEN, "DELETE FROM $T WHERE id = 3 OR id = 4", "REORG TABLE $T WHERE p = 1 APPLY (PURGE)", create=PARTS)
script("reorg_dropped_columns", TEN, "ALTER TABLE $T DROP COLUMN `v v`", "REORG TABLE $T APPLY (PURGE)", create=MAPPED)
script("upgrade", TEN, "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')", "DELETE FROM $T WHERE id = 3", MORE,
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')", "DELETE FROM $T WHERE id = 4", "DELETE FROM $T WHERE id = 14",
       "ALTER TABLE $T UNSET TBLPROPERTIES ('delta.enableDeletionVectors')", create="CREATE TABLE $T (id BIGINT, v STRING, p INT) USING delta", metadata=True)
script("feature_only", TEN, "DELETE FROM $T WHERE id = 3", create="CREATE TABLE $T (id BIGINT, v STRING, p INT) USING delta TBLPROPERTIES ('delta.feature.deletionVectors' = 'supported')", metadata=True)
script("bad_value", create="CREATE TABLE $T (id BIGINT) USING delta", *["ALTER TABLE $T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'maybe')"])
script("mapped", TEN, "DELETE FROM $T WHERE id = 3", "UPDATE $T SET `v v` = 'u' WHERE id IN (5, 6)", "ALTER TABLE $T RENAME COLUMN `v v` TO w", "DELETE FROM $T WHERE w = 'u'", "SELECT id, w, _change_type FROM table_changes('$T', 4)", create=MAPPED, metadata=True)
script("append_only", TEN, "DELETE FROM $T WHERE id = 3", create="CREATE TABLE $T (id BIGINT, v STRING, p INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.appendOnly' = 'true')")
script("overwrite", TEN, "DELETE FROM $T WHERE id = 3", "INSERT OVERWRITE $T SELECT 1L, 'one', 1")
script("clone", TEN, "DELETE FROM $T WHERE id = 3", "DROP TABLE IF EXISTS $T_clone", "CREATE TABLE $T_clone SHALLOW CLONE $T", "DELETE FROM $T_clone WHERE id = 4", "SELECT * FROM $T_clone", "DROP TABLE $T_clone")
script("constraint", TEN, "ALTER TABLE $T ADD CONSTRAINT c CHECK (id >= 0)", "UPDATE $T SET id = -1 WHERE id = 3", "UPDATE $T SET id = 30 WHERE id = 3")
script("where_after", TEN, "DELETE FROM $T WHERE id = 0", "SELECT count(*), min(id), max(id) FROM $T", "SELECT * FROM $T WHERE id = 0", "SELECT * FROM $T WHERE id < 2", "SELECT count(*) FROM $T WHERE v IS NULL")


@area.case()
def many_rows(c):
    """More rows than one container of a bitmap, in files of several row groups."""
    spark = views(c)
    path = c.path("t")
    spark.range(200000).coalesce(1).write.format("delta").option("delta.enableDeletionVectors", "true").save(path)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id % 3 = 0")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id > 150000 OR id BETWEEN 70000 AND 70010")
    frame = spark.read.format("delta").load(path)
    return [frame.count(), rows_of(frame.agg(c.F.sum("id"), c.F.min("id"), c.F.max("id"))), rows_of(frame.filter("id > 149990"))]


@area.case()
def streamed(c):
    """A source that deletes: a stream fails, or leaves such commits out."""
    spark = views(c)
    path = c.path("t")
    spark.range(5).coalesce(1).write.format("delta").option("delta.enableDeletionVectors", "true").save(path)

    def drain(**options):
        query = (spark.readStream.format("delta").options(**options).load(path).writeStream.format("delta")
                 .option("checkpointLocation", c.path("ck")).trigger(availableNow=True).start(c.path("out")))
        query.awaitTermination()
        return rows_of(spark.read.format("delta").load(c.path("out")))

    out = [drain()]
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 3")
    out.append(tried(drain, c.folder).get("condition"))
    spark.range(10, 12).coalesce(1).write.format("delta").mode("append").save(path)
    return out + [drain(skipChangeCommits="true")]
