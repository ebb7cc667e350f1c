"""Kills the main job with SIGKILL at random moments and compares the table with the input at the end.

usage: kill.py [--rounds 200] [--source cloud|files] [--seed N] [--folder DIR]

Each round adds input files, starts a server and the program, and kills the server after a random time
(some rounds are left to finish). At the end the program runs undisturbed; then the Delta table, read by
deltalake, must hold each input row exactly once. A failing run prints the command that repeats it and
keeps its folder.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from millstream_server import Server  # noqa: E402

ROWS_PER_FILE = 25
KILL_AFTER_S = 0.06  # in the mean; a batch takes some milliseconds


class Input:
    """Writes files whose rows say where they come from."""

    def __init__(self, folder, rand):
        self.folder = folder
        self.rand = rand
        self.files = 0
        self.rows = []
        folder.mkdir(parents=True)

    def add(self, count):
        for _ in range(count):
            name = f"{self.files:06}.json"
            rows = [(self.files * ROWS_PER_FILE + i, name, f"text {self.rand.random()}")
                    for i in range(ROWS_PER_FILE)]
            hidden = self.folder / f".{name}.part"
            with hidden.open("w") as out:
                for key, file, text in rows:
                    out.write(json.dumps({"id": key, "file": file, "text": text}) + "\n")
            hidden.rename(self.folder / name)
            self.rows += rows
            self.files += 1


def start_query(server, folder, source):
    """The main job in small batches, as a client of its own session."""
    spark = server.session()
    if source == "cloud":
        frame = (spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
                 .option("cloudFiles.maxFilesPerTrigger", 2)
                 .schema("id long, file string, text string").load(f"{folder}/in"))
    else:
        frame = (spark.readStream.schema("id long, file string, text string")
                 .option("maxFilesPerTrigger", 2).json(f"{folder}/in"))
    return (frame.writeStream.format("delta").option("checkpointLocation", f"{folder}/ck")
            .trigger(availableNow=True).start(f"{folder}/out"))


def round_of(server, folder, source, rand):
    """One start and kill. The moment is spread over recovery, the batches and the time after them."""
    start_query(server, folder, source)
    time.sleep(rand.expovariate(1 / KILL_AFTER_S))
    server.kill()


def check(folder, rows):
    import deltalake

    table = deltalake.DeltaTable(str(folder / "out")).to_pyarrow_table()
    actual = collections.Counter(zip(*(table[c].to_pylist() for c in ("id", "file", "text"))))
    expected = collections.Counter(rows)
    lost, doubled = expected - actual, actual - expected
    return lost, doubled, table.num_rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--source", choices=["cloud", "files"], default="cloud")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--folder")
    options = parser.parse_args()
    rand = random.Random(options.seed)
    folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="crash-"))
    source = Input(folder / "in", rand)
    replay = f"kill.py --rounds {options.rounds} --source {options.source} --seed {options.seed}"
    print(f"replay: {replay}", flush=True)
    failed = True
    try:
        for number in range(options.rounds):
            source.add(rand.randrange(1, 6))
            server = Server(warehouse=folder / "warehouse")
            try:
                round_of(server, folder, options.source, rand)
            finally:
                server.kill()
            if number % 25 == 24:
                print(f"round {number + 1}: {source.files} files so far", flush=True)
        server = Server(warehouse=folder / "warehouse")
        try:
            query = start_query(server, folder, options.source)
            query.awaitTermination()
        finally:
            server.stop()
        lost, doubled, count = check(folder, source.rows)
        if lost or doubled:
            sys.exit(f"{len(lost)} rows lost, {len(doubled)} doubled; kept in {folder}\nreplay: {replay}")
        commits = len(list((folder / "out/_delta_log").glob("*.json")))
        print(f"{options.rounds} kills: {count} rows, each once; {commits} commits")
        failed = False
    finally:
        if not failed and not options.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    try:
        main()
        code = 0
    except SystemExit as stop:
        print(stop.code, file=sys.stderr)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the clients of killed servers have threads and exit handlers that wait for them
