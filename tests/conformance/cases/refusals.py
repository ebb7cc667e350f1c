"""What Spark refuses though it could be read somehow, and what it takes though it looks odd."""

from cases._sql import queries
from harness import Area

area = Area("refusals")

E1 = " from (select 1 id, 'a' name)"
queries(
    area,
    {
        "nth_value_none": "select nth_value(id, 0) over (order by id)" + E1,
        "ntile_none": "select ntile(0) over (order by id)" + E1,
        "percentile_accuracy": "select percentile_approx(id, 0.5, -1)" + E1,
        "rand_text": "select rand('a')",
        "rand_column": "select rand(id)" + E1,
        "diff_unit": "select date_diff('week', date'2020-01-01', date'2021-01-01')",
        "window_int": "select window(1,'1 minute')",
        "window_month": "select window(timestamp'2020-01-01','1 month')",
        "partitions_none": "set spark.sql.shuffle.partitions=0",
        "intervals_mixed": "select interval 1 day + interval 1 month",
        "date_fraction": "select date'2020-01-01' + 1.5",
        "type_array": "select cast(1 as array)",
        "decimal_wide": "select cast(1 as decimal(50,2))",
        "decimal_scale": "select cast(1 as decimal(2,5))",
        "pattern_letter": "select date_format(date'2020-01-01','invalid')",
        "pattern_reading": "select to_date('2020', 'yyyyy-QQQQQ')",
        "schema_number": "select from_json('{}', 5)",
        "contains_text": "select array_contains(array(1),'a')",
        "name_of_four": "select * from a.b.c.d",
        "sample_negative": "select *" + E1 + " tablesample (-1 rows)",
        "like_call": "select like('Spark','_park')",
        "between_call": "select between(1,0,2)",
        "text_minus_day": "select '2020-01-01' - interval 1 day",
        "current_user": "select current_user is not null",
        "unpivot_shared": "select * from (select 1 a, 2 b, null c) unpivot include nulls ((v1,v2) for name in ((a,b) as ab,(b,c)))",
        "frame_fraction": "select id, first(id) over (order by id range between 1.5 preceding and current row) from range(4)",
    },
)


def to_schema(name, rows, given, wanted):
    area._add(name, lambda c: c.spark.createDataFrame(rows, given).to(c.T.StructType.fromDDL(wanted)))


to_schema("to_text_int", [("1",)], "a string", "a int")
to_schema("to_double_int", [(1.5,)], "a double", "a int")
to_schema("to_long_int", [(5,)], "a bigint", "a int")


@area.case()
def recover_partitions(c):
    c.spark.sql("create table ct1 (a int) using parquet")
    try:
        c.spark.catalog.recoverPartitions("ct1")
    finally:
        c.spark.sql("drop table ct1")


def twice(name, action):
    """A frame whose two columns have one name."""

    def run(c):
        action(c, c.spark.createDataFrame([(1, 2)], ["a", "a"]))
        return "taken"

    area._add(name, run)


twice("twice_parquet", lambda c, frame: frame.write.parquet(c.path("out")))
twice("twice_json", lambda c, frame: frame.write.json(c.path("out")))
twice("twice_csv", lambda c, frame: frame.write.csv(c.path("out")))
twice("twice_view", lambda c, frame: frame.createOrReplaceTempView("tvdup"))
area._add("twice_case_parquet", lambda c: c.spark.createDataFrame([(1, 2)], ["a", "A"]).write.parquet(c.path("out")))
area._add("twice_sql_view", lambda c: c.spark.sql("create temp view dupv as select 1 a, 2 a"))


def of_a_table(name, *texts):
    """The last text's rows, over a table of Parquet files that says all that a table can."""

    def run(c):
        c.spark.sql("create database db1")
        try:
            c.spark.sql(
                "create table db1.p1 (id int not null comment 'the id', s string default 'zz', d decimal(10,2), ts timestamp) "
                "using parquet partitioned by (p string) comment 'tc' tblproperties ('k'='v')"
            )
            for text in texts:
                out = c.spark.sql(text)
            return out
        finally:
            c.spark.sql("drop database db1 cascade")

    area._add(name, run)


of_a_table("show_create_table", "show create table db1.p1")
