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
