"""Conformance cases: one program, run against real Spark when recorded and against Millstream when
replayed. This file holds what both sides share: how a case is declared, run and turned into JSON.

A case is a function of a `Ctx`. What it returns decides what is compared:
  DataFrame        schema JSON and rows (as a multiset, or in order when declared `ordered`)
  str / JSON value the value itself
  an exception     Python class, condition, SQLSTATE and message parameters
"""

import datetime
import decimal
import importlib
import io
import json
import math
import os
import pathlib
import re
import tempfile
import time
from contextlib import redirect_stdout

HERE = pathlib.Path(__file__).parent
EXPECTED = HERE / "expected"

# `collect()` gives timestamps in the client's zone: both sides run with the same one.
os.environ["TZ"] = "UTC"
time.tzset()


class Case:
    def __init__(self, area, name, run, ordered=False, conf=None, loose=()):
        self.area = area
        self.name = name
        self.run = run
        self.ordered = ordered
        self.conf = dict(conf or {})
        self.loose = frozenset(loose)  # message parameters whose text is free (plans, paths)

    @property
    def id(self):
        return f"{self.area}/{self.name}"


class Area:
    """Collects the cases of one file under cases/."""

    def __init__(self, name, **conf):
        self.name = name
        self.conf = {"spark.sql.session.timeZone": "UTC", **conf}
        self.cases = []

    def _add(self, name, run, ordered=False, conf=None, loose=()):
        if any(c.name == name for c in self.cases):
            raise ValueError(f"two cases are named {self.name}/{name}")
        self.cases.append(Case(self.name, name, run, ordered, {**self.conf, **(conf or {})}, loose))

    def case(self, ordered=False, conf=None, loose=()):
        """Declares a function of Ctx as a case under its own name."""

        def declare(function):
            self._add(function.__name__, function, ordered, conf, loose)
            return function

        return declare

    def case_of(self, name, run, ordered=False, conf=None):
        """Declares a function of Ctx as a case under a name that is no Python name."""
        self._add(name, run, ordered, conf)

    def exprs(self, frame, texts, prefix="", conf=None):
        """One case for each SQL expression, evaluated over `frame(ctx)`."""
        for name, text in texts.items():
            self._add(
                prefix + name,
                lambda c, text=text: frame(c).select(c.F.expr(text)),
                ordered=True,
                conf=conf,
            )

    def lines(self, frame, text, suffix="", conf=None):
        """One case for each line of `text`, an SQL expression that is also the case's name."""
        self.exprs(frame, {line + suffix: line for line in lines_of(text)}, conf=conf)

    def aggregates(self, frame, text, key=None, suffix="", conf=None):
        """As `lines`, with aggregates over the whole frame, or over each group of `key`."""
        for line in lines_of(text):

            def run(c, line=line):
                if key is None:
                    return frame(c).agg(c.F.expr(line))
                return frame(c).groupBy(key).agg(c.F.expr(line))

            self._add(line + suffix, run, conf=conf)

    def cols(self, frame, columns, prefix="", conf=None):
        """One case for each Column built by a function of `F`, evaluated over `frame(ctx)`."""
        for name, build in columns.items():
            def run(c, build=build):
                built = build(c.F)
                return frame(c).select(*(built if isinstance(built, (list, tuple)) else [built]))

            self._add(prefix + name, run, ordered=True, conf=conf)


class Ctx:
    """What a case may use: a session, the functions module and an empty folder."""

    def __init__(self, spark, folder):
        from pyspark.sql import Window, functions, types

        self.spark = spark
        self.F = functions
        self.T = types
        self.Window = Window
        self.folder = folder

    def path(self, name):
        return str(pathlib.Path(self.folder) / name)

    def write(self, name, data):
        path = pathlib.Path(self.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    def printed(self, action):
        out = io.StringIO()
        with redirect_stdout(out):
            action()
        return out.getvalue()


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def one(c):
    """The frame of constant expressions."""
    return c.spark.range(1)


def load_areas():
    import sys

    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    names = sorted(p.stem for p in (HERE / "cases").glob("*.py") if not p.stem.startswith("_"))
    return [importlib.import_module(f"cases.{n}").area for n in names]


def encode(value):
    """A value as JSON that keeps its Python type."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return {"$float": "NaN"}
        if math.isinf(value):
            return {"$float": "Infinity" if value > 0 else "-Infinity"}
        return {"$float": repr(value)}
    if isinstance(value, decimal.Decimal):
        return {"$decimal": format(value, "f")}
    if isinstance(value, datetime.datetime):
        return {"$timestamp": value.isoformat()}
    if isinstance(value, datetime.date):
        return {"$date": value.isoformat()}
    if isinstance(value, datetime.time):
        return {"$time": value.isoformat()}
    if isinstance(value, datetime.timedelta):
        return {"$interval_us": value // datetime.timedelta(microseconds=1)}
    if isinstance(value, (bytes, bytearray)):
        return {"$binary": bytes(value).hex()}
    if type(value).__name__ == "VariantVal":
        return {"$variant": [value.value.hex(), value.metadata.hex()]}
    if hasattr(value, "__fields__"):
        return {"$row": [[f, encode(v)] for f, v in zip(value.__fields__, value)]}
    if isinstance(value, dict):
        pairs = [[encode(k), encode(v)] for k, v in value.items()]
        return {"$map": sorted(pairs, key=json.dumps)}
    if isinstance(value, (list, tuple)):
        return [encode(v) for v in value]
    raise TypeError(f"no JSON form for {type(value)}")


def normalise(text, folder):
    """Takes out of a text what differs from run to run."""
    text = text.replace(folder, "$TMP").replace("file://$TMP", "file:$TMP")
    text = text.replace(str(pathlib.Path(__file__).resolve().parents[2]), "$ROOT")
    text = re.sub(r"/tmp/spark-oracle-\w+", "/spark", text)  # where the recorder's own tables are
    text = re.sub(r"#\d+L?", "#N", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "$UUID", text)
    return text


def shortened(text):
    """A long text by its ends and its length."""
    if len(text) <= 1000:
        return text
    return f"{text[:100]}...{text[-100:]} ({len(text)} characters)"


def sentence(message):
    """The message without stack traces, plans and places in the program's source."""
    for mark in ("\n\nJVM stacktrace", "\n== DataFrame ==", "\n== SQL", ";\n"):
        message = message.split(mark)[0]
    return message.strip()[:400]


def encode_error(error, folder):
    out = {"class": type(error).__name__}
    for key, getter in (
        ("condition", "getCondition"),
        ("sqlState", "getSqlState"),
        ("parameters", "getMessageParameters"),
    ):
        value = getattr(error, getter, lambda: None)()
        if isinstance(value, dict):
            value = {k: shortened(normalise(str(v), folder)) for k, v in sorted(value.items())}
        out[key] = value
    out["message"] = sentence(normalise(str(error), folder))
    return out


def encode_result(result, folder):
    from pyspark.sql import DataFrame

    if isinstance(result, DataFrame):
        schema = json.loads(normalise(result.schema.json(), folder))
        rows = [[encode(v) for v in row] for row in result.collect()]
        rows = json.loads(normalise(json.dumps(rows), folder))
        return {"schema": schema, "rows": rows}
    if isinstance(result, str):
        return {"text": normalise(result, folder)}
    return {"value": json.loads(normalise(json.dumps(encode(result)), folder))}


def run_case(case, spark):
    """Runs one case; whatever it does ends up in the returned JSON."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        folder = os.path.realpath(folder)
        touched = dict(case.conf)
        ctx = Ctx(spark, folder)
        try:
            for key, value in touched.items():
                spark.conf.set(key, value)
            return encode_result(case.run(ctx), folder)
        except Exception as error:  # noqa: BLE001: the error is the result
            return {"error": encode_error(error, folder)}
        finally:
            for key in touched:
                try:
                    spark.conf.unset(key)
                except Exception:  # noqa: BLE001: the server died in the case; that is reported there
                    break


def first_line(error):
    return error["message"].strip().split("\n")[0]


def same_float(a, b):
    """Doubles may differ in the last digits where the order of additions is free."""
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    return math.isclose(x, y, rel_tol=1e-12)


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        if set(a) != set(b):
            return False
        if set(a) == {"$float"}:
            return same_float(a["$float"], b["$float"])
        return all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b


def strip_schema(schema):
    """Field metadata that only tells the client where a name came from does not count."""
    if isinstance(schema, dict):
        out = {k: strip_schema(v) for k, v in schema.items()}
        if isinstance(out.get("metadata"), dict):
            out["metadata"] = {
                k: v for k, v in out["metadata"].items() if not k.startswith("__")
            }
        return out
    if isinstance(schema, list):
        return [strip_schema(v) for v in schema]
    return schema


def difference(case, expected, actual):
    """None when the results agree, else a text that says where they part."""
    for kind in ("error", "schema", "text", "value"):
        if (kind in expected) != (kind in actual):
            return f"expected {json.dumps(expected)[:1500]}\nbut got  {json.dumps(actual)[:1500]}"
    if "error" in expected:
        e, a = expected["error"], actual["error"]
        for key in ("class", "condition", "sqlState"):
            if e.get(key) != a.get(key):
                return f"error {key}: expected {e.get(key)!r}, got {a.get(key)!r}\n{a['message']}"
        if e.get("condition") is None and first_line(e) != first_line(a):
            return f"error message: expected {first_line(e)!r}, got {first_line(a)!r}"
        ep, ap = e.get("parameters") or {}, a.get("parameters") or {}
        for key in sorted(set(ep) | set(ap)):
            if key not in case.loose and ep.get(key) != ap.get(key):
                return f"error parameter {key}: expected {ep.get(key)!r}, got {ap.get(key)!r}"
        return None
    if "text" in expected:
        if expected["text"] == actual["text"]:
            return None
        return f"expected text:\n{expected['text']}\ngot:\n{actual['text']}"
    if "value" in expected:
        if same(expected["value"], actual["value"]):
            return None
        return f"expected {expected['value']!r}, got {actual['value']!r}"
    es, as_ = strip_schema(expected["schema"]), strip_schema(actual["schema"])
    if es != as_:
        return f"schema: expected\n{json.dumps(es)}\ngot\n{json.dumps(as_)}"
    er, ar = expected["rows"], actual["rows"]
    if not case.ordered:
        er, ar = sorted(er, key=json.dumps), sorted(ar, key=json.dumps)
    if len(er) != len(ar):
        return f"rows: expected {len(er)}, got {len(ar)}\n{er[:20]}\n{ar[:20]}"
    for i, (x, y) in enumerate(zip(er, ar)):
        if not same(x, y):
            return f"row {i}: expected {x}\ngot {y}"
    return None
