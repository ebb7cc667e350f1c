"""The list of cases names tests that exist."""

import pathlib
import re

TESTS = pathlib.Path(__file__).resolve().parent.parent


def test_each_case_names_its_tests():
    defined = {name for folder in ("e2e", "delta") for path in (TESTS / folder).glob("test_*.py")
               for name in re.findall(r"^def (test_\w+)", path.read_text(), re.M)}
    rows = [line for line in (TESTS / "cases.md").read_text().splitlines() if re.match(r"\| [A-Z]{2}\d\d", line)]
    assert len(rows) > 30
    for row in rows:
        names = re.findall(r"`([\w/.]+)`", row.rsplit("|", 2)[1])
        assert names, row
        missing = [n for n in names if n not in defined and not (TESTS / n).exists()]
        assert not missing, f"{row[:8]}: {missing}"
