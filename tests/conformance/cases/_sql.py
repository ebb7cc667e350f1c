"""What the areas of SQL text share: views to query, and how texts become cases."""

import datetime
import decimal
import re

D = datetime.date


def views(c):
    """The session, with the views that the texts name; made once for each session."""
    spark = c.spark
    if getattr(spark, "_sql_views", False):
        return spark

    def view(name, rows, schema):
        spark.createDataFrame(rows, schema).createOrReplaceTempView(name)

    view(
        "t",
        [("a", 1, 1.5), ("a", 2, 2.5), ("b", 3, None), ("b", None, 0.5), (None, 5, 9.0)],
        "k string, v int, d double",
    )
    view("u", [("a", 10), ("b", 20), ("b", 21), ("c", 30), (None, 99)], "k string, w int")
    view(
        "emp",
        [
            (1, "Ann", 10, decimal.Decimal("100.50"), D(2020, 1, 15), None),
            (2, "Bob", 10, decimal.Decimal("80.00"), D(2021, 3, 1), 1),
            (3, "Cid", 20, decimal.Decimal("80.00"), D(2021, 3, 1), 1),
            (4, "Dee", 20, decimal.Decimal("120.25"), D(2019, 7, 9), 3),
            (5, "Eve", 30, None, None, 3),
            (6, "Fay", None, decimal.Decimal("60.00"), D(2022, 12, 31), 2),
        ],
        "id int, name string, dept int, salary decimal(10,2), hired date, boss int",
    )
    view("dept", [(10, "Ops"), (20, "Dev"), (40, "Law")], "id int, name string")
    view(
        "nest",
        [
            (1, [1, 2], {"x": 1}, (1, "p")),
            (2, [], {}, (2, None)),
            (3, None, None, None),
            (4, [3, None], {"y": None, "z": 3}, (4, "q")),
        ],
        "id int, xs array<int>, m map<string,int>, s struct<a:int,b:string>",
    )
    spark._sql_views = True
    return spark


def scripts(area):
    """Declares cases of `area`: some statements, the last one's rows or error compared. $TMP is the case's folder."""

    def script(name, *texts, ordered=False, conf=None, loose=()):
        def run(c):
            spark = views(c)
            for text in texts[:-1]:
                spark.sql(text.replace("$TMP", str(c.folder))).collect()
            return spark.sql(texts[-1].replace("$TMP", str(c.folder)))

        area._add(name, run, ordered, conf, loose)

    return script


def queries(area, texts, ordered=False, prefix="", conf=None):
    """One case for each text: schema and rows of `spark.sql(text)`, or its error."""
    for name, text in texts.items():
        area._add(prefix + name, lambda c, text=text: views(c).sql(text), ordered, conf)


def messages(area, texts, prefix=""):
    """One case for each text that must fail: the whole message, with the marked place."""

    def run(c, text):
        try:
            views(c).sql(text).collect()
        except Exception as error:  # noqa: BLE001: the error is the result
            text = str(error).split("\n\nJVM stacktrace")[0]
            # The plan that Spark shows of some errors is its own.
            return type(error).__name__ + "\n" + re.sub(r"(; line \d+ pos \d+|SQLSTATE: \w+);\n['!A-Z].*", r"\1", text, flags=re.S)
        return "no error"

    for name, text in texts.items():
        area._add(prefix + name, lambda c, text=text: run(c, text))
