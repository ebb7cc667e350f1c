"""Statements that define and describe: ALTER, DESCRIBE, SHOW, TRUNCATE, persistent views, functions, variables."""

from cases._sql import views
from harness import Area

area = Area("sql_ddl")


def script(name, *texts, ordered=False, loose=()):
    """One case: the texts one after the other; the result is the last one's."""

    def run(c):
        spark = views(c)
        try:
            for text in texts[:-1]:
                spark.sql(text.replace("$TMP", str(c.folder)))
            return spark.sql(texts[-1].replace("$TMP", str(c.folder)))
        finally:
            spark.sql("USE default")

    area._add(name, run, ordered, loose=loose)


def lines(name, *texts, keep=None):
    """One case: the rows of the last text as lists, without those that tell of the time, the place or the engine."""
    volatile = ("Created Time", "Last Access", "Created By", "Location", "Owner", "Type", "Catalog", "Provider")

    def run(c):
        spark = views(c)
        try:
            for text in texts[:-1]:
                spark.sql(text.replace("$TMP", str(c.folder)))
            rows = spark.sql(texts[-1].replace("$TMP", str(c.folder))).collect()
            out = [[str(v) for v in row] for row in rows]
            if keep:
                return [row for row in out if row[0] in keep]
            return [row for row in out if row[0] not in volatile]
        finally:
            spark.sql("USE default")

    area._add(name, run)


def made(table, columns="a INT, b STRING", tail=""):
    return (f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({columns}) USING delta {tail}")


# ALTER TABLE
script("alter_properties", *made("al1"), "ALTER TABLE al1 SET TBLPROPERTIES ('my.a' = '1', 'my.b' = 2)", "SHOW TBLPROPERTIES al1 ('my.a')")
script("alter_properties_result", *made("al2"), "ALTER TABLE al2 SET TBLPROPERTIES ('my.a' = '1')")
script("alter_unset", *made("al3", tail="TBLPROPERTIES ('my.a' = '1')"), "ALTER TABLE al3 UNSET TBLPROPERTIES ('my.a')", "SHOW TBLPROPERTIES al3 ('my.a')")
script("alter_unset_missing", *made("al4"), "ALTER TABLE al4 UNSET TBLPROPERTIES ('nosuch')")
script("alter_unset_if_exists", *made("al5"), "ALTER TABLE al5 UNSET TBLPROPERTIES IF EXISTS ('nosuch')")
script("alter_bad_property", *made("al6"), "ALTER TABLE al6 SET TBLPROPERTIES ('delta.nosuch' = '1')")
script("alter_add", *made("al7"), "INSERT INTO al7 VALUES (1, 'x')", "ALTER TABLE al7 ADD COLUMN c DOUBLE", "SELECT * FROM al7")
script("alter_add_result", *made("al7b"), "ALTER TABLE al7b ADD COLUMN c DOUBLE")
script("alter_add_many", *made("al8"), "ALTER TABLE al8 ADD COLUMNS (c INT COMMENT 'about c', d DATE)", "DESCRIBE al8", ordered=True)
script("alter_add_first", *made("al9"), "ALTER TABLE al9 ADD COLUMNS (c INT FIRST, d INT AFTER a)", "DESCRIBE al9", ordered=True)
script("alter_add_exists", *made("al10"), "ALTER TABLE al10 ADD COLUMN a INT")
script("alter_add_exists_case", *made("al10b"), "ALTER TABLE al10b ADD COLUMN A INT")
script("alter_add_nested", *made("al11", "s STRUCT<x: INT>"), "ALTER TABLE al11 ADD COLUMN s.y STRING", "DESCRIBE al11", ordered=True)
script("alter_add_not_null", *made("al12"), "ALTER TABLE al12 ADD COLUMN c INT NOT NULL")
script("alter_comment", *made("al13"), "ALTER TABLE al13 ALTER COLUMN a COMMENT 'new'", "DESCRIBE al13", ordered=True)
script("alter_comment_change", *made("al14"), "ALTER TABLE al14 CHANGE COLUMN b COMMENT 'other'", "DESCRIBE al14", ordered=True)
script("alter_comment_missing", *made("al15"), "ALTER TABLE al15 ALTER COLUMN zz COMMENT 'new'")
script("alter_move", *made("al16"), "INSERT INTO al16 VALUES (1, 'x')", "ALTER TABLE al16 ALTER COLUMN b FIRST", "SELECT * FROM al16")
script("alter_move_after", *made("al17", "a INT, b INT, c INT"), "ALTER TABLE al17 ALTER COLUMN a AFTER b", "DESCRIBE al17", ordered=True)
script("alter_type", *made("al18"), "ALTER TABLE al18 ALTER COLUMN a TYPE STRING")
script("alter_drop_not_null", *made("al19", "a INT NOT NULL"), "ALTER TABLE al19 ALTER COLUMN a DROP NOT NULL", "INSERT INTO al19 VALUES (NULL)", "SELECT * FROM al19")
script("alter_set_not_null", *made("al20"), "ALTER TABLE al20 ALTER COLUMN a SET NOT NULL")
script("alter_drop", *made("al21"), "ALTER TABLE al21 DROP COLUMN b")
script("alter_rename_column", *made("al22"), "ALTER TABLE al22 RENAME COLUMN b TO c")
script("alter_rename", *made("al23"), "DROP TABLE IF EXISTS al23b", "INSERT INTO al23 VALUES (1, 'x')", "ALTER TABLE al23 RENAME TO al23b", "SELECT * FROM al23b")
script("alter_rename_gone", *made("al24"), "DROP TABLE IF EXISTS al24b", "ALTER TABLE al24 RENAME TO al24b", "SELECT * FROM al24")
script("alter_rename_exists", *made("al25"), *made("al25b"), "ALTER TABLE al25 RENAME TO al25b")
script("alter_rename_missing", "ALTER TABLE nosuch RENAME TO other")
script("alter_missing", "ALTER TABLE nosuch ADD COLUMN a INT")
script("alter_missing_properties", "ALTER TABLE nosuch SET TBLPROPERTIES ('a' = 'b')")
script("alter_view_as_table", "CREATE OR REPLACE TEMP VIEW alv AS SELECT 1 AS a", "ALTER TABLE alv ADD COLUMN b INT")
script("alter_path", "CREATE TABLE delta.`$TMP/ap` (a INT) USING delta", "ALTER TABLE delta.`$TMP/ap` ADD COLUMN b INT", "SELECT * FROM delta.`$TMP/ap`")
script("alter_keeps_rows", *made("al26"), "INSERT INTO al26 VALUES (1, 'x')", "ALTER TABLE al26 ADD COLUMN c INT", "INSERT INTO al26 VALUES (2, 'y', 3)", "SELECT * FROM al26")
script("alter_syntax", "ALTER TABLE t")
script("alter_partition", *made("al27"), "ALTER TABLE al27 ADD PARTITION (a = 1)")
script("alter_owner", "ALTER TABLE nosuch SET OWNER TO me")
script("comment_on_table", *made("al28"), "COMMENT ON TABLE al28 IS 'about it'")

# DESCRIBE
lines("describe_extended", *made("de1", "a INT COMMENT 'about a', b STRING NOT NULL", "COMMENT 'the table' TBLPROPERTIES ('my.key' = 'v')"), "DESCRIBE EXTENDED de1")
lines("describe_formatted", *made("de2", "a INT, p STRING", "PARTITIONED BY (p)"), "DESC FORMATTED de2")
lines("describe_extended_word", *made("de2b"), "DESCRIBE TABLE EXTENDED de2b")
lines("describe_extended_kind", *made("de2c"), "DESCRIBE TABLE EXTENDED de2c", keep=("Type", "Provider", "Name"))
lines("describe_extended_view", "CREATE OR REPLACE TEMP VIEW dev AS SELECT k, v FROM t", "DESCRIBE EXTENDED dev")
script("describe_column", *made("de3", "a INT COMMENT 'about a', b STRING"), "DESCRIBE de3 a", ordered=True)
script("describe_column_plain", *made("de3b"), "DESCRIBE de3b b", ordered=True)
script("describe_column_missing", *made("de4"), "DESCRIBE de4 zz")
script("describe_column_of_view", "CREATE OR REPLACE TEMP VIEW dev2 AS SELECT k, v FROM t", "DESCRIBE dev2 v", ordered=True)
script("describe_database_missing", "DESCRIBE DATABASE nosuch_db")
lines("describe_database", "CREATE DATABASE IF NOT EXISTS dedb COMMENT 'a db'", "DESCRIBE DATABASE dedb")
lines("describe_database_extended", "CREATE DATABASE IF NOT EXISTS dedb2 WITH DBPROPERTIES ('x' = 'y')", "DESCRIBE DATABASE EXTENDED dedb2")
lines("describe_function", "DESCRIBE FUNCTION upper")
lines("describe_function_text", "DESCRIBE FUNCTION 'upper'")
lines("describe_function_operator", "DESCRIBE FUNCTION +")
lines("describe_function_case", "DESCRIBE FUNCTION case")
script("describe_function_missing", "DESCRIBE FUNCTION nosuch_function")
script("describe_history_missing", "DESCRIBE HISTORY nosuch")
script("describe_detail_missing", "DESCRIBE DETAIL nosuch")


@area.case()
def describe_history(c):
    spark = views(c)
    for text in (*made("dh1"), "INSERT INTO dh1 VALUES (1, 'x')", "INSERT OVERWRITE dh1 VALUES (2, 'y')"):
        spark.sql(text)
    frame = spark.sql("DESCRIBE HISTORY dh1")
    rows = frame.select("version", "operation", "isolationLevel", "isBlindAppend", "readVersion").collect()
    return [frame.schema.simpleString(), [[str(v) for v in row] for row in rows]]


@area.case()
def describe_history_parameters(c):
    spark = views(c)
    for text in (*made("dh2"), "INSERT INTO dh2 VALUES (1, 'x'), (2, 'y')"):
        spark.sql(text)
    rows = spark.sql("DESCRIBE HISTORY dh2 LIMIT 1").collect()
    return [[row.version, row.operation, row.operationParameters, row.operationMetrics["numOutputRows"]] for row in rows]


@area.case()
def describe_history_path(c):
    spark = views(c)
    spark.range(3).write.format("delta").save(c.path("h"))
    spark.range(3).write.format("delta").mode("append").save(c.path("h"))
    rows = spark.sql(f"DESCRIBE HISTORY '{c.path('h')}'").collect()
    return [[row.version, row.operation, row.operationParameters["mode"]] for row in rows]


@area.case()
def describe_detail(c):
    spark = views(c)
    for text in (*made("dd1", "a INT, p STRING", "PARTITIONED BY (p) COMMENT 'c' TBLPROPERTIES ('my.k' = 'v')"), "INSERT INTO dd1 VALUES (1, 'x'), (2, 'y')"):
        spark.sql(text)
    frame = spark.sql("DESCRIBE DETAIL dd1")
    row = frame.collect()[0]
    return [frame.schema.simpleString(), row.format, row.name, row.description, row.partitionColumns, row.clusteringColumns, row.numFiles, row.properties, row.minReaderVersion, row.minWriterVersion, row.tableFeatures]


# SHOW
script("show_create", *made("sc1", "a INT NOT NULL COMMENT 'about a', b DECIMAL(5,2)", "COMMENT 'the table' TBLPROPERTIES ('my.k' = 'v')"), "SHOW CREATE TABLE sc1")
script("show_create_partitioned", *made("sc2", "a INT, p STRING", "PARTITIONED BY (p)"), "SHOW CREATE TABLE sc2")
script("show_create_missing", "SHOW CREATE TABLE nosuch")
script("show_create_view", "CREATE OR REPLACE TEMP VIEW scv AS SELECT 1 AS a", "SHOW CREATE TABLE scv")
script("show_properties", *made("sp1", tail="TBLPROPERTIES ('my.k' = 'v', 'a.b' = 'c')"), "SHOW TBLPROPERTIES sp1", ordered=True)
script("show_properties_key", *made("sp2", tail="TBLPROPERTIES ('my.k' = 'v')"), "SHOW TBLPROPERTIES sp2 (my.k)")
script("show_properties_no_key", *made("sp3"), "SHOW TBLPROPERTIES sp3 ('zz')")
script("show_properties_missing", "SHOW TBLPROPERTIES nosuch")
script("show_partitions", *made("spa", "a INT, p STRING, q INT", "PARTITIONED BY (p, q)"), "INSERT INTO spa VALUES (1, 'x', 1), (2, 'y', 2)", "SHOW PARTITIONS spa")
script("show_partitions_missing", "SHOW PARTITIONS nosuch")
script("show_columns_from", *made("scf", "a INT, b INT"), "SHOW COLUMNS FROM scf FROM default", ordered=True)
script("show_columns_view", "SHOW COLUMNS IN t", ordered=True)
script("show_functions_pattern", "SHOW FUNCTIONS LIKE 'arr*_s*'")
script("show_functions_name", "SHOW FUNCTIONS upper")
script("show_system_functions", "SHOW SYSTEM FUNCTIONS LIKE 'lower'")
script("show_user_functions", "SHOW USER FUNCTIONS LIKE 'lower'")
script("show_functions_none", "SHOW FUNCTIONS LIKE 'nosuch_z*'")
script("show_catalogs_pattern", "SHOW CATALOGS LIKE 'spark*'")
script("show_catalogs_none", "SHOW CATALOGS LIKE 'zz*'")
script("show_views_database", "CREATE DATABASE IF NOT EXISTS svdb", "CREATE OR REPLACE VIEW svdb.pv AS SELECT 1 AS a", "SHOW VIEWS IN svdb LIKE 'pv'")
script("show_table_extended_missing", "SHOW TABLE EXTENDED LIKE 'nosuch_zz*'")
script("show_databases_from", "SHOW DATABASES LIKE 'nosuch*'")
script("show_current_namespace", "SHOW CURRENT NAMESPACE")
script("show_current_schema", "SHOW CURRENT SCHEMA")
script("show_unknown", "SHOW NOSUCH")
script("show_locks", "SHOW LOCKS t")
script("show_variables", "SHOW VARIABLES")

# tables
script("truncate", *made("tr1"), "INSERT INTO tr1 VALUES (1, 'x')", "TRUNCATE TABLE tr1", "SELECT * FROM tr1")
script("truncate_result", *made("tr2"), "TRUNCATE TABLE tr2")
script("truncate_missing", "TRUNCATE TABLE nosuch")
script("truncate_partition", *made("tr3", "a INT, p STRING", "PARTITIONED BY (p)"), "TRUNCATE TABLE tr3 PARTITION (p = 'x')")
script("create_like", *made("cl1", "a INT NOT NULL COMMENT 'c', b STRING", "PARTITIONED BY (b) TBLPROPERTIES ('my.k' = 'v')"), "INSERT INTO cl1 VALUES (1, 'x')", "DROP TABLE IF EXISTS cl1b", "CREATE TABLE cl1b LIKE cl1 USING delta", "SELECT * FROM cl1b")
script("create_like_describe", *made("cl2", "a INT, b STRING", "PARTITIONED BY (b)"), "DROP TABLE IF EXISTS cl2b", "CREATE TABLE cl2b LIKE cl2", "DESCRIBE cl2b", ordered=True)
script("create_like_missing", "CREATE TABLE cl3b LIKE nosuch")
script("create_like_exists", *made("cl4"), "CREATE TABLE cl4 LIKE cl4")
script("create_like_if_not_exists", *made("cl5"), "CREATE TABLE IF NOT EXISTS cl5 LIKE cl5")
script("create_location", "DROP TABLE IF EXISTS lo1", "CREATE TABLE lo1 (a INT) USING delta LOCATION '$TMP/lo1'", "INSERT INTO lo1 VALUES (5)", "SELECT * FROM delta.`$TMP/lo1`")
script("create_location_existing", "DROP TABLE IF EXISTS lo2", "CREATE TABLE delta.`$TMP/lo2` (a INT) USING delta", "INSERT INTO delta.`$TMP/lo2` VALUES (7)", "CREATE TABLE lo2 USING delta LOCATION '$TMP/lo2'", "SELECT * FROM lo2")
script("create_location_drop", "DROP TABLE IF EXISTS lo3", "CREATE TABLE lo3 (a INT) USING delta LOCATION '$TMP/lo3'", "INSERT INTO lo3 VALUES (5)", "DROP TABLE lo3", "SELECT * FROM delta.`$TMP/lo3`")
script("create_location_as", "DROP TABLE IF EXISTS lo4", "CREATE TABLE lo4 USING delta LOCATION '$TMP/lo4' AS SELECT 1 AS a", "SELECT * FROM lo4")
script("create_location_schema_differs", "DROP TABLE IF EXISTS lo5", "CREATE TABLE delta.`$TMP/lo5` (a INT) USING delta", "CREATE TABLE lo5 (b STRING) USING delta LOCATION '$TMP/lo5'")
script("create_options", "DROP TABLE IF EXISTS op1", "CREATE TABLE op1 (a INT) USING delta OPTIONS ('x' 'y')", "SELECT * FROM op1")
script("create_no_columns", "DROP TABLE IF EXISTS nc1", "CREATE TABLE nc1 USING delta", "SELECT * FROM nc1")
script("create_unknown_provider", "CREATE TABLE up1 (a INT) USING nosuch_provider")
script("create_default", "DROP TABLE IF EXISTS df1", "CREATE TABLE df1 (a INT DEFAULT 5, b STRING) USING delta")
script("create_default_feature", "DROP TABLE IF EXISTS df2", "CREATE TABLE df2 (a INT DEFAULT 5, b STRING) USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')", "INSERT INTO df2 (b) VALUES ('x')", "SELECT * FROM df2")
script("create_generated_bad", "DROP TABLE IF EXISTS ge1", "CREATE TABLE ge1 (a INT, b INT GENERATED ALWAYS AS (zz + 1)) USING delta")
script("create_check_column", "DROP TABLE IF EXISTS ck1", "CREATE TABLE ck1 (a INT, CONSTRAINT c CHECK (a > 0)) USING delta")
script("create_external", "CREATE EXTERNAL TABLE ex1 (a INT) USING delta")
script("create_cluster", "DROP TABLE IF EXISTS cb1", "CREATE TABLE cb1 (a INT) USING delta CLUSTER BY (zz)")
script("create_duplicate_clause", "CREATE TABLE dc1 (a INT) USING delta COMMENT 'a' COMMENT 'b'")
script("create_type_bad", "CREATE TABLE tb1 (a NOSUCHTYPE) USING delta")
script("create_syntax", "CREATE TABLE ts1 (a INT")
script("replace_missing", "DROP TABLE IF EXISTS re1", "REPLACE TABLE re1 (a INT) USING delta")
script("replace", *made("re2"), "REPLACE TABLE re2 (c DATE) USING delta", "DESCRIBE re2", ordered=True)
script("replace_as", *made("re3"), "REPLACE TABLE re3 USING delta AS SELECT 1 AS x", "SELECT * FROM re3")
script("ctas_columns", "DROP TABLE IF EXISTS cc1", "CREATE TABLE cc1 (a INT) USING delta AS SELECT 1 AS a")
script("ctas_if_not_exists", *made("ce1"), "CREATE TABLE IF NOT EXISTS ce1 USING delta AS SELECT 1 AS zz", "SELECT * FROM ce1")
script("ctas_properties", "DROP TABLE IF EXISTS cp1", "CREATE TABLE cp1 USING delta COMMENT 'made' TBLPROPERTIES ('my.k' = 'v') AS SELECT 1 AS a", "SHOW TBLPROPERTIES cp1 ('my.k')")
script("ctas_duplicate", "DROP TABLE IF EXISTS cd1", "CREATE TABLE cd1 USING delta AS SELECT 1 AS a, 2 AS a")
script("parquet_table", "DROP TABLE IF EXISTS pq1", "CREATE TABLE pq1 (a INT, b STRING) USING parquet", "INSERT INTO pq1 VALUES (1, 'x')", "INSERT INTO pq1 VALUES (2, 'y')", "SELECT * FROM pq1")
script("parquet_overwrite", "DROP TABLE IF EXISTS pq2", "CREATE TABLE pq2 (a INT) USING parquet", "INSERT INTO pq2 VALUES (1)", "INSERT OVERWRITE pq2 VALUES (2)", "SELECT * FROM pq2")
script("parquet_as", "DROP TABLE IF EXISTS pq3", "CREATE TABLE pq3 USING parquet AS SELECT 1 AS a", "SELECT * FROM pq3")
script("parquet_describe", "DROP TABLE IF EXISTS pq4", "CREATE TABLE pq4 (a INT, p STRING) USING parquet PARTITIONED BY (p)", "DESCRIBE pq4", ordered=True)
script("parquet_partitioned", "DROP TABLE IF EXISTS pq5", "CREATE TABLE pq5 (a INT, p STRING) USING parquet PARTITIONED BY (p)", "INSERT INTO pq5 VALUES (1, 'x'), (2, 'y')", "SELECT a FROM pq5 WHERE p = 'y'")
script("json_table", "DROP TABLE IF EXISTS js1", "CREATE TABLE js1 (a INT, b STRING) USING json", "INSERT INTO js1 VALUES (1, 'x')", "SELECT * FROM js1")
script("parquet_location", "DROP TABLE IF EXISTS pq6", "CREATE TABLE pq6 (a INT) USING parquet LOCATION '$TMP/pq6'", "INSERT INTO pq6 VALUES (1)", "SELECT * FROM parquet.`$TMP/pq6`")
script("drop_view_as_table", "CREATE OR REPLACE TEMP VIEW dvt AS SELECT 1 AS a", "DROP TABLE dvt", "SELECT * FROM dvt")
script("drop_table_as_view", *made("dtv"), "DROP VIEW dtv")
script("drop_column_syntax", "DROP COLUMN a")

# INSERT
script("insert_partition", *made("ip1", "a INT, p STRING", "PARTITIONED BY (p)"), "INSERT INTO ip1 PARTITION (p = 'x') VALUES (1), (2)", "SELECT * FROM ip1")
script("insert_partition_select", *made("ip2", "a INT, p STRING, q INT", "PARTITIONED BY (p, q)"), "INSERT INTO ip2 PARTITION (p = 'x', q) SELECT 1, 5", "SELECT * FROM ip2")
script("insert_partition_overwrite", *made("ip3", "a INT, p STRING", "PARTITIONED BY (p)"), "INSERT INTO ip3 VALUES (1, 'x'), (2, 'y')", "INSERT OVERWRITE ip3 PARTITION (p = 'x') VALUES (9)", "SELECT * FROM ip3")
script("insert_partition_missing", *made("ip4", "a INT, p STRING", "PARTITIONED BY (p)"), "INSERT INTO ip4 PARTITION (zz = 'x') VALUES (1)")
script("insert_partition_not", *made("ip5"), "INSERT INTO ip5 PARTITION (a = 1) VALUES ('x')")
script("insert_partition_width", *made("ip6", "a INT, p STRING", "PARTITIONED BY (p)"), "INSERT INTO ip6 PARTITION (p = 'x') VALUES (1, 2)")
script("insert_replace_where", *made("rw1"), "INSERT INTO rw1 VALUES (1, 'x'), (2, 'y'), (3, 'z')", "INSERT INTO rw1 REPLACE WHERE a > 1 VALUES (7, 'n')", "SELECT * FROM rw1")
script("insert_replace_where_violated", *made("rw2"), "INSERT INTO rw2 VALUES (1, 'x')", "INSERT INTO rw2 REPLACE WHERE a > 1 VALUES (0, 'n')", loose=("invariantName", "values"))
script("insert_replace_where_partition", *made("rw3", "a INT, p STRING", "PARTITIONED BY (p)"), "INSERT INTO rw3 VALUES (1, 'x'), (2, 'y')", "INSERT INTO rw3 REPLACE WHERE p = 'y' SELECT 5, 'y'", "SELECT * FROM rw3")
script("insert_overwrite_by_name", *made("in1"), "INSERT INTO in1 VALUES (1, 'x')", "INSERT OVERWRITE in1 BY NAME SELECT 'n' AS b, 4 AS a", "SELECT * FROM in1")
script("insert_by_name_missing", *made("in2"), "INSERT INTO in2 BY NAME SELECT 1 AS a", "SELECT * FROM in2")
script("insert_columns_unknown", *made("in3"), "INSERT INTO in3 (a, zz) VALUES (1, 2)")
script("insert_columns_twice", *made("in4"), "INSERT INTO in4 (a, a) VALUES (1, 2)")
script("insert_default", *made("in5"), "INSERT INTO in5 VALUES (DEFAULT, 'x')", "SELECT * FROM in5")
script("insert_not_null", *made("in6", "a INT NOT NULL"), "INSERT INTO in6 VALUES (NULL)")
script("insert_view", "CREATE OR REPLACE TEMP VIEW inv AS SELECT 1 AS a", "INSERT INTO inv VALUES (1)")
script("insert_from", "DROP TABLE IF EXISTS if1", "CREATE TABLE if1 (k STRING, v INT) USING delta", "FROM t INSERT INTO if1 SELECT k, v WHERE v = 1", "SELECT * FROM if1")
script("insert_directory", "INSERT OVERWRITE DIRECTORY '$TMP/dir' USING parquet SELECT 1 AS a", "SELECT * FROM parquet.`$TMP/dir`")
script("insert_table_statement", *made("it1", "id INT, name STRING"), "INSERT INTO it1 TABLE dept", "SELECT * FROM it1")

# persistent views
script("view", "CREATE OR REPLACE VIEW pv1 AS SELECT 1 AS a, 'x' AS b", "SELECT * FROM pv1")
script("view_of_table", *made("pvt"), "INSERT INTO pvt VALUES (1, 'x')", "CREATE OR REPLACE VIEW pv2 AS SELECT a + 1 AS c FROM pvt", "INSERT INTO pvt VALUES (5, 'y')", "SELECT * FROM pv2")
script("view_columns", "CREATE OR REPLACE VIEW pv3 (x COMMENT 'first', y) COMMENT 'about' AS SELECT 1, 2", "DESCRIBE pv3", ordered=True)
script("view_exists", "CREATE OR REPLACE VIEW pv4 AS SELECT 1 AS a", "CREATE VIEW pv4 AS SELECT 2 AS a")
script("view_if_not_exists", "CREATE OR REPLACE VIEW pv5 AS SELECT 1 AS a", "CREATE VIEW IF NOT EXISTS pv5 AS SELECT 2 AS a", "SELECT * FROM pv5")
script("view_over_temp", "CREATE OR REPLACE VIEW pv6 AS SELECT * FROM t")
script("view_no_alias", "CREATE OR REPLACE VIEW pv7 AS SELECT 1 + 1")
script("view_drop", "CREATE OR REPLACE VIEW pv8 AS SELECT 1 AS a", "DROP VIEW pv8", "SELECT * FROM pv8")
script("view_drop_missing", "DROP VIEW default.nosuch")
script("view_drop_table", *made("pv9"), "DROP VIEW pv9")
script("view_table_exists", *made("pv10"), "CREATE OR REPLACE VIEW pv10 AS SELECT 1 AS a")
script("view_database", "CREATE DATABASE IF NOT EXISTS pvdb", "CREATE OR REPLACE VIEW pvdb.v AS SELECT 3 AS a", "SELECT * FROM pvdb.v")
script("view_of_view", "CREATE OR REPLACE VIEW pv11 AS SELECT 1 AS a", "CREATE OR REPLACE VIEW pv12 AS SELECT a + 1 AS b FROM pv11", "SELECT * FROM pv12")
script("view_recursive", "CREATE OR REPLACE VIEW pv13 AS SELECT 1 AS a", "CREATE OR REPLACE VIEW pv14 AS SELECT * FROM pv13", "CREATE OR REPLACE VIEW pv13 AS SELECT * FROM pv14")
script("view_current_database", "CREATE DATABASE IF NOT EXISTS pvdb2", "DROP TABLE IF EXISTS pvdb2.tt", "CREATE TABLE pvdb2.tt USING delta AS SELECT 8 AS a", "USE pvdb2", "CREATE OR REPLACE VIEW vv AS SELECT * FROM tt", "USE default", "SELECT * FROM pvdb2.vv")
script("view_missing_table", "CREATE OR REPLACE VIEW pv15 AS SELECT * FROM nosuch")
script("view_alter", "CREATE OR REPLACE VIEW pv16 AS SELECT 1 AS a", "ALTER VIEW pv16 AS SELECT 5 AS z", "SELECT * FROM pv16")
script("view_rename", "CREATE OR REPLACE VIEW pv17 AS SELECT 1 AS a", "DROP VIEW IF EXISTS pv17b", "ALTER VIEW pv17 RENAME TO pv17b", "SELECT * FROM pv17b")
script("view_alter_temp", "CREATE OR REPLACE TEMP VIEW pv18 AS SELECT 1 AS a", "ALTER VIEW pv18 AS SELECT 2 AS b", "SELECT * FROM pv18")
script("view_show_tables", "CREATE DATABASE IF NOT EXISTS pvdb3", "CREATE OR REPLACE VIEW pvdb3.only AS SELECT 1 AS a", "SHOW TABLES IN pvdb3 LIKE 'only'")
script("view_properties", "CREATE OR REPLACE VIEW pv19 TBLPROPERTIES ('a' = 'b') AS SELECT 1 AS a", "SHOW TBLPROPERTIES pv19 ('a')")
script("view_temp_if_not_exists", "CREATE TEMP VIEW IF NOT EXISTS pv20 AS SELECT 1 AS a")
script("view_insert", "CREATE OR REPLACE VIEW pv21 AS SELECT 1 AS a", "INSERT INTO pv21 VALUES (1)")
script("view_show_create", "CREATE OR REPLACE VIEW pv22 AS SELECT 1 AS a", "SHOW CREATE TABLE pv22")
script("view_using", "INSERT OVERWRITE DIRECTORY '$TMP/vu' USING json SELECT 1 AS a", "CREATE OR REPLACE TEMP VIEW pvu USING json OPTIONS (path '$TMP/vu')", "SELECT * FROM pvu")
script("view_using_schema", "INSERT OVERWRITE DIRECTORY '$TMP/vs' USING json SELECT 1 AS a", "CREATE OR REPLACE TEMP VIEW pvs (a STRING, b INT) USING json OPTIONS (path '$TMP/vs')", "SELECT * FROM pvs")
script("view_duplicate_columns", "CREATE OR REPLACE VIEW pv23 AS SELECT 1 AS a, 2 AS a")

# functions
script("function", "CREATE OR REPLACE TEMPORARY FUNCTION plus1(x INT) RETURNS INT RETURN x + 1", "SELECT plus1(2), plus1(v) FROM t WHERE v = 1")
script("function_no_type", "CREATE OR REPLACE TEMPORARY FUNCTION plus2(x INT) RETURN x + 2", "SELECT plus2(2)")
script("function_default", "CREATE OR REPLACE TEMPORARY FUNCTION plusd(x INT, y INT DEFAULT 10) RETURNS INT RETURN x + y", "SELECT plusd(1), plusd(1, 2)")
script("function_no_arguments", "CREATE OR REPLACE TEMPORARY FUNCTION seven() RETURNS INT RETURN 7", "SELECT seven()")
script("function_cast", "CREATE OR REPLACE TEMPORARY FUNCTION asint(x INT) RETURNS STRING RETURN x", "SELECT asint(5)")
script("function_query", "CREATE OR REPLACE TEMPORARY FUNCTION maxv() RETURNS INT RETURN (SELECT max(v) FROM t)", "SELECT maxv()")
script("function_query_argument", "CREATE OR REPLACE TEMPORARY FUNCTION countk(x STRING) RETURNS BIGINT RETURN (SELECT count(*) FROM t WHERE k = x)", "SELECT countk('a'), countk('b')")
script("function_exists", "CREATE OR REPLACE TEMPORARY FUNCTION fex(x INT) RETURNS INT RETURN x", "CREATE TEMPORARY FUNCTION fex(x INT) RETURNS INT RETURN x")
script("function_drop", "CREATE OR REPLACE TEMPORARY FUNCTION fdr(x INT) RETURNS INT RETURN x", "DROP TEMPORARY FUNCTION fdr", "SELECT fdr(1)")
script("function_drop_missing", "DROP TEMPORARY FUNCTION nosuch_f")
script("function_drop_if_exists", "DROP TEMPORARY FUNCTION IF EXISTS nosuch_f")
script("function_few", "CREATE OR REPLACE TEMPORARY FUNCTION ftwo(x INT, y INT) RETURNS INT RETURN x + y", "SELECT ftwo(1)")
script("function_many", "CREATE OR REPLACE TEMPORARY FUNCTION fone(x INT) RETURNS INT RETURN x", "SELECT fone(1, 2)")
script("function_body_bad", "CREATE OR REPLACE TEMPORARY FUNCTION fbad(x INT) RETURNS INT RETURN zz + 1")
script("function_table", "CREATE OR REPLACE TEMPORARY FUNCTION rows2(n INT) RETURNS TABLE (a INT, b STRING) RETURN SELECT v, k FROM t WHERE v <= n", "SELECT * FROM rows2(2)")
script("function_named", "CREATE OR REPLACE TEMPORARY FUNCTION fnam(x INT, y INT) RETURNS INT RETURN x - y", "SELECT fnam(y => 1, x => 5)")
script("function_nested", "CREATE OR REPLACE TEMPORARY FUNCTION fin(x INT) RETURNS INT RETURN x * 2", "CREATE OR REPLACE TEMPORARY FUNCTION fout(x INT) RETURNS INT RETURN fin(x) + 1", "SELECT fout(3)")
script("function_describe", "CREATE OR REPLACE TEMPORARY FUNCTION fdes(x INT) RETURNS INT COMMENT 'doc' RETURN x", "SHOW USER FUNCTIONS LIKE 'fdes'")
script("function_builtin_name", "CREATE TEMPORARY FUNCTION upper(x STRING) RETURNS STRING RETURN x")
script("function_duplicate_parameter", "CREATE OR REPLACE TEMPORARY FUNCTION fdup(x INT, x INT) RETURNS INT RETURN x")
script("function_class", "CREATE TEMPORARY FUNCTION fcl AS 'com.example.Nosuch'")
script("function_where", "CREATE OR REPLACE TEMPORARY FUNCTION big(x INT) RETURNS BOOLEAN RETURN x > 2", "SELECT v FROM t WHERE big(v)")

# variables
script("variable", "DECLARE OR REPLACE VARIABLE va1 INT DEFAULT 5", "SELECT va1 + 1")
script("variable_no_default", "DECLARE OR REPLACE VARIABLE va2 STRING", "SELECT va2")
script("variable_no_type", "DECLARE OR REPLACE VARIABLE va3 = 1.5", "SELECT va3")
script("variable_set", "DECLARE OR REPLACE VARIABLE va4 INT DEFAULT 1", "SET VAR va4 = va4 + 10", "SELECT va4")
script("variable_set_query", "DECLARE OR REPLACE VARIABLE va5 INT", "SET VARIABLE va5 = (SELECT max(v) FROM t)", "SELECT va5")
script("variable_set_many", "DECLARE OR REPLACE VARIABLE va6 INT", "DECLARE OR REPLACE VARIABLE va7 STRING", "SET VAR (va6, va7) = (SELECT 3, 'x')", "SELECT va6, va7")
script("variable_set_default", "DECLARE OR REPLACE VARIABLE va8 INT DEFAULT 4", "SET VAR va8 = 9", "SET VAR va8 = DEFAULT", "SELECT va8")
script("variable_exists", "DECLARE OR REPLACE VARIABLE va9 INT", "DECLARE VARIABLE va9 INT")
script("variable_drop", "DECLARE OR REPLACE VARIABLE va10 INT", "DROP TEMPORARY VARIABLE va10", "SELECT va10")
script("variable_drop_missing", "DROP TEMPORARY VARIABLE nosuch_v")
script("variable_drop_if_exists", "DROP TEMPORARY VARIABLE IF EXISTS nosuch_v")
script("variable_set_missing", "SET VAR nosuch_v = 1")
script("variable_cast", "DECLARE OR REPLACE VARIABLE va11 INT", "SET VAR va11 = '7'", "SELECT va11")
script("variable_cast_bad", "DECLARE OR REPLACE VARIABLE va12 INT", "SET VAR va12 = 'x'")
script("variable_where", "DECLARE OR REPLACE VARIABLE va13 INT DEFAULT 2", "SELECT v FROM t WHERE v > va13")
script("variable_qualified", "DECLARE OR REPLACE VARIABLE va14 INT DEFAULT 2", "SELECT session.va14, system.session.va14")
script("variable_column_first", "DECLARE OR REPLACE VARIABLE vcol INT DEFAULT 100", "SELECT vcol FROM (SELECT v AS vcol, k FROM t) WHERE k = 'a'")
script("variable_order_by", "DECLARE OR REPLACE VARIABLE vord INT DEFAULT 2", "SELECT k, v FROM t ORDER BY vord, v", ordered=True)
script("variable_short", "DECLARE OR REPLACE va15 INT DEFAULT 3", "SELECT va15")
script("variable_many_rows", "DECLARE OR REPLACE VARIABLE va16 INT", "SET VAR va16 = (SELECT v FROM t)")
script("variable_rows_width", "DECLARE OR REPLACE VARIABLE va17 INT", "DECLARE OR REPLACE VARIABLE va18 INT", "SET VAR (va17, va18) = (SELECT 1)")
script("variable_identifier", "DECLARE OR REPLACE VARIABLE va19 STRING DEFAULT 't'", "SELECT count(*) FROM IDENTIFIER(va19)")

# databases
script("database_comment", "CREATE DATABASE IF NOT EXISTS dbc COMMENT 'about' WITH DBPROPERTIES ('a' = 'b')", "SHOW DATABASES LIKE 'dbc'")
script("database_alter", "CREATE DATABASE IF NOT EXISTS dba", "ALTER DATABASE dba SET DBPROPERTIES ('x' = 'y')")
lines("database_alter_describe", "CREATE DATABASE IF NOT EXISTS dba2", "ALTER DATABASE dba2 SET DBPROPERTIES ('x' = 'y')", "DESCRIBE DATABASE EXTENDED dba2")
script("database_alter_missing", "ALTER DATABASE nosuch_db SET DBPROPERTIES ('x' = 'y')")
script("database_location", "DROP DATABASE IF EXISTS dbl CASCADE", "CREATE DATABASE dbl LOCATION '$TMP/dbl'", "CREATE TABLE dbl.t (a INT) USING delta", "INSERT INTO dbl.t VALUES (4)", "SELECT * FROM delta.`$TMP/dbl/t`")
script("database_comment_on", "CREATE DATABASE IF NOT EXISTS dbco", "COMMENT ON DATABASE dbco IS 'x'")
script("database_default_drop", "DROP DATABASE default")

# accepted and refused
script("analyze", *made("an1"), "ANALYZE TABLE an1 COMPUTE STATISTICS")
script("analyze_missing", "ANALYZE TABLE nosuch COMPUTE STATISTICS")
script("set_catalog", "SET CATALOG spark_catalog")
script("set_catalog_missing", "SET CATALOG nosuch_catalog")
script("use_catalog", "USE CATALOG spark_catalog")
script("set_time_zone_local", "SET TIME ZONE LOCAL")
script("set_time_zone_interval", "SET TIME ZONE INTERVAL 2 HOURS")
script("set_time_zone_bad", "SET TIME ZONE 'Nosuch/Zone'")
script("reset_all", "RESET")
script("copy_into", "COPY INTO t FROM '/x' FILEFORMAT = JSON")
script("cache_lazy", "CACHE LAZY TABLE t")
script("refresh_function", "REFRESH FUNCTION upper")
script("explain_extended", "EXPLAIN EXTENDED SELECT zz FROM t")
script("execute_immediate", "EXECUTE IMMEDIATE 'SELECT 1 + ? AS a' USING 4")
script("execute_immediate_into", "DECLARE OR REPLACE VARIABLE ei INT", "EXECUTE IMMEDIATE 'SELECT 41 + :x' INTO ei USING 1 AS x", "SELECT ei")

# Names of tables and databases are names of folders: Spark lets only letters, digits and _ through.
for i, name in enumerate(["``", "`.`", "`..`", "`../other`", "`a/b`", "`a b`", "`größe`", "`.hidden`", "`a-b`"]):
    script(f"bad_name_{i}_table", f"CREATE TABLE {name} (a INT) USING delta")
    script(f"bad_name_{i}_view", f"CREATE VIEW {name} AS SELECT 1 AS a")
    script(f"bad_name_{i}_drop", f"DROP TABLE {name}")
    script(f"bad_name_{i}_database", f"CREATE DATABASE {name}")
    script(f"bad_name_{i}_select", f"SELECT * FROM {name}")
script("bad_name_rename", "CREATE TABLE bad_name_rename (a INT) USING delta", "ALTER TABLE bad_name_rename RENAME TO `../x`")
