"""INSERT in its less common forms, tables of files as targets, PIVOT by several columns, bodies of SQL functions."""

from cases._sql import views
from harness import Area

area = Area("sql_insert")


def script(name, *texts, ordered=False, conf=None, loose=()):
    """One case: the texts one after the other; the result is the last one's."""

    def run(c):
        spark = views(c)
        for text in texts[:-1]:
            spark.sql(text.replace("$TMP", str(c.folder)))
        return spark.sql(texts[-1].replace("$TMP", str(c.folder)))

    area._add(name, run, ordered, conf, loose)


def made(table, columns="a INT, b STRING", using="delta", tail=""):
    return f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({columns}) USING {using} {tail}"


def case(name, table, text, columns="a INT, b STRING", using="delta", tail="", conf=None, loose=()):
    """The rows of a table after one INSERT."""
    script(name, *made(table, columns, using, tail), text, f"SELECT * FROM {table}", conf=conf, loose=loose)


# DEFAULT in place of a value, of columns without one.
case("default_one", "si1", "INSERT INTO si1 VALUES (DEFAULT)", "a INT")
case("default_lower", "si2", "INSERT INTO si2 VALUES (default, 'x'), (1, Default)")
case("default_select", "si3", "INSERT INTO si3 SELECT DEFAULT, 'x'")
case("default_select_from", "si4", "INSERT INTO si4 SELECT v, DEFAULT FROM t")
case("default_columns", "si5", "INSERT INTO si5 (b, a) VALUES (DEFAULT, 3)")
case("default_inside", "si6", "INSERT INTO si6 VALUES (DEFAULT + 1, 'x')")
case("default_aliased", "si7", "INSERT INTO si7 SELECT DEFAULT AS a, 'x' AS b")
case("default_union", "si8", "INSERT INTO si8 SELECT DEFAULT, 'x' UNION ALL SELECT 1, DEFAULT")
case("default_where", "si9", "INSERT INTO si9 SELECT 1, 'x' FROM t WHERE DEFAULT = 1")
case("default_parquet", "si10", "INSERT INTO si10 VALUES (DEFAULT, 'x')", using="parquet")
script("default_query", "SELECT DEFAULT")
script("default_values", "SELECT * FROM VALUES (DEFAULT)")

# WITH before INSERT.
case("with_insert", "wi1", "WITH q AS (SELECT 5 AS x) INSERT INTO wi1 SELECT x, 'y' FROM q")
case("with_two", "wi2", "WITH q AS (SELECT 5 AS x), r AS (SELECT x + 1 AS y FROM q) INSERT INTO wi2 SELECT y, 'y' FROM r")
case("with_overwrite", "wi3", "WITH q AS (SELECT 5 AS x) INSERT OVERWRITE wi3 SELECT x, 'y' FROM q")
case("with_columns", "wi4", "WITH q (n) AS (SELECT 5) INSERT INTO wi4 (a) SELECT n FROM q")
case("with_both", "wi5", "WITH q AS (SELECT 5 AS x) INSERT INTO wi5 WITH r AS (SELECT x + 1 AS y FROM q) SELECT y, 'z' FROM r")
case("with_unknown", "wi6", "WITH q AS (SELECT 5 AS x) INSERT INTO wi6 SELECT zz, 'y' FROM q")
case("with_from", "wi7", "WITH q AS (SELECT 5 AS x) FROM q INSERT INTO wi7 SELECT x, 'y'")

# What a type that does not fit says.
case("cast_unsafe", "ty1", "INSERT INTO ty1 SELECT map(1, 2)", "a INT")
case("cast_boolean", "ty2", "INSERT INTO ty2 VALUES (true)", "a INT")
case("cast_date", "ty3", "INSERT INTO ty3 VALUES (DATE '2024-01-01')", "a INT")
case("cast_string_date", "ty4", "INSERT INTO ty4 VALUES ('2024-01-01')", "d DATE")
case("cast_string_date_bad", "ty5", "INSERT INTO ty5 VALUES ('nope')", "d DATE")
case("cast_string_int", "ty6", "INSERT INTO ty6 VALUES ('12')", "a INT")
case("cast_int_string", "ty7", "INSERT INTO ty7 VALUES (12)", "s STRING")
case("cast_timestamp_date", "ty8", "INSERT INTO ty8 VALUES (TIMESTAMP '2024-01-01 10:00:00')", "d DATE")
case("cast_double_int", "ty9", "INSERT INTO ty9 VALUES (1.9D)", "a INT")
case("cast_decimal", "ty10", "INSERT INTO ty10 VALUES (12345.678)", "a DECIMAL(5,2)")
case("cast_overflow", "ty11", "INSERT INTO ty11 VALUES (3000000000)", "a INT")
case("cast_struct", "ty12", "INSERT INTO ty12 SELECT named_struct('x', 1, 'y', 'a')", "s STRUCT<x: BIGINT, y: STRING>")
case("cast_struct_wide", "ty13", "INSERT INTO ty13 SELECT named_struct('x', 1, 'z', 'a')", "s STRUCT<x: INT, y: STRING>")
case("cast_array", "ty14", "INSERT INTO ty14 SELECT array(1, 2)", "s ARRAY<STRING>")
case("cast_parquet_string", "ty15", "INSERT INTO ty15 VALUES ('12')", "a INT", using="parquet")
case("cast_parquet_boolean", "ty16", "INSERT INTO ty16 VALUES (true)", "a INT", using="parquet")
case("cast_parquet_map", "ty17", "INSERT INTO ty17 SELECT map(1, 2)", "a INT", using="parquet")
case("cast_parquet_overflow", "ty18", "INSERT INTO ty18 VALUES (3000000000)", "a INT", using="parquet")
case("cast_parquet_few", "ty19", "INSERT INTO ty19 VALUES (1)", using="parquet")
case("cast_parquet_many", "ty20", "INSERT INTO ty20 VALUES (1, 'x', 3)", using="parquet")
case("parquet_columns", "ty21", "INSERT INTO ty21 (b) VALUES ('x')", using="parquet")
case("parquet_by_name", "ty22", "INSERT INTO ty22 BY NAME SELECT 'x' AS b, 1 AS a", using="parquet")
case("parquet_by_name_unknown", "ty23", "INSERT INTO ty23 BY NAME SELECT 'x' AS zz, 1 AS a", using="parquet")
case("csv_insert", "ty24", "INSERT INTO ty24 VALUES (1, 'x'), (2, NULL)", using="csv")

# spark.sql.storeAssignmentPolicy
for policy in ("ANSI", "STRICT"):
    conf = {"spark.sql.storeAssignmentPolicy": policy}
    low = policy.lower()
    for using in ("delta", "parquet"):
        t = f"sp_{low}_{using}"
        case(f"policy_{low}_{using}_string", t + "1", f"INSERT INTO {t}1 VALUES ('12')", "a INT", using, conf=conf)
        case(f"policy_{low}_{using}_string_bad", t + "2", f"INSERT INTO {t}2 VALUES ('x')", "a INT", using, conf=conf)
        case(f"policy_{low}_{using}_long", t + "3", f"INSERT INTO {t}3 VALUES (3000000000)", "a INT", using, conf=conf)
        case(f"policy_{low}_{using}_int_long", t + "4", f"INSERT INTO {t}4 VALUES (3)", "a BIGINT", using, conf=conf)
        case(f"policy_{low}_{using}_boolean", t + "5", f"INSERT INTO {t}5 VALUES (true)", "a INT", using, conf=conf)
        case(f"policy_{low}_{using}_int_string", t + "6", f"INSERT INTO {t}6 VALUES (5)", "a STRING", using, conf=conf)
