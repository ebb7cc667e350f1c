"""What DataFrame writers put into tables whose columns have other types: casts of store assignment, by name and by place."""

from harness import Area
from pyspark.sql import functions as F

area = Area("stored_writes")

# The column's type, and values of other types for it.
COLUMNS = {
    "int": ("INT", ["7L", "'7'", "7.6D", "300BD", "CAST(7 AS TINYINT)", "true", "2147483648L", "'x'", "NULL"]),
    "long": ("BIGINT", ["7", "'7'", "7.9BD", "TIMESTAMP'2024-01-01'"]),
    "tiny": ("TINYINT", ["7", "300"]),
    "double": ("DOUBLE", ["7", "7.5BD", "'7.5'", "7.5F"]),
    "decimal": ("DECIMAL(5, 2)", ["1.239BD", "1", "'1.5'", "1.25D", "123456BD"]),
    "string": ("STRING", ["7", "array(1, 2)", "DATE'2024-01-01'", "named_struct('a', 1)", "true"]),
    "date": ("DATE", ["'2024-01-01'", "TIMESTAMP'2024-01-01 10:00:00'", "1"]),
    "timestamp": ("TIMESTAMP", ["DATE'2024-01-01'", "'2024-01-01'", "TIMESTAMP_NTZ'2024-01-01 10:00:00'"]),
    "bool": ("BOOLEAN", ["'true'", "1"]),
    "binary": ("BINARY", ["'x'", "7"]),
    "array": ("ARRAY<BIGINT>", ["array(1)", "array('1')", "'x'"]),
    "map": ("MAP<STRING, BIGINT>", ["map('a', 1)", "map(1, 1)"]),
    "struct": ("STRUCT<a: BIGINT, b: STRING>", ["named_struct('a', 1, 'b', 2)", "named_struct('b', 'x', 'a', 1)", "named_struct('a', 1)", "named_struct('a', 1, 'b', 'x', 'c', 2)"]),
}
WAYS = {
    "save": lambda frame, t: frame.write.format("delta").mode("append").saveAsTable(t),
    "insert": lambda frame, t: frame.write.insertInto(t),
    "overwrite": lambda frame, t: frame.write.insertInto(t, overwrite=True),
    "append": lambda frame, t: frame.writeTo(t).append(),
    "replace": lambda frame, t: frame.writeTo(t).overwrite(F.lit(True)),
    "evolve": lambda frame, t: frame.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable(t),
}


def add(name, column, value, write, layout="", conf=None):
    def run(c):
        t = "sw_" + "".join(ch if ch.isalnum() else "_" for ch in name)
        c.spark.sql(f"DROP TABLE IF EXISTS {t}")
        c.spark.sql(f"CREATE TABLE {t} (id INT, v {column}) USING delta {layout}")
        write(c.spark.sql(f"SELECT 1 AS id, {value} AS v"), t)
        return c.spark.table(t)

    area._add(name, run, conf=conf)


for way, write in WAYS.items():
    for kind, (column, values) in COLUMNS.items():
        for i, value in enumerate(values):
            if (way in ("overwrite", "replace", "save") and i > 1) or (way == "evolve" and i > 0 and kind != "struct"):
                continue
            add(f"{way} {kind} {i}", column, value, write)
for way in ("save", "insert", "append"):
    add(f"{way} partition text", "INT", "'5'", WAYS[way], "PARTITIONED BY (v)")
    add(f"{way} partition long", "INT", "5L", WAYS[way], "PARTITIONED BY (v)")
    add(f"{way} strict", "INT", "5L", WAYS[way], conf={"spark.sql.storeAssignmentPolicy": "STRICT"})
    add(f"{way} legacy", "INT", "'x'", WAYS[way], conf={"spark.sql.storeAssignmentPolicy": "LEGACY"})
    add(f"{way} without ansi", "INT", "5000000000L", WAYS[way], conf={"spark.sql.ansi.enabled": "false"})


def other_columns(name, query, write):
    def run(c):
        t = "sw_" + "".join(ch if ch.isalnum() else "_" for ch in name)
        c.spark.sql(f"DROP TABLE IF EXISTS {t}")
        c.spark.sql(f"CREATE TABLE {t} (id INT, v BIGINT) USING delta")
        write(c.spark.sql(query), t)
        return c.spark.table(t)

    area._add(name, run)


for way in ("save", "insert", "append", "evolve"):
    other_columns(f"{way} turned", "SELECT 5 AS v, 7L AS id", WAYS[way])
    other_columns(f"{way} case", "SELECT 5 AS V, '7' AS ID", WAYS[way])
    other_columns(f"{way} fewer", "SELECT '5' AS v", WAYS[way])
    other_columns(f"{way} more", "SELECT '5' AS v, 1 AS id, 'n' AS extra", WAYS[way])
