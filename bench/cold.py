"""Race 10, cold: from process start to the first collected row; memory at rest.

usage: .venv/bin/python bench/cold.py [--rounds 5] [--without-spark]

The Python client costs the same for both engines and is more than our share: it is shown, and the ratio
is given with it and without it.
"""

import argparse
import sys
import time

import common
import measure
from common import BINARY, ROOT

sys.path.insert(0, str(ROOT / "tests"))


def once(engine):
    first = [BINARY, "run"] if engine == "millstream" else [ROOT / ".venv-spark/bin/python"]
    cost = measure.run([*first, ROOT / "bench/programs/cold.py", engine, str(time.time())])
    line = next(x for x in cost.output.splitlines() if x.startswith("RESULT "))
    whole, imports = map(float, line.split()[1:])
    print(f"  {engine:10} first row after {whole:.3f} s, of it Python's imports {imports:.3f} s, "
          f"cpu {cost.cpu_s:.2f} s", flush=True)
    return whole, whole - imports


def server_start():
    """`serve` until the port answers, and its memory at rest after a first query."""
    from millstream_server import Server

    started = time.monotonic()
    server = Server()
    ready = time.monotonic() - started
    rest = server.rss_bytes() / (1 << 20)
    session = server.session()
    session.range(1).collect()
    session.stop()
    after = server.rss_bytes() / (1 << 20)
    server.stop()
    return ready, rest, after


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--without-spark", action="store_true")
    options = parser.parse_args()
    common.header("cold")
    ready, rest, after = min(server_start() for _ in range(options.rounds))
    print(f"  millstream serve: listens after {ready * 1000:.0f} ms; {rest:.0f} MiB at rest, {after:.0f} after a query")
    print(common.limit("memory at rest", rest, 64, "MiB"))
    engines = ["millstream"] + ([] if options.without_spark else ["spark"])
    best = {e: (float("inf"), float("inf")) for e in engines}
    for _ in range(options.rounds if options.without_spark else 2):
        for engine in engines:
            best[engine] = min(best[engine], once(engine))
    if "spark" in best:
        print(common.ratio("first row, spark / millstream, client included", best["spark"][0] / best["millstream"][0],
                           50))
        print(common.ratio("first row, spark / millstream, without Python's imports",
                           best["spark"][1] / best["millstream"][1], 50))


if __name__ == "__main__":
    main()
