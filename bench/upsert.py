"""Race, upsert: what changes and opens Delta tables, beside delta-spark and the deltalake package, in CPU-seconds.

usage: .venv/bin/python bench/run.py upsert [--rows 10000000] [--only WORK] [--without-spark] [--without-deltalake] [--memory 1g]

MERGE of 1 % of the rows (a tenth deletes, keys in no order), DELETE of 1,000 keys, the change feed of 100 versions, the
snapshot of a table of 10,000 commits and of one of 1,000,000 files, OPTIMIZE of 1,000 files. Every engine has a copy of
the same table; the rows that it leaves are counted and summed by DuckDB over the files that the log names, and must be
the same. Of ours and Spark counts the server over the statement alone, after one small statement; of deltalake the
process less one that only imports. With --memory ours runs under a limit and its peak is told.
"""

import argparse
import json
import random
import shutil
import sys
import time

import common
import measure
from common import ROOT

sys.path.insert(0, str(ROOT / "tests"))
DATA = ROOT / "scratch/bench"
PROGRAM = ROOT / "bench/programs/lake.py"
WORKS = ["merge", "delete", "feed", "commits", "files", "optimize"]
TARGETS = {"spark": 5, "deltalake": 1.5}


def made(name, make):
    """A folder that is made once."""
    folder = DATA / name
    if not folder.exists():
        making = folder.with_suffix(".making")
        shutil.rmtree(making, ignore_errors=True)
        making.parent.mkdir(parents=True, exist_ok=True)
        make(making)
        making.rename(folder)
    return folder


def with_server(work):
    from millstream_server import Server

    server = Server()
    session = server.session()
    try:
        work(session)
    finally:
        session.stop()
        server.stop()


def table_rows(session, low, high):
    return session.range(low, high).selectExpr(
        "id AS k", "CAST(id % 1000003 AS DOUBLE) AS v", "concat('row of key ', id) AS t", "concat('p', id % 8) AS p")


def base_table(rows):
    def make(folder):
        with_server(lambda s: table_rows(s, 0, rows).repartition(8).write.format("delta").save(str(folder)))

    return made(f"upsert-{rows}", make)


def source_rows(rows):
    """1 % of the keys in no order: of ten one is deleted, one is new, eight are updated."""
    def make(folder):
        import duckdb

        folder.mkdir()
        duckdb.execute(f"""COPY (SELECT CASE WHEN i % 10 = 1 THEN {rows} + i ELSE (i * 7919) % {rows} END AS k, i + 0.5 AS v,
            'changed ' || i AS t, 'p' || (k % 8) AS p, CASE WHEN i % 10 = 0 THEN 'D' ELSE 'U' END AS op
            FROM range({rows // 100}) r(i) ORDER BY hash(i)) TO '{folder}/source.parquet'""")

    return made(f"upsert-source-{rows}", make) / "source.parquet"


def fed_table():
    """100 versions of changes under a change feed."""
    def make(folder):
        def work(session):
            table = f"delta.`{folder}`"
            session.sql(f"CREATE TABLE {table} (k BIGINT, v DOUBLE, t STRING, p STRING) USING delta "
                        "TBLPROPERTIES (delta.enableChangeDataFeed = true)")
            for i in range(100):
                table_rows(session, i * 10000, i * 10000 + 10000).coalesce(1).write.format("delta").mode("append").save(str(folder))
                if i % 4 == 3:
                    session.sql(f"UPDATE {table} SET v = -v WHERE k % 97 = 0 AND k >= {(i - 3) * 10000}")

        with_server(work)

    return made("upsert-feed", make)


def action(i):
    stats = json.dumps({"numRecords": 10, "minValues": {"k": i * 10}, "maxValues": {"k": i * 10 + 9}, "nullCount": {"k": 0}})
    return {"path": f"part-{i:08}-00000000-0000-4000-8000-{i:012}.c000.snappy.parquet", "partitionValues": {},
            "size": 1000 + i % 100, "modificationTime": 1700000000000 + i, "dataChange": True, "stats": stats}


def heads():
    schema = {"type": "struct", "fields": [{"name": "k", "type": "long", "nullable": True, "metadata": {}}]}
    return [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
            {"metaData": {"id": "00000000-0000-4000-8000-000000000001", "format": {"provider": "parquet", "options": {}},
                          "schemaString": json.dumps(schema), "partitionColumns": [], "configuration": {}, "createdTime": 1}}]


def write_commit(log, version, actions):
    info = {"commitInfo": {"timestamp": 1700000000000 + version, "operation": "WRITE", "operationParameters": {}}}
    (log / f"{version:020}.json").write_text("".join(json.dumps(a) + "\n" for a in [info, *actions]))


def table_of_commits(count):
    """A log of `count` commits of one file each, its last checkpoint nine commits old; the files themselves are not there."""
    def make(folder):
        log = folder / "_delta_log"
        log.mkdir(parents=True)
        write_commit(log, 0, heads())
        for version in range(1, count):
            write_commit(log, version, [{"add": action(version)}])
        write_checkpoint(log, count - 10, count - 10)

    return made(f"upsert-commits-{count}", make)


def table_of_files(count):
    def make(folder):
        log = folder / "_delta_log"
        log.mkdir(parents=True)
        write_commit(log, 0, heads())
        write_commit(log, 1, [])
        write_checkpoint(log, 1, count)

    return made(f"upsert-files-{count}", make)


def write_checkpoint(log, version, files):
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = pa.map_(pa.string(), pa.string())
    adds = pa.struct([("path", pa.string()), ("partitionValues", text), ("size", pa.int64()), ("modificationTime", pa.int64()),
                      ("dataChange", pa.bool_()), ("stats", pa.string())])
    protocol = pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())])
    form = pa.struct([("provider", pa.string()), ("options", text)])
    meta = pa.struct([("id", pa.string()), ("format", form), ("schemaString", pa.string()),
                      ("partitionColumns", pa.list_(pa.string())), ("configuration", text), ("createdTime", pa.int64())])
    first, second = heads()
    head = {**second["metaData"], "configuration": [], "format": {"provider": "parquet", "options": []}}
    schema = pa.schema([("protocol", protocol), ("metaData", meta), ("add", adds)])
    with pq.ParquetWriter(log / f"{version:020}.checkpoint.parquet", schema) as writer:
        writer.write_table(pa.Table.from_pylist([{"protocol": first["protocol"]}, {"metaData": head}], schema=schema))
        for low in range(0, files, 100000):
            rows = [{"add": {**action(i), "partitionValues": [], "dataChange": False}} for i in range(low + 1, min(low + 100001, files + 1))]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    (log / "_last_checkpoint").write_text(json.dumps({"version": version, "size": files + 2}))


def small_files():
    def make(folder):
        with_server(lambda s: table_rows(s, 0, 5_000_000).repartition(1000).write.format("delta").save(str(folder)))

    return made("upsert-small", make)


def found(path):
    """Rows and sums of what the log names, by DuckDB."""
    import deltalake
    import duckdb

    files = deltalake.DeltaTable(str(path)).file_uris()
    listing = "[" + ", ".join("'" + f.removeprefix("file://") + "'" for f in files) + "]"
    return duckdb.execute(f"SELECT count(*), sum(k)::HUGEINT, round(sum(v)), sum(length(t)) FROM read_parquet({listing})").fetchone()


class Served:
    """Ours or Spark: the CPU-seconds of the server over one statement."""

    def __init__(self, name, memory):
        from millstream_server import Server, connect
        from tpc_race import Spark

        self.server = Server(extra=["--memory", memory] if memory else []) if name == "millstream" else Spark()
        self.session = connect(self.server.remote, {})
        self.pid = self.server.process.pid
        self.session.range(10).count()

    def cost(self, run):
        from tpc_race import tree_cpu

        cpu, started = tree_cpu(self.pid), time.monotonic()
        answer = run()
        return tree_cpu(self.pid) - cpu, time.monotonic() - started, answer

    def peak_mib(self):
        return int(next(x.split()[1] for x in open(f"/proc/{self.pid}/status") if x.startswith("VmHWM"))) / 1024

    def stop(self):
        if hasattr(self.server, "stop"):
            self.session.stop()
            self.server.stop()
            return
        self.server.process.stdin.close()
        self.server.process.wait(60)

    def merge(self, path, source):
        text = (f"MERGE INTO delta.`{path}` t USING parquet.`{source}` s ON t.k = s.k WHEN MATCHED AND s.op = 'D' THEN DELETE "
                "WHEN MATCHED THEN UPDATE SET v = s.v, t = s.t WHEN NOT MATCHED AND s.op <> 'D' THEN INSERT (k, v, t, p) "
                "VALUES (s.k, s.v, s.t, s.p)")
        return self.cost(lambda: self.session.sql(text).collect())

    def delete(self, path, keys):
        return self.cost(lambda: self.session.sql(f"DELETE FROM delta.`{path}` WHERE k IN ({keys})").collect())

    def feed(self, path):
        return self.cost(lambda: self.session.sql(
            f"SELECT count(*), sum(length(t)) FROM table_changes_by_path('{path}', 1)").collect()[0][0])

    def snapshot(self, path):
        return self.cost(lambda: self.session.sql(f"DESCRIBE DETAIL delta.`{path}`").collect()[0].numFiles)

    def optimize(self, path):
        return self.cost(lambda: self.session.sql(f"OPTIMIZE delta.`{path}`").collect())


class Lake:
    def __init__(self):
        self.bare = measure.run([sys.executable, "-c", "import deltalake, pyarrow, pyarrow.parquet"])

    def run(self, *arguments):
        cost = measure.run([sys.executable, PROGRAM, *arguments])
        answer = cost.output.strip()
        return cost.cpu_s - self.bare.cpu_s, cost.wall_s - self.bare.wall_s, int(answer) if answer else None

    def merge(self, path, source):
        return self.run("merge", path, source)

    def delete(self, path, keys):
        return self.run("delete", path, keys)

    def feed(self, path):
        return self.run("feed", path)

    def snapshot(self, path):
        return self.run("snapshot", path)

    def optimize(self, path):
        return self.run("optimize", path)

    def stop(self):
        pass


def copy(folder, name):
    path = DATA / f"upsert-copy-{name}"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(folder, path)
    return path


def changed(engine, name, folder, change):
    """Of a change: its cost, and what the table then has."""
    path = copy(folder, name)
    cpu, wall, _ = change(engine, path)
    rows = found(path)
    shutil.rmtree(path)
    return cpu, wall, rows


def work_of(name, rows):
    """What an engine does, as a function of it and its name that gives CPU-seconds, seconds and what was found."""
    if name == "merge":
        base, source = base_table(rows), source_rows(rows)
        return lambda e, n: changed(e, n, base, lambda engine, path: engine.merge(path, source))
    if name == "delete":
        base = base_table(rows)
        keys = ", ".join(str(k) for k in random.Random(1).sample(range(rows), 1000))
        return lambda e, n: changed(e, n, base, lambda engine, path: engine.delete(path, keys))
    if name == "optimize":
        base = small_files()
        return lambda e, n: changed(e, n, base, lambda engine, path: engine.optimize(path))
    folder = {"feed": fed_table, "commits": lambda: table_of_commits(10000), "files": lambda: table_of_files(1_000_000)}[name]()
    return lambda e, n: (e.feed if name == "feed" else e.snapshot)(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", choices=WORKS)
    parser.add_argument("--without-spark", action="store_true")
    parser.add_argument("--without-deltalake", action="store_true")
    parser.add_argument("--memory", default="")
    options = parser.parse_args()
    common.header(f"upsert, {options.rows} rows" + (f", ours under {options.memory}" if options.memory else ""))
    names = ["millstream"] + ["deltalake"] * (not options.without_deltalake) + ["spark"] * (not options.without_spark)
    works = {name: work_of(name, options.rows) for name in WORKS if options.only in (None, name)}
    results = {}
    for name in names:
        engine = Lake() if name == "deltalake" else Served(name, options.memory)
        for work, run in works.items():
            try:
                results[work, name] = run(engine, name)
            except (Exception, SystemExit) as error:  # noqa: BLE001: what an engine cannot do is told
                print(f"  {name} {work}: FAILED {str(error)[-200:]}", flush=True)
        if name == "millstream":
            print(f"  peak of ours: {engine.peak_mib():.0f} MiB", flush=True)
        engine.stop()
    for work in works:
        ours = results.get((work, "millstream"))
        for name in names:
            got = results.get((work, name))
            if ours is None or got is None:
                continue
            note = "" if got[2] == ours[2] else f"  FOUND {got[2]}, ours {ours[2]}"
            against = "" if name == "millstream" else "  " + common.ratio("ratio", got[0] / max(ours[0], 0.01), TARGETS[name])
            print(f"  {work:9} {name:10} {got[0]:7.2f} CPU-s {got[1]:7.2f} s{against}{note}", flush=True)


if __name__ == "__main__":
    main()
