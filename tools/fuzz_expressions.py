#!/usr/bin/env python3
"""Random expressions over typed columns, asked of real Spark and of Millstream; what differs is made smaller and
printed as an entry for tests/conformance/cases/fuzzed.py.

usage: .venv-spark/bin/python tools/fuzz_expressions.py [--count 500] [--seed 1] [--without-ansi]

Deterministic for a seed. One JVM is started (tests/spark_oracle.py).
"""

import argparse
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tests/conformance"))

# The same rows on both sides: 0, NULL, extremes and what is near.
TABLE = """
SELECT CAST(b AS BOOLEAN) b, CAST(i AS INT) i, CAST(j AS INT) j, CAST(l AS BIGINT) l, CAST(d AS DOUBLE) d,
  CAST(n AS DECIMAL(10,2)) n, CAST(m AS DECIMAL(20,5)) m, s, t, CAST(y AS DATE) y, CAST(z AS TIMESTAMP) z
FROM VALUES
  (true, 1, 3, 10, 1.5D, '1.25', '3.00001', 'a', '12', '2024-02-29', '2024-03-10 01:30:00'),
  (false, 0, -7, 0, -0.0D, '-0.01', '0', '', ' 7 ', '1970-01-01', '1969-12-31 23:59:59.999999'),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (true, -5, 2, 4000000000, 2.5D, '99999999.99', '-123456789.12345', 'Abc%_', '-3.5', '1999-12-31', '2000-01-01 00:00:00'),
  (false, 100, 31, -1, double('NaN'), '12.50', '2.5', 'ünï', 'x', '2024-12-31', '2024-06-15 12:00:00')
AS v(b, i, j, l, d, n, m, s, t, y, z)
"""
COLUMNS = {"bool": "b", "int": "i j", "long": "l", "double": "d", "dec": "n m", "str": "s t", "date": "y", "ts": "z"}
LITERALS = {
    "bool": "true false null", "int": "0 1 2 -3 7 null", "long": "0L 5L -9L", "double": "0.5D 1e3D -2.0D",
    "dec": "1.5 0.01 -12.345 100.0", "str": "'' 'a' '12' 'zz' 'Abc'", "date": "date'2024-01-31' date'1970-01-01'",
    "ts": "timestamp'2024-01-01 00:00:00'",
}
NUMBERS = ("int", "long", "double", "dec")
# Result type: templates; {x} is an expression of the type x, {num} of any number.
RULES = {
    "bool": ["({num} < {num})", "({num} = {num})", "({str} >= {str})", "({date} <> {date})", "({bool} AND {bool})",
             "({bool} OR {bool})", "(NOT {bool})", "({num} IS NULL)", "({str} IS NOT NULL)", "({int} IN ({int}, {int}, 3))",
             "({num} BETWEEN {num} AND {num})", "({num} <=> {num})", "({str} LIKE '%{word}_')", "contains({str}, {str})",
             "startswith({str}, {str})", "isnan({double})", "({str} IN ({str}, 'a'))", "({ts} > {date})"],
    "int": ["({int} + {int})", "({int} - {int})", "({int} * {int})", "({int} % {int})", "(- {int})", "abs({int})",
            "length({str})", "year({date})", "month({ts})", "dayofweek({date})", "datediff({date}, {date})",
            "CAST({bool} AS INT)", "CAST({double} AS INT)", "CAST({dec} AS INT)", "sign({int})", "ascii({str})",
            "instr({str}, {str})", "hour({ts})", "({int} & {int})", "size(array({int}, {int}))", "hash({num}, {str})",
            "levenshtein({str}, {str})", "quarter({date})"],
    "long": ["({long} + {int})", "({int} div {int})", "({long} * 3)", "CAST({str} AS BIGINT)", "unix_timestamp({ts})",
             "ceil({double})", "floor({double})", "bigint({dec})", "xxhash64({str}, {num})", "factorial({int})"],
    "double": ["({double} + {num})", "({num} / {int})", "sqrt({num})", "pow({int}, {int})", "double({str})", "exp({double})",
               "round({double}, 1)", "CAST({dec} AS DOUBLE)", "nanvl({double}, {double})", "greatest({double}, {double})",
               "months_between({ts}, {date})"],
    "dec": ["({dec} + {dec})", "({dec} - {int})", "({dec} * {dec})", "({dec} / {dec})", "({dec} % {dec})", "round({dec}, 1)",
            "CAST({num} AS DECIMAL(12,3))", "abs({dec})", "(- {dec})", "bround({dec}, 0)", "ceil({dec})",
            "coalesce({dec}, {int})", "greatest({dec}, {dec})", "CAST({str} AS DECIMAL(8,2))"],
    "str": ["concat({str}, {str})", "upper({str})", "lower({str})", "substring({str}, {int}, {int})", "trim({str})",
            "CAST({num} AS STRING)", "CAST({date} AS STRING)", "CAST({ts} AS STRING)", "CAST({bool} AS STRING)",
            "reverse({str})", "replace({str}, {str}, {str})", "lpad({str}, 4, {str})", "repeat({str}, 2)",
            "concat_ws('-', {str}, {str})", "initcap({str})", "nullif({str}, {str})", "date_format({ts}, 'yyyy-MM-dd')",
            "split_part({str}, 'b', 1)", "translate({str}, 'ab', 'x')", "md5({str})", "left({str}, {int})", "hex({int})"],
    "date": ["date_add({date}, {int})", "date_sub({date}, {int})", "CAST({ts} AS DATE)", "last_day({date})",
             "add_months({date}, {int})", "trunc({date}, 'MM')", "next_day({date}, 'MO')", "try_cast({str} AS DATE)",
             "least({date}, {date})"],
    "ts": ["CAST({date} AS TIMESTAMP)", "({ts} + interval 1 day)", "date_trunc('HOUR', {ts})", "timestamp_seconds({int})",
           "coalesce({ts}, {ts})", "({ts} - interval 2 hours)"],
}
ANY = ["coalesce({0}, {0})", "if({bool}, {0}, {0})", "CASE WHEN {bool} THEN {0} WHEN {bool} THEN {0} ELSE {0} END",
       "nvl({0}, {0})", "nvl2({num}, {0}, {0})", "array({0}, {0})[0]"]


class Term:
    """A template with its terms."""

    def __init__(self, kind, template, parts):
        self.kind, self.template, self.parts = kind, template, parts

    def text(self):
        return self.template.format(*[p.text() for p in self.parts])


def random_term(kind, depth, rng):
    if kind == "num":
        kind = rng.choice(NUMBERS)
    if depth == 0 or rng.random() < 0.15:
        choices = COLUMNS[kind] if rng.random() < 0.75 else LITERALS[kind]
        choice = rng.choice(choices.split())
        if kind == "ts" and choice.startswith("timestamp'"):
            choice = LITERALS["ts"]
        return Term(kind, choice.replace("{", "{{").replace("}", "}}"), [])
    template = rng.choice(RULES[kind]) if rng.random() < 0.85 else rng.choice(ANY).replace("{0}", "{%s}" % kind)
    parts, out = [], ""
    while "{" in template:
        before, rest = template.split("{", 1)
        wanted, template = rest.split("}", 1)
        if wanted == "word":
            out += before + rng.choice("abx")
            continue
        out += before + "{%d}" % len(parts)
        parts.append(random_term(wanted, depth - 1, rng))
    return Term(kind, out + template, parts)


def subterms(term):
    for part in term.parts:
        yield part
        yield from subterms(part)


def smaller(term, rng):
    """Terms that may show the same difference: parts of it, and it with a part replaced by a column."""
    yield from sorted(subterms(term), key=lambda t: len(t.text()))
    for i, part in enumerate(term.parts):
        for leaf in (random_term(part.kind, 0, rng) for _ in range(3)):
            if part.parts:
                yield Term(term.kind, term.template, [*term.parts[:i], leaf, *term.parts[i + 1:]])
        for inner in smaller(part, rng):
            if inner.kind == part.kind:
                yield Term(term.kind, term.template, [*term.parts[:i], inner, *term.parts[i + 1:]])


def answer(session, text):
    import harness

    try:
        frame = session.sql(f"SELECT {text} AS r FROM f")
        field = frame.schema.fields[0]
        return {"type": field.dataType.simpleString(),
                "rows": [harness.encode(row[0]) if hasattr(harness, "encode") else repr(row[0]) for row in frame.collect()]}
    except Exception as error:  # noqa: BLE001: the condition is the answer
        condition = getattr(error, "getCondition", lambda: None)()
        return {"error": condition or type(error).__name__}


def is_refusal(got):
    return got.get("error") == "UnsupportedOperationException"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--without-ansi", action="store_true")
    options = parser.parse_args()
    from millstream_server import Server, connect

    oracle = subprocess.Popen([sys.executable, ROOT / "tests/spark_oracle.py"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    remote = next(line.split(" ", 1)[1].strip() for line in oracle.stdout if line.startswith("REMOTE "))
    server = Server()
    sessions = [connect(remote, {}), server.session()]
    for session in sessions:
        session.conf.set("spark.sql.session.timeZone", "UTC")
        session.conf.set("spark.sql.ansi.enabled", "false" if options.without_ansi else "true")
        session.sql(TABLE).createOrReplaceTempView("f")
    rng = random.Random(options.seed)
    differences, refused, errors = {}, 0, 0
    for _ in range(options.count):
        term = random_term(rng.choice(list(RULES)), options.depth, rng)
        expected, got = (answer(s, term.text()) for s in sessions)
        errors += "error" in expected
        if is_refusal(got):
            refused += 1
            continue
        if expected == got:
            continue
        small, looked = term, 0
        found = True
        while found and looked < 60:
            found = False
            for candidate in smaller(small, rng):
                if len(candidate.text()) >= len(small.text()):
                    continue
                looked += 1
                a, b = (answer(s, candidate.text()) for s in sessions)
                if a != b and not is_refusal(b):
                    small, expected, got, found = candidate, a, b, True
                    break
                if looked >= 60:
                    break
        if small.text() not in differences:
            differences[small.text()] = (expected, got)
            print(f"    {small.text()!r}: {small.text()!r},\n      # Spark {expected}\n      # here  {got}", flush=True)
    print(f"{options.count} expressions, seed {options.seed}: {errors} errors of Spark's, {refused} refused here, "
          f"{len(differences)} differences")
    server.stop()
    oracle.stdin.close()
    oracle.wait(30)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
