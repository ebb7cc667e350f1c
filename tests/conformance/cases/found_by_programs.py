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
queries(area, {f"uuid {seed}": f"SELECT id, uuid({seed}) AS u, length(uuid()) AS n FROM range(3)" for seed in ("0", "42", "-1", "9223372036854775807", "CAST(7 AS BIGINT)")})
area._add("uuid of the client", lambda c: c.spark.range(3).select(c.F.length(c.F.uuid()).alias("n")))
area._add("uuid seeded by the client", lambda c: c.spark.range(1).select(c.F.uuid(5).alias("u")))
queries(area, {f"lateral alias {text}": text for text in [
    "SELECT a = b AS same FROM (SELECT uuid() AS a, a AS b FROM range(3))", "SELECT id, id + 1 AS x, x * 2 AS y, y + x AS z FROM range(3) ORDER BY x DESC",
    "SELECT id + 1 AS x, x * 2 AS y, count(*) OVER (ORDER BY x) AS n FROM range(3)", "SELECT 1 + 1 AS x, x + 1 AS y", "SELECT 1 + 1 AS x, x + 1 AS y, count(*) AS n FROM range(3)", "SELECT id % 2 AS g, g + 1 AS h, count(*) AS n, n + 1 AS m FROM range(3) GROUP BY id % 2",
    "SELECT split('a,b', ',') AS parts, explode(parts) AS part", "SELECT named_struct('a', id + 1) AS s, s.a AS b, b + 1 AS c FROM range(2)", "SELECT id + 1 AS x, x + 1 AS X FROM range(2)", "SELECT *, id + 1 AS x, x + 1 AS y FROM range(2) WHERE id > 0",
    "SELECT k, v + 1 AS w, w + 1 AS x FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY w) = 1", "SELECT t.k, v + 1 AS w, w * 2 AS x FROM t JOIN u ON t.k = u.k ORDER BY t.v, u.w", "SELECT sum(v) AS s, s + 1 AS t, t * 2 AS q FROM t", "SELECT v + 1 AS w, (SELECT max(w) FROM u) AS m FROM t",
    "SELECT DISTINCT v % 2 AS w, w + 1 AS x FROM t ORDER BY w", "SELECT v + 1 AS w, w + 1 AS x FROM t ORDER BY v DESC LIMIT 2",
    "SELECT " + "id AS a0, " + ", ".join(f"a{i} + a{i} AS a{i + 1}" for i in range(24)) + " FROM range(2)"]})

SIDES = "WITH a AS (SELECT * FROM VALUES (1, 'v1', 'k1'), (2, 'v2', 'k2') AS x(id, v, k)), b AS (SELECT * FROM VALUES (2, 'w2', 'k2'), (3, 'w3', 'k3') AS x(id, w, k)), c AS (SELECT * FROM VALUES ('k2', 2, 'z') AS x(k, id, z)) "
queries(area, {f"sides of {join} {columns}": f"{SIDES}SELECT {columns} FROM a {join}" for join in
               ("JOIN b USING (k)", "LEFT JOIN b USING (k, id)", "RIGHT JOIN b USING (id)", "FULL JOIN b USING (k)", "FULL JOIN b USING (id, k)", "NATURAL JOIN b", "NATURAL FULL JOIN b", "JOIN b USING (k) LEFT JOIN c USING (k)", "FULL JOIN b USING (k) FULL JOIN c USING (k, id)", "LEFT SEMI JOIN b USING (k)")
               for columns in (("a.*", "struct(a.*) AS s, a.id") if "SEMI" in join else ("a.*, b.*", "b.*, a.*, *", "b.k, a.k, k") if "c USING (k, id)" not in join else ("a.*, b.*, c.*",))})
queries(area, {f"order beside sides {text}": SIDES + text for text in ("SELECT a.*, b.* FROM a LEFT JOIN b USING (k) ORDER BY k", "SELECT b.*, a.* FROM a FULL JOIN b USING (id) ORDER BY id DESC", "SELECT a.*, b.*, * FROM a NATURAL FULL JOIN b ORDER BY id")}, ordered=True)
area._add("sides of a frame", lambda c: c.spark.createDataFrame([(1, "x", 5)], "id int, v string, k int").alias("a").join(c.spark.createDataFrame([("w", 5, 2)], "w string, k int, id int").alias("b"), ["k"], "left").select("b.*", "a.*"))
area._add("pandas API numbers rows", lambda c: c.spark.createDataFrame([("a", 3), ("b", 1), ("a", 5)], "k string, v int").pandas_api().reset_index().to_spark())
area._add("pandas API groups", lambda c: c.spark.createDataFrame([("a", 3), ("b", 1), ("a", 5)], "k string, v int").pandas_api().groupby("k").sum().reset_index().to_spark())
queries(area, {f"aggregate in order {text}": text for text in ["SELECT v FROM t ORDER BY max(v)", "SELECT v FROM t ORDER BY listagg(k)", "SELECT v FROM t WHERE v > 1 ORDER BY v, count(*)", "SELECT k FROM t GROUP BY k ORDER BY max(v)", "SELECT DISTINCT k FROM t ORDER BY max(v)", "SELECT v + max(v) FROM t ORDER BY 1", "FROM t |> ORDER BY sum(v)"]})
