"""Takes the random histories with delta-spark, records what it finds after them, and compares engines both ways.

usage: .venv-spark/bin/python tests/delta/record_histories.py [--seeds FROM TO] [--keep]

Needs tools/setup_spark.sh and the built binary. Of each seed Spark and Millstream each write a table; Spark reads both,
Millstream reads both, and all four must agree. What Spark found goes to histories.json, which `make test` replays
without a JVM. --keep compares only.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

import histories  # noqa: E402
from millstream_server import Server  # noqa: E402
from spark_oracle import oracle_session  # noqa: E402

RECORDED = HERE / "histories.json"


def difference(one, other):
    """The first place in which two findings differ, or None."""
    for part in one:
        if one[part] == other[part]:
            continue
        if isinstance(one[part], list) and isinstance(other[part], list):
            for at, (a, b) in enumerate(zip(one[part], other[part])):
                if a != b:
                    return f"{part}, {at}: {json.dumps(a)}\n      other: {json.dumps(b)}"
        return f"{part}: {json.dumps(one[part])[:700]}\n      other: {json.dumps(other[part])[:700]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs=2, default=[0, 60])
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    server = Server()
    spark = oracle_session()
    os.environ.pop("SPARK_CONNECT_AUTHENTICATE_TOKEN", None)  # a client that finds it asks for TLS
    engines = {"spark": spark, "ours": server.session()}
    wrong = 0
    for seed in range(*options.seeds):
        started = time.time()
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"history-{seed}-"))
        told, found = {}, {}
        for name, session in engines.items():
            told[name] = [histories.take(session, str(folder / name), step) for step in histories.steps_of(seed)]
        for writer in engines:
            for reader, session in engines.items():
                found[writer, reader] = histories.read_whole(session, str(folder / writer))
        truth = {"told": told["spark"], **found["spark", "spark"]}
        if not options.keep:
            recorded[str(seed)] = truth
        for (writer, reader), what in found.items():
            apart = difference(truth, {"told": told[writer], **what})
            if apart:
                wrong += 1
                print(f"  {seed}: written by {writer}, read by {reader}: {apart}", flush=True)
        print(f"{seed}: {len(truth['history'])} versions in {time.time() - started:.1f} s", flush=True)
    if not options.keep:
        lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in
                 sorted(recorded.items(), key=lambda item: int(item[0]))]
        RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    for session in engines.values():
        session.stop()
    server.stop()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
