"""MERGE INTO Delta tables: rows, the statement's result, metrics and errors."""

from cases._sql import views
from harness import Area

area = Area("sql_merge")

# What does not depend on how rows lie in files, times and sizes.
METRICS = (
    "numSourceRows numTargetRowsInserted numTargetRowsUpdated numTargetRowsMatchedUpdated "
    "numTargetRowsNotMatchedBySourceUpdated numTargetRowsDeleted numTargetRowsMatchedDeleted "
    "numTargetRowsNotMatchedBySourceDeleted numTargetRowsCopied numOutputRows numTargetFilesRemoved"
).split()

TARGET = "id INT, v STRING, n BIGINT"
TARGET_ROWS = "(1, 'one', 10), (2, 'two', 20), (3, NULL, 30), (NULL, 'null', 40)"
SOURCE = "SELECT * FROM VALUES (2, 'TWO', 200), (3, 'THREE', 300), (4, 'FOUR', 400) AS s(id, v, n)"


def rows_of(spark, table):
    return sorted(str(row.asDict(recursive=True)) for row in spark.table(table).collect())


def last_commit(spark, table):
    row = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]
    metrics = {k: row.operationMetrics[k] for k in METRICS if k in row.operationMetrics}
    return [row.version, row.operation, row.readVersion, row.isolationLevel, row.isBlindAppend, metrics]


def merge(name, clauses, columns=TARGET, rows=TARGET_ROWS, source=SOURCE, on="t.id = s.id", using=None,
          target="$T t", head="MERGE INTO", conf=None, setup=(), partition="", parameters=False, twice=False, loose=(),
          properties=""):
    """One case: the statement's rows, the table's, and the last commit."""

    def run(c):
        spark = views(c)
        table = f"mg_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} ({columns}) USING delta {partition} {properties}")
        if rows:
            spark.sql(f"INSERT INTO {table} VALUES {rows}")
        for text in setup:
            spark.sql(text.replace("$T", table))
        text = f"{head} {target} USING {using or '(' + source + ') s'} ON {on} {clauses}".replace("$T", table)
        result = spark.sql(text)
        out = [result.columns, [list(row) for row in result.collect()]]
        if twice:
            out.append([list(row) for row in spark.sql(text).collect()])
        out += [spark.table(table).schema.simpleString(), rows_of(spark, table), last_commit(spark, table)]
        if parameters:
            history = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]
            out.append(history.operationParameters)
        return out

    area._add(name, run, conf=conf, loose=loose)


UPDATE = "WHEN MATCHED THEN UPDATE SET v = s.v, n = s.n"
INSERT = "WHEN NOT MATCHED THEN INSERT (id, v, n) VALUES (s.id, s.v, s.n)"

merge("upsert", f"{UPDATE} {INSERT}")
merge("upsert_star", "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
merge("update_only", UPDATE)
merge("update_expression", "WHEN MATCHED THEN UPDATE SET n = t.n + s.n, v = concat(t.v, '/', s.v)")
merge("update_default_of_old_row", "WHEN MATCHED THEN UPDATE SET id = CAST(t.n AS INT), n = t.id")
merge("update_unqualified_value", "WHEN MATCHED THEN UPDATE SET v = concat(m, 'x')",
      source="SELECT 2 AS id, 'q' AS m")
merge("update_condition", "WHEN MATCHED AND t.n > 20 THEN UPDATE SET v = 'cond'")
merge("update_null_condition", "WHEN MATCHED AND t.v = 'two' THEN UPDATE SET v = s.v WHEN MATCHED THEN DELETE")
merge("update_partial_qualified", "WHEN MATCHED THEN UPDATE SET t.v = s.v")
merge("delete_matched", "WHEN MATCHED THEN DELETE")
merge("delete_condition", "WHEN MATCHED AND s.n > 250 THEN DELETE")

# --- values that are cast ----------------------------------------------------------------------------------------
merge("cast_bad_text", "WHEN MATCHED THEN UPDATE SET n = s.n", source="SELECT 2 AS id, 'str' AS n")
merge("cast_overflow", "WHEN MATCHED THEN UPDATE SET id = s.n", source="SELECT 2 AS id, 3000000000L AS n")
merge("struct_member", "WHEN MATCHED THEN UPDATE SET t.s2.x = s.x, s2.y = 'new'",
      columns="id INT, s2 STRUCT<x: INT, y: STRING, z: STRUCT<q: INT>>",
      rows="(1, named_struct('x', 1, 'y', 'a', 'z', named_struct('q', 1))), (2, NULL)",
      source="SELECT * FROM VALUES (1, 10), (2, 20) AS s(id, x)")


# --- errors ------------------------------------------------------------------------------------------------------
def error(name, clauses, source=SOURCE, on="t.id = s.id", using=None, target="mg_errors t", loose=()):
    """One case of a statement that is refused before it changes anything: all share one table."""

    def run(c):
        spark = views(c)
        spark.sql(f"CREATE TABLE IF NOT EXISTS mg_errors ({TARGET}) USING delta")
        if spark.table("mg_errors").isEmpty():
            spark.sql(f"INSERT INTO mg_errors VALUES {TARGET_ROWS}")
        return spark.sql(f"MERGE INTO {target} USING {using or '(' + source + ') s'} ON {on} {clauses}").collect()

    area._add(name, run, loose=loose)


DOUBLE = "SELECT * FROM VALUES (1, 'x', 10), (1, 'y', 11) AS s(id, v, n)"
error("multiple_update", UPDATE, source=DOUBLE)
error("unresolved_on", UPDATE, on="t.id = s.nosuch")
error("unresolved_set_column", "WHEN MATCHED THEN UPDATE SET nosuch = s.v")
error("unresolved_set_value", "WHEN MATCHED THEN UPDATE SET v = s.nosuch")
error("unresolved_insert_column", "WHEN NOT MATCHED THEN INSERT (id, nosuch) VALUES (s.id, 1)")
error("unresolved_insert_value", "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.nosuch)")
error("unresolved_condition", "WHEN MATCHED AND nosuch > 1 THEN DELETE")
error("insert_of_target_column", "WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id)")
error("by_source_of_source_column", "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = s.v")
error("ambiguous_value", "WHEN MATCHED THEN UPDATE SET v = n")
error("star_missing_column", "WHEN MATCHED THEN UPDATE SET *", source="SELECT 2 AS id, 'Q' AS v")
error("set_twice", "WHEN MATCHED THEN UPDATE SET v = 'a', v = 'b'")
error("insert_twice", "WHEN NOT MATCHED THEN INSERT (id, id) VALUES (1, 2)")
error("insert_too_few_values", "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id)")
error("subquery_on", UPDATE, on="t.id = s.id AND t.id IN (SELECT v FROM t)", loose=("cond",))
error("aggregate_condition", "WHEN MATCHED AND max(s.n) > 1 THEN DELETE", loose=("predicate",))
error("random_on", UPDATE, on="t.id = s.id AND rand() < 2", loose=("expression",))
error("not_boolean_on", UPDATE, on="t.id + s.id")
error("not_boolean_condition", "WHEN MATCHED AND t.id + 1 THEN DELETE")
error("missing_table", UPDATE, target="nosuch_table t")
error("missing_source", UPDATE, using="nosuch_source s")

# --- schema evolution --------------------------------------------------------------------------------------------
EVOLVE = "MERGE WITH SCHEMA EVOLUTION INTO"
STARS = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
merge("evolve_star", STARS, head=EVOLVE, source="SELECT * FROM VALUES (2, 'Q', 5L, 'e'), (8, 'R', 6L, 'f') AS s(id, v, n, extra)")
STRUCTS = {"columns": "id INT, s STRUCT<a: INT, b: INT>", "source": "SELECT 2 AS id, named_struct('a', 30, 'c', 50L) AS s "
           "UNION ALL SELECT 3, named_struct('a', 31, 'c', 51L) UNION ALL SELECT 4, NULL UNION ALL SELECT 6, named_struct('a', 1, 'c', 2L)",
           "rows": "(1, named_struct('a', 1, 'b', 2)), (2, named_struct('a', 3, 'b', 4)), (3, NULL), (4, named_struct('a', 5, 'b', 6))"}
merge("evolve_star_members_of_target_only", STARS, head=EVOLVE, **STRUCTS)
merge("evolve_assigned_members_of_target_only", "WHEN MATCHED THEN UPDATE SET s = s.s", head=EVOLVE, **STRUCTS)
merge("evolve_assigned_new_member", "WHEN MATCHED THEN UPDATE SET s.c = s.s.c", head=EVOLVE, **STRUCTS)
merge("star_members_without_evolution", STARS, **STRUCTS)
merge("star_fewer_members_without_evolution", STARS, **{**STRUCTS, "source": "SELECT 2 AS id, named_struct('a', 30) AS s"})
merge("evolve_star_fewer_members", STARS, head=EVOLVE, **{**STRUCTS, "source": "SELECT 2 AS id, named_struct('a', 30) AS s"})
merge("evolve_star_nested_members", STARS, head=EVOLVE, columns="id INT, s STRUCT<i: STRUCT<a: INT, b: INT>, k: INT>",
      rows="(1, named_struct('i', named_struct('a', 1, 'b', 2), 'k', 3)), (2, named_struct('i', NULL, 'k', 4))",
      source="SELECT 1 AS id, named_struct('i', named_struct('a', 10, 'z', 20)) AS s UNION ALL SELECT 2, named_struct('i', named_struct('a', 11, 'z', 21))")
merge("evolve_star_members_in_array", STARS, head=EVOLVE, columns="id INT, s ARRAY<STRUCT<a: INT, b: INT>>",
      rows="(1, array(named_struct('a', 1, 'b', 2)))",
      source="SELECT 1 AS id, array(named_struct('a', 10, 'c', 20), named_struct('a', 11, 'c', 21)) AS s")
merge("evolve_star_members_in_map", STARS, head=EVOLVE, columns="id INT, s MAP<STRING, STRUCT<a: INT, b: INT>>",
      rows="(1, map('x', named_struct('a', 1, 'b', 2)))",
      source="SELECT 1 AS id, map('y', named_struct('a', 10, 'c', 20)) AS s")
merge("evolve_assignment", "WHEN MATCHED THEN UPDATE SET extra = s.extra", head=EVOLVE, source="SELECT 2 AS id, 1 AS extra")

# --- names of a WITH before the statement
merge("with_source", f"{UPDATE} {INSERT}", head=f"WITH src AS ({SOURCE}) MERGE INTO", using="src s")
merge("with_two", "WHEN MATCHED THEN UPDATE SET v = concat(s.v, '!')", using="(SELECT * FROM b) s",
      head=f"WITH a AS ({SOURCE}), b(id, v) AS (SELECT id, v FROM a WHERE id < 4) MERGE INTO")
merge("with_evolution", "WHEN NOT MATCHED THEN INSERT *", using="src s",
      head="WITH src AS (SELECT 9 AS id, 'n' AS v, 1L AS n, 2 AS more) MERGE WITH SCHEMA EVOLUTION INTO")
merge("with_unused", "WHEN MATCHED THEN DELETE", head="WITH src AS (SELECT 1) MERGE INTO")
error("with_unknown", "WHEN MATCHED THEN DELETE", using="WITH src AS (SELECT 1 AS id) src s")


def changed_with(name, text):
    def run(c):
        spark = views(c)
        spark.sql(f"DROP TABLE IF EXISTS mg_{name}")
        spark.sql(f"CREATE TABLE mg_{name} ({TARGET}) USING delta")
        spark.sql(f"INSERT INTO mg_{name} VALUES {TARGET_ROWS}")
        spark.sql(text.replace("$T", f"mg_{name}")).collect()
        return rows_of(spark, f"mg_{name}")

    area._add(name, run)


changed_with("with_update", "WITH q AS (SELECT 1 AS x) UPDATE $T SET n = n + 1 WHERE id = 2")
changed_with("with_delete", "WITH q AS (SELECT 1 AS x) DELETE FROM $T WHERE id = 2")
changed_with("with_delete_of_name", "WITH q AS (SELECT 2 AS x) DELETE FROM $T WHERE id IN (SELECT x FROM q)")
changed_with("with_delete_from_name", "WITH q AS (SELECT 2 AS x) DELETE FROM q WHERE x = 2")
