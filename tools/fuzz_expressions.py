#!/usr/bin/env python3
"""Random expressions and queries over typed columns, asked of real Spark and of Millstream. What differs is made
smaller, and with --keep it becomes a line of tests/conformance/cases/fuzz_found.txt, which record.py records.

usage: .venv-spark/bin/python tools/fuzz_expressions.py [--count 3000] [--seconds 240] [--seed 1] [--depth 4] [--keep]
       … --queries FILE, or --replay FILE (tests/README.md)

Deterministic for a seed. First each expression goes to Millstream alone, which tells a crash and a hang apart. Then one
JVM is started (tests/spark_oracle.py), for `--seconds` at most: what has a result here goes there many in a select, and
in halves where that fails. Compared are rows, names, types, nullability, and the condition of an error. `--answers FILE`
keeps what Spark said, and `--replay FILE` compares that without a JVM.
"""

import argparse
import collections
import json
import logging
import math
import pathlib
import random
import re
import subprocess
import sys
import threading
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conformance"), str(ROOT / "tools")]

import fuzz_grammar  # noqa: E402
import fuzz_terms  # noqa: E402
import harness  # noqa: E402
from cases import _fuzz  # noqa: E402
from millstream_server import Server, connect  # noqa: E402

BATCH = 24  # expressions in one select
HANG_SECONDS = 20
LOOKS = 6  # rounds of making smaller
REFUSED = ("UNSUPPORTED_FEATURE.MILLSTREAM", "UnsupportedOperationException")


class Item:
    """An expression of a select list with what follows the list, or a whole query when nothing does."""

    def __init__(self, settings, term, tail, text=None):
        self.settings, self.term, self.tail = settings, term, tail
        self.text = term.text() if term else text

    def query(self):
        return f"SELECT {self.text} {self.tail}" if self.tail else self.text

    def ordered(self):
        return self.tail == "FROM f" and not self.aggregates() or " ORDER BY id" in self.query()[-30:]

    def aggregates(self):
        """Whether its select list has a row for many: a constant beside it would have as few."""
        return self.term is not None and self.term.kind == "aggregate"


def run(session, query):
    """One round trip: (names, types, columns of encoded values)."""
    from pyspark.sql.conversion import ArrowTableToRowsConversion
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import SQL

    table, schema = DataFrame(SQL(query), session)._to_table()
    rows = ArrowTableToRowsConversion.convert(table, schema, binary_as_bytes=True)
    columns = [[harness.encode(row[i]) for row in rows] for i in range(len(schema.fields))]
    return harness.strip_schema(json.loads(schema.json()))["fields"], columns, len(rows)


def error_of(error):
    condition = getattr(error, "getCondition", lambda: None)()
    return {"error": condition or type(error).__name__, "text": str(error)[:300]}


def answer(session, query):
    try:
        fields, columns, rows = run(session, query)
        return {"fields": fields, "columns": columns, "rows": rows}
    except Exception as error:  # noqa: BLE001: the condition is the answer
        return error_of(error)


class Here:
    """Millstream: started again whenever an expression ends it or does not end."""

    def __init__(self):
        self.server, self.sessions = Server(), {}

    def session(self, settings):
        if settings not in self.sessions:
            self.sessions[settings] = prepared(self.server.session(), settings)
        return self.sessions[settings]

    def answer(self, item):
        hung = threading.Event()

        def end():
            hung.set()
            self.server.process.kill()

        session = self.session(item.settings)
        timer = threading.Timer(HANG_SECONDS, end)
        timer.start()
        got = answer(session, item.query())
        timer.cancel()
        if hung.is_set() or "error" in got and died(self.server):
            self.server.process.wait()
            tail = self.server.output()[-600:]
            self.server, self.sessions = Server(), {}
            return {"error": "HANG" if hung.is_set() else "CRASH", "text": tail}
        return got


def died(server):
    time.sleep(0.02)
    return server.process.poll() is not None


def prepared(session, settings):
    for key, value in _fuzz.SETTINGS[settings].items():
        session.conf.set(key, value)
    _fuzz.register(session)
    return session


class Reference:
    """Real Spark in a process of its own."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, ROOT / "tests/spark_oracle.py"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.remote = next(line.split(" ", 1)[1].strip() for line in self.process.stdout if line.startswith("REMOTE "))
        self.sessions = {}

    def session(self, settings):
        if settings not in self.sessions:
            session = connect(self.remote, {})
            for key in ("spark.sql.codegen.wholeStage", "spark.sql.adaptive.enabled"):
                session.conf.set(key, "false")  # each query runs once; to compile it takes longer
            session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            session.conf.set("spark.sql.shuffle.partitions", "1")
            self.sessions[settings] = prepared(session, settings)
        return self.sessions[settings]

    def answers(self, items, hopeful):
        """The answers to items of one kind; those that are hopeful are asked together first."""
        out = {}
        together = [item for item in items if item.tail and hopeful(item)]
        for item in items:
            if not (item.tail and hopeful(item)):
                out[item] = answer(self.session(item.settings), item.query())
        groups = collections.defaultdict(list)
        for item in together:
            groups[item.settings, item.tail, item.aggregates()].append(item)
        for group in groups.values():
            for start in range(0, len(group), BATCH):
                self.ask_together(group[start:start + BATCH], out)
        return out

    def ask_together(self, group, out):
        session = self.session(group[0].settings)
        if len(group) == 1:
            out[group[0]] = answer(session, group[0].query())
            return
        try:
            fields, columns, rows = run(session, f"SELECT {', '.join(i.text for i in group)} {group[0].tail}")
            if len(fields) != len(group):  # an expression of more than one column
                raise ValueError(len(fields))
            for item, field, column in zip(group, fields, columns):
                out[item] = {"fields": [field], "columns": [column], "rows": rows}
        except Exception:  # noqa: BLE001: one of them; which, the halves tell
            half = len(group) // 2
            self.ask_together(group[:half], out)
            self.ask_together(group[half:], out)

    def stop(self):
        self.process.stdin.close()
        self.process.wait(30)


def same(a, b):
    """As the conformance cases compare, and the sign of zero counts."""
    if isinstance(a, dict) and isinstance(b, dict):
        if set(a) == {"$float"} == set(b):
            x, y = float(a["$float"]), float(b["$float"])
            return a == b or x != 0 and math.isclose(x, y, rel_tol=1e-12)
        return set(a) == set(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b


def nullability(value):
    """A schema without what says that NULL may stand somewhere."""
    if isinstance(value, dict):
        return {k: nullability(v) for k, v in value.items() if k not in ("nullable", "containsNull", "valueContainsNull")}
    return [nullability(v) for v in value] if isinstance(value, list) else value


def is_named(answer_):
    return answer_["error"].upper() == answer_["error"]


def is_of_analysis(answer_):
    return answer_["error"].startswith(("DATATYPE_MISMATCH", "UNRESOLVED", "WRONG_NUM_ARGS", "MISSING_", "PARSE", "INVALID_EXTRACT"))


def is_order_of_errors(item, part, expected, got):
    """Both fail when a row is computed, in different parts: which part comes first is left to the engine."""
    calls = item.term and sum(bool(t.parts) for t in item.term.parts) > 1
    return part == "error" and calls and not is_of_analysis(expected) and not is_of_analysis(got)


def part_of_difference(item, expected, got):
    """None when they agree, else what differs: the worst first."""
    if got.get("error") in ("CRASH", "HANG"):
        return got["error"].lower()
    if "error" in got or "error" in expected:
        if expected.get("error") == got.get("error"):
            return None
        if "error" in expected and "error" in got and not (is_named(expected) or is_named(got)):
            return None  # exceptions of Java's that have no condition
        if got.get("error") in REFUSED or "not supported" in got.get("text", ""):
            return "refused" if "error" not in expected else None
        if "error" not in expected:
            return "error here"
        return "no error here" if "error" not in got else "error"
    if [f["type"] for f in nullability(expected["fields"])] != [f["type"] for f in nullability(got["fields"])]:
        return "type"
    rows = [list(map(list, zip(*a["columns"]))) for a in (expected, got)]
    if not item.ordered():
        rows = [sorted(r, key=json.dumps) for r in rows]
    if len(rows[0]) != len(rows[1]) or not same(*rows):
        return "rows"
    if [f["name"] for f in expected["fields"]] != [f["name"] for f in got["fields"]]:
        return "name"
    return None if expected["fields"] == got["fields"] else "nullability"


def shown(answer_, other):
    """What there is to see of an answer beside another."""
    if "error" in answer_:
        return f"{answer_['error']} {answer_['text'][:160]!r}"
    if "error" in other or other["fields"] != answer_["fields"]:
        return json.dumps([answer_["fields"], answer_["columns"]], ensure_ascii=False)[:500]
    rows = list(zip(zip(*answer_["columns"]), zip(*other["columns"])))
    return json.dumps([a for a, b in rows if not same(list(a), list(b))] or answer_["columns"], ensure_ascii=False)[:300]


def shape_of(query):
    """The functions and operators of a query, without columns and literals."""
    text = re.sub(r"(date|timestamp|timestamp_ntz|X|interval)?'(\\.|[^'\\])*'|\b\d[\w.]*", "?", query)
    for names in fuzz_grammar.COLUMNS.values():
        text = re.sub(r"\b(%s)\b(?!\()" % "|".join(names.split()), "c", text)
    return re.sub(r"\bv\d+\b", "v", text)


def listed_shapes():
    """The shapes of the cases that known_differences.txt lists."""
    lines = (ROOT / "tests/conformance/known_differences.txt").read_text().splitlines()
    listed = [line.split(" | ", 1)[1].rsplit(": ", 1)[0] for line in lines if line.startswith("fuzz_found/")]
    return {shape_of(query) for query in listed}


class Findings:
    """The differences, each once: two of one shape with one outcome are likely one."""

    def __init__(self, keep):
        self.keep, self.by_signature, self.refused = keep, {}, collections.Counter()
        self.again = 0
        self.known = {tuple(line) for line in _fuzz.found()}
        self.listed = listed_shapes()
        self.culprits = set()  # (part, template) of what has been found: what has it in it is not looked at again

    def has_culprit(self, part, term):
        """Whether the term most likely shows what was found before; a later run tells, when that is mended."""
        terms = [term, *fuzz_terms.subterms(term)]
        same_again = any((part, tuple(t.pieces)) in self.culprits for t in terms if t.parts)
        self.again += same_again
        return same_again

    def add(self, part, item, expected, got):
        key = part, shape_of(item.query()), expected.get("error"), got.get("error")
        if item.term:
            self.culprits.add((part, tuple(item.term.pieces)))
        if key in self.by_signature or key[1] in self.listed or (item.settings, item.query()) in self.known:
            return
        self.by_signature[key] = item
        print(f"[{part}] {item.settings} | {item.query()}\n    Spark {shown(expected, got)}\n    here  {shown(got, expected)}",
              flush=True)
        if self.keep:
            with open(_fuzz.FOUND, "a") as out:
                out.write(f"{item.settings} | {item.query()}\n")


class Fuzzer:
    def __init__(self, options):
        self.options, self.rng = options, random.Random(options.seed)
        self.here, self.reference = Here(), None
        self.findings = Findings(options.keep)
        self.asked = self.errors = 0
        self.answers = open(options.answers, "w") if options.answers else None

    def compare(self, items, got=None):
        """(item, part, expected, got) of those that differ."""
        got = got or {item: self.here.answer(item) for item in items}
        expected = self.reference.answers(items, lambda item: "error" not in got[item])
        for item in items:
            if self.answers:
                line = [item.settings, item.text, item.tail, expected[item]]
                self.answers.write(json.dumps(line, ensure_ascii=False) + "\n")
        self.errors += sum("error" in a for a in expected.values())
        return [found for item in items if (found := self.difference(item, expected[item], got[item]))]

    def difference(self, item, expected, got):
        part = part_of_difference(item, expected, got)
        if part and "error" not in expected and item.tail:
            # What it is beside others, it may not be alone.
            expected = answer(self.reference.session(item.settings), item.query())
            part = part_of_difference(item, expected, got)
        return (item, part, expected, got) if part else None

    def items(self):
        if self.options.queries:
            for line in open(self.options.queries):
                settings, text = line.strip().split(" | ", 1)
                yield Item(settings, None, None, text)
            return
        for _ in range(self.options.count):
            term, tail = fuzz_terms.random_query(self.rng, self.options.depth)
            yield Item(self.options.settings or self.rng.choice(list(_fuzz.SETTINGS)), term, tail)

    def round(self, items, got):
        self.asked += len(items)
        for item, part, expected, here in self.compare(items, got):
            if part == "refused":
                self.findings.refused[re.sub(r"'.*?'|\d+", "?", here["text"])[:110]] += 1
                continue
            if item.term and self.findings.has_culprit(part, item.term):
                continue
            small = (part, item, expected, here) if self.options.queries else self.made_smaller(item, part, expected, here)
            if is_order_of_errors(small[1], part, small[2], small[3]):
                self.findings.refused["(two errors, in another order)"] += 1
                continue
            self.findings.add(*small)

    def made_smaller(self, item, part, expected, got):
        for _ in range(LOOKS):
            terms = fuzz_terms.smaller(item.term, self.rng, item.tail is None)[:BATCH]
            candidates = [Item(item.settings, t, item.tail if t.kind == item.term.kind else "FROM f") for t in terms]
            hit = next((found for found in self.compare(candidates) if found[1] == part), None)
            if not hit:
                break
            item, _, expected, got = hit
        return part, item, expected, got

    def run(self):
        got = {item: self.here.answer(item) for item in self.items()}
        self.reference = Reference()
        end, items = time.monotonic() + self.options.seconds, list(got)
        while items and time.monotonic() < end:
            some, items = items[:BATCH * 8], items[BATCH * 8:]
            self.round(some, {item: got[item] for item in some})
        for text, count in self.findings.refused.most_common(25):
            print(f"not looked at {count}: {text}")
        print(f"{self.asked} expressions, seed {self.options.seed}: {self.errors} errors of Spark's, "
              f"{sum(self.findings.refused.values())} not looked at, {len(self.findings.by_signature)} differences, "
              f"{self.findings.again} more that are likely of these")
        self.reference.stop()
        self.here.server.stop()
        return bool(self.findings.by_signature)


def replay(path, wanted):
    """Compares what Spark once said with what is said here now."""
    here, findings, count = Here(), Findings(False), 0
    for line in open(path):
        settings, text, tail, expected = json.loads(line)
        item = Item(settings, None, tail, text)
        got = here.answer(item)
        count += 1
        part = part_of_difference(item, expected, got)
        if part and part != "refused" and (not wanted or part in wanted):
            findings.add(part, item, expected, got)
    print(f"{count} compared: {len(findings.by_signature)} differences")
    here.server.stop()
    return bool(findings.by_signature)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--settings", choices=list(_fuzz.SETTINGS), help="those of one session only")
    parser.add_argument("--keep", action="store_true", help="write what is found to cases/fuzz_found.txt")
    parser.add_argument("--queries", help="a file in the form of fuzz_found.txt, to ask in place of what chance makes")
    parser.add_argument("--answers", help="file for what Spark said")
    parser.add_argument("--replay", help="a file of --answers: compare again, without a JVM")
    parser.add_argument("--parts", help="of --replay: show these only, as rows,crash")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # errors are answers
    fuzz_grammar.complete()
    if options.replay:
        sys.exit(replay(options.replay, (options.parts or "").split(",") if options.parts else None))
    sys.exit(Fuzzer(options).run())


if __name__ == "__main__":
    main()
