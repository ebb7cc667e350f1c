"""Has real Spark write the ORC and Avro files of tests/data/orc and tests/data/avro, one for each codec.

usage: .venv-spark/bin/python tests/golden/record_files.py

Needs tools/setup_spark.sh. Only needed when Spark's version changes.
"""

import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from spark_oracle import oracle_session  # noqa: E402

ROWS = """
SELECT 1Y b, 2S s, 3 i, 4L l, CAST(1.5 AS FLOAT) f, 2.5D d, true bo, 'x' st, X'0102' bi, DATE'2020-02-29' da,
  TIMESTAMP'2020-02-29 12:34:56.789012' ts, TIMESTAMP_NTZ'2020-02-29 12:34:56.789012' nt, CAST(12.34 AS DECIMAL(5,2)) d5,
  CAST(-123456789012345678901234567890.12345678 AS DECIMAL(38,8)) d38, array(1, 2, null) ar, map('a', 1, 'b', null) ma,
  named_struct('x', 1, 'Y', 'q', 'z', array(named_struct('k', 1L, 't', TIMESTAMP_NTZ'2001-01-01 00:00:00'))) sr,
  INTERVAL '1 02:03:04.5' DAY TO SECOND dt
UNION ALL SELECT null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null
UNION ALL SELECT -128Y, -32768S, -2147483648, -9223372036854775808L, float('nan'), double('-Infinity'), false, '', X'',
  DATE'0001-01-01', TIMESTAMP'1969-12-31 23:59:59.999999', TIMESTAMP_NTZ'9999-12-31 23:59:59.999999', -0.01, 0.00000001,
  array(), map(), named_struct('x', null, 'Y', null, 'z', null), INTERVAL '-1' DAY
UNION ALL SELECT 127Y, 32767S, 2147483647, 9223372036854775807L, float('0.1'), double('1e300'), false, 'äß😀', X'ff',
  DATE'1582-10-15', TIMESTAMP'1900-01-01 00:00:00.5', TIMESTAMP_NTZ'0001-01-01 00:00:00', 999.99, -0.00000001, array(7),
  map('q', 9), named_struct('x', 5, 'Y', '', 'z', array(null, named_struct('k', null, 't', null))), INTERVAL '0' DAY
"""
CODECS = {
    "orc": ["none", "snappy", "zlib", "lzo", "lz4", "zstd"],
    "avro": ["uncompressed", "deflate", "snappy", "bzip2", "xz", "zstandard"],
}


def main():
    spark = oracle_session()
    frame = spark.sql(ROWS).coalesce(1)
    for form, codecs in CODECS.items():
        target = ROOT / "data" / form
        target.mkdir(parents=True, exist_ok=True)
        for codec in codecs:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "out"
                frame.write.format(form).option("compression", codec).save(str(path))
                (written,) = path.glob(f"part-*.{form}")
                shutil.copy(written, target / f"{codec}.{form}")
    os._exit(0)  # takes the JVM with it


if __name__ == "__main__":
    main()
