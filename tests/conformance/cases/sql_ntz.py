"""spark.sql.timestampType = TIMESTAMP_NTZ: what the word TIMESTAMP means in literals, casts, schemas, files and tables."""

from cases._sql import scripts, views
from harness import Area, one

NTZ = "spark.sql.timestampType"
area = Area("sql_ntz", **{NTZ: "TIMESTAMP_NTZ", "spark.sql.session.timeZone": "America/New_York"})
script = scripts(area)

area.lines(
    one,
    """
    timestamp'2024-01-02 03:04:05'
    timestamp'2024-01-02'
    timestamp'2024-01-02 03:04:05Z'
    timestamp'2024-01-02 03:04:05+02:00'
    timestamp'2024-01-02 03:04:05 Europe/Berlin'
    timestamp'12:34:56'
    timestamp'nope'
    timestamp_ltz'2024-01-02 03:04:05'
    timestamp_ntz'2024-01-02 03:04:05'
    typeof(timestamp'2024-01-02 03:04:05')
    typeof(timestamp'2024-01-02 03:04:05Z')
    cast('2024-01-02 03:04:05' as timestamp)
    cast('2024-01-02 03:04:05Z' as timestamp)
    '2024-01-02 03:04:05'::timestamp
    cast('x' as timestamp)
    try_cast('x' as timestamp)
    cast(date'2024-01-02' as timestamp)
    cast(1 as timestamp)
    cast(timestamp'2024-01-02 03:04:05' as timestamp_ltz)
    cast(array('2024-01-02') as array<timestamp>)
    typeof(timestamp('2024-01-02'))
    timestamp('2024-01-02 01:02:03')
    typeof(current_timestamp())
    typeof(now())
    typeof(localtimestamp())
    typeof(to_timestamp('2024-01-02'))
    to_timestamp('2024-01-02 03:04:05')
    to_timestamp('2024-01-02 03:04:05Z')
    to_timestamp('02/01/2024', 'dd/MM/yyyy')
    try_to_timestamp('nope')
    try_to_timestamp('2024-01-02')
    to_timestamp_ltz('2024-01-02')
    to_timestamp_ntz('2024-01-02')
    make_timestamp(2024, 1, 2, 3, 4, 5.5)
    make_timestamp(2024, 1, 2, 3, 4, 5.5, 'UTC')
    make_timestamp(2024, 13, 2, 3, 4, 5.5)
    try_make_timestamp(2024, 13, 2, 3, 4, 5.5)
    typeof(make_timestamp(date'2024-01-02', time'03:04:05'))
    typeof(date_trunc('DAY', '2024-01-02 03:04:05'))
    date_trunc('DAY', timestamp'2024-01-02 03:04:05')
    hour('2024-01-02 03:04:05')
    date'2024-01-02' + interval 1 hour
    typeof(date'2024-01-02' + interval 1 hour)
    timestamp'2024-01-02 03:04:05' + interval 1 hour
    timestamp'2024-01-02 03:04:05' - timestamp'2024-01-01'
    timestamp'2024-01-02 03:04:05' = '2024-01-02 03:04:05'
    timestamp'2024-01-02 03:04:05' = timestamp_ltz'2024-01-02 03:04:05'
    typeof(coalesce(timestamp'2024-01-02 03:04:05', timestamp_ltz'2024-01-02 03:04:05'))
    typeof(coalesce(timestamp'2024-01-02 03:04:05', date'2024-01-02'))
    unix_timestamp(timestamp'2024-01-02 03:04:05')
    to_unix_timestamp('2024-01-02 03:04:05')
    typeof(from_utc_timestamp('2024-01-02', 'UTC'))
    typeof(timestampadd(HOUR, 1, '2024-01-02'))
    timestampadd(HOUR, 1, timestamp'2024-01-02')
    typeof(timestampadd(HOUR, 1, date'2024-01-02'))
    typeof(timestamp_seconds(1))
    typeof(window_time(window(timestamp'2024-01-02', '1 hour')))
    from_json('{"t":"2024-01-02T03:04:05"}', 't timestamp')
    from_json('{"t":"2024-01-02T03:04:05Z"}', 't timestamp')
    from_csv('2024-01-02T03:04:05', 't timestamp')
    schema_of_json('{"t":"2024-01-02T03:04:05"}')
    schema_of_json('{"t":"2024-01-02T03:04:05"}', map('inferTimestamp', 'true'))
    schema_of_csv('2024-01-02T03:04:05')
    schema_of_csv('2024-01-02T03:04:05Z')
    typeof(sequence(timestamp'2024-01-02', timestamp'2024-01-03', interval 1 day)[0])
    date_format(timestamp'2024-01-02 03:04:05', 'yyyy HH')
    date_format('2024-01-02 03:04:05', 'yyyy HH')
    to_json(struct(timestamp'2024-01-02 03:04:05' as t))
    variant_get(parse_json('"2024-01-02 03:04:05"'), '$', 'timestamp')
    typeof(variant_get(parse_json('"2024-01-02 03:04:05"'), '$', 'timestamp'))
    schema_of_variant(to_variant_object(array(timestamp'2024-01-02 03:04:05')))
    convert_timezone('UTC', timestamp'2024-01-02 03:04:05')
    """,
)

script("table", "DROP TABLE IF EXISTS ntz1", "CREATE TABLE ntz1 (t TIMESTAMP, l TIMESTAMP_LTZ, n TIMESTAMP_NTZ, a ARRAY<TIMESTAMP>) USING delta", "INSERT INTO ntz1 VALUES ('2024-01-02 03:04:05', '2024-01-02 03:04:05', '2024-01-02 03:04:05', array(timestamp'2024-01-02'))", "SELECT * FROM ntz1")
script("table_describe", "DROP TABLE IF EXISTS ntz2", "CREATE TABLE ntz2 (t TIMESTAMP) USING parquet", "ALTER TABLE ntz2 ADD COLUMN (u TIMESTAMP)", "DESCRIBE ntz2")
script("table_added", "DROP TABLE IF EXISTS ntz3", "CREATE TABLE ntz3 (a INT) USING delta", "ALTER TABLE ntz3 ADD COLUMN u TIMESTAMP")
script("values", "SELECT * FROM VALUES (timestamp'2024-01-02', 1), (timestamp'2024-01-03', 2) AS v(t, i)")
script("variable", "DECLARE OR REPLACE VARIABLE ntzv TIMESTAMP DEFAULT '2024-01-02'", "SELECT ntzv, typeof(ntzv)")
script("function", "CREATE OR REPLACE TEMPORARY FUNCTION ntzf(x TIMESTAMP) RETURNS STRING RETURN typeof(x)", "SELECT ntzf('2024-01-02')")
script("between", "SELECT id FROM range(3) WHERE timestamp'2024-01-02' + make_dt_interval(id) BETWEEN '2024-01-02' AND '2024-01-03'")
script("json_table_function", "SELECT inline(from_json('[{\"t\":\"2024-01-02\"}]', 'array<struct<t:timestamp>>'))")


@area.case()
def view_keeps_its_meaning(c):
    spark = views(c)
    spark.sql("CREATE OR REPLACE TEMP VIEW ntzw AS SELECT timestamp'2024-01-02 03:04:05' AS t, cast('2024-01-02' AS timestamp) AS u")
    spark.conf.set(NTZ, "TIMESTAMP_LTZ")
    return spark.table("ntzw").schema.simpleString()


@area.case()
def stored_view_keeps_its_meaning(c):
    spark = views(c)
    spark.sql("CREATE OR REPLACE VIEW ntzx AS SELECT timestamp'2024-01-02 03:04:05' AS t, cast('2024-01-02' AS timestamp) AS u")
    spark.conf.set(NTZ, "TIMESTAMP_LTZ")
    return spark.table("ntzx").schema.simpleString()


@area.case()
def column_cast(c):
    return views(c).range(1).select(c.F.lit("2024-01-02 03:04:05").cast("timestamp").alias("a"), c.F.lit("2024-01-02").cast(c.T.TimestampType()).alias("b"), c.F.to_timestamp(c.F.lit("2024-01-02")).alias("c"))


CSV = "t,u,v,w\n2024-01-02T03:04:05,2024-01-02T03:04:05Z,2024-01-02 03:04:05.123,2024-01-02\n2025-01-02T03:04:05,2024-01-02T03:04:05,x,2024-01-03 01:02\n"
JSON = '{"t":"2024-01-02T03:04:05","u":"2024-01-02T03:04:05Z","v":"2024-01-02"}\n{"t":"2024-01-02T03:04:06","u":"2024-01-02T03:04:05"}\n'


@area.case()
def csv_inferred(c):
    return views(c).read.csv(c.write("a.csv", CSV), header=True, inferSchema=True)


@area.case(conf={NTZ: "TIMESTAMP_LTZ"})
def csv_inferred_ltz(c):
    return views(c).read.csv(c.write("a.csv", CSV), header=True, inferSchema=True)


@area.case()
def csv_inferred_no_dates(c):
    return views(c).read.option("preferDate", False).csv(c.write("a.csv", CSV), header=True, inferSchema=True)


@area.case()
def csv_inferred_format(c):
    return views(c).read.csv(c.write("a.csv", "t\n02/01/2024 03:04\n"), header=True, inferSchema=True, timestampFormat="dd/MM/yyyy HH:mm")


@area.case()
def csv_inferred_ntz_format(c):
    return views(c).read.option("timestampNTZFormat", "dd/MM/yyyy HH:mm").csv(c.write("a.csv", "t\n02/01/2024 03:04\n"), header=True, inferSchema=True)


@area.case()
def csv_schema(c):
    return views(c).read.schema("t timestamp, u timestamp_ltz, v timestamp, w timestamp").csv(c.write("a.csv", CSV), header=True)


@area.case()
def json_not_inferred(c):
    return views(c).read.json(c.write("a.json", JSON))


@area.case()
def json_inferred(c):
    return views(c).read.option("inferTimestamp", True).json(c.write("a.json", JSON))


@area.case(conf={NTZ: "TIMESTAMP_LTZ"})
def json_inferred_ltz(c):
    return views(c).read.option("inferTimestamp", True).json(c.write("a.json", JSON))


@area.case()
def json_inferred_format(c):
    return views(c).read.option("inferTimestamp", True).json(c.write("a.json", '{"t":"02/01/2024 03:04"}\n'), timestampFormat="dd/MM/yyyy HH:mm")


@area.case()
def json_schema(c):
    return views(c).read.schema("t timestamp, u timestamp").json(c.write("a.json", JSON))


@area.case()
def xml_inferred(c):
    return views(c).read.xml(c.write("a.xml", "<r><x><t>2024-01-02T03:04:05</t><u>2024-01-02T03:04:05Z</u></x></r>"), rowTag="x")


@area.case()
def partition_value_inferred(c):
    views(c).sql("SELECT 1 AS a, '2024-01-02 03:04:05' AS p").write.partitionBy("p").parquet(c.path("d"))
    return c.spark.read.parquet(c.path("d"))


@area.case()
def parquet_read(c):
    views(c).sql("SELECT timestamp'2024-01-02 03:04:05' AS t, timestamp_ltz'2024-01-02 03:04:05' AS l").write.parquet(c.path("d"))
    return c.spark.read.parquet(c.path("d"))


@area.case()
def frame_from_python(c):
    import datetime

    return views(c).createDataFrame([(datetime.datetime(2024, 1, 2, 3, 4, 5), datetime.datetime(2024, 1, 2, 3, 4, 5))], "t timestamp, l timestamp_ltz")


@area.case()
def literal_from_python(c):
    import datetime

    return views(c).range(1).select(c.F.lit(datetime.datetime(2024, 1, 2, 3, 4, 5)).alias("t"))


@area.case()
def parsed_ddl(c):
    from pyspark.sql.types import _parse_datatype_string

    return str(_parse_datatype_string("t timestamp, a array<timestamp>, l timestamp_ltz"))


@area.case()
def stream_schema(c):
    frame = views(c).readStream.schema("t timestamp, u timestamp").json(str(c.folder))
    return frame.schema.simpleString()
