"""The two tables over which random expressions are asked (tools/fuzz_expressions.py), and what was found by them."""

import pathlib

FOUND = pathlib.Path(__file__).with_suffix("").parent / "fuzz_found.txt"

# Each type with what is hard in it: NULL, the ends of its range, -0.0 and NaN, long decimals, empty and non-ASCII
# texts, hours that a zone skips or has twice, dates before the calendar's reform, empty arrays and maps.
TABLE_F = """
SELECT id, b, CAST(y AS TINYINT) y, CAST(h AS SMALLINT) h, CAST(i AS INT) i, CAST(j AS INT) j, CAST(l AS BIGINT) l,
  CAST(r AS FLOAT) r, CAST(d AS DOUBLE) d, CAST(n AS DECIMAL(10,2)) n, CAST(m AS DECIMAL(38,10)) m, s, t, x,
  CAST(a AS DATE) a, CAST(z AS TIMESTAMP) z, CAST(w AS TIMESTAMP_NTZ) w, q, p, ai, ar, ad, ms, mi, st
FROM VALUES
  (1, true, 1, 1, 1, 3, 10, '1.5', '1.5', '1.25', '3.0000000001', 'a', '12', X'6162', '2024-02-29',
   '2024-03-10 02:30:00', '2024-03-10 02:30:00', INTERVAL '1 02:03:04.5' DAY TO SECOND, INTERVAL '1-2' YEAR TO MONTH,
   array(1, 2, 3), array('a', 'b'), array(1.5D, -2D), map('a', 1, 'b', 2), map(1, 'one'),
   named_struct('u', 1, 'v', 'a', 'k', array(1.5D))),
  (2, false, 0, 0, 0, -7, 0, '-0.0', '-0.0', '-0.01', '0', '', ' 7 ', X'', '1970-01-01',
   '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999', INTERVAL '0 00:00:00' DAY TO SECOND,
   INTERVAL '0-0' YEAR TO MONTH, array(), array(), array(), map(), map(), named_struct('u', 0, 'v', '', 'k', array())),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, NULL, NULL),
  (4, true, -128, -32768, -2147483648, 2, -9223372036854775808L, '-Infinity', '4.9E-324', '99999999.99',
   '-9999999999999999999999999999.9999999999', 'Abc%_', '-3.5', X'FF00', '0001-01-01', '0001-01-03 00:00:00',
   '0001-01-03 00:00:00', INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND, INTERVAL '-178956970-8' YEAR TO MONTH,
   array(NULL, -2147483648), array(NULL, ''), array(double('NaN'), NULL, -0D), map('', NULL), map(-1, NULL),
   named_struct('u', -2147483648, 'v', NULL, 'k', array(double('NaN'), NULL))),
  (5, false, 127, 32767, 2147483647, 31, 9223372036854775807, 'NaN', 'NaN', '-99999999.99',
   '9999999999999999999999999999.9999999999', 'ünï😀', '2024-06-15 12:34:56.789', X'C3BC', '9999-12-31',
   '9999-12-30 23:59:59.999999', '9999-12-30 23:59:59.999999', INTERVAL '106751991 04:00:54.775807' DAY TO SECOND,
   INTERVAL '178956970-7' YEAR TO MONTH, array(5, 5, NULL, -5), array('ü', 'b', 'a', 'b'),
   array(double('Infinity'), 0D, 0D), map('ünï', 5, 'a', -1), map(2, '', 1, 'x'),
   named_struct('u', 5, 'v', 'ünï', 'k', NULL)),
  (6, NULL, -1, 100, 100, -1, -1, '3.4028235E38', '1.7976931348623157E308', '12.50', '2.5', 'a,b;c',
   '{"a":1,"b":[1,2]}', X'00', '1582-10-10', '1883-11-18 12:03:58', '1582-10-10 00:00:00',
   INTERVAL '-0 00:00:00.000001' DAY TO SECOND, INTERVAL '-0-1' YEAR TO MONTH, array(0), array('a,b', ' '),
   array(1e20D), map('k', 0), map(0, 'zero'), named_struct('u', NULL, 'v', 'Zz', 'k', array(0D))),
  (7, true, 5, -5, -5, 7, 4000000000, '0.1', '2.5', '0.05', '-2.5000000000', '  Zz ', 'x', X'616263', '2024-12-31',
   '2024-11-03 01:30:00', '2024-11-03 01:30:00.123456', INTERVAL '30 23:59:59' DAY TO SECOND,
   INTERVAL '2-11' YEAR TO MONTH, array(3, 1, 2), array('b'), array(2.5D, 3.5D), map('a', 7), map(7, 'seven'),
   named_struct('u', 7, 'v', 'x', 'k', array(-1D))),
  (8, true, 1, 1, 1, 3, 10, '1.5', '1.5', '1.25', '3.0000000001', 'a', 'true', X'6162', '2024-02-29',
   '2024-07-01 00:00:00', '2024-07-01 00:00:00', INTERVAL '1 02:03:04.5' DAY TO SECOND, INTERVAL '1-2' YEAR TO MONTH,
   array(1, 2, 3), array('a', 'b'), array(1.5D, -2D), map('a', 1, 'b', 2), map(1, 'one'),
   named_struct('u', 1, 'v', 'a', 'k', array(1.5D)))
AS v(id, b, y, h, i, j, l, r, d, n, m, s, t, x, a, z, w, q, p, ai, ar, ad, ms, mi, st)
"""

TABLE_G = """
SELECT gid, CAST(gi AS INT) gi, CAST(gl AS BIGINT) gl, CAST(gd AS DOUBLE) gd, CAST(gn AS DECIMAL(12,4)) gn, gs,
  CAST(ga AS DATE) ga, CAST(gz AS TIMESTAMP) gz
FROM VALUES
  (1, 1, 10, '1.5', '1.25', 'a', '2024-02-29', '2024-03-10 03:30:00'), (2, 1, NULL, '0.0', '0', 'b', NULL, NULL),
  (3, NULL, 0, 'NaN', NULL, '', '1970-01-01', '1970-01-01 00:00:00'), (4, 7, -1, NULL, '-0.01', NULL, '2024-12-31', NULL),
  (5, -5, 5, '-0.0', '99999999.9999', 'ünï😀', '9999-12-31', '2024-11-03 01:30:00')
AS v(gid, gi, gl, gd, gn, gs, ga, gz)
"""

# What a line of fuzz_found.txt begins with: the settings of its session.
SETTINGS = {
    "ansi UTC": {"spark.sql.ansi.enabled": "true", "spark.sql.session.timeZone": "UTC"},
    "ansi NewYork": {"spark.sql.ansi.enabled": "true", "spark.sql.session.timeZone": "America/New_York"},
    "lenient Kolkata": {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "Asia/Kolkata"},
    "lenient UTC": {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "UTC"},
}


def register(spark):
    """Makes the views; the texts in them mean what the session's zone says, so they are made for each case."""
    spark.sql(TABLE_F).createOrReplaceTempView("f")
    spark.sql(TABLE_G).createOrReplaceTempView("g")


def found():
    """The lines of the file: (settings' name, query)."""
    lines = FOUND.read_text().splitlines() if FOUND.exists() else []
    return [tuple(line.split(" | ", 1)) for line in lines if line and not line.startswith("#")]
