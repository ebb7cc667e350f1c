"""The edges: arguments that are as large as they get, names that stand twice, and what Spark refuses
though it could be read somehow."""

from cases._sql import messages, queries
from harness import Area, one

area = Area("edges")

area.lines(
    one,
    """
    floor(0, -2147483647)
    floor(0, -2147483648)
    floor(0, -2000000000)
    floor(1.5, -2147483000)
    floor(5, -38)
    floor(5, -39)
    floor(5, -100)
    floor(5, 2147483647)
    ceil(0, -2147483647)
    ceil(5, 2147483647)
    bround(1.5, -2147483647)
    bround(15, -2147483647)
    round(1.5BD, -2147483647)
    round(1.5BD, -100)
    round(1.5BD, 2147483647)
    round(1.5D, -2147483647)
    round(1.5D, 2147483647)
    round(15, -2147483647)
    round(99999999999999999999999999999999999999BD, -39)
    array(array(array(array(array(id, 1)[0], 2)[0], 3)[0], 4)[0], 5)[0]
    element_at(array(element_at(array(element_at(array(id + 1, 1), 1), 2), 1), 3), 1)
    slice(slice(slice(slice(array(id, 1, 2, 3, 4), 1, 5), 1, 4), 1, 3), 1, 2)
    get(array(get(array(get(array(get(array(id, 1), 0), 2), 0), 3), 0), 4), 0)
    '2020-01-01' - interval 1 day
    '2020-01-01 10:00:00' + interval 1 day
    '2020-01-01' + interval 1 month
    '2020-01-31' - interval '1-1' year to month
    interval 1 day + '2020-01-01'
    'x' - interval 1 day
    'a\\u0085' rlike 'a$'
    'a\\u2028' rlike 'a$'
    'a\\u2029' rlike 'a$'
    'a\\r' rlike 'a$'
    'a\\r\\n' rlike 'a$'
    'a\\n' rlike 'a$'
    'a\\n\\n' rlike 'a$'
    'a\\n\\r' rlike 'a$'
    'ab\\u0085' rlike '^a.$'
    regexp_replace('a\\u0085', '$', 'X')
    regexp_replace('a\\r\\n', 'a$', 'X')
    regexp_extract('ab\\u2028', '(b)$', 1)
    'a\\u0085' rlike 'a\\\\Z'
    'a\\r\\nb' rlike '(?m)a$'
    percentile_approx(id, 0.5, -1)
    percentile_approx(id, 0.5, 0)
    nth_value(id, 0) over (order by id)
    nth_value(id, -1) over (order by id)
    ntile(0) over (order by id)
    ntile(-1) over (order by id)
    rand(id)
    randn(id)
    rand('a')
    date_diff('week', date'2020-01-01', date'2020-02-01')
    datediff('DAY', date'2020-01-01', date'2020-02-01')
    date_add('nope', 1, date'2020-01-01')
    array_contains(array(1), 'a')
    array_position(array(1), 'a')
    from_json('{}', 5)
    cast(1 as decimal(50, 2))
    cast(1 as decimal(2, 5))
    percentile(timestamp'2020-01-01', 0.5)
    percentile(1.5, timestamp'2020-01-01')
    percentile_approx(1.5, timestamp'2020-01-01')
    date_format(date'2020-01-01', 'MMMMM')
    to_date('x', 'E')
    to_date('2020', 'yyyy''n''')
    array_remove(array('a'), 1)
    array_append(array('a'), 1)
    array_contains(array(date'2020-01-01'), timestamp'2020-01-01')
    from_json('{}', null)
    from_csv('1', 5)
    rand(1 + 1) > 2
    format_number(1.5, 30)
    date_format(date'2020-01-01', 'invalid')
    to_date('2020', 'yyyyy-QQQQQ')
    date'2020-01-01' + 1.5
    interval 1 day + interval 1 month
    interval 1 month + interval 1 day
    date'2020-01-01' - 1.5
    date'2020-01-01' + 1L
    like('Spark', '_park')
    between(2, 1, 3)
    """,
)

queries(
    area,
    {
        "scalar_subqueries": "with c0 as (select 1 x), "
        + ", ".join(f"c{i} as (select (select max(x) from c{i - 1}) + 1 x)" for i in range(1, 7))
        + " select * from c6",
        "scalar_subqueries_two_rows": "select (select max((select id from range(2))) from range(3)) x",
        "concat_many": "select concat(" + ", ".join(f"'{i}'" for i in range(60)) + ") x",
        "concat_many_null": "select concat(" + ", ".join(["'a'"] * 40 + ["cast(null as string)"]) + ") x",
        "concat_many_binary": "select concat(" + ", ".join(["x'01'"] * 40) + ") x",
        "bare_user": "select length(user) > 0 x",
        "bare_current_user": "select current_user = current_user() x",
        "bare_session_user": "select session_user = session_user() x",
        "bare_in_text": "select upper(current_user) = upper(current_user()) x from range(1) where current_date = current_date()",
        "unpivot_shared": "select * from values (1, 2, 3) t(a, b, c) unpivot ((v1, v2) for name in ((a, b) as ab, (b, c)))",
        "unpivot_one_twice": "select * from values (1, 2) t(a, b) unpivot (v for name in (a, b, a as again))",
        "frame_days": "select count(*) over (order by d range between interval 1 day preceding and current row) from values (date'2020-01-01'), (date'2020-01-02') t(d)",
        "frame_months": "select count(*) over (order by d range between interval 1 month preceding and interval 1 month following) from values (date'2020-01-01'), (date'2020-02-01') t(d)",
        "frame_fraction": "select count(*) over (order by id range between 1.5 preceding and current row) from range(4)",
        "window_month": "select window(timestamp'2020-01-01', '1 month') w",
        "window_int": "select window(1, '1 minute') w",
        "cast_bare_array": "select cast(1 as array) x",
        "cast_bare_map": "select cast(1 as map) x",
        "cast_bare_struct": "select cast(1 as struct) x",
        "set_partitions": "set spark.sql.shuffle.partitions=0",
        "set_partitions_minus": "set spark.sql.shuffle.partitions=-3",
        "name_of_four": "select * from a.b.c.d",
        "sample_rows": "select * from range(3) tablesample (-1 rows)",
        "interval_text": "select interval 'x' year to month x",
    },
)


def script(name, *texts):
    """The last text's rows; the first error ends it."""

    def run(c):
        out = None
        try:
            for text in texts:
                out = c.spark.sql(text)
            return out
        finally:
            for kind, thing in (("view", "edge_v"), ("table", "edge_t")):
                try:
                    c.spark.sql(f"drop {kind} if exists {thing}")
                except Exception:  # noqa: BLE001: it is of the other kind
                    pass

    area._add(name, run)


script("partition_typed", "create table edge_t (a int) using parquet partitioned by (p string)",
       "insert into edge_t values (1, 'x')", "select * from edge_t")
script("partition_typed_known", "create table edge_t (a int, p string) using parquet partitioned by (p string)")
script("partition_unknown", "create table edge_t (a int) using parquet partitioned by (b)")
script("set_default_without_feature", "create table edge_t (a int) using delta",
       "alter table edge_t alter column a set default 5")
script("show_create_file_table",
       "create table edge_t (a int comment 'it''s a', b string default 'x', p int) using csv options (header 'true', sep ';') "
       "partitioned by (p) comment 'the table' tblproperties ('my.k' = 'v', 'a.k' = 'w')", "show create table edge_t")
script("show_partitions_order", "create table edge_t (a int, p int) using parquet partitioned by (p)",
       "insert into edge_t values (1, 3), (2, 1), (3, 2), (4, 10)", "show partitions edge_t")
script("view_columns_twice", "create temp view edge_v as select 1 a, 2 a")
script("view_columns_twice_replace", "create or replace temp view edge_v as select 1 a, 2 A")
script("view_columns_twice_named", "create temp view edge_v (b, b) as select 1 a, 2 a")


@area.case()
def frame_view_columns_twice(c):
    c.spark.sql("select 1 a, 2 a").createOrReplaceTempView("edge_w")
    return c.spark.sql("select * from edge_w")


@area.case()
def recover_partitions(c):
    c.spark.sql("create table edge_r (a int) using parquet")
    try:
        c.spark.catalog.recoverPartitions("edge_r")
        return "recovered"
    finally:
        c.spark.sql("drop table edge_r")


def written(name, columns, format, **conf):
    def run(c):
        frame = c.spark.createDataFrame([(1, 2)], columns)
        frame.write.format(format).save(c.path("out"))
        return "written"

    area._add(name, run, conf={k.replace("_", "."): v for k, v in conf.items()})


for format in ("parquet", "json", "csv"):
    written(f"write_twice_{format}", ["a", "a"], format)
    written(f"write_case_{format}", ["a", "A"], format)
area._add(
    "write_case_sensitive",
    lambda c: c.spark.createDataFrame([(1, 2)], ["a", "A"]).write.json(c.path("out")) or "written",
    conf={"spark.sql.caseSensitive": "true"},
)


def to_schema(name, value, ddl):
    area._add(name, lambda c: c.spark.sql(f"select {value} a").to(c.T.StructType.fromDDL(ddl)))


to_schema("to_double_int", "1.5D", "a int")
to_schema("to_string_int", "'1'", "a int")
to_schema("to_string_date", "'2020-01-01'", "a date")
to_schema("to_int_string", "1", "a string")
to_schema("to_long_int", "1L", "a int")
to_schema("to_long_int_overflow", "5000000000L", "a int")
to_schema("to_int_boolean", "1", "a boolean")
to_schema("to_boolean_int", "true", "a int")
to_schema("to_date_timestamp", "date'2020-01-01'", "a timestamp")
to_schema("to_timestamp_date", "timestamp'2020-01-01 10:00:00'", "a date")
to_schema("to_int_timestamp", "1", "a timestamp")
to_schema("to_decimal_int", "1.5", "a int")
to_schema("to_array_int", "array('1')", "a array<int>")
to_schema("to_array_widen", "array(1)", "a array<bigint>")
to_schema("to_map", "map('a', 1.5D)", "a map<string,int>")
to_schema("to_struct", "named_struct('x', '1')", "a struct<x:int>")
to_schema("to_null", "null", "a int")
to_schema("to_binary_string", "x'41'", "a string")


@area.case()
def pattern_deep(c):
    return c.spark.sql("select 'a' rlike '" + "(" * 50 + "a" + ")" * 50 + "' x")


messages(
    area,
    {
        "message_create_twice": "create temp view edge_x as select 1 a, 2 a",
        "message_rand": "select rand(id) from range(2)",
        "message_unpivot": "select * from values (1, 2) t(a, b) unpivot ((v1, v2) for name in ((a, b), (b, nope)))",
        "message_window_month": "select window(timestamp'2020-01-01', '1 month') w",
    },
)
