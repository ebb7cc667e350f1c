"""TPC-H or TPC-DS data and queries by DuckDB's generators: `.venv-bench/bin/python tests/tpc/generate.py
tpch|tpcds SCALE FOLDER`. The same scale gives the same rows. Run tools/setup_bench.sh first."""

import json
import pathlib
import re
import sys

import duckdb

# What Spark writes otherwise than DuckDB: names in double quotes, and these.
REPLACED = {
    "tpcds": {
        r'"([^"\n]*)"': r"`\1`",
    },
    "tpch": {},
}


def extension(name):
    return next(pathlib.Path(sys.prefix).rglob(f"{name}.duckdb_extension"))


def spark_text(kind, text):
    for pattern, by in REPLACED[kind].items():
        text = re.sub(pattern, by, text)
    return text.strip().rstrip(";").strip()


def main():
    kind, scale, folder = sys.argv[1], float(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    db.execute(f"LOAD '{extension(kind)}'")
    db.execute(f"CALL {'dbgen' if kind == 'tpch' else 'dsdgen'}(sf = {scale})")
    level = 19 if scale < 0.1 else 1  # what is kept with the tests is small; what benches make is made soon
    for (table,) in db.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
        db.execute(f"COPY {table} TO '{folder}/{table}.parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL {level})")
    queries = [spark_text(kind, text) for _, text in db.execute(f"FROM {kind}_queries() ORDER BY 1").fetchall()]
    (folder / "queries.json").write_text(json.dumps(queries, indent=1) + "\n")


if __name__ == "__main__":
    main()
