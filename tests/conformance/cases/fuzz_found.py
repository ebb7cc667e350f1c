"""Queries in which Millstream once differed from Spark, found by tools/fuzz_expressions.py and made small by it.
They stand in fuzz_found.txt, one a line, with the settings that they were asked in."""

from cases._fuzz import SETTINGS, found, register
from harness import Area

area = Area("fuzz_found")


def _query(text):
    def run(c):
        register(c.spark)
        return c.spark.sql(text)

    return run


for settings, text in found():
    area.case_of(f"{settings} | {text}", _query(text), ordered=text.upper().endswith(" ORDER BY ID"), conf=SETTINGS[settings])
