"""DEFAULT, GENERATED and IDENTITY columns, constraints and clustering of Delta tables."""

import glob
import json

from cases._sql import views
from harness import Area

area = Area("sql_columns")
DEFAULTS = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"


def script(name, *texts, ordered=False, conf=None, loose=()):
    """One case: the texts one after the other; the result is the last one's."""

    def run(c):
        spark = views(c)
        for text in texts[:-1]:
            spark.sql(text.replace("$TMP", str(c.folder)))
        return spark.sql(texts[-1].replace("$TMP", str(c.folder)))

    area._add(name, run, ordered, conf, loose)


def log(name, *texts):
    """The protocol, columns, settings and domains that a table's log holds after the texts, which name it $T."""

    def run(c):
        spark = views(c)
        path = c.path("table")
        for text in texts:
            spark.sql(text.replace("$T", f"delta.`{path}`"))
        out = {}
        for file in sorted(glob.glob(f"{path}/_delta_log/*.json")):
            for line in open(file):
                action = json.loads(line)
                if "protocol" in action:
                    out["protocol"] = {k: sorted(v) if isinstance(v, list) else v for k, v in action["protocol"].items()}
                if "metaData" in action:
                    fields = json.loads(action["metaData"]["schemaString"])["fields"]
                    out["columns"] = fields
                    out["settings"] = action["metaData"]["configuration"]
                if "domainMetadata" in action:
                    out[action["domainMetadata"]["domain"]] = action["domainMetadata"]["configuration"]
                if "commitInfo" in action:
                    out.setdefault("operations", []).append(action["commitInfo"]["operation"])
                if "add" in action:
                    out["clusteringProvider"] = action["add"].get("clusteringProvider")
        return out

    area._add(name, run)


def made(table, columns, tail=DEFAULTS):
    return f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({columns}) USING delta {tail}"


def rows(name, table, columns, *texts, tail=DEFAULTS, conf=None, loose=()):
    script(name, *made(table, columns, tail), *texts, f"SELECT * FROM {table}", conf=conf, loose=loose)


# --- DEFAULT
log("default_log", f"CREATE TABLE $T (a INT DEFAULT 5, b STRING DEFAULT 'it''s', c DATE COMMENT 'c') USING delta {DEFAULTS}")
script("default_no_feature", "DROP TABLE IF EXISTS cd1", "CREATE TABLE cd1 (a INT DEFAULT 5) USING delta")
rows("default_missing", "cd2", "a INT DEFAULT 5, b STRING", "INSERT INTO cd2 (b) VALUES ('x')")
rows("default_word", "cd3", "a INT DEFAULT 5, b STRING DEFAULT 'q'", "INSERT INTO cd3 VALUES (DEFAULT, DEFAULT), (1, DEFAULT)")
rows("default_few", "cd8", "a INT, b STRING DEFAULT 'q'", "INSERT INTO cd8 VALUES (1)")
script("default_bad_type", "DROP TABLE IF EXISTS cd19", f"CREATE TABLE cd19 (a INT DEFAULT 'x') USING delta {DEFAULTS}")
script("default_bad_name", "DROP TABLE IF EXISTS cd20", f"CREATE TABLE cd20 (a INT DEFAULT zz) USING delta {DEFAULTS}")
script("default_subquery", "DROP TABLE IF EXISTS cd21", f"CREATE TABLE cd21 (a INT DEFAULT (SELECT 1)) USING delta {DEFAULTS}")
script("default_column_reference", "DROP TABLE IF EXISTS cd22", f"CREATE TABLE cd22 (a INT, b INT DEFAULT a) USING delta {DEFAULTS}")


@area.case()
def default_frame(c):
    spark = views(c)
    for text in made("cd31", "a INT DEFAULT 5, b STRING DEFAULT 'q'"):
        spark.sql(text)
    spark.sql("SELECT 'x' AS b").write.mode("append").format("delta").saveAsTable("cd31")
    return spark.table("cd31")


@area.case()
def default_insert_into(c):
    spark = views(c)
    for text in made("cd32", "a INT DEFAULT 5, b STRING DEFAULT 'q'"):
        spark.sql(text)
    spark.sql("SELECT 1").write.insertInto("cd32")
    return spark.table("cd32")


# --- GENERATED ALWAYS AS (expression)
G = "a INT, b INT GENERATED ALWAYS AS (a + 1)"
log("generated_log", f"CREATE TABLE $T ({G}, c DATE GENERATED ALWAYS AS (CAST(ts AS DATE)) COMMENT 'c', ts TIMESTAMP) USING delta")
rows("generated_missing", "cg1", G, "INSERT INTO cg1 (a) VALUES (1), (NULL)", tail="")
rows("generated_given", "cg2", G, "INSERT INTO cg2 VALUES (1, 2)", tail="")
rows("generated_wrong", "cg3", G, "INSERT INTO cg3 VALUES (1, 5)", tail="", loose=("values",))
rows("generated_default", "cg4", G, "INSERT INTO cg4 VALUES (1, DEFAULT)", tail="")
rows("generated_few", "cg9", G, "INSERT INTO cg9 VALUES (1)", tail="")
script("generated_name", "DROP TABLE IF EXISTS cg10", "CREATE TABLE cg10 (a INT, b INT GENERATED ALWAYS AS (zz + 1)) USING delta")
script("generated_type", "DROP TABLE IF EXISTS cg11", "CREATE TABLE cg11 (a INT, b STRING GENERATED ALWAYS AS (a + 1)) USING delta")
script("generated_random", "DROP TABLE IF EXISTS cg12", "CREATE TABLE cg12 (a INT, b DOUBLE GENERATED ALWAYS AS (rand())) USING delta")
script("generated_aggregate", "DROP TABLE IF EXISTS cg13", "CREATE TABLE cg13 (a INT, b INT GENERATED ALWAYS AS (max(a))) USING delta")
script("generated_itself", "DROP TABLE IF EXISTS cg14", "CREATE TABLE cg14 (a INT, b INT GENERATED ALWAYS AS (b + 1)) USING delta")
script("generated_of_generated", "DROP TABLE IF EXISTS cg15", f"CREATE TABLE cg15 ({G}, c INT GENERATED ALWAYS AS (b + 1)) USING delta")


@area.case()
def generated_frame(c):
    spark = views(c)
    for text in made("cg20", G, ""):
        spark.sql(text)
    spark.sql("SELECT 6 AS a").write.mode("append").format("delta").saveAsTable("cg20")
    return spark.table("cg20")


# --- IDENTITY
log("identity_log", "CREATE TABLE $T (a BIGINT GENERATED ALWAYS AS IDENTITY, b INT) USING delta")

# --- constraints
log("check_log", "CREATE TABLE $T (a INT, b STRING) USING delta", "ALTER TABLE $T ADD CONSTRAINT positive CHECK (a > 0)")
rows("check_violated", "ck2", "a INT, b STRING", "ALTER TABLE ck2 ADD CONSTRAINT positive CHECK (a > 0)", "INSERT INTO ck2 VALUES (-1, 'x')", tail="", loose=("values",))
script("check_exists", *made("ck3", "a INT", ""), "ALTER TABLE ck3 ADD CONSTRAINT c CHECK (a > 0)", "ALTER TABLE ck3 ADD CONSTRAINT C CHECK (a > 1)")
script("check_rows", *made("ck4", "a INT", ""), "INSERT INTO ck4 VALUES (-1)", "ALTER TABLE ck4 ADD CONSTRAINT c CHECK (a > 0)")
script("check_not_boolean", *made("ck6", "a INT", ""), "ALTER TABLE ck6 ADD CONSTRAINT c CHECK (a)")
script("check_drop_missing", *made("ck7", "a INT", ""), "ALTER TABLE ck7 DROP CONSTRAINT nosuch")
script("check_create", "DROP TABLE IF EXISTS ck10", "CREATE TABLE ck10 (a INT CHECK (a > 0)) USING delta")
script("check_create_named", "DROP TABLE IF EXISTS ck11", "CREATE TABLE ck11 (a INT, CONSTRAINT c CHECK (a > 0)) USING delta")
script("primary_key", "DROP TABLE IF EXISTS ck12", "CREATE TABLE ck12 (a INT PRIMARY KEY) USING delta")

# --- CLUSTER BY
log("cluster_log", "CREATE TABLE $T (a INT, b STRING) USING delta CLUSTER BY (a, b)")
script("cluster_missing", "DROP TABLE IF EXISTS cl3", "CREATE TABLE cl3 (a INT) USING delta CLUSTER BY (zz)")
script("cluster_twice", "DROP TABLE IF EXISTS cl5", "CREATE TABLE cl5 (a INT, b INT) USING delta CLUSTER BY (a, a)")
script("cluster_many", "DROP TABLE IF EXISTS cl6", "CREATE TABLE cl6 (a INT, b INT, c INT, d INT, e INT) USING delta CLUSTER BY (a, b, c, d, e)")
script("cluster_detail", *made("cl7", "a INT, b STRING", "CLUSTER BY (a)"), "SELECT clusteringColumns FROM (DESCRIBE DETAIL cl7)")
script("cluster_alter_plain", *made("cl8", "a INT", ""), "ALTER TABLE cl8 CLUSTER BY (a)")


