"""The deltalake package's side of bench/upsert.py: one operation on one table, in a process of its own.

usage: lake.py OPERATION TABLE [SOURCE]
"""

import sys

import deltalake
import pyarrow
import pyarrow.parquet


def merge(path, source):
    (deltalake.DeltaTable(path).merge(pyarrow.parquet.read_table(source), "t.k = s.k", source_alias="s", target_alias="t")
     .when_matched_delete(predicate="s.op = 'D'")
     .when_matched_update({"v": "s.v", "t": "s.t"})
     .when_not_matched_insert({"k": "s.k", "v": "s.v", "t": "s.t", "p": "s.p"}, predicate="s.op <> 'D'").execute())


def delete(path, keys):
    deltalake.DeltaTable(path).delete(f"k IN ({keys})")


def feed(path):
    changes = pyarrow.table(deltalake.DeltaTable(path).load_cdf(starting_version=1))
    print(changes.num_rows)


def snapshot(path):
    print(len(deltalake.DeltaTable(path).file_uris()))


def optimize(path):
    deltalake.DeltaTable(path).optimize.compact()


{"merge": merge, "delete": delete, "feed": feed, "snapshot": snapshot, "optimize": optimize}[sys.argv[1]](*sys.argv[2:])
