"""Operators on numbers: result types, overflow, division, decimals, NaN; ANSI on and off."""

from harness import Area, one

area = Area("arithmetic")
OFF = {"spark.sql.ansi.enabled": "false"}


def numbers(c):
    rows = [(1, 2, 3, 10, 1.5, 2.5), (-7, 3, -2, None, float("nan"), -0.0), (0, 1, 5, -5, None, 1e300)]
    return c.spark.createDataFrame(rows, "a int, b int, l bigint, n bigint, f double, g double")


def decimals(c):
    from decimal import Decimal as D

    rows = [(D("1.50"), D("2.25000"), D("12345678901234567890.123456789012345678")),
            (D("-0.01"), D("3.00000"), D("1.000000000000000000")), (None, D("0.50000"), None)]
    return c.spark.createDataFrame(rows, "p decimal(5,2), q decimal(10,5), w decimal(38,18)")


area.exprs(numbers, {
    "add_int": "a + b",
    "add_int_long": "a + l",
    "add_int_double": "a + f",
    "subtract": "a - b",
    "multiply": "a * b",
    "divide_int": "a / b",
    "divide_double": "f / 2",
    "integer_div": "a div b",
    "modulo": "a % b",
    "modulo_negative": "-5 % 3",
    "pmod": "pmod(a, b)",
    "negative": "-a",
    "positive": "+a",
    "abs": "abs(a)",
    "abs_double": "abs(g)",
    "compare_nan": "f > 1e308",
    "nan_equals_nan": "f = f",
    "negative_zero_equals_zero": "g = 0.0D",
    "null_propagates": "n + 1",
    "null_safe": "n <=> null",
    "bit_and": "a & b",
    "bit_or": "a | b",
    "bit_xor": "a ^ b",
    "bit_not": "~a",
    "shift_left": "shiftleft(a, 2)",
    "shift_right": "shiftright(a, 1)",
    "int_vs_bigint_compare": "a < l",
    "int_vs_decimal": "a + 1.5",
    "decimal_literal_times_int": "a * 1.10",
    "greatest": "greatest(a, b, l)",
    "least": "least(a, n)",
    "isnan": "isnan(f)",
    "nanvl": "nanvl(f, 0D)",
    "tinyint_add": "cast(a as tinyint) + cast(b as tinyint)",
    "smallint_mul": "cast(a as smallint) * cast(b as smallint)",
    "float_add": "cast(f as float) + cast(1 as float)",
    "float_double_add": "cast(1.1 as float) + 1.1D",
})
area.exprs(decimals, {
    "decimal_add": "p + q",
    "decimal_subtract": "p - q",
    "decimal_multiply": "p * q",
    "decimal_divide": "p / q",
    "decimal_modulo": "p % q",
    "decimal_negate": "-p",
    "decimal_int": "p + 1",
    "decimal_int_column": "p * cast(3 as int)",
    "decimal_double": "p + 1.5D",
    "decimal_wide_multiply": "w * w",
    "decimal_wide_divide": "w / w",
    "decimal_wide_add": "w + w",
    "decimal_compare": "p < q",
    "decimal_compare_int": "p > 1",
    "decimal_abs": "abs(p)",
    "decimal_round": "round(q, 1)",
    "decimal_round_default": "round(q)",
    "decimal_ceil": "ceil(p)",
    "decimal_floor": "floor(p)",
    "decimal_sum_type": "cast(p as decimal(3,1))",
    "decimal_greatest": "greatest(p, q)",
    "decimal_coalesce": "coalesce(p, q)",
})
area.exprs(one, {
    "overflow_int_add": "2147483647 + 1",
    "overflow_long_add": "9223372036854775807L + 1",
    "overflow_int_mul": "2147483647 * 2",
    "overflow_negate": "-(cast('-2147483648' as int))",
    "overflow_abs": "abs(cast('-2147483648' as int))",
    "divide_by_zero": "1 / 0",
    "divide_by_zero_double": "1.0D / 0.0D",
    "div_by_zero": "1 div 0",
    "modulo_by_zero": "1 % 0",
    "overflow_tinyint": "cast(127 as tinyint) + cast(1 as tinyint)",
    "overflow_decimal": "cast('99999999999999999999999999999999999999' as decimal(38,0)) * 10",
    "literal_types": "struct(1, 3000000000, 1.5, 1.5D, 1e1, 1L, 1S, 1Y, 1.5F, 1.5BD, 'x', true, null)",
    "round_half_up": "array(round(2.5D), round(3.5D), round(-2.5D), round(0.5D))",
    "round_scale": "array(round(1.2345D, 2), round(1.005D, 2), round(1234.5D, -2))",
    "round_int": "round(125, -1)",
    "bround": "array(bround(2.5D), bround(3.5D))",
    "ceil_floor": "array(ceil(1.2D), floor(-1.2D), ceil(-0.5D))",
    "sqrt_negative": "sqrt(-1D)",
    "power": "power(2, 10)",
    "exp_ln": "array(exp(0D), ln(1D), log10(1000D), log2(8D))",
    "ln_zero": "ln(0D)",
    "sign": "array(sign(-3D), sign(0D), sign(2D))",
    "hex_literal": "X'1F'",
    "try_add_overflow": "try_add(2147483647, 1)",
    "try_divide_zero": "try_divide(1, 0)",
})
area.exprs(one, {
    "off_overflow_int": "2147483647 + 1",
    "off_divide_by_zero": "1 / 0",
    "off_modulo_by_zero": "1 % 0",
    "off_cast_invalid": "cast('abc' as int)",
    "off_cast_overflow": "cast(3000000000 as int)",
    "off_string_plus_int": "'5' + 1",
}, conf=OFF)
area.exprs(one, {
    "string_plus_int": "'5' + 1",
    "string_plus_int_bad": "'x' + 1",
    "string_equals_int": "'5' = 5",
    "string_equals_int_bad": "'x' = 5",
    "bool_plus_int": "true + 1",
    "date_plus_int": "DATE '2024-01-31' + 1",
    "date_minus_date": "DATE '2024-03-01' - DATE '2024-02-01'",
})
