"""CSV files: how they are read, what is inferred, and how they are written."""

import glob
import pathlib

from harness import Area
from pyspark.sql import functions as F

area = Area("csv_files")


def texts(c, where):
    """What was written, all files together, lines sorted."""
    lines = []
    for path in sorted(glob.glob(str(pathlib.Path(where) / "**" / "part-*"), recursive=True)):
        lines.append(pathlib.Path(path).read_text())
    return sorted(lines)


# name: (bytes of the file, schema or None, options)
READ = {
    "plain": ("1,a\n2,b\n", "i int, s string", {}),
    "no_schema": ("1,a\n2,b\n", None, {}),
    "header": ("id,name\n1,a\n2,b\n", None, {"header": True}),
    "header_schema": ("id,name\n1,a\n", "x int, y string", {"header": True}),
    "header_schema_case": ("ID,Name\n1,a\n", "id int, name string", {"header": True}),
    "header_mismatch_not_enforced": ("id,name\n1,a\n", "x int, y string", {"header": True, "enforceSchema": False}),
    "header_shuffled_enforced": ("name,id\na,1\n", "id string, name string", {"header": True}),
    "header_duplicates": ("a,A,,b,a\n1,2,3,4,5\n", None, {"header": True}),
    "header_only": ("a,b\n", None, {"header": True}),
    "header_only_infer": ("a,b\n", None, {"header": True, "inferSchema": True}),
    "header_blank_lines": ("\n\na,b\n\n1,2\n", None, {"header": True}),
    "header_quoted": ('"a b","c,d"\n1,2\n', None, {"header": True}),
    "infer": ("1,1.5,true,x,2024-01-01,2024-01-01 10:00:00\n2,2,false,y,2024-02-01,2024-01-01 11:00:00.5\n", None,
              {"inferSchema": True}),
    "infer_long": ("1\n3000000000\n", None, {"inferSchema": True}),
    "infer_big": ("12345678901234567890\n1\n", None, {"inferSchema": True}),
    "infer_bigger": ("123456789012345678901234567890123456789012\n1\n", None, {"inferSchema": True}),
    "infer_double": ("1\n1e3\nNaN\n-Inf\n", None, {"inferSchema": True}),
    "infer_decimal_fraction": ("12345678901234567890.5\n", None, {"inferSchema": True}),
    "infer_nulls": (",1\n,\n", None, {"inferSchema": True}),
    "infer_mixed": ("1,true,2024-01-01\nx,1,5\n", None, {"inferSchema": True}),
    "infer_bool_int": ("true\n1\n", None, {"inferSchema": True}),
    "infer_int_bool": ("1\ntrue\n", None, {"inferSchema": True}),
    "infer_date_forms": ("2024-01-01,2024-1-2,2024-01,2024-01-01T00:00:00,2024-01-01T00:00:00Z\n", None, {"inferSchema": True}),
    "infer_date_then_time": ("2024-01-01\n2024-01-01 10:00:00\n", None, {"inferSchema": True}),
    "infer_time_then_date": ("2024-01-01 10:00:00\n2024-01-01\n", None, {"inferSchema": True}),
    "infer_date_format": ("01/02/2024,2024-01-01\n", None, {"inferSchema": True, "dateFormat": "dd/MM/yyyy"}),
    "infer_timestamp_format": ("01/02/2024 10:00,x\n", None, {"inferSchema": True, "timestampFormat": "dd/MM/yyyy HH:mm"}),
    "infer_prefer_date_off": ("2024-01-01\n", None, {"inferSchema": True, "preferDate": False}),
    "infer_null_value": ("1\nNA\n", None, {"inferSchema": True, "nullValue": "NA"}),
    "infer_spaces": (" 1, 2 \n", None, {"inferSchema": True}),
    "infer_spaces_trimmed": (" 1, 2 \n", None, {"inferSchema": True, "ignoreLeadingWhiteSpace": True,
                                                "ignoreTrailingWhiteSpace": True}),
    "infer_plus": ("+1,-2,007\n", None, {"inferSchema": True}),
    "infer_ragged": ("1,2\n3\n4,5,6\n", None, {"inferSchema": True}),
    "infer_empty_string": ('"",1\na,2\n', None, {"inferSchema": True}),
    "infer_zone_time": ("2024-01-01 10:00:00+02:00\n", None, {"inferSchema": True}),
    "empty_lines": ("1,a\n\n   \n2,b\n\n", "i int, s string", {}),
    "empty_file": ("", "i int", {}),
    "empty_file_no_schema": ("", None, {}),
    "no_line_end": ("1,a", "i int, s string", {}),
    "crlf": ("1,a\r\n2,b\r\n", "i int, s string", {}),
    "cr": ("1,a\r2,b\r", "i int, s string", {}),
    "bom": ("\ufeff1,a\n", "i int, s string", {}),
    "bom_header": ("\ufeffid,s\n1,a\n", None, {"header": True}),
    "quoted": ('1,"a,b"\n2,"c"\n', "i int, s string", {}),
    "quoted_newline": ('1,"a\nb"\n2,c\n', "i int, s string", {}),
    "quoted_newline_multi": ('1,"a\nb"\n2,c\n', "i int, s string", {"multiLine": True}),
    "quoted_crlf_multi": ('1,"a\r\nb"\r\n2,c\r\n', "i int, s string", {"multiLine": True}),
    "multi_header_infer": ('a,b\n1,"x\ny"\n', None, {"multiLine": True, "header": True, "inferSchema": True}),
    "multi_empty_lines": ("1,a\n\n2,b\n", "i int, s string", {"multiLine": True}),
    "quoted_empty": ('1,""\n2,\n', "i int, s string", {}),
    "quoted_empty_value": ('1,""\n2,\n', "i int, s string", {"emptyValue": "E", "nullValue": "N"}),
    "quoted_null_value": ('1,"N"\n2,N\n', "i int, s string", {"nullValue": "N"}),
    "quoted_doubled": ('1,"a""b"\n', "i int, s string", {}),
    "quoted_doubled_escape": ('1,"a""b",x\n2,"""",y\n', "i int, s string, t string", {"escape": '"'}),
    "quoted_escaped": ('1,"a\\"b"\n2,"a\\\\"\n3,"a\\nb"\n4,a\\"b\n', "i int, s string", {}),
    "quoted_escape_end": ('1,"a\\\n2,b\n', "i int, s string", {}),
    "quoted_unclosed": ('1,"abc\n2,b\n', "i int, s string", {}),
    "quoted_unclosed_comma": ('1,"abc,d\n2,b\n', "i int, s string, t string", {}),
    "quoted_middle": ('1,a"b"c\n', "i int, s string", {}),
    "quoted_after": ('1,"a"b,c\n2,"a" ,c\n3, "a",c\n', "i int, s string, t string", {}),
    "quoted_after_trimmed": ('1,"a" ,c\n2, "a",c\n3, x ,c\n4," y ",c\n', "i int, s string, t string",
                             {"ignoreLeadingWhiteSpace": True, "ignoreTrailingWhiteSpace": True}),
    "quote_single": ("1,'a,b'\n", "i int, s string", {"quote": "'"}),
    "quote_none": ('1,"a\n', "i int, s string", {"quote": ""}),
    "escape_other": ('1,"a|"b"\n', "i int, s string", {"escape": "|"}),
    "sep_tab": ("1\ta b\n", "i int, s string", {"sep": "\t"}),
    "sep_tab_text": ("1\ta\n", "i int, s string", {"sep": "\\t"}),
    "sep_pipe": ("1|a\n", "i int, s string", {"delimiter": "|"}),
    "sep_two": ("1||a||\n", "i int, s string, t string", {"sep": "||"}),
    "sep_empty": ("1,a\n", "i int", {"sep": ""}),
    "comment": ("#x\n1,a\n# y\n2,#b\n", "i int, s string", {"comment": "#"}),
    "null_value": ("1,NA\nNA,b\n", "i int, s string", {"nullValue": "NA"}),
    "white_leading": (" a , b \n", "s string, t string", {"ignoreLeadingWhiteSpace": True}),
    "white_trailing": (" a , b \n", "s string, t string", {"ignoreTrailingWhiteSpace": True}),
    "line_sep": ("1,a;2,b;", "i int, s string", {"lineSep": ";"}),
    "too_few": ("1\n2,b,c\n", "i int, s string, t string", {}),
    "too_many": ("1,a,x\n2,b\n", "i int, s string", {}),
    "corrupt": ("1,a\nx,b\n3\n4,d,e\n", "i int, s string, _corrupt_record string", {}),
    "corrupt_named": ("x,b\n", "i int, s string, bad string", {"columnNameOfCorruptRecord": "bad"}),
    "corrupt_middle": ("x,b\n1,c\n", "i int, _corrupt_record string, s string", {}),
    "corrupt_type": ("x,b\n", "i int, _corrupt_record int", {}),
    "drop_malformed": ("1,a\nx,b\n3\n4,d,e\n5,f\n", "i int, s string", {"mode": "DROPMALFORMED"}),
    "fail_fast": ("1,a\nx,b\n", "i int, s string", {"mode": "FAILFAST"}),
    "fail_fast_few": ("1\n", "i int, s string", {"mode": "FAILFAST"}),
    "mode_unknown": ("1,a\nx,b\n", "i int, s string", {"mode": "NOPE"}),
    "types": ("1,2,3,4,1.5,2.5,true,1.25,2024-01-01,2024-01-01 10:00:00,2024-01-01 10:00:00\n",
              "a tinyint, b smallint, c int, d bigint, e float, f double, g boolean, h decimal(5,2), i date, j timestamp, k timestamp_ntz",
              {}),
    "numbers_bad": ("128,1.0,1_0,0x1\n 1,1 ,+1,--1\n", "a tinyint, b int, c int, d int", {}),
    "doubles": ("1,1e5,.5,5.\nNaN,Inf,-Inf,Infinity\nnan,inf, 1.5 ,1d\n", "a double, b double, c double, d double", {}),
    "floats": ("1,1e50,NaN,Inf\n", "a float, b float, c float, d float", {}),
    "doubles_named": ("no,plus,minus,x\n", "a double, b double, c double, d double",
                      {"nanValue": "no", "positiveInf": "plus", "negativeInf": "minus"}),
    "decimals": ("\"1,234.5\",1.255,99999.999,1e2\nx,-1.5, 1,\n", "a decimal(10,2), b decimal(5,2), c decimal(5,2), d decimal(5,2)", {}),
    "booleans": ("true,FALSE,True,1\nt,yes,no,0\n", "a boolean, b boolean, c boolean, d boolean", {}),
    "dates": ("2024-01-02,2024-1-2,2024-01,2024\n2024-01-02 10:00:00,2024-13-01,20240102,x\n",
              "a date, b date, c date, d date", {}),
    "dates_format": ("02/01/2024,2/1/2024,2024-01-02\n", "a date, b date, c date", {"dateFormat": "dd/MM/yyyy"}),
    "timestamps": ("2024-01-02 10:11:12,2024-01-02T10:11:12.123456Z,2024-01-02,2024-01-02 10:11:12+01:00\nx,x,2024,2024-01-02 25:00:00\n",
                   "a timestamp, b timestamp, c timestamp, d timestamp", {}),
    "timestamps_format": ("02.01.2024 10h,2024-01-02 10:00:00\n", "a timestamp, b timestamp", {"timestampFormat": "dd.MM.yyyy HH'h'"}),
    "timestamps_ntz": ("2024-01-02 10:11:12,2024-01-02T10:11:12Z\n", "a timestamp_ntz, b timestamp_ntz", {}),
    "timestamps_ntz_format": ("02.01.2024 10\n", "a timestamp_ntz", {"timestampNTZFormat": "dd.MM.yyyy HH"}),
    "zone_option": ("2024-01-02 10:11:12\n", "a timestamp", {"timeZone": "Europe/Berlin"}),
    "array": ("1\n", "a array<int>", {}),
    "struct": ("1\n", "a struct<b:int>", {}),
    "binary": ("abc\n", "a binary", {}),
    "max_columns": ("1,2,3\n", None, {"maxColumns": 2}),
    "max_chars": ("abcdef\n", "s string", {"maxCharsPerColumn": 3}),
    "unescaped_stop_at_closing": ('1,"a"b",c\n', "i int, s string, t string", {"unescapedQuoteHandling": "STOP_AT_CLOSING_QUOTE"}),
    "unescaped_back_to": ('1,"a"b,c\n', "i int, s string, t string", {"unescapedQuoteHandling": "BACK_TO_DELIMITER"}),
    "unescaped_skip": ('1,"a"b,c\n', "i int, s string, t string", {"unescapedQuoteHandling": "SKIP_VALUE"}),
    "unescaped_raise": ('1,"a"b,c\n', "i int, s string, t string", {"unescapedQuoteHandling": "RAISE_ERROR"}),
    "latin1": (b"1,\xe9\n", "i int, s string", {"encoding": "ISO-8859-1"}),
    "bad_utf8": (b"1,\xff\xfe\n", "i int, s string", {}),
    "compressed": (__import__("gzip").compress(b"1,a\n2,b\n", mtime=0), "i int, s string", {}),
}
# Quotes within quotes that nothing escapes: what was read of the value stays, and it ends at the next delimiter.
UNESCAPED = """1,"a, ""q""\",2
1,"a,""\",2
1,"\"""\",2
1,"\"",2
1,"a,b"c,2
1,"a" b,2
1,"a, ""b""\","c, ""d""\",e
1,"a,""b"",""c"",d",2
1,"a"b"c,d",2
1, "a, "b", c",2
1,"a\\"b, "c",2
1,"a\\"b, "c" d ,2
1,"a,"" ",2
1,"a,""  b",2
1,"a, ""b
1,"a, ""
1,"\"""a,b",2
1,"a,'b'"c,'d,e',2
1,x"a,b",2
1,"a,b"",2
1,"a,""b,c"",d
1,"a\\\\",2
1,"a\\\\""b,c",2
1,"a" "b",2
1,"a", "b,c" ,2
1,"a""\"b",2
"a, ""b",1,2
"a"
"a"b
""
"\"
"""
SHAPES = "q string, r string, s string, t string, u string"
for name, options in {
    "plain": {}, "trimmed": {"ignoreLeadingWhiteSpace": True, "ignoreTrailingWhiteSpace": True}, "escape_quote": {"escape": '"'},
    "closing": {"unescapedQuoteHandling": "STOP_AT_CLOSING_QUOTE"}, "skip": {"unescapedQuoteHandling": "SKIP_VALUE"},
    "single": {"quote": "'"}, "no_quote": {"quote": ""}, "semicolon": {"sep": ";"}, "multi": {"multiLine": True}, "two": {"sep": ", "},
    "comment": {"comment": '"'}, "null_value": {"nullValue": "2"},
    "raise": {"unescapedQuoteHandling": "RAISE_ERROR"}, "fail_fast": {"mode": "FAILFAST"}, "drop": {"mode": "DROPMALFORMED"},
}.items():
    for at, line in enumerate(UNESCAPED.splitlines()):
        READ[f"unescaped_{name}_{at}"] = (line + "\n", SHAPES, options)
READ["unescaped_all"] = (UNESCAPED, SHAPES, {})
READ["unescaped_all_multi"] = (UNESCAPED, SHAPES, {"multiLine": True})
READ["unescaped_over_lines"] = ('1,"a, ""b\nc"",d",2\n3,"x\ny,""\nz",4\n', SHAPES, {"multiLine": True})
READ["unescaped_inferred"] = (UNESCAPED, None, {"inferSchema": True, "header": True})
READ["unescaped_header"] = ('p,"q, ""x""\",r\n1,"a, ""q""\",2\n', None, {"header": True})



for name, (data, schema, options) in READ.items():

    def read(c, name=name, data=data, schema=schema, options=options):
        path = c.write("data.csv" + (".gz" if name == "compressed" else ""), data)
        reader = c.spark.read.options(**options)
        if schema:
            reader = reader.schema(schema)
        return reader.csv(path)

    area.case_of("read_" + name, read, ordered=True)

PRUNED = {
    "count": lambda f: f.count(),
    "count_column": lambda f: f.select("i").count(),
    "one_column": lambda f: f.select("s"),
    "filtered": lambda f: f.where("i > 1").select("s"),
    "two_columns": lambda f: f.select("s", "i"),
}
for name, use in PRUNED.items():
    for mode in ("PERMISSIVE", "DROPMALFORMED"):

        def pruned(c, use=use, mode=mode):
            path = c.write("data.csv", "1,a\nx,b\n3\n4,d,e\n")
            return use(c.spark.read.schema("i int, s string").option("mode", mode).csv(path))

        area.case_of(f"pruned_{name}_{mode.lower()}", pruned, ordered=True)


@area.case(ordered=True)
def files_and_partitions(c):
    c.write("t/k=1/a.csv", "1,x\n")
    c.write("t/k=2/b.csv", "2,y\n")
    return c.spark.read.schema("i int, s string").csv(c.path("t")).orderBy("i")


@area.case(ordered=True)
def many_files_header(c):
    c.write("t/a.csv", "i,s\n1,x\n")
    c.write("t/b.csv", "i,s\n2,y\n")
    return c.spark.read.csv(c.path("t"), header=True, inferSchema=True).orderBy("i")


@area.case()
def input_file_metadata(c):
    path = c.write("a.csv", "1\n")
    return c.spark.read.schema("i int").csv(path).select("i", "_metadata.file_name")


@area.case()
def corrupt_only(c):
    path = c.write("a.csv", "x\n")
    return c.spark.read.schema("i int, _corrupt_record string").csv(path).select("_corrupt_record")


@area.case()
def missing_path(c):
    return c.spark.read.csv("/no/such/path.csv").count()


@area.case(ordered=True)
def texts_as_frame(c):
    lines = c.spark.createDataFrame([("1,a",), ("2,b",), (None,), ("x,c",)], "value string")
    return c.spark.read.csv(lines, schema="i int, s string")


@area.case(ordered=True)
def texts_inferred(c):
    lines = c.spark.createDataFrame([("i,s",), ("1,a",)], "value string").coalesce(1)
    return c.spark.read.csv(lines, header=True, inferSchema=True)


@area.case(ordered=True)
def json_texts_as_frame(c):
    lines = c.spark.createDataFrame([('{"a":1,"b":"x"}',), ('{"a":2}',), ("bad",), ("",)], "value string")
    return c.spark.read.json(lines)


@area.case(ordered=True)
def json_texts_schema(c):
    lines = c.spark.createDataFrame([('{"a":1,"b":"x"}',), ('{"a":"t"}',)], "value string")
    return c.spark.read.schema("a int, b string").json(lines)


@area.case()
def json_texts_two_columns(c):
    return c.spark.read.json(c.spark.createDataFrame([("a", "b")], "x string, y string"))


def values(c):
    import datetime
    import decimal
    rows = [(1, "a", 1.5, True, decimal.Decimal("1.50"), datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 3, 4, 5, 600000)),
            (2, 'q"r', float("nan"), False, None, None, datetime.datetime(1969, 12, 31, 23, 59, 59)),
            (3, "x,y", float("inf"), None, decimal.Decimal("-0.01"), datetime.date(1, 1, 1), None),
            (4, "", 1e20, None, None, None, None), (5, None, None, None, None, None, None), (6, " s ", -0.0, None, None, None, None),
            (7, "l1\nl2", 1e-5, None, None, None, None), (8, "back\\slash", 100.0, None, None, None, None), (9, "tab\t", None, None, None, None, None)]
    return c.spark.createDataFrame(rows, "i int, s string, d double, b boolean, m decimal(5,2), day date, t timestamp").coalesce(1)


WRITE = {
    "plain": {},
    "header": {"header": True},
    "sep": {"sep": ";", "header": True},
    "quote_all": {"quoteAll": True},
    "quote_single": {"quote": "'"},
    "escape_quotes_off": {"escapeQuotes": False},
    "escape_same": {"escape": '"'},
    "null_value": {"nullValue": "NULL"},
    "empty_value": {"emptyValue": "EMPTY"},
    "keep_white": {"ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False},
    "formats": {"dateFormat": "dd/MM/yyyy", "timestampFormat": "yyyy-MM-dd HH:mm"},
    "line_sep": {"lineSep": "|\n"},
    "comment": {"comment": "b"},
    "compression_bad": {"compression": "nope"},
    "sep_two": {"sep": "||"},
    "nan": {"nanValue": "no", "positiveInf": "plus"},
    "zone": {"timeZone": "Europe/Berlin"},
}
for name, options in WRITE.items():

    def write(c, options=options):
        values(c).write.options(**options).csv(c.path("out"))
        return texts(c, c.path("out"))

    area.case_of("write_" + name, write)


@area.case(ordered=True)
def write_read_back(c):
    values(c).write.csv(c.path("out"), header=True)
    return c.spark.read.schema(values(c).schema).csv(c.path("out"), header=True, multiLine=True)


@area.case()
def write_partitioned(c):
    values(c).select("i", "s", "b").write.partitionBy("b").csv(c.path("out"))
    return [sorted(p.name for p in pathlib.Path(c.path("out")).iterdir() if p.is_dir()), texts(c, c.path("out"))]


@area.case()
def write_gzip(c):
    values(c).select("i").write.csv(c.path("out"), compression="gzip")
    return c.spark.read.schema("i int").csv(c.path("out"))


@area.case()
def write_max_records(c):
    c.spark.range(0, 10, 1, 1).write.option("maxRecordsPerFile", 4).csv(c.path("out"))
    return texts(c, c.path("out"))


@area.case()
def write_array(c):
    return c.spark.sql("select array(1) a").write.csv(c.path("out"))


@area.case()
def write_no_rows(c):
    c.spark.range(0).write.csv(c.path("out"), header=True)
    return texts(c, c.path("out"))


@area.case()
def write_exists(c):
    c.spark.range(1).write.csv(c.path("out"))
    return c.spark.range(1).write.csv(c.path("out"))


@area.case()
def write_append_overwrite(c):
    c.spark.range(0, 1, 1, 1).write.csv(c.path("out"))
    c.spark.range(1, 2, 1, 1).write.mode("append").csv(c.path("out"))
    first = texts(c, c.path("out"))
    c.spark.range(2, 3, 1, 1).write.mode("overwrite").csv(c.path("out"))
    return [first, texts(c, c.path("out"))]


@area.case()
def sql_over_files(c):
    path = c.write("a.csv", "1,a\n")
    return c.spark.sql(f"select * from csv.`{path}`")


@area.case()
def unescaped_from_csv(c):
    frame = c.spark.createDataFrame([(at, line) for at, line in enumerate(UNESCAPED.splitlines())], "at int, line string")
    return frame.select("at", F.from_csv("line", SHAPES).alias("x")).orderBy("at")
