"""What the benches share: headers, verification, the form of a result."""

import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("MILLSTREAM_BIN", ROOT / "build/release/bin/millstream"))


def commit():
    text = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"],
                          capture_output=True, text=True)
    return text.stdout.strip() or "unknown"


def header(name):
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"# {name}: commit {commit()}, {os.cpu_count()} x {cpu}, Linux {platform.release()}", flush=True)


def fingerprint_sql(relation, key):
    return f"SELECT count(*), sum({key})::HUGEINT, count(DISTINCT {key}) FROM {relation}"


def fingerprint_json(folder, key):
    import duckdb

    relation = f"read_json('{folder}/*.json', format = 'newline_delimited', columns = {{'{key}': 'BIGINT'}})"
    return duckdb.execute(fingerprint_sql(relation, key)).fetchone()


def fingerprint_parquet(file, key):
    import duckdb

    return duckdb.execute(fingerprint_sql(f"'{file}'", key)).fetchone()


def fingerprint_delta(folder, key):
    """Read through the log by delta-rs: only what is committed counts."""
    import deltalake
    import duckdb

    files = deltalake.DeltaTable(str(folder)).file_uris()
    listing = "[" + ", ".join("'" + f.removeprefix("file://") + "'" for f in files) + "]"
    return duckdb.execute(fingerprint_sql(f"read_parquet({listing})", key)).fetchone()


def tree_mb(folder):
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6


def ratio(what, value, target):
    return f"{what}: {value:.2f} (target {target}, {'met' if value >= target else 'NOT met'})"


def limit(what, value, target, unit):
    return f"{what}: {value:.2f} {unit} (target at most {target}, {'met' if value <= target else 'NOT met'})"


def percentile(values, p):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * p))]
