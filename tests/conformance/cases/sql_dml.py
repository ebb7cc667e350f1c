"""DELETE and UPDATE of Delta tables."""

from cases._sql import views
from harness import Area

area = Area("sql_dml")


def script(name, *texts):
    """One case: a table `dm` of three rows, the texts, then its rows, unless the last text gives rows."""

    def run(c):
        spark = views(c)
        table = f"dml_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} (a INT, b STRING, p INT) USING delta PARTITIONED BY (p)")
        spark.sql(f"INSERT INTO {table} VALUES (1, 'x', 1), (2, NULL, 1), (3, 'z', 2), (NULL, 'n', 2)")
        result = None
        for text in texts:
            result = spark.sql(text.replace("$T", table))
        if texts[-1].startswith(("SELECT", "DESCRIBE")):
            return result
        return [[list(row) for row in result.collect()], sorted(str(list(r)) for r in spark.table(table).collect())]

    area._add(name, run)


script("delete", "DELETE FROM $T WHERE a = 1")
script("delete_none", "DELETE FROM $T WHERE a = 100")
script("delete_all", "DELETE FROM $T")
script("delete_null_condition", "DELETE FROM $T WHERE a > 1")
script("delete_partition", "DELETE FROM $T WHERE p = 2")
script("delete_alias", "DELETE FROM $T AS d WHERE d.a = 2")
script("delete_subquery", "DELETE FROM $T WHERE a IN (SELECT v FROM t)")
script("delete_exists", "DELETE FROM $T WHERE EXISTS (SELECT 1 FROM t WHERE t.v = a)")
script("delete_missing_column", "DELETE FROM $T WHERE zz = 1")
script("delete_missing_table", "DELETE FROM nosuch WHERE a = 1")
script("delete_view", "CREATE OR REPLACE TEMP VIEW dmlv AS SELECT 1 AS a", "DELETE FROM dmlv WHERE a = 1")
script("delete_schema", "DELETE FROM $T WHERE a = 1", "SELECT * FROM $T")
script("update", "UPDATE $T SET b = 'new' WHERE a = 1")
script("update_all", "UPDATE $T SET a = 0")
script("update_two", "UPDATE $T SET a = a + 10, b = CAST(a AS STRING) WHERE a IS NOT NULL")
script("update_swap_values", "UPDATE $T SET a = p, p = a WHERE a < 3")
script("update_cast", "UPDATE $T SET a = '7' WHERE a = 1")
script("update_cast_bad", "UPDATE $T SET a = 'x' WHERE a = 1")
script("update_null", "UPDATE $T SET b = NULL WHERE p = 1")
script("update_alias", "UPDATE $T AS d SET d.b = 'q' WHERE d.a = 3")
script("update_subquery", "UPDATE $T SET b = (SELECT max(k) FROM t) WHERE a IN (SELECT v FROM t)")
script("update_missing_column", "UPDATE $T SET zz = 1")
script("update_twice", "UPDATE $T SET a = 1, a = 2")
script("update_none", "UPDATE $T SET a = 1 WHERE false")
script("update_partition", "UPDATE $T SET p = 9 WHERE a = 3")
script("update_case", "UPDATE $T SET A = 5 WHERE B = 'x'")


@area.case()
def history(c):
    spark = views(c)
    spark.sql("DROP TABLE IF EXISTS dml_h")
    spark.sql("CREATE TABLE dml_h (a INT) USING delta")
    spark.sql("INSERT INTO dml_h VALUES (1), (2)")
    spark.sql("DELETE FROM dml_h WHERE a = 1")
    spark.sql("UPDATE dml_h SET a = 3")
    return [[r.version, r.operation] for r in spark.sql("DESCRIBE HISTORY dml_h").collect()]


METRICS = "numRemovedFiles numAddedFiles numDeletedRows numUpdatedRows numCopiedRows numAddedChangeFiles".split()


def change(name, *texts, columns="a INT, b STRING, p INT", rows=("(1, 'x', 1), (2, NULL, 1)", "(3, 'z', 2), (NULL, 'n', 2)"),
           partition="PARTITIONED BY (p)", conf=None, loose=()):
    """One case: a table of a file for each of `rows`, the texts, the table's rows and the last commit."""

    def run(c):
        spark = views(c)
        table = f"dmc_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} ({columns}) USING delta {partition}")
        for some in rows:
            spark.sql(f"INSERT INTO {table} VALUES {some}")
        for text in texts:
            result = spark.sql(text.replace("$T", table))
        row = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]
        metrics = {k: row.operationMetrics[k] for k in METRICS if k in row.operationMetrics}
        predicate = row.operationParameters.get("predicate", "")
        return [
            [list(r) for r in result.collect()],
            sorted(str(r.asDict(recursive=True)) for r in spark.table(table).collect()),
            [row.version, row.operation, row.readVersion, row.isBlindAppend, sorted(row.operationMetrics), metrics],
            [sorted(row.operationParameters), predicate.startswith("["), predicate[:1]],
        ]

    area._add("change_" + name, run, conf=conf, loose=loose)


PLAIN = {"partition": "", "columns": "a INT, b STRING, p INT"}
change("delete_one_of_two_files", "DELETE FROM $T WHERE a = 1", **PLAIN)
change("delete_partition", "DELETE FROM $T WHERE p = 2")
change("update_one_of_two_files", "UPDATE $T SET b = 'new' WHERE a = 1", **PLAIN)
change("update_nothing", "UPDATE $T SET p = 5 WHERE a = 77")
change("update_random", "UPDATE $T SET p = 5 WHERE rand() < 2")
NESTED = {"partition": "", "columns": "a INT, s STRUCT<x: INT, y: STRING, z: STRUCT<q: INT>>",
          "rows": ("(1, named_struct('x', 1, 'y', 'a', 'z', named_struct('q', 1))), (2, NULL)",)}
change("update_member", "UPDATE $T SET s.x = 10 WHERE a = 1", **NESTED)
change("update_member_of_null", "UPDATE $T SET s.x = 10", **NESTED)
change("update_member_missing", "UPDATE $T SET s.nosuch = 1", **NESTED)
change("update_overflow", "UPDATE $T SET a = 3000000000L WHERE a = 1", **PLAIN)
change("update_not_null", "UPDATE $T SET a = NULL", partition="", columns="a INT NOT NULL", rows=("(1)",))
