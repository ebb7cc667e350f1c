"""The type TIME: literals, casts, functions, comparison, frames, tables and files."""

import datetime
import decimal

from cases._sql import messages, queries, scripts
from harness import Area, one

ENABLED = "spark.sql.timeType.enabled"
area = Area("fn_time", **{ENABLED: "true"})
script = scripts(area)
time = datetime.time

LITERALS = """
    time'12:34:56'
    time'12:34:56.123456'
    time'12:34:56.1'
    time'12:34:56.1234567'
    time'12:34:56.123456789'
    time'12:34'
    time'1:2:3'
    time'00:00:00'
    time'23:59:59.999999'
    time'24:00:00'
    time'12:60:00'
    time'12'
    time'T12:34:56'
    time' 12:34:56 '
    time'12:34:56Z'
    time'12:34:56+01:00'
    time'2024-01-01 12:34:56'
    time'1:30 PM'
    time'01:30:15.5 am'
    time'12:00:00 AM'
    time'12:30PM'
    time'13:30 PM'
    time'0:30 AM'
    time''
    time'nope'
    TIME '10:11:12' AS t
    typeof(time'12:34:56')
    typeof(time'12:34:56.1')
    typeof(time'12:34:56.123456')
    time(3)'12:34:56'
"""

CASTS = """
    cast('12:34:56.123456' as time)
    cast('12:34:56.123456' as time(0))
    cast('12:34:56.123456' as time(3))
    cast('12:34:56.987654' as time(1))
    cast('12:34:56.123456' as time(6))
    cast('12:34:56.123456' as time(7))
    cast('12:34:56.123456' as time(9))
    cast('12:34:56.123456' as time(-1))
    cast('12:34' as time without time zone)
    cast('12:34' as time(2) without time zone)
    cast('12:34:56.1234567' as time)
    cast('12:34:56.1234567891' as time)
    cast(' 12:34:56 ' as time)
    cast('1:2:3' as time)
    cast('T1:2:3' as time)
    cast('1:2:3 pm' as time)
    cast('24:00:00' as time)
    cast('x' as time)
    cast('' as time)
    cast('12:34:56Z' as time)
    cast('2024-01-01 12:34:56' as time)
    try_cast('x' as time)
    try_cast('24:00:00' as time(3))
    try_cast('23:59:59.9999999' as time(3))
    '12:34:56'::time
    '12:34:56'::time(0)
    cast(null as time)
    cast(null as time(2))
    cast(time'12:34:56.123456' as time(3))
    cast(time'12:34:56.999999' as time(0))
    cast(cast(time'12:34:56.123456' as time(3)) as time(6))
    cast(time'12:34:56.123456' as string)
    cast(time'12:34:56.100000' as string)
    cast(time'12:34:00' as string)
    cast(cast(time'12:34:56.120' as time(3)) as string)
    cast(time'12:34:56' as varchar(20))
    cast(time'12:34:56' as char(20))
    cast(time'12:34:56.123456' as int)
    cast(time'12:34:56.123456' as bigint)
    cast(time'23:59:59' as smallint)
    cast(time'23:59:59' as tinyint)
    cast(time'00:01:59' as tinyint)
    try_cast(time'23:59:59' as smallint)
    cast(time'12:34:56.123456' as double)
    cast(time'12:34:56.123456' as float)
    cast(time'12:34:56.123456' as decimal(20,6))
    cast(time'12:34:56.123456' as decimal(14,9))
    cast(time'12:34:56.123456' as decimal(10,2))
    cast(time'12:34:56.125' as decimal(7,2))
    cast(time'12:34:56.123456' as decimal(3,0))
    try_cast(time'12:34:56.123456' as decimal(3,0))
    cast(cast(time'12:34:56.123456' as time(0)) as decimal)
    cast(time'12:34:56' as boolean)
    cast(time'12:34:56' as date)
    cast(time'12:34:56' as timestamp)
    cast(time'12:34:56' as timestamp_ntz)
    cast(time'12:34:56' as binary)
    cast(time'12:34:56' as interval day to second)
    cast(interval '1' hour as time)
    cast(timestamp'2024-01-02 03:04:05.678901' as time)
    cast(timestamp_ntz'2024-01-02 03:04:05.678901' as time)
    cast(timestamp_ntz'2024-01-02 03:04:05.678901' as time(2))
    try_cast(timestamp_ntz'2024-01-02 03:04:05.678901' as time)
    cast(date'2024-01-02' as time)
    cast(1 as time)
    cast(1L as time(3))
    cast(1.5 as time)
    cast(1.5D as time)
    cast(true as time)
    cast(x'00' as time)
    try_cast(1 as time)
    cast(array('12:34', '1:2:3') as array<time>)
    cast(array(time'12:34') as array<string>)
    cast(map('a', '12:34') as map<string, time(0)>)
    cast(named_struct('a', '12:34') as struct<a: time>)
    cast(named_struct('a', time'12:34') as string)
    cast(array(time'12:34', null) as string)
    cast(map(time'12:34', 1) as string)
    cast(time'12:34:56' as variant)
    to_variant_object(array(time'12:34:56'))
"""

COMPARE = """
    time'12:34' = time'12:34:00.000'
    time'12:34' <=> null
    time'12:34' < time'12:34:00.000001'
    time'12:34' > time'12:33'
    time'12:34' != time'12:33'
    cast('12:34' as time(0)) = time'12:34'
    time'12:34' = '12:34'
    '12:34' < time'12:35'
    time'12:34' = 'x'
    time'12:34' = 1
    time'12:34' = date'2024-01-01'
    time'12:34' = timestamp'2024-01-01 12:34'
    time'12:34' between time'12:00' and time'13:00'
    time'12:34' in (time'12:34', time'12:35')
    time'12:34' in ('12:34')
    greatest(time'12:34', time'12:35', null)
    least(time'12:34', cast('12:30' as time(0)))
    coalesce(null, time'12:34')
    coalesce(cast(null as time(0)), cast('12:34' as time(3)))
    typeof(coalesce(cast(null as time(0)), cast('12:34' as time(3))))
    nullif(time'12:34', time'12:34')
    nvl(null, time'12:34')
    if(true, time'12:34', cast(null as time(0)))
    case when false then cast('12:34' as time(0)) else time'12:35' end
    array(cast('12:34' as time(0)), time'12:35:01.5')
    map(time'12:34', time'12:35')
    map('a', cast('1:02' as time(0)))['a']
    named_struct('t', time'12:34').t
    array_sort(array(time'12:34', time'1:02', null))
    sort_array(array(time'12:34', time'1:02', null), false)
    array_max(array(time'12:34', time'1:02'))
    array_min(array(time'12:34', time'1:02'))
    array_contains(array(time'12:34'), time'12:34:00')
    array_distinct(array(time'12:34', time'12:34'))
    array_union(array(time'12:34'), array(time'12:35'))
    array_position(array(time'12:34', time'12:35'), time'12:35')
    transform(array(time'12:34'), t -> t + interval '1' hour)
    filter(array(time'12:34', time'1:02'), t -> t > time'2:00')
    map_keys(map(time'12:34', 1))
    map_from_arrays(array(time'12:34', time'12:34'), array(1, 2))
    hash(time'12:34:56.123456')
    hash(cast('12:34' as time(0)))
    hash(array(time'12:34'), named_struct('t', time'1:02'))
    xxhash64(time'12:34:56.123456')
    xxhash64(map(time'12:34', 1))
    sequence(time'1:00', time'3:00', interval '1' hour)
    concat(time'12:34', 'x')
    concat_ws(',', time'12:34', 'x')
    concat(array(time'12:34'), array(time'12:35'))
    upper(time'12:34')
    length(time'12:34:56.5')
    time'12:34' like '12%'
    time'12:34' || ''
    format_string('%s', time'12:34')
    to_json(named_struct('t', time'12:34:56.5'))
    to_json(map(time'12:34', 1))
    from_json('{"t":"12:34:56.5"}', 't time')
    to_csv(named_struct('t', time'12:34:56.5'))
    from_csv('12:34:56.5', 't time')
    to_xml(named_struct('t', time'12:34:56.5'))
    from_xml('<r><t>12:34:56.5</t></r>', 't time')
    schema_of_json('{"t":"12:34:56"}')
    isnull(time'12:34')
    time'12:34' is not null
    stack(2, time'12:34', cast('12:35' as time(0)))
    inline(array(named_struct('t', time'12:34')))
    assert_true(time'12:34' < time'12:35')
    bool(time'12:34')
    string(time'12:34')
    time('12:34')
    nullif(time'12:34', '12:34')
    decode(time'12:34', time'12:34', 'a', 'b')
    try_element_at(map(time'12:34', 1), time'12:34')
    equal_null(time'12:34', null)
    struct(time'12:34') = struct(time'12:34')
    array(time'12:34') < array(time'12:35')
    count_if(time'12:34' > time'12:33')
    typeof(array(cast('12:34' as time(0)), cast('12:34' as time(2))))
    typeof(named_struct('t', cast('12:34' as time(0))))
"""

ARITHMETIC = """
    time'12:34:56' + interval '1' hour
    interval '1' hour + time'12:34:56'
    time'12:34:56' + interval '1:30' hour to minute
    time'12:34:56' + interval '0 01:02:03.5' day to second
    time'12:34:56' + interval '0.000001' second
    cast('12:34:56' as time(0)) + interval '0.5' second
    cast('12:34:56' as time(0)) + interval '1' minute
    cast('12:34:56' as time(2)) + interval '1' day
    cast('12:34:56' as time(2)) + interval '0' day
    typeof(cast('12:34' as time(0)) + interval '1' minute)
    typeof(cast('12:34' as time(0)) + interval '1' second)
    typeof(cast('12:34' as time(0)) + interval '1' day)
    typeof(cast('12:34' as time(4)) + interval '1' hour)
    time'23:34:56' + interval '1' hour
    time'00:34:56' - interval '1' hour
    time'12:34:56' - interval '1' hour
    time'12:34:56' - interval '0 01:02:03.5' day to second
    time'12:34:56' + interval '1' day
    time'12:34:56' + interval '1' month
    time'12:34:56' - interval '1' year
    time'12:34:56' + interval 1 hour
    time'12:34:56' + make_interval(0, 0, 0, 0, 1)
    time'12:34:56' + make_dt_interval(0, 1, 2, 3.5)
    time'12:34:56' + null
    time'12:34:56' + cast(null as interval hour)
    time'12:34:56' + 1
    time'12:34:56' - time'10:00:00'
    time'10:00:00' - time'12:34:56.5'
    typeof(time'12:34:56' - time'10:00:00')
    typeof(cast('12:34' as time(0)) - time'10:00:00')
    time'12:34:56' - cast('10:00' as time(0))
    time'12:34:56' - '10:00:00'
    '12:34:56' - time'10:00:00'
    time'12:34:56' - date'2024-01-01'
    date'2024-01-01' + time'12:34:56'
    time'12:34:56' + date'2024-01-01'
    timestamp'2024-01-01' + time'12:34:56'
    time'12:34:56' + time'12:34:56'
    time'12:34:56' * 2
    - time'12:34:56'
    interval '1' hour - time'12:34:56'
    abs(time'12:34:56')
    try_add(time'23:34:56', interval '1' hour)
    try_add(time'12:34:56', interval '1' hour)
    try_subtract(time'00:34:56', interval '1' hour)
    try_subtract(time'12:34:56', time'1:02')
    time'12:34:56' + '1 hour'
"""

FUNCTIONS = """
    current_time() is not null
    current_time(0) is not null
    typeof(current_time())
    typeof(current_time(0))
    typeof(current_time(3))
    typeof(current_time)
    current_time(7)
    current_time(-1)
    current_time('x')
    current_time(1 + 1) is not null
    current_time(id) is null
    current_time(0, 1)
    current_time(2) = cast(current_time() as time(2))
    make_time(12, 34, 56)
    make_time(12, 34, 56.123456)
    make_time(12, 34, 56.1234567)
    make_time(12, 34, 5.5D)
    make_time(0, 0, 0)
    make_time(23, 59, 59.999999)
    make_time(24, 0, 0)
    make_time(12, 60, 0)
    make_time(12, 0, 60)
    make_time(12, 0, 100.5)
    make_time(-1, 0, 0)
    make_time(null, 0, 0)
    make_time(12, 0, null)
    make_time('12', '34', '56.5')
    make_time('x', '34', '56.5')
    make_time(12, 34)
    make_time(12L, 34, 56)
    make_time(12.7, 34, 56)
    typeof(make_time(12, 34, 56))
    to_time('12:34:56')
    to_time('12:34')
    to_time('12:34:56.123456')
    to_time('x')
    to_time('24:00:00')
    to_time(null)
    to_time(12)
    to_time(date'2024-01-01')
    to_time(timestamp'2024-01-01 12:34:56')
    to_time('12.34.56', 'HH.mm.ss')
    to_time('12.34', 'HH.mm')
    to_time('12', 'HH')
    to_time('123456', 'HHmmss')
    to_time('12:34:56.123', 'HH:mm:ss.SSS')
    to_time('12:34:56.123456', 'HH:mm:ss.SSSSSS')
    to_time('01:30 PM', 'hh:mm a')
    to_time('01:30', 'hh:mm')
    to_time('12:34', 'HH:mm:ss')
    to_time('12:34:56', 'nope')
    to_time('12:34:56', 'yyyy')
    to_time('2024-01-01 12:34:56', 'yyyy-MM-dd HH:mm:ss')
    to_time('12:34:56', null)
    to_time('12:34:56', concat('HH:', 'mm:ss'))
    to_time(id || ':00', 'H:mm')
    to_time(id || ':30:00')
    to_time('12:34:56', 'HH:mm:ss', 1)
    to_time()
    try_to_time('12:34:56')
    try_to_time('x')
    try_to_time('25:00', 'HH:mm')
    try_to_time('12.34', 'HH.mm')
    try_to_time('12', 'nope')
    try_to_time(1)
    typeof(to_time('12:34:56'))
    time_trunc('HOUR', time'12:34:56.123456')
    time_trunc('minute', time'12:34:56.123456')
    time_trunc('SECOND', time'12:34:56.123456')
    time_trunc('MILLISECOND', time'12:34:56.123456')
    time_trunc('microsecond', time'12:34:56.123456')
    time_trunc('NANOSECOND', time'12:34:56.123456')
    time_trunc('DAY', time'12:34:56')
    time_trunc('hours', time'12:34:56')
    time_trunc(null, time'12:34:56')
    time_trunc('HOUR', null)
    time_trunc('HOUR', '12:34:56')
    time_trunc('HOUR', timestamp'2024-01-01 12:34:56')
    time_trunc('HOUR', cast('12:34:56' as time(3)))
    typeof(time_trunc('HOUR', cast('12:34:56' as time(3))))
    time_trunc(if(id = 0, 'HOUR', 'x'), time'12:34:56')
    time_trunc(if(id = 0, 'x', 'HOUR'), time'12:34:56')
    time_diff('HOUR', time'20:30:29', time'21:30:28')
    time_diff('HOUR', time'20:30:29', time'21:30:29')
    time_diff('HOUR', time'20:30:29', time'12:00:00')
    time_diff('minute', time'20:30:29', time'21:30:28')
    time_diff('SECOND', time'20:30:29', time'21:30:28.5')
    time_diff('MILLISECOND', time'20:30:29', time'21:30:28.5')
    time_diff('MICROSECOND', time'20:30:29', time'21:30:28.000001')
    time_diff('NANOSECOND', time'20:30:29', time'21:30:28')
    time_diff('DAY', time'20:30:29', time'21:30:28')
    time_diff('hours', time'20:30:29', time'21:30:28')
    time_diff(null, time'20:30:29', time'21:30:28')
    time_diff('HOUR', null, time'21:30:28')
    time_diff('HOUR', '20:30:29', time'21:30:28')
    time_diff('HOUR', cast('1:02' as time(0)), time'21:30:28')
    time_diff('HOUR', timestamp'2024-01-01 20:30:29', time'21:30:28')
    typeof(time_diff('HOUR', time'20:30:29', time'21:30:28'))
    time_diff(if(id = 0, 'HOUR', 'x'), time'1:34:56', time'2:34:56')
    hour(time'12:34:56.123456')
    minute(time'12:34:56.123456')
    second(time'12:34:56.123456')
    hour(cast('12:34' as time(0)))
    hour(cast(null as time))
    typeof(second(time'12:34:56.123456'))
    extract(hour from time'12:34:56.123456')
    extract(minute from time'12:34:56.123456')
    extract(second from time'12:34:56.123456')
    extract(seconds from cast('12:34:56' as time(0)))
    typeof(extract(second from cast('12:34:56' as time(0))))
    extract(year from time'12:34:56')
    extract(day from time'12:34:56')
    extract(microsecond from time'12:34:56')
    date_part('HOUR', time'12:34:56')
    date_part('h', time'12:34:56')
    date_part('SECOND', time'12:34:56.123456')
    datepart('mins', time'12:34:56')
    date_part('year', time'12:34:56')
    date_part('x', time'12:34:56')
    year(time'12:34:56')
    dayofweek(time'12:34:56')
    make_timestamp(date'2024-01-02', time'03:04:05.678901')
    make_timestamp(date'2024-01-02', time'03:04:05.678901', 'Europe/Berlin')
    make_timestamp(date'2024-01-02', time'03:04:05.678901', 'nope')
    make_timestamp(date'2024-01-02', null)
    make_timestamp(null, time'03:04:05')
    make_timestamp(date'2024-01-02')
    make_timestamp(date'2024-01-02', '03:04:05')
    make_timestamp('2024-01-02', time'03:04:05')
    make_timestamp(timestamp'2024-01-02 01:00:00', time'03:04:05')
    make_timestamp(date'2024-01-02', cast('3:04' as time(0)))
    make_timestamp_ntz(date'2024-01-02', time'03:04:05.678901')
    make_timestamp_ntz(date'2024-01-02', cast(null as time))
    make_timestamp_ntz(timestamp'2024-01-02 01:00:00', time'03:04:05')
    make_timestamp_ltz(date'2024-01-02', time'03:04:05.678901')
    make_timestamp_ltz(date'2024-01-02', time'03:04:05.678901', 'Europe/Berlin')
    try_make_timestamp(date'2024-01-02', time'03:04:05.678901')
    try_make_timestamp(date'2024-01-02', time'03:04:05.678901', 'Europe/Berlin')
    try_make_timestamp_ntz(date'2024-01-02', time'03:04:05.678901')
    try_make_timestamp_ltz(date'2024-01-02', time'03:04:05.678901')
    try_make_timestamp_ltz(date'2024-01-02', time'03:04:05.678901', 'UTC')
    typeof(make_timestamp(date'2024-01-02', time'03:04:05'))
    time_from_seconds(3661)
    time_from_seconds(3661.5)
    time_from_seconds(3661.1234567)
    time_from_seconds(3661.5D)
    time_from_seconds(86399.999999)
    time_from_seconds(86400)
    time_from_seconds(-1)
    time_from_seconds(null)
    time_from_seconds('1')
    time_from_seconds(cast('NaN' as double))
    time_from_millis(3661123)
    time_from_millis(86400000)
    time_from_millis(-1)
    time_from_millis(1.5)
    time_from_millis(null)
    time_from_micros(3661123456)
    time_from_micros(86400000000)
    time_from_micros('1')
    typeof(time_from_micros(1))
    time_to_seconds(time'01:01:01.5')
    time_to_millis(time'01:01:01.5')
    time_to_micros(time'01:01:01.500001')
    time_to_seconds(cast('1:02' as time(0)))
    time_to_seconds(null)
    time_to_seconds('01:01:01')
    time_to_millis(timestamp'2024-01-01')
    typeof(time_to_seconds(time'01:01:01.5'))
    typeof(time_to_millis(time'01:01:01.5'))
    typeof(time_to_micros(time'01:01:01.5'))
    date_format(time'12:34:56', 'HH:mm')
    date_trunc('HOUR', time'12:34:56')
    to_char(time'12:34:56', 'HH:mm')
    unix_timestamp(time'12:34:56')
    unix_micros(time'12:34:56')
    timestampadd(HOUR, 1, time'12:34:56')
    timestampdiff(HOUR, time'12:34:56', time'13:34:56')
    date_add(time'12:34:56', 1)
    datediff(HOUR, time'12:34:56', time'13:34:56')
    time_bucket(interval '15' minute, time'12:34:56')
    hour('12:34:56')
    parse_json('"12:34:56"')::time
    variant_get(parse_json('"12:34:56"'), '$', 'time')
    make_timestamp(2024, 1, 2, 3, 4, 5)
"""

for texts in (LITERALS, CASTS, COMPARE, ARITHMETIC, FUNCTIONS):
    area.lines(one, texts)

WITHOUT_ANSI = """
    cast('x' as time)
    cast('24:00' as time(3))
    cast('12:34:56' as time)
    cast(time'23:59:59' as smallint)
    cast(time'23:59:59' as tinyint)
    cast(time'12:34:56.123456' as decimal(3,0))
    cast(time'12:34:56' as boolean)
    cast(1 as time)
    time'12:34' = '12:34'
    time'12:34' = 'x'
    time'23:34:56' + interval '1' hour
    make_time(24, 0, 0)
    make_time('x', 0, 0)
    to_time('x')
    to_time('x', 'HH')
    time_from_seconds(86400)
    time_trunc('x', time'12:34:56')
    element_at(array(time'12:34'), 2)
    time'nope'
    coalesce('x', time'12:34')
"""
area.lines(one, WITHOUT_ANSI, suffix=" without ANSI", conf={"spark.sql.ansi.enabled": "false"})

# As it is by default: the type is known, but no rows have it and no function gives it.
DISABLED = """
    time'12:34:56'
    time'24:00:00'
    typeof(time'12:34:56')
    hash(time'12:34:56')
    cast('12:34:56' as time)
    try_cast('12:34:56' as time)
    cast(null as time(3))
    cast(1 as time)
    cast(time'12:34:56' as string)
    cast(time'12:34:56' as bigint)
    cast(array('12:34') as array<time>)
    current_time()
    typeof(current_time())
    current_time
    make_time(12, 34, 56)
    make_time(12, 34)
    to_time('12:34')
    try_to_time('12:34')
    time_trunc('HOUR', time'12:34:56')
    time_diff('HOUR', time'12:34:56', time'13:34:56')
    hour(time'12:34:56')
    minute(time'12:34:56')
    second(time'12:34:56')
    extract(hour from time'12:34:56')
    extract(second from time'12:34:56')
    date_part('minute', time'12:34:56')
    time'12:34:56' + interval '1' hour
    time'12:34:56' - time'11:34:56'
    time'12:34:56' < time'13:34:56'
    time'12:34:56' = '12:34:56'
    array(time'12:34:56')
    map(1, time'12:34:56')
    size(array(time'12:34:56'))
    coalesce(time'12:34:56', cast(null as string))
    make_timestamp(date'2024-01-02', time'03:04:05')
    make_timestamp_ntz(date'2024-01-02', time'03:04:05')
    try_make_timestamp(date'2024-01-02', time'03:04:05')
    time_from_seconds(1)
    time_from_millis(1)
    time_from_micros(1)
    time_to_seconds(time'12:34:56')
    time_to_millis(time'12:34:56')
    time_to_micros(time'12:34:56')
    from_json('{"t":"12:34"}', 't time')
    to_json(named_struct('t', time'12:34'))
    max(time'12:34')
    string(time'12:34')
    time'12:34' || ''
    typeof(coalesce(cast(null as string), time'12:34'))
"""
area.lines(one, DISABLED, suffix=" by default", conf={ENABLED: "false"})

area.lines(
    one,
    """
    make_timestamp(date'2024-01-02', time'03:04:05')
    make_timestamp(date'2024-03-10', time'02:30:00')
    make_timestamp_ntz(date'2024-03-10', time'02:30:00')
    try_make_timestamp(date'2024-03-10', time'02:30:00')
    cast(timestamp'2024-01-02 03:04:05' as time)
    time'12:34:56' + interval '1' hour
    """,
    suffix=" in New York",
    conf={"spark.sql.session.timeZone": "America/New_York"},
)

area.cols(
    one,
    {
        "lit": lambda F: F.lit(time(12, 34, 56, 123456)),
        "lit whole": lambda F: F.lit(time(12, 34)),
        "lit list": lambda F: F.lit([time(1, 2), time(3, 4)]),
        "current_time": lambda F: F.current_time().isNotNull(),
        "current_time 3": lambda F: F.expr("typeof(current_time(3))"),
        "F.current_time 3": lambda F: F.current_time(3).isNotNull(),
        "F.make_time": lambda F: F.make_time(F.lit(6), F.lit(30), F.lit(decimal.Decimal("45.887"))),
        "F.to_time": lambda F: F.to_time(F.lit("10:30:00")),
        "F.to_time format": lambda F: F.to_time(F.lit("10.30"), F.lit("HH.mm")),
        "F.try_to_time": lambda F: F.try_to_time(F.lit("x")),
        "F.time_diff": lambda F: F.time_diff(F.lit("HOUR"), F.lit(time(1, 2)), F.lit(time(3, 4))),
        "F.time_trunc": lambda F: F.time_trunc(F.lit("HOUR"), F.lit(time(1, 2, 3, 4))),
        "F.time_from_seconds": lambda F: F.time_from_seconds(F.lit(1.5)),
        "F.time_from_millis": lambda F: F.time_from_millis(F.lit(1500)),
        "F.time_from_micros": lambda F: F.time_from_micros(F.lit(1500)),
        "F.time_to_seconds": lambda F: F.time_to_seconds(F.lit(time(1, 2, 3, 4))),
        "F.time_to_millis": lambda F: F.time_to_millis(F.lit(time(1, 2, 3, 4))),
        "F.time_to_micros": lambda F: F.time_to_micros(F.lit(time(1, 2, 3, 4))),
        "F.hour": lambda F: [F.hour(F.lit(time(1, 2, 3))), F.minute(F.lit(time(1, 2, 3))), F.second(F.lit(time(1, 2, 3)))],
        "F.extract": lambda F: F.extract(F.lit("SECOND"), F.lit(time(1, 2, 3, 500000))),
        "F.make_timestamp": lambda F: F.make_timestamp(date=F.lit(datetime.date(2024, 1, 2)), time=F.lit(time(3, 4, 5))),
        "F.make_timestamp zone": lambda F: F.make_timestamp(
            date=F.lit(datetime.date(2024, 1, 2)), time=F.lit(time(3, 4, 5)), timezone=F.lit("CET")
        ),
        "F.make_timestamp_ntz": lambda F: F.make_timestamp_ntz(F.lit(datetime.date(2024, 1, 2)), F.lit(time(3, 4, 5))),
        "F.try_make_timestamp": lambda F: F.try_make_timestamp(date=F.lit(datetime.date(2024, 1, 2)), time=F.lit(time(3, 4, 5))),
        "cast to a type": lambda F: F.lit("1:02:03.5").cast("time(0)"),
        "cast of a null": lambda F: F.lit(None).cast("time"),
        "compared with a value": lambda F: F.lit(time(1, 2)) < time(3, 4),
        "in values": lambda F: F.lit(time(1, 2)).isin(time(1, 2), time(3, 4)),
    },
)

OFF = {ENABLED: "false"}
area.case_of("lit by default", lambda c: one(c).select(c.F.lit(time(1, 2))), conf=OFF)
area.case_of("frame by default", lambda c: c.spark.createDataFrame([(time(1, 2),)], "t time"), conf=OFF)
area.case_of("frame of inferred rows by default", lambda c: c.spark.createDataFrame([(time(1, 2),)], ["t"]), conf=OFF)
area.case_of("count by default", lambda c: c.spark.createDataFrame([(time(1, 2),)], "t time").count(), conf=OFF)
area.case_of("schema by default", lambda c: c.spark.sql("select time'1:02' t").schema.json(), conf=OFF)
area.case_of("show by default", lambda c: c.printed(lambda: c.spark.sql("select time'1:02' t").show()), conf=OFF)
area.case_of("view by default", lambda c: c.spark.sql("select time'1:02' t").createOrReplaceTempView("time_off"), conf=OFF)
area.case_of("filter by default", lambda c: c.spark.sql("select 1 a from values (time'1:02') as v(t) where t > time'1:00'"), conf=OFF)
area.case_of("write by default", lambda c: c.spark.sql("select time'1:02' t").write.parquet(c.path("x")), conf=OFF)
area.case_of("csv by default", lambda c: c.spark.sql("select time'1:02' t").write.csv(c.path("x")), conf=OFF)
area.case_of("read by default", lambda c: c.spark.read.schema("t time").json(c.write("in/a.json", '{"t":"1:02"}')), conf=OFF)
area.case_of("parameter by default", lambda c: c.spark.sql("select :t t", args={"t": time(1, 2)}), conf=OFF)
script("table by default", "create table time_off_table (t time) using parquet", conf=OFF)
script("delta table by default", "create table time_off_table (t time) using delta", conf=OFF)
script("ctas by default", "create table time_off_table using parquet as select time'1:02' t", conf=OFF)
script("variable by default", "declare or replace variable time_off_v time", conf=OFF)
script("function by default", "create or replace temporary function time_off_f(t time) returns int return 1", conf=OFF)
script("stored view by default", "create or replace temporary view time_off_w as select time'1:02' t", conf=OFF)

ROWS = [(1, time(12, 34, 56, 123456)), (2, time(0, 0)), (3, None), (4, time(23, 59, 59, 999999)), (5, time(12, 34, 56, 123456))]


def times(c):
    return c.spark.createDataFrame(ROWS, "id int, t time")


@area.case()
def frame_of_rows(c):
    return times(c)


@area.case()
def frame_of_inferred_rows(c):
    return c.spark.createDataFrame(ROWS, ["id", "t"])


@area.case()
def frame_of_lesser_precision(c):
    return c.spark.createDataFrame([(time(1, 2, 3, 456789),)], "t time(3)")


@area.case()
def frame_of_nested_times(c):
    rows = [([time(1, 2), None], {"a": time(3, 4)}, (time(5, 6),)), (None, None, None)]
    return c.spark.createDataFrame(rows, "a array<time>, m map<string, time(0)>, s struct<t: time>")


@area.case()
def frame_of_type_objects(c):
    schema = c.T.StructType([c.T.StructField("t", c.T.TimeType(), False), c.T.StructField("u", c.T.TimeType(2))])
    return c.spark.createDataFrame([(time(1, 2, 3), time(4, 5, 6))], schema)


@area.case()
def frame_of_pandas(c):
    import pandas

    return c.spark.createDataFrame(pandas.DataFrame({"t": [time(1, 2, 3), time(4, 5, 6, 7)]}))


@area.case()
def frame_of_arrow(c):
    import pyarrow

    table = pyarrow.table(
        {
            "us": pyarrow.array([1, None], pyarrow.time64("us")),
            "ns": pyarrow.array([1000, 2500], pyarrow.time64("ns")),
        }
    )
    return c.spark.createDataFrame(table)


@area.case()
def to_pandas(c):
    frame = times(c).orderBy("id").toPandas()
    return [str(frame.dtypes["t"]), [str(v) for v in frame["t"]]]


@area.case()
def to_arrow(c):
    table = times(c).orderBy("id").toArrow()
    return [str(table.schema.field("t").type), [str(v) for v in table.column("t").to_pylist()]]


@area.case()
def to_arrow_of_lesser_precision(c):
    return str(c.spark.sql("select time'1:02:03' t, cast('1:02' as time(0)) u, array(time'1:02') a").toArrow().schema)


@area.case()
def show(c):
    return c.printed(lambda: times(c).orderBy("id").show())


@area.case()
def show_nested(c):
    return c.printed(
        lambda: c.spark.sql(
            "select cast('1:02' as time(0)) a, array(time'1:02:03.5', null) b, map(time'1:02', 1) m, struct(time'1:02') s"
        ).show(truncate=False)
    )


@area.case()
def show_vertical(c):
    return c.printed(lambda: times(c).orderBy("id").show(vertical=True))


@area.case()
def html(c):
    return times(c).orderBy("id").limit(2)._repr_html_() or ""


@area.case()
def printed_schema(c):
    return c.printed(lambda: c.spark.sql("select time'1:02' t, cast('1:02' as time(0)) u, array(time'1:02') a").printSchema())


@area.case()
def dtypes(c):
    return times(c).dtypes


@area.case()
def to_json_rows(c):
    return times(c).orderBy("id").toJSON().collect()


@area.case()
def grouped(c):
    return times(c).groupBy("t").count()


@area.case(ordered=True)
def sorted_rows(c):
    return times(c).orderBy(c.F.desc_nulls_first("t"), "id")


@area.case()
def distinct_rows(c):
    return times(c).select("t").distinct()


@area.case()
def joined(c):
    return times(c).alias("a").join(times(c).alias("b"), c.F.expr("a.t = b.t"))


@area.case()
def joined_with_other_precision(c):
    other = c.spark.sql("select cast('0:00' as time(0)) t, 'x' x")
    return times(c).join(other, "t")


@area.case()
def union_of_precisions(c):
    return times(c).select("t").union(c.spark.sql("select cast('7:00' as time(0))"))


@area.case()
def intersected(c):
    return times(c).select("t").intersect(c.spark.sql("select time'0:00'"))


@area.case(ordered=True)
def windowed(c):
    w = c.Window.orderBy("t")
    return times(c).select("id", c.F.rank().over(w), c.F.lag("t").over(w), c.F.min("t").over(w)).orderBy("t", "id")


@area.case()
def range_windowed(c):
    return times(c).select(
        c.F.expr("count(*) over (order by t range between interval '1' hour preceding and current row)")
    )


@area.case()
def filtered(c):
    return times(c).where("t > '12:00:00' and t < time'13:00'")


@area.case()
def filled(c):
    return times(c).na.fill("1:02").na.drop()


@area.case()
def described(c):
    return times(c).describe()


@area.case()
def summarised(c):
    return times(c).summary("count", "min")


@area.case(ordered=True)
def pivoted(c):
    return times(c).groupBy("id").pivot("t").count().orderBy("id")


@area.case()
def pivoted_sql(c):
    times(c).createOrReplaceTempView("time_rows")
    return c.spark.sql("select * from time_rows pivot (count(id) for t in (time'0:00' as midnight, time'12:34:56.123456'))")


@area.case()
def unpivoted(c):
    return c.spark.sql("select 1 id, time'1:02' a, cast('3:04' as time(0)) b").unpivot("id", ["a", "b"], "k", "v")


@area.case()
def unpivoted_sql(c):
    return c.spark.sql("select * from values (1, time'1:02', time'3:04') as v(id, a, b) unpivot (v for k in (a, b))")


@area.case()
def transposed(c):
    return c.spark.sql("select 'x' k, time'1:02' a, time'3:04' b").transpose()


@area.case()
def replaced(c):
    return times(c).replace(time(0, 0), time(1, 0))


@area.case()
def parameters(c):
    return c.spark.sql("select :t t, ? + interval '1' hour u".replace("?", ":t"), args={"t": time(1, 2, 3)})


@area.case()
def positional_parameters(c):
    return c.spark.sql("select ? t, typeof(?) u", args=[time(1, 2, 3), time(1, 2)])


area.aggregates(
    times,
    """
    min(t)
    max(t)
    count(t)
    count(distinct t)
    first(t)
    last(t, true)
    any_value(t)
    mode(t)
    max_by(id, t)
    min_by(t, id)
    sort_array(collect_list(t))
    sort_array(collect_set(t))
    sum(t)
    avg(t)
    stddev(t)
    median(t)
    percentile(t, 0.5)
    approx_percentile(t, 0.5)
    percentile_disc(0.5) within group (order by t)
    approx_count_distinct(t)
    count_min_sketch(t, 0.5d, 0.5d, 1)
    listagg(t, ',') within group (order by t)
    histogram_numeric(t, 2)
    bit_and(t)
    max(cast(t as time(0)))
    max(struct(t, id))
    map_from_entries(collect_list(struct(id, t)))
    hll_sketch_estimate(hll_sketch_agg(t))
    min(t, 2)
    """,
)

queries(
    area,
    {
        "values": "values (time'1:02'), (cast('3:04' as time(0))), (null)",
        "values with a text": "values (time'1:02'), ('3:04')",
        "no rows": "select cast(null as time) t where false",
        "group by hour": "select hour(t) h, count(*) from values (time'1:02'), (time'1:03'), (time'2:00') as v(t) group by 1",
        "bare current_time": "select typeof(current_time) t",
        "order by": "select t from values (time'13:02'), (time'1:03'), (null) as v(t) order by t desc nulls last",
        "in a subquery": "select 1 where time'1:02' in (select time'1:02' union all select time'1:03')",
        "scalar subquery": "select (select max(t) from values (time'1:02'), (time'3:00') as v(t)) m",
        "with a name": "select current_time(0) < time'23:59:59.999999' or true as x",
        "json schema": "select from_json('[\"1:02\"]', 'array<time>') x",
        "lateral": "select * from values (time'1:02') as v(t), lateral (select t + interval '1' hour as u)",
        "explode": "select explode(array(time'1:02', time'3:04')) t",
        "range of type": "select cast('1:02' as time(10))",
        "unknown word": "select cast('1:02' as time with time zone)",
        "name of the column": "select time'1:02:03.450', cast(time'1:02' as string), cast('1:02' as time(0)), current_time(0) is null",
        "a column called time": "select time, time + 1 from (select 1 as time)",
        "a function called time": "select time('1:02')",
        "recursive": "with recursive r(t) as (select time'1:00' union all select t + interval '1' hour from r where t < time'4:00') select * from r",
    },
)

messages(
    area,
    {
        "message malformed literal": "select time'nope'",
        "message precision": "select cast('1:02' as time(7))",
        "message cast": "select cast('nope' as time)",
        "message cast of a date": "select cast(date'2024-01-01' as time)",
        "message overflow": "select time'23:00' + interval '2' hour",
        "message make_time": "select make_time(25, 0, 0)",
        "message make_time seconds": "select make_time(1, 0, 99)",
        "message to_time": "select to_time('x', 'HH:mm')",
        "message time_trunc": "select time_trunc('x', time'1:02')",
        "message time_diff": "select time_diff('x', time'1:02', time'1:02')",
    },
)

script("variable", "declare or replace variable time_v time default time'1:02'", "set var time_v = time_v + interval '1' hour", "select typeof(time_v), time_v")
script("variable of a text", "declare or replace variable time_w time(0) default '1:02:03'", "select typeof(time_w), time_w")
script("session function", "create or replace temporary function later(t time) returns time return t + interval '1' hour", "select later(time'1:02')")
script("view", "create or replace temporary view time_view as select time'1:02' t, cast('1:02' as time(2)) u", "describe time_view")
script("execute immediate", "execute immediate 'select ? t, typeof(?) u' using time'1:02', time'1:02'")

for kind in ("parquet", "orc", "json", "csv", "avro", "delta", "xml"):
    name = f"time_{kind}"
    script(f"create table {kind}", f"drop table if exists {name}", f"create table {name} (id int, t time, u time(0)) using {kind}")
    script(f"insert into table {kind}", f"insert into {name} values (1, time'1:02:03.456789', time'4:05:06'), (2, null, null)", f"select * from {name} order by id")
    script(f"describe table {kind}", f"describe {name}")
    script(f"insert texts into {kind}", f"insert into {name} values (3, '1:02', '4:05')", f"select * from {name} order by id")
    script(f"insert other precision into {kind}", f"insert into {name} select 4, cast('1:02' as time(0)), time'4:05:06.789'", f"select * from {name} order by id")
    script(f"filtered table {kind}", f"select id from {name} where t > time'1:02' order by id")
    script(f"ctas {kind}", f"drop table if exists {name}_as", f"create table {name}_as using {kind} as select time'1:02:03.5' t", f"select * from {name}_as")

script("alter table add time", "drop table if exists time_wider", "create table time_wider (id int) using parquet", "alter table time_wider add columns (t time(3))", "describe time_wider")
script("merge into a table", "drop table if exists time_goal", "create table time_goal (id int) using delta", "alter table time_goal add columns (t time)")
script("table partitioned by time", "drop table if exists time_parts", "create table time_parts (id int, t time) using parquet partitioned by (t)", "insert into time_parts values (1, time'1:02'), (2, null)", "select * from time_parts order by id")
script("table default", "drop table if exists time_default", "create table time_default (id int, t time default time'1:02') using parquet", "insert into time_default (id) values (1)", "select id, t - time'0:00' d from time_default")
script("show create table", "drop table if exists time_ddl", "create table time_ddl (t time(3) comment 'x') using parquet", "show create table time_ddl")
script("drop of the tables", *[f"drop table if exists time_{k}{s}" for k in ("parquet", "orc", "json", "csv", "avro", "delta", "xml") for s in ("", "_as")], "select 1")


def written(kind, **options):
    def run(c):
        frame = times(c) if kind not in ("text",) else times(c).select("t")
        frame.coalesce(1).write.format(kind).options(**options).save(c.path("x"))
        reader = c.spark.read.format(kind)
        return reader.options(**options).load(c.path("x"))

    return run


for kind in ("parquet", "orc", "json", "csv", "avro", "delta", "text"):
    area._add(f"write and read {kind}", written(kind), loose=("format",) if kind == "delta" else ())


def text_of_file(kind, **options):
    def run(c):
        times(c).orderBy("id").coalesce(1).write.format(kind).options(**options).save(c.path("x"))
        return [row[0] for row in c.spark.read.text(c.path("x")).collect()]

    return run


for kind in ("json", "csv"):
    area.case_of(f"text of {kind}", text_of_file(kind))
area.case_of("text of xml", text_of_file("xml", rowTag="r"))


def read_with_schema(kind, name, text, **options):
    def run(c):
        c.write("in/" + name, text)
        return c.spark.read.format(kind).schema("id int, t time, u time(0)").options(**options).load(c.path("in"))

    return run


area.case_of("read json", read_with_schema("json", "a.json", '{"id":1,"t":"1:02:03.456789","u":"4:05:06.7"}\n{"id":2,"t":"x"}\n{"id":3,"t":5}\n'))
area.case_of("read csv", read_with_schema("csv", "a.csv", "1,1:02:03.456789,4:05:06.7\n2,x,\n"))
area.case_of("read xml", read_with_schema("xml", "a.xml", "<r><id>1</id><t>01:02:03</t></r>", rowTag="r"))


def parquet_of_arrow(type_text):
    def run(c):
        import pyarrow
        import pyarrow.parquet

        types = {"us": pyarrow.time64("us"), "ns": pyarrow.time64("ns"), "ms": pyarrow.time32("ms")}
        table = pyarrow.table({"t": pyarrow.array([1, None, 2000], types[type_text])})
        pyarrow.parquet.write_table(table, c.write("in/a.parquet", b""))
        return c.spark.read.parquet(c.path("in"))

    return run


for unit in ("us", "ns", "ms"):
    area.case_of(f"parquet written by arrow {unit}", parquet_of_arrow(unit))


@area.case()
def parquet_form(c):
    import glob

    import pyarrow.parquet

    c.spark.sql("select time'1:02:03.5' t, cast('1:02' as time(0)) u, array(time'1:02') a").coalesce(1).write.parquet(c.path("x"))
    schema = pyarrow.parquet.ParquetFile(glob.glob(c.path("x") + "/*.parquet")[0]).schema
    return [[schema.column(i).physical_type, str(schema.column(i).logical_type)] for i in range(len(schema))]


@area.case()
def parquet_nested(c):
    c.spark.sql("select array(time'1:02', null) a, map('k', time'3:04') m, struct(cast('1:02' as time(0)) t) s").write.parquet(c.path("x"))
    return c.spark.read.parquet(c.path("x"))


@area.case()
def parquet_read_as_other_precision(c):
    c.spark.sql("select time'1:02:03.456789' t").write.parquet(c.path("x"))
    return c.spark.read.schema("t time(0)").parquet(c.path("x"))


@area.case()
def parquet_read_as_long(c):
    c.spark.sql("select time'1:02:03.456789' t").write.parquet(c.path("x"))
    return c.spark.read.schema("t bigint").parquet(c.path("x"))


@area.case()
def parquet_long_read_as_time(c):
    c.spark.sql("select 1L t").write.parquet(c.path("x"))
    return c.spark.read.schema("t time").parquet(c.path("x"))


@area.case()
def parquet_filtered(c):
    times(c).coalesce(1).write.parquet(c.path("x"))
    return c.spark.read.parquet(c.path("x")).where("t >= time'12:34:56.123456' and t < time'13:00'")


@area.case()
def parquet_partitioned(c):
    times(c).coalesce(1).write.partitionBy("t").parquet(c.path("x"))
    return c.spark.read.parquet(c.path("x"))


@area.case()
def parquet_partitioned_with_schema(c):
    times(c).coalesce(1).write.partitionBy("t").parquet(c.path("x"))
    return c.spark.read.schema("id int, t time").parquet(c.path("x"))


@area.case()
def orc_read_as_long(c):
    c.spark.sql("select time'1:02:03.456789' t").write.orc(c.path("x"))
    return c.spark.read.schema("t bigint").orc(c.path("x"))


@area.case()
def orc_nested(c):
    c.spark.sql("select array(time'1:02', null) a, struct(cast('1:02' as time(0)) t) s").write.orc(c.path("x"))
    return c.spark.read.orc(c.path("x"))


@area.case()
def avro_schema(c):
    import glob
    import re

    c.spark.sql("select time'1:02:03.456789' t, cast(time'1:02' as time(0)) u").coalesce(1).write.format("avro").save(c.path("x"))
    data = open(glob.glob(c.path("x") + "/*.avro")[0], "rb").read()
    return re.search(rb'"fields":(\[.*?\])}', data).group(1).decode()


@area.case()
def avro_read_as_long(c):
    c.spark.sql("select time'1:02:03.456789' t").write.format("avro").save(c.path("x"))
    return c.spark.read.schema("t bigint").format("avro").load(c.path("x"))


@area.case()
def avro_nested(c):
    c.spark.sql("select array(time'1:02', null) a, map('k', time'3:04') m, struct(cast('1:02' as time(0)) t) s").write.format(
        "avro"
    ).save(c.path("x"))
    return c.spark.read.format("avro").load(c.path("x"))


def partitions_of(*values):
    def run(c):
        for i, value in enumerate(values):
            c.write(f"in/k={value}/a.csv", f"{i}\n")
        return c.spark.read.schema("i int").csv(c.path("in"))

    return run


PARTITIONS = {
    "partitions of minutes": ("12%3A34", "01%3A02"),
    "partitions of short times": ("1%3A2%3A3", "12%3A34%3A56"),
    "partitions with halves of days": ("1%3A02 PM", "12%3A34 am"),
    "partitions with a T": ("T12%3A34",),
    "partitions of times and dates": ("12%3A34%3A56", "2024-01-02"),
    "partitions of times and texts": ("12%3A34%3A56", "x"),
    "partitions of times and nothing": ("12%3A34%3A56", "__HIVE_DEFAULT_PARTITION__"),
}
for name, values in PARTITIONS.items():
    area.case_of(name, partitions_of(*values))
    area.case_of(name + " by default", partitions_of(*values), conf=OFF)


@area.case()
def json_of_nested_times(c):
    c.write("in/a.json", '{"a":["1:02",null,"x"],"m":{"k":"3:04"},"s":{"t":"5:06:07.5"}}\n')
    return c.spark.read.schema("a array<time>, m map<string,time>, s struct<t: time>").json(c.path("in"))


@area.case()
def json_with_corrupt_record(c):
    c.write("in/a.json", '{"t":"1:02"}\n{"t":"25:00"}\n')
    return c.spark.read.schema("t time, _corrupt_record string").json(c.path("in"))


@area.case()
def csv_with_corrupt_record(c):
    c.write("in/a.csv", "1:02\n25:00\n")
    return c.spark.read.schema("t time, _corrupt_record string").csv(c.path("in"))


@area.case()
def foreach_rows(c):
    seen = c.path("seen.txt")

    def keep(row):
        with open(seen, "a") as out:
            out.write(repr((row.id, row.t)) + "\n")

    times(c).coalesce(1).write.parquet(c.path("x"))
    query = c.spark.readStream.schema("id int, t time").parquet(c.path("x")).writeStream.foreach(keep).trigger(availableNow=True).start()
    query.awaitTermination()
    return sorted(open(seen).read().splitlines())


@area.case(loose=("format",))
def delta_append_of_time(c):
    c.spark.sql("select 1 id").write.format("delta").save(c.path("d"))
    c.spark.sql("select 2 id, time'1:02' t").write.format("delta").mode("append").option("mergeSchema", "true").save(c.path("d"))
    return c.spark.read.format("delta").load(c.path("d"))


@area.case()
def delta_table_of_time(c):
    c.spark.sql("select 2 id, struct(time'1:02' t) s").write.format("delta").saveAsTable("time_delta_saved")


@area.case(loose=("message",))
def delta_stream_of_time(c):
    times(c).coalesce(1).write.parquet(c.path("x"))
    query = (
        c.spark.readStream.schema("id int, t time").parquet(c.path("x"))
        .writeStream.format("delta").option("checkpointLocation", c.path("cp")).trigger(availableNow=True).start(c.path("d"))
    )
    query.awaitTermination()


@area.case()
def observed(c):
    from pyspark.sql import Observation

    seen = Observation("times")
    times(c).observe(seen, c.F.max("t").alias("m"), c.F.count("t").alias("n")).collect()
    return [str(v) for v in seen.get.values()]


@area.case()
def local_iterator(c):
    return [[r.id, r.t] for r in times(c).orderBy("id").toLocalIterator()]


@area.case()
def sampled(c):
    return times(c).sample(1.0, seed=1)


@area.case()
def repartitioned(c):
    return times(c).repartition(3, "t")


@area.case()
def cross_tab(c):
    return times(c).where("id < 3").crosstab("t", "id")


@area.case()
def dropped_duplicates(c):
    return times(c).dropDuplicates(["t"]).select("t")


@area.case()
def stream_of_parquet(c):
    times(c).coalesce(1).write.parquet(c.path("x"))
    query = (
        c.spark.readStream.schema("id int, t time").parquet(c.path("x")).withColumn("u", c.F.expr("t < time'13:00'"))
        .writeStream.format("memory").queryName("time_stream").trigger(availableNow=True).start()
    )
    query.awaitTermination()
    return c.spark.table("time_stream")


@area.case()
def cached(c):
    frame = times(c).cache()
    return frame.where("t is not null")


@area.case()
def map_in_pandas_is_named(c):
    return c.spark.sql("select cast(time'1:02' as time(3)) t").schema.json()


@area.case()
def ddl_of_a_schema(c):
    return c.spark.sql("select cast(time'1:02' as time(3)) t, time'1:02' u").schema.simpleString()
