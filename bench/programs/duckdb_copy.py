"""DuckDB's nearest thing to the drain: read_json -> COPY TO parquet. usage: INPUT OUTPUT COLUMNS_JSON|-"""

import json
import sys

import duckdb

source, out, columns = sys.argv[1:4]
duckdb.execute("SET threads = 2")
given = ", union_by_name = true"  # Files of one folder may have other columns than the first.
if columns != "-":
    given = ", columns = {" + ", ".join(f"'{k}': '{v}'" for k, v in json.loads(columns).items()) + "}"
duckdb.execute(f"COPY (SELECT * FROM read_json('{source}/*.json', format = 'newline_delimited'{given}))"
               f" TO '{out}' (FORMAT PARQUET, COMPRESSION SNAPPY)")
