"""One of several processes that change one Delta table at once; each has keys of its own.

usage: racer.py ENGINE TABLE NUMBER SECONDS     (ENGINE: deltalake, or how a Spark Connect server is reached)

Prints one line of JSON: the rows it must have left (`rows`: key to value), its commits, its lost races, and errors that
are none of concurrency. A change that fails has changed nothing: that is what the table is then judged by.
"""

import json
import random
import sys
import time

KEYS = 1_000_000  # of each process, more than it can use
LOST = ("DELTA_CONCURRENT", "ConcurrentAppend", "ConcurrentDelete", "DELTA_METADATA_CHANGED", "CommitFailed", "conflict", "Transaction")
# What deltalake says of a log that grows while it lists it: before its commit, or after.
UNSURE = ("Expected contiguous commit files",)


def rows_of(path, number):
    """The rows of one process as they are in the table."""
    import deltalake

    while True:
        try:
            table = deltalake.DeltaTable(path).to_pyarrow_table()
        except Exception as error:  # noqa: BLE001: its kind is looked at
            if not any(word in str(error) for word in UNSURE):
                raise
            continue
        return {k: v for k, v in zip(table["k"].to_pylist(), table["v"].to_pylist()) if k // KEYS == number}


class BySql:
    def __init__(self, remote, path):
        from pyspark.sql import SparkSession

        self.session = SparkSession.builder.remote(remote).create()
        self.table = f"delta.`{path}`"

    def run(self, text):
        self.session.sql(text.replace("{t}", self.table)).collect()

    def insert(self, rows):
        self.run("INSERT INTO {t} VALUES " + ", ".join(f"({k}, {v})" for k, v in rows.items()))

    def update(self, keys, more):
        self.run(f"UPDATE {{t}} SET v = v + {more} WHERE k IN ({', '.join(map(str, keys))})")

    def delete(self, keys):
        self.run(f"DELETE FROM {{t}} WHERE k IN ({', '.join(map(str, keys))})")

    def merge(self, rows):
        self.run("MERGE INTO {t} t USING (SELECT * FROM VALUES " + ", ".join(f"({k}L, {v}L)" for k, v in rows.items()) +
                 " AS x (k, v)) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")

    def optimize(self):
        self.run("OPTIMIZE {t}")


class ByDeltalake:
    def __init__(self, path):
        import deltalake
        import pyarrow

        self.lake, self.arrow, self.path = deltalake, pyarrow, path

    def frame(self, rows):
        return self.arrow.table({"k": self.arrow.array(list(rows), self.arrow.int64()),
                                 "v": self.arrow.array(list(rows.values()), self.arrow.int64())})

    def table(self):
        return self.lake.DeltaTable(self.path)

    def insert(self, rows):
        self.lake.write_deltalake(self.path, self.frame(rows), mode="append")

    def update(self, keys, more):
        self.table().update(updates={"v": f"v + {more}"}, predicate=f"k IN ({', '.join(map(str, keys))})")

    def delete(self, keys):
        self.table().delete(f"k IN ({', '.join(map(str, keys))})")

    def merge(self, rows):
        (self.table().merge(self.frame(rows), "t.k = s.k", source_alias="s", target_alias="t")
         .when_matched_update_all().when_not_matched_insert_all().execute())

    def optimize(self):
        self.table().optimize.compact()


def main():
    engine, path, number, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    rand = random.Random(number)
    table = ByDeltalake(path) if engine == "deltalake" else BySql(engine, path)
    rows, fresh = {}, number * KEYS
    told = {"commits": 0, "lost": 0, "errors": []}
    # OPTIMIZE of deltalake 1.6 does not see that another OPTIMIZE, its own too, has removed its files: both stay, and
    # their rows are there twice.
    weights = [5, 3, 2, 3, 0 if engine == "deltalake" else 0.3]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        kind = rand.choices(["insert", "update", "delete", "merge", "optimize"], weights)[0]
        some = rand.sample(sorted(rows), min(len(rows), 3))
        new = {fresh + i: rand.randrange(1000) for i in range(3)}
        after = dict(rows)
        try:
            if kind == "insert":
                after.update(new)
                table.insert(new)
            elif kind == "update" and some:
                after.update({k: rows[k] + 1 for k in some})
                table.update(some, 1)
            elif kind == "delete" and some:
                for key in some:
                    del after[key]
                table.delete(some)
            elif kind == "merge":
                changed = {k: rand.randrange(1000) for k in some} | dict(list(new.items())[:1])
                after.update(changed)
                table.merge(changed)
            elif kind == "optimize":
                table.optimize()
            rows, fresh = after, fresh + 3
            told["commits"] += 1
        except Exception as error:  # noqa: BLE001: its kind is told
            if any(word in str(error) for word in LOST) or any(word in type(error).__name__ for word in LOST):
                told["lost"] += 1
                fresh += 3
            elif any(word in str(error) for word in UNSURE) and (now := rows_of(path, number)) in (rows, after):
                rows, fresh = now, fresh + 3
            else:
                told["errors"].append(f"{kind}: {type(error).__name__}: {str(error)[:300]}")
                break
    print(json.dumps({**told, "rows": rows}), flush=True)


if __name__ == "__main__":
    main()
