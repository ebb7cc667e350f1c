"""CLUSTER BY: which columns files may be clustered by."""

from cases._delta import rows_of, shown, tried
from cases._sql import views
from harness import Area

area = Area("delta_clustering")

COLUMNS = ("b BOOLEAN, x BINARY, y TINYINT, sm SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(10, 2), s STRING, c CHAR(3), v VARCHAR(3), t DATE, ts TIMESTAMP, "
           "a ARRAY<INT>, m MAP<INT, INT>, st STRUCT<k: INT, o: BOOLEAN, aa: ARRAY<INT>>")


def script(name, *statements, conf=None):
    def run(c):
        spark = views(c)
        table = "cl_" + name.replace(".", "_")
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        out = [shown(tried(lambda t=text.replace("$T", table): rows_of(spark.sql(t)), c.folder)) for text in statements]
        columns = tried(lambda: spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].clusteringColumns, c.folder)
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        return out + [columns]

    area._add(name, run, conf=conf)


for _column in ("b", "x", "y", "sm", "i", "l", "f", "d", "n", "s", "c", "v", "t", "ts", "a", "m", "st", "st.k", "st.o", "st.aa"):
    script(f"create_by_{_column}", f"CREATE TABLE $T ({COLUMNS}) USING delta CLUSTER BY ({_column})")
script("create_by_two_refused", f"CREATE TABLE $T ({COLUMNS}) USING delta CLUSTER BY (i, b, x)")
script("create_as", "CREATE TABLE $T USING delta CLUSTER BY (b) AS SELECT true AS b, 1 AS i")
script("alter", f"CREATE TABLE $T ({COLUMNS}) USING delta CLUSTER BY (i)", "ALTER TABLE $T CLUSTER BY (b)", "ALTER TABLE $T CLUSTER BY (l, x, st.aa)", "ALTER TABLE $T CLUSTER BY (s)")
script("replace", "CREATE TABLE $T (i INT) USING delta", f"CREATE OR REPLACE TABLE $T ({COLUMNS}) USING delta CLUSTER BY (a)", "REPLACE TABLE $T USING delta CLUSTER BY (b) AS SELECT true AS b")
FEW = "TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1')"
script("no_stats_create", f"CREATE TABLE $T (i INT, l BIGINT, s STRING) USING delta CLUSTER BY (i, l) {FEW}")
script("no_stats_create_two", f"CREATE TABLE $T (i INT, l BIGINT, s STRING) USING delta CLUSTER BY (s, l) {FEW}")
script("no_stats_alter", f"CREATE TABLE $T (i INT, l BIGINT, s STRUCT<k: INT>) USING delta CLUSTER BY (i) {FEW}", "ALTER TABLE $T CLUSTER BY (l)", "ALTER TABLE $T CLUSTER BY (i, s.k)")
script("no_stats_replace", "CREATE TABLE $T (i INT) USING delta", f"CREATE OR REPLACE TABLE $T (i INT, l BIGINT) USING delta CLUSTER BY (l) {FEW}")
script("no_stats_as", f"CREATE TABLE $T USING delta CLUSTER BY (l) {FEW} AS SELECT 1 AS i, 2L AS l")
script("stats_columns", "CREATE TABLE $T (i INT, l BIGINT, s STRUCT<k: INT, j: INT>) USING delta CLUSTER BY (i) TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'l')",
       "CREATE TABLE $T (i INT, l BIGINT, s STRUCT<k: INT, j: INT>) USING delta CLUSTER BY (l, s.k) TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'l,s')", "ALTER TABLE $T CLUSTER BY (i)")
script("stats_of_none", "CREATE TABLE $T (i INT) USING delta CLUSTER BY (i) TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '0')")
script("stats_of_all", "CREATE TABLE $T (i INT, l INT) USING delta CLUSTER BY (l) TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '-1')")
script("stats_taken_later", f"CREATE TABLE $T (i INT, l INT) USING delta CLUSTER BY (l)", "ALTER TABLE $T SET TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1')", "ALTER TABLE $T CLUSTER BY (l)", "INSERT INTO $T VALUES (1, 1)", "OPTIMIZE $T")
script("mapped_no_stats", "CREATE TABLE $T (i INT, l INT) USING delta CLUSTER BY (l) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.dataSkippingNumIndexedCols' = '1')")
