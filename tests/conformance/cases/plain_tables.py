"""Partitions of plain file tables: ALTER TABLE … PARTITION, MSCK REPAIR, SET LOCATION, dynamic overwrites; what Delta refuses."""

import pathlib

from cases._sql import views
from harness import Area

area = Area("plain_tables")
DYNAMIC = {"spark.sql.sources.partitionOverwriteMode": "dynamic"}
ROWS = "SELECT 1 AS a, 'x' AS p, 1 AS q UNION ALL SELECT 2, 'x', 2 UNION ALL SELECT 3, 'y', 1"


def case(name, *texts, shown="SELECT * FROM $T", using="parquet", filled=True, partition="PARTITIONED BY (p, q)", columns="a INT, p STRING, q INT", place="", conf=None, loose=(), ordered=False):
    def run(c):
        spark = views(c)
        table = f"pt_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} ({columns}) USING {using} {partition} {place}".replace("$TMP", str(c.folder)))
        if filled:
            spark.sql(f"INSERT INTO {table} {ROWS}")
        for text in texts:
            spark.sql(text.replace("$TMP", str(c.folder)).replace("$T", table)).collect()
        return spark.sql(shown.replace("$TMP", str(c.folder)).replace("$T", table))

    area._add(name, run, ordered, conf, loose)


SHOW = "SHOW PARTITIONS $T"
case("show", shown=SHOW)
case("show_one", shown=SHOW + " PARTITION (p = 'x')")
case("show_none", shown=SHOW, filled=False)
case("show_not_partitioned", shown=SHOW, filled=False, partition="")
case("show_bad_column", shown=SHOW + " PARTITION (a = 1)")
case("add", "ALTER TABLE $T ADD PARTITION (p = 'z', q = 9)", shown=SHOW)
case("add_two", "ALTER TABLE $T ADD PARTITION (p = 'z', q = 9) PARTITION (p = 'z', q = 10)", shown=SHOW)
case("add_exists", "ALTER TABLE $T ADD PARTITION (p = 'x', q = 1)")
case("add_if_not_exists", "ALTER TABLE $T ADD IF NOT EXISTS PARTITION (p = 'x', q = 1) PARTITION (p = 'k', q = 1)", shown=SHOW)
case("add_partial", "ALTER TABLE $T ADD PARTITION (p = 'x')")
case("add_unknown", "ALTER TABLE $T ADD PARTITION (p = 'x', zz = 1)")
case("add_bad_value", "ALTER TABLE $T ADD PARTITION (p = 'x', q = 'k')")
case("add_null", "ALTER TABLE $T ADD PARTITION (p = NULL, q = 1)", shown=SHOW)
case("add_case", "ALTER TABLE $T ADD PARTITION (P = 'z', Q = 9)", shown=SHOW)
case("add_location", "ALTER TABLE $T ADD PARTITION (p = 'z', q = 9) LOCATION '$TMP/elsewhere'", "INSERT INTO $T PARTITION (p = 'z', q = 9) VALUES (77)")
case("add_location_filled", "INSERT OVERWRITE DIRECTORY '$TMP/there' USING parquet SELECT 55 AS a", "ALTER TABLE $T ADD PARTITION (p = 'z', q = 9) LOCATION '$TMP/there'")
case("add_not_partitioned", "ALTER TABLE $T ADD PARTITION (p = 'x')", filled=False, partition="")
case("drop", "ALTER TABLE $T DROP PARTITION (p = 'x', q = 1)")
case("drop_shown", "ALTER TABLE $T DROP PARTITION (p = 'x', q = 1)", shown=SHOW)
case("drop_partial", "ALTER TABLE $T DROP PARTITION (p = 'x')")
case("drop_missing", "ALTER TABLE $T DROP PARTITION (p = 'nope', q = 1)")
case("drop_if_exists", "ALTER TABLE $T DROP IF EXISTS PARTITION (p = 'nope', q = 1)")
case("drop_purge", "ALTER TABLE $T DROP PARTITION (p = 'y', q = 1) PURGE")
case("drop_two", "ALTER TABLE $T DROP PARTITION (p = 'x', q = 1), PARTITION (p = 'y', q = 1)")
case("drop_filter", "ALTER TABLE $T DROP PARTITION (q > 1)")
case("drop_external", "ALTER TABLE $T DROP PARTITION (p = 'x', q = 1)", shown=SHOW, place="LOCATION '$TMP/ext'")
case("rename", "ALTER TABLE $T PARTITION (p = 'x', q = 1) RENAME TO PARTITION (p = 'r', q = 5)")
case("rename_shown", "ALTER TABLE $T PARTITION (p = 'x', q = 1) RENAME TO PARTITION (p = 'r', q = 5)", shown=SHOW)
case("rename_exists", "ALTER TABLE $T PARTITION (p = 'x', q = 1) RENAME TO PARTITION (p = 'x', q = 2)")
case("rename_missing", "ALTER TABLE $T PARTITION (p = 'nope', q = 1) RENAME TO PARTITION (p = 'x', q = 7)")
case("rename_partial", "ALTER TABLE $T PARTITION (p = 'x') RENAME TO PARTITION (p = 'y')")
case("partition_location", "INSERT OVERWRITE DIRECTORY '$TMP/moved' USING parquet SELECT 99 AS a", "ALTER TABLE $T PARTITION (p = 'x', q = 1) SET LOCATION '$TMP/moved'")
case("partition_location_missing", "ALTER TABLE $T PARTITION (p = 'nope', q = 1) SET LOCATION '$TMP/moved'")
case("set_location", "INSERT OVERWRITE DIRECTORY '$TMP/other' USING parquet SELECT 42 AS a, 'k' AS p, 1 AS q", "ALTER TABLE $T SET LOCATION '$TMP/other'", partition="")
case("set_location_partitioned", "ALTER TABLE $T SET LOCATION '$TMP/other'")
case("set_location_then_insert", "ALTER TABLE $T SET LOCATION '$TMP/other'", "INSERT INTO $T VALUES (1, 'n', 2)", partition="")
case("truncate", "TRUNCATE TABLE $T")
case("truncate_partition", "TRUNCATE TABLE $T PARTITION (p = 'x', q = 1)")
case("truncate_partition_partial", "TRUNCATE TABLE $T PARTITION (p = 'x')")
case("truncate_partition_missing", "TRUNCATE TABLE $T PARTITION (p = 'nope')")
case("msck", "MSCK REPAIR TABLE $T", shown=SHOW)
case("repair", "REPAIR TABLE $T", shown=SHOW)
case("recover", "ALTER TABLE $T RECOVER PARTITIONS", shown=SHOW)
case("msck_not_partitioned", "MSCK REPAIR TABLE $T", filled=False, partition="")
case("msck_missing", "MSCK REPAIR TABLE nosuch_table")
case("recover_missing", "ALTER TABLE nosuch_table RECOVER PARTITIONS")


def files(name, *texts, shown="SELECT * FROM $T"):
    """A table over files that others wrote there."""

    def run(c):
        spark = views(c)
        table = f"pf_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(ROWS).write.partitionBy("p", "q").parquet(c.path("d"))
        spark.sql(f"CREATE TABLE {table} (a INT, p STRING, q INT) USING parquet PARTITIONED BY (p, q) LOCATION '{c.path('d')}'")
        for text in texts:
            if text == "more":
                spark.sql("SELECT 7 AS a").write.parquet(c.path("d/p=w/q=8"))
            elif text == "less":
                import shutil

                shutil.rmtree(c.path("d/p=y"))
            else:
                spark.sql(text.replace("$T", table))
        return spark.sql(shown.replace("$T", table))

    area._add(name, run)


files("files_unknown")
files("files_unknown_shown", shown=SHOW)
files("files_msck", "MSCK REPAIR TABLE $T")
files("files_msck_shown", "MSCK REPAIR TABLE $T", shown=SHOW)
files("files_recover", "ALTER TABLE $T RECOVER PARTITIONS")
files("files_msck_add", "MSCK REPAIR TABLE $T", "more", "MSCK REPAIR TABLE $T ADD PARTITIONS", shown=SHOW)
files("files_msck_drop", "MSCK REPAIR TABLE $T", "less", "MSCK REPAIR TABLE $T DROP PARTITIONS", shown=SHOW)
files("files_msck_sync", "MSCK REPAIR TABLE $T", "more", "less", "MSCK REPAIR TABLE $T SYNC PARTITIONS", shown=SHOW)
files("files_msck_gone", "MSCK REPAIR TABLE $T", "less")
files("files_inferred", "MSCK REPAIR TABLE $T", "more")
files("files_dropped", "MSCK REPAIR TABLE $T", "ALTER TABLE $T DROP PARTITION (p = 'x')")
files("files_dropped_kept", "MSCK REPAIR TABLE $T", "ALTER TABLE $T DROP PARTITION (p = 'x')", "MSCK REPAIR TABLE $T", shown=SHOW)


@area.case()
def inferred_table(c):
    """A table whose columns are its files': its partitions are found when it is made."""
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS pf_auto")
    spark.sql(ROWS).write.partitionBy("p", "q").parquet(c.path("d"))
    spark.sql(f"CREATE TABLE pf_auto USING parquet LOCATION '{c.path('d')}'")
    return spark.sql("SELECT * FROM pf_auto")


@area.case()
def saved_table(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS pf_saved")
    spark.sql(ROWS).write.format("parquet").partitionBy("p", "q").saveAsTable("pf_saved")
    return [sorted(x[0] for x in spark.sql("SHOW PARTITIONS pf_saved").collect()), spark.table("pf_saved").count()]


# --- INSERT OVERWRITE of plain files
case("overwrite_all", "INSERT OVERWRITE $T VALUES (9, 'x', 1)")
case("overwrite_static", "INSERT OVERWRITE $T PARTITION (p = 'x', q = 1) VALUES (9)")
case("overwrite_static_partial", "INSERT OVERWRITE $T PARTITION (p = 'x', q) VALUES (9, 7)")
case("overwrite_static_select", "INSERT OVERWRITE TABLE $T PARTITION (p = 'x', q = 1) SELECT 9")
case("overwrite_if_not_exists", "INSERT OVERWRITE $T PARTITION (p = 'x', q = 1) IF NOT EXISTS VALUES (9)")
case("overwrite_if_not_exists_new", "INSERT OVERWRITE $T PARTITION (p = 'n', q = 1) IF NOT EXISTS VALUES (9)")
case("overwrite_none", "INSERT OVERWRITE $T SELECT 1, 'x', 1 WHERE false")
case("overwrite_static_none", "INSERT OVERWRITE $T PARTITION (p = 'x', q = 1) SELECT 1 WHERE false")
case("overwrite_itself", "INSERT OVERWRITE $T SELECT * FROM $T")
case("overwrite_dynamic", "INSERT OVERWRITE $T VALUES (9, 'x', 1)", conf=DYNAMIC)
case("overwrite_dynamic_new", "INSERT OVERWRITE $T VALUES (9, 'n', 1)", conf=DYNAMIC)
case("overwrite_dynamic_partial", "INSERT OVERWRITE $T PARTITION (p = 'x', q) VALUES (9, 2)", conf=DYNAMIC)
case("overwrite_dynamic_static", "INSERT OVERWRITE $T PARTITION (p = 'x', q = 1) VALUES (9)", conf=DYNAMIC)
case("overwrite_dynamic_none", "INSERT OVERWRITE $T SELECT 1, 'x', 1 WHERE false", conf=DYNAMIC)
case("overwrite_dynamic_flat", "INSERT OVERWRITE $T VALUES (9, 'x', 1)", conf=DYNAMIC, partition="")
case("overwrite_dynamic_shown", "INSERT OVERWRITE $T VALUES (9, 'n', 1)", conf=DYNAMIC, shown=SHOW)
case("insert_static", "INSERT INTO $T PARTITION (p = 'x', q = 1) VALUES (9)")
case("insert_static_partial", "INSERT INTO $T PARTITION (p = 'x', q) VALUES (9, 5)")
case("insert_dynamic_names", "INSERT INTO $T PARTITION (p, q) VALUES (9, 'k', 5)")
case("insert_null", "INSERT INTO $T VALUES (9, NULL, NULL)")
case("insert_empty", "INSERT INTO $T VALUES (9, '', 1)")
case("insert_odd", "INSERT INTO $T VALUES (9, 'a/b=c %', 1)", shown=SHOW)
case("insert_static_unknown", "INSERT INTO $T PARTITION (zz = 1) VALUES (9)")
case("insert_static_width", "INSERT INTO $T PARTITION (p = 'x', q = 1) VALUES (9, 8)")
case("insert_static_bad", "INSERT INTO $T PARTITION (p = 'x', q = 'k') VALUES (9)")
case("insert_static_list", "INSERT INTO $T PARTITION (p = 'x', q = 1) (a) VALUES (9)")
case("overwrite_static_csv", "INSERT OVERWRITE $T PARTITION (p = 'x', q = 1) VALUES (9)", using="csv")
case("overwrite_dynamic_json", "INSERT OVERWRITE $T VALUES (9, 'x', 1)", using="json", conf=DYNAMIC)
case("drop_orc", "ALTER TABLE $T DROP PARTITION (p = 'x')", using="orc")


def frames(name, write, conf=None):
    def run(c):
        spark = views(c)
        spark.sql(ROWS).write.partitionBy("p", "q").parquet(c.path("d"))
        write(spark.sql("SELECT 9 AS a, 'x' AS p, 1 AS q").write.partitionBy("p", "q"), c.path("d"))
        return spark.read.parquet(c.path("d"))

    area._add(name, run, conf=conf)


frames("frame_overwrite", lambda w, d: w.mode("overwrite").parquet(d))
frames("frame_overwrite_dynamic", lambda w, d: w.mode("overwrite").parquet(d), conf=DYNAMIC)
frames("frame_overwrite_option", lambda w, d: w.mode("overwrite").option("partitionOverwriteMode", "dynamic").parquet(d))
frames("frame_overwrite_option_static", lambda w, d: w.mode("overwrite").option("partitionOverwriteMode", "static").parquet(d), conf=DYNAMIC)
frames("frame_overwrite_option_bad", lambda w, d: w.mode("overwrite").option("partitionOverwriteMode", "nope").parquet(d))


@area.case(conf=DYNAMIC)
def frame_insert_into_dynamic(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS pf_into")
    spark.sql("CREATE TABLE pf_into (a INT, p STRING, q INT) USING parquet PARTITIONED BY (p, q)")
    spark.sql(f"INSERT INTO pf_into {ROWS}")
    spark.sql("SELECT 9, 'x', 1").write.mode("overwrite").insertInto("pf_into")
    return spark.table("pf_into")


# --- Delta
D = {"using": "delta"}
case("delta_add", "ALTER TABLE $T ADD PARTITION (p = 'z', q = 9)", **D)
case("delta_drop", "ALTER TABLE $T DROP PARTITION (p = 'x', q = 1)", **D)
case("delta_rename", "ALTER TABLE $T PARTITION (p = 'x', q = 1) RENAME TO PARTITION (p = 'r', q = 5)", **D)
case("delta_recover", "ALTER TABLE $T RECOVER PARTITIONS", **D)
case("delta_msck", "MSCK REPAIR TABLE $T", **D)
case("delta_partition_location", "ALTER TABLE $T PARTITION (p = 'x', q = 1) SET LOCATION '$TMP/moved'", **D)
case("delta_set_location_missing", "ALTER TABLE $T SET LOCATION '$TMP/moved'", **D)
case("delta_truncate_partition", "TRUNCATE TABLE $T PARTITION (p = 'x', q = 1)", **D)
case("delta_show_partitions", shown=SHOW, **D)
case("delta_show_one", shown=SHOW + " PARTITION (p = 'x')", **D)
case("delta_show_number", shown=SHOW + " PARTITION (Q = 1)", **D)
case("delta_show_number_as_text", shown=SHOW + " PARTITION (p = 'x', q = '1')", **D)
case("delta_show_nothing", shown=SHOW + " PARTITION (p = 'nope')", **D)
case("delta_show_name_alone", shown=SHOW + " PARTITION (p)", **D)
case("delta_show_bad_column", shown=SHOW + " PARTITION (a = 1)", **D)
case("delta_show_no_column", shown=SHOW + " PARTITION (nope = 1)", **D)
case("like_with_format", "CREATE TABLE $T_like LIKE $T USING orc TBLPROPERTIES ('a' = 'b')", shown="DESCRIBE $T_like")
case("like_of_plain", "CREATE TABLE $T_like LIKE $T", shown="DESCRIBE $T_like")
case("like_of_plain_written", "CREATE TABLE $T_like LIKE $T", "INSERT INTO $T_like VALUES (5, 'k', 7)", shown="SHOW PARTITIONS $T_like")
case("delta_like_with_format", "CREATE TABLE $T_like LIKE $T USING parquet", shown="DESCRIBE $T_like", **D)
case("delta_like_of_plain", "CREATE TABLE $T_like LIKE $T USING delta", shown="DESCRIBE $T_like")
case("delta_overwrite_if_not_exists", "INSERT OVERWRITE $T PARTITION (p = 'x', q = 1) IF NOT EXISTS VALUES (9)", **D)
case("delta_overwrite_partial", "INSERT OVERWRITE $T PARTITION (p = 'x', q) VALUES (9, 7)", **D)
case("delta_overwrite_dynamic", "INSERT OVERWRITE $T PARTITION (p = 'x', q) VALUES (9, 2)", conf=DYNAMIC, **D)
case("delta_overwrite_static", "INSERT OVERWRITE $T PARTITION (p = 'x', q = 1) VALUES (9)", **D)


@area.case()
def delta_set_location(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS pf_moved")
    spark.sql("CREATE TABLE pf_moved (a INT) USING delta")
    spark.sql("SELECT 5 AS a").write.format("delta").save(c.path("other"))
    spark.sql(f"ALTER TABLE pf_moved SET LOCATION '{c.path('other')}'")
    return spark.table("pf_moved")


@area.case()
def delta_set_location_other_schema(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS pf_moved2")
    spark.sql("CREATE TABLE pf_moved2 (a INT) USING delta")
    spark.sql("SELECT 5 AS a, 6 AS b").write.format("delta").save(c.path("other"))
    spark.sql(f"ALTER TABLE pf_moved2 SET LOCATION '{c.path('other')}'")
    return spark.table("pf_moved2")

# Constants of partitions are cast to their columns.
DATED = {"partition": "PARTITIONED BY (d)", "columns": "a INT, d DATE", "filled": False}
case("constant_text_of_date", "INSERT INTO $T PARTITION (d = '2020-01-02') SELECT 1", **DATED)
case("constant_text_of_date_overwritten", "INSERT INTO $T PARTITION (d = '2020-01-02') SELECT 1",
     "INSERT OVERWRITE $T PARTITION (d = '2020-01-02') SELECT 2", **DATED)
case("constant_text_of_no_date", "INSERT INTO $T PARTITION (d = 'nope') SELECT 1", **DATED)
case("constant_number_of_date", "INSERT INTO $T PARTITION (d = 5) SELECT 1", **DATED)
case("constant_text_of_decimal", "INSERT INTO $T PARTITION (d = '1.50') SELECT 1", partition="PARTITIONED BY (d)",
     columns="a INT, d DECIMAL(5,2)", filled=False)
CHARS = {"partition": "PARTITIONED BY (k)", "columns": "a INT, k CHAR(3)", "filled": False}
case("char_overwritten", "INSERT INTO $T VALUES (1, 'a'), (2, 'b')", "INSERT OVERWRITE $T PARTITION (k = 'a') SELECT 9", **CHARS)
case("char_dropped", "INSERT INTO $T VALUES (1, 'a'), (2, 'b')", "ALTER TABLE $T DROP PARTITION (k = 'a')", **CHARS)
