"""Replays the recorded conformance cases against Millstream, without a JVM: one test a case.

Cases that Millstream refuses by name on purpose are in refused.txt with the reason; those that it gets
wrong are in known_differences.txt. Both are run and counted as xfailed; one that has come to agree with
Spark is counted as xpassed and should leave its list. A refused case must end in an error: a wrong result
is never excused by that list.
"""

import re

import harness
import pytest
from replay import Replayer


AREAS = harness.load_areas()
CASES = [case for area in AREAS for case in area.cases]


def read_list(name):
    """Lines `area/case: reason`; blank lines and # comments are for people. A case's name may hold colons."""
    known = {case.id for case in CASES}
    out = {}
    path = harness.HERE / name
    for line in path.read_text().splitlines() if path.exists() else []:
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(": ")
        case = next((c for n in range(len(parts) - 1, 0, -1) if (c := ": ".join(parts[:n])) in known), None)
        if case is None:
            raise ValueError(f"{name}: no case is named in {line!r}")
        out[case] = line[len(case) + 2:].strip()
    return out


REFUSED = read_list("refused.txt")
DIFFERENT = read_list("known_differences.txt")


@pytest.fixture(scope="module")
def replayer():
    replayer = Replayer()
    yield replayer
    replayer.stop()


def test_lists_name_cases_that_exist():
    known = {case.id for case in CASES}
    assert not (set(REFUSED) | set(DIFFERENT)) - known
    assert not set(REFUSED) & set(DIFFERENT)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case, replayer, request):
    actual, difference = replayer.run(case)
    # No sentence keeps the place of a parameter, <like> this (as the tags of XML records do).
    expected = replayer.expected[case.area][case.name]
    left = [set(re.findall(r"<[a-z]\w+>", r.get("error", {}).get("message", ""))) for r in (actual, expected)]
    assert not left[0] - left[1] or case.area == "xml_files"
    reason = REFUSED.get(case.id) or DIFFERENT.get(case.id)
    if case.id in REFUSED and difference is not None:
        assert "error" in actual, f"listed in refused.txt, but computed differently: {difference}"
    if reason:
        request.node.add_marker(pytest.mark.xfail(reason=reason, strict=False))
    assert difference is None, difference
