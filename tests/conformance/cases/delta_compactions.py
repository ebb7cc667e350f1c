"""Log compactions (x.y.compacted.json): the state that is read from them, and those that are of no use."""

import json
import pathlib
import shutil

from cases._delta import rows_of
from cases._sql import views
from harness import Area

area = Area("delta_compactions")


def compacted(log, first, last):
    """The reconciled actions of the commits, one a line."""
    state = {}
    for version in range(first, last + 1):
        for line in (log / f"{version:020}.json").read_text().splitlines():
            action = json.loads(line)
            kind = next(iter(action))
            if kind in ("add", "remove"):
                state[("file", action[kind]["path"])] = line
            elif kind == "txn":
                state[(kind, action[kind]["appId"])] = line
            elif kind != "commitInfo":
                state[(kind,)] = line
    return "\n".join(state.values()) + "\n"


def name_of(first, last):
    return f"{first:020}.{last:020}.compacted.json"


def table_of(c, spark):
    """Nine versions: appends under an application's name, rows that go, and another property."""
    path = c.path("t")
    for i in range(6):
        spark.range(i * 10, i * 10 + 10).coalesce(1).write.format("delta").mode("append").option("txnAppId", "app").option("txnVersion", str(i)).save(path)
    spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('a' = 'b')")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id < 25")
    spark.range(90, 91).coalesce(1).write.format("delta").mode("append").save(path)
    copy = c.path("copy")
    shutil.copytree(path, copy)
    log = pathlib.Path(copy, "_delta_log")
    for crc in log.glob("*.crc"):
        crc.unlink()
    return copy, log


def read(name, *files, version=None):
    """`files`: the ranges that are written, and what is done to their text."""
    def run(c):
        spark = views(c)
        copy, log = table_of(c, spark)
        for first, last, change in files:
            (log / name_of(first, last)).write_text(change(compacted(log, first, min(last, 8))))
        reader = spark.read.format("delta")
        out = [rows_of((reader if version is None else reader.option("versionAsOf", version)).load(copy))]
        spark.range(99, 100).coalesce(1).write.format("delta").mode("append").option("txnAppId", "app").option("txnVersion", "5").save(copy)
        spark.range(98, 99).coalesce(1).write.format("delta").mode("append").save(copy)
        return out + [rows_of(reader.load(copy)), [str(row.value) for row in spark.sql(f"SHOW TBLPROPERTIES delta.`{copy}` ('a')").collect()]]

    area._add(name, run)


def same(text):
    return text


read("middle", (2, 7, same))
read("from_the_start", (0, 5, same))
read("all", (0, 8, same))
read("two", (0, 3, same), (4, 8, same))
read("overlapping", (0, 4, same), (3, 8, same))
read("one_in_another", (1, 7, same), (2, 4, same))
read("beyond_the_version", (1, 7, same), version=3)
read("up_to_the_version", (1, 3, same), version=3)
read("beyond_the_table", (5, 12, same))
read("with_commit_info", (1, 4, lambda text: '{"commitInfo":{"operation":"x"}}\n' + text))
