"""DEFAULT as a value in UPDATE and MERGE, ALTER COLUMN SET DEFAULT, and the places in errors of these statements."""

from cases._sql import views
from harness import Area

area = Area("sql_defaults")
FEATURE = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
COLUMNS = "a INT DEFAULT 5, b STRING DEFAULT 'q', c INT, d DATE DEFAULT current_date(), e DOUBLE DEFAULT 1 + 1"
SHOWN = "SELECT a, b, c, d = current_date() AS d, e FROM $T"
ROWS = "(1, 'x', 10, '2020-01-01', 0), (2, 'y', 20, '2020-01-01', 0)"
S = "(SELECT * FROM VALUES (2, 'Y', 200), (3, 'Z', 300) AS s(a, b, c)) s"


def rows(name, *texts, columns=COLUMNS, initial=ROWS, shown=SHOWN, tail=FEATURE, conf=None, loose=()):
    def run(c):
        spark = views(c)
        table = f"df_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} ({columns}) USING delta {tail}")
        if initial:
            spark.sql(f"INSERT INTO {table} VALUES {initial}")
        for text in texts:
            spark.sql(text.replace("$T", table)).collect()
        return spark.sql(shown.replace("$T", table))

    area._add(name, run, conf=conf, loose=loose)


def message(name, *texts, columns=COLUMNS, initial=ROWS, tail=FEATURE):
    """The whole message of the last statement, with the marked place."""

    def run(c):
        spark = views(c)
        table = f"df_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} ({columns}) USING delta {tail}")
        if initial:
            spark.sql(f"INSERT INTO {table} VALUES {initial}")
        for text in texts[:-1]:
            spark.sql(text.replace("$T", table))
        try:
            spark.sql(texts[-1].replace("$T", table)).collect()
        except Exception as error:  # noqa: BLE001: the error is the result
            return type(error).__name__ + "\n" + str(error).split("\n\nJVM stacktrace")[0].split(";\n'")[0]
        return "no error"

    area._add(name, run)


# --- UPDATE
rows("update", "UPDATE $T SET a = DEFAULT WHERE c = 10")
rows("update_several", "UPDATE $T SET a = DEFAULT, b = DEFAULT, d = DEFAULT, e = DEFAULT")
rows("update_without", "UPDATE $T SET c = DEFAULT")
rows("update_mixed", "UPDATE $T SET a = DEFAULT, c = a + 1")
rows("update_alias", "UPDATE $T AS x SET x.a = DEFAULT WHERE x.c = 10")
rows("update_lower", "UPDATE $T SET a = default")
rows("update_inside", "UPDATE $T SET a = DEFAULT + 1")
rows("update_bracket", "UPDATE $T SET a = (DEFAULT)")
rows("update_where", "UPDATE $T SET a = 1 WHERE a = DEFAULT")
rows("update_function", "UPDATE $T SET a = coalesce(DEFAULT, 1)")
rows("update_column_named_default", "UPDATE $T SET c = DEFAULT", columns="`default` INT, c INT", initial="(1, 2)", shown="SELECT * FROM $T", tail="")
rows("update_no_feature", "UPDATE $T SET c = DEFAULT", columns="a INT, c INT", initial="(1, 2)", shown="SELECT * FROM $T", tail="")
rows("update_not_null", "UPDATE $T SET c = DEFAULT", columns="a INT, c INT NOT NULL", initial="(1, 2)", shown="SELECT * FROM $T", tail="")
rows("update_field", "UPDATE $T SET s.x = DEFAULT", columns="a INT, s STRUCT<x: INT, y: INT>", initial="(1, named_struct('x', 1, 'y', 2))", shown="SELECT * FROM $T", tail="")
rows("update_struct", "UPDATE $T SET s = DEFAULT", columns="a INT, s STRUCT<x: INT, y: INT> DEFAULT named_struct('x', 7, 'y', 8)", initial="(1, named_struct('x', 1, 'y', 2))", shown="SELECT * FROM $T")
rows("update_generated", "UPDATE $T SET g = DEFAULT", columns="a INT, g INT GENERATED ALWAYS AS (a * 2)", initial="(1, DEFAULT)", shown="SELECT * FROM $T", tail="")

# --- MERGE
M = f"MERGE INTO $T t USING {S} ON t.a = s.a "
rows("merge_update", M + "WHEN MATCHED THEN UPDATE SET b = DEFAULT, c = s.c")
rows("merge_update_all", M + "WHEN MATCHED THEN UPDATE SET a = DEFAULT, b = DEFAULT, c = DEFAULT, e = DEFAULT")
rows("merge_insert", M + "WHEN NOT MATCHED THEN INSERT (a, b, c, e) VALUES (s.a, DEFAULT, s.c, DEFAULT)")
rows("merge_insert_without", M + "WHEN NOT MATCHED THEN INSERT (a, c) VALUES (s.a, DEFAULT)")
rows("merge_insert_few", M + "WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)")
rows("merge_insert_all_defaults", M + "WHEN NOT MATCHED THEN INSERT (a, b, c, d, e) VALUES (DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT)")
rows("merge_insert_star", M + "WHEN NOT MATCHED THEN INSERT *")
rows("merge_update_star", M + "WHEN MATCHED THEN UPDATE SET *")
rows("merge_by_source", M + "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET a = DEFAULT, b = DEFAULT")
rows("merge_three", M + "WHEN MATCHED THEN UPDATE SET b = DEFAULT WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, DEFAULT) WHEN NOT MATCHED BY SOURCE THEN UPDATE SET c = DEFAULT")
rows("merge_inside", M + "WHEN MATCHED THEN UPDATE SET a = DEFAULT + 1")
rows("merge_insert_inside", M + "WHEN NOT MATCHED THEN INSERT (a, b) VALUES (DEFAULT + 1, 'x')")
rows("merge_condition", M + "WHEN MATCHED AND t.a = DEFAULT THEN DELETE")
rows("merge_on", f"MERGE INTO $T t USING {S} ON t.a = DEFAULT WHEN MATCHED THEN DELETE")
rows("merge_source_default", "MERGE INTO $T t USING (SELECT 2 AS a, 9 AS `default`) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET c = DEFAULT")
rows("merge_evolve", "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT 2 AS a, 9 AS z) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *, b = DEFAULT")
rows("merge_generated", f"MERGE INTO $T t USING {S} ON t.a = s.a WHEN NOT MATCHED THEN INSERT (a, g) VALUES (s.a, DEFAULT)", columns="a INT, g INT GENERATED ALWAYS AS (a * 2)", initial="(1, DEFAULT)", shown="SELECT * FROM $T", tail="")
rows("merge_no_feature", f"MERGE INTO $T t USING {S} ON t.a = s.a WHEN MATCHED THEN UPDATE SET c = DEFAULT WHEN NOT MATCHED THEN INSERT (a, c) VALUES (s.a, DEFAULT)", columns="a INT, c INT", initial="(1, 2), (2, 3)", shown="SELECT * FROM $T", tail="")

# --- INSERT
rows("insert_one", "INSERT INTO $T VALUES (DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT)")
rows("insert_rows", "INSERT INTO $T VALUES (1, DEFAULT, 1, DEFAULT, 1), (DEFAULT, 'z', DEFAULT, DEFAULT, DEFAULT)")
rows("insert_list", "INSERT INTO $T (c, b) VALUES (1, DEFAULT)")
rows("insert_select", "INSERT INTO $T (c, b) SELECT 5, DEFAULT")
rows("insert_overwrite", "INSERT OVERWRITE $T (c, b) VALUES (1, DEFAULT)")
rows("insert_by_name", "INSERT INTO $T BY NAME SELECT 7 AS c")
rows("insert_few", "INSERT INTO $T VALUES (1, 'k')")
rows("insert_replace_where", "INSERT INTO $T REPLACE WHERE a = 1 VALUES (1, DEFAULT, 99, DEFAULT, DEFAULT)")
rows("insert_frame_columns", "INSERT INTO $T (a) SELECT id FROM range(2)")
rows("insert_partition", "INSERT INTO $T PARTITION (p = 'k') VALUES (DEFAULT)", columns="a INT DEFAULT 5, p STRING", initial="", shown="SELECT * FROM $T", tail="PARTITIONED BY (p) " + FEATURE)

# --- ALTER COLUMN … DEFAULT, ADD COLUMN … DEFAULT
rows("alter_set", "ALTER TABLE $T ALTER COLUMN c SET DEFAULT 42", "INSERT INTO $T (a) VALUES (9)")
rows("alter_set_no_feature", "ALTER TABLE $T ALTER COLUMN c SET DEFAULT 42", columns="a INT, c INT", initial="", shown="SELECT * FROM $T", tail="")
rows("alter_drop", "ALTER TABLE $T ALTER COLUMN a DROP DEFAULT", "INSERT INTO $T (c) VALUES (9)")
rows("alter_drop_none", "ALTER TABLE $T ALTER COLUMN c DROP DEFAULT")
rows("alter_drop_no_feature", "ALTER TABLE $T ALTER COLUMN c DROP DEFAULT", columns="a INT, c INT", initial="", shown="SELECT * FROM $T", tail="")
rows("alter_set_bad", "ALTER TABLE $T ALTER COLUMN c SET DEFAULT 'x'")
rows("alter_set_bad_name", "ALTER TABLE $T ALTER COLUMN c SET DEFAULT zz")
rows("alter_set_subquery", "ALTER TABLE $T ALTER COLUMN c SET DEFAULT (SELECT 1)")
rows("alter_add_default", "ALTER TABLE $T ADD COLUMN z INT DEFAULT 3")
rows("alter_add_default_no_feature", "ALTER TABLE $T ADD COLUMN z INT DEFAULT 3", columns="a INT, c INT", initial="", shown="SELECT * FROM $T", tail="")
rows("alter_feature_later", "ALTER TABLE $T SET TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')", "ALTER TABLE $T ALTER COLUMN c SET DEFAULT 42", "INSERT INTO $T (a) VALUES (1)", columns="a INT, c INT", initial="", shown="SELECT * FROM $T", tail="")
rows("replace_default_no_feature", "CREATE OR REPLACE TABLE $T (a INT DEFAULT 3) USING delta", columns="a INT, c INT", initial="", shown="SELECT * FROM $T", tail="")

# --- places of casts that fail in MERGE, UPDATE, INSERT
BAD = "(SELECT * FROM VALUES (2, 'Y', 'bad') AS s(a, b, c)) s"
for place, text in {
    "merge_update": f"MERGE INTO $T t USING {BAD} ON t.a = s.a WHEN MATCHED THEN UPDATE SET c = s.c",
    "merge_update_cast": f"MERGE INTO $T t USING {BAD} ON t.a = s.a WHEN MATCHED THEN UPDATE SET c = cast(s.c AS INT) + 1",
    "merge_update_star": f"MERGE INTO $T t USING {BAD} ON t.a = s.a WHEN MATCHED THEN UPDATE SET *",
    "merge_insert": f"MERGE INTO $T t USING {BAD} ON t.a = s.a AND false WHEN NOT MATCHED THEN INSERT (a, c) VALUES (s.a, s.c)",
    "merge_insert_cast": f"MERGE INTO $T t USING {BAD} ON t.a = s.a AND false WHEN NOT MATCHED THEN INSERT (a, c) VALUES (s.a, cast(s.c AS INT))",
    "merge_insert_star": f"MERGE INTO $T t USING {BAD} ON t.a = s.a AND false WHEN NOT MATCHED THEN INSERT *",
    "merge_condition": f"MERGE INTO $T t USING {BAD} ON t.a = s.a WHEN MATCHED AND cast(s.c AS INT) = 1 THEN DELETE",
    "merge_on": f"MERGE INTO $T t USING {BAD} ON t.a = cast(s.c AS INT) WHEN MATCHED THEN DELETE",
    "merge_divide": f"MERGE INTO $T t USING {BAD} ON t.a = s.a WHEN MATCHED THEN UPDATE SET c = 1 / (t.a - 2)",
    "merge_overflow": "MERGE INTO $T t USING (SELECT 2 AS a, 99999999999 AS c) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET c = s.c",
    "merge_unknown": f"MERGE INTO $T t USING {BAD} ON t.a = s.a WHEN MATCHED THEN UPDATE SET c = s.nope",
    "merge_unknown_target": f"MERGE INTO $T t USING {BAD} ON t.a = s.a WHEN MATCHED THEN UPDATE SET nope = s.c",
    "update": "UPDATE $T SET c = b",
    "update_cast": "UPDATE $T SET c = cast(b AS INT)",
    "update_divide": "UPDATE $T SET c = 1 / (a - 1)",
    "update_where": "UPDATE $T SET c = 1 WHERE cast(b AS INT) = 1",
    "delete_where": "DELETE FROM $T WHERE cast(b AS INT) = 1",
    "insert": "INSERT INTO $T (c) SELECT 'bad'",
    "insert_select": "INSERT INTO $T (c) SELECT b FROM $T",
    "insert_values": "INSERT INTO $T (c) VALUES ('bad')",
}.items():
    message("place_" + place, text)

# --- parts of a table that are replaced
PARTS = "a INT, b STRING DEFAULT 'd', c INT"
PART_ROWS = "(1, 'x', 1), (2, 'y', 2)"
PARTED = "PARTITIONED BY (c) " + FEATURE
rows("overwrite_partition", "INSERT OVERWRITE $T PARTITION (c = 1) SELECT 5, 'z'", columns=PARTS, initial=PART_ROWS, tail=PARTED, shown="SELECT * FROM $T")
rows("overwrite_partition_default", "INSERT OVERWRITE $T PARTITION (c = 1) (a) SELECT 5", columns=PARTS, initial=PART_ROWS, tail=PARTED, shown="SELECT * FROM $T")
rows("replace_where", "INSERT INTO $T REPLACE WHERE c = 1 SELECT 7, 'q', 1", columns=PARTS, initial=PART_ROWS, tail=PARTED, shown="SELECT * FROM $T")
rows("replace_where_data", "INSERT INTO $T REPLACE WHERE a = 2 SELECT 2, 'q', 1", columns=PARTS, initial=PART_ROWS, tail=PARTED, shown="SELECT * FROM $T")


def replaced_by_frame(name, columns, frame, where):
    def run(c):
        spark = views(c)
        spark.sql(f"DROP TABLE IF EXISTS df_{name}")
        spark.sql(f"CREATE TABLE df_{name} ({columns}) USING delta {FEATURE}")
        spark.sql(f"INSERT INTO df_{name} (a, c) VALUES (1, 1), (2, 2)")
        spark.sql(frame).write.format("delta").mode("overwrite").option("replaceWhere", where).saveAsTable(f"df_{name}")
        return spark.table(f"df_{name}")

    area._add(name, run)


replaced_by_frame("frame_replace_where", PARTS, "SELECT 7 AS a, 'q' AS b, 1 AS c", "c = 1")
replaced_by_frame("frame_replace_where_generated", "a INT, c INT, g INT GENERATED ALWAYS AS (a + 1)", "SELECT 7 AS a, 1 AS c", "c = 1")
replaced_by_frame("frame_replace_where_default_missing", PARTS, "SELECT 7 AS a, 1 AS c", "c = 1")
