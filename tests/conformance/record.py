"""Records the expected results of the conformance cases from real Spark.

usage: .venv-spark/bin/python tests/conformance/record.py [AREA ...] [--only-new | --check]

Needs tools/setup_spark.sh. Without names every area is recorded again. What is written is reviewed
like code: a changed line in expected/ is a changed promise.
"""

import argparse
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

import harness  # noqa: E402
from spark_oracle import oracle_session  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("areas", nargs="*")
    parser.add_argument("--only-new", action="store_true", help="keep what is already recorded")
    parser.add_argument("--check", action="store_true", help="compare with what is recorded; write nothing")
    options = parser.parse_args()
    spark = oracle_session()
    harness.EXPECTED.mkdir(exist_ok=True)
    for area in harness.load_areas():
        if options.areas and area.name not in options.areas:
            continue
        path = harness.EXPECTED / f"{area.name}.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        if options.check:
            for case in area.cases:
                difference = harness.difference(case, known[case.name], harness.run_case(case, spark))
                if difference:
                    print(f"  {case.id}: {difference}", flush=True)
            continue
        results = {}
        started = time.time()
        for case in area.cases:
            if options.only_new and case.name in known:
                results[case.name] = known[case.name]
                continue
            results[case.name] = harness.run_case(case, spark)
            error = results[case.name].get("error")
            if error:
                print(f"  {case.id}: {error['class']} {error['condition']}")
        lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in results.items()]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(f"{area.name}: {len(results)} cases in {time.time() - started:.1f} s", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
