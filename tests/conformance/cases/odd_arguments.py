"""Arguments that are seldom given: empty and NULL texts, text behind a JSON value, numbers at the ends of their types."""

from cases._sql import queries
from harness import Area

area = Area("odd_arguments")

TRIMS = {f"{name} {arguments}": f"SELECT {name}({arguments}) AS x FROM VALUES ('', CAST(NULL AS STRING), 'xax') AS t(e, n, s)"
         for name in ("btrim", "ltrim", "rtrim") for arguments in ("e, n", "n, e", "s, n", "s, e", "e, s", "n", "s, 'x'")}
LOCATES = {f"locate {part!r} {text!r} {at}": f"SELECT locate('{part}', '{text}', {at}) AS x, locate(p, t, {at}) AS y FROM VALUES ('{part}', '{text}') AS v(p, t)"
           for part in ("", "b") for text in ("", "abcb") for at in (-1, 0, 1, 2, 4, 5, 6)}
OTHERS = {f"{name} {part!r}": f"SELECT {name} AS x FROM VALUES ('', 'abc', '{part}') AS t(e, s, p)"
          for name in ("instr(s, p)", "position(p, s)", "charindex(p, s)", "charindex(p, s, 3)", "substring_index(s, p, 1)", "substring_index(s, p, -1)",
                       "replace(s, p, 'x')", "split(s, p)", "split_part(s, 'b', 1)", "contains(s, p)", "startswith(s, p)", "endswith(s, p)",
                       "translate(s, p, 'x')", "translate(s, 'abc', p)", "find_in_set(p, s)", "overlay(s PLACING p FROM 2)", "lpad(s, 5, p)", "rpad(s, 5, p)",
                       "levenshtein(s, p)", "regexp_replace(s, p, '-')", "regexp_count(s, p)", "ascii(p)", "soundex(p)", "initcap(p)", "reverse(p)")
          for part in ("", "b")}
JSON = {f"parse {text}": f"SELECT to_json(try_parse_json(t)) AS x, try_variant_get(try_parse_json(t), '$', 'string') AS y, is_variant_null(try_parse_json(t)) AS z FROM VALUES ('{text}') AS v(t)"
        for text in ("1.001.00", "1 2", "1x", "1.0x", "1,2", "1]", "[1]]", "[1] x", "{} {", "null null", "nullx", "true1", "\"a\"b", "\"a\" b", "1.5.5 ", "-", "1e", "01", "+1", ".5", "5.", "  1  ", "", " ", "nul", "1/2", "1e5.5", "NaN", "-Infinity")}
PATHS = {f"get_json_object {text} {path}": f"SELECT get_json_object('{text}', '{path}') AS x, get_json_object(t, '{path}') AS y FROM VALUES ('{text}') AS v(t)"
         for text in ("null", "{\"a\":null}", "[null]", "1", "\"x\"", "true", " null ", "[null,1]", "1 2", "1.5.5")
         for path in ("$", "$.a", "$[0]", "$[*]")}
NUMBERS = {
    "abs interval least": "SELECT abs(i) AS x FROM VALUES (make_dt_interval(0, 0, 0, -9223372036854.775808)) AS t(i)",
    "abs year interval least": "SELECT abs(i) AS x FROM VALUES (make_ym_interval(0, -2147483648)) AS t(i)",
    "negative interval least": "SELECT -i AS x FROM VALUES (make_dt_interval(0, 0, 0, -9223372036854.775808)) AS t(i)",
    "abs least": "SELECT abs(CAST(-128 AS TINYINT)) AS x, abs(-2147483648) AS y",
    "to_char minus": "SELECT to_char(n, '999MI') AS a, to_char(n, 'MI999') AS b, to_char(n, '9G999D99PR') AS c, to_char(n, 'S99') AS d, to_char(n, '99S') AS e, to_char(n, '$99.9PR') AS f FROM VALUES (12345.678BD), (-12345.678BD), (1BD), (-1BD), (0BD) AS t(n)",
    "map_contains_key other": "SELECT map_contains_key(map('a', 1), true) AS x",
    "map_contains_key number": "SELECT map_contains_key(map(1, 1), 1L) AS x",
    "element_at other key": "SELECT element_at(map('a', 1), true) AS x",
    "greatest zero": "SELECT greatest(-1e30F, r) AS x, least(1e30F, r) AS y, greatest(r, 0.0F) AS z FROM VALUES (-0.0F) AS t(r)",
    "to_json void": "SELECT to_json(struct(assert_true(true))) AS x, to_json(struct(NULL AS a)) AS y, to_json(array(NULL)) AS z",
    "inline text and date": "SELECT * FROM VALUES (CAST(NULL AS STRING)), (DATE'2024-01-31') AS v(c)",
    "inline text and timestamp": "SELECT * FROM VALUES ('2024-01-31 10:00:00'), (TIMESTAMP'2024-01-31 10:00:00') AS v(c)",
    "inline null and date": "SELECT * FROM VALUES (NULL), (DATE'2024-01-31') AS v(c)",
    "inline text and interval": "SELECT * FROM VALUES ('1'), (INTERVAL '1' DAY) AS v(c)",
    "timestampdiff dayofyear": "SELECT timestampdiff(DAYOFYEAR, DATE'2024-01-01', TIMESTAMP'2024-03-01 00:00:00') AS x",
    "timestampadd dayofyear": "SELECT timestampadd(DAYOFYEAR, 1, TIMESTAMP'2024-03-01 00:00:00') AS x",
    "str_to_map variant": "SELECT str_to_map(parse_json('1')) AS x",
    "sum of moments": "SELECT sum(t) AS x, avg(t) AS y FROM VALUES (TIMESTAMP'2024-03-01 00:00:00') AS v(t)",
    "caption of a moment": "SELECT minute(TIMESTAMP'2024-03-10 10:00:00Z'), TIMESTAMP'2024-03-10 10:00:00+02:00'",
}
for group in (TRIMS, LOCATES, OTHERS, JSON, PATHS, NUMBERS):
    queries(area, group)
queries(area, NUMBERS, prefix="without ANSI ", conf={"spark.sql.ansi.enabled": "false"})
queries(area, NUMBERS, prefix="in Kolkata ", conf={"spark.sql.session.timeZone": "Asia/Kolkata"})
