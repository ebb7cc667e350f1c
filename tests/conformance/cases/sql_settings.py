"""Settings that change what a query means: ordinals, time parser policy, timestamp type; and statements that are refused."""

from cases._sql import views
from harness import Area

area = Area("sql_settings")


def script(name, *texts, ordered=False, conf=None):
    def run(c):
        spark = views(c)
        for text in texts[:-1]:
            spark.sql(text.replace("$TMP", str(c.folder)))
        return spark.sql(texts[-1].replace("$TMP", str(c.folder)))

    area._add(name, run, ordered, conf)


NO_GROUP = {"spark.sql.groupByOrdinal": "false"}
NO_ORDER = {"spark.sql.orderByOrdinal": "false"}
script("group_ordinal", "SELECT v, count(*) AS n FROM t GROUP BY 1")
script("group_ordinal_off", "SELECT 5 AS v, count(*) AS n FROM t GROUP BY 1", conf=NO_GROUP)
script("group_ordinal_off_missing", "SELECT v, count(*) AS n FROM t GROUP BY 1", conf=NO_GROUP)
script("group_ordinal_off_range", "SELECT count(*) AS n FROM t GROUP BY 7", conf=NO_GROUP)
script("group_ordinal_range", "SELECT count(*) AS n FROM t GROUP BY 7")
script("order_ordinal", "SELECT id FROM emp ORDER BY 1 DESC", ordered=True)
script("order_ordinal_off", "SELECT count(*) AS n FROM emp ORDER BY 1", conf=NO_ORDER)
script("order_ordinal_off_range", "SELECT count(*) AS n FROM emp ORDER BY 9", conf=NO_ORDER)
script("group_alias", "SELECT v + 1 AS w, count(*) AS n FROM t GROUP BY w")


@area.case(conf=NO_GROUP)
def group_ordinal_frame(c):
    return views(c).table("t").groupBy(c.F.lit(1)).count()


@area.case(conf=NO_ORDER)
def order_ordinal_frame(c):
    return views(c).table("t").orderBy(c.F.lit(1)).agg(c.F.count("*"))


# --- spark.sql.legacy.timeParserPolicy
script("policy_unknown", "SET spark.sql.legacy.timeParserPolicy = nope")

# --- patterns with zone names and offsets
for letter in ("z", "zzzz", "O", "OOOO", "ZZZZ"):
    for zone in ("UTC", "America/New_York", "+05:30", "Asia/Kolkata", "Europe/Paris"):
        script(f"pattern_{letter}_{zone}", f"SELECT date_format(timestamp_seconds(1720000000), '{letter}') AS summer, date_format(timestamp_seconds(1705000000), '{letter}') AS winter", conf={"spark.sql.session.timeZone": zone})
for name, text in {
    "z": "to_timestamp('2016-12-31 10:00 CET', 'yyyy-MM-dd HH:mm z')",
    "z_pst": "to_timestamp('2016-07-31 10:00 PST', 'yyyy-MM-dd HH:mm z')",
    "z_pdt": "to_timestamp('2016-07-31 10:00 PDT', 'yyyy-MM-dd HH:mm z')",
    "z_utc": "to_timestamp('2016-07-31 10:00 UTC', 'yyyy-MM-dd HH:mm z')",
    "z_gmt": "to_timestamp('2016-07-31 10:00 GMT', 'yyyy-MM-dd HH:mm z')",
    "z_region": "to_timestamp('2016-07-31 10:00 Europe/Paris', 'yyyy-MM-dd HH:mm z')",
    "z_long": "to_timestamp('2016-07-31 10:00 Pacific Standard Time', 'yyyy-MM-dd HH:mm zzzz')",
    "o": "to_timestamp('2016-12-31 10:00 GMT+8', 'yyyy-MM-dd HH:mm O')",
    "o_minutes": "to_timestamp('2016-12-31 10:00 GMT+5:30', 'yyyy-MM-dd HH:mm O')",
    "o_none": "to_timestamp('2016-12-31 10:00 GMT', 'yyyy-MM-dd HH:mm O')",
    "oooo": "to_timestamp('2016-12-31 10:00 GMT+08:00', 'yyyy-MM-dd HH:mm OOOO')",
    "vv": "to_timestamp('2016-12-31 10:00 Europe/Paris', 'yyyy-MM-dd HH:mm VV')",
    "zone_bad": "to_timestamp('2016-12-31 10:00 QQQ', 'yyyy-MM-dd HH:mm z')",
}.items():
    script(f"parse_{name}", f"SELECT {text} AS t")

# --- spark.sql.timestampType
NTZ = {"spark.sql.timestampType": "TIMESTAMP_NTZ"}
for name, text in {
    "literal": "SELECT TIMESTAMP '2024-01-02 03:04:05' AS t",
    "literal_ltz": "SELECT TIMESTAMP_LTZ '2024-01-02 03:04:05' AS t",
    "literal_zone": "SELECT TIMESTAMP '2024-01-02 03:04:05Z' AS t",
}.items():
    script(f"ntz_{name}", text, conf=NTZ)
script("timestamp_type_bad", "SET spark.sql.timestampType = nope")

# --- statements that exist elsewhere, catalogs
script("copy_into", "COPY INTO nosuch FROM '$TMP' FILEFORMAT = PARQUET")
script("use_catalog", "USE CATALOG nosuch")
script("use_other_catalog", "USE nosuch_catalog.db")
script("set_catalog", "SET CATALOG nosuch")
script("set_catalog_session", "SET CATALOG spark_catalog")
script("other_catalog_table", "SELECT * FROM nosuch_catalog.db.t")
script("other_catalog_create", "CREATE TABLE nosuch_catalog.db.t (a INT) USING delta")
script("other_catalog_insert", "INSERT INTO nosuch_catalog.db.t VALUES (1)")
script("other_catalog_show", "SHOW TABLES IN nosuch_catalog.db")
script("grant", "GRANT SELECT ON t TO me")
script("lock_table", "LOCK TABLE t")
script("create_role", "CREATE ROLE r")
script("start_transaction", "START TRANSACTION")
script("commit", "COMMIT")


# --- SHOW TABLE EXTENDED
@area.case()
def show_table_extended(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS ste1")
    spark.sql("CREATE TABLE ste1 (a INT, p STRING COMMENT 'c') USING delta PARTITIONED BY (p) COMMENT 'about' TBLPROPERTIES ('k' = 'v')")
    rows = spark.sql("SHOW TABLE EXTENDED LIKE 'ste1'").collect()
    keep = ("Catalog", "Database", "Table", "Type", "Provider", "Comment", "Schema", "root", " |--", "Partition")
    return [[r.namespace, r.tableName, r.isTemporary, [x for x in r.information.split("\n") if x.startswith(keep)]] for r in rows]


@area.case()
def show_table_extended_parquet(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS ste2")
    spark.sql("CREATE TABLE ste2 (a INT, p STRING) USING parquet PARTITIONED BY (p) COMMENT 'about'")
    rows = spark.sql("SHOW TABLE EXTENDED IN default LIKE 'ste2'").collect()
    keep = ("Catalog", "Database", "Table", "Type", "Provider", "Comment", "Schema", "root", " |--", "Partition")
    return [[r.namespace, r.tableName, r.isTemporary, [x for x in r.information.split("\n") if x.startswith(keep)]] for r in rows]


@area.case()
def show_table_extended_view(c):
    spark = views(c)
    spark.sql("CREATE OR REPLACE TEMP VIEW ste3 AS SELECT 1 AS a, 'x' AS b")
    rows = spark.sql("SHOW TABLE EXTENDED LIKE 'ste3'").collect()
    keep = ("Catalog", "Database", "Table", "Type", "Provider", "Comment", "Schema", "root", " |--", "Partition", "View Text")
    return [[r.namespace, r.tableName, r.isTemporary, [x for x in r.information.split("\n") if x.startswith(keep)]] for r in rows]


@area.case()
def show_table_extended_keys(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS ste4")
    spark.sql("CREATE TABLE ste4 (a INT) USING delta")
    rows = spark.sql("SHOW TABLE EXTENDED LIKE 'ste4'").collect()
    return [x.split(":")[0] for x in rows[0].information.split("\n")]


script("show_table_extended_partition", "DROP TABLE IF EXISTS ste5", "CREATE TABLE ste5 (a INT, p STRING) USING delta PARTITIONED BY (p)", "SHOW TABLE EXTENDED LIKE 'ste5' PARTITION (p = 'x')")


# --- ${name} in texts
TEXTS = {
    "text": "SELECT '${sub.x}' AS a, ${sub.x} + 1 AS b, ${spark:sub.x} AS c, ${sparkconf:sub.x} AS d, ${hivevar:sub.x} AS e, ${hiveconf:sub.x} AS f",
    "not_set": "SELECT '${sub.nope}' AS a, '${spark:sub.nope}' AS b",
    "prefix": "SELECT '${other:sub.x}' AS a, '${env:SUB_NOPE}' AS b, '${a:}' AS c, '${:x}' AS d",
    "shape": "SELECT '${sub.x' AS a, '$sub.x' AS b, '${sub .x}' AS c, '${}' AS d, '${}}' AS e, '$${sub.x}' AS f, '${ sub.x}' AS g, '{sub.x}' AS h",
    "twice": "SELECT '${sub.x}${sub.x}' AS a, '${${sub.name}}' AS b",
    "nested": "SELECT '${sub.nested}' AS a",
    "escaped": r"SELECT '\${sub.x}' AS a, r'\${sub.x}' AS b",
    "column": "SELECT ${sub.column}, count(*) AS n FROM t GROUP BY ${sub.column}",
    "table": "SELECT * FROM ${sub.table}",
    "comment": "SELECT 1 AS a -- ${sub.x}",
    "whole": "${sub.query}",
    "quoted": "SELECT 1 AS `${sub.x}`",
    "default": "SELECT '${spark.sql.variable.substitute}' AS a, '${spark.sql.ansi.enabled}' AS b, '${spark.sql.session.timeZone}' AS c",
    "in_error": "SELECT ${sub.column}x FROM t",
    "circular": "SELECT '${sub.a}' AS a",
    "set": "SET sub.y = ${sub.x}1",
    "alias": "SELECT 1 AS a${sub.x}",
}
SUBSTITUTED = {"sub.x": "5", "sub.column": "k", "sub.table": "t", "sub.query": "SELECT 7 AS q", "sub.nested": "<${sub.x}>", "sub.name": "sub.x", "sub.a": "${sub.b}", "sub.b": "${sub.a}"}
for name, text in TEXTS.items():
    script(f"substitute_{name}", text, conf=SUBSTITUTED)
    if name in ("text", "column", "circular", "shape"):
        script(f"substitute_off_{name}", text, conf={**SUBSTITUTED, "spark.sql.variable.substitute": "false"})
script("substitute_view", "CREATE OR REPLACE TEMPORARY VIEW sub_view AS SELECT '${sub.x}' AS a", "SELECT * FROM sub_view", conf=SUBSTITUTED)
script("substitute_view_text", "CREATE OR REPLACE VIEW sub_view_stored AS SELECT '${sub.x}' AS a", "SET sub.x = 6", "SELECT * FROM sub_view_stored", conf=SUBSTITUTED)
script("substitute_immediate", "EXECUTE IMMEDIATE 'SELECT ${sub.x} AS a'", conf=SUBSTITUTED)
script("substitute_parameter", "SELECT ${sub.x} AS a, '${sub.x}' AS b FROM t WHERE v = ${sub.x}", conf=SUBSTITUTED)


@area.case(conf=SUBSTITUTED)
def substitute_frame(c):
    return views(c).table("t").where("v = ${sub.x}").selectExpr("'${sub.x}' AS a", "k").withColumn("b", c.F.expr("${sub.x} * 2"))


@area.case(conf=SUBSTITUTED)
def substitute_arguments(c):
    return views(c).sql("SELECT :a AS a, '${sub.x}' AS b", args={"a": "${sub.x}"})

# --- settings that change answers and are not built: refused, but for their defaults
for setting in ("spark.sql.decimalOperations.allowPrecisionLoss=true", "spark.sql.ansi.doubleQuotedIdentifiers=false", "spark.sql.columnNameOfCorruptRecord=_corrupt_record"):
    script(f"default_of_{setting}", f"SET {setting}", "SELECT 1.5BD / 7 AS q")
