"""Random histories of a Delta table: the steps of a seed, how an engine takes them, and what a reader finds after them."""

import collections
import random

OPTIONS_OF_TABLES = ["", "PARTITIONED BY (p)", "PARTITIONED BY (p)", ""]
PROPERTIES = [
    {"delta.enableChangeDataFeed": "true"},
    {"delta.enableChangeDataFeed": "true", "delta.checkpointInterval": "3"},
    {"delta.enableChangeDataFeed": "true", "delta.columnMapping.mode": "name", "delta.checkpointInterval": "4"},
    {"delta.enableChangeDataFeed": "true", "delta.enableDeletionVectors": "true"},
    {"delta.enableChangeDataFeed": "true", "delta.dataSkippingNumIndexedCols": "1"},
    {"delta.isolationLevel": "Serializable"},
]
# Here an engine that has fewer files has nothing to optimize, and makes no commit.
OF_LAYOUT = {6, 19, 31, 41}
# Spark commits an ALTER TABLE that changes nothing.
WITHOUT_CHANGE = {34, 39}
# TRUNCATE is noted as a DELETE.
NOTED_OTHERWISE = {51}
SEEDS = [seed for seed in range(60) if seed not in OF_LAYOUT | WITHOUT_CHANGE | NOTED_OTHERWISE]


def steps_of(seed):
    """The history of a seed: dicts of one statement (`sql`, {t} is the table) or one write of rows (`write`)."""
    rand = random.Random(seed)
    properties = ", ".join(f"'{k}' = '{v}'" for k, v in PROPERTIES[seed % len(PROPERTIES)].items())
    steps = [{"sql": f"CREATE TABLE {{t}} (id BIGINT, p STRING, v INT) USING delta {rand.choice(OPTIONS_OF_TABLES)} "
                     f"TBLPROPERTIES ({properties})"},
             {"write": "append", "rows": rows_of(rand, 12)}]
    return steps + [any_step(rand, number) for number in range(2, 12)]


def rows_of(rand, count):
    return [(rand.randrange(40), rand.choice(["a", "b", "c d", None]), rand.choice([rand.randrange(100), None]))
            for _ in range(count)]


def values_of(rows):
    return ", ".join("(" + ", ".join("NULL" if x is None else repr(x) for x in row) + ")" for row in rows)


def condition_of(rand):
    low = rand.randrange(40)
    return rand.choice([f"id BETWEEN {low} AND {low + 9}", "p = 'a'", "p IS NULL", f"id = {low}", f"v > {low}",
                        f"p = 'c d' AND id < {low}", "v IS NULL", "p IN ('a', 'b') AND v % 2 = 0"])


def keyed_of(rand, count):
    """Rows of different keys, for a source of MERGE."""
    return [(key, p, v) for key, (_, p, v) in zip(rand.sample(range(40), count), rows_of(rand, count))]


def merge_of(rand):
    keyed = keyed_of(rand, 8) if rand.random() < 0.9 else [(1, "a", 1), (1, "b", 2)]
    clauses = rand.choice([
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "WHEN MATCHED AND s.v IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v "
        "WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, s.p, s.v)",
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id > 30 THEN UPDATE SET v = -1",
        "WHEN NOT MATCHED AND s.id % 2 = 0 THEN INSERT *",
        "WHEN NOT MATCHED BY SOURCE AND t.p = 'b' THEN DELETE WHEN MATCHED AND t.v < s.v THEN UPDATE SET t.v = s.v + t.v",
    ])
    return {"sql": f"MERGE INTO {{t}} t USING (SELECT * FROM VALUES {values_of(keyed)} AS x (id, p, v)) s "
                   f"ON t.id = s.id {clauses}"}


def any_step(rand, number):
    """What may fail fails with every engine, and is part of the history."""
    where = condition_of(rand)
    makers = [
        (3, lambda: {"sql": f"INSERT INTO {{t}} (id, p, v) VALUES {values_of(rows_of(rand, 5))}"}),
        (3, lambda: {"sql": f"UPDATE {{t}} SET v = coalesce(v, 0) + 1 WHERE {where}"}),
        (1, lambda: {"sql": f"UPDATE {{t}} SET p = 'moved' WHERE {where}"}),
        (1, lambda: {"sql": f"UPDATE {{t}} SET x1 = v * 2 WHERE {where}"}),
        (3, lambda: {"sql": f"DELETE FROM {{t}} WHERE {where}"}),
        (4, lambda: merge_of(rand)),
        (1, lambda: {"sql": f"INSERT INTO {{t}} REPLACE WHERE p = 'a' "
                            f"VALUES {values_of([(7, 'a', 7), (8, 'a', None)])}"}),
        (1, lambda: {"sql": "INSERT INTO {t} REPLACE WHERE p = 'a' VALUES (1, 'b', 1)"}),
        (1, lambda: {"sql": f"INSERT OVERWRITE {{t}} (id, p, v) VALUES {values_of(rows_of(rand, 6))}"}),
        (2, lambda: {"sql": "OPTIMIZE {t}"}),
        (2, lambda: {"sql": f"RESTORE TABLE {{t}} TO VERSION AS OF {rand.randrange(1, number + 1)}"}),
        (1, lambda: {"sql": f"ALTER TABLE {{t}} ADD COLUMNS (x{rand.randrange(1, 3)} INT)"}),
        (1, lambda: {"sql": "ALTER TABLE {t} ADD CONSTRAINT small CHECK (v < 1000)"}),
        (1, lambda: {"sql": "ALTER TABLE {t} DROP CONSTRAINT small"}),
        (1, lambda: {"sql": "INSERT INTO {t} (id, p, v) VALUES (39, 'a', 5000)"}),
        (1, lambda: {"sql": "ALTER TABLE {t} SET TBLPROPERTIES ('note' = 'n')"}),
        (1, lambda: {"sql": "ALTER TABLE {t} ALTER COLUMN v COMMENT 'a value'"}),
        (1, lambda: {"sql": "TRUNCATE TABLE {t}"} if rand.random() < 0.3 else merge_of(rand)),
        (2, lambda: {"write": "append", "rows": rows_of(rand, 6)}),
        (1, lambda: {"write": "append", "rows": [(1, "a", 1, 2)], "options": {"mergeSchema": "true"}}),
        (1, lambda: {"write": "append", "rows": [(1, "a", 1, 2)]}),
        (1, lambda: {"write": "overwrite", "rows": [(30, "b", 3)], "options": {"replaceWhere": "p = 'b'"}}),
        (1, lambda: {"write": "overwrite", "rows": rows_of(rand, 4), "options": {"partitionOverwriteMode": "dynamic"}}),
    ]
    return rand.choices([make for _, make in makers], [weight for weight, _ in makers])[0]()


def take(session, path, step):
    """Takes one step; None, or the condition of its error."""
    try:
        if "sql" in step:
            session.sql(step["sql"].replace("{t}", f"delta.`{path}`")).collect()
        else:
            schema = "id BIGINT, p STRING, v INT" + (", x1 INT" if len(step["rows"][0]) == 4 else "")
            session.createDataFrame(step["rows"], schema).coalesce(1).write.format("delta").mode(step["write"]) \
                .options(**step.get("options", {})).save(path)
    except Exception as error:  # noqa: BLE001: which one is what is told
        return condition(error)
    return None


def condition(error):
    found = getattr(error, "getCondition", lambda: None)()
    return found or type(error).__name__


def rows_at(session, path, version):
    frame = session.read.format("delta").option("versionAsOf", version).load(path)
    return [",".join(frame.columns)] + sorted(repr(tuple(row)) for row in frame.collect())


def counts_of(metrics):
    """The counts of rows. Which rows are copied beside changed ones is each engine's own choice."""
    copies = any("Copied" in key for key in metrics)
    return {key: value for key, value in sorted(metrics.items())
            if "Rows" in key and not (copies and ("Copied" in key or key == "numOutputRows"))}


def history_of(session, path):
    """Of each version its operation and the counts of rows among its metrics."""
    return [[row.version, row.operation, counts_of(row.operationMetrics or {})]
            for row in sorted(session.sql(f"DESCRIBE HISTORY delta.`{path}`").collect(), key=lambda row: row.version)]


def net(rows):
    """Rows of a feed without those that a version both deletes and inserts: RESTORE tells of whole files so, and which rows
    lie in a file is each engine's own choice."""
    counts = collections.Counter()
    for *row, kind, version in rows:
        counts[(*row, "insert", version) if kind == "delete" else (*row, kind, version)] += -1 if kind == "delete" else 1
    out = []
    for (*row, kind, version), count in counts.items():
        out += [(*row, kind if count > 0 else "delete", version)] * abs(count)
    return out


def feed_of(session, path):
    try:
        frame = session.sql(f"SELECT * FROM table_changes_by_path('{path}', 0)").drop("_commit_timestamp")
        return [",".join(frame.columns)] + sorted(repr(row) for row in net(tuple(row) for row in frame.collect()))
    except Exception as error:  # noqa: BLE001: which one is what is told
        return condition(error)


def read_whole(session, path):
    """What a reader finds: the history, the rows of three versions and of the last, the feed."""
    history = history_of(session, path)
    last = history[-1][0]
    return {"history": history, "feed": feed_of(session, path),
            "rows": {str(v): rows_at(session, path, v) for v in sorted({1, last // 2, last})}}
