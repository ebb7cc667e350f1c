"""spark.sql.ansi.enabled=false: casts that lose digits, NULL in place of errors, and the coercions of that mode."""

from harness import Area, one

area = Area("ansi_off", **{"spark.sql.ansi.enabled": "false"})


def values(c):
    from datetime import date, datetime
    from decimal import Decimal as D

    rows = [
        (True, 1, 2, 3, 4, 1.5, 2.5, D("12.34"), "42", date(2024, 1, 31), datetime(2024, 1, 31, 12, 30, 5, 250000), b"\x01\x02", [1, 2], {"a": 1}),
        (False, 127, 32767, 2147483647, 9223372036854775807, 3.0e38, 1e300, D("99999999.99"), " 7 ", date(1969, 12, 31), datetime(1969, 12, 31, 23, 59, 59), b"ab", [], {}),
        (None, -128, -32768, -2147483648, -9223372036854775808, float("nan"), float("-inf"), D("-0.05"), "x", date(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59), b"", None, None),
        (None,) * 14,
    ]
    return c.spark.createDataFrame(
        rows, "b boolean, y tinyint, h smallint, i int, l bigint, f float, d double, n decimal(10,2), s string, dt date, "
        "ts timestamp, x binary, a array<int>, m map<string,int>")


# Casts of texts.
area.lines(one, r"""
cast('1.9' as int)
cast('-1.9' as int)
cast('.5' as int)
cast('5.' as int)
cast('.' as int)
cast('-.5' as int)
cast('1.9x' as int)
cast('1e2' as int)
cast(' 12 ' as int)
cast('+5' as int)
cast('2147483648' as int)
cast('-2147483649' as int)
cast('127.9' as tinyint)
cast('128' as tinyint)
cast('-128.99' as tinyint)
cast('32768' as smallint)
cast('9223372036854775807.5' as bigint)
cast('9223372036854775808' as bigint)
cast('' as int)
cast('  ' as bigint)
cast('abc' as int)
cast('abc' as double)
cast('1.5d' as double)
cast('1e400' as double)
cast('Infinity' as float)
cast('nanx' as float)
cast('abc' as decimal(5,2))
cast('123456' as decimal(5,2))
cast('1.005' as decimal(5,2))
cast('1e3' as decimal(5,2))
cast('1e2' as decimal(5,2))
cast('abc' as boolean)
cast('t' as boolean)
cast('No' as boolean)
cast('2' as boolean)
cast('' as boolean)
cast('2024-13-01' as date)
cast('2024-02-30' as date)
cast('2024' as date)
cast('2024-1-5' as date)
cast('2024-01-05 xyz' as date)
cast('x' as date)
cast('' as timestamp)
cast('2024-01-05 25:00:00' as timestamp)
cast('2024-01-05 10:00' as timestamp)
cast('2024-01-05 10:00:00 Nope/Zone' as timestamp)
cast('x' as timestamp_ntz)
cast('2024-01-05 10:00:00' as timestamp_ntz)
cast('abc' as binary)
cast('INTERVAL 1 DAY' as interval day)
cast('x' as interval day)
cast(1 as interval day)
cast('1.9' as float)
int('1.9')
bigint('12x')
double('x')
boolean('maybe')
date('x')
timestamp('x')
decimal('x')
decimal('1.7')
'abc' :: int
try_cast('1.9' as int)
try_cast('abc' as int)
try_cast(300 as tinyint)
try_cast(1e30 as int)
try_cast(true as timestamp)
""")

# Casts of numbers, times and others.
area.lines(one, r"""
cast(300 as tinyint)
cast(-129 as tinyint)
cast(40000 as smallint)
cast(5000000000 as int)
cast(5000000000 as smallint)
cast(1e20D as bigint)
cast(-1e20D as bigint)
cast(1e20D as int)
cast(1e10D as smallint)
cast(1e10D as tinyint)
cast(300.7D as tinyint)
cast(-300.7D as tinyint)
cast(double('NaN') as int)
cast(double('Infinity') as bigint)
cast(float('NaN') as bigint)
cast(float('1e30') as int)
cast(123456.78BD as smallint)
cast(300.5BD as tinyint)
cast(12345678901234567890BD as bigint)
cast(99999999999BD as int)
cast(99999999999BD as tinyint)
cast(123.456BD as decimal(4,2))
cast(123.456BD as decimal(5,2))
cast(12345 as decimal(4,0))
cast(1e10D as decimal(5,2))
cast(double('NaN') as decimal(5,2))
cast(true as timestamp)
cast(false as timestamp)
cast(1 as timestamp)
cast(1.5D as timestamp)
cast(double('NaN') as timestamp)
cast(double('Infinity') as timestamp)
cast(1e30D as timestamp)
cast(9223372036854775807 as timestamp)
cast(-9223372036854775808 as timestamp)
cast(1.25BD as timestamp)
cast(123456789012345678.5BD as timestamp)
cast(timestamp'2024-01-05 10:00:00.9' as int)
cast(timestamp'2524-01-05 10:00:00.9' as int)
cast(timestamp'2524-01-05 10:00:00.9' as smallint)
cast(timestamp'2024-01-05 10:00:00.9' as tinyint)
cast(timestamp'1969-12-31 23:59:59.5' as bigint)
cast(timestamp'1969-12-31 23:59:59.5' as double)
cast(timestamp'1969-12-31 23:59:59.5' as float)
cast(timestamp'2024-01-05 10:00:00.9' as decimal(20,3))
cast(timestamp'2024-01-05 10:00:00.9' as decimal(5,0))
cast(timestamp'2024-01-05 10:00:00.9' as boolean)
cast(timestamp'1970-01-01 00:00:00' as boolean)
cast(date'2024-01-05' as int)
cast(date'2024-01-05' as bigint)
cast(date'2024-01-05' as double)
cast(date'2024-01-05' as decimal(10,0))
cast(date'2024-01-05' as boolean)
cast(1 as date)
cast(true as date)
cast(1 as binary)
cast(1Y as binary)
cast(-2S as binary)
cast(3000000000 as binary)
cast(1.5D as binary)
cast(true as binary)
cast(X'31' as int)
cast(X'31' as string)
cast(1 as boolean)
cast(0.0D as boolean)
cast(double('NaN') as boolean)
cast(true as int)
cast(true as decimal(3,1))
cast(true as decimal(1,1))
cast(interval 3 day as int)
cast(interval 300 day as tinyint)
cast(interval 2 year as int)
cast(null as int)
cast(array('1', 'x', '2.7') as array<int>)
cast(map('1', 'x') as map<int, int>)
cast(named_struct('a', '1.2', 'b', 'x') as struct<a: int, b: double>)
cast(array(1, 300) as array<tinyint>)
cast(array(1, 2) as string)
cast(map(1, null) as string)
cast(struct(1, null) as string)
""")

area.lines(values, r"""
cast(i as tinyint)
cast(l as int)
cast(f as int)
cast(f as bigint)
cast(d as tinyint)
cast(d as bigint)
cast(n as tinyint)
cast(n as int)
cast(s as int)
cast(s as double)
cast(s as boolean)
cast(s as date)
cast(s as timestamp)
cast(s as decimal(4,1))
cast(d as decimal(10,2))
cast(l as decimal(10,2))
cast(l as timestamp)
cast(ts as int)
cast(ts as smallint)
cast(ts as boolean)
cast(dt as int)
cast(b as timestamp)
cast(i as binary)
- i
- l
- y
abs(i)
abs(l)
abs(h)
i + 1
i - 1
i * 2
l + 1
l - 1
l * 2
y + y
y * 2Y
h + h
h - 1S
n + n
n * n
n * n * n * n * n
n / 0
n % 0
n div 0
i / 0
i % 0
i div 0
i div -1
l div -1
i % -1
pmod(i, 0)
pmod(i, -7)
d / 0
d % 0
mod(i, 0)
s + 1
s * '2'
s / 2
s % 2
s div 2
- s
+ s
abs(s)
s = 42
s = 42L
s = 42.0D
s = 42.0BD
s < 5
s > i
s <=> 42
s = b
s = dt
s < dt
s = ts
s < ts
s = x
b = 1
b = 0
b = 1.0D
b <=> 1
1 = b
b = i
i in ('1', '3')
s in (1, 42)
s in (42, 'x')
i in (1.0, '3')
b in (1)
b in ('true')
dt in ('2024-01-31')
ts in (dt, '2024')
dt = ts
dt < ts
i between '1' and '5'
s between 1 and 50
coalesce(i, s)
coalesce(s, i)
coalesce(b, s)
coalesce(dt, s)
coalesce(ts, dt)
coalesce(l, f)
coalesce(i, f)
coalesce(l, n)
coalesce(a, array('x'))
nvl(i, 'x')
nvl2(i, s, d)
if(b, i, s)
if(b, dt, s)
if(b, f, l)
case when b then i else s end
case when b then i when not b then f else l end
case when b then dt else ts end
nullif(i, '3')
nullif(s, 42)
greatest(i, l)
greatest(f, l)
greatest(dt, ts)
concat(i, s)
concat(b, dt)
concat(x, s)
concat(a, array('q'))
concat_ws('-', i, s, n)
array(i, s)
array(i, f)
array(b, s)
array(dt, s)
map(i, s, s, i)
map('k', i, 'j', s)
a[0]
a[1]
a[5]
a[-1]
m['a']
m['zz']
element_at(a, 1)
element_at(a, 5)
element_at(a, -3)
element_at(m, 'zz')
size(a)
size(m)
cardinality(a)
cardinality(m)
array_contains(a, '1')
array_contains(a, 1.0D)
array_position(a, 1L)
array_remove(a, 1L)
array_union(a, array(5L))
array_except(a, array('1'))
array_append(a, 'x')
array_insert(a, 1, 2L)
arrays_overlap(a, array(1L))
elt(i, 'a', 'b')
elt(0, 'a', 'b')
elt(3, 'a', 'b', 'c')
length(i)
upper(i)
substring(s, '1', 1.7D)
substring(i, 1, 2)
repeat(s, '2')
round(s, 1)
round(i, -1)
round(i, -10)
bround(l, -18)
round(n, '1')
ceil(s)
floor(s)
ceil(d)
floor(f)
sqrt(s)
pow(s, '2')
sign(s)
hex(s)
bin(s)
i & l
i | s
~ s
~ i
i << s
shiftleft(s, 1)
sum(1) over (order by s)
hash(s)
date_add(dt, '1')
date_add(dt, 1.5D)
date_add(dt, 1L)
date_add(s, 1)
date_sub(dt, '1')
dt + 1
dt - 1
dt + '1'
dt - s
dt - dt
ts - s
s - dt
dt + interval 1 day
s + interval 1 day
datediff(s, dt)
year(s)
month(s)
hour(s)
last_day(s)
next_day(dt, 'xx')
next_day(dt, 'MO')
next_day(s, 'MO')
add_months(dt, '1')
add_months(s, 1)
trunc(s, 'MM')
date_trunc('DAY', s)
date_format(s, 'yyyy')
months_between(s, dt)
to_date(s)
to_date(s, 'yyyy-MM-dd')
to_timestamp(s)
to_timestamp(s, 'yyyy-MM-dd')
unix_timestamp(s)
unix_timestamp(s, 'yyyy')
unix_timestamp(dt)
from_unixtime(s)
from_unixtime(l)
timestamp_seconds(l)
timestamp_millis(l)
timestamp_micros(l)
date_from_unix_date(i)
s like 4
i like '1%'
s rlike 4
not s
b and s
b or 'true'
s and true
not 'true'
if('true', 1, 2)
case when 'true' then 1 end
case when 1 then 1 end
""")

# NULL in place of an error.
area.lines(one, r"""
2147483647 + 1
9223372036854775807L + 1L
9223372036854775807L * 2L
-(-2147483648)
abs(-2147483648)
127Y + 1Y
1 / 0
1 % 0
1 div 0
0.0 / 0
1.0D / 0
1BD / 0BD
5 % 0.0D
mod(5, 0)
pmod(5, 0)
try_divide(1, 0)
try_add(2147483647, 1)
cast(1 as decimal(38,0)) / 3
cast('99999999999999999999999999999999999999' as decimal(38,0)) + 1
cast('99999999999999999999999999999999999999' as decimal(38,0)) * 10
99999999999999999999999999999999999999BD - (-1BD)
cast('9999999999999999999999999999.99' as decimal(30,2)) * cast('9999999999.99' as decimal(12,2))
round(99.99BD, -3)
'5' * '2'
'5' + '2'
'5' + 2
'5' - 2L
'5' / '2'
'5' / 2
'5' % '2'
'5' div '2'
'5' div 2
'x' + 1
'5' * 2.5BD
'5' + 2.5D
- '5'
+ '5'
abs('-5')
abs('x')
'1' = 1
'1.0' = 1
'a' = 1
'1' < 2
'10' < '9'
10 < '9'
'1' <=> 1
'1' != 1
'1' = 1L
'1' = 1.0
'1.0' = 1.0D
'true' = true
'1' = true
'x' = true
true = 1
true = 2
true = 1.0
true > 0
true < 'x'
'2024-01-05' = date'2024-01-05'
'x' = date'2024-01-05'
'2024' = date'2024-01-01'
'2024-01-05' = timestamp'2024-01-05 00:00:00'
date'2024-01-05' = timestamp'2024-01-05 00:00:00'
1 in ('1', '2')
'1' in (1, 2)
'a' in (1, 2)
1 in (1.0, 2L)
1 in ('1', 2.5)
true in (1, 0)
null in (1, 'x')
date'2024-01-05' in ('2024-01-05', 'x')
1 between '0' and '5'
coalesce(1, 'a')
coalesce('a', 1)
coalesce(1, 2.5)
coalesce(1, 2.5D)
coalesce(1, 2.5BD, 'a')
coalesce(true, 'x')
coalesce(true, 1)
coalesce(date'2024-01-05', 'x')
coalesce(date'2024-01-05', 1)
coalesce(date'2024-01-05', timestamp'2024-01-05 00:00:00')
coalesce(X'31', 'x')
coalesce(1L, float(1))
coalesce(null, 1)
coalesce(array(1), array('a'))
coalesce(array(1), array(2.5))
coalesce(struct(1), struct('a'))
if(true, 1, 'a')
if(true, date'2024-01-05', 'a')
if(true, 1, true)
if(null, 1, 2)
case when true then 1 else 'a' end
case when true then 1 when false then 2.5 else 'x' end
case when true then true else 'a' end
case 1 when '1' then 'y' else 'n' end
case '1' when 1 then 'y' else 'n' end
nvl(1, 'a')
nvl2('a', 1, 'b')
ifnull(1, 'a')
nullif(1, '1')
nullif('a', 1)
greatest(1, 2.5)
greatest(1, 'a')
greatest('a', 1)
greatest(1L, 2.5BD)
greatest(date'2024-01-05', timestamp'2024-01-05 10:00:00')
least(1, float(0.5))
least(1, '0')
least(1, 2L, 0.5D)
array(1, 'a')
array(1, 2.5, 'a')
array(true, 'a')
array(true, 1)
array(1, float(2))
array(array(1), array('a'))
map(1, 'a', 'b', 2)
map('a', 1, 'b', 2.5)
struct(1, 'a') = struct(1, 'b')
struct(1, 2) = struct(1, '2')
array(1) = array('1')
array(1, 2) = array(1L, 2L)
concat(1, 'a')
concat(1, 2)
concat(true, null)
concat(X'31', X'32')
concat(X'31', 'a')
concat(array(1), array('a'))
concat(array(1), array(2L))
element_at(array(1, 2), 0)
element_at(array(1, 2), 3)
element_at(array(1, 2), '1')
element_at(map(1, 'a'), 2)
element_at(map(1, 'a'), '1')
array(1, 2)[5]
array(1, 2)['1']
array(1, 2)[1L]
map(1, 'a')['1']
map('1', 'a')[1]
try_element_at(array(1), 3)
get(array(1), 3)
size(null)
size(cast(null as array<int>))
cardinality(null)
array_size(null)
elt(5, 'a', 'b')
elt(null, 'a')
elt('1', 'a', 'b')
elt(1, 2, 3)
conv('9223372036854775808', 10, 16)
conv('18446744073709551616', 10, 16)
conv('99999999999999999999', 10, 16)
conv('-9223372036854775809', 10, -16)
conv('xyz', 10, 16)
conv(100, 2, 10)
make_date(2024, 13, 1)
make_date(2024, 2, 30)
make_date(2024, 1, 0)
make_date('2024', '1', 5)
make_timestamp(2024, 13, 1, 0, 0, 0)
make_timestamp(2024, 1, 1, 25, 0, 0)
make_timestamp(2024, 1, 1, 0, 0, 61)
make_timestamp(2024, 1, 1, 0, 0, 60)
make_timestamp(2024, 1, 1, 0, 0, 60.5)
make_timestamp(2024, 1, 1, 0, 0, 0, 'Nope')
make_timestamp('2024', 1, 1, 0, 0, '1.5')
make_timestamp_ntz(2024, 13, 1, 0, 0, 0)
make_timestamp_ltz(2024, 13, 1, 0, 0, 0)
make_dt_interval(2147483647)
make_dt_interval(1, 2, 3, 1000000000000)
make_dt_interval(106751992)
make_ym_interval(178956971)
make_ym_interval('1', 2)
next_day('2024-01-05', 'xx')
next_day('x', 'MO')
next_day(null, 'MO')
to_date('x')
to_date('2024-13-05')
to_date('2024-01-05', 'yyyy/MM/dd')
to_date('x', 'yyyy')
to_date('20240105', 'yyyyMMdd')
to_date('2024-02-30', 'yyyy-MM-dd')
to_date(20240105)
to_timestamp('x')
to_timestamp('2024-01-05 xx', 'yyyy-MM-dd HH:mm:ss')
to_timestamp('2024-02-30 10:00:00', 'yyyy-MM-dd HH:mm:ss')
to_timestamp(1)
to_timestamp_ntz('x')
to_timestamp_ltz('x')
unix_timestamp('x')
unix_timestamp('2024-01-05')
unix_timestamp('2024-01-05', 'yyyy-MM-dd')
unix_timestamp('2024-01-05 10:00:00')
to_unix_timestamp('x', 'yyyy')
from_unixtime('x')
from_unixtime('10')
from_unixtime(1.7D)
date_format('x', 'yyyy')
year('x')
hour('x')
date_add('x', 1)
date_add('2024-01-05', '1')
date_add(date'2024-01-05', 'x')
date_add(date'2024-01-05', 1.9D)
date_sub('2024-01-05', 1L)
'2024-01-05' + 1
date'2024-01-05' + '1'
date'2024-01-05' - '2024-01-01'
'2024-01-05' - date'2024-01-01'
timestamp'2024-01-05 00:00:00' - '2024-01-01'
date'2024-01-05' + 1.5D
'2024-01-05' + interval 1 day
'2024-01-05' + interval 1 month
'x' + interval 1 day
'2024-01-05 10:00:00' - interval 1 hour
datediff('2024-01-05', 'x')
datediff('2024-01-05', '2024-01-01')
add_months('2024-01-31', '1')
months_between('2024-01-31', 'x')
last_day('x')
trunc('2024-05-05', 'MM')
timestamp_seconds(9223372036854775807)
timestamp_seconds('1')
timestamp_millis(9223372036854775807)
timestamp_micros('1')
interval 1 day * 2
interval 1 day * '2'
interval 1 day / 0
interval 178956970 year * 100
interval 1 day + '1 day'
timestampadd(DAY, 9223372036854775807, timestamp'2024-01-01 00:00:00')
sequence(1, 5, 0)
sequence(1, 'x')
sequence('1', '3')
slice(array(1, 2), 0, 1)
slice(array(1, 2), '1', '1')
array_repeat('a', '2')
array_join(array(1, 2), ',')
array_contains(array(1, 2), '1')
array_contains(array('1'), 1)
array_contains(array(1, 2), 1.5)
array_position(array(1, 2), '1')
array_union(array(1), array('a'))
array_intersect(array(1), array(1L))
array_max(array(1, 'b'))
arrays_zip(array(1), array('a'))
map_concat(map(1, 'a'), map('b', 2))
map_contains_key(map(1, 'a'), '1')
map_from_arrays(array(1), array('a', 'b'))
str_to_map('a:1,a:2')
substring('hello', '2', '3')
substring('hello', 2.9D, 3)
substring(12345, 2, 3)
substr(12345, '2')
left(12345, 2)
repeat('ab', '2')
repeat('ab', 2.9D)
lpad(5, 3, 0)
rpad('a', '3', 1)
instr(12345, 3)
locate(3, 12345)
replace(12345, 3, 9)
translate(123, 1, 9)
split(123, 2)
split_part('a.b', '.', 0)
split_part('a.b', '.', '1')
upper(true)
length(12.5)
length(true)
ascii(5)
base64('a')
unbase64('###')
unhex('zz')
hex('abc')
hex(17)
hex('17')
md5('a')
md5(1)
crc32('a')
sha2('a', '256')
hash(1, 'a')
format_number('12345.678', 2)
format_number('x', 2)
format_string('%d', '5')
to_number('12x', '99')
to_number('12', '99')
to_char(78.12, '99.9')
to_binary('zz')
to_binary('zz', 'hex')
parse_url('http://a b', 'HOST')
url_decode('%zz')
from_json('{"a": "x"}', 'a int')
get_json_object('{"a":1}', '$.a') + 1
regexp_extract('abc', '(b)', 5)
regexp_extract('abc', 'b', 0)
regexp_replace(12345, 3, 9)
round('2.567', 1)
round('2.567', '1')
round(2.5, 0)
round(2147483647, -1)
round(127Y, -1)
bround(9223372036854775807, -1)
ceil('2.5')
floor('x')
ceil(1e30D)
floor(-1e30D)
ceil(double('NaN'))
ceil(2.5, '1')
sqrt('4')
sqrt('x')
exp('1')
pow('2', 3)
log('x')
log(-1)
factorial('5')
factorial(21)
sin('0')
isnan('x')
isnan('NaN')
sign('-5')
bit_count('5')
bit_get(5, 40)
5 & 3L
5 & '3'
5 | 3Y
~ '5'
shiftleft('1', 2)
1 << '2'
width_bucket('5', 0, 10, 5)
nanvl('NaN', 1)
isnull('x')
1 and true
'true' and true
not 1
true and null
1 = 1.0
1 = 1.0D
1L = 1.5BD
float(0.1) = 0.1D
float(0.1) = 0.1
float(16777217) = 16777217
typeof(1 + 1.5)
typeof(1 + '1')
typeof(1L + float(1))
typeof(1 / 2)
typeof('1' / 2)
typeof(1.5 / '2')
typeof('1' * 1.5)
typeof(1.5 * float(1))
typeof(coalesce(1, 1.5))
typeof(coalesce(1L, float(1)))
typeof(coalesce(1.5, float(1)))
typeof(coalesce(1.5, '1'))
typeof(coalesce(1, true))
typeof(coalesce(date'2024-01-01', 'a'))
typeof(if(true, 1, '1'))
typeof(array(1, '1'))
typeof(abs('1'))
typeof(- '1')
typeof(round('1.5'))
typeof(ceil('1.5'))
typeof(date'2024-01-01' - date'2024-01-01')
typeof('2024-01-01' - date'2024-01-01')
typeof(decode(1, 1, 'a', 2, 3))
decode(1, '1', 'a', 'b')
decode(2, 1, 'a', 2, 3)
assert_true('true')
raise_error(1)
stack(2, 1, 'a', 'b', 2)
explode(sequence(1, '3'))
lead('a') over (order by 1)
count(1 + '1')
luhn_check(12)
encode(5, 'UTF-8')
""")

AGGREGATES = r"""
sum(i)
sum(l)
sum(s)
sum(n)
sum(cast(n as decimal(38,10)))
sum(b)
sum(f)
avg(i)
avg(s)
avg(n)
avg(l)
avg(b)
max(s)
max_by(s, i)
try_sum(l)
try_avg(s)
stddev(s)
variance(s)
corr(s, i)
covar_pop(i, '2')
skewness(s)
kurtosis(d)
count_if(b)
count_if(s = 'x')
bool_and(b)
bool_and(s)
bit_and(s)
bit_or(i)
percentile(s, 0.5)
percentile(i, '0.5')
percentile_approx(i, 0.5)
percentile_approx(s, 0.5)
median(s)
mode(b)
collect_list(s)
approx_count_distinct(s)
regr_slope(s, i)
regr_count(s, i)
sum(distinct s)
avg(distinct i)
product(i)
histogram_numeric(i, 3)
first(s)
listagg(i, ',')
any_value(s)
sum(i) filter (where s > 5)
sum(l) / 0
sum(cast(99999999999999999999999999999999999999BD as decimal(38,0)))
avg(cast('99999999999999999999999999999999999999' as decimal(38,0)))
sum(cast('99999999999999999999999999999999999999' as decimal(38,0)))
max(struct(i, s))
sum(interval 1 day)
"""
area.aggregates(values, AGGREGATES)
area.aggregates(values, r"""
sum(l)
sum(s)
sum(n)
avg(s)
corr(i, i)
stddev(i)
var_samp(d)
covar_samp(i, d)
skewness(i)
kurtosis(i)
regr_r2(i, d)
""", key="b", suffix=" by b")


def queries(c, text):
    values(c).createOrReplaceTempView("ansi_off_v")
    return c.spark.sql(text)


for name, text in {
    "union_int_text": "select 1 union all select 'a'",
    "union_text_int": "select 'a' union all select 1",
    "union_int_double": "select 1 union all select 2.5D",
    "union_int_decimal": "select 1 union all select 2.5",
    "union_bool_text": "select true union all select 'x'",
    "union_bool_int": "select true union all select 1",
    "union_date_text": "select date'2024-01-05' union all select 'x'",
    "union_date_timestamp": "select date'2024-01-05' union all select timestamp'2024-01-05 10:00:00'",
    "union_long_float": "select 1L union all select float(2)",
    "union_arrays": "select array(1) union all select array('a')",
    "union_null": "select null union all select 1",
    "union_distinct": "select 1 union select '1'",
    "intersect_int_text": "select 1 intersect select '1'",
    "except_int_text": "select 1 except select '1'",
    "values_int_text": "values (1), ('a')",
    "values_int_double": "values (1), (2.5D), (3.5)",
    "values_bool_text": "values (true), ('a')",
    "in_subquery_text_int": "select s from ansi_off_v where s in (select 42)",
    "in_subquery_bool_int": "select b from ansi_off_v where b in (select 1)",
    "join_int_text": "select a.i, b.s from ansi_off_v a join (select '3' s) b on a.i = b.s",
    "join_using": "select * from (select 1 k) a join (select '1' k) b using (k)",
    "where_text": "select i from ansi_off_v where 'true'",
    "where_int": "select i from ansi_off_v where 1",
    "where_text_column": "select i from ansi_off_v where s",
    "having_text": "select count(*) from ansi_off_v having 'x'",
    "join_condition_int": "select 1 from ansi_off_v a join ansi_off_v b on 1",
    "order_by_cast": "select s from ansi_off_v order by cast(s as int) desc, s",
    "limit_text": "select 1 limit '1'",
    "window_range": "select i, sum(i) over (order by i range between '1' preceding and current row) from ansi_off_v",
    "window_sum": "select sum(l) over (order by i rows between unbounded preceding and current row) from ansi_off_v",
    "lag_default": "select lag(i, 1, 'x') over (order by i) from ansi_off_v",
    "lag_default_number": "select lag(i, 1, '7') over (order by i) from ansi_off_v",
    "group_by_cast": "select cast(s as int), count(*) from ansi_off_v group by 1",
    "case_compare": "select case when i > '2' then 'big' else s end from ansi_off_v",
    "pivot": "select * from (select b, i from ansi_off_v) pivot (sum(i) for b in (true, false))",
    "unpivot": "select * from (select 1 a, 'x' b) unpivot (v for k in (a, b))",
    "cte_overflow": "with w as (select i + 1 j from ansi_off_v) select max(j), min(j) from w",
    "subquery_arith": "select i + (select '1') from ansi_off_v",
    "exists_text": "select i from ansi_off_v v where exists (select 1 where v.s = 42)",
    "insert_like_cast": "select cast(s as int) + i from ansi_off_v",
    "lateral_explode": "select x + 1 from ansi_off_v lateral view explode(array(i, s)) t as x",
    "time_add": "select dt + i from ansi_off_v where i < 10",
    "range_text": "select id from range('3')",
    "negative_literal": "select -9223372036854775808, - 2147483648",
    "transform": "select transform(array('1', 'x'), x -> cast(x as int) + 1)",
    "aggregate": "select aggregate(array(2147483647, 1), 0, (a, x) -> a + x)",
    "filter": "select filter(array('1', '2', 'x'), x -> x > 1)",
    "exists_lambda": "select exists(array('1', 'x'), x -> x = 1)",
    "map_filter": "select map_filter(map('a', 1, 'b', 2), (k, v) -> v = '1')",
    "zip_with": "select zip_with(array(1), array('x'), (a, b) -> a + b)",
    "string_functions_of_numbers": "select concat(i, '-', l), upper(b), length(n) from ansi_off_v",
    "reserved_words": "select 1 as select, 2 as from",
    "double_quoted": 'select "text"',
}.items():
    area.case_of(name, lambda c, text=text: queries(c, text))


@area.case()
def insert_overflow(c):
    c.spark.sql("create table ansi_off_t (a tinyint, s string) using parquet")
    try:
        c.spark.sql("insert into ansi_off_t select 300, 5")
        return c.spark.table("ansi_off_t")
    finally:
        c.spark.sql("drop table ansi_off_t")


@area.case()
def insert_text(c):
    c.spark.sql("create table ansi_off_t (a int) using parquet")
    try:
        c.spark.sql("insert into ansi_off_t values ('x')")
        return c.spark.table("ansi_off_t")
    finally:
        c.spark.sql("drop table ansi_off_t")


@area.case()
def fill_text(c):
    return values(c).select("i", "s").na.fill("q").na.fill(0)


@area.case()
def describe(c):
    return values(c).select("i", "s", "n").describe()


@area.case()
def columns(c):
    F = c.F
    v = values(c)
    return v.select(F.col("s") + 1, F.col("s") == 42, F.col("i").isin("1", "3"), F.col("b") == 1, F.when(F.col("b"), 1).otherwise("x"),
                    F.col("a")[7], F.col("a").getItem(0), F.col("l") + 1, -F.col("i"))


@area.case()
def df_union(c):
    return c.spark.sql("select 1 a").union(c.spark.sql("select 'x' a"))


@area.case()
def df_filter_text(c):
    return values(c).filter("s = 42").select("i")
