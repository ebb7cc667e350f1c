"""Many writers of one table in S3: two servers and deltalake. No row is lost, none is there twice."""

import pathlib
import sys
import threading

import deltalake
import pyarrow

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "delta"))

import race  # noqa: E402
from millstream_server import Server  # noqa: E402
from store import environment, storage_options  # noqa: E402

APPENDS = 15


def test_two_servers_and_deltalake_append(store, bucket):
    path = f"s3://{bucket}/t"
    options = storage_options(store.endpoint)
    servers = [Server(env=environment(store.endpoint)) for _ in range(2)]
    errors = []

    def by_server(number):
        session = servers[number].session()
        for i in range(APPENDS):
            session.range(number * 1000 + i, number * 1000 + i + 1).write.format("delta").mode("append").save(path)

    def by_deltalake(number):
        for i in range(APPENDS):
            rows = pyarrow.table({"id": pyarrow.array([number * 1000 + i], pyarrow.int64())})
            deltalake.write_deltalake(path, rows, mode="append", storage_options=options,
                                      commit_properties=deltalake.CommitProperties(max_commit_retries=200))

    def by_merge(number):
        """Loses races against the appends, and is made anew until it wins."""
        session = servers[number].session()
        for i in range(5):
            while True:
                try:
                    session.sql(f"MERGE INTO delta.`{path}` t USING (SELECT {5000 + i}L AS id) s ON t.id = s.id "
                                "WHEN NOT MATCHED THEN INSERT *").collect()
                    break
                except Exception as error:  # noqa: BLE001: its kind is looked at
                    if "DELTA_CONCURRENT" not in str(error):
                        raise

    def guarded(work, number):
        try:
            work(number)
        except Exception as error:  # noqa: BLE001: shown by the assertion
            errors.append(error)

    try:
        servers[0].session().range(0).write.format("delta").save(path)
        works = ((by_server, 0), (by_server, 1), (by_deltalake, 2), (by_merge, 1))
        threads = [threading.Thread(target=guarded, args=work) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        want = sorted([n * 1000 + i for n in range(3) for i in range(APPENDS)] + [5000 + i for i in range(5)])
        session = servers[0].session()
        assert sorted(row.id for row in session.read.format("delta").load(path).collect()) == want
        there = deltalake.DeltaTable(path, storage_options=options)
        assert sorted(there.to_pyarrow_table()["id"].to_pylist()) == want
        assert there.version() == 3 * APPENDS + 5
    finally:
        for server in servers:
            server.stop()


def test_processes_of_two_engines_change_one_table(store, bucket, monkeypatch):
    for name, value in storage_options(store.endpoint).items():
        monkeypatch.setenv(name.upper(), value)
    path = f"s3://{bucket}/t"
    servers = [Server(env=environment(store.endpoint)) for _ in range(2)]
    try:
        session = servers[0].session()
        session.sql(f"CREATE TABLE delta.`{path}` (k BIGINT, v BIGINT) USING delta")
        told = race.raced(path, [servers[0].remote, servers[1].remote, "deltalake", "deltalake"], 10)
        assert [error for racer in told for error in racer["errors"]] == []
        assert all(racer["commits"] > 0 for racer in told[:2])
        want = sorted((int(k), v) for racer in told for k, v in racer["rows"].items())
        assert sorted(tuple(row) for row in session.read.format("delta").load(path).collect()) == want
        there = deltalake.DeltaTable(path, storage_options=storage_options(store.endpoint)).to_pyarrow_table()
        assert sorted(zip(there["k"].to_pylist(), there["v"].to_pylist())) == want
    finally:
        for server in servers:
            server.stop()
