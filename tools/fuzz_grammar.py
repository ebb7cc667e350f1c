"""What tools/fuzz_expressions.py makes its expressions of: kinds of terms, their columns and literals, and templates.

A template has holes in braces, each with the kind of the term that goes there; `{x:int,i:int->bool}` is a lambda whose
body is of the kind bool and knows x and i. Functions of docs/functions.md whose arguments are told there, and that no
template names, are added from there.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

COLUMNS = {
    "bool": "b", "byte": "y", "short": "h", "int": "i j id", "long": "l", "float": "r", "double": "d", "dec": "n m",
    "str": "s t", "bin": "x", "date": "a", "ts": "z", "ntz": "w", "dt": "q", "ym": "p", "ints": "ai", "strs": "ar",
    "doubles": "ad", "smap": "ms", "imap": "mi", "struct": "st",
}
# One literal a line.
LITERALS = {key: [line.strip() for line in text.strip("\n").split("\n")] for key, text in {
    "bool": "true\nfalse\nCAST(NULL AS BOOLEAN)",
    "byte": "1Y\n-128Y\n127Y", "short": "0S\n-32768S\n300S",
    "int": "0\n1\n2\n-3\n7\n100\n2147483647\n-2147483648\nCAST(NULL AS INT)",
    "long": "0L\n5L\n-9L\n9223372036854775807L\n86400000000L", "float": "0.5F\n-1e30F\nfloat('NaN')",
    "double": "0.5D\n1e3D\n-2.0D\n-0.0D\ndouble('NaN')\ndouble('Infinity')\n1e300D",
    "dec": "1.5\n0.01\n-12.345\n100.0\n99999999999999999999.5\n0.000000000000000001\n2BD\nCAST(NULL AS DECIMAL(5,2))",
    "str": "''\n'a'\n'12'\n'zz'\n'Abc'\n'ünï'\n'😀'\n' x '\n'2024-06-15 12:34:56.789'\n'1e3'\n'NaN'\n'true'\nCAST(NULL AS STRING)",
    "bin": "X''\nX'61'\nX'FF00FE'", "date": "date'2024-01-31'\ndate'1970-01-01'\ndate'0001-01-01'\ndate'2024-03-10'",
    "ts": "timestamp'2024-01-01 00:00:00'\ntimestamp'2024-11-03 01:30:00'\ntimestamp'1582-10-04 23:00:00.5'\n"
          "timestamp'2024-03-10 10:00:00Z'",
    "ntz": "timestamp_ntz'2024-03-10 02:30:00'\ntimestamp_ntz'1969-12-31 23:59:59.5'",
    "dt": "interval 1 day\ninterval '1 02' day to hour\ninterval -3 hours\ninterval '0.000001' second\n"
          "interval '10:20' minute to second", "ym": "interval 1 month\ninterval -2 years\ninterval '1-1' year to month",
    "ints": "array(1, NULL, 3)\narray(2, 2)", "strs": "array('a', NULL)\narray('b', 'a', '')", "doubles": "array(1D, double('NaN'))",
    "smap": "map('a', 1)\nmap('b', NULL, 'a', 3)", "imap": "map(1, 'x')", "struct": "named_struct('u', 2, 'v', 'z', 'k', array(0D))",
    "strct2": "struct(1, 'a')",
    # Texts of a form.
    "regex": "'a'\n'(a)(b)?'\n'[a-z]+'\n'^.'\n'\\\\d+'\n'(?i)ABC'\n'b*'\n'\\\\p{L}'\n'$'",
    "like": "'%a%'\n'a_'\n'%'\n''\n'\\\\%%'\n'_b%'",
    "dtfmt": "'yyyy-MM-dd'\n'yyyy-MM-dd HH:mm:ss'\n'dd/MM/yy'\n'MMM d, y'\n'EEEE'\n'HH:mm:ss.SSSSSS'\n'yyyyDDD'\n'h:mm a'\n'q'\n'xxx'\n'VV'\n'G y'",
    "unit": "'YEAR'\n'MM'\n'week'\n'QUARTER'\n'DAY'\n'HOUR'\n'MINUTE'\n'second'\n'nope'\n'MILLISECOND'",
    "bareunit": "YEAR\nMONTH\nWEEK\nDAY\nHOUR\nSECOND\nMICROSECOND\nQUARTER\nDAYOFYEAR",
    "field": "YEAR\nMONTH\nDAY\nHOUR\nMINUTE\nSECOND\nWEEK\nDOW\nDOY\nQUARTER\nYEAROFWEEK",
    "tz": "'America/New_York'\n'Asia/Kolkata'\n'UTC'\n'+05:30'\n'Europe/Berlin'\n'GMT-8'\n'nope'",
    "json": "'{\"u\":1,\"v\":\"x\",\"k\":[1.5]}'\n'[1,2]'\n'{\"a\":{\"b\":null}}'\n'{bad'\n'{\"u\":\"7\",\"v\":3}'\n'null'\n'{\"u\":1e2}'",
    "jsonpath": "'$.a'\n'$'\n'$.b[1]'\n'$.b[*]'\n'$.a.b'\n'$[0]'\n'a'",
    "csv": "'1,x'\n'a,b'\n''\n',\"q,r\"'\n'7'", "numfmt": "'999.99'\n'S000'\n'$9,999.99'\n'0.00'\n'999MI'",
    "printf": "'%s'\n'%d'\n'%05d'\n'%,.2f'\n'%x'\n'%-5s|'\n'%e'", "url": "'https://u:p@h.com:80/p/q?k=v&a=b#f'\n'http://x'\n'nope'",
    "urlpart": "'HOST'\n'PATH'\n'QUERY'\n'REF'\n'PROTOCOL'\n'FILE'\n'AUTHORITY'\n'USERINFO'",
    "charset": "'UTF-8'\n'UTF-16'\n'ISO-8859-1'\n'US-ASCII'\n'nope'", "day": "'MO'\n'sunday'\n'xx'",
    "small": "0\n1\n2\n-1\n-2\n3\n5\n10", "base": "2\n10\n16\n36\n-10\n1", "share": "0.5D\n0D\n1D\n0.25D", "scale": "0\n1\n-1\n2\n3\n-2",
    "xml": "'<r><u>1</u><v>x</v></r>'\n'<a><b>1</b><b>2</b></a>'\n'<bad'", "xpath": "'a/b'\n'a/b/text()'\n'sum(a/b)'\n'r/u'\n'count(a/b)'",
    "numtype": "TINYINT\nSMALLINT\nINT\nBIGINT\nFLOAT\nDOUBLE\nDECIMAL(10,2)\nDECIMAL(38,18)\nDECIMAL(3,3)",
    "anytype": "INT\nBIGINT\nDOUBLE\nDECIMAL(12,3)\nSTRING\nDATE\nTIMESTAMP\nBOOLEAN\nBINARY\nTIMESTAMP_NTZ",
    "frame": "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW\nROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING\n"
             "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING\nROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING\n"
             "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW\nROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
    "sortend": "ASC\nDESC\nASC NULLS LAST\nDESC NULLS FIRST", "jointype": "JOIN\nLEFT JOIN\nRIGHT JOIN\nFULL JOIN",
    "halfjoin": "LEFT SEMI JOIN\nLEFT ANTI JOIN", "setop": "UNION\nUNION ALL\nEXCEPT\nINTERSECT\nEXCEPT ALL\nINTERSECT ALL",
    "quant": "0.5\n0.25\n0\n1",
}.items()}
GROUPS = {
    "num": "byte short int int long float double dec dec", "integral": "byte short int long",
    "any": "bool byte int long float double dec dec str str bin date ts ntz dt ints strs smap struct",
    "ord": "bool int long double dec str date ts ntz dt short float bin", "atom": "bool int long double dec str date ts float short",
    "array": "ints strs doubles", "key": "int str date bool dec long double ts",
    "shown": "bool byte short int int long float double dec dec str str str bin date ts ts ntz dt ints strs doubles smap imap struct",
}
GROUPS = {key: text.split() for key, text in GROUPS.items()}

TYPES = {
    "bool": "BOOLEAN", "byte": "TINYINT", "short": "SMALLINT", "int": "INT", "long": "BIGINT", "float": "FLOAT", "double": "DOUBLE",
    "dec": "DECIMAL(20,4)", "str": "STRING", "bin": "BINARY", "date": "DATE", "ts": "TIMESTAMP", "ntz": "TIMESTAMP_NTZ",
    "dt": "INTERVAL DAY TO SECOND", "ym": "INTERVAL YEAR TO MONTH", "ints": "ARRAY<INT>", "strs": "ARRAY<STRING>",
    "doubles": "ARRAY<DOUBLE>", "smap": "MAP<STRING,INT>", "imap": "MAP<INT,STRING>", "struct": "STRUCT<u:INT,v:STRING,k:ARRAY<DOUBLE>>",
}
# From which kinds a cast to a kind is tried; most of them can be.
CASTS = {
    "bool": "int str dec double long byte ts", "byte": "int long double dec str bool", "short": "int long double dec str", "int": "long double dec str bool float dt ym date",
    "long": "int double dec str ts bool dt", "float": "double int dec str long", "double": "float int dec str long bool ts", "dec": "int double str long float bool dt",
    "str": "bool byte int long float double dec date ts ntz dt ym ints strs doubles smap imap struct bin", "bin": "str int long byte",
    "date": "str ts ntz", "ts": "str date ntz long double int dec", "ntz": "str ts date", "dt": "str int long dec", "ym": "str int",
    "ints": "strs doubles", "strs": "ints doubles", "doubles": "ints strs", "smap": "", "imap": "smap", "struct": "",
}

RULES = {key: [line.strip() for line in text.strip().splitlines()] for key, text in {
    "bool": r"""
        ({num} < {num})
        ({num} = {num})
        ({num} <=> {num})
        ({str} >= {str})
        ({date} <> {date})
        ({ts} > {date})
        ({ntz} <= {ts})
        ({ord} = {ord})
        ({atom} < {atom})
        ({bool} AND {bool})
        ({bool} OR {bool})
        (NOT {bool})
        ({any} IS NULL)
        ({any} IS NOT NULL)
        ({bool} IS NOT TRUE)
        ({int} IN ({int}, {int}, 3))
        ({num} IN ({num}, {num}))
        ({str} NOT IN ({str}, 'a'))
        ({num} BETWEEN {num} AND {num})
        ({date} NOT BETWEEN {date} AND {ts})
        ({str} LIKE {like})
        ({str} ILIKE {like})
        ({str} LIKE ALL ({like}, {like}))
        ({str} LIKE ANY ({like}, {like}))
        ({str} RLIKE {regex})
        regexp_like({str}, {regex})
        isnan({double})
        isnan({float})
        array_contains({ints}, {int})
        array_contains({strs}, {str})
        array_contains({doubles}, {double})
        arrays_overlap({ints}, {ints})
        arrays_overlap({strs}, {strs})
        exists({ints}, {x:int->bool})
        forall({strs}, {x:str->bool})
        exists({doubles}, {x:double->bool})
        map_contains_key({smap}, {str})
        ({ints} = {ints})
        ({struct} = {struct})
        ({struct} < {struct})
        ({strs} <=> {strs})
        ({dt} > {dt})
        ({ym} <= {ym})
        ({bin} = {bin})
        ({bin} < {bin})
        ({struct} IN ({struct}, {struct}))
        equal_null({any}, {any})
        luhn_check({str})
        bool({str})
        contains({bin}, {bin})
        startswith({str}, {str})
        endswith({str}, {str})
        xpath_boolean({xml}, {xpath})""",
    "byte": "({byte} + {byte})\n(- {byte})\n({byte} % {byte})\nabs({byte})\ntinyint({str})\n({byte} | {byte})\n~ {byte}",
    "short": "({short} * {byte})\n({short} - {short})\nabs({short})\nsmallint({num})\n({short} ^ {short})\npmod({short}, {byte})",
    "int": r"""
        ({int} + {int})
        ({int} - {int})
        ({int} * {int})
        ({int} % {int})
        ({int} + {byte})
        (- {int})
        abs({int})
        pmod({int}, {int})
        try_add({int}, {int})
        try_subtract({int}, {int})
        try_multiply({int}, {int})
        try_mod({int}, {int})
        ({int} & {int})
        ({int} | {int})
        ({int} ^ {int})
        (~ {int})
        shiftleft({int}, {small})
        shiftright({int}, {int})
        shiftrightunsigned({int}, {small})
        bit_count({integral})
        bit_get({int}, {small})
        size({ints})
        size({smap})
        cardinality({strs})
        array_size({strs})
        array_position({ints}, {int})
        element_at({ints}, {small})
        try_element_at({ints}, {int})
        get({ints}, {int})
        {ints}[{small}]
        {smap}[{str}]
        element_at({smap}, {str})
        {struct}.u
        array_max({ints})
        array_min({ints})
        aggregate({ints}, 0, {x:int,y:int->int})
        aggregate({strs}, 0, {x:int,y:str->int}, {x:int->int})
        reduce({ints}, {int}, {x:int,y:int->int})
        hash({any}, {any})
        hash({any})
        length({str})
        length({bin})
        bit_length({str})
        octet_length({str})
        ascii({str})
        instr({str}, {str})
        locate({str}, {str}, {small})
        position({str} IN {str})
        levenshtein({str}, {str})
        levenshtein({str}, {str}, {small})
        find_in_set({str}, {str})
        regexp_count({str}, {regex})
        regexp_instr({str}, {regex})
        extract({field} FROM {ts})
        extract({field} FROM {date})
        extract(DAY FROM {dt})
        extract(MONTH FROM {ym})
        date_part('YEAR', {ts})
        datediff({date}, {date})
        datediff({ts}, {date})
        json_array_length({json})
        json_array_length({str})
        greatest({int}, {int})
        least({int}, {int}, {short})
        int({str})
        int({double})
        nullifzero({int})
        zeroifnull({int})
        xpath_int({xml}, {xpath})
        sign({int})
        weekday({date})
        unix_date({date})
        from_json({json}, 'u INT, v STRING').u
        from_csv({csv}, 'u INT, v STRING').u
        crc32({bin})""",
    "long": r"""
        ({long} + {int})
        ({long} - {long})
        ({long} * 3)
        ({int} div {int})
        ({long} div {int})
        ({dec} div {dec})
        ({dt} div {dt})
        ({long} % {int})
        try_add({long}, {long})
        try_multiply({long}, {int})
        bigint({str})
        ceil({double})
        floor({double})
        floor({float})
        xxhash64({any}, {any})
        xxhash64({any})
        factorial({small})
        unix_timestamp({ts})
        unix_timestamp({str}, {dtfmt})
        unix_timestamp({str})
        to_unix_timestamp({str}, {dtfmt})
        unix_micros({ts})
        unix_millis({ts})
        unix_seconds({ts})
        timestampdiff({bareunit}, {ts}, {ts})
        timestampdiff({bareunit}, {date}, {ts})
        width_bucket({double}, {double}, {double}, {small})
        shiftleft({long}, {small})
        abs({long})
        (- {long})
        pmod({long}, {int})
        bitmap_bit_position({int})
        greatest({long}, {int})
        xpath_long({xml}, {xpath})
        aggregate({ints}, 0L, {x:long,y:int->long})
        array_max(transform({ints}, {x:int->long}))""",
    "float": "({float} + {float})\n({float} * {int})\nfloat({str})\n(- {float})\nabs({float})\nround({float}, {scale})\n({float} % {float})\ngreatest({float}, {float})\nxpath_float({xml}, {xpath})",
    "double": r"""
        ({double} + {num})
        ({double} - {double})
        ({double} * {num})
        ({num} / {int})
        ({double} / {double})
        ({double} % {double})
        pmod({double}, {double})
        try_divide({num}, {num})
        (- {double})
        abs({double})
        sqrt({num})
        cbrt({double})
        pow({num}, {num})
        double({str})
        exp({double})
        ln({num})
        log({double}, {double})
        log2({double})
        round({double}, {scale})
        bround({double}, {scale})
        rint({double})
        signum({double})
        atan2({double}, {double})
        nanvl({double}, {double})
        greatest({double}, {double})
        least({double}, {float})
        months_between({ts}, {ts})
        months_between({date}, {ts}, false)
        array_max({doubles})
        array_min({doubles})
        {doubles}[{small}]
        element_at({struct}.k, {small})
        aggregate({doubles}, 0D, {x:double,y:double->double})
        xpath_double({xml}, {xpath})
        degrees({double})
        hypot({double}, {int})""",
    "dec": r"""
        ({dec} + {dec})
        ({dec} - {int})
        ({dec} * {dec})
        ({dec} / {dec})
        ({dec} % {dec})
        ({int} / {dec})
        try_divide({dec}, {int})
        pmod({dec}, {dec})
        try_add({dec}, {dec})
        try_multiply({dec}, {dec})
        round({dec}, {scale})
        bround({dec}, {scale})
        ceil({dec})
        floor({dec})
        ceil({dec}, {scale})
        floor({dec}, {scale})
        CAST({num} AS DECIMAL(12,3))
        CAST({num} AS DECIMAL(38,18))
        CAST({dec} AS DECIMAL(5,1))
        CAST({str} AS DECIMAL(8,2))
        TRY_CAST({num} AS DECIMAL(3,3))
        abs({dec})
        (- {dec})
        coalesce({dec}, {int})
        greatest({dec}, {dec})
        least({dec}, {long})
        nullif({dec}, {dec})
        to_number({str}, {numfmt})
        try_to_number({str}, {numfmt})
        extract(SECOND FROM {ts})
        extract(SECOND FROM {dt})
        sign({dec})
        decimal({str})""",
    "str": r"""
        concat({str}, {str})
        ({str} || {atom})
        upper({str})
        lower({str})
        substring({str}, {int}, {int})
        substring({str}, {small})
        substr({str} FROM {small} FOR {small})
        trim({str})
        trim(BOTH {str} FROM {str})
        trim(LEADING 'a' FROM {str})
        btrim({str}, {str})
        rtrim({str}, {str})
        reverse({str})
        replace({str}, {str}, {str})
        lpad({str}, {small}, {str})
        rpad({str}, {small})
        repeat({str}, {small})
        concat_ws('-', {str}, {str})
        concat_ws({str}, {strs}, {str})
        initcap({str})
        nullif({str}, {str})
        date_format({ts}, {dtfmt})
        date_format({date}, {dtfmt})
        date_format({ntz}, {dtfmt})
        split_part({str}, {str}, {small})
        split({str}, {regex})[{small}]
        translate({str}, {str}, {str})
        md5({str})
        sha2({str}, 256)
        left({str}, {small})
        right({str}, {small})
        hex({int})
        hex({str})
        hex({bin})
        bin({long})
        conv({str}, {base}, {base})
        regexp_extract({str}, {regex}, 1)
        regexp_extract({str}, {regex}, 0)
        regexp_replace({str}, {regex}, {str})
        regexp_substr({str}, {regex})
        substring_index({str}, {str}, {small})
        overlay({str} PLACING {str} FROM {small} FOR {small})
        format_string({printf}, {atom})
        format_number({num}, {small})
        to_char({dec}, {numfmt})
        elt({small}, {str}, {str})
        chr({int})
        soundex({str})
        space({small})
        base64({bin})
        url_encode({str})
        url_decode({str})
        parse_url({url}, {urlpart})
        parse_url({url}, 'QUERY', 'k')
        mask({str})
        quote({str})
        decode({bin}, {charset})
        string({any})
        get_json_object({json}, {jsonpath})
        get_json_object({str}, {jsonpath})
        to_json({struct})
        to_json({smap})
        to_json({ints})
        to_json(named_struct('q', {any}))
        to_csv(struct({atom}, {atom}))
        array_join({strs}, {str})
        array_join({strs}, {str}, {str})
        array_join({ints}, ',', '-')
        element_at({strs}, {small})
        {strs}[{int}]
        {imap}[{int}]
        {struct}.v
        typeof({any})
        dayname({date})
        monthname({date})
        from_unixtime({long})
        from_unixtime({long}, {dtfmt})
        aggregate({strs}, '', {x:str,y:str->str})
        array_max({strs})
        greatest({str}, {str})
        least({str}, {str})
        CASE {atom} WHEN {atom} THEN {str} ELSE {str} END
        decode({int}, 1, {str}, 2, {str}, {str})
        CAST({ym} AS STRING)
        CAST({dt} AS STRING)
        from_json({json}, 'u INT, v STRING').v
        from_csv({csv}, 'u INT, v STRING').v
        schema_of_json({json})
        xpath_string({xml}, {xpath})""",
    "bin": "unhex({str})\nencode({str}, {charset})\nunbase64({str})\nto_binary({str}, 'utf-8')\ntry_to_binary({str}, 'hex')\nconcat({bin}, {bin})\nsubstring({bin}, {small}, {small})\nleft({bin}, {small})\nlpad({bin}, {small}, {bin})\nreverse({bin})\nbinary({str})\nbinary({int})",
    "date": r"""
        date_add({date}, {int})
        date_sub({date}, {small})
        ({date} + {small})
        ({date} - {ym})
        ({date} + {ym})
        last_day({date})
        add_months({date}, {small})
        add_months({ts}, {int})
        trunc({date}, {unit})
        next_day({date}, {day})
        to_date({str})
        to_date({str}, {dtfmt})
        try_to_date({str}, {dtfmt})
        least({date}, {date})
        greatest({date}, {date})
        make_date({int}, {small}, {small})
        date({ts})
        date_from_unix_date({int})
        date({str})""",
    "ts": r"""
        ({ts} + {dt})
        ({ts} - {dt})
        ({ts} + {ym})
        ({date} + {dt})
        date_trunc({unit}, {ts})
        date_trunc({unit}, {date})
        timestamp_seconds({int})
        timestamp_seconds({dec})
        timestamp_millis({long})
        timestamp_micros({long})
        to_timestamp({str})
        to_timestamp({str}, {dtfmt})
        try_to_timestamp({str})
        make_timestamp({int}, {small}, {small}, {small}, {small}, {dec})
        make_timestamp({small}, {small}, {small}, {small}, {small}, {double}, {tz})
        try_make_timestamp({int}, {small}, {small}, {small}, {small}, {dec})
        from_utc_timestamp({ts}, {tz})
        to_utc_timestamp({ts}, {tz})
        timestampadd({bareunit}, {int}, {ts})
        dateadd({bareunit}, {small}, {ts})
        timestampadd({bareunit}, {small}, {date})
        greatest({ts}, {date})
        window({ts}, '1 hour').start
        timestamp({str})
        to_timestamp_ltz({str})""",
    "ntz": "({ntz} + {dt})\n({ntz} + {ym})\nto_timestamp_ntz({str})\nmake_timestamp_ntz({int}, {small}, {small}, {small}, {small}, {dec})\ndate_trunc({unit}, {ntz})\nconvert_timezone({tz}, {tz}, {ntz})\nconvert_timezone({tz}, {ntz})\nleast({ntz}, {ntz})\ntimestampadd({bareunit}, {small}, {ntz})",
    "dt": "({ts} - {ts})\n({date} - {date})\n({dt} + {dt})\n({dt} - {dt})\n({dt} * {num})\n({dt} / {num})\n(- {dt})\nabs({dt})\nmake_dt_interval({small}, {small}, {small}, {dec})\n({ntz} - {ts})\ntry_add({dt}, {dt})\ntry_divide({dt}, {num})\ntry_multiply({dt}, {num})\nsign({dt})",
    "ym": "({ym} + {ym})\n({ym} * {num})\n({ym} / {num})\n(- {ym})\nabs({ym})\nmake_ym_interval({int}, {small})\ntry_add({ym}, {ym})",
    "ints": r"""
        array({int}, {int})
        array({int}, {short})
        transform({ints}, {x:int->int})
        transform({ints}, {x:int,y:int->int})
        transform({strs}, {x:str->int})
        filter({ints}, {x:int->bool})
        filter({ints}, {x:int,y:int->bool})
        zip_with({ints}, {ints}, {x:int,y:int->int})
        array_sort({ints})
        array_sort({ints}, {x:int,y:int->int})
        sort_array({ints}, {bool})
        sort_array({ints}, false)
        array_distinct({ints})
        array_union({ints}, {ints})
        array_except({ints}, {ints})
        array_intersect({ints}, {ints})
        array_remove({ints}, {int})
        array_compact({ints})
        array_append({ints}, {int})
        array_prepend({ints}, {int})
        array_insert({ints}, {small}, {int})
        array_repeat({int}, {small})
        concat({ints}, {ints})
        reverse({ints})
        slice({ints}, {small}, {small})
        slice({ints}, {int}, {int})
        sequence({small}, {small})
        sequence({small}, {small}, {small})
        flatten(array({ints}, {ints}))
        flatten(transform({ints}, {x:int->ints}))
        map_values({smap})
        map_keys({imap})
        from_json('[1,null,"3"]', 'array<int>')
        array_agg_of({int})""",
    "strs": r"""
        array({str}, {str})
        array({str}, {atom})
        split({str}, {regex})
        split({str}, {regex}, {small})
        transform({strs}, {x:str->str})
        transform({ints}, {x:int->str})
        filter({strs}, {x:str->bool})
        zip_with({strs}, {ints}, {x:str,y:int->str})
        array_sort({strs})
        sort_array({strs})
        array_distinct({strs})
        array_union({strs}, {strs})
        array_except({strs}, {strs})
        array_intersect({strs}, {strs})
        array_remove({strs}, {str})
        array_compact({strs})
        array_append({strs}, {str})
        array_insert({strs}, {small}, {str})
        array_repeat({str}, {small})
        concat({strs}, {strs})
        reverse({strs})
        slice({strs}, {small}, {small})
        map_keys({smap})
        map_values({imap})
        regexp_extract_all({str}, {regex}, 0)
        sentences({str})[0]
        json_object_keys({json})
        xpath({xml}, {xpath})""",
    "doubles": "array({double}, {double})\ntransform({doubles}, {x:double->double})\nfilter({doubles}, {x:double->bool})\narray_sort({doubles})\nsort_array({doubles}, false)\narray_distinct({doubles})\narray_union({doubles}, {doubles})\narray_except({doubles}, {doubles})\narray_intersect({doubles}, {doubles})\narray_remove({doubles}, {double})\n{struct}.k\nconcat({doubles}, {doubles})\nzip_with({doubles}, {ints}, {x:double,y:int->double})",
    "smap": "map({str}, {int})\nmap({str}, {int}, {str}, {int})\nmap_filter({smap}, {x:str,y:int->bool})\ntransform_values({smap}, {x:str,y:int->int})\ntransform_keys({smap}, {x:str,y:int->str})\nmap_concat({smap}, {smap})\nmap_from_arrays({strs}, {ints})\nmap_zip_with({smap}, {smap}, {k:str,x:int,y:int->int})\nfrom_json({json}, 'map<string,int>')\nmap_from_entries(map_entries({smap}))",
    "imap": "map({int}, {str})\nmap_filter({imap}, {x:int,y:str->bool})\nmap_concat({imap}, {imap})\nmap_from_entries(arrays_zip({ints}, {strs}))\ntransform_values({imap}, {x:int,y:str->str})",
    "struct": "named_struct('u', {int}, 'v', {str}, 'k', {doubles})\nfrom_json({json}, 'u INT, v STRING, k ARRAY<DOUBLE>')\nfrom_json(to_json({struct}), 'u INT, v STRING, k ARRAY<DOUBLE>')\nelement_at(array({struct}, {struct}), {small})\nfilter(array({struct}), {x:struct->bool})[0]",
    # Columns that are shown and used for nothing else.
    "shape": r"""
        struct({any}, {any})
        array({any}, {any})
        map({key}, {any})
        arrays_zip({ints}, {strs})
        map_entries({smap})
        array_sort(array({struct}, {struct}))
        array_distinct(array({any}, {any}))
        transform({strs}, {x:str->any})
        transform(map_entries({smap}), e -> e.key)
        transform_values({smap}, {x:str,y:int->any})
        from_json({json}, 'u DOUBLE, v DECIMAL(5,2), k ARRAY<STRING>')
        from_json({json}, 'u DATE, v TIMESTAMP')
        from_csv({csv}, 'u INT, v STRING')
        named_struct('p', {any}, 'q', array({any}))
        str_to_map({str}, ',', ':')
        str_to_map({str})
        array_position({strs}, {str})
        sequence({date}, {date}, {ym})
        sequence(date'2024-01-30', date'2024-05-01', interval 1 month)
        ({any} = {any})
        ({num} + {any})
        coalesce({any}, {any})
        greatest({atom}, {atom})
        least({num}, {num})
        if({bool}, {any}, {any})
        CAST({any} AS {anytype})
        TRY_CAST({any} AS {anytype})
        CAST({num} AS {numtype})
        CAST({str} AS {numtype})
        ({num} + {num})
        ({num} - {num})
        ({num} * {num})
        ({num} / {num})
        ({num} % {num})
        ({str} + {num})
        ({str} / {num})
        (- {num})
        round({num}, {scale})
        bround({num}, {scale})
        ceil({num})
        floor({num}, {scale})
        abs({num})
        concat({any}, {any})
        hash({shape})
        to_json(struct({shape}))
        try_element_at({smap}, {str})
        array({num}, {num})
        zip_with({strs}, {ints}, {x:str,y:int->shape})
        variant_get(parse_json({json}), '$.u', 'int')
        to_json(parse_json({json}))
        assert_true({bool})
        {str}::{anytype}
        nvl2({any}, {any}, {any})
        nullif({any}, {any})""",
}.items()}
RULES["ints"].remove("array_agg_of({int})")

EVERY_KIND = ["coalesce({0}, {0})", "if({bool}, {0}, {0})", "CASE WHEN {bool} THEN {0} WHEN {bool} THEN {0} ELSE {0} END",
              "CASE WHEN {bool} THEN {0} END", "nvl({0}, {0})", "nvl2({any}, {0}, {0})", "array({0}, {0})[{small}]",
              "get(array({0}), {int})", "nullif({0}, {0})", "named_struct('q', {0}).q", "try_element_at(array({0}, {0}), {small})",
              "element_at(map({int}, {0}), {int})"]

AGGREGATES = """
    count(*)
    count({any})
    count(DISTINCT {ord})
    count(DISTINCT {atom}, {atom})
    count_if({bool})
    sum({num})
    sum(DISTINCT {num})
    sum({dt})
    try_sum({num})
    avg({num})
    avg({dt})
    try_avg({num})
    min({ord})
    max({ord})
    min({struct})
    max({ints})
    min_by({any}, id)
    max_by({any}, id)
    size(collect_list({any}))
    array_sort(collect_list({ord}))
    array_sort(collect_set({ord}))
    size(collect_set({atom}))
    array_sort(array_agg({num}))
    bool_and({bool})
    some({bool})
    bit_and({integral})
    bit_or({integral})
    bit_xor({integral})
    stddev({num})
    var_pop({num})
    skewness({double})
    kurtosis({double})
    corr({double}, {double})
    covar_samp({num}, {num})
    regr_slope({double}, {double})
    regr_count({num}, {num})
    median({num})
    percentile({num}, {quant})
    percentile({num}, array(0.25, 0.5))
    percentile_approx({num}, {quant})
    approx_count_distinct({atom})
    percentile_cont({quant}) WITHIN GROUP (ORDER BY {num})
    percentile_disc({quant}) WITHIN GROUP (ORDER BY {num} DESC)
    listagg({str}, ',') WITHIN GROUP (ORDER BY id)
    string_agg({str}) WITHIN GROUP (ORDER BY id DESC)
    sum({num}) FILTER (WHERE {bool})
    count({any}) FILTER (WHERE {bool})
    max({ord}) FILTER (WHERE {bool})
    (sum({num}) + max({num}))
    coalesce(sum({num}), {agglit})
    (count({any}) > 2)
    array_max(collect_list({num}))
    transform(array_sort(collect_list({int})), {x:int->shape})
    mode({ord}, true)
    histogram_numeric({double}, 3)
    max({shape})
    count({shape})"""
WINDOWS = """
    row_number() OVER (PARTITION BY {ord} ORDER BY {ord} {sortend}, id)
    rank() OVER (ORDER BY {ord} {sortend})
    dense_rank() OVER (PARTITION BY {bool} ORDER BY {ord})
    percent_rank() OVER (ORDER BY {ord} {sortend})
    cume_dist() OVER (PARTITION BY {bool} ORDER BY {ord} {sortend})
    ntile({small}) OVER (ORDER BY {ord}, id)
    lag({any}) OVER (ORDER BY {ord} {sortend}, id)
    lead({num}, 2, {int}) OVER (PARTITION BY {bool} ORDER BY id)
    lag({atom}, 1) IGNORE NULLS OVER (ORDER BY id)
    first_value({any}) OVER (PARTITION BY {bool} ORDER BY {ord}, id)
    last_value({any}) IGNORE NULLS OVER (ORDER BY id {frame})
    nth_value({any}, 2) OVER (ORDER BY {ord}, id {frame})
    sum({num}) OVER (ORDER BY {ord}, id {frame})
    sum({num}) OVER (PARTITION BY {ord} ORDER BY id)
    avg({num}) OVER (ORDER BY id {frame})
    min({ord}) OVER (PARTITION BY {bool} ORDER BY id {frame})
    max({ord}) OVER (ORDER BY id {frame})
    count({any}) OVER (PARTITION BY {ord} ORDER BY id {frame})
    collect_list({atom}) OVER (PARTITION BY {bool} ORDER BY id {frame})
    sum({int}) OVER (ORDER BY {int} RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING)
    count(*) OVER (ORDER BY {double} RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)
    count({any}) OVER (ORDER BY {date} RANGE BETWEEN INTERVAL 30 DAYS PRECEDING AND CURRENT ROW)
    count(*) OVER (ORDER BY {dec} DESC RANGE BETWEEN 1 PRECEDING AND 1.5 FOLLOWING)
    count(*) OVER (ORDER BY {ts} RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND INTERVAL 2 HOURS FOLLOWING)
    stddev({double}) OVER (ORDER BY id {frame})
    (sum({num}) OVER (PARTITION BY {bool}) / {num})
    max({ord}) FILTER (WHERE {bool}) OVER (ORDER BY id)"""
QUERIES = """
    SELECT {key} AS k, {aggregate} AS r FROM f GROUP BY {=0}
    SELECT {key} AS k, {aggregate}, {aggregate} FROM f WHERE {bool} GROUP BY 1
    SELECT {key} AS k, {aggregate} AS r FROM f GROUP BY ALL
    SELECT {aggregate} AS r FROM f GROUP BY b HAVING {aggregate} IS NOT NULL
    SELECT b, {aggregate} AS r FROM f GROUP BY b HAVING count({any}) > 1
    SELECT b, i, {aggregate} AS r, grouping_id() FROM f GROUP BY ROLLUP (b, i)
    SELECT b, j, {aggregate} AS r FROM f GROUP BY GROUPING SETS ((b), (j), ())
    SELECT b, n, {aggregate} AS r FROM f GROUP BY CUBE (b, n)
    SELECT {aggregate} FROM f WHERE false
    SELECT DISTINCT {ord} AS r FROM f
    SELECT DISTINCT {atom} AS r, {atom} AS q FROM f
    SELECT id FROM f WHERE {bool}
    SELECT id, {shown} FROM f WHERE {bool}
    SELECT id FROM f ORDER BY {ord} {sortend}, id
    SELECT id, {ord} AS o FROM f ORDER BY o {sortend}, id LIMIT 4
    SELECT id, {struct} AS o FROM f ORDER BY o, id
    SELECT id, {ints} AS o FROM f ORDER BY o DESC, id
    SELECT id, gid, {both} AS r FROM f {jointype} g ON {bothbool}
    SELECT id, gid FROM f {jointype} g ON {num} = {gnum}
    SELECT id, gid, {both} FROM f {jointype} g ON i = gi AND {bothbool}
    SELECT id, gid FROM f {jointype} g ON {str} <=> {gstr}
    SELECT id FROM f {halfjoin} g ON {bothbool}
    SELECT id FROM f {halfjoin} g ON {num} = {gnum}
    SELECT id FROM f WHERE {num} IN (SELECT {gnum} FROM g)
    SELECT id FROM f WHERE {str} NOT IN (SELECT {gstr} FROM g WHERE gs IS NOT NULL)
    SELECT id FROM f WHERE {num} NOT IN (SELECT {gnum} FROM g)
    SELECT id FROM f WHERE EXISTS (SELECT 1 FROM g WHERE {bothbool})
    SELECT id FROM f WHERE NOT EXISTS (SELECT 1 FROM g WHERE gi = i AND {gbool})
    SELECT id, (SELECT max({gnum}) FROM g WHERE gi = i) AS r FROM f
    SELECT id, (SELECT count(*) FROM g WHERE gl = l AND {gbool}) + {int} AS r FROM f
    SELECT id, {num} > (SELECT min({gnum}) FROM g) AS r FROM f
    SELECT {any} AS r FROM f {setop} SELECT {any} FROM f
    SELECT {num} AS r FROM f {setop} SELECT {gnum} FROM g
    SELECT {ord} AS r, {str} FROM f {setop} SELECT {ord}, {gstr} FROM g, f
    SELECT id, explode({array}) FROM f
    SELECT id, posexplode({array}) FROM f
    SELECT id, explode({smap}) FROM f
    SELECT id, explode_outer({array}) AS e FROM f WHERE {bool}
    SELECT id, inline(array({struct})) FROM f
    SELECT id, e FROM f LATERAL VIEW explode({ints}) lv AS e WHERE {bool}
    SELECT id, e, {shown} AS r FROM f LATERAL VIEW OUTER explode({strs}) lv AS e
    SELECT id, k, v FROM f LATERAL VIEW explode({smap}) lv AS k, v
    SELECT id, stack(2, {int}, {int}) FROM f
    SELECT id, x.* FROM f, LATERAL (SELECT {both} AS r FROM g WHERE {bothbool}) x
    SELECT * FROM (SELECT b, j, {num} AS v FROM f) PIVOT (sum(v) FOR b IN (true, false))
    SELECT * FROM (SELECT id, {int} AS u, {int} AS w FROM f) UNPIVOT (val FOR name IN (u, w))
    WITH c AS (SELECT id AS cid, {ord} AS o FROM f) SELECT o, count(*) FROM c GROUP BY o
    WITH c AS (SELECT id AS cid, {num} AS o FROM f) SELECT a.cid, b.cid FROM c a JOIN c b ON a.o = b.o
    SELECT id, {window} AS r FROM f QUALIFY {window} IS NOT NULL
    SELECT sum(r) FROM (SELECT {window} AS r, {num} AS s FROM f) WHERE s IS NOT NULL
    SELECT * FROM VALUES ({lit}, {lit}), ({lit}, {lit}) AS v(c1, c2)"""
# Kinds over other columns.
SCOPES = {
    "g": {"int": ["gi", "gid"], "long": ["gl"], "double": ["gd"], "dec": ["gn"], "str": ["gs"], "date": ["ga"], "ts": ["gz"]},
}


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


# Their result is another each time, is the machine's, or lies in how Spark split the rows.
SKIPPED = set("""rand randn random randstr uniform uuid now curdate current_date current_timestamp localtimestamp current_timezone
    current_catalog version reflect java_method try_reflect aes_encrypt aes_decrypt try_aes_decrypt spark_partition_id
    monotonically_increasing_id unwrap_udt raise_error shuffle product collation hex_binary hex_string log_base weekday_iso year_of_week""".split())
DESCRIBED = {
    "DOUBLE": "double", "FLOAT": "float", "INT": "int", "BIGINT": "long", "STRING": "str", "BINARY": "bin", "DATE": "date",
    "TIMESTAMP": "ts", "timestamp": "ts", "BOOLEAN": "bool", "number": "num", "integer": "integral", "SMALLINT": "short",
    "STRING or BINARY": "str", "anything": "any", "one common type": "num", "DATE or timestamp": "date",
}


def described_functions():
    """(name, kinds of its arguments, kind of its result) of docs/functions.md where it tells them; None where not."""
    section = ""
    for line in (ROOT / "docs/functions.md").read_text().splitlines():
        section = line if line.startswith("## ") else section
        if section.startswith(("## Aggregates", "## Sketches", "## Window", "## Generators")):
            continue
        cells = [cell.strip() for cell in line.replace("\\|", "¦").split("|")[1:-1]]
        if len(cells) != 5 or not re.fullmatch(r"`[a-z_]\w*`", cells[0]):
            continue
        name = cells[0].strip("`")
        if name in SKIPPED or name.startswith(("ms_", "kll_", "hll_", "theta_", "tuple_")) or name.endswith("_fraction"):
            continue
        required, _, optional = cells[1].partition("[")
        parts = [p.strip(" …]") for p in (required + "," + optional).split(",") if p.strip(" …]")]
        if cells[1] == "none":
            parts = []
        wanted = len([p for p in required.split(",") if p.strip(" …")]) if cells[1] != "none" else 0
        kinds = [DESCRIBED.get(p) for p in parts]
        yield name, kinds if all(kinds) else None, wanted, DESCRIBED.get(cells[2], "shape")


def named():
    """The names that templates have."""
    texts = [t for rules in RULES.values() for t in rules] + lines(AGGREGATES) + lines(WINDOWS) + lines(QUERIES) + EVERY_KIND
    return set(re.findall(r"\b([a-z_][a-z0-9_]*)\(", " ".join(texts)))


def complete():
    """Adds the functions that no template names; returns those of the table that have none."""
    here, left = named(), []
    for name, kinds, wanted, result in described_functions():
        if name in here:
            continue
        if kinds is None:
            left.append(name)
            continue
        for count in {wanted, len(kinds)}:
            holes = ", ".join("{%s}" % kind for kind in kinds[:count])
            RULES.setdefault(result if result in RULES else "shape", []).append(f"{name}({holes})")
    return left


if __name__ == "__main__":
    print("without a template:", " ".join(complete()))
