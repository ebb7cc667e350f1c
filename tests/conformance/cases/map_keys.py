"""Keys that a map would hold twice: spark.sql.mapKeyDedupPolicy, wherever maps are made."""

from harness import Area, one

area = Area("map_keys")

LINES = r"""
map('a', 1, 'b', 2, 'a', 3)
map('a', 1, 'b', 2)
map(1, 'x', 1, null)
map(0.0D, 1, -0.0D, 2)
map(-0.0D, 1)
map(double('nan'), 1, double('nan'), 2)
map(array(1), 1, array(1), 2)
map(struct(1 as a), 1, struct(1 as a), 2)
map('a', id, 'b', id + 1, 'a', id + 2)
map(null, 1)
map_concat(map('a', 1, 'b', 2), map('a', 3))
map_concat(map(1, 'x'), map(2, 'y'), map(1, 'z', 3, 'w'))
map_concat(map(1, 'x'), null)
map_from_arrays(array('a', 'b', 'a'), array(1, 2, 3))
map_from_arrays(array('a', 'b', 'a', 'b'), array(1, 2, null, 4))
map_from_arrays(array(1, null), array(1, 2))
map_from_entries(array(struct('a', 1), struct('b', 2), struct('a', 3)))
map_from_entries(array(struct(1, 'x'), null))
map_from_entries(array(struct(1, 'x'), struct(1, 'y')))
transform_keys(map(1, 'x', 2, 'y', 3, 'z'), (k, v) -> k % 2)
transform_keys(map(1, 'x', 2, 'y'), (k, v) -> cast(null as int))
str_to_map('a:1,b:2,a:3')
str_to_map('a:1,b:2,a')
map_zip_with(map(1, 'x'), map(1, 'y'), (k, a, b) -> concat(a, b))
map_filter(map(1, 'x', 2, 'y'), (k, v) -> k > 1)
from_json('{"a":1,"b":2,"a":3}', 'map<string,int>')
cast(map('1', 'x', '01', 'y') as map<int,string>)
cast(map(1.1D, 'x', 1.2D, 'y') as map<int,string>)
try_cast(map('1', 'x', '01', 'y') as map<int,string>)
map_entries(map('a', 1, 'a', 3))
map('a', 1, 'a', 3)['a']
element_at(map_concat(map('a', 1), map('a', 3)), 'a')
cast(parse_json('{"a":1,"b":2}') as map<string,int>)
map_keys(map_concat(map('c', 1), map('a', 3), map('c', 4)))
"""
WIN = {"spark.sql.mapKeyDedupPolicy": "LAST_WIN"}
area.lines(one, LINES)
area.lines(one, LINES, suffix=" last wins", conf=WIN)


@area.case()
def setting(c):
    get = c.spark.conf.get
    before = get("spark.sql.mapKeyDedupPolicy")
    c.spark.conf.set("spark.sql.mapKeyDedupPolicy", "last_win")
    return [before, get("spark.sql.mapKeyDedupPolicy"), str(c.spark.sql("SELECT map(1, 2, 1, 3) m").first().m)]


@area.case()
def setting_bad(c):
    c.spark.conf.set("spark.sql.mapKeyDedupPolicy", "FIRST_WIN")


@area.case(conf=WIN)
def by_rows(c):
    return c.spark.range(4).selectExpr("map(id % 2, id, id % 3, -id) AS m", "map_from_arrays(array(id, 2, id), array(1, 2, 3)) AS a")


@area.case()
def by_rows_failing(c):
    return c.spark.range(4).selectExpr("map(id % 2, id, id % 3, -id) AS m")


@area.case()
def kept_in_view(c):
    c.spark.conf.set("spark.sql.mapKeyDedupPolicy", "LAST_WIN")
    c.spark.sql("CREATE OR REPLACE TEMPORARY VIEW map_keys_view AS SELECT map_concat(map(1, id), map(1, id + 1)) AS m FROM range(2)")
    c.spark.conf.set("spark.sql.mapKeyDedupPolicy", "EXCEPTION")
    return c.spark.table("map_keys_view")
