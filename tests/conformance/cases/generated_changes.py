"""Generated columns in UPDATE and MERGE: computed anew, and what is given for one must be what it is."""

from cases._sql import views
from harness import Area

area = Area("generated_changes")

SOURCE = "(SELECT * FROM VALUES (1, 10), (5, 50) AS s(a, x))"


def change(name, text):
    def run(c):
        spark = views(c)
        table = f"gc_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} (a INT, x INT, g BIGINT GENERATED ALWAYS AS (CAST(a AS BIGINT) * 2), h STRING GENERATED ALWAYS AS "
                  "(concat(CAST(a AS STRING), '-', CAST(x AS STRING)))) USING delta")
        spark.sql(f"INSERT INTO {table} (a, x) VALUES (1, 7), (2, 8), (NULL, 9)")
        spark.sql(text.replace("$T", table).replace("$S", SOURCE)).collect()
        return sorted(str(row.asDict()) for row in spark.table(table).collect())

    area._add(name, run)


MERGE = "MERGE INTO $T t USING $S s ON t.a = s.a "
change("update", "UPDATE $T SET a = a + 1")
change("update_one", "UPDATE $T SET x = 100 WHERE a = 2")
change("update_to_null", "UPDATE $T SET a = NULL")
change("update_given_right", "UPDATE $T SET a = 3, g = 6 WHERE a = 2")
change("update_given_wrong", "UPDATE $T SET a = 3, g = 7 WHERE a = 2")
change("update_given_alone", "UPDATE $T SET g = 5 WHERE a = 2")
change("update_given_rand", "UPDATE $T SET g = rand() WHERE a = 2")
change("merge_update", MERGE + "WHEN MATCHED THEN UPDATE SET x = s.x")
change("merge_update_given_right", MERGE + "WHEN MATCHED THEN UPDATE SET a = 4, g = 8")
change("merge_update_given_wrong", MERGE + "WHEN MATCHED THEN UPDATE SET a = 4, g = 9")
change("merge_insert", MERGE + "WHEN NOT MATCHED THEN INSERT (a, x) VALUES (s.a, s.x)")
change("merge_insert_given_wrong", MERGE + "WHEN NOT MATCHED THEN INSERT (a, x, g) VALUES (s.a, s.x, 1)")
change("merge_star", MERGE + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
change("merge_by_source", MERGE + "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET x = 0")


def source_changed(name, text):
    """The column that another is computed from changes, in a table of nothing else."""

    def run(c):
        spark = views(c)
        table = f"gs_{name}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} (id INT, g INT GENERATED ALWAYS AS (id * 2)) USING delta")
        spark.sql(f"INSERT INTO {table} (id) VALUES (1), (4)")
        spark.sql(text.replace("$T", table)).collect()
        return sorted(str(row.asDict()) for row in spark.table(table).collect())

    area._add(name, run)


source_changed("source_merge_values", "MERGE INTO $T USING (VALUES (4, 9)) s(a, b) ON $T.id = s.a WHEN MATCHED THEN UPDATE SET id = s.b")
source_changed("source_merge_alias", "MERGE INTO $T AS t USING (VALUES (4, 9)) AS s(a, b) ON t.id = s.a WHEN MATCHED THEN UPDATE SET id = s.b")
source_changed("source_merge_select", "MERGE INTO $T AS t USING (SELECT 4 AS a, 9 AS b) AS s ON t.id = s.a WHEN MATCHED THEN UPDATE SET t.id = s.b")
source_changed("source_update", "UPDATE $T SET id = 9 WHERE id = 4")
source_changed("source_merge_same_name", "MERGE INTO $T AS t USING (SELECT 4 AS id, 9 AS g) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.g")
