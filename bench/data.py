"""Input of the benches, made once under scratch/bench: the same bytes every time."""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "scratch/bench/data"
BIDS = 4_000_000
BID_SCHEMA = ("auction long, bidder long, price long, channel string, url string, date_time timestamp, device string,"
              " region string, extra string")
FLIGHT_SCHEMA = ("year long, month long, day long, dep_time long, sched_dep_time long, dep_delay long, arr_time long,"
                 " sched_arr_time long, arr_delay long, carrier string, flight long, tailnum string, origin string,"
                 " dest string, air_time long, distance long, hour long, minute long, time_hour string")


def once(name, make):
    """Makes a folder of data, unless it is there whole."""
    folder = DATA / name
    stamp = DATA / f"{name}.done"
    if not stamp.exists():
        print(f"making {name} ...", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder)
        stamp.write_text("")
    return folder


def bids(rows=BIDS):
    """Nexmark-like bids as NDJSON, about 244 bytes each, in 8 files."""
    def make(folder):
        import duckdb

        duckdb.execute("SET enable_progress_bar = false")
        for part in range(8):
            low, high = rows * part // 8, rows * (part + 1) // 8
            duckdb.execute(f"""
                COPY (SELECT 1000 + hash(i) % 100000 AS auction, 1000 + hash(i + 1) % 50000 AS bidder,
                    (100 + hash(i + 2) % 1000000)::BIGINT AS price,
                    ['Google', 'Facebook', 'Baidu', 'Apple'][1 + (hash(i + 3) % 4)::BIGINT] AS channel,
                    'https://www.nexmark.com/item/' || hash(i + 4) % 1000000 || '/bid.htm?query=1' AS url,
                    strftime(TIMESTAMP '2024-01-01' + INTERVAL (i) MILLISECOND, '%Y-%m-%dT%H:%M:%S.%gZ') AS date_time,
                    ['phone', 'desktop', 'tablet'][1 + (hash(i + 5) % 3)::BIGINT] AS device,
                    'region-' || hash(i + 6) % 30 AS region,
                    md5(i::VARCHAR) AS extra
                FROM range({low}, {high}) t(i)) TO '{folder}/bids-{part}.json' (FORMAT JSON)""")

    return once(f"bids-{rows}-8", make)


def bids_in_many_files(rows=BIDS, files=4000):
    def make(folder):
        number, per_file = 0, rows // files
        for source in sorted(bids(rows).iterdir()):
            with source.open("rb") as lines:
                while True:
                    chunk = [line for _, line in zip(range(per_file), lines)]
                    if not chunk:
                        break
                    (folder / f"bids-{number:05}.json").write_bytes(b"".join(chunk))
                    number += 1

    return once(f"bids-{rows}-{files}", make)


def flights():
    """The flights of the example four times over: 400 MB in some 1,460 files."""
    def make(folder):
        made = DATA / "flights-once"
        subprocess.run([sys.executable, ROOT / "examples/make_flights.py", made], check=True,
                       stdout=subprocess.DEVNULL)
        for copy in range(4):
            for source in made.glob("waves/*/*.json"):
                shutil.copyfile(source, folder / f"{copy}-{source.name}")
        shutil.rmtree(made)

    return once("flights-400mb", make)
