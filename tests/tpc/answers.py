"""Runs the queries of tests/tpc/{tpch,tpcds} over any session and writes or compares their answers.

`.venv-spark/bin/python tests/tpc/answers.py` records real Spark's in tests/tpc/{tpch,tpcds}/answers.json.
"""

import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def queries_of(kind):
    return json.loads((HERE / kind / "queries.json").read_text())


def value_text(value):
    return None if value is None else repr(value) if isinstance(value, float) else str(value)


def rows_of(session, text):
    """Names and rows, the rows as texts."""
    frame = session.sql(text)
    rows = frame.collect()
    return {"columns": frame.columns, "types": [f.dataType.simpleString() for f in frame.schema],
            "rows": [[value_text(v) for v in row] for row in rows]}


def same_value(a, b):
    if a == b:
        return True
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-9) and ("." in a or "e" in a)
    except (TypeError, ValueError):
        return False


def sort_key(row):
    # What is added up in another order differs in its last digits.
    def key(text):
        try:
            return f"{float(text):.6g}"
        except (TypeError, ValueError):
            return text or ""

    return [key(v) for v in row]


def difference(expected, got):
    """Nothing when the answers are the same but for the order of rows that a query leaves open."""
    for part in ("columns", "types"):
        if expected[part] != got[part]:
            return f"{part}: {expected[part]} and {got[part]}"
    if len(expected["rows"]) != len(got["rows"]):
        return f"{len(expected['rows'])} rows and {len(got['rows'])}"
    for a, b in zip(sorted(expected["rows"], key=sort_key), sorted(got["rows"], key=sort_key)):
        if not all(map(same_value, a, b)):
            return f"{a} and {b}"
    return None


def record():
    sys.path.insert(0, str(HERE.parent))
    from spark_oracle import oracle_session

    session = oracle_session()
    for kind in sys.argv[1:] or ("tpch", "tpcds"):
        for file in sorted((HERE / kind).glob("*.parquet")):
            session.read.parquet(str(file)).createOrReplaceTempView(file.stem)
        answers = []
        for number, text in enumerate(queries_of(kind), 1):
            try:
                answers.append(rows_of(session, text))
            except Exception as error:  # noqa: BLE001: the answer is what Spark says
                answers.append({"error": getattr(error, "getCondition", lambda: None)() or type(error).__name__})
                print(kind, number, str(error)[:300], flush=True)
        lines = ",\n".join(json.dumps(a) for a in answers)
        (HERE / kind / "answers.json").write_text(f"[\n{lines}\n]\n")
    session.stop()


if __name__ == "__main__":
    record()
