"""The order of arrays and structs: NULL members come first, NaN is the greatest, -0.0 is 0.0."""

from harness import Area, one

area = Area("nested_order")


def rows(c):
    return c.spark.sql("""
      SELECT id, IF(id = 9, NULL, array(a, b)) arr, IF(id = 9, NULL, struct(a, b)) st, array(struct(a, s)) deep, struct(array(b) xs, s) deeper,
        array(d) ds, struct(d, s) dt, array(s) ss
      FROM VALUES (0, 1, 2, 1.5D, 'a'), (1, 1, NULL, double('NaN'), 'b'), (2, NULL, 5, -0.0D, NULL), (3, NULL, NULL, 0.0D, 'a'), (4, 2, 1, NULL, ''),
        (5, 1, NULL, 1.5D, 'ab'), (6, 0, 9, double('Infinity'), 'é'), (7, NULL, 6, double('-Infinity'), 'Z'), (8, 1, 2, double('NaN'), NULL), (9, 1, 1, 0.0D, 'a')
      AS t(id, a, b, d, s)""")


COMPARED = ["arr", "st", "deep", "deeper", "ds", "dt", "ss"]


def sql(c, text):
    rows(c).createOrReplaceTempView("nested_order_v")
    return c.spark.sql(text)


def text_case(name, text, ordered=True):
    area.case_of(name, lambda c: sql(c, text), ordered=ordered)


for column in COMPARED:
    for operator in ("<", "<=", ">", ">=", "=", "<=>", "<>"):
        text_case(f"{column} {operator}", f"SELECT l.id, r.id, l.{column} {operator} r.{column} FROM nested_order_v l CROSS JOIN nested_order_v r ORDER BY 1, 2")
    text_case(f"{column} join", f"SELECT l.id, r.id FROM nested_order_v l JOIN nested_order_v r ON l.{column} < r.{column} ORDER BY 1, 2")
    text_case(f"{column} left join", f"SELECT l.id, r.id FROM nested_order_v l LEFT JOIN nested_order_v r ON l.{column} > r.{column} AND l.id < r.id ORDER BY 1, 2")
    text_case(f"{column} equal join", f"SELECT l.id, r.id FROM nested_order_v l JOIN nested_order_v r ON l.{column} = r.{column} ORDER BY 1, 2")
    for direction in ("ASC", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST"):
        text_case(f"{column} order {direction}", f"SELECT id FROM nested_order_v ORDER BY {column} {direction}, id")
        text_case(f"{column} rank {direction}", f"SELECT id, rank() OVER (ORDER BY {column} {direction}) r, dense_rank() OVER (ORDER BY {column} {direction}) d, "
                  f"count(*) OVER (ORDER BY {column} {direction}) c FROM nested_order_v ORDER BY id")
    text_case(f"{column} limit", f"SELECT id FROM nested_order_v ORDER BY {column}, id LIMIT 4")
    text_case(f"{column} group", f"SELECT collect_list(id) ids FROM (SELECT * FROM nested_order_v ORDER BY id) GROUP BY {column} ORDER BY ids", ordered=False)
    text_case(f"{column} distinct", f"SELECT count(DISTINCT {column}) FROM nested_order_v")
    text_case(f"{column} partition", f"SELECT id, min(id) OVER (PARTITION BY {column}) m FROM nested_order_v ORDER BY id")
    text_case(f"{column} max", f"SELECT max({column}), min({column}) FROM nested_order_v")
    text_case(f"{column} max filter", f"SELECT max({column}) FILTER (WHERE id > 2), min({column}) FILTER (WHERE id < 5) FROM nested_order_v")
    text_case(f"{column} max by", f"SELECT max_by(id, {column}), min_by(id, {column}) FROM nested_order_v WHERE id IN (0, 2, 4, 6)")
    text_case(f"{column} max by window", f"SELECT id, max_by(id, {column}) OVER (ORDER BY id) m, min_by(id, {column}) OVER (ORDER BY id) n FROM nested_order_v WHERE id IN (0, 2, 4, 6)")
    text_case(f"{column} max by three", f"SELECT max_by(id, {column}, 3) FROM nested_order_v WHERE id IN (0, 2, 4, 6, 7)")
    text_case(f"{column} max window", f"SELECT id, max({column}) OVER (ORDER BY id) m, min({column}) OVER (ORDER BY id ROWS 1 PRECEDING) n FROM nested_order_v ORDER BY id")
    text_case(f"{column} between", f"SELECT id, {column} BETWEEN (SELECT {column} FROM nested_order_v WHERE id = 3) AND (SELECT {column} FROM nested_order_v WHERE id = 0) b FROM nested_order_v ORDER BY id")
    text_case(f"{column} in", f"SELECT id, {column} IN ((SELECT {column} FROM nested_order_v WHERE id = 1), (SELECT {column} FROM nested_order_v WHERE id = 3)) b FROM nested_order_v ORDER BY id")
    text_case(f"{column} in subquery", f"SELECT id FROM nested_order_v WHERE {column} IN (SELECT {column} FROM nested_order_v WHERE id IN (1, 3, 4)) ORDER BY id")
    text_case(f"{column} greatest", f"SELECT l.id, r.id, greatest(l.{column}, r.{column}) g, least(l.{column}, r.{column}) s FROM nested_order_v l CROSS JOIN nested_order_v r WHERE l.id <> r.id ORDER BY 1, 2")
    text_case(f"{column} sort_array", f"SELECT sort_array(collect_list({column})), sort_array(collect_list({column}), false), array_sort(collect_list({column})) FROM nested_order_v WHERE id NOT IN (5, 8)")
    text_case(f"{column} array_max", f"SELECT array_max(collect_list({column})), array_min(collect_list({column})) FROM nested_order_v")
    text_case(f"{column} nullif", f"SELECT l.id, r.id, nullif(l.{column}, r.{column}) n FROM nested_order_v l CROSS JOIN nested_order_v r WHERE r.id IN (1, 3) ORDER BY 1, 2")
    text_case(f"{column} mode", f"SELECT mode({column}) FROM nested_order_v WHERE id IN (0, 8, 4)")
    text_case(f"{column} case", f"SELECT l.id, CASE l.{column} WHEN r.{column} THEN 'same' ELSE 'other' END c FROM nested_order_v l CROSS JOIN nested_order_v r WHERE r.id = 3 ORDER BY 1")
    text_case(f"{column} array functions", f"SELECT id, array_position(all_of, {column}) p, array_contains(all_of, {column}) c FROM nested_order_v, (SELECT sort_array(collect_list({column})) all_of FROM nested_order_v WHERE id > 2) ORDER BY id")
    text_case(f"{column} first value", f"SELECT id, first_value(id) OVER (ORDER BY {column}, id) f, lag(id) OVER (ORDER BY {column}, id) g, ntile(3) OVER (ORDER BY {column}, id) n, "
              f"row_number() OVER (ORDER BY {column} DESC, id) r, percent_rank() OVER (ORDER BY {column}) p, cume_dist() OVER (ORDER BY {column}) c FROM nested_order_v ORDER BY id")
    text_case(f"{column} having", f"SELECT id FROM nested_order_v GROUP BY id HAVING max({column}) > min((SELECT {column} FROM nested_order_v WHERE id = 3)) ORDER BY id")
    text_case(f"{column} union", f"SELECT count(*) FROM (SELECT {column} FROM nested_order_v UNION SELECT {column} FROM nested_order_v)")

area.lines(one, r"""
struct(1, null) < struct(1, 2)
struct(null, 2) < struct(1, 2)
array(1, null) < array(1, 2)
array(1) < array(1, null)
array() < array(null)
array(1, null) = array(1, null)
array(1, null) <=> array(1, null)
array(cast(null as int)) > array(0)
struct(null) = struct(null)
struct(0.0D) = struct(-0.0D)
array(0.0D) = array(-0.0D)
array(0.0D) <=> array(-0.0D)
array(0.0D) < array(-0.0D)
array(-0.0D) < array(0.0D)
array(double('NaN')) = array(double('NaN'))
array(double('NaN')) > array(double('Infinity'))
struct(float('NaN')) > struct(float('Infinity'))
struct(float(-0.0)) = struct(float(0.0))
greatest(array(null, 3), array(1, null))
least(array(null, 3), array(1, null))
greatest(struct(1, null), struct(1, 2))
least(struct(1, null), null, struct(1, 2))
greatest(array(-0.0D), array(0.0D))
sort_array(array(array(1, null), array(1), array(null), array(2)))
sort_array(array(struct(1, null), struct(1, 2), struct(null, 5)))
sort_array(array(struct(1, null), null, struct(null, 5)), false)
array_sort(array(struct(1, null), null, struct(null, 5)))
array_sort(array(array(1, null), array(1, 2)), (a, b) -> case when a < b then -1 when a > b then 1 else 0 end)
array_max(array(struct(1, null), struct(1, 2)))
array_min(array(array(1, null), array(1, 2)))
array_distinct(array(array(0.0D), array(-0.0D), array(double('NaN')), array(double('NaN'))))
array_union(array(struct(1, null)), array(struct(1, null)))
struct(1, array(null, 2)) < struct(1, array(1, 2))
struct('a', null) between struct('a', null) and struct('b', null)
array(struct(null as a), struct(1 as a)) < array(struct(null as a), struct(2 as a))
if(array(null, 1) < array(0, 1), 'first', 'last')
array(X'00', null) < array(X'ff', X'00')
array(true, null) < array(true, false)
array(date'2024-01-01', null) < array(date'2024-01-01', date'2000-01-01')
array(1.5, null) < array(1.5, 0.1)
struct(timestamp'2024-01-01 00:00:00', null) < struct(timestamp'2024-01-01 00:00:00', 1)
array(interval 1 day, null) < array(interval 1 day, interval 1 hour)
struct(1, null) in (struct(1, 2), struct(1, null))
struct(1, cast(null as int)) = struct(1, 2)
not (struct(1, null) < struct(1, 2))
array_contains(array(struct(1, null)), struct(1, null))
array_position(array(array(1, null)), array(1, null))
array(-0.0D)
sort_array(array(0.0D, -0.0D, double('NaN'), null))
array_sort(array(0.0D, -0.0D, double('NaN'), null))
array_max(array(-0.0D, 0.0D))
array_min(array(0.0D, -0.0D))
""")
