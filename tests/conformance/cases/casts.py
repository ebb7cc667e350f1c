"""Casts: every pair that programs use, ANSI errors, try_cast, strings of numbers and dates."""

from harness import Area, one

area = Area("casts")


def values(c):
    from datetime import date, datetime
    from decimal import Decimal as D

    rows = [
        (1, 2**40, 1.75, D("12.34"), "42", True, date(2024, 1, 31), datetime(2024, 1, 31, 12, 30, 5, 250000)),
        (-3, -1, -0.5, D("-0.05"), " 7 ", False, date(1969, 12, 31), datetime(1969, 12, 31, 23, 59, 59)),
        (None,) * 8,
    ]
    return c.spark.createDataFrame(
        rows, "i int, l bigint, f double, d decimal(10,2), s string, b boolean, dt date, ts timestamp"
    )


area.exprs(values, {
    "int_to_string": "cast(i as string)",
    "int_to_double": "cast(i as double)",
    "int_to_decimal": "cast(i as decimal(5,1))",
    "int_to_boolean": "cast(i as boolean)",
    "int_to_tinyint": "cast(i as tinyint)",
    "int_to_bigint": "cast(i as bigint)",
    "int_to_timestamp": "cast(i as timestamp)",
    "double_to_int": "cast(f as int)",
    "double_to_string": "cast(f as string)",
    "double_to_decimal": "cast(f as decimal(4,1))",
    "double_to_float": "cast(f as float)",
    "decimal_to_string": "cast(d as string)",
    "decimal_to_int": "cast(d as int)",
    "decimal_to_double": "cast(d as double)",
    "decimal_rescale": "cast(d as decimal(10,1))",
    "string_to_int": "cast(s as int)",
    "string_to_double": "cast(s as double)",
    "string_to_decimal": "cast(s as decimal(6,2))",
    "string_to_binary": "cast(s as binary)",
    "boolean_to_int": "cast(b as int)",
    "boolean_to_string": "cast(b as string)",
    "date_to_string": "cast(dt as string)",
    "date_to_timestamp": "cast(dt as timestamp)",
    "timestamp_to_string": "cast(ts as string)",
    "timestamp_to_date": "cast(ts as date)",
    "timestamp_to_bigint": "cast(ts as bigint)",
    "timestamp_to_double": "cast(ts as double)",
    "timestamp_to_ntz": "cast(ts as timestamp_ntz)",
})
area.exprs(values, {
    "new_york_timestamp_to_string": "cast(ts as string)",
    "new_york_timestamp_to_date": "cast(ts as date)",
    "new_york_date_to_timestamp": "cast(dt as timestamp)",
    "new_york_string_to_timestamp": "cast('2024-07-01 12:00:00' as timestamp)",
    "new_york_gap": "cast('2024-03-10 02:30:00' as timestamp)",
    "new_york_overlap": "cast('2024-11-03 01:30:00' as timestamp)",
    "new_york_ntz": "cast(ts as timestamp_ntz)",
}, conf={"spark.sql.session.timeZone": "America/New_York"})
area.exprs(one, {
    "bad_string_to_int": "cast('abc' as int)",
    "bad_string_to_int_fraction": "cast('1.5' as int)",
    "bad_empty_to_int": "cast('' as int)",
    "bad_string_to_double": "cast('x' as double)",
    "bad_string_to_decimal": "cast('x' as decimal(5,2))",
    "bad_string_to_boolean": "cast('maybe' as boolean)",
    "bad_string_to_date": "cast('2024-02-30' as date)",
    "bad_string_to_timestamp": "cast('nope' as timestamp)",
    "overflow_long_to_int": "cast(3000000000 as int)",
    "overflow_int_to_tinyint": "cast(300 as tinyint)",
    "overflow_double_to_int": "cast(1e10 as int)",
    "overflow_string_to_int": "cast('3000000000' as int)",
    "overflow_to_decimal": "cast(12345 as decimal(3,0))",
    "overflow_string_to_decimal": "cast('12345' as decimal(3,0))",
    "nan_to_int": "cast(double('NaN') as int)",
    "try_cast_bad": "try_cast('abc' as int)",
    "try_cast_overflow": "try_cast(3000000000 as int)",
    "try_cast_good": "try_cast('12' as int)",
    "boolean_words": "array(cast('t' as boolean), cast('yes' as boolean), cast('1' as boolean), cast('n' as boolean), cast(' TRUE ' as boolean))",
    "string_int_signs": "array(cast('+5' as int), cast('-5' as int), cast('  12  ' as int))",
    "string_double_forms": "array(cast('1e3' as double), cast('Infinity' as double), cast('-inf' as double), cast('NaN' as double), cast('1.' as double), cast('.5' as double))",
    "double_strings": "array(cast(1.0D as string), cast(1e7D as string), cast(0.001D as string), cast(1e-4D as string), cast(123456789.125D as string), cast(1e21D as string))",
    "special_double_strings": "array(cast(double('NaN') as string), cast(double('Infinity') as string), cast(-0.0D as string))",
    "float_strings": "array(cast(1.1F as string), cast(cast(16777216 as float) as string), cast(1e10F as string))",
    "date_forms": "array(cast('2024' as date), cast('2024-3' as date), cast('2024-3-9' as date), cast('2024-03-09 10:00:00' as date), cast(' 2024-03-09 ' as date))",
    "timestamp_forms": "array(cast('2024-03-09' as timestamp), cast('2024-03-09 1:2:3' as timestamp), cast('2024-03-09T01:02:03.123456Z' as timestamp), cast('2024-03-09 01:02:03+02:00' as timestamp), cast('2024-03-09 01:02:03 America/New_York' as timestamp))",
    "timestamp_micros_string": "array(cast(timestamp'2024-01-01 00:00:00.100' as string), cast(timestamp'2024-01-01 00:00:00.000001' as string))",
    "decimal_half_up": "array(cast(1.25 as decimal(3,1)), cast(-1.25 as decimal(3,1)), cast(1.24 as decimal(3,1)))",
    "array_to_string": "cast(array(1, null, 3) as string)",
    "map_to_string": "cast(map('a', 1, 'b', null) as string)",
    "struct_to_string": "cast(struct(1 as a, 'x' as b, null as c) as string)",
    "array_cast": "cast(array('1', '2') as array<int>)",
    "struct_cast": "cast(struct('1' as a, 2 as b) as struct<x:int,y:string>)",
    "binary_to_string": "cast(X'48656C6C6F' as string)",
    "int_to_binary_refused": "cast(1 as binary)",
    "array_to_int_refused": "cast(array(1) as int)",
    "date_to_int_refused": "cast(DATE '2024-01-01' as int)",
    "string_functions": "struct(int('7'), double('1.5'), string(12), date('2024-01-01'), boolean('true'))",
    "double_colon": "'12'::int",
})
area.cols(values, {
    "api_cast_name": lambda F: F.col("s").cast("bigint"),
    "api_cast_type": lambda F: F.col("i").cast("decimal(12,3)"),
    "api_try_cast": lambda F: F.col("s").try_cast("double"),
})
