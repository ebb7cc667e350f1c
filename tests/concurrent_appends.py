"""Several engines append to one Delta table at once; what each was told is checked against the table."""

import concurrent.futures
import json
import pathlib

import deltalake
import pyarrow as pa


def by_session(session, path):
    return lambda i: session.range(i, i + 1).coalesce(1).write.format("delta").mode("append").save(path)


def by_deltalake(path):
    return lambda i: deltalake.write_deltalake(path, pa.table({"id": pa.array([i], pa.int64())}), mode="append")


def append_at_once(path, writers, each):
    """Writer n appends `each` rows of its own, one commit a row. The ids that were committed, by what the
    writers were told."""

    def run(number, write):
        told = []
        for i in range(number * 1000, number * 1000 + each):
            try:
                write(i)
                told.append(i)
            except deltalake.exceptions.CommitFailedError:
                pass  # gives up after some lost races: nothing of it may be in the table
        return told

    with concurrent.futures.ThreadPoolExecutor(len(writers)) as pool:
        runs = [pool.submit(run, number, write) for number, write in enumerate(writers)]
        return sorted(i for done in runs for i in done.result())


def versions(path):
    return sorted(int(p.stem) for p in pathlib.Path(path, "_delta_log").glob("*.json"))


def engines(path):
    """Who wrote the commits that are still in the log."""
    found = set()
    for commit in pathlib.Path(path, "_delta_log").glob("*.json"):
        for line in commit.read_text().splitlines():
            info = json.loads(line).get("commitInfo")
            if info:
                found.add(info.get("engineInfo", info.get("clientVersion", "")).split("/")[0].split(".")[0])
    return found
