"""from_json, to_json, get_json_object and friends."""

from harness import Area, one

area = Area("json_functions")


def docs(c):
    rows = [('{"a":1,"b":"x","c":{"d":[1,2]}}',), ('{"a":"bad","b":2}',), ("not json",), ("",), (None,), ("[1,2]",),
            ('{"a": 1, "a": 2}',)]
    return c.spark.createDataFrame(rows, "s string")


area.cols(docs, {
    "from_json_ddl": lambda F: F.from_json("s", "a int, b string").alias("j"),
    "from_json_struct": lambda F: F.from_json("s", "struct<a:int,c:struct<d:array<int>>>").alias("j"),
    "from_json_corrupt": lambda F: F.from_json("s", "a int, _corrupt_record string").alias("j"),
    "from_json_map": lambda F: F.from_json("s", "map<string,string>").alias("j"),
    "from_json_array": lambda F: F.from_json("s", "array<int>").alias("j"),
    "from_json_field": lambda F: F.from_json("s", "a int")["a"],
    "from_json_failfast": lambda F: F.from_json("s", "a int", {"mode": "FAILFAST"}),
    "get_json_object": lambda F: [F.get_json_object("s", "$.a"), F.get_json_object("s", "$.c.d[1]"),
                                  F.get_json_object("s", "$.c"), F.get_json_object("s", "$.zz")],
    "json_tuple": lambda F: F.json_tuple("s", "a", "b"),
})
area.exprs(one, {
    "to_json_struct": "to_json(struct(1 as a, 'x' as b, null as c, array(1, null) as d, map('k', 1.5) as e))",
    "to_json_times": "to_json(struct(DATE '2024-01-05' as d, TIMESTAMP '2024-01-05 10:11:12.5' as t))",
    "to_json_doubles": "to_json(struct(1.0D as a, double('NaN') as b, 1e10D as c, cast(1.10 as decimal(5,2)) as d))",
    "to_json_strings": "to_json(struct('a\"b\\\\\\n' as s, 'ä漢' as u))",
    "to_json_array": "to_json(array(struct(1 as a), struct(2 as a)))",
    "to_json_map": "to_json(map('a', 1))",
    "schema_of_json": "schema_of_json('{\"a\":1,\"b\":[1.5],\"c\":null}')",
    "from_json_sql": "from_json('{\"a\":1}', 'a INT')",
    "from_json_bad_schema": "from_json('{\"a\":1}', 'a NOPE')",
})


@area.case()
def parse_frame(c):
    return c.spark.read.schema("a int, b string").json(docs(c))
