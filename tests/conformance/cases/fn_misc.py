"""Functions about types, sessions, choices and errors; generators; literals."""

from harness import Area, one

area = Area("fn_misc")
area.lines(one, r"""
current_catalog()
current_database()
current_schema()
version() like '4.%'
typeof(uuid())
typeof(rand())
rand(0) = rand(0)
rand(42)
randn(42)
rand(0) between 0 and 1
typeof(1)
typeof(null)
typeof(1.5)
typeof('a')
typeof(current_user())
typeof(user())
typeof(session_user())
input_file_name()
input_file_block_start()
input_file_block_length()
monotonically_increasing_id()
spark_partition_id()
assert_true(0 < 1)
assert_true(1 < 0)
assert_true(1 < 0, 'no')
raise_error('custom error message')
raise_error(null)
if(1 < 2, 'a', 'b')
iff(1 < 2, 'a', 'b')
ifnull(null, array('2'))
nullif(2, 2)
nullif(1, '1')
nullif(1, 2L)
nvl(null, 2)
nvl2(null, 2, 1)
coalesce(null, 1, null)
coalesce(null, null)
coalesce(1, 'a')
isnull(1)
isnotnull(1)
1 <=> null
null <=> null
equal_null(3, 3)
equal_null(null, null)
not true
not null
true and null
false and null
true or null
1 = '1'
1 = 'a'
'2024-01-01' = date'2024-01-01'
1 == 1.0
1 <> 2
1 != 2
null = null
'a' < 'B'
1 in (1, 2)
1 in ('1', 'x')
null in (1)
1 not in (2, null)
case when true then 1 end
case when false then 1 else 'x' end
case 1 when 1 then 'a' end
stack(2, 1, 2, 3)
inline(array(struct(1, 'a'), struct(2, 'b')))
inline_outer(array(struct(1, 'a'), struct(2, 'b')))
explode(array(10, 20))
explode_outer(cast(null as array<int>))
explode(map('a', 1, 'b', 2))
posexplode(array(10, 20))
posexplode(map('a', 1))
posexplode_outer(cast(array() as array<int>))
explode(collect_list(id))
explode(1)
json_tuple('{"a":1, "b":2}', 'a', 'b')
hash('Spark', array(123), 2)
xxhash64('Spark', array(123), 2)
is_variant_null(parse_json('null'))
nope(1)
upper()
upper('a', 'b')
abs('a', 1)
concat_ws()
substring('a')
round(1, 2, 3)
count()
greatest()
nvl(1)
to_date()
date_add('2024-01-01')
array_contains(array(1))
map_from_arrays(array(1))
element_at(array(1))
X'1F'
x''
r'a\nb'
'a\tb'
'it''s'
"double"
'a' 'b'
1e10
1.0e-5D
-1
+1
- -1
1.
true
TRUE
null
current_date = current_date()
cast(null as string)
1 :: string
'5' :: int + 1
(1, 2)
(1)
1 as x
id
range.id
nope_column
`id`
id.x
id[0]
id + nope
ID
1 between 0 and 2
1 not between 0 and 2
'abc' rlike 'b'
'abc' regexp 'b'
1 is null
1 is not null
true is true
null is unknown
not 1 = 2
1 + 2 * 3
(1 + 2) * 3
1 + 2 || 'a'
2 - -1
~1 + 1
!true
1 /* comment */ + 1
interval 1 day
interval '1' hour + interval '2' minute
current_timestamp() = now()
array(1, 2, 3)[1]
map('a', 1)['a']
map('a', 1).a
struct(1 as a).a
cast(struct(1 as a) as struct<a:string>).a
try_to_number('1', '9')
bround(2.5)
sha2('a', 256)
any_value(1)
count(1)
sum(id)
max(id) + 1
id + sum(id)
sum(sum(id))
row_number() over (order by id)
sum(row_number() over (order by id))
""")


def pairs(c):
    return c.spark.createDataFrame([(1, "a"), (2, None)], "n int, s string")


area.lines(pairs, r"""
stack(2, n, s, n + 1, 'z')
stack(3, n, 2, 3)
stack(0, n)
typeof(n)
isnull(s)
rand(5) >= 0
if(s is null, n, -n)
ifnull(s, n)
hash(n, s)
xxhash64(n, s)
uuid() <> uuid()
assert_true(n > 0)
assert_true(n > 1)
raise_error(s)
explode(array(n, n * 10))
explode(sequence(1, n))
posexplode(array(s))
inline(array(struct(n, s)))
nullif(n, 1)
nullif(s, 'a')
coalesce(s, 'none')
decode(n, 1, 'one', 'other')
s is null and n = 2
n > 1 or s = 'a'
elt(n, 'x', 'y')
""")


@area.case(ordered=True)
def random_sequences(c):
    return c.spark.range(0, 6, 1, 1).select(
        c.F.rand(42), c.F.randn(42), c.F.rand(-3), c.F.randn(7), c.F.expr("randstr(4, 1)"), c.F.expr("uniform(0, 1000, 5)")
    )


@area.case(ordered=True)
def random_twice(c):
    return c.spark.range(0, 3, 1, 1).select((c.F.rand(1) - c.F.rand(1)).alias("d"), c.F.rand(2).alias("e"))


@area.case(ordered=True)
def random_filter(c):
    return c.spark.range(0, 20, 1, 1).where(c.F.rand(3) < 0.5)


@area.case()
def input_file_columns(c):
    folder = c.path("files")
    c.spark.range(0, 3, 1, 1).write.parquet(folder)
    df = c.spark.read.parquet(folder).select("id", c.F.input_file_name().alias("f"), c.F.expr("input_file_block_start()").alias("s"))
    return df.select("id", c.F.regexp_extract("f", "^(file:///.*/files/part-)", 1) != "", "s")


@area.case(ordered=True)
def partition_ids(c):
    return c.spark.range(0, 11, 1, 3).select("id", c.F.spark_partition_id(), c.F.monotonically_increasing_id().alias("m"))


@area.case(ordered=True)
def partition_ids_down(c):
    return c.spark.range(7, -3, -2, 4).select("id", c.F.spark_partition_id(), c.F.monotonically_increasing_id().alias("m"))
