"""Random lives of tables that have several features at once: each statement's rows, each version, the change feed and
the row ids are those of a model in Python; deltalake reads the table too where it can."""

import random

import deltalake
import pytest
from deltalake import QueryBuilder

FEATURES = ["'delta.enableDeletionVectors' = 'true'", "'delta.columnMapping.mode' = 'name'", "'delta.columnMapping.mode' = 'id'",
            "'delta.enableRowTracking' = 'true'", "'delta.enableInCommitTimestamps' = 'true'", "'delta.checkpointPolicy' = 'v2'",
            "'delta.enableChangeDataFeed' = 'true'", "'delta.autoOptimize.autoCompact' = 'true'",
            "'delta.autoOptimize.optimizeWrite' = 'true'"]
LAYOUTS = ["", "PARTITIONED BY (p)", "CLUSTER BY (k)"]
UNREAD = ("checkpointPolicy",)  # deltalake 1.6 refuses these tables


class Life:
    def __init__(self, spark, path, seed):
        self.spark, self.path, self.name, self.random = spark, path, f"delta.`{path}`", random.Random(seed)
        mapping = [text for text in FEATURES if "columnMapping" in text]
        self.features = [text for text in FEATURES if text not in mapping and self.random.random() < 0.5]
        self.features += self.random.sample(mapping, self.random.randrange(2))
        self.features.append(f"'delta.checkpointInterval' = '{self.random.randint(2, 5)}'")
        self.layout = self.random.choice(LAYOUTS)
        spark.sql(f"CREATE TABLE {self.name} (k BIGINT, v BIGINT, p INT) USING delta {self.layout} "
                  f"TBLPROPERTIES ({', '.join(self.features)})")
        self.rows, self.next_key, self.versions = {}, 0, {0: {}}

    def has(self, word):
        return any(word in text for text in self.features)

    def some_keys(self):
        return self.random.sample(sorted(self.rows), min(len(self.rows), 4))

    def new_rows(self, count):
        self.next_key += count
        return [(key, self.random.randrange(100), self.random.randrange(3)) for key in range(self.next_key - count, self.next_key)]

    def write(self, rows, **options):
        frame = self.spark.createDataFrame(rows, "k BIGINT, v BIGINT, p INT")
        frame.write.format("delta").mode(options.pop("mode", "append")).options(**options).save(self.path)

    def append(self):
        rows = self.new_rows(self.random.randint(1, 6))
        self.write(rows)
        self.rows.update((k, (v, p)) for k, v, p in rows)

    def insert(self):
        rows = self.new_rows(self.random.randint(1, 6))
        self.spark.sql(f"INSERT INTO {self.name} VALUES {', '.join(map(str, rows))}")
        self.rows.update((k, (v, p)) for k, v, p in rows)

    def update(self):
        keys = self.some_keys()
        self.spark.sql(f"UPDATE {self.name} SET v = v + 1, p = (p + 1) % 3 WHERE k IN ({', '.join(map(str, keys or [-1]))})")
        for key in keys:
            v, p = self.rows[key]
            self.rows[key] = (v + 1, (p + 1) % 3)

    def delete(self):
        keys = self.some_keys()
        self.spark.sql(f"DELETE FROM {self.name} WHERE k IN ({', '.join(map(str, keys or [-1]))})")
        for key in keys:
            del self.rows[key]

    def merge(self):
        source = [(key, self.random.randrange(100)) for key in self.some_keys()] + [(k, v) for k, v, _ in self.new_rows(2)]
        self.spark.sql(f"MERGE INTO {self.name} t USING (SELECT * FROM VALUES {', '.join(map(str, source))} AS x(k, v)) s ON t.k = s.k "
                       "WHEN MATCHED AND s.v % 5 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v "
                       "WHEN NOT MATCHED THEN INSERT (k, v, p) VALUES (s.k, s.v, 1)")
        for key, v in source:
            if key not in self.rows:
                self.rows[key] = (v, 1)
            elif v % 5 == 0:
                del self.rows[key]
            else:
                self.rows[key] = (v, self.rows[key][1])

    def replace(self):
        p = self.random.randrange(3)
        key, v, _ = self.new_rows(1)[0]
        self.write([(key, v, p)], mode="overwrite", replaceWhere=f"p = {p}")
        self.rows = {k: row for k, row in self.rows.items() if row[1] != p} | {key: (v, p)}

    def optimize(self):
        order = " ZORDER BY (v)" if self.layout != "CLUSTER BY (k)" and self.random.random() < 0.5 else ""
        self.spark.sql(f"OPTIMIZE {self.name}{order}").collect()

    def vacuum(self):
        self.spark.sql(f"VACUUM {self.name}").collect()

    def restore(self):
        version = self.random.choice(sorted(self.versions))
        self.spark.sql(f"RESTORE {self.name} TO VERSION AS OF {version}").collect()
        self.rows = dict(self.versions[version])

    def step(self):
        kinds = [self.append, self.insert, self.insert, self.update, self.delete, self.merge, self.replace, self.optimize,
                 self.vacuum, self.restore]
        kind = self.random.choice(kinds)
        kind()
        self.versions[self.spark.sql(f"DESCRIBE HISTORY {self.name} LIMIT 1").collect()[0].version] = dict(self.rows)
        assert self.read() == flat(self.rows), kind.__name__
        if self.has("RowTracking"):
            frame = self.spark.read.format("delta").load(self.path)
            ids = [row[0] for row in frame.select("_metadata.row_id").collect()]
            assert None not in ids and len(set(ids)) == len(ids), kind.__name__

    def read(self, **options):
        return sorted(tuple(row) for row in self.spark.read.format("delta").options(**options).load(self.path).collect())

    def replayed_feed(self):
        counts = {}
        feed = self.spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0).load(self.path)
        for row in feed.collect():
            change = 1 if row._change_type in ("insert", "update_postimage") else -1
            counts[row.k, row.v, row.p] = counts.get((row.k, row.v, row.p), 0) + change
        assert set(counts.values()) <= {0, 1}
        return sorted(row for row, count in counts.items() if count)


def flat(rows):
    return sorted((k, v, p) for k, (v, p) in rows.items())


@pytest.mark.parametrize("seed", range(8))
def test_features_together(spark, tmp_path, seed):
    life = Life(spark, str(tmp_path / "t"), seed)
    for _ in range(12):
        life.step()
    for version, rows in life.versions.items():
        assert life.read(versionAsOf=version) == flat(rows), version
    if life.has("ChangeDataFeed"):
        assert life.replayed_feed() == flat(life.rows)
    if not any(life.has(word) for word in UNREAD):
        query = QueryBuilder().register("t", deltalake.DeltaTable(life.path)).execute("SELECT k, v, p FROM t")
        table = query.read_all()
        assert sorted(zip(*(table.column(name).to_pylist() for name in "kvp"))) == flat(life.rows)
