"""spark.read.json over given bytes: what Auto Loader's parser must agree with, line by line."""

from harness import Area

area = Area("json_read")
BASIC = "a int, b string, _corrupt_record string"


def lines(name, schema, data, file="in.json", options=None, select=None):
    def run(c):
        c.write("in/" + file, data)
        frame = c.spark.read.schema(schema).options(**(options or {})).json(c.path("in"))
        return frame.select(*select) if select else frame

    area._add(name, run)


def inferred(name, data, options=None, file="in.json"):
    def run(c):
        c.write("in/" + file, data)
        return c.spark.read.options(**(options or {})).json(c.path("in"))

    area._add(name, run)


lines("plain", BASIC, '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n')
lines("no_final_newline", BASIC, '{"a":1,"b":"x"}\n{"a":2}')
lines("crlf", BASIC, '{"a":1}\r\n{"a":2}\r\n')
lines("lone_cr", BASIC, '{"a":1}\r{"a":2}\r')
lines("bom", BASIC, b'\xef\xbb\xbf{"a":1}\n{"a":2}\n')
lines("blank_lines", BASIC, '\n  \n{"a":1}\n\t\n\n{"a":2}\n\n')
lines("empty_file", BASIC, "")
lines("malformed", BASIC, '{"a":1\n{"a":2}\nnot json\n{"a":3}\n')
lines("trailing_text", BASIC, '{"a":1}xyz\n{"a":2} {"a":3}\n')
lines("wrong_type", BASIC, '{"a":"x","b":2}\n{"a":1.0}\n{"a":true}\n{"a":3000000000}\n')
lines("null_values", BASIC, '{"a":null,"b":null}\n{}\n')
lines("missing_and_unknown", BASIC, '{"b":"x"}\n{"a":1,"zzz":[1,{"q":2}]}\n')
lines("duplicate_key", BASIC, '{"a":1,"a":2,"b":"x","b":"y"}\n')
lines("case_sensitive_names", BASIC, '{"A":1,"B":"x"}\n')
lines("escaped_key", BASIC, '{"\\u0061":5}\n')
lines("scalars_at_root", BASIC, '5\n"x"\nnull\ntrue\n')
lines("array_at_root", BASIC, '[{"a":1},{"a":2}]\n[]\n[{"a":3}]\n')
lines("array_with_scalar", BASIC, '[{"a":1},5]\n')
lines("array_with_null", BASIC, '[{"a":1},null]\n')
lines("empty_object", BASIC, "{}\n")
lines("string_takes_anything", "s string",
      '{"s":"t"}\n{"s":1}\n{"s":1.10}\n{"s":1e5}\n{"s":true}\n{"s":null}\n{"s":{"b" : 1}}\n{"s":[1, 2]}\n{"s":-0}\n')
lines("string_escapes", "s string", '{"s":"a\\"b\\\\c\\/d\\n\\t\\u00e4\\ud83d\\ude00"}\n{"s":"\\u0000"}\n')
lines("lone_surrogate", "s string", '{"s":"\\ud800"}\n')
lines("utf8_text", "s string", '{"s":"äöü 漢字 😀"}\n')
lines("invalid_utf8", "s string", b'{"s":"ok"}\n{"s":"\xff\xfe"}\n')
lines("unescaped_control", "s string, _corrupt_record string", b'{"s":"a\tb"}\n')
lines("integers", "t tinyint, s smallint, i int, l bigint",
      '{"t":127,"s":32767,"i":2147483647,"l":9223372036854775807}\n{"t":128,"s":40000,"i":2147483648,"l":9223372036854775808}\n{"t":-128}\n')
lines("int_from_string_refused", "i int, _corrupt_record string", '{"i":"5"}\n{"i":""}\n{"i":5.0}\n{"i":1e2}\n')
lines("doubles", "d double", '{"d":1}\n{"d":1.5}\n{"d":-1e-3}\n{"d":1e400}\n{"d":"NaN"}\n{"d":"Infinity"}\n{"d":"-INF"}\n{"d":NaN}\n')
lines("double_from_string_refused", "d double, _corrupt_record string", '{"d":"1.5"}\n{"d":"inf"}\n{"d":true}\n')
lines("floats", "f float", '{"f":1.1}\n{"f":1e39}\n{"f":16777217}\n')
lines("decimals", "d decimal(6,2), _corrupt_record string",
      '{"d":1.005}\n{"d":"12.345"}\n{"d":"1,234.5"}\n{"d":123456}\n{"d":-0.004}\n{"d":true}\n')
lines("booleans", "b boolean, _corrupt_record string", '{"b":true}\n{"b":false}\n{"b":"true"}\n{"b":1}\n')
lines("dates", "d date, _corrupt_record string",
      '{"d":"2024-01-05"}\n{"d":"2024-1-5"}\n{"d":"2024"}\n{"d":"2024-01-05T10:00"}\n{"d":"2024-02-30"}\n{"d":"01/05/2024"}\n{"d":5}\n{"d":""}\n')
lines("date_format", "d date, _corrupt_record string", '{"d":"05/01/2024"}\n{"d":"2024-01-05"}\n', options={"dateFormat": "dd/MM/yyyy"})
lines("timestamps", "t timestamp, _corrupt_record string",
      '{"t":"2024-01-05T10:11:12Z"}\n{"t":"2024-01-05 10:11:12.123456789"}\n{"t":"2024-01-05"}\n{"t":"2024-01-05T10:11:12+02:00"}\n{"t":1704448800}\n{"t":1.5}\n{"t":"1704448800"}\n{"t":"x"}\n')
lines("timestamp_format", "t timestamp, _corrupt_record string", '{"t":"05.01.2024 10:11"}\n{"t":"2024-01-05T10:11:12Z"}\n',
      options={"timestampFormat": "dd.MM.yyyy HH:mm"})
lines("timestamp_ntz", "t timestamp_ntz, _corrupt_record string", '{"t":"2024-01-05T10:11:12"}\n{"t":"2024-01-05T10:11:12Z"}\n')
lines("binary", "b binary, _corrupt_record string", '{"b":"SGVsbG8="}\n{"b":"***"}\n{"b":1}\n')
lines("structs", "a struct<b:int,c:int>, _corrupt_record string",
      '{"a":{"b":1,"c":2}}\n{"a":{"b":"x","c":2}}\n{"a":{"c":3,"zz":1}}\n{"a":5}\n{"a":null}\n{"a":{}}\n')
lines("arrays", "a array<int>, _corrupt_record string", '{"a":[1,2]}\n{"a":[1,null]}\n{"a":[1,"x"]}\n{"a":5}\n{"a":[]}\n')
lines("maps", "m map<string,int>, _corrupt_record string", '{"m":{"a":1,"b":null}}\n{"m":{}}\n{"m":{"a":"x"}}\n{"m":[1]}\n')
lines("array_of_structs", "a array<struct<x:int,y:string>>", '{"a":[{"x":1,"y":"p"},{"y":"q"},null]}\n')
lines("nested_bad_leaf", "a struct<x:int,y:struct<x:int>>, b struct<x:int>, c string",
      '{"a":{"x":1,"y":true},"b":{"x":1},"c":"k"}\n')
lines("array_expected_string_found", "a string, b array<string>", '{"a":"v1","b":"[x]"}\n{"a":"v1","b":["x"]}\n')
lines("deep_array", "x array<array<array<int>>>", '{"x":[[[1,2],[3]],[[]],[]]}\n')
lines("single_quotes", BASIC, "{'a':1,'b':'x'}\n")
lines("unquoted_names_off", BASIC, "{a:1}\n")
lines("unquoted_names_on", BASIC, "{a:1}\n", options={"allowUnquotedFieldNames": "true"})
lines("comments_off", BASIC, '/* c */{"a":1}\n')
lines("comments_on", BASIC, '/* c */{"a":1}\n', options={"allowComments": "true"})
lines("leading_zeros", BASIC, '{"a":007}\n')
lines("leading_zeros_on", BASIC, '{"a":007,"b":"x"}\n', options={"allowNumericLeadingZeros": "true"})
lines("mode_dropmalformed", "a int, b string", '{"a":1}\nbad\n{"a":"x"}\n{"a":2}\n', options={"mode": "DROPMALFORMED"})
lines("mode_failfast", "a int, b string", '{"a":1}\nbad\n', options={"mode": "FAILFAST"})
lines("corrupt_column_renamed", "a int, bad string", 'x\n{"a":1}\n', options={"columnNameOfCorruptRecord": "bad"})
lines("multiline_object", BASIC, '{\n "a": 1,\n "b": "x"\n}\n', options={"multiLine": "true"})
lines("multiline_array", BASIC, '[\n {"a":1},\n {"a":2}\n]\n', options={"multiLine": "true"})
lines("multiline_two_objects", BASIC, '{"a":1}\n{"a":2}\n', options={"multiLine": "true"})
lines("multiline_truncated", BASIC, '{"a":1,"b":\n', options={"multiLine": "true"})
lines("multiline_empty", BASIC, "", options={"multiLine": "true"})
lines("line_sep", BASIC, '{"a":1}||{"a":2}', options={"lineSep": "||"})
lines("projection", "a int, b string, c int", '{"a":1,"b":"x","c":3}\n', select=["c"])
lines("column_order_follows_schema", "c int, a int", '{"a":1,"c":3}\n')
lines("huge_integer_as_string", "s string, d decimal(38,0)", '{"s":123456789012345678901234567890,"d":123456789012345678901234567890}\n')

inferred("infer_plain", '{"a":1,"b":"x","c":1.5,"d":true,"e":null}\n')
inferred("infer_widen", '{"a":1}\n{"a":1.5}\n')
inferred("infer_conflict", '{"a":1}\n{"a":"x"}\n')
inferred("infer_struct_conflict", '{"a":{"b":1}}\n{"a":5}\n')
inferred("infer_nested", '{"a":{"c":1,"b":[{"x":1},{"y":"t"}]}}\n')
inferred("infer_order", '{"z":1,"a":2,"M":3}\n{"b":4}\n')
inferred("infer_big", '{"a":9223372036854775807,"b":9223372036854775808,"c":123456789012345678901234567890123456789012}\n')
inferred("infer_dates_stay_strings", '{"a":"2024-01-01","b":"2024-01-01T00:00:00Z"}\n')
inferred("infer_timestamp_on", '{"b":"2024-01-01T00:00:00Z"}\n', options={"inferTimestamp": "true"})
inferred("infer_primitives_as_string", '{"a":1,"b":true,"c":{"d":1.5},"e":[1]}\n', options={"primitivesAsString": "true"})
inferred("infer_prefers_decimal", '{"a":1.25,"b":"3.5"}\n', options={"prefersDecimal": "true"})
inferred("infer_corrupt", '{"a":1}\nbad\n')
inferred("infer_empty_array_and_object", '{"a":[],"b":{},"c":1}\n')
inferred("infer_all_null", '{"a":null}\n')
inferred("infer_drop_all_null", '{"a":null,"b":1,"c":[]}\n', options={"dropFieldIfAllNull": "true"})
inferred("infer_root_array", '[{"a":1},{"b":2}]\n')
inferred("infer_multiline", '[\n{"a":1},\n{"a":2,"b":"x"}\n]', options={"multiLine": "true"})


@area.case()
def gzip_members(c):
    import gzip

    c.write("in/two.json.gz", gzip.compress(b'{"a":1}\n{"a"') + gzip.compress(b':2}\n'))
    return c.spark.read.schema("a int").json(c.path("in"))


@area.case()
def zstd(c):
    import zstandard

    c.write("in/z.json.zst", zstandard.compress(b'{"a":1}\n{"a":2}\n'))
    return c.spark.read.schema("a int").json(c.path("in"))


@area.case()
def odd_file_names(c):
    for name in ("a b", "a[1]", "c#d", "e+f", "x{y,z}", "ünï", "st*r", "per%cent"):
        c.write(f"in/{name}.json", '{"v":"%s"}\n' % name)
    return c.spark.read.schema("v string").json(c.path("in"))


@area.case()
def metadata_columns(c):
    c.write("in/a b.json", '{"v":1}\n')
    return c.spark.read.schema("v int").json(c.path("in")).select(
        "v", "_metadata.file_name", "_metadata.file_path", "_metadata.file_size")


@area.case()
def hidden_files(c):
    for name in ("top.json", "_under.json", ".hidden.json", "sub/deep.json"):
        c.write("in/" + name, '{"v":"%s"}\n' % name)
    return c.spark.read.schema("v string").json(c.path("in"))


@area.case()
def recursive(c):
    for name in ("top.json", "sub/deep.json", "sub/_skip/x.json"):
        c.write("in/" + name, '{"v":"%s"}\n' % name)
    return c.spark.read.schema("v string").option("recursiveFileLookup", "true").json(c.path("in"))


@area.case()
def partition_folders(c):
    c.write("in/year=2024/month=01/f.json", '{"v":1}\n')
    c.write("in/year=2023/month=12/f.json", '{"v":2}\n')
    return c.spark.read.schema("v int, year int, month int").json(c.path("in"))


@area.case()
def path_glob_filter(c):
    c.write("in/a.json", '{"v":1}\n')
    c.write("in/b.txt", '{"v":2}\n')
    return c.spark.read.schema("v int").option("pathGlobFilter", "*.json").json(c.path("in"))


@area.case(loose=("path",))
def path_missing(c):
    return c.spark.read.schema("v int").json(c.path("nowhere"))


@area.case()
def infer_from_empty_folder(c):
    import os

    os.makedirs(c.path("in"))
    return c.spark.read.json(c.path("in"))


@area.case(loose=("path",))
def plain_text_named_gz(c):
    c.write("in/x.json.gz", '{"v":1}\n')
    return c.spark.read.schema("v int").json(c.path("in"))
