"""Columns that get wider types (delta.enableTypeWidening): by ALTER TABLE, by a merge of schemas, by MERGE."""

from cases._delta import folder_of, metadata_of, rows_of, shown, tried
from cases._sql import views
from harness import Area

area = Area("delta_widening")

ON = "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"
NUMBERS = f"CREATE TABLE $T (k INT, b TINYINT, i INT, l BIGINT, f FLOAT, d DECIMAL(5,2)) USING delta {ON}"
ROW = "INSERT INTO $T VALUES (1, 1, 2, 3, 4.5, 5.25)"


def notes_of(schema):
    """The changes of types, by column; without what each writer orders as it likes."""
    return [[field["name"], field["type"], field["metadata"].get("delta.typeChanges")] for field in schema["fields"]]


def script(name, *statements, create=NUMBERS):
    def run(c):
        spark = views(c)
        table = f"wd_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        out = []
        for statement in (create, *statements):
            if callable(statement):
                out.append(tried(lambda s=statement: s(spark, table), c.folder))
                continue
            text = statement.replace("$T", table)
            out.append(shown(tried(lambda t=text: rows_of(spark.sql(t)), c.folder)))
        schema, _, configuration, protocol = metadata_of(folder_of(spark, table))
        return out + [rows_of(spark.table(table)), notes_of(schema), configuration, protocol]

    area._add(name, run)


def to(column, type_name):
    return f"ALTER TABLE $T ALTER COLUMN {column} TYPE {type_name}"


script("integers", ROW, to("b", "SMALLINT"), to("b", "INT"), "INSERT INTO $T VALUES (2, 70000, 2, 3, 4.5, 5.25)", to("b", "BIGINT"), to("i", "BIGINT"), "SELECT k FROM $T WHERE b = 1", "SELECT k FROM $T WHERE b > 100")
script("to_double", ROW, to("b", "DOUBLE"), to("i", "DOUBLE"), to("f", "DOUBLE"), "SELECT k FROM $T WHERE i = 2.0D", to("l", "DOUBLE"))
script("to_decimal", ROW, to("i", "DECIMAL(10,0)"), to("l", "DECIMAL(20,0)"), to("b", "DECIMAL(12,2)"), to("d", "DECIMAL(10,4)"), "INSERT INTO $T VALUES (2, 70000.25, 2, 3, 4.5, 500000.1234)", "SELECT k FROM $T WHERE d = 5.25")
script("too_narrow", to("i", "DECIMAL(9,0)"), to("l", "DECIMAL(19,0)"), to("d", "DECIMAL(6,4)"), to("d", "DECIMAL(4,2)"), to("i", "SMALLINT"), to("l", "INT"), to("f", "INT"), to("i", "FLOAT"), to("l", "STRING"), to("i", "DATE"), to("i", "BOOLEAN"))
script("same_type", to("i", "INT"), to("d", "DECIMAL(5,2)"))
script("not_enabled", to("i", "BIGINT"), to("i", "STRING"), to("i", "TINYINT"), "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')", to("i", "BIGINT"),
       "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableTypeWidening' = 'false')", to("i", "DECIMAL(30,0)"), "ALTER TABLE $T UNSET TBLPROPERTIES ('delta.enableTypeWidening')", create="CREATE TABLE $T (k INT, i INT) USING delta")
script("feature_only", to("i", "BIGINT"), create="CREATE TABLE $T (k INT, i INT) USING delta TBLPROPERTIES ('delta.feature.typeWidening' = 'supported')")
script("bad_value", "ALTER TABLE $T SET TBLPROPERTIES ('delta.enableTypeWidening' = 'maybe')", create="CREATE TABLE $T (k INT) USING delta")
script("nested", "INSERT INTO $T SELECT 1, named_struct('x', 1S, 'y', named_struct('z', 2)), array(3), map(4S, 5), array(named_struct('e', 6))", to("s.x", "INT"), to("s.y.z", "BIGINT"), to("a.element", "BIGINT"),
       to("m.key", "INT"), to("m.value", "BIGINT"), to("t.element.e", "BIGINT"), to("a.element", "INT"),
       create=f"CREATE TABLE $T (k INT, s STRUCT<x: SMALLINT, y: STRUCT<z: INT>>, a ARRAY<INT>, m MAP<SMALLINT, INT>, t ARRAY<STRUCT<e: INT>>) USING delta {ON}")
script("mapped", "INSERT INTO $T VALUES (1, 2)", "ALTER TABLE $T RENAME COLUMN v TO w", to("w", "BIGINT"), "INSERT INTO $T VALUES (2, 10000000000)", "SELECT k FROM $T WHERE w = 2",
       create=f"CREATE TABLE $T (k INT, v INT) USING delta {ON[:-1]}, 'delta.columnMapping.mode' = 'name')")
script("partition_column", "INSERT INTO $T VALUES (1, 1)", to("p", "BIGINT"), "INSERT INTO $T VALUES (2, 10000000000)", "SELECT k FROM $T WHERE p = 1", create=f"CREATE TABLE $T (k INT, p INT) USING delta PARTITIONED BY (p) {ON}")
script("dependents", "ALTER TABLE $T ADD CONSTRAINT c CHECK (k > 0)", to("k", "BIGINT"), to("i", "BIGINT"), to("j", "BIGINT"), create=f"CREATE TABLE $T (k INT, i INT, j INT, g INT GENERATED ALWAYS AS (i + 1)) USING delta {ON}")
script("rewritten", ROW, to("i", "BIGINT"), "UPDATE $T SET i = i + 10000000000", "OPTIMIZE $T", "DELETE FROM $T WHERE i = 2")


def append(query, mode="append", **options):
    def run(spark, table):
        spark.sql(query).write.format("delta").mode(mode).options(**options).save(str(folder_of(spark, table)))
    return run


KV = f"CREATE TABLE $T (k INT, v SMALLINT) USING delta {ON}"
script("merged", "INSERT INTO $T VALUES (1, 1)", append("SELECT 2 AS k, 70000 AS v", mergeSchema="true"), append("SELECT 3L AS k, 700000000000L AS v, 'x' AS n", mergeSchema="true"), create=KV)
script("merged_narrower", append("SELECT 2S AS k, 1Y AS v", mergeSchema="true"), append("SELECT CAST(1.50 AS DECIMAL(4,2)) AS v", mergeSchema="true"), create=KV)
script("merged_other_kind", append("SELECT 1 AS k, 2.5D AS v", mergeSchema="true"), append("SELECT 1 AS k, CAST(2 AS DECIMAL(20,0)) AS v", mergeSchema="true"), append("SELECT 1 AS k, 'x' AS v", mergeSchema="true"), create=KV)
script("merged_without_option", append("SELECT 2 AS k, 7 AS v"), append("SELECT 2L AS k, 7S AS v"), create=KV)
script("merged_not_enabled", append("SELECT 2 AS k, 70 AS v", mergeSchema="true"), append("SELECT 2L AS k, 7S AS v", mergeSchema="true"), create="CREATE TABLE $T (k INT, v SMALLINT) USING delta")
script("merged_floats", append("SELECT 1 AS k, 2.5D AS f, CAST(1.5 AS DECIMAL(10,4)) AS d", mergeSchema="true"), create=f"CREATE TABLE $T (k INT, f FLOAT, d DECIMAL(5,2)) USING delta {ON}")
script("merged_nested", append("SELECT 1 AS k, named_struct('x', 70000) AS s, array(10000000000L) AS a", mergeSchema="true"), create=f"CREATE TABLE $T (k INT, s STRUCT<x: SMALLINT>, a ARRAY<INT>) USING delta {ON}")
script("merged_overwrite", "INSERT INTO $T VALUES (1, 1)", append("SELECT 2L AS k, 70000 AS v", mode="overwrite", mergeSchema="true"), append("SELECT 2S AS k, 7Y AS v", mode="overwrite", overwriteSchema="true"), create=KV)

MERGE = "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT {}) s ON t.k = s.k "
script("merge_into", "INSERT INTO $T VALUES (1, 1), (5, 5)", MERGE.format("1 AS k, 70000 AS v") + "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *",
       MERGE.format("2L AS k, 700000000000L AS v") + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", create=KV)
script("merge_into_without_evolution", "INSERT INTO $T VALUES (1, 1)", "MERGE INTO $T t USING (SELECT 1 AS k, 70 AS v) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *", create=KV)
script("merge_into_other_kind", "INSERT INTO $T VALUES (1, 1)", MERGE.format("1 AS k, 2.5D AS v") + "WHEN MATCHED THEN UPDATE SET *", create=KV)
script("merge_into_column_not_taken", "INSERT INTO $T VALUES (1, 1)", MERGE.format("1L AS k, 70 AS v") + "WHEN MATCHED THEN UPDATE SET v = s.v", create=KV)
