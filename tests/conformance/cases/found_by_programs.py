"""What programs as users write them showed to differ: each group is one fault and what is of its kind."""

from cases._sql import queries, scripts
from harness import Area

area = Area("found_by_programs")
script = scripts(area)

queries(area, {f"trim {text}": f"SELECT {text} AS r" for text in [
    "trim('a' FROM 'aba')", "trim(lower('A') FROM concat('a', 'b', 'a'))", "trim('a' FROM trim('b' FROM 'baab'))", "trim(x IS DISTINCT FROM 1) FROM VALUES (1) AS t(x)", "trim(extract(YEAR FROM date'2024-01-01'))",
    "trim(' a ')", "trim('a', 'aba')", "trim(NULL FROM 'aba')", "trim('a' FROM NULL)", "trim('a' FROM)", "trim(FROM 'aba')", "trim(BOTH FROM ' a ')"]})
queries(area, {f"split {text} {limit}": f"SELECT split('{text}', '', {limit}) AS a, split(s, '', {limit}) AS b FROM VALUES ('{text}') AS t(s)" for text in ("abc", "", "é😀") for limit in (-1, 0, 1, 2, 3, 4)})
queries(area, {f"listagg {text}": f"SELECT {text} AS r FROM VALUES (2, 'b', 1.5, true, DATE'2024-01-01'), (1, 'a', NULL, false, NULL), (3, 'b', 2.5, NULL, DATE'2024-01-02') AS t(i, s, d, b, t)" for text in [
    "listagg(s, NULL) WITHIN GROUP (ORDER BY i)", "string_agg(s, CAST(NULL AS STRING)) WITHIN GROUP (ORDER BY i)", "listagg(i, ',') WITHIN GROUP (ORDER BY i)", "listagg(i) WITHIN GROUP (ORDER BY i DESC)", "listagg(DISTINCT i, ', ') WITHIN GROUP (ORDER BY i)",
    "listagg(d, ',') WITHIN GROUP (ORDER BY i)", "listagg(b, ',') WITHIN GROUP (ORDER BY i)", "listagg(t, ',') WITHIN GROUP (ORDER BY i)", "listagg(array(i), ',')", "listagg(i, 5) WITHIN GROUP (ORDER BY i)", "listagg(CAST(s AS BINARY), NULL) WITHIN GROUP (ORDER BY i)",
    "listagg(i, ',') WITHIN GROUP (ORDER BY s, i)", "listagg(s, s)", "listagg(CAST(s AS BINARY), ',')", "listagg(parse_json(s), ',')"]})
queries(area, {f"escape {text}": f"SELECT '{text}' AS a, length('{text}') AS n" for text in [r"\uD83D\uDE00", r"\uD800", r"\uDE00", r"\uD83Dx", r"\uD83D\n", r"\uD83D\uD83D\uDE00", r"\u00e9", r"\U0001F600", r"\uD83D\u0041"]})
queries(area, {f"named time {text}": f"SELECT {text} AS r" for text in [
    "date'today' = current_date()", "date' Yesterday ' = date_sub(current_date(), 1)", "date'tomorrow' = date_add(current_date(), 1)", "date'now' = current_date()", "timestamp'today' = date_trunc('DAY', current_timestamp())",
    "timestamp'tomorrow' > current_timestamp()", "timestamp_ntz'yesterday' < localtimestamp()", "date'todays'", "date'epoch'", "time'now'"]})
queries(area, {f"filtered {text}": f"SELECT {text} AS r FROM VALUES (0, '1', 'a'), (1, 'x', 'a'), (2, '5', 'b') t(a, s, k)" for text in [
    "max(1 / a) FILTER (WHERE a <> 0)", "sum(10 / a) FILTER (WHERE a > 0 AND k = 'a')", "sum(CAST(s AS INT)) FILTER (WHERE s <> 'x')", "count(DISTINCT 1 / a) FILTER (WHERE a <> 0)", "collect_list(10 % a) FILTER (WHERE a <> 0)", "max_by(k, 1 / a) FILTER (WHERE a <> 0)",
    "avg(CAST(s AS INT)) FILTER (WHERE s RLIKE '^[0-9]+$')", "percentile(1 / a, 0.5) FILTER (WHERE a <> 0)", "sum(1 / a) FILTER (WHERE a < 2)", "count(1 / a) FILTER (WHERE NULL)", "listagg(CAST(s AS INT)) FILTER (WHERE s <> 'x')", "approx_count_distinct(1 / a) FILTER (WHERE a <> 0)"]})
queries(area, {f"order by constant {text}": f"SELECT id FROM range(3) ORDER BY {text}" for text in ["'x'", "current_catalog(), id DESC", "NULL", "1 + 1, id DESC", "date'2024-01-01'", "id DESC, 'x'", "true"]})
queries(area, {f"nothing selected {text}": f"SELECT 1 AS r FROM nest WHERE {text}" for text in ["NOT EXISTS (SELECT 1 FROM u WHERE exists(xs, e -> e * 10 = w))", "EXISTS (SELECT 1 FROM u WHERE size(xs) = w - 8)", "id NOT IN (SELECT w - 9 FROM u WHERE size(xs) < w)"]})
