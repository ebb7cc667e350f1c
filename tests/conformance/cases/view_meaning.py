"""What a view keeps of the session that made it, and what it looks up anew."""

from harness import Area

area = Area("view_meaning")
ZONE, ANSI, CASE = "spark.sql.session.timeZone", "spark.sql.ansi.enabled", "spark.sql.caseSensitive"


def under(c, key, value, action):
    """`action` while the setting is another one."""
    before = c.spark.conf.get(key)
    c.spark.conf.set(key, value)
    try:
        return action()
    finally:
        c.spark.conf.set(key, before)


def made(c, statements):
    for statement in statements:
        c.spark.sql(statement)


@area.case()
def zone_of_text_view(c):
    query = ("SELECT cast('2024-01-05 10:00:00' AS timestamp) t, cast(timestamp'2024-01-05 10:00:00Z' AS string) s, "
             "hour(timestamp'2024-01-05 10:00:00Z') h, date_format(timestamp'2024-07-05 10:00:00Z', 'HH:mm VV') f, current_timezone() z")
    under(c, ZONE, "America/New_York", lambda: c.spark.sql("CREATE OR REPLACE TEMP VIEW vm_zone AS " + query))
    return c.spark.sql("SELECT *, cast(t AS string) AS shown FROM vm_zone")


@area.case()
def zone_of_frame_view(c):
    texts = ["cast('2024-01-01 00:00:00' AS timestamp) t", "hour(timestamp'2024-01-01 00:00:00Z') h", "current_timezone() z",
             "cast(timestamp'2024-01-01 00:00:00Z' AS date) d"]
    under(c, ZONE, "Asia/Tokyo", lambda: c.spark.range(1).selectExpr(*texts).createOrReplaceTempView("vm_zone_frame"))
    return c.spark.sql("SELECT *, cast(t AS string) AS shown FROM vm_zone_frame")


@area.case()
def zone_of_global_view(c):
    under(c, ZONE, "Asia/Tokyo", lambda: c.spark.sql("CREATE OR REPLACE GLOBAL TEMP VIEW vm_zone_global AS SELECT cast('2024-01-01' AS timestamp) t, hour(timestamp'2024-01-01 00:00:00Z') h"))
    return c.spark.table("global_temp.vm_zone_global")


@area.case()
def zone_of_stored_view(c):
    under(c, ZONE, "America/New_York", lambda: c.spark.sql("CREATE OR REPLACE VIEW vm_zone_stored AS SELECT cast(timestamp'2024-01-05 10:00:00Z' AS string) s, cast('2024-07-05' AS timestamp) t"))
    try:
        return c.spark.createDataFrame([tuple(r) for r in c.spark.table("vm_zone_stored").collect()], "s string, t timestamp")
    finally:
        c.spark.sql("DROP VIEW vm_zone_stored")


@area.case()
def zone_of_view_of_view(c):
    under(c, ZONE, "Asia/Tokyo", lambda: c.spark.sql("CREATE OR REPLACE TEMP VIEW vm_inner AS SELECT hour(timestamp'2024-01-01 00:00:00Z') h"))
    under(c, ZONE, "America/New_York", lambda: c.spark.sql("CREATE OR REPLACE TEMP VIEW vm_outer AS SELECT h, hour(timestamp'2024-01-01 00:00:00Z') k FROM vm_inner"))
    return c.spark.sql("SELECT *, hour(timestamp'2024-01-01 00:00:00Z') l FROM vm_outer")


@area.case()
def zone_in_subquery_and_aggregate(c):
    query = ("SELECT count(*) n, max(hour(t)) h, (SELECT max(hour(timestamp'2024-01-01 00:00:00Z'))) s FROM VALUES (timestamp'2024-01-01 00:00:00Z'), "
             "(timestamp'2024-01-01 05:00:00Z') AS v(t) WHERE hour(t) < 23 GROUP BY cast(t AS date) ORDER BY n")
    under(c, ZONE, "America/New_York", lambda: c.spark.sql("CREATE OR REPLACE TEMP VIEW vm_deep AS " + query))
    return c.spark.table("vm_deep")


@area.case()
def ansi_off_text_view(c):
    under(c, ANSI, "false", lambda: c.spark.sql("CREATE OR REPLACE TEMP VIEW vm_ansi AS SELECT cast('x' AS int) a, 1/0 b, '1' = 1 c"))
    return c.spark.table("vm_ansi")


@area.case()
def ansi_on_text_view(c):
    c.spark.sql("CREATE OR REPLACE TEMP VIEW vm_ansi_on AS SELECT cast(s AS int) a FROM VALUES ('x') AS t(s)")
    return under(c, ANSI, "false", lambda: c.spark.table("vm_ansi_on").collect())


@area.case()
def ansi_off_frame_view(c):
    under(c, ANSI, "false", lambda: c.spark.createDataFrame([("x",)], "s string").selectExpr("cast(s AS int) i").createOrReplaceTempView("vm_ansi_frame"))
    return c.spark.table("vm_ansi_frame")


@area.case()
def ansi_off_stored_view(c):
    under(c, ANSI, "false", lambda: c.spark.sql("CREATE OR REPLACE VIEW vm_ansi_stored AS SELECT cast('x' AS int) a"))
    try:
        return [r.a for r in c.spark.table("vm_ansi_stored").collect()]
    finally:
        c.spark.sql("DROP VIEW vm_ansi_stored")


@area.case()
def case_sensitive_view(c):
    under(c, CASE, "true", lambda: c.spark.sql("CREATE OR REPLACE TEMP VIEW vm_case AS SELECT a, A FROM VALUES (1, 2) AS t(a, A)"))
    return c.spark.sql("SELECT count(*) FROM vm_case")


@area.case()
def function_replaced(c):
    made(c, ["CREATE OR REPLACE TEMPORARY FUNCTION vm_f(x int) RETURNS int RETURN x + 1", "CREATE OR REPLACE TEMP VIEW vm_fv AS SELECT vm_f(1) r"])
    first = c.spark.table("vm_fv").collect()[0].r
    c.spark.sql("SELECT vm_f(1) r").createOrReplaceTempView("vm_fv_frame")
    made(c, ["CREATE OR REPLACE TEMPORARY FUNCTION vm_f(x int) RETURNS int RETURN x + 100"])
    return [first, c.spark.table("vm_fv").collect()[0].r, c.spark.table("vm_fv_frame").collect()[0].r]


@area.case()
def function_dropped(c):
    made(c, ["CREATE OR REPLACE TEMPORARY FUNCTION vm_g(x int) RETURNS int RETURN x + 1", "CREATE OR REPLACE TEMP VIEW vm_gv AS SELECT vm_g(1) r",
             "DROP TEMPORARY FUNCTION vm_g"])
    return c.spark.table("vm_gv")


@area.case()
def view_replaced_below(c):
    made(c, ["CREATE OR REPLACE TEMP VIEW vm_w AS SELECT 1 a", "CREATE OR REPLACE TEMP VIEW vm_v AS SELECT * FROM vm_w",
             "CREATE OR REPLACE TEMP VIEW vm_w AS SELECT 2 a, 3 b"])
    return c.spark.table("vm_v")


@area.case()
def view_replaced_column_gone(c):
    made(c, ["CREATE OR REPLACE TEMP VIEW vm_w2 AS SELECT 1 a", "CREATE OR REPLACE TEMP VIEW vm_v2 AS SELECT * FROM vm_w2",
             "CREATE OR REPLACE TEMP VIEW vm_w2 AS SELECT 5L b"])
    return c.spark.table("vm_v2")


@area.case()
def view_replaced_wider_type(c):
    made(c, ["CREATE OR REPLACE TEMP VIEW vm_w3 AS SELECT 1L a", "CREATE OR REPLACE TEMP VIEW vm_v3 AS SELECT * FROM vm_w3",
             "CREATE OR REPLACE TEMP VIEW vm_w3 AS SELECT 5 a"])
    return c.spark.table("vm_v3")


@area.case()
def view_replaced_narrower_type(c):
    made(c, ["CREATE OR REPLACE TEMP VIEW vm_w4 AS SELECT 1 a", "CREATE OR REPLACE TEMP VIEW vm_v4 AS SELECT * FROM vm_w4",
             "CREATE OR REPLACE TEMP VIEW vm_w4 AS SELECT 5L a"])
    return c.spark.table("vm_v4")


@area.case()
def view_dropped_below(c):
    made(c, ["CREATE OR REPLACE TEMP VIEW vm_w5 AS SELECT 1 a", "CREATE OR REPLACE TEMP VIEW vm_v5 AS SELECT * FROM vm_w5", "DROP VIEW vm_w5"])
    return c.spark.table("vm_v5")


@area.case()
def view_of_itself(c):
    made(c, ["CREATE OR REPLACE TEMP VIEW vm_self AS SELECT 1 a", "CREATE OR REPLACE TEMP VIEW vm_self AS SELECT * FROM vm_self"])
    return c.spark.table("vm_self")


@area.case()
def view_of_each_other(c):
    made(c, ["CREATE OR REPLACE TEMP VIEW vm_one AS SELECT 1 a", "CREATE OR REPLACE TEMP VIEW vm_two AS SELECT * FROM vm_one",
             "CREATE OR REPLACE TEMP VIEW vm_one AS SELECT * FROM vm_two"])
    return c.spark.table("vm_one")


@area.case()
def view_with_column_names(c):
    made(c, ["CREATE OR REPLACE TEMP VIEW vm_w6 AS SELECT 1 a, 2 b", "CREATE OR REPLACE TEMP VIEW vm_v6(x, y) AS SELECT * FROM vm_w6",
             "CREATE OR REPLACE TEMP VIEW vm_w6 AS SELECT 9 c, 8 b, 7 a"])
    return c.spark.table("vm_v6")


@area.case()
def variable_changed(c):
    made(c, ["DECLARE OR REPLACE VARIABLE vm_x = 5", "CREATE OR REPLACE TEMP VIEW vm_xv AS SELECT vm_x AS x"])
    c.spark.sql("SELECT vm_x AS x").createOrReplaceTempView("vm_xv_frame")
    made(c, ["SET VAR vm_x = 6"])
    return [c.spark.table("vm_xv").collect()[0].x, c.spark.table("vm_xv_frame").collect()[0].x]


def with_table(c, statements, action):
    made(c, ["CREATE TABLE vm_t (a int, b string) USING delta", "INSERT INTO vm_t VALUES (1, 'x')", *statements])
    try:
        return action()
    finally:
        made(c, ["DROP VIEW IF EXISTS vm_sv", "DROP TABLE IF EXISTS vm_t"])


def rows_of(c, name):
    frame = c.spark.table(name)
    return [frame.columns, sorted([list(r) for r in frame.collect()])]


@area.case()
def stored_star_table_gains_column(c):
    return with_table(c, ["CREATE VIEW vm_sv AS SELECT * FROM vm_t", "ALTER TABLE vm_t ADD COLUMNS (z int)", "INSERT INTO vm_t VALUES (2, 'y', 3)"], lambda: rows_of(c, "vm_sv"))


@area.case()
def text_star_table_gains_column(c):
    return with_table(c, ["CREATE OR REPLACE TEMP VIEW vm_tv AS SELECT * FROM vm_t", "ALTER TABLE vm_t ADD COLUMNS (z int)", "INSERT INTO vm_t VALUES (2, 'y', 3)"], lambda: rows_of(c, "vm_tv"))


@area.case()
def stored_names_table_gains_column(c):
    return with_table(c, ["CREATE VIEW vm_sv(p, q) AS SELECT * FROM vm_t", "ALTER TABLE vm_t ADD COLUMNS (z int)"], lambda: rows_of(c, "vm_sv"))
