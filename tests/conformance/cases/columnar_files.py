"""ORC and Avro files: what Spark wrote, what each side writes itself, options and errors."""

import json
import os
import pathlib

import avro_bytes
from avro_bytes import container, record
from harness import Area

area = Area("columnar_files")

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
FORMATS = ("orc", "avro")


def each_format(function):
    """A case for each of the formats."""
    for form in FORMATS:
        area._add(f"{form}_{function.__name__}", lambda c, form=form: function(c, form), loose=("path",))
    return function


# What Spark wrote.
for codec in ("none", "snappy", "zlib", "lz4", "zstd"):
    area._add(f"orc_codec_{codec}", lambda c, codec=codec: c.spark.read.orc(str(DATA / f"orc/{codec}.orc")))
for codec in ("uncompressed", "deflate", "snappy", "bzip2", "zstandard"):
    area._add(
        f"avro_codec_{codec}",
        lambda c, codec=codec: c.spark.read.format("avro").load(str(DATA / f"avro/{codec}.avro")),
    )

STORED = {"orc": str(DATA / "orc/zstd.orc"), "avro": str(DATA / "avro/snappy.avro")}


def read_as(form, schema):
    name = schema.replace(" ", "_")
    area._add(
        f"{form}_read_{name}",
        lambda c: c.spark.read.format(form).schema(schema).load(STORED[form]),
        loose=("path",),
    )


for form in FORMATS:
    for schema in (
        "st string, nope int, i bigint",
        "ST string",
        "i bigint",
        "i double",
        "f double",
        "d5 decimal(10,2)",
        "d5 decimal(4,1)",
        "ar array<bigint>",
        "sr struct<Y:string>",
        "sr struct<x:int,q:int>",
        "ma map<string,bigint>",
    ):
        read_as(form, schema)
for schema in (
    "i smallint",
    "i string",
    "l int",
    "d5 double",
    "da timestamp",
    "st binary",
    "b int",
    "bo int",
    "i boolean",
    "nt bigint",
):
    read_as("orc", schema)
for schema in ("i string", "l int", "st int", "da timestamp", "d5 double", "bi string", "bo int", "ts bigint", "l timestamp",
               "dt bigint", "dt timestamp", "ts timestamp_ntz"):
    read_as("avro", schema)

ROWS = """
SELECT 1Y b, 2S s, 3 i, 4L l, CAST(1.5 AS FLOAT) f, 2.5D d, true bo, 'x' st, X'0102' bi, DATE'2020-02-29' da,
  TIMESTAMP'2020-02-29 12:34:56.789012' ts, TIMESTAMP_NTZ'2020-02-29 12:34:56.789012' nt, CAST(12.34 AS DECIMAL(5,2)) d5,
  CAST(-123456789012345678901234567890.12345678 AS DECIMAL(38,8)) d38, array(1, 2, null) ar, map('a', 1, 'b', null) ma,
  named_struct('x', 1, 'Y', 'q', 'z', array(named_struct('k', 1L, 't', TIMESTAMP_NTZ'2001-01-01 00:00:00'))) sr,
  INTERVAL '1 02:03:04.5' DAY TO SECOND dt
UNION ALL SELECT null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null
UNION ALL SELECT -128Y, -32768S, -2147483648, -9223372036854775808L, float('nan'), double('-Infinity'), false, '', X'',
  DATE'0001-01-01', TIMESTAMP'1969-12-31 23:59:59', TIMESTAMP_NTZ'9999-12-31 23:59:59.999999', -0.01, 0.00000001,
  array(), map(), named_struct('x', null, 'Y', null, 'z', null), INTERVAL '-1' DAY
"""


def written(c, form, query, name="out", **options):
    path = c.path(name)
    c.spark.sql(query).coalesce(1).write.format(form).options(**options).save(path)
    return path


def listed(path):
    return sorted(name for name in os.listdir(path) if name.startswith("part-"))


@each_format
def round_trip(c, form):
    return c.spark.read.format(form).load(written(c, form, ROWS))


@each_format
def names(c, form):
    return listed(written(c, form, "SELECT 1 a"))


def codec_names(c, form, codecs):
    out = {}
    for codec in codecs:
        path = written(c, form, "SELECT 1 a", name=codec, compression=codec)
        out[codec] = [listed(path)[0].split("-c000")[1], [row.a for row in c.spark.read.format(form).load(path).collect()]]
    return out


@area.case()
def orc_codec_names(c):
    return codec_names(c, "orc", ["none", "uncompressed", "snappy", "zlib", "ZSTD", "lz4"])


@area.case()
def avro_codec_names(c):
    return codec_names(c, "avro", ["uncompressed", "snappy", "deflate", "zstandard", "bzip2"])


@area.case()
def orc_compress(c):
    path = c.path("out")
    c.spark.range(1).coalesce(1).write.option("orc.compress", "ZLIB").orc(path)
    return listed(path)[0].split("-c000")[1]


@each_format
def unknown_codec(c, form):
    return written(c, form, "SELECT 1 a", compression="nosuch")


@each_format
def void(c, form):
    return c.spark.read.format(form).load(written(c, form, "SELECT 1 a, null n"))


@each_format
def variant(c, form):
    return written(c, form, "SELECT parse_json('1') v")


@each_format
def map_of_ints(c, form):
    return c.spark.read.format(form).load(written(c, form, "SELECT map(1, 2) m"))


@each_format
def no_rows(c, form):
    path = written(c, form, "SELECT 1 a, 'x' b WHERE false")
    return [len(listed(path)), c.spark.read.format(form).load(path).schema.json()]


@each_format
def odd_names(c, form):
    return c.spark.read.format(form).load(written(c, form, "SELECT 1 `a b`, 2 `x.y`"))


@each_format
def partitioned(c, form):
    path = c.path("out")
    frame = c.spark.sql("SELECT 1 a, 2 p, 'u' q UNION ALL SELECT 3, null, 'v w'")
    frame.write.format(form).partitionBy("p", "q").save(path)
    return c.spark.read.format(form).load(path).where("q <> 'x'")


@each_format
def max_records(c, form):
    path = c.path("out")
    c.spark.range(10).coalesce(1).write.format(form).option("maxRecordsPerFile", 4).save(path)
    return [len(listed(path)), c.spark.read.format(form).load(path).count()]


@each_format
def modes(c, form):
    path = c.path("out")
    for mode, start in (("overwrite", 1), ("append", 2), ("ignore", 3)):
        c.spark.range(start, start + 1).write.format(form).mode(mode).save(path)
    return c.spark.read.format(form).load(path)


@each_format
def mode_error(c, form):
    c.spark.range(1).write.format(form).save(c.path("out"))
    c.spark.range(1).write.format(form).save(c.path("out"))


@each_format
def path_in_sql(c, form):
    return c.spark.sql(f"SELECT i, st FROM {form}.`{STORED[form]}` WHERE i > 0")


@each_format
def count(c, form):
    return c.spark.read.format(form).load(STORED[form]).count()


@each_format
def metadata(c, form):
    return c.spark.read.format(form).load(STORED[form]).select("i", "_metadata.file_name")


@each_format
def table(c, form):
    c.spark.sql(f"DROP TABLE IF EXISTS columnar_{form}")
    c.spark.sql(f"CREATE TABLE columnar_{form} (a INT, b STRING, v VARCHAR(5), p INT) USING {form} PARTITIONED BY (p)")
    try:
        c.spark.sql(f"INSERT INTO columnar_{form} VALUES (1, 'x', 'yy', 2), (null, null, null, 3)")
        c.spark.range(1).selectExpr("7 a", "'z' b", "'w' v", "4 p").write.insertInto(f"columnar_{form}")
        return [list(row) for row in c.spark.table(f"columnar_{form}").orderBy("p").collect()]
    finally:
        c.spark.sql(f"DROP TABLE columnar_{form}")


@each_format
def save_as_table(c, form):
    c.spark.sql(f"DROP TABLE IF EXISTS columnar_saved_{form}")
    c.spark.range(2).write.format(form).saveAsTable(f"columnar_saved_{form}")
    try:
        return [row.id for row in c.spark.table(f"columnar_saved_{form}").orderBy("id").collect()]
    finally:
        c.spark.sql(f"DROP TABLE columnar_saved_{form}")


def two_files(c, form, first, second):
    written(c, form, first, name="m/x=1")
    written(c, form, second, name="m/x=2")
    return c.spark.read.format(form)


@each_format
def merge_schema(c, form):
    reader = two_files(c, form, "SELECT 1 a, 'x' b", "SELECT 2L c, 'y' b")
    return reader.option("mergeSchema", True).load(c.path("m"))


@each_format
def no_merge(c, form):
    return two_files(c, form, "SELECT 1 a, 'x' b", "SELECT 2L c, 'y' b").load(c.path("m"))


@area.case()
def orc_merge_conflict(c):
    return two_files(c, "orc", "SELECT 1 a", "SELECT 'y' a").option("mergeSchema", True).load(c.path("m"))


@each_format
def corrupt(c, form):
    c.write(f"in/a.{form}", "hello world, this is not a file")
    return c.spark.read.format(form).load(c.path("in"))


@each_format
def corrupt_with_schema(c, form):
    c.write(f"in/a.{form}", "hello world, this is not a file")
    return c.spark.read.format(form).schema("i INT").load(c.path("in"))


@each_format
def corrupt_ignored(c, form):
    c.write(f"in/a.{form}", "hello world, this is not a file")
    c.write(f"in/b.{form}", pathlib.Path(STORED[form]).read_bytes())
    return c.spark.read.format(form).option("ignoreCorruptFiles", True).load(c.path("in")).select("i", "st")


@each_format
def corrupt_ignored_no_schema(c, form):
    c.write(f"in/a.{form}", "hello world, this is not a file")
    return c.spark.read.format(form).option("ignoreCorruptFiles", True).load(c.path("in"))


@each_format
def cut_off(c, form):
    c.write(f"in/a.{form}", pathlib.Path(STORED[form]).read_bytes()[:-20])
    return c.spark.read.format(form).schema("i INT").load(c.path("in"))


@each_format
def no_bytes(c, form):
    c.write(f"in/a.{form}", "")
    return c.spark.read.format(form).schema("i INT").load(c.path("in"))


@each_format
def no_bytes_no_schema(c, form):
    c.write(f"in/a.{form}", "")
    return c.spark.read.format(form).load(c.path("in"))


@each_format
def no_files(c, form):
    os.makedirs(c.path("in"))
    return c.spark.read.format(form).load(c.path("in"))


@each_format
def no_path(c, form):
    return c.spark.read.format(form).load(c.path("in"))


@each_format
def stream(c, form):
    written(c, form, "SELECT 1 a, 'x' b UNION ALL SELECT 2, null", name="in")
    frame = c.spark.readStream.format(form).schema("a INT, b STRING").load(c.path("in"))
    query = frame.writeStream.format("memory").queryName(f"columnar_{form}_stream")
    query = query.option("checkpointLocation", c.path("ck")).trigger(availableNow=True).start()
    query.awaitTermination()
    return c.spark.table(f"columnar_{form}_stream")


# Avro's own.
def avro(name, schema, rows, spark_schema=None, notes=(), **options):
    def run(c):
        c.write("in/a.avro", container(schema, rows, notes=notes))
        reader = c.spark.read.format("avro").options(**options)
        if spark_schema:
            reader = reader.schema(spark_schema)
        return reader.load(c.path("in"))

    area._add("avro_" + name, run, loose=("path",))


ENUM = {"type": "enum", "name": "e", "symbols": ["A", "B"]}
FIXED = {"type": "fixed", "name": "f", "size": 3}


def logical(kind, what, **more):
    return {"type": kind, "logicalType": what, **more}


avro("enum_fixed", record(("e", ENUM), ("f", FIXED)), [{"e": "B", "f": b"abc"}])
avro(
    "times",
    record(
        ("d", logical("int", "date")),
        ("tm", logical("long", "timestamp-millis")),
        ("tu", logical("long", "timestamp-micros")),
        ("lm", logical("long", "local-timestamp-millis")),
        ("lu", logical("long", "local-timestamp-micros")),
    ),
    [{"d": 18000, "tm": 1500000000123, "tu": -1, "lm": -1, "lu": 1500000000123456}],
)
avro(
    "times_without_meaning",
    record(("a", logical("int", "time-millis")), ("u", logical("string", "uuid")), ("n", logical("long", "timestamp-nanos"))),
    [{"a": 5, "u": "x", "n": 7}],
)
avro("time_micros", record(("b", logical("long", "time-micros"))), [{"b": 6}])
avro(
    "decimals",
    record(
        ("b", logical("bytes", "decimal", precision=5, scale=2)),
        ("f", {"type": "fixed", "name": "g", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 0}),
        ("w", {"type": "fixed", "name": "h", "size": 1, "logicalType": "decimal", "precision": 9, "scale": 0}),
    ),
    [{"b": b"\xff", "f": b"\x00\x00\x01\x00", "w": b"a"}, {"b": b"\x00\xff", "f": b"\xff\xff\xff\xff", "w": b"b"}],
)
avro("decimal_too_wide", record(("b", logical("bytes", "decimal", precision=50, scale=2))), [{"b": b"\x01"}])
UNIONS = record(
    ("n", ["null", "int"]),
    ("only", ["string"]),
    ("il", ["int", "long"]),
    ("fd", ["null", "double", "float"]),
    ("c", ["null", "int", "string", {"type": "record", "name": "in", "fields": [{"name": "x", "type": "long"}]}]),
    ("z", ["null"]),
)
UNION_ROWS = [
    {"n": (0, None), "only": (0, "a"), "il": (0, 1), "fd": (1, 1.5), "c": (0, None), "z": (0, None)},
    {"n": (1, 7), "only": (0, "b"), "il": (1, 1 << 40), "fd": (2, 2.5), "c": (1, 3), "z": (0, None)},
    {"n": (1, 8), "only": (0, "b"), "il": (1, 2), "fd": (0, None), "c": (2, "s"), "z": (0, None)},
    {"n": (1, 9), "only": (0, "b"), "il": (1, 2), "fd": (0, None), "c": (3, {"x": 11}), "z": (0, None)},
]
avro("unions", UNIONS, UNION_ROWS)
avro("unions_stable", UNIONS, UNION_ROWS, enableStableIdentifiersForUnionType=True)
avro("unions_stable_prefix", UNIONS, UNION_ROWS, enableStableIdentifiersForUnionType=True,
     stableIdentifierPrefixForUnionType="m")
avro(
    "union_as_one_branch",
    UNIONS,
    UNION_ROWS[:2],
    spark_schema="c INT",
)
LIST = {
    "type": "record",
    "name": "node",
    "fields": [{"name": "v", "type": "int"}, {"name": "next", "type": ["null", "node"]}],
}
CHAIN = [{"v": 1, "next": (1, {"v": 2, "next": (1, {"v": 3, "next": (0, None)})})}]
avro("recursive", LIST, CHAIN)
avro("recursive_depth_1", LIST, CHAIN, recursiveFieldMaxDepth=1)
avro("recursive_depth_2", LIST, CHAIN, recursiveFieldMaxDepth=2)
avro("recursive_depth_16", LIST, CHAIN, recursiveFieldMaxDepth=16)
avro("not_a_record", "int", [5])
avro("deflate_empty", record(("a", "int")), [])
avro("nested", record(
    ("m", {"type": "map", "values": {"type": "array", "items": ["null", "int"]}}),
    ("r", {"type": "record", "name": "in", "fields": [{"name": "x", "type": "bytes"}]}),
), [{"m": {"a": [(1, 1), (0, None)], "b": []}, "r": {"x": b"\x00\x01"}}])
avro("spark_2", record(("d", logical("int", "date")), ("i", "int")), [{"d": 1, "i": 1}],
     spark_schema="i INT", notes=[("org.apache.spark.version", "2.4.0")])

WRITTEN = record(("a", "int"), ("b", ["null", "string"]))
WRITTEN_ROWS = [{"a": 1, "b": (1, "x")}, {"a": 2, "b": (0, None)}]


def reader_schema(name, schema, spark_schema=None, **options):
    avro("schema_" + name, WRITTEN, WRITTEN_ROWS, spark_schema=spark_schema, avroSchema=json.dumps(schema), **options)


reader_schema("promoted", record(("a", "long")))
reader_schema("to_double", record(("a", "double"), ("b", ["null", "string"])))
reader_schema("default", record(("n", ["null", "int"], None), ("a", "int"), ("t", "string", "dflt"),
                                ("l", {"type": "array", "items": "int"}, [1, 2])))
reader_schema("missing_without_default", record(("n", "int"), ("a", "int")))
reader_schema("alias", {**record(("z", "int")), "fields": [{"name": "z", "type": "int", "aliases": ["a"]}]})
reader_schema("other_type", record(("a", "string")))
reader_schema("with_spark_schema", record(("a", "long"), ("b", ["null", "string"])), spark_schema="a LONG")
avro("positional", WRITTEN, WRITTEN_ROWS, spark_schema="x INT, y STRING", positionalFieldMatching=True)
avro("positional_short", WRITTEN, WRITTEN_ROWS, spark_schema="x INT", positionalFieldMatching=True)


@area.case(loose=("path",))
def avro_extension(c):
    c.write("in/a.avro", container(WRITTEN, WRITTEN_ROWS))
    c.write("in/b.dat", container(WRITTEN, WRITTEN_ROWS))
    reader = c.spark.read.format("avro")
    return [reader.load(c.path("in")).count(), reader.option("ignoreExtension", False).load(c.path("in")).count()]


@area.case()
def avro_extension_none(c):
    c.write("in/b.dat", container(WRITTEN, WRITTEN_ROWS))
    return c.spark.read.format("avro").option("ignoreExtension", False).load(c.path("in"))


def damaged(name, data):
    area._add("avro_damaged_" + name, lambda c: (c.write("in/a.avro", data),
              c.spark.read.format("avro").schema("a INT").load(c.path("in")))[1], loose=("path",))


damaged("sync", container(WRITTEN, WRITTEN_ROWS, sync=bytes(16)))
damaged("block", container(WRITTEN, WRITTEN_ROWS, block=b"\x02\x07\x07\x07"))
damaged("branch", container(WRITTEN, WRITTEN_ROWS, block=b"\x02\x08\x04\x00"))
damaged("codec", container(WRITTEN, WRITTEN_ROWS, codec="nosuch"))
damaged("schema", avro_bytes.MAGIC + avro_bytes.long(1) + avro_bytes.text("avro.schema") + avro_bytes.text("{") + b"\0" + avro_bytes.SYNC)
damaged("deflate", container(WRITTEN, WRITTEN_ROWS, codec="deflate"))


def writes(name, query, schema=None, **options):
    """What is written, read again, and the schema that the file has."""
    def run(c):
        given = {**options, **({"avroSchema": json.dumps(schema)} if schema else {})}
        path = written(c, "avro", query, **given)
        data = (pathlib.Path(path) / listed(path)[0]).read_bytes()
        at = data.index(b"avro.schema") + len(b"avro.schema")
        text, _ = json.JSONDecoder().raw_decode(data[data.index(b"{", at):].decode("latin-1"))
        return {"schema": text, "rows": [row.asDict(True) for row in c.spark.read.format("avro").load(path).collect()]}

    area._add("avro_write_" + name, run, loose=("path",))


writes("schema", "SELECT 1 a, CAST(null AS STRING) b, named_struct('d', 1.5BD, 'e', array(named_struct('f', 1))) s")
writes("record_name", "SELECT 1 a, named_struct('x', 1) s", recordName="Name", recordNamespace="a.b")
writes("all_types", "SELECT DATE'2020-01-01' d, TIMESTAMP'2020-01-01 00:00:00' t, TIMESTAMP_NTZ'2020-01-01 00:00:00' n,"
       " map('a', 1) m, X'01' b, 1Y y, 1S s, INTERVAL '1' DAY dt")
writes("enum_fixed", "SELECT 'B' e, X'616263' f", schema=record(("e", ENUM), ("f", FIXED)))
writes("enum_none", "SELECT 'C' e", schema=record(("e", ENUM)))
writes("fixed_length", "SELECT X'61' f", schema=record(("f", FIXED)))
writes("millis", "SELECT TIMESTAMP'1969-12-31 23:59:59.9995' t", schema=record(("t", logical("long", "timestamp-millis"))))
writes("null_in_not_null", "SELECT CAST(null AS INT) a", schema=record(("a", "int")))
writes("union", "SELECT named_struct('member0', 1, 'member1', CAST(null AS STRING)) u",
       schema=record(("u", ["int", "string"])))
writes("missing_column", "SELECT 1 a", schema=record(("b", "int")))
writes("missing_nullable", "SELECT 1 a", schema=record(("a", "int"), ("b", ["null", "int"])))
writes("extra_column", "SELECT 1 a, 2 b", schema=record(("a", "int")))
writes("other_type", "SELECT 'x' a", schema=record(("a", "int")))
writes("decimal_bytes", "SELECT -1.28BD a, 327.68BD b",
       schema=record(("a", logical("bytes", "decimal", precision=3, scale=2)), ("b", logical("bytes", "decimal", precision=5, scale=2))))
writes("positional", "SELECT 1 a, 2L b", schema=record(("x", "int"), ("y", "long")), positionalFieldMatching=True)


# Values in columns.
def values(name, run):
    def with_functions(c):
        from pyspark.sql.avro import functions

        return run(c, functions)

    area._add("avro_" + name, with_functions)


PAIR = json.dumps(record(("a", "int"), ("b", ["null", "string"])))


def pairs(c):
    rows = [(avro_bytes.long(1) + b"\x02" + avro_bytes.text("x"),), (avro_bytes.long(2) + b"\x00",), (None,)]
    return c.spark.createDataFrame(rows, "v BINARY")


def broken(c):
    return c.spark.createDataFrame([(b"\x02\x02\x7f",), (avro_bytes.long(2) + b"\x00",)], "v BINARY")


values("from_avro", lambda c, A: pairs(c).select(A.from_avro("v", PAIR).alias("r")))
values("from_avro_name", lambda c, A: pairs(c).select(A.from_avro("v", PAIR)).columns[0])
values("from_avro_member", lambda c, A: pairs(c).select(A.from_avro("v", PAIR)["b"].alias("b")))
values("from_avro_reader", lambda c, A: pairs(c).select(
    A.from_avro("v", PAIR, {"avroSchema": json.dumps(record(("b", ["null", "string"]), ("z", "int", 7)))}).alias("r")))
values("from_avro_failfast", lambda c, A: broken(c).select(A.from_avro("v", PAIR).alias("r")))
values("from_avro_permissive", lambda c, A: broken(c).select(A.from_avro("v", PAIR, {"mode": "PERMISSIVE"}).alias("r")))
values("from_avro_dropmalformed", lambda c, A: broken(c).select(A.from_avro("v", PAIR, {"mode": "DROPMALFORMED"}).alias("r")))
values("from_avro_int", lambda c, A: c.spark.createDataFrame([(b"\x05",)], "v BINARY").select(A.from_avro("v", '"int"').alias("r")))
values("to_avro_name", lambda c, A: c.spark.sql("SELECT 1 a").select(A.to_avro("a")).columns[0])
values("to_avro_struct", lambda c, A: c.spark.sql(
    "SELECT named_struct('a', 1, 'b', 'x', 'd', 1.25BD, 't', TIMESTAMP'2020-01-01 00:00:00', 'l', array(1, 2), 'm', map('k', true)) s"
).select(A.to_avro("s").alias("r")))
values("to_avro_schema", lambda c, A: c.spark.sql("SELECT named_struct('a', 1, 'b', 'x') s").select(A.to_avro("s", PAIR).alias("r")))
values("to_avro_enum", lambda c, A: c.spark.sql("SELECT 'B' s").select(
    A.to_avro("s", json.dumps(ENUM)).alias("r")))
values("there_and_back", lambda c, A: c.spark.sql("SELECT named_struct('a', 1, 'b', 'x') s").select(
    A.from_avro(A.to_avro("s", PAIR), PAIR).alias("r")))
for name, text in {
    "schema_of_avro": f"schema_of_avro('{PAIR}')",
    "schema_of_avro_column": "schema_of_avro(CAST(id AS STRING))",
    "sql_from_avro": f"from_avro(to_avro(named_struct('a', 1, 'b', 'x')), '{PAIR}', map('mode', 'FAILFAST'))",
    "sql_to_avro": "to_avro(1)",
    "sql_from_avro_column": "from_avro(X'02', CAST(id AS STRING))",
}.items():
    area._add("avro_" + name, lambda c, text=text: c.spark.range(1).selectExpr(text))
